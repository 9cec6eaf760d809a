/* `spec-check`: what became of the statements of a document in another edition of it, and which requirements that
 * touches. A person must then decide whether the requirements are still the same, and whether new ones are needed. */
#include "commands/commands.h"

#include "editions/edition.h"
#include "editions/fingerprint.h"
#include "suite/suite.h"
#include "support/files.h"
#include <stdio.h>

/* A file in which less of a text stands in its order is taken for another document. */
#define EDITION_SHARE 0.3

static const char *const finding_names[] = {"", "moved", "changed", "gone", "new"};

/* A file that is compared with one of the texts. */
struct check {
    const struct suite *suite;
    const struct text *text;
    const char *file;
    struct edition edition;
    struct comparison comparison;
    struct arena *arena;
};

/* --- The report --- */

static void print_rows(const struct check *check, const struct unit *unit)
{
    const struct ledger *ledger = &check->suite->ledger;
    for (size_t i = 0; i < ledger->count; i++)
        if (row_stands_on(&ledger->rows[i], check->text, unit))
            printf("         %.*s (%s): %.*s\n", STR_ARG(ledger->rows[i].key), level_name(ledger->rows[i].level),
                   STR_ARG(ledger->rows[i].says));
}

/* Shows the words that the unit has in this edition. */
static void print_quote(const struct check *check, const char *label, size_t begin, size_t end)
{
    struct str quote = edition_quote(&check->edition, begin, end, check->arena);
    if (quote.size)
        printf("         %s: %.*s\n", label, STR_ARG(quote));
}

/* The line of the file on which a word stands, from 1. */
static size_t line_of(const struct check *check, size_t word)
{
    size_t line = 1;
    for (size_t at = 0; at < check->edition.words.items[word].begin; at++)
        line += check->edition.text.data[at] == '\n';
    return line;
}

static void print_behind(const struct check *check, const char *label, size_t unit)
{
    for (size_t i = 0; unit != NO_UNIT && i < check->comparison.count; i++)
        if (check->comparison.items[i].unit == unit)
            print_quote(check, label, check->comparison.items[i].begin, check->comparison.items[i].end);
}

static void print_found(const struct check *check, const struct found *found)
{
    const struct unit *unit = found->unit != NO_UNIT ? &check->text->units[found->unit] : NULL;
    const struct unit *behind = found->behind != NO_UNIT ? &check->text->units[found->behind] : NULL;
    const struct unit *place = unit ? unit : behind;
    printf("%-8s %.*s, %s\"%.*s\"\n", finding_names[found->finding], STR_ARG(check->text->name), unit ? "" : "behind ",
           STR_ARG(place ? place->section : STR("the beginning")));
    if (!unit)
        printf("         no row: look whether one is needed\n");
    else if (unit->why.size)
        printf("         no row, because: %.*s\n", STR_ARG(unit->why));
    else
        print_rows(check, unit);
    if (found->begin < found->end) {
        print_quote(check, found->finding == UNIT_CHANGED ? "now" : "text", found->begin, found->end);
        printf("         line: %zu\n", line_of(check, found->begin));
    }
    if (found->finding != UNIT_CHANGED)
        print_behind(check, found->finding == UNIT_GONE ? "it stood behind" : "behind", found->behind);
}

/* Whether the edition says the same as the text. */
static bool report(const struct check *check)
{
    const size_t *counts = check->comparison.counts;
    for (size_t i = 0; i < check->comparison.count; i++)
        if (check->comparison.items[i].finding != UNIT_STANDS)
            print_found(check, &check->comparison.items[i]);
    printf("%s, as text %.*s: %zu of %zu sentences and lines stand, %zu changed, %zu gone, %zu moved, %zu new\n",
           check->file, STR_ARG(check->text->name), counts[UNIT_STANDS], check->comparison.count - counts[TEXT_NEW],
           counts[UNIT_CHANGED], counts[UNIT_GONE], counts[UNIT_MOVED], counts[TEXT_NEW]);
    return check->comparison.count == counts[UNIT_STANDS];
}

/* --- Which text --- */

static void compare(struct check *check, const struct text *text)
{
    check->text = text;
    check->comparison = edition_compare(&check->edition, text, check->arena);
}

/* Compares with the text of which the largest share stands in the file. */
static void compare_with_best(struct check *check)
{
    struct check best = *check;
    for (size_t i = 0; i < check->suite->texts.count; i++) {
        compare(check, &check->suite->texts.items[i]);
        if (!best.text || check->comparison.share > best.comparison.share)
            best = *check;
    }
    *check = best;
}

static int check_file(const struct options *options, const struct suite *suite, const char *file, struct arena *arena)
{
    struct check check = {.suite = suite, .file = file, .arena = arena};
    struct str content;
    struct status status = disk_read(file, FILE_SIZE_MAX, arena, &content);
    if (!is_ok(status)) {
        complain(status.message);
        return EXIT_USAGE;
    }
    check.edition = edition_read(content, arena);
    const struct text *wanted = options->text ? texts_find(&suite->texts, str_of(options->text)) : NULL;
    if (options->text && !wanted) {
        complain(arena_printf(arena, "there is no fixtures/texts/%s.json", options->text));
        return EXIT_USAGE;
    }
    if (wanted)
        compare(&check, wanted);
    else
        compare_with_best(&check);
    if (!wanted && (!check.text || check.comparison.share < EDITION_SHARE)) {
        complain(arena_printf(arena,
                              "%s is no edition of a text that the ledger knows: it has %.0f %% of the words of text "
                              "%.*s in their order, and an edition has %.0f %% or more; --text NAME compares anyway",
                              file, 100 * check.comparison.share, STR_ARG(check.text ? check.text->name : STR("?")),
                              100 * EDITION_SHARE));
        return EXIT_USAGE;
    }
    return report(&check) ? EXIT_CONFORMANT : EXIT_NOT_CONFORMANT;
}

/* --- For authors of rows and texts --- */

/* Prints the members of a unit that stand for its words. Digits that do not fit on a line of a fixture are cut into
 * pieces. */
static void print_marks(struct str line, bool indented, struct arena *arena)
{
    enum { PIECE = 80 };
    struct words words = words_of(line, arena);
    struct str digits = digits_of(words.items, words.count, arena);
    struct str angles = fingerprint_of_angles(words.items, words.count, arena);
    printf("\"sentence\": \"%.*s\", \"words\": ", STR_ARG(fingerprint_of(words.items, words.count, arena)));
    if (digits.size <= PIECE || !indented) {
        printf("\"%.*s\"", STR_ARG(digits));
    } else {
        for (size_t at = 0; at < digits.size; at += PIECE) {
            struct str piece = str_from(digits, at);
            piece.size = piece.size < PIECE ? piece.size : PIECE;
            printf("%s\"%.*s\"", at ? ", " : "[", STR_ARG(piece));
        }
        printf("]");
    }
    if (angles.size)
        printf(", \"angles\": \"%.*s\"", STR_ARG(angles));
}

/* Returns the next line without its line break, and moves on behind it. */
static struct str next_line(struct str *rest)
{
    const char *end = memchr(rest->data, '\n', rest->size);
    struct str line = {rest->data, end ? (size_t)(end - rest->data) : rest->size};
    *rest = str_from(*rest, line.size + (end != NULL));
    return line;
}

/* Prints the other members of a unit as the fixtures have them; of one that they do not know, an empty `why`. */
static void print_remarks(const struct text *text, struct str section, struct str line, struct arena *arena)
{
    static const struct unit unknown;
    struct words words = words_of(line, arena);
    size_t at = text ? text_find(text, section, fingerprint_of(words.items, words.count, arena)) : NO_UNIT;
    const struct unit *known = at != NO_UNIT ? &text->units[at] : &unknown;
    if (known->lost_angles)
        printf(", \"angles\": \"lost\"");
    if (known == &unknown || known->why.size)
        printf(", \"why\": \"%.*s\"", STR_ARG(known->why));
    if (known->optional)
        printf(", \"optional\": true");
}

/* Prints fixtures/texts/NAME.json from a file with a unit on each line, and "# SECTION" before each section. A unit
 * that the fixtures know keeps what they say of it. */
static int print_units(const struct options *options, const struct suite *suite, struct arena *arena)
{
    const struct text *text = options->text ? texts_find(&suite->texts, str_of(options->text)) : NULL;
    struct str rest, section = STR("");
    struct status status = disk_read(options->units, FILE_SIZE_MAX, arena, &rest);
    size_t sections = 0, units = 0;
    if (!is_ok(status)) {
        complain(status.message);
        return EXIT_USAGE;
    }
    while (rest.size) {
        struct str line = next_line(&rest);
        if (str_starts(line, STR("# "))) {
            section = str_from(line, 2);
            printf("%s{\"section\": \"%.*s\", \"units\": [\n", sections++ ? "]},\n" : "[\n", STR_ARG(section));
            units = 0;
        } else if (words_of(line, arena).count) {
            printf(units++ ? ",\n  {" : "  {");
            print_marks(line, true, arena);
            print_remarks(text, section, line, arena);
            printf("}");
        }
    }
    printf(sections ? "]}\n]\n" : "[]\n");
    return EXIT_CONFORMANT;
}

static int print_sentence(const char *sentence, struct arena *arena)
{
    print_marks(str_of(sentence), false, arena);
    printf("\n");
    return EXIT_CONFORMANT;
}

static int run(const struct options *options, const struct suite *suite, struct arena *arena)
{
    int code = EXIT_CONFORMANT;
    if (options->units)
        return print_units(options, suite, arena);
    for (size_t i = 0; i < options->operands.count; i++) {
        int found = check_file(options, suite, options->operands.items[i], arena);
        code = found > code ? found : code;
    }
    return code;
}

int command_spec_check(const struct options *options)
{
    struct arena arena = memory_arena();
    struct suite suite = {0};
    int code = EXIT_SUITE;
    struct status status = options->sentence ? STATUS_IS_OK : suite_load(options->fixtures, &suite);
    if (!is_ok(status))
        complain(status.message);
    else
        code = options->sentence ? print_sentence(options->sentence, &arena) : run(options, &suite, &arena);
    suite_free(&suite);
    arena_free(&arena);
    return code;
}
