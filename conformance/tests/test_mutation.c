/* Mutation runs against a small server in this file, which deviates on demand. The deviation's name says what it does:
 *   lies      answers with status 500 instead of 200, and with 200 instead of 400 to /bad
 *   idles     answers as always: the deviation does nothing
 *   refuses   answers 400, and names the row v2-rest.other as the reason
 *
 * It refuses requests with other names with 400, as unknown. /alone is answered rightly only while nothing else is
 * asked. */
#include "mutation/mutation.h"

#include "base/count.h"
#include "folder.h"
#include "own_server.h"

#include <stdatomic.h>

/* --- The server --- */

static atomic_int asked_at_once;
static atomic_bool is_disturbed, deviates;

static bool read_head(int connection, char *head, size_t room)
{
    size_t size = 0;
    ssize_t got;
    while ((got = recv(connection, head + size, room - 1 - size, 0)) > 0) {
        size += (size_t)got;
        head[size] = '\0';
        if (strstr(head, "\r\n\r\n"))
            return true;
    }
    return false;
}

static void converse(int connection)
{
    char head[4096], name[64] = "", answer[300];
    const char *header, *status = "200 OK", *more = "";
    if (!read_head(connection, head, sizeof(head)))
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

struct played {
    struct folder folder;
    struct suite suite;
    struct plan plan;
    struct mutation mutation;
};

/* Plays the case v2-rest/t/one, and v2-rest/t/two if it is given, with these deviations. All texts have ' in place of
 * ". */
static struct played *mutate(const char *one, const char *two, const char *deviations, const char *const *filters,
                             size_t filter_count)
{
    struct played *played = calloc(1, sizeof(*played));
    played->folder = folder_new();
    folder_write_json(&played->folder, "v2-rest/t/one.json", one);
    if (two)
        folder_write_json(&played->folder, "v2-rest/t/two.json", two);
    folder_write_json(&played->folder, "deviations/v2-rest.json", deviations);
    struct status status = suite_load(played->folder.path, &played->suite);
    struct plan_target target = plan_nominal(&played->suite, &played->suite.arena);
    target.selected.filters = (struct values){filters, filter_count};
    if (is_ok(status))
        status = plan_make(&played->suite, &target, &played->plan);
    struct run_options options = {.client = {.timeout = 5, .max_message = 1 << 20}, .target = &target, .jobs = 4};
    options.client.addresses[0] = (struct address){&played->suite.registry.endpoints[0], str_of(own_address)};
    if (is_ok(status))
        status = mutation_run(&played->suite, &played->plan, &options, NULL, &played->mutation);
    if (!is_ok(status))
        fail_msg("%.*s", STR_ARG(status.message));
    return played;
}

static void end(struct played *played)
{
    mutation_free(&played->mutation);
    plan_free(&played->plan);
    suite_free(&played->suite);
    folder_free(&played->folder);
    free(played);
}

static const char *const only_mine[] = {"v2-rest/t/*"};

#define SERVED  "{'says': 'a', 'http': 'GET /good', 'expect': {'v2-rest.server-live': {'status': 200}}}"
#define REFUSED "{'says': 'a', 'http': 'GET /bad', 'expect': {'v2-rest.data-count': 'refused'}}"

/* Checks the fate of the deviation `name`, the only one, which breaks that key. Plays only the cases of the filter;
 * NULL: all cases, also those of the suite beside mine. */
static void expect(enum fate fate, bool fails, const char *one, const char *name, const char *key,
                   const char *const *filter)
{
    char deviations[200];
    snprintf(deviations, sizeof(deviations), "{'%s': {'breaks': '%s', 'by': 'accept'}}", name, key);
    struct played *played = mutate(one, NULL, deviations, filter, filter != NULL);
    assert_int_equal(played->mutation.trial_count, 1);
    assert_int_equal(trial_fate(&played->mutation.trials[0]), fate);
    assert_int_equal(trial_fails(&played->mutation.trials[0]), fails);
    end(played);
}

TEST(a_deviation_that_shows_is_killed)
{
    expect(FATE_KILLED, false, SERVED, "lies", "v2-rest.server-live", NULL);
}

TEST(a_deviation_that_does_nothing_survives)
{
    expect(FATE_SURVIVED, true, SERVED, "idles", "v2-rest.server-live", NULL);
}

static const struct play *altered_by(const char *name, const char *one, char *id, size_t size)
{
    char deviations[200];
    snprintf(deviations, sizeof(deviations), "{'%s': {'breaks': 'v2-rest.server-live', 'by': 'accept'}}", name);
    struct played *played = mutate(one, NULL, deviations, only_mine, 1);
    const struct trial *trial = &played->mutation.trials[0];
    assert_int_equal(trial_fate(trial), FATE_SURVIVED);
    if (trial->altered)
        snprintf(id, size, "%.*s", STR_ARG(trial->altered->id));
    const struct play *altered = trial->altered;
    end(played);
    return altered;
}

/* The case expects next to nothing, so that a changed answer is not noticed. */
TEST(a_deviation_that_survived_tells_whether_it_changed_an_answer)
{
    static const char any[] = "{'says': 'a', 'http': 'GET /good', 'expect': {'v2-rest.server-live': 'answered'}}";
    char id[100] = "";
    assert_null(altered_by("idles", any, id, sizeof(id)));
    assert_non_null(altered_by("lies", any, id, sizeof(id)));
    assert_string_equal(id, "v2-rest/t/one@http");
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
    struct played *played =
        mutate(SERVED, NULL, "{'lies': {'breaks': 'v2-rest.server-metadata', 'by': 'accept'}}", NULL, 0);
    assert_int_equal(trial_fate(&played->mutation.trials[0]), FATE_DEAD);
    assert_true(trial_fails(&played->mutation.trials[0]));
    end(played);
}

TEST(a_deviation_that_nobody_asked_for_is_not_tried_and_does_not_fail)
{
    expect(FATE_NOT_TRIED, false, SERVED, "lies", "v2-rest.server-metadata", only_mine);
}

TEST(a_survivor_does_not_fail_where_cases_of_its_key_were_left_out)
{
    expect(FATE_SURVIVED, false, SERVED, "idles", "v2-rest.server-live", only_mine);
}

/* The key of one is tried, and the trial's name stands with what it showed; that of two is not. */
TEST(keys_without_a_killer_are_told)
{
    struct played *played =
        mutate(SERVED, REFUSED, "{'idles': {'breaks': 'v2-rest.server-live', 'by': 'accept'}}", only_mine, 1);
    size_t found = 0;
    for (size_t i = 0; i < played->mutation.keys.count; i++) {
        const struct case_key *key = &played->mutation.keys.list[i];
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
    end(played);
}

TEST(what_wants_to_be_alone_is_mutated_alone)
{
    static const char alone[] =
        "{'says': 'a', 'http': 'GET /alone', 'needs': {'alone': true}, 'for': {'x': {'$count': [0, 20]}},"
        " 'expect': {'v2-rest.server-live': {'status': 200}}}";
    static const char many[] = "{'says': 'a', 'http': 'GET /good', 'for': {'x': {'$count': [0, 200]}},"
                               " 'expect': {'v2-rest.server-live': {'status': 200}}}";
    atomic_store(&is_disturbed, false);
    struct played *played =
        mutate(alone, many, "{'lies': {'breaks': 'v2-rest.server-live', 'by': 'accept'}}", only_mine, 1);
    assert_int_equal(played->mutation.trials[0].tried, 220);
    assert_int_equal(played->mutation.trials[0].killed, 220);
    assert_false(atomic_load(&is_disturbed));
    end(played);
}

static int set_up(void **state)
{
    atomic_store(&deviates, true);
    return start_server(state);
}

const struct unit_group unit_group = {set_up, stop_server};
