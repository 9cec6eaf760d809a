/* `spec-check`: what became of the statements of a document in another edition of it, and which requirements that
 * touches. A person must then decide whether the requirements are still the same, and whether new ones are needed. */
#include "commands/commands.h"

#include "base/search.h"
#include "commands/forms.h"
#include "commands/spec/spec.h"
#include "editions/fingerprint.h"
#include "support/files.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* An edition in which less of a text stands in its order is taken for another document. */
#define EDITION_SHARE 0.3

/* --- The editions --- */

/* The folder in which an operand lies, as part of a repository. */
static const char *folder_of(const char *operand, struct arena *arena)
{
    struct stat stat_of;
    const char *end = strrchr(operand, '/');
    if (stat(operand, &stat_of) == 0 && S_ISDIR(stat_of.st_mode))
        return operand;
    return end ? arena_printf(arena, "%.*s", (int)(end - operand), operand).data : ".";
}

/* Reads the new edition: the operands, or what they are in the commit --to. */
static struct status read_new(const struct options *options, struct arena *arena, struct edition_files *files)
{
    struct status status = STATUS_IS_OK;
    if (options->what_if)
        return edition_files_at(options->what_if, arena, files);
    for (size_t i = 0; i < options->operands.count && is_ok(status); i++)
        status = options->to ? edition_files_of_commit(options->to, options->operands.items[i], arena, files)
                             : edition_files_at(options->operands.items[i], arena, files);
    return status;
}

/* Reads the earlier edition: a file or folder, or a commit of the repository in which the operands lie. */
static struct status read_old(const struct options *options, struct arena *arena, struct edition_files *files)
{
    struct status status = STATUS_IS_OK;
    if (access(options->from, F_OK) == 0)
        return edition_files_at(options->from, arena, files);
    if (options->what_if)
        return edition_files_of_commit(options->from, folder_of(options->what_if, arena), arena, files);
    for (size_t i = 0; i < options->operands.count && is_ok(status); i++)
        status = edition_files_of_commit(options->from, folder_of(options->operands.items[i], arena), arena, files);
    return status;
}

/* --- Which text --- */

/* Compares with the text that is wanted, or else with that of which the largest share is in the edition. Returns
 * NULL if none does, of which the complaint tells. */
static const struct text *compare_edition(const struct options *options, const struct suite *suite,
                                          const struct spec_edition *edition, struct str title, struct arena *arena,
                                          struct comparison *comparison)
{
    const struct text *wanted = options->text ? texts_find(&suite->texts, str_of(options->text)) : NULL, *best = wanted;
    if (options->text && !wanted) {
        complain(arena_printf(arena, "there is no fixtures/texts/%s.json", options->text));
        return NULL;
    }
    if (wanted)
        *comparison = edition_compare(&edition->edition, wanted, arena);
    for (size_t i = 0; !wanted && i < suite->texts.count; i++) {
        struct comparison other = edition_compare(&edition->edition, &suite->texts.items[i], arena);
        if (!best || other.share > comparison->share) {
            *comparison = other;
            best = &suite->texts.items[i];
        }
    }
    if (wanted || (best && comparison->share >= EDITION_SHARE))
        return best;
    complain(arena_printf(arena,
                          "%.*s is not an edition of a text that the ledger knows: it has %.0f %% of the words of text "
                          "%.*s in their order, and an edition has %.0f %% or more; --text NAME compares it anyway",
                          STR_ARG(title), 100 * comparison->share, STR_ARG(best ? best->name : STR("?")),
                          100 * EDITION_SHARE));
    return NULL;
}

/* --- The report --- */

/* The edition as the user named it. */
static struct str name_of(const struct options *options, struct arena *arena)
{
    struct buf name = {0};
    if (options->what_if)
        buf_printf(&name, "%s", options->what_if);
    for (size_t i = 0; i < options->operands.count && !options->what_if; i++)
        buf_printf(&name, "%s%s", i ? " " : "", options->operands.items[i]);
    if (options->to)
        buf_printf(&name, " at %s", options->to);
    if (options->from)
        buf_printf(&name, ", since %s", options->from);
    return arena_take(arena, &name);
}

static int print_findings(const struct options *options, const struct spec_findings *findings)
{
    const struct form_of forms[] = {{options->files.markdown, spec_print_markdown},
                                    {options->files.json, spec_print_json}};
    if (!forms_write(findings, spec_print_text, forms, COUNT_OF(forms)))
        return EXIT_SUITE;
    return findings->count ? EXIT_NOT_CONFORMANT : EXIT_CONFORMANT;
}

/* Tells what the edition would mean for the servers of the reports. */
static int report_what_if(const struct options *options, const struct spec_findings *findings, struct arena *arena)
{
    struct buf text = {0};
    struct status status = spec_what_if(findings, &options->operands, arena, &text);
    printf("%.*s", STR_ARG(buf_str(&text)));
    buf_free(&text);
    if (complain_of(status))
        return EXIT_USAGE;
    return findings->count ? EXIT_NOT_CONFORMANT : EXIT_CONFORMANT;
}

/* Compares the prose of the edition with a text of the ledger, and with the prose of the earlier edition. */
static bool check_prose(const struct options *options, const struct suite *suite, const struct edition_files *files,
                        const struct edition_files *old_files, struct arena *arena, struct spec_findings *findings)
{
    struct spec_edition edition = spec_edition_of(files, arena), old = {0};
    struct comparison comparison = {0};
    const struct text *text = compare_edition(options, suite, &edition, findings->title, arena, &comparison);
    if (!text)
        return false;
    if (options->from) {
        old = spec_edition_of(old_files, arena);
        struct comparison before = edition_compare(&old.edition, text, arena);
        comparison = edition_since(&old.edition, &before, &edition.edition, &comparison, arena);
    }
    findings->title = arena_printf(arena, "%.*s, as text %.*s", STR_ARG(findings->title), STR_ARG(text->name));
    spec_find(suite, text, &edition, options->from ? &old : NULL, &comparison, arena, findings);
    return true;
}

/* Takes all files for prose: there is no other, and the ledger knows them as a text and not as a schema. */
static void take_for_prose(struct edition_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        files->items[i].kind = EDITION_PROSE;
}

static bool has_prose(const struct edition_files *files)
{
    return ANY(i, files->count, files->items[i].kind == EDITION_PROSE);
}

static int check_edition(const struct options *options, const struct suite *suite, struct arena *arena)
{
    struct edition_files files = {0}, old = {0};
    struct spec_findings findings = {.title = name_of(options, arena), .shows_all = options->all};
    struct status status = read_new(options, arena, &files);
    if (is_ok(status) && options->from)
        status = read_old(options, arena, &old);
    if (is_ok(status) && !has_prose(&files) && !spec_knows_schema(suite, &files, arena)) {
        take_for_prose(&files);
        take_for_prose(&old);
    }
    if (is_ok(status) && has_prose(&files) && !check_prose(options, suite, &files, &old, arena, &findings))
        return EXIT_USAGE;
    if (is_ok(status))
        status = spec_find_schemas(suite, &files, options->from ? &old : NULL, arena, &findings);
    if (complain_of(status))
        return EXIT_USAGE;
    spec_sort(&findings);
    return options->what_if ? report_what_if(options, &findings, arena) : print_findings(options, &findings);
}

/* --- For authors of rows and texts --- */

/* Prints the members of a unit that stand for its words. Digits that do not fit on a line are cut into pieces. */
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
    if (complain_of(status))
        return EXIT_USAGE;
    while (rest.size) {
        struct str line = str_take(&rest, '\n');
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

/* Prints where a unit stands, and the rows that stand on it, or why none does. */
static void print_place(const struct suite *suite, const struct text *text, const struct unit *unit)
{
    const struct ledger *ledger = &suite->ledger;
    printf("\"text\": \"%.*s\", \"section\": \"%.*s\":", STR_ARG(text->name), STR_ARG(unit->section));
    FOR_EACH(row, ledger->rows, ledger->count)
        if (row_stands_on(row, text, unit))
            printf(" %.*s", STR_ARG(row->key));
    printf(unit->why.size ? " no row: %.*s\n" : "\n", STR_ARG(unit->why));
}

static int print_sentence(const char *sentence, const struct suite *suite, struct arena *arena)
{
    struct words words = words_of(str_of(sentence), arena);
    struct str fingerprint = fingerprint_of(words.items, words.count, arena);
    size_t found = 0;
    print_marks(str_of(sentence), false, arena);
    printf("\n");
    FOR_EACH(text, suite->texts.items, suite->texts.count)
        FOR_EACH(unit, text->units, text->count)
            if (str_equal(unit->sentence, fingerprint) && ++found)
                print_place(suite, text, unit);
    if (!found)
        printf("no text of the fixtures has this sentence\n");
    return EXIT_CONFORMANT;
}

static int run(const struct options *options, const struct suite *suite, struct arena *arena)
{
    if (options->sentence)
        return print_sentence(options->sentence, suite, arena);
    if (options->units)
        return print_units(options, suite, arena);
    if (!options->members)
        return check_edition(options, suite, arena);
    return complain_of(spec_print_members(suite, options->members, arena)) ? EXIT_USAGE : EXIT_CONFORMANT;
}

int command_spec_check(const struct options *options)
{
    struct arena arena = memory_arena();
    struct suite suite = {0};
    int code = EXIT_SUITE;
    if (!complain_of(suite_load(options->fixtures, &suite)))
        code = run(options, &suite, &arena);
    suite_free(&suite);
    arena_free(&arena);
    return code;
}
