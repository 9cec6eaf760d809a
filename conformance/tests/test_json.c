/* The report as JSON. */
#include "report_text.h"
#include "support/printable.h"
#include <sys/stat.h>

static struct tree *report; /* what was read from the text */

static void write_report(void)
{
    const struct summary summary = summarize(&sample.report, &arena);
    report_json(&summary, &text);
    assert_ok(tree_parse(buf_str(&text), &arena, &report));
}

static int64_t number(const struct tree *object, const char *member)
{
    int64_t value = -1;
    assert_true(tree_to_int64(tree_member(object, member), &value));
    return value;
}

REPORT_TEST(every_result_is_there_in_order_except_the_disabled)
{
    const struct tree *results = tree_member(report, "results"), *result = results->first;
    assert_int_equal(results->count, VERDICT_COUNT);
    for (int i = 0; i < VERDICT_COUNT; i++) {
        if (i == VERDICT_DISABLED)
            continue;
        assert_text(tree_text(result, "verdict"), verdict_name((enum verdict)i));
        assert_text(tree_text(result, "says"), "a sample");
        result = result->next;
    }
    assert_true(tree_member(result, "replay")->boolean);
    assert_int_equal(number(tree_member(report, "counts"), "disabled"), 1);
}

REPORT_TEST(requirements_are_told_with_their_sentence_and_source)
{
    const struct tree *requirements = tree_member(report, "requirements");
    assert_int_equal(requirements->count, 3); /* the fourth has no result */
    const struct tree *row = tree_member(requirements, "v2-rest.must-row");
    assert_text(tree_text(row, "level"), "must");
    assert_text(tree_text(row, "says"), "it says < & >");
    assert_text(tree_text(row, "source"), "Predict Protocol (000), \"Inference\"");
}

/* The report must have what Python decodes from the bytes, with U+FFFD for each byte that is no UTF-8. */
REPORT_TEST(any_byte_that_a_server_sends_is_told)
{
    struct str hex = STR(""), hostile = HOSTILE;
    for (size_t i = 0; i < hostile.size; i++)
        hex = arena_printf(&arena, "%.*s%02x", STR_ARG(hex), (unsigned char)hostile.data[i]);
    piped(arena_printf(&arena,
                       "/usr/bin/python3 -c 'import json,sys; told = "
                       "json.load(open(sys.argv[1]))[\"results\"][0][\"received\"]; assert told == "
                       "bytes.fromhex(sys.argv[2]).decode(errors=\"replace\"), ascii(told)' $FILE %.*s",
                       STR_ARG(hex))
              .data);
}

REPORT_TEST(a_number_of_64_bits_keeps_them)
{
    sample.report.seed = SIZE_MAX;
    write_again();
    assert_has(buf_str(&text), "\"seed\":\t18446744073709551615,");
}

REPORT_TEST(each_member_stands_on_a_line_of_its_own)
{
    assert_int_equal(text.data[text.size - 1], '\n');
    assert_text(piped("grep '\":.*\":' $FILE || echo none"), "none\n");
}

REPORT_TEST(a_weak_pass_and_a_failure_meet_no_row)
{
    const struct tree *rows = tree_member(report, "must_rows");
    assert_int_equal(number(rows, "asked"), 2);
    assert_int_equal(number(rows, "met"), 0); /* one row failed as well as passed, the other was never tried */
    const struct tree *untried = tree_member(rows, "untried");
    assert_int_equal(untried->count, 1);
    assert_text(tree_text(untried->first, "key"), "v2-rest.other-must");
    assert_text(tree_text(report, "conclusion"), "not interoperable");
}

REPORT_TEST(a_run_of_a_part_is_partial)
{
    struct result results[] = {sample.results[VERDICT_PASS], sample.results[VERDICT_DISABLED]};
    for (int fell_short = 0; fell_short <= 1; fell_short++) {
        sample.report.exit_code = fell_short;
        sample.report.fell_short = fell_short;
        write_results(results, 2);
        assert_text(tree_text(report, "conclusion"), "partial");
    }
}

REPORT_TEST(the_atlas_names_what_was_seen)
{
    const struct tree *atlas = tree_member(report, "atlas");
    assert_int_equal(atlas->count, 1);
    assert_text(tree_text(atlas->first, "key"), "v2-grpc.open-row");
    assert_text(tree_text(atlas->first, "observed"), "seen");
}

TEST(what_turns_a_text_is_escaped_for_people_who_read_json)
{
    struct buf out = {0};
    append_printable_json(&out,
                          STR("\"a\xe2\x80\xa8\xef\xbb\xbf\xc3\xa9\xff\x7f\xc2\xad\xf3\xa0\x81\x81\xf0\x9f\x98\x80\""));
    assert_text(buf_str(&out), "\"a\\u2028\\ufeff\xc3\xa9\xff\\u007f\\u00ad\\udb40\\udc41\xf0\x9f\x98\x80\"");
    buf_free(&out);
}

REPORT_TEST(a_report_is_saved_into_a_new_folder_and_replaced)
{
    char folder[] = "/tmp/oip-save-XXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *path = arena_printf(&arena, "%s/new/report.json", folder).data;
    const char *link = arena_printf(&arena, "%s/link", folder).data;
    const char *fifo = arena_printf(&arena, "%s/fifo", folder).data;
    assert_ok(report_save(&text, path, &arena));
    assert_ok(report_save(&text, path, &arena));
    struct str said = piped(arena_printf(&arena, "cmp $FILE %s && ls %s/new | wc -l", path, folder).data);
    assert_text(said, "1\n");
    const struct buf other = {.data = (char[]){"other"}, .size = 5};
    assert_int_equal(symlink("new/report.json", link), 0);
    assert_ok(report_try(link, &arena));
    assert_ok(report_save(&other, link, &arena));
    assert_text(shell_says("cat %s; test -L %s && ls %s/new | wc -l", path, link, folder), "other1\n");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(report_try(fifo, &arena).code, STATUS_INVALID_ARGUMENT);
    assert_int_equal(report_save(&text, "/proc/nowhere/report.json", &arena).code, STATUS_UNAVAILABLE);
    shell_says("rm -r %s", folder);
}
