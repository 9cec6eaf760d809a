#include "protocols/monitoring/exposition.h"

#include "base/search.h"
#include "protocols/monitoring/distribution.h"
#include "support/memory.h"
#include "json/number.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#define LABELS_MAX 64  /* of one sample */
#define NUMBER_MAX 400 /* bytes of a value */

/* What is known of one metric: "All lines for a given metric must be provided as one single group". */
struct family {
    struct str name;
    struct tree *tree; /* a member of `families` */
};

struct label {
    struct str name, value;
};

/* Name and labels of a sample. */
struct sample_key {
    struct str text;
    size_t line;
};

struct exposition_reading {
    struct arena *arena;
    struct tree *families, *models, *faults;
    struct family *known; /* in the order of their first lines */
    size_t known_count;
    struct family *current; /* of the line before; NULL: there was none */
    struct sample_key *keys;
    size_t key_count;
    size_t line; /* from 1 */
};

/* Notes what breaks a rule, if nothing broke it before. */
static void fault(struct exposition_reading *reading, const char *rule, const char *what, struct str about)
{
    if (!tree_member(reading->faults, rule))
        tree_add(reading->faults, str_of(rule),
                 tree_string(reading->arena, arena_printf(reading->arena, "line %zu: %s: %s", reading->line, what,
                                                          str_printable(reading->arena, about))));
}

/* --- Tokens --- */

/* Takes what precedes the next blank, and the blanks after it. */
static struct str take_token(struct str *rest)
{
    struct str token = str_until(*rest, " \t");
    *rest = str_trimmed(str_from(*rest, token.size));
    return token;
}

/* "[a-zA-Z_:][a-zA-Z0-9_:]*", of a label without the colon. */
static bool is_name(struct str name, bool is_label)
{
    for (size_t i = 0; i < name.size; i++) {
        unsigned char c = (unsigned char)name.data[i];
        bool is_letter = (c < 128 && isalpha(c)) || c == '_' || (c == ':' && !is_label);
        if (!is_letter && (i == 0 || !isdigit(c)))
            return false;
    }
    return name.size > 0;
}

/* Reads a number as Go's ParseFloat does: also hexadecimal with an exponent, "NaN", "Inf" and "Infinity". */
static bool read_float(struct str token, double *value)
{
    char text[NUMBER_MAX + 1], *end;
    if (token.size == 0 || token.size > NUMBER_MAX || memchr(token.data, '(', token.size) ||
        memchr(token.data, '\0', token.size) || isspace((unsigned char)token.data[0]))
        return false;
    memcpy(text, token.data, token.size);
    text[token.size] = '\0';
    *value = strtod(text, &end);
    return *end == '\0' && (!strpbrk(text, "xX") || strpbrk(text, "pP"));
}

static bool is_timestamp(struct str token)
{
    int64_t milliseconds;
    return number_first(token) == token.size && !memchr(token.data, '.', token.size) &&
           number_read_int64(token, &milliseconds);
}

static struct tree *value_tree(struct arena *arena, double value)
{
    char text[NUMBER_TEXT_MAX];
    if (isnan(value))
        return tree_string(arena, STR("NaN"));
    if (isinf(value))
        return tree_string(arena, value > 0 ? STR("+Inf") : STR("-Inf"));
    return tree_number(arena, arena_copy(arena, (struct str){text, number_write_double(value, text)}));
}

/* --- Families --- */

static struct family *find_family(struct exposition_reading *reading, struct str name)
{
    if (reading->current && str_equal(reading->current->name, name))
        return reading->current;
    return FIND(reading->known, i, reading->known_count, str_equal(reading->known[i].name, name));
}

/* Returns the family of that name for the line that is read; makes it if this is its first line. */
static struct family *enter_family(struct exposition_reading *reading, struct str name)
{
    struct family *family = find_family(reading, name);
    if (family && family != reading->current)
        fault(reading, "grouped", "this metric has lines further up, and those of another one stand between", name);
    if (!family) {
        family = &reading->known[reading->known_count++];
        *family = (struct family){name, tree_object(reading->arena, {"samples", tree_new(reading->arena, TREE_ARRAY)})};
        tree_add(reading->families, name, family->tree);
    }
    reading->current = family;
    return family;
}

/* Returns the name of the family of a sample: of a histogram or a summary the name without what is appended. */
static struct str family_of(struct exposition_reading *reading, struct str sample)
{
    static const struct {
        const char *ending, *type;
    } parts[] = {{"_bucket", "histogram"},
                 {"_sum", "histogram"},
                 {"_count", "histogram"},
                 {"_sum", "summary"},
                 {"_count", "summary"}};
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        struct str ending = str_of(parts[i].ending);
        if (sample.size == ending.size || !str_ends(sample, ending))
            continue;
        struct str name = {sample.data, sample.size - ending.size};
        const struct family *family = find_family(reading, name);
        if (family && str_is(tree_text(family->tree, "type"), parts[i].type))
            return name;
    }
    return sample;
}

/* --- Comments --- */

static void read_type(struct exposition_reading *reading, struct family *family, struct str type)
{
    static const char *const types[] = {"counter", "gauge", "histogram", "summary", "untyped"};
    bool is_known = ANY(i, COUNT_OF(types), str_is(type, types[i]));
    if (!is_known)
        fault(reading, "type", "no type of a metric", type);
    if (tree_member(family->tree, "samples")->count)
        fault(reading, "type-first", "TYPE follows a sample", family->name);
    if (tree_member(family->tree, "type"))
        fault(reading, "type-once", "a second TYPE", family->name);
    else
        tree_add(family->tree, STR("type"), tree_string(reading->arena, type));
}

/* "The backslash and the line feed characters have to be escaped as \\ and \n". */
static void check_help(struct exposition_reading *reading, struct str help)
{
    for (size_t i = 0; i < help.size; i++)
        if (help.data[i] == '\\' && (++i == help.size || (help.data[i] != '\\' && help.data[i] != 'n')))
            fault(reading, "help", "only \\\\ and \\n may follow a backslash", help);
}

static void read_comment(struct exposition_reading *reading, struct str line)
{
    struct str rest = str_trimmed(str_from(line, 1)), word = take_token(&rest);
    bool is_type = str_is(word, "TYPE");
    if (!is_type && !str_is(word, "HELP"))
        return;
    struct str name = take_token(&rest);
    if (!is_name(name, false)) {
        fault(reading, "name", "no name of a metric", name);
        return;
    }
    struct family *family = enter_family(reading, name);
    if (is_type) {
        struct str type = take_token(&rest);
        if (type.size == 0 || rest.size > 0)
            fault(reading, "line", "TYPE has two words after it", line);
        else
            read_type(reading, family, type);
    } else if (tree_member(family->tree, "help")) {
        fault(reading, "help-once", "a second HELP", name);
    } else {
        check_help(reading, rest);
        tree_add(family->tree, STR("help"), tree_string(reading->arena, rest));
    }
}

/* --- Samples --- */

/* Returns how many bytes stand before the quote that ends a text; all of them if none does. */
static size_t quoted_size(struct str rest)
{
    size_t size = 0;
    while (size < rest.size && rest.data[size] != '"')
        size += rest.data[size] == '\\' && size + 1 < rest.size ? 2 : 1;
    return size;
}

/* Reads a text in quotes, from after the first quote. Returns false if it does not end. */
static bool read_quoted(struct exposition_reading *reading, struct str *rest, struct str *value)
{
    struct str quoted = {rest->data, quoted_size(*rest)};
    if (quoted.size >= rest->size)
        return false;
    char *out = arena_alloc(reading->arena, quoted.size + 1);
    *value = (struct str){out, 0};
    for (size_t i = 0; i < quoted.size; i++) {
        char c = quoted.data[i];
        if (c == '\\') {
            c = quoted.data[++i];
            if (c != '\\' && c != '"' && c != 'n')
                fault(reading, "label", "only \\\\, \\\" and \\n may follow a backslash", quoted);
            c = c == 'n' ? '\n' : c;
        }
        out[value->size++] = c;
    }
    *rest = str_from(*rest, quoted.size + 1);
    return true;
}

/* Reads labels, from after the brace. Returns false if they are not formed so: a="b", c="d"} */
static bool read_labels(struct exposition_reading *reading, struct str *rest, struct label labels[LABELS_MAX],
                        size_t *count)
{
    for (*rest = str_trimmed(*rest); rest->size > 0 && rest->data[0] != '}'; *rest = str_trimmed(*rest)) {
        struct str name = str_until(*rest, "= \t");
        *rest = str_trimmed(str_from(*rest, name.size));
        if (*count == LABELS_MAX || rest->size == 0 || rest->data[0] != '=')
            return false;
        *rest = str_trimmed(str_from(*rest, 1));
        if (rest->size == 0 || rest->data[0] != '"')
            return false;
        *rest = str_from(*rest, 1);
        struct label *label = &labels[(*count)++];
        label->name = name;
        if (!read_quoted(reading, rest, &label->value))
            return false;
        if (!is_name(name, true))
            fault(reading, "name", "no name of a label", name);
        for (size_t i = 0; i + 1 < *count; i++)
            if (str_equal(labels[i].name, name))
                fault(reading, "label", "a label that is there twice", name);
        *rest = str_trimmed(*rest);
        if (rest->size == 0 || (rest->data[0] != ',' && rest->data[0] != '}'))
            return false;
        if (rest->data[0] == ',')
            *rest = str_from(*rest, 1);
    }
    if (rest->size == 0)
        return false;
    *rest = str_trimmed(str_from(*rest, 1));
    return true;
}

static int compare_labels(const void *a, const void *b)
{
    const struct label *one = a, *other = b;
    return str_compare(one->name, other->name);
}

static int compare_keys(const void *a, const void *b)
{
    const struct sample_key *one = a, *other = b;
    int order = str_compare(one->text, other->text);
    return order ? order : (one->line > other->line) - (one->line < other->line);
}

/* Returns name and labels as one text, the same for every order of the labels. */
static struct str key_of(struct exposition_reading *reading, struct str name, struct label *labels, size_t count)
{
    struct buf key = {0};
    qsort(labels, count, sizeof *labels, compare_labels);
    buf_append_str(&key, name);
    for (size_t i = 0; i < count; i++) {
        buf_append_byte(&key, i ? ',' : '{');
        buf_append_str(&key, labels[i].name);
        buf_append_byte(&key, '\0');
        buf_append_str(&key, labels[i].value);
        buf_append_byte(&key, '\0');
    }
    return arena_take(reading->arena, &key);
}

static struct tree *member_object(struct arena *arena, struct tree *object, struct str name)
{
    struct tree *member = tree_member_str(object, name);
    if (!member) {
        member = tree_new(arena, TREE_OBJECT);
        tree_add(object, name, member);
    }
    return member;
}

/* Adds the value to those of its model. */
static void count_for_model(struct exposition_reading *reading, struct str name, const struct tree *labels,
                            double value)
{
    const struct tree *model = tree_member(labels, "model"), *version = tree_member(labels, "version");
    double before = 0;
    if (!model || !version || !isfinite(value))
        return;
    struct tree *of_model = member_object(reading->arena, reading->models, model->text);
    struct tree *of_version = member_object(reading->arena, of_model, version->text);
    const struct tree *known = tree_member_str(of_version, name);
    if (known && !number_read_double(known->text, &before))
        return;
    if (isfinite(before + value))
        tree_set(of_version, name, value_tree(reading->arena, before + value));
}

static void read_sample(struct exposition_reading *reading, struct str line)
{
    struct arena *arena = reading->arena;
    struct label labels[LABELS_MAX];
    size_t count = 0;
    struct str name = str_until(line, "{ \t"), rest = str_trimmed(str_from(line, name.size));
    double value;
    if (!is_name(name, false))
        fault(reading, "name", "no name of a metric", name);
    if (rest.size > 0 && rest.data[0] == '{') {
        rest = str_from(rest, 1);
        if (!read_labels(reading, &rest, labels, &count)) {
            fault(reading, "line", "the labels are not formed as {name=\"value\",...}", line);
            return;
        }
    }
    struct str number = take_token(&rest), timestamp = take_token(&rest);
    if (number.size == 0 || rest.size > 0) {
        fault(reading, "line", "a sample is a name, labels, a value and a timestamp", line);
        return;
    }
    if (!read_float(number, &value)) {
        fault(reading, "value", "no number", number);
        return;
    }
    if (timestamp.size > 0 && !is_timestamp(timestamp))
        fault(reading, "value", "no timestamp", timestamp);
    struct tree *of_sample = tree_new(arena, TREE_OBJECT);
    for (size_t i = 0; i < count; i++)
        tree_set(of_sample, labels[i].name, tree_string(arena, labels[i].value));
    struct family *family = enter_family(reading, family_of(reading, name));
    tree_append(tree_member(family->tree, "samples"),
                tree_object(arena, {"name", tree_string(arena, name)}, {"labels", of_sample},
                            {"value", value_tree(arena, value)}));
    count_for_model(reading, name, of_sample, value);
    reading->keys[reading->key_count++] = (struct sample_key){key_of(reading, name, labels, count), reading->line};
}

/* --- All lines --- */

static void read_line(struct exposition_reading *reading, struct str line)
{
    if (!str_is_utf8(line))
        fault(reading, "line", "no UTF-8", line);
    line = str_trimmed(line);
    if (line.size > 0 && line.data[0] == '#')
        read_comment(reading, line);
    else if (line.size > 0)
        read_sample(reading, line);
}

static void find_twice(struct exposition_reading *reading)
{
    array_sort(reading->keys, reading->key_count, compare_keys);
    for (size_t i = 1; i < reading->key_count; i++) {
        reading->line = reading->keys[i].line;
        if (str_equal(reading->keys[i - 1].text, reading->keys[i].text))
            fault(reading, "sample-once", "another sample has the same labels", reading->keys[i].text);
    }
}

static void find_distributions(struct exposition_reading *reading)
{
    FOR_EACH_IN(family, reading->families->first) {
        struct str wrong = distribution_fault(family, reading->arena);
        if (wrong.size && !tree_member(reading->faults, "distribution"))
            tree_add(reading->faults, STR("distribution"), tree_string(reading->arena, wrong));
    }
}

struct tree *exposition_read(struct str text, struct arena *arena)
{
    size_t lines = 1 + SUM(i, text.size, text.data[i] == '\n');
    if (lines > EXPOSITION_LINES_MAX)
        return NULL;
    struct exposition_reading reading = {.arena = arena,
                                         .families = tree_new(arena, TREE_OBJECT),
                                         .models = tree_new(arena, TREE_OBJECT),
                                         .faults = tree_new(arena, TREE_OBJECT),
                                         .known = arena_alloc_zero(arena, lines, sizeof(struct family)),
                                         .keys = arena_alloc_zero(arena, lines, sizeof(struct sample_key))};
    while (text.size > 0) {
        bool is_whole = str_has(text, '\n');
        struct str line = str_take(&text, '\n');
        reading.line++;
        if (!is_whole)
            fault(&reading, "last-line", "no line feed at the end", line);
        read_line(&reading, line);
    }
    find_twice(&reading);
    find_distributions(&reading);
    return tree_object(arena, {"samples", tree_uint(arena, reading.key_count)}, {"families", reading.families},
                       {"models", reading.models}, {"faults", reading.faults});
}
