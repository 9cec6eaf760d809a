#!/usr/bin/python3
"""Edits a document, and sees whether `oip-conformance spec-check` notices. Arguments: BUILD [TEXT FILE].

The document is a made-up one, conformance/tests/spec_check/kettle.md; kettle.txt beside it has its sentences and lines one by one,
from which the text of the fixtures is made. With TEXT and FILE, an edition of a text in fixtures/texts, the general edits are made
in that file instead. No edit of a word may go unnoticed, and no other form of the same words may be reported."""
import functools
import html
import json
import os
import random
import re
import shutil
import sys
import tempfile
from concurrent import futures

from judge_process import call, checks, drawn, read_json, read_text, say, write

KETTLE = "conformance/tests/spec_check/kettle"

# Some of the requirements that stand on the document: {key: (section, sentence)}
ROWS = {
    "v2-rest.server-live": ("Introduction", "A kettle must implement all APIs described below, except where an optional feature is "
                            "noted."),
    "v2-rest.server-metadata": ("Pouring", "Optional, but if specified this identifier must be returned in the response."),
    "v2-rest.data-count": ("Brewing, BrewRequest", "If specified will be returned in the response."),
    "v2-rest.input-known": ("Brewing, BrewResponse", "If specified will be returned in the response."),
    "v2-rest.error-body": ("Cup Sizes", "TEACUP 2"),
    "v2-rest.output-values": ("Pouring", '"cups" : [ $cup, ... ]'),
}


def told(kind, section, *below):
    """What the report says of a unit: what became of it and where it stands, or behind what, and the lines below that."""
    return "\n         ".join((f"{kind:8} kettle, {'behind ' if kind == 'new' else ''}\"{section}\"", *below))


# Chosen edits: what is replaced, by what, and what the report must say.
CHOSEN = [
    ("a sentence is dropped", "A kettle **must** implement all APIs described below, except where an\noptional feature is noted.\n", "",
     [told("gone", "Introduction", "v2-rest.server-live (must)")]),
    ("a member becomes optional", '"cups" : [ $cup, ... ]', '"cups" : [ $cup, ... ] #optional',
     [told("changed", "Pouring", "v2-rest.output-values (must)"), 'now: "cups" : [ $cup, ... ] #optional']),
    ("a list becomes one", "[ $cup, ... ]", "$cup", [told("changed", "Pouring", "v2-rest.output-values (must)")]),
    ("a table has one more row", "| TEAPOT  | 4                             |",
     "| TEAPOT  | 4                             |\n| BUCKET  | 8                             |",
     [told("new", "Cup Sizes", "no row: check whether one is needed", "text: BUCKET | 8", "line: FILE:118", "behind: TEAPOT | 4")]),
    ("a row of a table has another size", "| TEACUP  | 2 ", "| TEACUP  | 3 ", [told("changed", "Cup Sizes", "v2-rest.error-body (must)")]),
    ("a field has another number", "string name = 1;\n\n        // Optional", "string name = 7;\n\n        // Optional",
     [told("changed", "Brewing, BrewRequest.Leaf", "no row, because: nobody asked", "now: string name = 7")]),
    ("a field has another type", "bytes raw_leaves = 3;\n    }\n\n    message", "string raw_leaves = 3;\n    }\n\n    message",
     [told("changed", "Brewing, BrewRequest")]),
    ("a type in angle brackets is another one", "map<string, BrewParameter>", "map<string, string>", [told("changed", "Brewing, BrewRequest.Leaf")]),
    ("an address is another one", "leaves/23231", "leaves/23232", [told("changed", "Brewing, BrewRequest")]),
    ("a path is another one", "v3/water/boiling", "v3/water/hot", [told("changed", "HTTP"), "now: GET v3/water/hot"]),
    ("a path ends with a slash", "v3/water/boiling", "v3/water/boiling/", [told("changed", "HTTP"), "now: GET v3/water/boiling/"]),
    ("a path begins with a slash", "GET v3/water", "GET /v3/water", [told("changed", "HTTP"), "now: GET /v3/water/boiling"]),
    ("a choice is no choice", "$string | $number", "$string, $number", [told("changed", "Pouring, $cup")]),
    ("a name of a schema becomes a word", '"temperature" : $number', '"temperature" : number', [told("changed", "Pouring, $cup")]),
    ("a field is commented out", "bytes raw_leaves = 3;\n    }\n\n    message", "// bytes raw_leaves = 3;\n    }\n\n    message",
     [told("changed", "Brewing, BrewRequest")]),
    ("a field of a table is commented out", "    size:int32;", "    //size:int32;", [told("changed", "Tea in Steps")]),
    ("a plus becomes a minus", "n+1", "n-1", [told("changed", "Tea in Steps"), "now: Of n cups the lid of cup n-1 stays closed"]),
    ("an item is added", "3. Pour.", "1. Pour.\n1. Whistle.", [told("new", "Tea in Steps"), "text: Whistle"]),
    ("a member is commented out", '  "temperature" : $number', '  // "temperature" : $number', [told("changed", "Pouring, $cup")]),
    ("a sentence is struck out", "All strings in all contexts are case-sensitive.", "~~All strings in all contexts are case-sensitive.~~", [told("gone", "HTTP")]),
    ("a placeholder is dropped", "<error message string>", "", [told("changed", "Pouring Errors")]),
    ("a word is negated", "must be returned in the response.", "must not be returned in the response.",
     [told("changed", "Pouring", "v2-rest.server-metadata (must)")]),
    ("a part of a path is no more optional", "[/spouts/${SPOUT}]/pour", "/spouts/${SPOUT}/pour", [told("changed", "HTTP")]),
    ("a MUST is added", "All strings in all contexts are case-sensitive.", "All strings in all contexts are case-sensitive. A kettle MUST\nwhistle when it boils.",
     [told("new", "HTTP"), "text: A kettle MUST whistle when it boils"]),
    ("a condition is added behind", "must be returned in the response.", "must be returned in the response\n  unless it is empty.",
     [told("changed", "Pouring", "v2-rest.server-metadata (must)"), "response unless it is empty"]),
    ("a condition is added in front", "Optional, but if\n", "If the kettle is hot: Optional, but if\n",
     [told("changed", "Pouring", "v2-rest.server-metadata (must)"), "now: If the kettle is hot: Optional"]),
    ("the first of two identical sentences is dropped", "      // If specified will be returned in the response.\n      bytes raw_leaves = 3;\n    }\n\n    message",
     "      bytes raw_leaves = 3;\n    }\n\n    message", [told("gone", "Brewing, BrewRequest", "v2-rest.data-count (must)")]),
    ("the second of two identical sentences is dropped", "      string name = 1;\n\n      // If specified will be returned in the response.\n      bytes",
     "      string name = 1;\n\n      bytes", [told("gone", "Brewing, BrewResponse", "v2-rest.input-known (open)")]),
    ("a point becomes a comma", "99.5", "99, 5", [told("changed", "Pouring, $cup")]),
    ("a string becomes a number", '"42"', "42", [told("changed", "Pouring, $cup")]),
    ("a boolean becomes a string", ": false", ': "false"', [told("changed", "Pouring, $cup")]),
    ("a sign is dropped", "as -1", "as 1", [told("changed", "Pouring")]),
    ("a level is another one", "**must** implement", "**should** implement", [told("changed", "Introduction", "v2-rest.server-live (must)")]),
    ("a name has another case", '"cups" : [ $cup', '"Cups" : [ $cup', [told("changed", "Pouring")]),
    ("a path has another sign", "/v3/cups?size=big", "/v3/cups&size=big", [told("changed", "Options"), "/v3/cups&size=big"]),
    ("a path has a name for a word", "/v3/cups?size", "/v3/$cups?size", [told("changed", "Options")]),
    ("a placeholder loses its braces", "{cup_name}", "cup_name", [told("changed", "Options")]),
    ("a name gets braces", "kettles/${KETTLE_NAME}[/spouts/${SPOUT}]/ready", "kettles/$KETTLE_NAME[/spouts/${SPOUT}]/ready", [told("changed", "HTTP")]),
    ("an option loses a minus", "--no-cups", "-no-cups", [told("changed", "Options")]),
    ("an option loses its minus", "-quiet", "quiet", [told("changed", "Options")]),
    ("a word gets a minus", "runs\nwith", "runs\n-with", [told("changed", "Options"), "runs -with"]),
    ("an import is commented out", "import kettle", "# import kettle", [told("changed", "Options"), "now: # import kettle"]),
    ("a call is commented out", "cup = kettle.pour", "#cup = kettle.pour", [told("changed", "Options")]),
    ("a message is commented out", "    message BrewResponse\n", "    // message BrewResponse\n", ['changed  kettle, "Brewing']),
    ("a section is taken from the page", "## Options", "..\n  ## Options", [told("new", "Tea in Steps")]),
    ("a field leaves its message", "        map<string, BrewParameter> parameters = 2;\n      }\n", "      }\n        map<string, BrewParameter> parameters = 2;\n",
     [told("moved", "Brewing, BrewRequest.Leaf")]),
    ("a member is added at the end", '  "temperature" : $number\n', '  "temperature" : $number,\n  "sweet" : $boolean\n',
     [told("new", "Pouring, $cup", "no row: check whether one is needed", 'text: "sweet" : $boolean'), ", 0 changed, 0 gone, 0 moved, 1 new"]),
    ("brackets are dropped", "(max 2<sup>32</sup>)", "max 2<sup>32</sup>", [told("changed", "Cup Sizes")]),
    ("a section is moved",
     '### Pouring Errors\n\nA failed request must be indicated by an HTTP error status (typically\n400).\n\n    {\n      "error": <error message string>\n    }\n\n',
     "", [told("gone", "Pouring Errors")]),
]


def reads_like(text):
    """Returns {form: the same words in that form}."""
    unmarked = re.sub(r"```\w*|[*`]|^#+ |<sup>|</sup>", "", re.sub(r"\[(\w+)\]\(#\w+\)", r"\1", text), flags=re.M)
    lines = re.sub(r"^\|[ |-]*\|$\n", "", re.sub(r"\n +// ", "\n", unmarked), flags=re.M)
    plain = re.sub(r"^\|.*$", lambda row: row[0].replace("|", ""), lines, flags=re.M)
    page = re.sub(r"^(#+) (.*)$", r"<h1>\2</h1>", html.escape(text.replace("<sup>", "").replace("</sup>", "")), flags=re.M)
    page = re.sub(r"\[(\w+)\]\(#\w+\)", r'<a class="link" href="#x">\1</a>', re.sub(r"\*\*(\w+)\*\*", r"<b>\1</b>", page))
    paragraphs = "".join(f"<p>{paragraph}</p>" for paragraph in re.sub("```\\w*", "", page).split("\n\n"))
    by_name = text.replace("(#parameters)", "[parameters]") + "\n[parameters]: https://kettles.example/p\n"
    return {
        "as it is": text,
        "plain": plain,
        "in one line": " ".join(plain.split()),
        "without quotes and angle brackets": re.sub(r"\"([a-z]\w*)\"|[“”]|<[^>]*>", r"\1", " ".join(plain.split())),
        "in narrow lines": "\n".join(plain.split()),
        "with typographic quotes": re.sub(r'"(\w*)"', r"“\1”", text),
        "as HTML": f"<html><head><title>Kettles</title><style>p {{ color: red }}</style></head><body>{paragraphs}</body></html>",
        "with quotes as in France": re.sub(r'"(\w+)"', r"«\1»", text),
        "with addresses in angle brackets": re.sub(r"\]\((#\w+)\)", r'](<\1 of it> "a title")', text),
        "with front matter": "---\ntitle: Kettles\nweight: 3\n---\n" + text,
        "with a mark and front matter": "\ufeff---\ntitle: Kettles\n---\n" + text,
        "with all numbers 1": re.sub(r"^\d\. ", "1. ", text, flags=re.M),
        "with other numbers": re.sub(r"^(\d)\. ", lambda match: f"{int(match[1]) + 8}) ", text, flags=re.M),
        "with loose items": re.sub(r"^(\d)\. ", r"\n  1. ", text, flags=re.M),
        "with carriage returns": text.replace("\n", "\r\n"),
        "with blanks that do not break": text.replace(" the ", "\u00a0the&nbsp;"),
        "with links by name": by_name,
        "with links by name, in one line": " ".join(by_name.split()),
        "with links by name, in narrow lines": "\n".join(by_name.split()),
        "with other fences": text.replace("```", "~~~"),
        "with entities for signs": re.sub(r"[?=&{}$]", lambda sign: f"&#{ord(sign[0])};", text),
        "with signs escaped": re.sub(r"([{}]|(?<=\w)_(?=\w))", r"\\\1", text),
        "broken behind hyphens": re.sub(r"(?<=\w)-(?=[a-z])", "-\n", text),
        "with hyphens that do not break": re.sub(r"(?<=\w)-(?=\w)", "\u2011", text),
        "with longer dashes": text.replace("--no", "\u2013no").replace(" - ", " \u2014 "),
        "with other bullets": re.sub(r"^\* ", "- ", text, flags=re.M),
        "with plus signs for bullets": re.sub(r"^\* ", "+ ", text, flags=re.M),
        "with tight tables": re.sub(r"^\|.*", lambda row: re.sub(r" *\| *", "|", row[0]), text, flags=re.M),
        "with headings underlined": re.sub(r"^#+ (.*)", lambda heading: f"{heading[1]}\n{'=' * len(heading[1])}", text, flags=re.M),
        "with braces on lines of other words": re.sub(r"^(?!```)(.*\S)\n *\{\n", r"\1 {\n", text, flags=re.M),
        "with code in HTML": re.sub(r"^```\w*\n(.*?)^```$", lambda code: f"<pre><code>{html.escape(code[1])}</code></pre>", text,
                                    flags=re.M | re.S),
        "in a quotation": re.sub("^", "> ", text, flags=re.M),
        "with labels": re.sub("^#", ".. _section-1:\n\n#", text, flags=re.M),
        "with labels, in narrow lines": "\n".join(re.sub("^#", ".. _section-1:\n\n#", text, flags=re.M).split()),
    }


class Judge:
    def __init__(self, build, fixtures, name):
        self.program, self.fixtures, self.name = f"{build}/oip-conformance", fixtures, name

    def run(self, *flags):
        return call(self.program, "spec-check", "--fixtures", self.fixtures, *flags)

    def report(self, text, *flags):
        """Compares the text; returns the whole report without the names of files."""
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".md") as file:
            file.write(text)
            file.flush()
            run = self.run("--all", *flags, file.name)
        if ", as text " not in run.out:
            raise RuntimeError(f"no report:\n{run.output[-500:]}")
        return run.out.replace(file.name, "FILE")

    def reports(self, texts, *flags):
        with futures.ThreadPoolExecutor(2) as pool:
            return list(pool.map(lambda text: self.report(text, *flags), texts))


def every_word(text):
    """Yields the text with each word dropped, replaced, and with a word before it. What stands in angle brackets may be missing."""
    outside = re.sub(r"<[^<>\n]*>", lambda match: " " * len(match[0]), text)
    for match in re.finditer(r"\w+", outside):
        before, word, behind = text[:match.start()], match[0], text[match.end():]
        if before.endswith(("](#", "```")):
            continue
        for label, put in (("dropped", ""), ("replaced", "zebra"), ("added", "zebra " + word)):
            yield f"'{word}' at byte {match.start()} is {label}", before + put + behind


def every_line(text):
    """Yields the text with each line that has words dropped, doubled, and exchanged with the next."""
    lines = text.split("\n")
    says = [re.search(r"[\w{}]", line) and not line.startswith("```") for line in lines]
    for at, line in enumerate(lines):
        if len(lines) == 1 or not says[at]:
            continue
        yield f"line {at + 1} is dropped: {line}", "\n".join(lines[:at] + lines[at + 1:])
        yield f"line {at + 1} is doubled: {line}", "\n".join(lines[:at] + [line] + lines[at:])
        other = next((n for n in range(at + 1, len(lines)) if lines[n] != line and says[n]), None)
        if other:
            yield f"line {at + 1} changes its place: {line}", "\n".join(lines[:at] + lines[at + 1:other + 1] + [line] + lines[other + 1:])


def every_sign(text):
    """Yields the text without each sign of its schemas and paths that carries meaning."""
    place = 0
    for line in text.split("\n"):
        for match in re.finditer(r"[\[\]{}()=]|(?<![/*])/(?![/*])|\$(?=\w)|\.\.\.|\||-(?=\d)", line) if re.match(" {4}|\\$| +\"", line) else ():
            begin, end = place + match.start(), place + match.end()
            yield f"'{match[0]}' at byte {begin} is dropped: {line}", text[:begin] + " " + text[end:]
        place += len(line) + 1


def shuffled(text, seed):
    """Yields the text with several edits at once, which must not hide one another."""
    choice = random.Random(seed)
    for number in range(40):
        words = re.split(r"(\s+)", text)
        places = choice.sample([at for at, word in enumerate(words) if re.fullmatch(r"[a-z]{4,}", word)], 5)
        for place in places:
            words[place] = choice.choice(("", "zebra", words[place] + " zebra"))
        yield f"five edits, number {number}", "".join(words)


def check_edits(checks, judge, text):
    flags = ("--text", judge.name)
    edits = [*every_word(text), *every_line(text), *every_sign(text), *shuffled(text, 7)]
    edits = drawn(edits, 0.25)
    before, *reports = judge.reports([text, *(edited for _, edited in edits)], *flags)
    for (label, _), report in zip(edits, reports):
        checks.that(report != before, f"unnoticed: {label}")


def unmarked(report):
    """The report without the marks around words that changed."""
    return re.sub(r"\{\+|\+\}|\[-\d+ words?-\] ?", "", report)


def kettle_fixtures(build, folder):
    """Makes fixtures with the text of the kettle and its rows."""
    shutil.copytree("conformance/tests/lint/good", folder, dirs_exist_ok=True)
    shutil.rmtree(f"{folder}/texts", ignore_errors=True)
    os.makedirs(f"{folder}/texts")
    sections = json.loads(say("spec-check", "--fixtures", folder, "--units", KETTLE + ".txt", check=True).out)
    lines = [line for line in read_text(KETTLE + ".txt").split("\n") if line and not line.startswith("# ")]
    units = [(section["section"], unit) for section in sections for unit in section["units"]]
    assert len(lines) == len(units)
    prints = {(section, line): unit["sentence"] for line, (section, unit) in zip(lines, units)}
    rows = read_json(f"{folder}/requirements/v2-rest.json")
    for row in rows:
        section, sentence = ROWS[row["key"]]
        row["sources"] = [{"text": "kettle", "kind": "document", "section": section, "sentence": prints[section, sentence]}]
    cited = {(section, prints[section, sentence]) for section, sentence in ROWS.values()}
    for section, unit in units:
        if (section, unit["sentence"]) not in cited:
            unit["why"] = "nobody asked"
        else:
            del unit["why"]
    write(f"{folder}/texts/kettle.json", sections)
    write(f"{folder}/requirements/v2-rest.json", rows)
    write(f"{folder}/documents.json", {"kettle": {"title": "A kettle"}})


def check_kettle(checks, build):
    text = read_text(KETTLE + ".md")
    with tempfile.TemporaryDirectory() as folder:
        kettle_fixtures(build, folder)
        checks.code(0, "the fixtures of the kettle", say("lint", "--fix", "--fixtures", folder))
        for key, (section, sentence) in ROWS.items():
            place = say("spec-check", "--fixtures", folder, "--sentence", sentence).out
            checks.that(f'"section": "{section}":' in place and f" {key}" in place, f"where the sentence of {key} stands: {place}")
        judge = Judge(build, folder, "kettle")
        forms = reads_like(text)
        for form, report in zip(forms, judge.reports(list(forms.values()))):
            checks.that(", 0 changed, 0 gone, 0 moved, 0 new" in report and report.startswith("FILE, as text kettle: "), f"{form}: {report}")
        for label, find, put, expected in CHOSEN:
            assert text.count(find) == 1, (label, text.count(find))
            report = unmarked(judge.report(text.replace(find, put)))
            for line in expected:
                checks.that(line in report, f"{label}: the report does not say '{line}'\n{report}")
        check_edits(checks, judge, text)
        check_edits(checks, judge, forms["in one line"])
        check_other_documents(checks, judge, text)
        check_editions(checks, judge, text)
        check_schemas(checks, judge, text)
        check_what_if(checks, judge, text)
        check_adoption(checks, build, judge, folder)


def check_other_documents(checks, judge, text):
    """A file is an edition of a text only if enough of it stands there."""
    paragraphs = text.split("\n\n")
    with tempfile.TemporaryDirectory() as folder:
        other = 2, "is not an edition of a text that the ledger knows"
        for label, content, (code, *says) in (("half of it", "\n\n".join(paragraphs[:len(paragraphs) // 2]), [1]),
                                              ("a few of its lines", "\n\n".join(paragraphs[:3]), other),
                                              ("its words in another order", " ".join(sorted(text.split())), other),
                                              ("another document", read_text("README.md"), other), ("nothing", "", other)):
            checks.code(code, label, judge.run(write(f"{folder}/other", content)), *says)
            checks.code(1, f"{label}, compared anyway", judge.run("--text", "kettle", f"{folder}/other"))
        checks.code(2, "a text that is not there", judge.run("--text", "no_such", f"{folder}/other"))
        checks.code(2, "a file that is not there", judge.run(f"{folder}/no_such"))


def put_into(folder, name, content):
    os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
    write(f"{folder}/{name}", content)


def check_editions(checks, judge, text):
    """Several files are one edition, and two editions are compared with each other."""
    must, should = "must be returned in the response.", "should be returned in the response."
    edited = text.replace(must, should)
    with tempfile.TemporaryDirectory() as folder:
        save = functools.partial(put_into, folder)

        def git(*words):
            call("git", "-C", f"{folder}/repository", "-c", "user.name=x", "-c", "user.email=x@example.org", *words, check=True)

        cut = text.index("## ", len(text) // 2)
        save("parts/a.md", text[:cut])
        save("parts/deep/b.md", text[cut:])
        save("parts/c.png", "no text")
        for operands in ([f"{folder}/parts"], [f"{folder}/parts/a.md", f"{folder}/parts/deep/b.md"]):
            checks.code(0, "in parts", judge.run(*operands), ", 0 changed, 0 gone, 0 moved, 0 new")
        save("empty/c.png", "no text")
        checks.code(2, "a folder without an edition", judge.run(f"{folder}/empty"))

        save("repository/docs/kettle.md", text)
        git("init", "-q", ".")
        git("add", ".")
        git("commit", "-qm", "first", "--no-gpg-sign")
        git("tag", "first")
        save("repository/docs/kettle.md", edited)
        git("commit", "-qam", "second", "--no-gpg-sign")
        save("repository/docs/kettle.md", "nothing")
        save("old.md", text)
        save("new.md", edited)
        docs = f"{folder}/repository/docs"
        for flags in (["--from", f"{folder}/old.md", f"{folder}/new.md"], ["--from", "first", "--to", "HEAD", docs], ["--from", "HEAD~1", "--to", "HEAD", docs]):
            checks.code(1, f"{flags}", judge.run(*flags), "Requirements whose sentence changed: 1\nchanged  kettle, \"Pouring\"\n"
                        "         v2-rest.server-metadata (must)", "[-must-] be returned", "{+should+} be returned", ", 1 changed, 0 gone, 0 moved, 0 new")
        checks.code(0, "a commit since itself", judge.run("--from", "first", "--to", "first", docs))
        checks.code(2, "a commit that is not there", judge.run("--from", "no-such", "--to", "HEAD", docs))
        checks.code(2, "a commit like a flag", judge.run("--from", "--output=x", docs))

        run = judge.run("--from", f"{folder}/old.md", f"{folder}/new.md", "--json", "-")
        report = json.loads(run.out)
        first = report["findings"][0]
        checks.that(report["counts"]["changed"] == 1 and first["requirements"] == ["v2-rest.server-metadata"] and first["group"] == "changed"
                    and first["file"] == f"{folder}/new.md" and text[:text.index(must)].count("\n") + 1 - first["line"] in (0, 1), "JSON", run)
        run = judge.run("--from", f"{folder}/old.md", f"{folder}/new.md", "--markdown", "-")
        checks.code(1, "Markdown", run, "### Requirements whose sentence changed: 1\n\n- **changed** `Pouring`",
                    "- now: `Optional, but if specified this identifier {+should+} be")
        checks.code(4, "a report that cannot be written", judge.run(f"{folder}/new.md", "--json", "/proc/no-such/file"))

        save("many.md", re.sub(r"\bthe\b|\ba\b", "zebra", text) + "\n\nA kettle must fly.\n" * 200)
        run = judge.run(f"{folder}/many.md", "--text", "kettle")
        checks.that(len(run.out.split("\n")) <= 101 and "more: --all shows them" in run.out, f"the short form has {run.out.count(chr(10))} lines")
        checks.that("sits on the stove" not in judge.run(f"{folder}/many.md").out, "words that demand nothing are only counted")
        checks.code(1, "an unknown word is counted", judge.run("--text", "kettle", f"{folder}/new.md"), "[-1 word-] {+should+} be returned")


PROTO = """syntax = "proto3";
package kettles; // of the kitchen
/* A kettle
   pours. */
service Kettles { rpc Pour(stream Order) returns (Cup) {} rpc Boil(Order) returns (Cup); }
message Order {
  option deprecated = false;
  message Leaf { string name = 1; }
  repeated Leaf leaves = 1 [packed = true];
  map<string, Leaf> by_name = 2;
  oneof size { int32 cups = 3; double litres = 4; }
  enum Kind { GREEN = 0; BLACK = -1; }
  reserved 9, 10 to 12;
}
message Cup {}
"""

OPENAPI = """openapi: 3.0.0
paths:
  /kettles/{name}:
    get:
      responses:
        '200': {description: OK, content: {application/json: {schema: {$ref: '#/components/schemas/kettle'}}}}
        '404': {description: none}
    post:
      requestBody: {content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/leaf'}}}}}
      responses: {'204': {description: done}}
components:
  schemas:
    kettle:
      type: object
      required: [name]
      properties:
        name: {type: string}
        cups: {type: integer, minimum: 1, default: 2}
        kind: {type: string, enum: [green, black]}
        labels: {type: object, additionalProperties: {type: string}}
        lid: {type: object, properties: {open: {type: boolean}}}
    leaf: {anyOf: [{type: string}, {type: number}]}
"""

# Chosen edits of a schema: what is replaced, by what, and what the report must say; None: nothing changed.
OF_PROTO = [
    ("comments and layout", "// of the kitchen", "\n\n/* elsewhere */", None),
    ("the order of fields", "string name = 1; }", "string name = 1; }\n", None),
    ("another number", "cups = 3", "cups = 5", ["Order.cups", "was: oneof size: int32 = 3", "now: oneof size: int32 = 5", "line: {}.proto:11"]),
    ("another type", "double litres", "float litres", ["Order.litres", "now: oneof size: float = 4"]),
    ("no list any more", "repeated Leaf", "Leaf", ["Order.leaves", "was: repeated Leaf = 1", "now: Leaf = 1"]),
    ("another name", "map<string, Leaf> by_name", "map<string, Leaf> by_names", ["Order.by_name", "Order.by_names", "text: map<string, Leaf> = 2"]),
    ("no stream", "Pour(stream Order)", "Pour(Order)", ["Kettles.Pour", "now: (Order) returns (Cup)"]),
    ("a method less", "rpc Boil(Order) returns (Cup);", "", ["gone     schema, \"Kettles.Boil\""]),
    ("another value", "BLACK = -1", "BLACK = 1", ["Order.Kind.BLACK", "was: = -1", "now: = 1"]),
    ("another package", "package kettles", "package cups", ["\"package\"", "now: cups"]),
]
OF_OPENAPI = [
    ("comments", "openapi: 3.0.0", "# of the kitchen\nopenapi: 3.0.0", None),
    ("a status less", "        '404': {description: none}\n", "", ["gone     schema, \"GET /kettles/{name} 404\""]),
    ("another status", "'204'", "'202'", ["POST /kettles/{name} 204", "POST /kettles/{name} 202"]),
    ("another path", "/kettles/{name}:", "/kettle/{name}:", ["GET /kettle/{name} 200"]),
    ("another method", "    post:", "    put:", ["PUT /kettles/{name} request"]),
    ("required no more", "required: [name]", "required: []", ["kettle.name", "was: required string", "now: string"]),
    ("another limit", "minimum: 1", "minimum: 0", ["kettle.cups", "now: integer, default 2, minimum 0"]),
    ("another choice", "[green, black]", "[green, white]", ["now: string, one of green white"]),
    ("another type of a map", "additionalProperties: {type: string}", "additionalProperties: {type: number}", ["was: map of string", "now: map of number"]),
    ("a member within a member", "{open: {type: boolean}}", "{open: {type: string}}", ["kettle.lid.open", "now: string"]),
    ("a choice of types less", "[{type: string}, {type: number}]", "[{type: string}]", ["was: string | number"]),
    ("another body", "items: {$ref: '#/components/schemas/leaf'}", "items: {type: string}", ["POST /kettles/{name} request", "now: application/json [string]"]),
]
BROKEN = [("proto", "message Kettle { string name 1; }", "line 1: Missing field number"), ("proto", "message Kettle {", "line 1: Reached end of input"),
          ("proto", "\n\nservice { }", "line 3: Expected service name"), ("proto", "message A {" * 300000, "too many messages within messages"),
          ("proto", "message A { // }\n" * 300000, "too many messages within messages"),
          ("yaml", "a: [1", "line 2: did not find expected"), ("yaml", "a: &b 1\nc: *b", "line 2: an alias"), ("yaml", "a: 1", "line 1: this is not an OpenAPI document"),
          ("yaml", "", "no document"), ("yaml", "[" * 200, "too many levels")]


def check_schemas(checks, judge, text):
    """Schemas are compared by what they mean."""
    with tempfile.TemporaryDirectory() as folder:
        save = functools.partial(put_into, folder)
        for suffix, schema, edits in (("proto", PROTO, OF_PROTO), ("yaml", OPENAPI, OF_OPENAPI)):
            save("old/kettle.md", text)
            save("new/kettle.md", text)
            save(f"old/a.{suffix}", schema)
            for label, find, put, expected in edits:
                assert schema.count(find) == 1, (label, schema.count(find))
                save(f"new/b.{suffix}", schema.replace(find, put))
                says = [line.replace("{}", "b") for line in expected or []]
                checks.code(1 if expected else 0, label, judge.run("--from", f"{folder}/old", f"{folder}/new"), *says)
            save(f"new/c.{suffix}", schema)
            os.remove(f"{folder}/old/a.{suffix}")
            os.remove(f"{folder}/new/b.{suffix}")
            checks.code(1, "a new file", judge.run("--from", f"{folder}/old", f"{folder}/new"), f"new      schema, \"c.{suffix}\"", "more members")
            checks.code(1, "a file that is gone", judge.run("--from", f"{folder}/new", f"{folder}/old"), f"gone     schema, \"c.{suffix}\"")
            os.remove(f"{folder}/new/c.{suffix}")
        for suffix, content, told in BROKEN:
            save(f"new/d.{suffix}", content)
            checks.code(2, f"'{content[:30]}'", judge.run("--from", f"{folder}/old", f"{folder}/new"), f"d.{suffix}: ", told)
            os.remove(f"{folder}/new/d.{suffix}")

        save("schema.proto", PROTO)
        made = json.loads(judge.run("--members", f"{folder}/schema.proto").out)
        made = [{**member, "keys": ["v2-rest.server-live"]} if member["at"] == "Order.cups" else {**member, "why": "nobody asked"} for member in made]
        for member in made:
            if "keys" in member:
                del member["why"]
        os.makedirs(f"{judge.fixtures}/schemas", exist_ok=True)
        write(f"{judge.fixtures}/schemas/kettles.json", made)
        checks.that(json.loads(judge.run("--members", f"{folder}/schema.proto").out) == made, "what is said of members is kept")
        save("schema.proto", PROTO.replace("cups = 3", "cups = 5"))
        checks.code(1, "a schema that the ledger knows", judge.run(f"{folder}/schema.proto"),
                    "Requirements whose sentence changed: 1\nchanged  kettles, \"Order.cups\"\n         v2-rest.server-live (must)")
        checks.code(2, "a schema that is not there", judge.run(f"{folder}/no-such.proto"))


def check_what_if(checks, judge, text):
    """Which servers an edition would newly break or excuse is read from their reports."""
    def report_of(folder, name, **verdicts):
        results = [{"key": key.replace("_", "-").replace("v2-rest-", "v2-rest."), "verdict": verdict}
                   for key, all_of in verdicts.items() for verdict in all_of.split()]
        return write(f"{folder}/{name}.json", {"format": "oip-conformance-report", "target": {"server_name": name, "server_version": "1"},
                                               "results": results, "requirements": {result["key"]: {} for result in results}})

    key = "v2-rest.server-metadata"
    with tempfile.TemporaryDirectory() as folder:
        reports = [report_of(folder, "bad", v2_rest_server_metadata="pass fail fail"), report_of(folder, "waived", v2_rest_server_metadata="waived"),
                   report_of(folder, "good", v2_rest_server_metadata="pass pass"), report_of(folder, "silent", v2_rest_server_metadata="blocked")]
        for find, put, expected in (
                ("must be returned in the response.", "should be returned in the response.",
                 [f"{key} (must) would no longer be a MUST\n", "excused: bad 1 (2 cases)\n", "excused: waived 1 (1 case)\n", "kept: good 1\n", "unknown: silent 1\n"]),
                ("Optional, but if\n", "Optional. If\n", [f"{key} (must) would be worded differently", "broken today: bad 1 (2 cases)", "broken and waived today: waived 1 (1 case)", "kept today: good 1"]),
                ("A kettle **must** implement all APIs described below, except where an\noptional feature is noted.\n", "",
                 ["v2-rest.server-live (must) would be gone\n", "unknown: bad 1, waived 1, good 1, silent 1\n"])):
            assert text.count(find) == 1, find
            write(f"{folder}/new.md", text.replace(find, put))
            checks.code(1, f"what if '{put}'", judge.run("--what-if", f"{folder}/new.md", *reports), *expected, ": 1 requirement touched, 4 reports\n")
        reports = [report_of(folder, "bad", v2_rest_input_known="warn pass"), report_of(folder, "good", v2_rest_input_known="pass")]
        edited = text.replace("      string name = 1;\n\n      // If specified will be returned", "      string name = 1;\n\n      // If specified must be returned")
        assert edited != text
        write(f"{folder}/new.md", edited)
        checks.code(1, "a stronger demand", judge.run("--what-if", f"{folder}/new.md", *reports),
                    "v2-rest.input-known (open) would be a MUST\n", "newly broken: bad 1 (1 case)\n", "kept: good 1\n")
        checks.code(2, "no report", judge.run("--what-if", f"{folder}/new.md", f"{folder}/new.md"), "is not a report")


def check_adoption(checks, build, judge, folder):
    """The text is made again from its lines, with what was said of each unit."""
    made = judge.run("--text", "kettle", "--units", KETTLE + ".txt").out
    checks.that(json.loads(made) == read_json(f"{folder}/texts/kettle.json"), "the text, made again")
    checks.code(2, "lines that are not there", judge.run("--units", f"{folder}/no_such"))


if len(sys.argv) > 2:
    check_edits(checks, Judge(sys.argv[1], "fixtures", sys.argv[2]), read_text(sys.argv[3]))
else:
    check_kettle(checks, sys.argv[1])
checks.end()
