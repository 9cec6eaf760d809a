#include "editions/reading.h"

#include "base/search.h"
#include "support/expression.h"

/* --- Code that is commented out --- */

static size_t skip(struct str line, size_t at, const char *set)
{
    while (is_one_of(byte_at(line, at), set))
        at++;
    return at;
}

/* What a line of code looks like. */
static const char *const code[] = {
    "^[a-zA-Z0-9_ <>,]*[a-zA-Z0-9_][ <>,]+[a-zA-Z0-9_][a-zA-Z0-9_ <>,]*=[ \t]*[0-9]+;", /* type name = 1; */
    "^[a-zA-Z0-9_]+:[ \t]*(\\[+[a-zA-Z0-9_]*|[a-zA-Z0-9_]+)\\]*;", /* name:type; or name:[type]; as flatbuffers have it
                                                                    */
    "^\"[^\"]*\"[ \t,]*(:|$)",                                     /* "name" : value, or a string alone */
    "^(\\$|[a-zA-Z0-9_])[][a-zA-Z0-9_.]*[ \t]*=([^=]|$)",          /* name = value, or name.of[0] = value */
    "^(\\$|[a-zA-Z0-9_])[][a-zA-Z0-9_.]*\\((.*[()[{;])?$",         /* name.of(value) to the end of the line */
    "^[][(){},; ]+$",                                              /* the end of a block */
    "^(rpc|import|curl|GET|POST|\\|) |^from (.* )?import ",
    "^(message|enum|service|oneof|table|union) [a-zA-Z0-9_]* *([{]|$)",
};

static bool is_code(struct str line)
{
    return ANY(i, COUNT_OF(code), expression_meets(str_of(code[i]), line));
}

/* --- The mark before it --- */

static const struct {
    const char *mark, *word;
} marks[] = {{"//", "//"}, {"/*", "//"}, {"#", "#"}};

/* Returns the mark of a comment at `at`, "//" or "#", if it comments out a line of code. NULL: there is no mark, or
 * prose follows it. */
static const char *hidden_at(struct str text, size_t at)
{
    struct str rest = str_from(text, at);
    for (size_t i = 0; i < COUNT_OF(marks); i++) {
        if (!str_starts(rest, str_of(marks[i].mark)) || !markup_starts_line(text, at))
            continue;
        struct str line = str_from(rest, skip(rest, strlen(marks[i].mark), " \t"));
        const char *end = memchr(line.data, '\n', line.size);
        line.size = end ? (size_t)(end - line.data) : line.size;
        while (line.size && is_one_of(line.data[line.size - 1], " \t\r"))
            line.size--;
        return is_code(line) ? marks[i].word : NULL;
    }
    return NULL;
}

static char byte_before(struct str text, size_t at)
{
    return at ? text.data[at - 1] : ' ';
}

/* The character at `at`, or after the markup there that joins words, as the "<b>" of "=<b>tea</b>". */
static char shown_at(struct str text, size_t at)
{
    while (at < text.size) {
        struct mark mark = markup_at(text, at);
        bool escapes = text.data[at] == '\\';
        if (!escapes && !(mark.size && mark.joins))
            break;
        at += escapes ? 1 : mark.size;
    }
    size_t size;
    const char *meaning = byte_at(text, at) == '&' ? markup_entity(text, at, &size) : NULL;
    return meaning ? *meaning : byte_at(text, at);
}

static char next_of(const struct spot *spot)
{
    return shown_at(spot->text, spot->at + spot->size);
}

/* --- Within a word, and within a path --- */

/* Whether it stands between two parts of one name, address or expression: neither a blank, nor what opens or ends a
 * quotation, stands beside it. */
static bool is_inside(const struct spot *spot)
{
    char next = next_of(spot);
    return !is_one_of(byte_before(spot->text, spot->at), " \t\r\n\"'([{<|.") &&
           (is_name_byte(next) || is_one_of(next, "${["));
}

/* Whether it stands within a path or an address, after one of its slashes. */
static bool is_in_path(const struct spot *spot)
{
    size_t begin = spot->at;
    while (begin && !is_one_of(spot->text.data[begin - 1], " \t\r\n\"'"))
        begin--;
    while (byte_at(spot->text, begin) == '/' && byte_at(spot->text, begin + 1) == '/') /* a comment */
        begin += 2;
    return begin < spot->at && memchr(spot->text.data + begin, '/', spot->at - begin) && is_inside(spot);
}

/* --- Slashes and choices --- */

/* Whether the "//" that "/" belongs to stands within a path: something stood between them that this form of the text
 * has lost, as in "/cups/<cup>/<leaf>". */
static bool is_within_path(struct str text, size_t at)
{
    size_t begin = at;
    while (begin && text.data[begin - 1] == '/')
        begin--;
    return begin && is_name_byte(text.data[begin - 1]);
}

/* Whether "/" divides a path or two words, and is no part of "https://" or of the marks of a comment. */
static bool is_slash(const struct spot *spot)
{
    char before = byte_before(spot->text, spot->at), behind = byte_at(spot->text, spot->at + spot->size);
    if (is_within_path(spot->text, spot->at))
        return behind != '*';
    return before != '/' && before != '*' && behind != '/' && behind != '*';
}

/* Whether "|" stands between two names of a schema, as in "$string | $number". Elsewhere it divides columns. */
static bool is_or(const struct spot *spot)
{
    size_t next = spot->at + spot->size;
    while (next < spot->text.size &&
           (strchr(" \n\"`*\\", spot->text.data[next]) || (unsigned char)spot->text.data[next] >= 0x80))
        next++;
    return shown_at(spot->text, next) == '$' && spot->last.size && spot->last.data[0] == '$';
}

/* --- Other signs --- */

static bool always(const struct spot *)
{
    return true;
}

/* Whether "+" is no mark of an item. */
static bool is_plus(const struct spot *spot)
{
    return !is_one_of(byte_before(spot->text, spot->at), " \t\r\n") || !is_one_of(next_of(spot), " \t\r\n");
}

/* Whether "=" is no part of a line under a heading. */
static bool is_equals(const struct spot *spot)
{
    size_t begin = spot->at, end = spot->at + spot->size;
    while (byte_before(spot->text, begin) == '=')
        begin--;
    while (byte_at(spot->text, end) == '=')
        end++;
    return end - begin < strlen("===") || spot->size > 1;
}

/* "#optional" */
static bool is_hash(const struct spot *spot)
{
    return is_name_byte(next_of(spot)) && byte_before(spot->text, spot->at) != '#';
}

/* ".." between blanks or at the beginning, with which reStructuredText takes what follows out of the page. */
static bool is_comment(const struct spot *spot)
{
    return byte_before(spot->text, spot->at) == '.' && is_one_of(byte_at(spot->text, spot->at + 1), " \t\r\n") &&
           (spot->at == 1 || is_one_of(spot->text.data[spot->at - 2], " \t\r\n>"));
}

static const struct {
    char c;
    bool (*counts)(const struct spot *spot);
    const char *word;
} signs[] = {
    {'&', always, "&"},     {'@', always, "@"},     {'%', always, "%"},     {'$', always, "$"},
    {'?', always, "?"},     {'!', always, "!"},     {'+', is_plus, "+"},    {'=', is_equals, "="},
    {'/', is_slash, "/"},   {'|', is_or, "|"},      {'#', is_hash, "#"},    {'.', is_inside, "."},
    {':', is_in_path, ":"}, {';', is_in_path, ";"}, {',', is_in_path, ","}, {'.', is_comment, ".."},
};

const char *sign_at(const struct spot *spot)
{
    const char *hidden = spot->size == 1 ? hidden_at(spot->text, spot->at) : NULL;
    if (hidden)
        return hidden;
    return FIRST(i, COUNT_OF(signs), spot->c == signs[i].c && signs[i].counts(spot), signs[i].word, NULL);
}

/* --- Dashes --- */

/* How a dash is written, and of how many hyphens it is made. */
static const struct {
    const char *form;
    size_t hyphens;
} dashes[] = {
    {"-", 1},        {"\u2010", 1}, {"\u2011", 1},  {"\u2212", 1},  {"&minus;", 1}, {"&#8722;", 1}, {"&#45;", 1},
    {"&hyphen;", 1}, {"\u2013", 2}, {"&ndash;", 2}, {"&#8211;", 2}, {"\u2014", 2},  {"&mdash;", 2}, {"&#8212;", 2},
};

static size_t one_dash(struct str rest, size_t *hyphens)
{
    for (size_t i = 0; i < COUNT_OF(dashes); i++)
        if (str_starts(rest, str_of(dashes[i].form))) {
            *hyphens += dashes[i].hyphens;
            return strlen(dashes[i].form);
        }
    return 0;
}

struct dash dash_at(struct str text, size_t at, bool in_word)
{
    size_t hyphens = 0, size = one_dash(str_from(text, at), &hyphens);
    struct dash dash = {NULL, size};
    if (!size)
        return dash;
    for (size_t more = size; more;) {
        size_t escapes = 0;
        while (byte_at(text, at + dash.size + escapes) == '\\')
            escapes++;
        more = at + dash.size + escapes < text.size ? one_dash(str_from(text, at + dash.size + escapes), &hyphens) : 0;
        dash.size += more ? escapes + more : 0;
    }
    char before = byte_before(text, at), next = shown_at(text, at + dash.size);
    bool range = hyphens == 2 && dash.size == size && is_digit(before) && is_digit(next);
    if (in_word)
        dash.word = hyphens == 1 || range ? "-" : NULL;
    else if (!is_name_byte(before) && !is_one_of(before, "+)]}") && (is_name_byte(next) || is_one_of(next, "${")))
        dash.word = hyphens == 1 ? "-" : hyphens == 2 ? "--" : NULL;
    return dash;
}
