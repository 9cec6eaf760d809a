/* A case: what is sent, and what is expected of the answer. */
#include "commands/explain.h"

#include "judge/describe.h"
#include "notation/json_text.h"
#include "plan/request.h"
#include "protocols/protocol.h"
#include "support/printable.h"
#include "support/wrap.h"

#define TEXT       4000 /* bytes of a text that are printed */
#define BODY_LINES 6
#define STEPS      6 /* steps of a case that are told without --all */
#define EXPECTED   6 /* requirements of a case that are told without --all */
#define NAMES      20

void explain_member(struct explaining *explaining, const char *label, struct str text, size_t lines)
{
    struct buf printable = {0}, wrapped = {0};
    if (!text.size)
        return;
    append_printable(&printable, text, TEXT);
    buf_printf(&wrapped, "  %-*s", EXPLAIN_INDENT - 2, label);
    append_wrapped(&wrapped, buf_str(&printable), EXPLAIN_INDENT);
    struct str kept = buf_str(&wrapped);
    for (size_t i = 0, seen = 1; i < kept.size && !explaining->all; i++)
        if (kept.data[i] == '\n' && seen++ == lines)
            kept.size = i;
    buf_append_str(explaining->out, kept);
    buf_append_str(explaining->out, kept.size < wrapped.size ? STR(" ...\n") : STR("\n"));
    buf_free(&wrapped);
    buf_free(&printable);
}

/* --- What is sent --- */

static bool is_text(struct str bytes)
{
    return str_is_utf8(bytes) && !(bytes.size && memchr(bytes.data, '\0', bytes.size));
}

static struct str shown_bytes(struct str bytes, struct arena *arena)
{
    struct buf line = {0};
    if (is_text(bytes))
        return bytes;
    buf_printf(&line, "%zu bytes:", bytes.size);
    for (size_t i = 0; i < bytes.size && i < 512; i++)
        buf_printf(&line, "%s%02x", i % 4 ? "" : " ", (unsigned char)bytes.data[i]);
    buf_append_str(&line, bytes.size > 512 ? STR(" ...") : STR(""));
    return arena_take(arena, &line);
}

static struct str json_of(const struct tree *tree, struct arena *arena)
{
    struct buf json = {0};
    if (tree)
        json_text(tree, &json);
    return arena_take(arena, &json);
}

/* Returns what a body says that is no text, if it is a message of the play's protocol. */
static struct str decoded(const struct play *play, struct str body, struct arena *arena)
{
    const struct protocol *protocol = protocol_named(play->group->profile->protocol);
    const struct tree *message =
        protocol && protocol->request_of && !is_text(body) ? protocol->request_of(body, arena) : NULL;
    return json_of(message, arena);
}

static void tell_http(struct explaining *explaining, const struct play *play, const struct request *request)
{
    struct arena *arena = explaining->arena;
    explain_member(explaining, "sends",
                   arena_printf(arena, "%.*s %.*s", STR_ARG(request->method), STR_ARG(request->path)), 2);
    for (size_t i = 0; i < request->header_count; i++)
        explain_member(
            explaining, "",
            arena_printf(arena, "%.*s: %.*s", STR_ARG(request->headers[i].name), STR_ARG(request->headers[i].value)),
            2);
    if (!request->has_body)
        return;
    explain_member(explaining, "", shown_bytes(request->body, arena), BODY_LINES);
    explain_member(explaining, "it says", decoded(play, request->body, arena), BODY_LINES);
}

static void tell_call(struct explaining *explaining, const struct play *play, const struct request *request)
{
    struct arena *arena = explaining->arena;
    const struct tree *message = tree_member(play->act, "message");
    explain_member(explaining, "sends", request->rpc, 1);
    explain_member(explaining, "", message ? json_of(message, arena) : shown_bytes(request->message, arena),
                   request->streams ? 0 : BODY_LINES);
    for (size_t i = 0; i < request->message_count && (i < STEPS || explaining->all); i++)
        explain_member(explaining, "", shown_bytes(request->messages[i], arena), 2);
}

/* Tells each step by what stands in the case. */
static void tell_steps(struct explaining *explaining, const struct play *play)
{
    struct arena *arena = explaining->arena;
    for (size_t i = 0; i < play->step_count; i++) {
        const struct step *step = &play->steps[i];
        bool last = i + play->finally_count >= play->step_count;
        if (i == STEPS && !explaining->all) {
            explain_member(explaining, "", arena_printf(arena, "and %zu more steps", play->step_count - i), 1);
            return;
        }
        struct str conn = step->conn.size ? arena_printf(arena, "on connection '%.*s' ", STR_ARG(step->conn)) : STR("");
        struct str act = json_of(step->play->act, arena);
        explain_member(explaining, last ? "at last" : arena_printf(arena, "step %zu", i + 1).data,
                       arena_printf(arena, "%.*s%.*s", STR_ARG(conn), STR_ARG(act)), 2);
    }
}

static void tell_request(struct explaining *explaining, const struct play *play)
{
    struct request request;
    if (play->watches) {
        explain_member(explaining, "looks at", json_of(tree_member(play->group->family->tree, "on"), explaining->arena),
                       2);
        return;
    }
    if (play->step_count) {
        tell_steps(explaining, play);
        return;
    }
    struct status status = play_request(play, &explaining->nominal->target, explaining->arena, &request);
    if (!is_ok(status))
        explain_member(explaining, "not sent", status.message, 2);
    else if (request_is_http(&request))
        tell_http(explaining, play, &request);
    else
        tell_call(explaining, play, &request);
}

/* --- What is expected --- */

static struct str expectation(const struct assertion *assertion, struct arena *arena)
{
    struct str expected = describe_expected(assertion, assertion->play->group->profile, arena);
    return assertion->of_refusal ? arena_printf(arena, "if it is refused: %.*s", STR_ARG(expected)) : expected;
}

static void tell_expectation(struct explaining *explaining, const struct assertion *assertion)
{
    const struct requirement *row = assertion->requirement;
    explain_member(explaining, "expects",
                   arena_printf(explaining->arena, "%.*s (%s, %s): %.*s", STR_ARG(row->key), level_name(row->level),
                                layer_name(row->layer), STR_ARG(row->says)),
                   2);
    explain_member(explaining, "", expectation(assertion, explaining->arena), 2);
}

void explain_exchange(struct explaining *explaining, const struct assertion *assertion)
{
    tell_request(explaining, assertion->play);
    explain_member(explaining, "expects", expectation(assertion, explaining->arena), 3);
}

/* --- The case --- */

static void tell_where(struct explaining *explaining, const struct play *play)
{
    struct arena *arena = explaining->arena;
    const struct suite_model *model = suite_model(&explaining->nominal->suite, play->group->kit_model);
    if (model)
        explain_member(explaining, "model",
                       arena_printf(arena, "%.*s: %.*s%s%.*s", STR_ARG(model->name), STR_ARG(model->takes),
                                    model->takes.size ? "; " : "", STR_ARG(model->does)),
                       2);
    explain_member(explaining, "server",
                   play->state.size ? arena_printf(arena, "one in the state '%.*s'", STR_ARG(play->state)) : STR(""),
                   1);
    if (play->not_applicable.size)
        explain_member(explaining, "not here", play->not_applicable, 2);
    if (!play->is_base)
        explain_member(explaining, "waits for",
                       arena_printf(arena, "its base %.*s", STR_ARG(play->group->plays[0]->id)), 1);
    for (size_t i = 0; i < play->control_count; i += control_choices(&play->controls[i])) {
        const struct control *control = &play->controls[i];
        struct str id = control->assertion ? control->assertion->id : control->play->id;
        size_t others = control_choices(control) - 1;
        explain_member(explaining, "waits for",
                       others ? arena_printf(arena, "%.*s, or one of %zu others", STR_ARG(id), others) : id, 1);
    }
}

static void tell_neighbours(struct explaining *explaining, const struct play *play)
{
    const struct tree *neighbours = tree_member(play->group->family->tree, "neighbours");
    struct str names = {0};
    size_t count = 0;
    if (!play->is_base || !neighbours)
        return;
    for (const struct tree *one = neighbours->first; one; one = one->next)
        if (count++ < NAMES || explaining->all)
            names = arena_printf(explaining->arena, "%.*s%s%.*s", STR_ARG(names), names.size ? ", " : "",
                                 STR_ARG(one->name));
    explain_member(explaining, "changed",
                   arena_printf(explaining->arena, "%zu neighbours with one change each: %.*s", count, STR_ARG(names)),
                   4);
}

void explain_play(struct explaining *explaining, const struct play *play, struct str key)
{
    size_t told = 0, count = 0;
    buf_printf(explaining->out, "%.*s\n", STR_ARG(play->id));
    explain_member(explaining, "says", play->says, 2);
    tell_where(explaining, play);
    tell_request(explaining, play);
    for (size_t i = 0; i < play->assertion_count; i++) {
        if (key.size && !str_equal(play->assertions[i].requirement->key, key))
            continue;
        if (count++ < EXPECTED || explaining->all) {
            tell_expectation(explaining, &play->assertions[i]);
            told++;
        }
    }
    if (count > told)
        explain_member(explaining, "", arena_printf(explaining->arena, "and %zu more (--all)", count - told), 1);
    tell_neighbours(explaining, play);
}
