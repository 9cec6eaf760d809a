/* A case: what is sent, and what is expected of the answer. */
#include "commands/explain/explain.h"

#include "judge/bytes_text.h"
#include "judge/describe.h"
#include "judge/exchange.h"
#include "judge/transcript.h"
#include "notation/json_text.h"
#include "notation/schemas.h"
#include "plan/request.h"
#include "protocols/protocol.h"
#include "support/listing.h"

#define BODY_LINES  6
#define FIELD_LINES 12 /* of a message's bytes, that are told without --all */
#define LINES_SHOWN 10 /* of a request, and of its answer */
#define STEPS       6  /* steps of a case that are told without --all */
#define EXPECTED    6  /* requirements of a case that are told without --all */
#define NAMES       20

/* --- What is sent --- */

static bool is_text(struct str bytes)
{
    return str_is_utf8(bytes) && !str_has(bytes, '\0');
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

static void write_http(struct explaining *explaining, const struct play *play, const struct request *request)
{
    struct arena *arena = explaining->arena;
    explain_say(explaining, "sends", 2, "%.*s %.*s", STR_ARG(request->method), STR_ARG(request->path));
    for (size_t i = 0; i < request->headers.count; i++)
        explain_say(explaining, "", 2, "%.*s: %.*s", STR_ARG(request->headers.entries[i].name),
                    STR_ARG(request->headers.entries[i].value));
    if (!request->has_body)
        return;
    explain_member(explaining, "", shown_bytes(request->body, arena), BODY_LINES);
    explain_member(explaining, "decoded", decoded(play, request->body, arena), BODY_LINES);
}

/* Whether the request has one message, of a known type. */
static bool has_fields(const struct request *request)
{
    return request->message.size && !request->streams && !request->framed && !request->http2_raw &&
           schema_rpc(request->rpc);
}

/* Tells the bytes of a message, field by field. */
static void write_fields(struct explaining *explaining, const struct request *request)
{
    struct buf lines = {0};
    bytes_text_message(schema_rpc(request->rpc)->input, request->message, "  ", explaining->arena, &lines);
    explain_block(explaining, "", buf_str(&lines), FIELD_LINES);
    explain_title(explaining, 4, STR(""), STR(""));
    buf_free(&lines);
}

static void write_call(struct explaining *explaining, const struct play *play, const struct request *request)
{
    struct arena *arena = explaining->arena;
    const struct tree *message = tree_member(play->act, "message");
    explain_member(explaining, "sends", request->rpc, 1);
    if (message)
        explain_member(explaining, "", json_of(message, arena), BODY_LINES);
    else if (!has_fields(request))
        explain_member(explaining, "", shown_bytes(request->message, arena), BODY_LINES);
    if (has_fields(request))
        write_fields(explaining, request);
    for (size_t i = 0; i < request->message_count && (i < STEPS || explaining->all); i++)
        explain_member(explaining, "", shown_bytes(request->messages[i], arena), 2);
}

/* Tells each step by what is in the case. */
static void write_steps(struct explaining *explaining, const struct play *play)
{
    struct arena *arena = explaining->arena;
    for (size_t i = 0; i < play->step_count; i++) {
        const struct step *step = &play->steps[i];
        bool last = i + play->finally_count >= play->step_count;
        if (i == STEPS && !explaining->all) {
            explain_say(explaining, "", 1, "and %zu more steps", play->step_count - i);
            return;
        }
        struct str conn = step->conn.size ? arena_printf(arena, "on connection '%.*s' ", STR_ARG(step->conn)) : STR("");
        struct str act = json_of(step->play->act, arena);
        explain_say(explaining, last ? "finally" : arena_printf(arena, "step %zu", i + 1).data, 2, "%.*s%.*s",
                    STR_ARG(conn), STR_ARG(act));
    }
}

static void write_request(struct explaining *explaining, const struct play *play)
{
    struct request request;
    if (play->watches) {
        explain_member(explaining, "looks at", json_of(tree_member(play->group->family->tree, "on"), explaining->arena),
                       2);
        return;
    }
    if (play->step_count) {
        write_steps(explaining, play);
        return;
    }
    struct status status = play_request(play, &explaining->nominal->target, explaining->arena, &request);
    if (!is_ok(status))
        explain_member(explaining, "not sent", status.message, 2);
    else if (request_is_http(&request))
        write_http(explaining, play, &request);
    else
        write_call(explaining, play, &request);
}

void explain_right(struct explaining *explaining, const struct play *play, size_t lines)
{
    const struct client_options client = {0};
    struct exchange exchange = {0};
    struct buf text = {0};
    struct status status =
        play_right_exchange(play, &explaining->nominal->target, explaining->arena, &exchange.request, &exchange.answer);
    if (!is_ok(status)) {
        explain_member(explaining, "not sent", status.message, 2);
        return;
    }
    exchange_decode(play->group, &exchange, explaining->arena);
    transcript_teach(&client, play, &exchange, explaining->arena, &text);
    const char *answer = memmem(text.data, text.size, "\n< ", 3); /* the first line that came */
    size_t sent = answer ? (size_t)(answer - text.data) + 1 : text.size;
    explain_block(explaining, "", (struct str){text.data, sent}, lines);
    explain_block(explaining, "", str_from(buf_str(&text), sent), lines);
    explain_title(explaining, 4, STR(""), STR(""));
    buf_free(&text);
}

/* --- What is expected --- */

static struct str expectation(const struct assertion *assertion, struct arena *arena)
{
    struct str expected = describe_expected(assertion, assertion->play->group->profile, arena);
    return assertion->of_refusal ? arena_printf(arena, "if it is refused: %.*s", STR_ARG(expected)) : expected;
}

static void write_expectation(struct explaining *explaining, const struct assertion *assertion)
{
    const struct requirement *row = assertion->requirement;
    explain_say(explaining, "expects", 2, "%.*s (%s, %s): %.*s", STR_ARG(row->key), level_name(row->level),
                layer_name(row->layer), STR_ARG(row->says));
    explain_member(explaining, "", expectation(assertion, explaining->arena), 2);
}

void explain_exchange(struct explaining *explaining, const struct assertion *assertion)
{
    if (assertion->play->answer)
        explain_right(explaining, assertion->play, LINES_SHOWN);
    else
        write_request(explaining, assertion->play);
    explain_member(explaining, "expects", expectation(assertion, explaining->arena), 3);
}

/* --- The case --- */

static void write_where(struct explaining *explaining, const struct play *play)
{
    struct arena *arena = explaining->arena;
    const struct suite_model *model = suite_model(&explaining->nominal->suite, play->group->kit_model);
    if (model)
        explain_say(explaining, "model", 2, "%.*s: %.*s%s%.*s", STR_ARG(model->name), STR_ARG(model->takes),
                    model->takes.size ? "; " : "", STR_ARG(model->does));
    explain_member(explaining, "server",
                   play->state.size ? arena_printf(arena, "one in the state '%.*s'", STR_ARG(play->state)) : STR(""),
                   1);
    if (play->not_applicable.size)
        explain_member(explaining, "not here", play->not_applicable, 2);
    if (!play->is_base)
        explain_say(explaining, "waits for", 1, "its base %.*s", STR_ARG(play->group->plays[0]->id));
    for (size_t i = 0; i < play->control_count; i += control_choices(&play->controls[i])) {
        const struct control *control = &play->controls[i];
        struct str id = control->assertion ? control->assertion->id : control->play->id;
        size_t others = control_choices(control) - 1;
        explain_member(explaining, "waits for",
                       others ? arena_printf(arena, "%.*s, or one of %zu others", STR_ARG(id), others) : id, 1);
    }
}

static void write_neighbours(struct explaining *explaining, const struct play *play)
{
    const struct tree *neighbours = tree_member(play->group->family->tree, "neighbours");
    struct listing names = {.arena = explaining->arena, .most = explaining->all ? 0 : NAMES};
    if (!play->is_base || !neighbours)
        return;
    FOR_EACH_IN(one, neighbours->first)
        listing_add(&names, one->name);
    explain_say(explaining, "changed", 4, "%zu neighbours with one change each: %.*s", names.count,
                STR_ARG(names.named));
}

/* Tells what a play is about, sends and expects; `key` (may be empty) chooses one of its requirements. */
static void write_play(struct explaining *explaining, const struct play *play, struct str key)
{
    size_t told = 0, count = 0;
    explain_member(explaining, "says", play->says, 2);
    write_where(explaining, play);
    if (play->answer && explaining->all)
        explain_right(explaining, play, 0);
    else
        write_request(explaining, play);
    if (play->answer && !explaining->all)
        explain_member(explaining, "answer", STR("--all shows a correct one, with all bytes"), 1);
    for (size_t i = 0; i < play->assertion_count; i++) {
        if (key.size && !str_equal(play->assertions[i].requirement->key, key))
            continue;
        if (count++ < EXPECTED || explaining->all) {
            write_expectation(explaining, &play->assertions[i]);
            told++;
        }
    }
    if (count > told)
        explain_say(explaining, "", 1, "and %zu more (--all)", count - told);
}

void explain_play(struct explaining *explaining, const struct play *play, struct str key)
{
    explain_title(explaining, 3, play->id, play->id);
    write_play(explaining, play, key);
    write_neighbours(explaining, play);
}

/* --- The case with its neighbours --- */

/* Returns the name of a neighbour: the part of its ID between the path of the family and the labels. */
static struct str name_of(const struct play *play)
{
    struct str name = str_from(play->id, play->group->family->path.size + 1);
    return str_before(name, '@');
}

/* Returns the change that a neighbour makes, as its file has it. */
static struct str change_of(const struct play *play, struct arena *arena)
{
    const struct tree *tree = tree_member_str(tree_member(play->group->family->tree, "neighbours"), name_of(play));
    struct tree *change = tree_new(arena, TREE_OBJECT);
    FOR_EACH_IN(member, tree_first(tree))
        if (!str_is(member->name, "expect") && !str_is(member->name, "says") && !str_is(member->name, "seen"))
            tree_add(change, member->name, tree_copy(arena, member));
    return json_of(change, arena);
}

void explain_case(struct explaining *explaining, const struct group *group)
{
    struct str before = STR("");
    explain_title(explaining, 3, group->family->path, group->family->path);
    write_play(explaining, group->plays[0], STR(""));
    for (size_t i = 1; i < group->play_count; i++) {
        const struct play *play = group->plays[i];
        if (str_equal(name_of(play), before))
            continue; /* with another value */
        before = name_of(play);
        explain_title(explaining, 4, STR(""), before);
        explain_member(explaining, "changes", change_of(play, explaining->arena), 0);
        for (size_t a = 0; a < play->assertion_count; a++)
            if (!play->assertions[a].of_refusal)
                write_expectation(explaining, &play->assertions[a]);
    }
}
