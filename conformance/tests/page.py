"""A page of HTML, as a browser sees it."""
import collections
import html.parser


class Page(html.parser.HTMLParser):
    """What a browser makes of a page: its texts, its anchors, and what is wrong with it."""

    VOID = {"meta", "br"}

    def __init__(self, path):
        super().__init__()
        self.inside, self.wrong, self.ids, self.links = [], [], [], []
        self.codes, self.pieces = [], []
        with open(path, encoding="utf-8") as file:
            self.source = file.read()
        self.feed(self.source)
        self.close()
        self.wrong += [f"{tag} is not closed" for tag in self.inside]
        self.text = "".join(self.pieces)
        places = collections.Counter(self.ids)
        self.wrong += [f"{one} leads nowhere" for one in self.links if one[0] == "#" and one[1:] not in places]
        self.wrong += [f"{one} is there twice" for one, count in places.items() if count > 1]

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [attributes["href"]] if tag == "a" else []
        loads = set(attributes) & {"src", "srcset", "data", "action", "style"} or [name for name in attributes if name.startswith("on")]
        if loads or tag in ("script", "link", "img", "iframe", "object", "base", "form"):
            self.wrong.append(f"{tag} {attributes}")
        if tag not in self.VOID:
            self.inside.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.wrong.append(f"a browser does not end {tag} here")

    def handle_endtag(self, tag):
        if not self.inside or self.inside.pop() != tag:
            self.wrong.append(f"{tag} is closed in another element, line {self.getpos()[0]}")

    def handle_data(self, data):
        self.pieces.append(data)
        if "code" in self.inside:
            self.codes.append(data)
