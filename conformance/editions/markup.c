#include "editions/reading.h"

#include "base/search.h"

#define TAG_MAX    2000 /* bytes of a tag with its attributes */
#define LINK_MAX   400  /* bytes of a link's text, and of its address */
#define STRUCK_MAX 4000 /* bytes that are struck out */
#define FRONT_MAX  4000 /* bytes of a page's front matter */

/* Whether it may be in the name of a tag, an entity, a language or a role. */
static bool is_tag_byte(char c)
{
    return is_letter_or_digit(c) || c == '-';
}

static bool is_no_blank(char c)
{
    return !is_blank(c);
}

static const char *find(struct str text, size_t from, size_t most, const char *wanted)
{
    size_t left = text.size - from;
    return memmem(text.data + from, left < most ? left : most, wanted, strlen(wanted));
}

bool markup_starts_line(struct str text, size_t at)
{
    while (at && (text.data[at - 1] == ' ' || text.data[at - 1] == '\t'))
        at--;
    return at == 0 || text.data[at - 1] == '\n';
}

/* --- Tags --- */

/* The elements of HTML that documents use. Those of the first row may stand inside a word. */
static const char *const tags[][80] = {
    {"sup", "sub", "b", "i", "em", "strong", "code", "tt", "u", "span", "a", "wbr", "mark", NULL},
    {"html",   "head",    "body",    "title",      "meta",   "link",   "script",  "style",  "noscript", "template",
     "div",    "p",       "br",      "hr",         "h1",     "h2",     "h3",      "h4",     "h5",       "h6",
     "ul",     "ol",      "li",      "dl",         "dt",     "dd",     "table",   "thead",  "tbody",    "tfoot",
     "tr",     "td",      "th",      "caption",    "col",    "pre",    "kbd",     "samp",   "var",      "s",
     "del",    "ins",     "small",   "img",        "nav",    "header", "footer",  "main",   "section",  "article",
     "aside",  "details", "summary", "blockquote", "q",      "cite",   "abbr",    "button", "form",     "label",
     "select", "option",  "svg",     "path",       "figure", "iframe", "picture", "source", "video",    "audio",
     "canvas", "center",  "font",    "input",      "g",      "circle", "rect",    "use",    "strike",   NULL},
};

enum tag_kind { TAG_NONE, TAG_INLINE, TAG_BLOCK };

static enum tag_kind kind_of(struct str name)
{
    for (int row = 0; row < 2; row++)
        for (const char *const *tag = tags[row]; *tag; tag++)
            if (str_equal_ignoring_case(name, str_of(*tag)))
                return row ? TAG_BLOCK : TAG_INLINE;
    return TAG_NONE;
}

/* What is no part of the text, because a page does not show it or strikes it out: from the tag to the end of its
 * element. */
static size_t unshown(struct str text, size_t at, struct str name, size_t size)
{
    static const char *const ends[][2] = {
        {"script", "</script>"}, {"style", "</style>"}, {"title", "</title>"},
        {"del", "</del>"},       {"s", "</s>"},         {"strike", "</strike>"},
    };
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        const char *end =
            str_equal_ignoring_case(name, str_of(ends[i][0])) ? find(text, at + size, text.size, ends[i][1]) : NULL;
        if (end)
            return (size_t)(end - text.data) + strlen(ends[i][1]) - at;
    }
    return size;
}

static struct mark tag(struct str text, size_t at)
{
    struct mark none = {0};
    struct str rest = str_from(text, at);
    if (str_starts(rest, STR("<!"))) {
        bool comment = str_starts(rest, STR("<!--"));
        const char *end = comment ? find(text, at, text.size, "-->") : find(text, at, TAG_MAX, ">");
        return end ? (struct mark){(size_t)(end - rest.data) + (comment ? 3 : 1), false} : none;
    }
    size_t begin = rest.size > 1 && rest.data[1] == '/' ? 2 : 1, size = behind_all(rest, begin, is_tag_byte);
    struct str name = {rest.data + begin, size - begin};
    const char *end = find(text, at, TAG_MAX, ">");
    if (!end || size == rest.size || !strchr(" \t\r\n/>", rest.data[size]))
        return none;
    size_t whole = (size_t)(end - rest.data) + 1;
    /* attributes make a tag of a name that is not in the table */
    enum tag_kind kind = memmem(rest.data, whole, "=\"", 2) && name.size ? TAG_BLOCK : TAG_NONE;
    kind = kind_of(name) ? kind_of(name) : kind;
    if (kind == TAG_NONE)
        return none;
    return (struct mark){begin == 1 ? unshown(text, at, name, whole) : whole, kind == TAG_INLINE};
}

/* --- Entities --- */

static const struct {
    const char *name, *stands_for;
} entities[] = {
    {"&lt;", "<"},     {"&#60;", "<"},    {"&#x3c;", "<"}, {"&gt;", ">"},     {"&#62;", ">"},      {"&#x3e;", ">"},
    {"&#91;", "["},    {"&lbrack;", "["}, {"&#93;", "]"},  {"&rbrack;", "]"}, {"&hellip;", "..."}, {"&#8230;", "..."},
    {"&#95;", "_"},    {"&#47;", "/"},    {"&sol;", "/"},  {"&#36;", "$"},    {"&dollar;", "$"},   {"&#124;", "|"},
    {"&vert;", "|"},   {"&#123;", "{"},   {"&lcub;", "{"}, {"&lbrace;", "{"}, {"&#125;", "}"},     {"&rcub;", "}"},
    {"&rbrace;", "}"}, {"&amp;", "&"},    {"&#38;", "&"},  {"&#61;", "="},    {"&equals;", "="},   {"&#63;", "?"},
    {"&quest;", "?"},  {"&#35;", "#"},    {"&num;", "#"},  {"&#46;", "."},    {"&period;", "."},   {"&#58;", ":"},
    {"&colon;", ":"},  {"&#43;", "+"},    {"&plus;", "+"}, {"&#37;", "%"},    {"&percnt;", "%"},   {"&#40;", "("},
    {"&lpar;", "("},   {"&#41;", ")"},    {"&rpar;", ")"}, {"&#33;", "!"},    {"&excl;", "!"},
};

const char *markup_entity(struct str text, size_t at, size_t *size)
{
    struct str rest = str_from(text, at);
    *size = 1;
    while (*size < rest.size && *size < 10 && (is_tag_byte(rest.data[*size]) || rest.data[*size] == '#'))
        ++*size;
    if (*size == 1 || *size == rest.size || rest.data[*size] != ';') {
        *size = 0;
        return NULL;
    }
    ++*size;
    return FIRST(i, COUNT_OF(entities),
                 str_equal_ignoring_case((struct str){rest.data, *size}, str_of(entities[i].name)),
                 entities[i].stands_for, NULL);
}

/* --- Links --- */

/* The place of the bracket that closes the one at `at`; 0: it is not closed. */
static size_t closing(struct str text, size_t at, char opens, char closes)
{
    size_t depth = 0, limit = text.size - at < LINK_MAX ? text.size : at + LINK_MAX;
    for (size_t i = at; i < limit; i++) {
        depth += text.data[i] == opens;
        if (text.data[i] == closes && --depth == 0)
            return i;
    }
    return 0;
}

static bool is_defined(const struct definitions *definitions, struct str name)
{
    return ANY(i, definitions->names.count, str_equal_ignoring_case(list_str(&definitions->names, i), name));
}

/* The place after "(address)", "(<address>)" or "(address "title")" at `at`; 0: there is none. */
static size_t behind_address(struct str text, size_t at)
{
    size_t close = at < text.size && text.data[at] == '(' ? closing(text, at, '(', ')') : 0;
    if (!close)
        return 0;
    /* an address in angle brackets may have blanks */
    const char *angle = text.data[at + 1] == '<' ? memchr(text.data + at, '>', close - at) : NULL;
    const char *begin = angle ? angle : text.data + at;
    const char *blank = memchr(begin, ' ', (size_t)(text.data + close - begin));
    bool title = blank && blank[1] && strchr("\"'(", blank[1]);
    return !blank || title ? close + 1 : 0;
}

bool markup_link(struct str text, size_t at, const struct definitions *definitions, size_t *close, size_t *end)
{
    *close = closing(text, at, '[', ']');
    if (*close == 0)
        return false;
    struct str name = {text.data + at + 1, *close - at - 1};
    size_t behind = *close + 1, second = 0;
    *end = behind_address(text, behind);
    if (*end == 0 && behind < text.size && text.data[behind] == '[' && (second = closing(text, behind, '[', ']'))) {
        struct str reference = {text.data + behind + 1, second - behind - 1};
        if (is_defined(definitions, reference.size ? reference : name))
            *end = second + 1;
    }
    if (*end == 0 && is_defined(definitions, name))
        *end = behind;
    return *end != 0;
}

static size_t to_end_of_line(struct str text, size_t at)
{
    const char *end = memchr(text.data + at, '\n', text.size - at);
    return end ? (size_t)(end - text.data) - at : text.size - at;
}

/* The size of "[name]: address" up to the end of its line, and the name. Within a line, where a text has lost its line
 * breaks, the address must look like one, and ends the definition. */
static size_t definition(struct str text, size_t at, struct str *name)
{
    size_t close = text.data[at] == '[' ? closing(text, at, '[', ']') : 0, begin = close + 2;
    if (!close || close == at + 1 || begin >= text.size || text.data[close + 1] != ':' || !is_blank(text.data[begin]))
        return 0;
    *name = (struct str){text.data + at + 1, close - at - 1};
    if (markup_starts_line(text, at) && to_end_of_line(text, begin) > 1)
        return begin - at + to_end_of_line(text, begin);
    begin = behind_all(text, begin, is_blank);
    size_t end = behind_all(text, begin, is_no_blank);
    return memmem(text.data + begin, end - begin, "://", 3) ? end - at : 0;
}

struct definitions markup_definitions(struct str text, struct arena *arena)
{
    struct definitions definitions = {0};
    for (size_t i = 0; i < text.size; i++) {
        struct str name;
        if (text.data[i] == '[' && definition(text, i, &name))
            list_append_str(&definitions.names, name, arena);
    }
    return definitions;
}

/* "![description](address)" */
static struct mark image(struct str text, size_t at)
{
    size_t close = at + 1 < text.size && text.data[at + 1] == '[' ? closing(text, at + 1, '[', ']') : 0;
    size_t end = close ? behind_address(text, close + 1) : 0;
    return (struct mark){end ? end - at : 0, false};
}

/* --- Code --- */

/* The size of a code fence at `at`, "```" or "~~~", with the language after it; 0: there is none. */
static size_t fence(struct str text, size_t at, const char *sign)
{
    struct str rest = str_from(text, at);
    if (!str_starts(rest, str_of(sign)))
        return 0;
    size_t run = 3, line = to_end_of_line(text, at);
    while (run < rest.size && rest.data[run] == *sign)
        run++;
    size_t end = behind_all(rest, run, is_tag_byte);
    size_t language = end == rest.size || is_blank(rest.data[end]) ? end : run;
    /* in a text that lost its line breaks more stands on the same line */
    bool more = !markup_starts_line(text, at) || memmem(rest.data + run, line - run, sign, 3);
    return more ? language : line;
}

static struct mark backquote(struct str text, size_t at)
{
    size_t size = fence(text, at, "```");
    return size ? (struct mark){size, false} : (struct mark){1, true};
}

/* "~~struck out~~" is no part of the text. */
static struct mark tilde(struct str text, size_t at)
{
    size_t size = fence(text, at, "~~~");
    const char *end = !size && str_starts(str_from(text, at), STR("~~")) ? find(text, at + 2, STRUCK_MAX, "~~") : NULL;
    return (struct mark){end ? (size_t)(end - text.data) + 2 - at : size ? size : 1, false};
}

/* --- reStructuredText --- */

/* The role before "`words`", as ":cpp:var:": it says what the words are. */
static struct mark role(struct str text, size_t at)
{
    size_t end = at;
    while (end < text.size && text.data[end] == ':' && !(at && is_tag_byte(text.data[at - 1]))) {
        size_t name = behind_all(text, end + 1, is_tag_byte);
        if (name == end + 1 || name - at > LINK_MAX)
            break;
        end = name;
    }
    bool is_role = end > at && str_starts(str_from(text, end), STR(":`"));
    return (struct mark){is_role ? end + 1 - at : 0, false};
}

/* The target in ":ref:`words <target>`", which the words lead to. */
static struct mark target(struct str text, size_t at)
{
    const char *end = find(text, at, LINK_MAX, ">`");
    size_t open = at;
    while (open && text.data[open] != '`' && at - open < LINK_MAX)
        open--;
    bool is_target = end && open && text.data[open] == '`' && text.data[open - 1] == ':';
    return (struct mark){is_target ? (size_t)(end - text.data) + 1 - at : 0, false};
}

/* ".. _name:" is a place that links lead to. */
static struct mark label(struct str text, size_t at)
{
    struct str rest = str_from(text, at);
    if (!str_starts(rest, STR("..")))
        return (struct mark){0};
    size_t end = behind_all(rest, strlen(".."), is_blank);
    if (end == strlen("..") || !str_starts(str_from(rest, end), STR("_")))
        return (struct mark){0};
    while (end < rest.size && !is_blank(rest.data[end]) && rest.data[end] != ':')
        end++;
    return (struct mark){end < rest.size && rest.data[end] == ':' ? end + 1 : 0, false};
}

/* --- What generators of pages read --- */

/* The front matter of a page: lines "name: value" between two lines "---" at its beginning. */
static struct mark front_matter(struct str text, size_t at)
{
    bool begins = at == 0 || (at == 3 && str_starts(text, STR("\xef\xbb\xbf")));
    struct str rest = str_from(text, at), opens = STR("---\n");
    if (!begins || !str_starts(rest, opens))
        return (struct mark){0};
    const char *end = find(text, at, FRONT_MAX, "\n---\n");
    const char *line = memchr(rest.data + opens.size, '\n', rest.size - opens.size);
    bool names = line && memchr(rest.data + opens.size, ':', (size_t)(line - rest.data) - opens.size);
    return (struct mark){end && names ? (size_t)(end - rest.data) + strlen("\n---\n") : 0, false};
}

struct mark markup_at(struct str text, size_t at)
{
    struct str rest = str_from(text, at), name;
    switch (rest.data[0]) {
    case '-':
        return front_matter(text, at);
    case '`':
        return backquote(text, at);
    case '*':
    case '^':
        return (struct mark){1, true};
    case ':':
        return role(text, at);
    case '.':
        return label(text, at);
    case '<':
        return target(text, at).size ? target(text, at) : tag(text, at);
    case '!':
        return image(text, at);
    case '~':
        return tilde(text, at);
    case '[':
        return (struct mark){definition(text, at, &name), false};
    case '{': /* the anchor of a heading */
        if (str_starts(rest, STR("{#"))) {
            const char *end = find(text, at, LINK_MAX, "}");
            return (struct mark){end ? (size_t)(end - rest.data) + 1 : 0, false};
        }
        return (struct mark){0};
    default:
        return (struct mark){0};
    }
}
