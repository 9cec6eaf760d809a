/* Mutation runs against a small server in this file, which deviates on demand. The deviation's name says what it does:
 *   lies      answers with status 500 instead of 200, and with 200 instead of 400 to /bad
 *   idles     answers as always: the deviation does nothing
 *   refuses   answers 400, and names the row v2-rest.other as the reason
 *
 * It refuses requests with other names with 400, as unknown. /alone is answered rightly only while nothing else is
 * asked. */
#include "mutation/mutation.h"

#include "fixture.h"
#include "own_server.h"

#include <stdatomic.h>

/* --- The server --- */

static atomic_int asked_at_once;
static atomic_bool is_disturbed, deviates;

static void converse(int connection)
{
    char head[4096], name[64] = "", answer[300];
    const char *header, *status = "200 OK", *more = "";
    if (!own_read_head(connection, head, sizeof(head)))
        return;
    if ((header = strstr(head, "oip-deviate: ")) && atomic_load(&deviates))
        sscanf(header, "oip-deviate: %63s", name);
    bool is_question = *name == '?', is_known = *name == '\0';
    EACH(text, "lies", "idles", "refuses")
        is_known = is_known || strcmp(name + is_question, text) == 0;
    if (is_question)
        more = is_known ? "OIP-Deviate: known\r\n" : "OIP-Deviate: unknown\r\n";
    else if (strcmp(name, "lies") == 0)
        status = "500 No";
    else if (strcmp(name, "refuses") == 0)
        more = "OIP-Refused-By: v2-rest.other\r\n";
    if ((!is_question && !is_known) || strcmp(name, "refuses") == 0 || strncmp(head, "GET /bad", 8) == 0)
        status = strcmp(name, "lies") == 0 ? "200 OK" : "400 No";
    int others = atomic_fetch_add(&asked_at_once, 1);
    if (strncmp(head, "GET /alone", 10) == 0 && others > 0)
        atomic_store(&is_disturbed, true);
    int size = snprintf(answer, sizeof(answer), "HTTP/1.1 %s\r\nContent-Length: 2\r\n%sConnection: close\r\n\r\n{}",
                        status, more);
    atomic_fetch_sub(&asked_at_once, 1); /* before the client can ask again */
    (void)!write(connection, answer, (size_t)size);
}

/* --- Mutation runs --- */

static struct mutation mutation;

/* Plays the case v2-rest/t/one, and v2-rest/t/two if it is given, with the deviation `name`, the only one, which breaks
 * that key, and returns the trial of it. Texts have ' in place of ". Plays only the cases of the glob; NULL: all cases,
 * also those of the suite beside mine. */
static const struct trial *mutate(const char *one, const char *two, const char *name, const char *key, const char *glob)
{
    struct str deviations = arena_printf(&arena, "{'%s': {'breaks': '%s', 'by': 'accept'}}", name, key);
    mutation_free(&mutation);
    fixture_begin("v2-rest/t/one.json", one, "deviations/v2-rest.json", deviations.data);
    if (two)
        folder_write_json(&fixture.folder, "v2-rest/t/two.json", two);
    fixture_choose(glob);
    const struct run_options options = fixture_options("http", own_address);
    mutation = (struct mutation){0};
    assert_ok(mutation_run(&fixture.suite, &fixture.plan, &options, NULL, &mutation));
    assert_int_equal(mutation.trial_count, 1);
    return &mutation.trials[0];
}

#define MINE "v2-rest/t/*"

#define SERVED  "{'says': 'a', 'http': 'GET /good', 'expect': {'v2-rest.server-live': {'status': 200}}}"
#define REFUSED "{'says': 'a', 'http': 'GET /bad', 'expect': {'v2-rest.data-count': 'refused'}}"

static void expect(enum fate fate, bool fails, const char *one, const char *name, const char *key, const char *glob)
{
    const struct trial *trial = mutate(one, NULL, name, key, glob);
    assert_int_equal(trial_fate(trial), fate);
    assert_int_equal(trial_fails(trial), fails);
}

TEST(a_deviation_that_shows_is_killed)
{
    expect(FATE_KILLED, false, SERVED, "lies", "v2-rest.server-live", NULL);
}

TEST(a_deviation_that_does_nothing_survives)
{
    expect(FATE_SURVIVED, true, SERVED, "idles", "v2-rest.server-live", NULL);
}

/* The case expects next to nothing, so that a changed answer is not noticed. */
TEST(a_deviation_that_survived_tells_whether_it_changed_an_answer)
{
    static const char any[] = "{'says': 'a', 'http': 'GET /good', 'expect': {'v2-rest.server-live': 'answered'}}";
    assert_null(mutate(any, NULL, "idles", "v2-rest.server-live", MINE)->altered);
    const struct trial *trial = mutate(any, NULL, "lies", "v2-rest.server-live", MINE);
    assert_int_equal(trial_fate(trial), FATE_SURVIVED);
    assert_text(trial->altered->id, "v2-rest/t/one@http");
}

TEST(a_deviation_that_the_server_has_not_got_is_not_tried_and_fails)
{
    expect(FATE_NOT_TRIED, true, SERVED, "unheard-of", "v2-rest.server-live", NULL);
    atomic_store(&deviates, false);
    expect(FATE_NOT_TRIED, true, SERVED, "lies", "v2-rest.server-live", NULL);
    atomic_store(&deviates, true);
}

TEST(a_refusal_by_another_row_masks_a_deviation)
{
    expect(FATE_MASKED, true, REFUSED, "refuses", "v2-rest.data-count", NULL);
    expect(FATE_KILLED, false, REFUSED, "lies", "v2-rest.data-count", NULL);
}

TEST(a_deviation_of_a_key_that_nothing_passes_is_dead)
{
    expect(FATE_DEAD, true, SERVED, "lies", "v2-rest.server-metadata", NULL);
}

TEST(a_deviation_that_nobody_asked_for_is_not_tried_and_does_not_fail)
{
    expect(FATE_NOT_TRIED, false, SERVED, "lies", "v2-rest.server-metadata", MINE);
}

TEST(a_survivor_does_not_fail_where_cases_of_its_key_were_left_out)
{
    expect(FATE_SURVIVED, false, SERVED, "idles", "v2-rest.server-live", MINE);
}

/* The key of one is tried, and the trial's name stands with what it showed; that of two is not. */
TEST(keys_without_a_killer_are_told)
{
    mutate(SERVED, REFUSED, "idles", "v2-rest.server-live", MINE);
    size_t found = 0;
    for (size_t i = 0; i < mutation.keys.count; i++) {
        const struct case_key *key = &mutation.keys.list[i];
        bool is_one = str_equal(key->id, STR("v2-rest/t/one@http#v2-rest.server-live"));
        if (!is_one && !str_equal(key->id, STR("v2-rest/t/two@http#v2-rest.data-count")))
            continue;
        found++;
        assert_true(key->passes);
        assert_int_equal(key->killed, 0);
        assert_int_equal(key->tried, is_one);
        assert_true(str_equal(key->unnoticed, is_one ? STR("idles: pass") : STR("")));
    }
    assert_int_equal(found, 2);
}

TEST(what_wants_to_be_alone_is_mutated_alone)
{
    static const char alone[] =
        "{'says': 'a', 'http': 'GET /alone', 'needs': {'alone': true}, 'for': {'x': {'$count': [0, 20]}},"
        " 'expect': {'v2-rest.server-live': {'status': 200}}}";
    static const char many[] = "{'says': 'a', 'http': 'GET /good', 'for': {'x': {'$count': [0, 200]}},"
                               " 'expect': {'v2-rest.server-live': {'status': 200}}}";
    atomic_store(&is_disturbed, false);
    const struct trial *trial = mutate(alone, many, "lies", "v2-rest.server-live", MINE);
    assert_int_equal(trial->tried, 220);
    assert_int_equal(trial->killed, 220);
    assert_false(atomic_load(&is_disturbed));
}

static int set_up(void **state)
{
    atomic_store(&deviates, true);
    return start_server(state);
}

static int tear_down(void **state)
{
    mutation_free(&mutation);
    fixture_free();
    return stop_server(state);
}

const struct unit_group unit_group = {set_up, tear_down};
