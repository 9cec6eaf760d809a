/* Comparing a document with another edition of it: what test_spec_check.py, which makes many edits, cannot show. */
#include "base/search.h"
#include "editions/edition.h"
#include "editions/fingerprint.h"
#include "tests/scratch.h"

#include <stdio.h>

/* A document in its units. */
static const char *const lines[] = {
    "Kettle Protocol",
    "A kettle must whistle when the water boils.",
    "\"error\": <error message string>",
    "The cup must be empty.",
    "TEAPOT 2",
    "MUG 1",
    "map<string, Leaf> leaves = 3;",
    "Names look like \"_\".",
    "Back to the top",
};
#define LINE_COUNT COUNT_OF(lines)
#define LOST       7 /* what stood in its angle brackets was lost */
#define OPTIONAL   8 /* belongs to the page around the document */

static const char plain[] = "Kettle Protocol\n\nA kettle must whistle when the water boils.\n\n"
                            "  \"error\": <error message string>\n\nThe cup must be empty.\n\nTEAPOT 2\nMUG 1\n\n"
                            "  map<string, Leaf> leaves = 3;\n\nNames look like \"_\".\n";

static struct text kettle(void)
{
    static struct unit units[LINE_COUNT];
    for (size_t i = 0; i < LINE_COUNT; i++) {
        struct words words = words_of(str_of(lines[i]), &arena);
        units[i] = (struct unit){
            .section = STR("Kettle"),
            .sentence = fingerprint_of(words.items, words.count, &arena),
            .angles = fingerprint_of_angles(words.items, words.count, &arena),
            .lost_angles = i == LOST,
            .optional = i == OPTIONAL,
        };
        units[i].words = digits_read(digits_of(words.items, words.count, &arena), &units[i].count, &arena);
    }
    return (struct text){STR("kettle"), units, LINE_COUNT};
}

/* What was found, without what stands: "changed 2: words; gone 3; moved 4; new behind 5: words". */
static const char *compare(const char *edition_text)
{
    static const char *const names[] = {"", "moved", "changed", "gone", "new"};
    struct text text = kettle();
    struct edition edition = edition_read(str_of(edition_text), &arena);
    struct comparison comparison = edition_compare(&edition, &text, &arena);
    struct str all = STR("");
    for (size_t i = 0; i < comparison.count; i++) {
        const struct found *found = &comparison.items[i];
        if (found->finding == UNIT_STANDS)
            continue;
        bool new = found->finding == TEXT_NEW;
        all = arena_printf(&arena, "%.*s%s%s %s%d", STR_ARG(all), all.size ? "; " : "", names[found->finding],
                           new ? "behind " : "", (int)(new ? found->behind : found->unit));
        if (found->begin < found->end)
            all = arena_printf(&arena, "%.*s: %.*s", STR_ARG(all),
                               STR_ARG(edition_quote(&edition, found->begin, found->end, &arena)));
    }
    return all.size ? all.data : "";
}

/* The plain form with one place replaced. */
static const char *edited(const char *find, const char *put)
{
    const char *at = strstr(plain, find);
    if (!at)
        fail_msg("the text has no '%s'", find);
    return arena_printf(&arena, "%.*s%s%s", (int)(at - plain), plain, put, at + strlen(find)).data;
}

#define assert_found(text, expected) assert_string_equal(compare(text), expected)

TEST(words_between_two_units_on_one_line_change_both)
{
    assert_found(edited("TEAPOT 2\nMUG 1\n", "TEAPOT 2 large MUG 1"),
                 "changed 4: TEAPOT 2 large; changed 5: large MUG 1");
}

TEST(angle_brackets_do_not_count_in_a_form_that_lost_them)
{
    assert_found(edited("\"_\"", "\"<size>_<colour>\""), "");
    const char *error = edited("<error message string>", "");
    const char *map = strstr(error, "<string, Leaf>");
    assert_non_null(map);
    assert_found(arena_printf(&arena, "%.*s %s", (int)(map - error), error, map + strlen("<string, Leaf>")).data, "");
}

TEST(an_optional_line_may_be_there_and_may_be_missing)
{
    assert_found(plain, "");
    assert_found(edited("like \"_\".\n", "like \"_\".\n\nBack to the top\n"), "");
    assert_found(edited("like \"_\".\n", "like \"_\".\n\nBack to the bottom\n"), "changed 8: Back to the bottom");
}

/* The edition could be anything: nothing is read beyond its end. */
TEST(texts_without_likeness_are_all_gone_and_all_new)
{
    struct text text = kettle(), nothing = {.name = STR("empty")};
    struct edition edition = edition_read(STR("to be or not to be, that is the question"), &arena);
    struct comparison comparison = edition_compare(&edition, &text, &arena);
    assert_int_equal(comparison.counts[UNIT_GONE], LINE_COUNT - 1);
    assert_int_equal(comparison.counts[TEXT_NEW], 1);
    assert_true(comparison.share == 0);
    comparison = edition_compare(&edition, &nothing, &arena);
    assert_int_equal(comparison.count, 1);
    edition = edition_read(STR(""), &arena);
    assert_int_equal(edition_compare(&edition, &nothing, &arena).count, 0);
}

TEST(the_middle_of_a_long_stretch_is_left_out)
{
    char text[2001];
    for (size_t i = 0; i < 200; i++)
        snprintf(text + 10 * i, 11, "word %04zu ", i);
    struct edition edition = edition_read(str_of(text), &arena);
    struct str quote = edition_quote(&edition, 0, edition.words.count, &arena);
    assert_true(str_starts(quote, STR("word 0000 word 0001 ")));
    assert_true(quote.size < 500);
    assert_has(quote, " words] ");
    assert_text(str_from(quote, quote.size - 9), "word 0199");
    assert_text(edition_quote(&edition, 2, 4, &arena), "word 0001");
}

static const char *marked(const char *is, const char *was, bool is_known)
{
    static const struct marks marks = {"{+", "+}", "[-%zu word%s-]"};
    struct edition edition = edition_read(str_of(is), &arena), old = edition_read(str_of(was), &arena);
    unsigned char digests[16] = {0};
    for (size_t i = 0; i < old.words.count; i++)
        digests[i] = old.words.items[i].digest;
    struct wording wording = {is_known ? old.words.items : NULL, digests, old.words.count};
    return edition_marked(&edition, 0, edition.words.count, &wording, &marks, &arena).data;
}

TEST(words_that_the_other_does_not_have_are_marked)
{
    for (int is_known = 0; is_known < 2; is_known++) {
        assert_string_equal(marked("a cup should be  empty", "a cup must be empty", is_known),
                            "a cup [-1 word-]{+should+} be empty");
        assert_string_equal(marked("a cup", "a cup", is_known), "a cup");
        assert_string_equal(marked("a cup", "a large cup of tea", is_known), "a [-1 word-]cup[-2 words-]");
        assert_string_equal(marked("one two", "", is_known), "{+one two+}");
    }
}

TEST(far_from_a_mark_a_long_stretch_is_cut)
{
    struct buf is = {0}, was = {0};
    for (int i = 0; i < 100; i++) {
        buf_printf(&is, "w%d ", i);
        buf_printf(&was, i == 50 ? "other " : "w%d ", i);
    }
    struct edition edition = edition_read(arena_take(&arena, &is), &arena);
    struct edition old = edition_read(arena_take(&arena, &was), &arena);
    struct wording wording = {old.words.items, NULL, old.words.count};
    struct marks marks = {"<", ">", NULL};
    struct str text = edition_marked(&edition, 0, 100, &wording, &marks, &arena);
    assert_has(text, " ... w38 w39");
    assert_has(text, "w49 <w50> w51");
    assert_null(memmem(text.data, text.size, "w20", 3));
}

/* Two files are one edition: what moved into the second is not gone. */
TEST(files_are_joined)
{
    struct str files[] = {STR("---\ntitle: Spouts\n---\nSpouts\n\nEach spout pours"),
                          STR("---\ntitle: x\n---\none cup at a time.")};
    size_t starts[2];
    struct edition edition = edition_join(files, 2, starts, &arena);
    assert_int_equal(starts[0], 0);
    assert_int_equal(edition.words.count, 9);
    const struct word *last = &edition.words.items[8];
    assert_memory_equal(edition.text.data + last->begin, "time", 4);
    assert_memory_equal(edition.text.data + starts[1], "---", 3);
}

/* Of what both editions say in the same words nothing is told, whether the ledger knows it or not. */
TEST(only_what_changed_since_is_told)
{
    struct text text = kettle();
    struct str old_text = arena_printf(&arena, "%s\n\nBoth are new.\n\nOnly this one was.\n", plain);
    struct str new_text =
        arena_printf(&arena, "%s\n\nBoth are new.\n\nOnly that one is now.\n", edited("must be empty", "may be empty"));
    struct edition old = edition_read(old_text, &arena), new = edition_read(new_text, &arena);
    struct comparison before = edition_compare(&old, &text, &arena), after = edition_compare(&new, &text, &arena);
    struct comparison since = edition_since(&old, &before, &new, &after, &arena);
    assert_int_equal(since.counts[UNIT_CHANGED], 1);
    assert_int_equal(since.counts[TEXT_NEW], 1);
    assert_int_equal(since.counts[UNIT_GONE], 1);
    for (size_t i = 0; i < since.count; i++) {
        const struct found *found = &since.items[i];
        if (found->finding == UNIT_CHANGED)
            assert_int_equal(found->unit, 3);
        if (found->finding == UNIT_GONE)
            assert_int_equal(found->unit, NO_UNIT);
    }
    since = edition_since(&new, &after, &new, &after, &arena);
    assert_int_equal(since.counts[UNIT_STANDS], since.count);
}
