/* `explain`: for a key, prints what it demands, where that is written, which cases expect it and which deviations break
 * it. For a deviation, prints what it does and what it breaks. For a case, prints what is sent, what is expected and
 * why. */
#include "commands/nominal.h"

#include "base/count.h"
#include "plan/request.h"
#include "protocols/protocol.h"

#include "judge/describe.h"
#include "notation/json_text.h"
#include "support/nearest.h"
#include "support/printable.h"

#include <stdio.h>

static void print_requirement(const struct requirement *row)
{
    printf("%.*s (%s, binds the %.*s)\n  %.*s\n", STR_ARG(row->key), level_name(row->level), STR_ARG(row->binds),
           STR_ARG(row->says));
    if (row->source.size)
        printf("  source: %.*s\n", STR_ARG(row->source));
    if (!str_is(row->status, "tested"))
        printf("  %.*s: %.*s\n", STR_ARG(row->status), STR_ARG(row->why));
}

static void print_deviations(const struct suite *suite, struct str key)
{
    for (size_t i = 0; i < suite->deviation_count; i++)
        if (str_equal(suite->deviations[i].breaks, key))
            printf("  killed by the deviation %.*s\n", STR_ARG(suite->deviations[i].name));
}

static void explain_key(const struct nominal *nominal, const struct requirement *row)
{
    print_requirement(row);
    for (size_t i = 0; i < nominal->plan.play_count; i++) {
        const struct play *play = &nominal->plan.plays[i];
        for (size_t a = 0; a < play->assertion_count; a++)
            if (play->assertions[a].requirement == row)
                printf("  expected by %.*s\n", STR_ARG(play->assertions[a].id));
    }
    print_deviations(&nominal->suite, row->key);
}

/* Whether the text means the play: it is the play's ID, or the ID without encoding, or without labels and encoding. */
static bool is_meant(const struct play *play, struct str id)
{
    if (str_equal(play->id, id))
        return true;
    return str_starts(play->id, id) && play->id.size > id.size && play->id.data[id.size] == '@';
}

static bool is_text(struct str bytes)
{
    return str_is_utf8(bytes) && !(bytes.size && memchr(bytes.data, '\0', bytes.size));
}

static void print_bytes(struct str bytes, struct buf *line)
{
    if (is_text(bytes)) {
        append_printable(line, bytes, 2000);
        return;
    }
    buf_printf(line, "%zu bytes:", bytes.size);
    for (size_t i = 0; i < bytes.size && i < 512; i++)
        buf_printf(line, "%s%02x", i % 4 ? "" : " ", (unsigned char)bytes.data[i]);
    if (bytes.size > 512)
        buf_append_literal(line, " ...");
}

/* Appends what a body says that is no text, if it is a message of the play's protocol. */
static void print_decoded(const struct play *play, struct str body, struct arena *arena, struct buf *text)
{
    const struct protocol *protocol = protocol_named(play->group->profile->protocol);
    const struct tree *message =
        protocol && protocol->request_of && !is_text(body) ? protocol->request_of(body, arena) : NULL;
    if (!message)
        return;
    struct buf json = {0};
    json_text(message, &json);
    buf_append_literal(text, "    which says ");
    append_printable(text, buf_str(&json), 4000);
    buf_append_byte(text, '\n');
    buf_free(&json);
}

static void print_message(struct str message, struct buf *text)
{
    buf_append_literal(text, "    ");
    print_bytes(message, text);
    buf_append_byte(text, '\n');
}

static void print_request(const struct play *play, const struct plan_target *target, struct arena *arena)
{
    struct request request;
    struct buf text = {0};
    struct status status = play_request(play, target, arena, &request);
    if (!is_ok(status)) {
        printf("  not sent: %.*s\n", STR_ARG(status.message));
        return;
    }
    if (request_is_http(&request)) {
        buf_printf(&text, "%.*s %.*s\n", STR_ARG(request.method), STR_ARG(request.path));
        for (size_t i = 0; i < request.header_count; i++)
            buf_printf(&text, "    %.*s: %.*s\n", STR_ARG(request.headers[i].name), STR_ARG(request.headers[i].value));
        if (request.has_body) {
            buf_append_literal(&text, "    ");
            print_bytes(request.body, &text);
            buf_append_byte(&text, '\n');
            print_decoded(play, request.body, arena, &text);
        }
    } else {
        buf_printf(&text, "%.*s\n", STR_ARG(request.rpc));
        if (!request.streams)
            print_message(request.message, &text);
        for (size_t i = 0; i < request.message_count; i++)
            print_message(request.messages[i], &text);
    }
    printf("  sends %.*s", STR_ARG(buf_str(&text)));
    buf_free(&text);
}

/* The bytes of a body are not repeated: they follow. */
static void print_act(const struct play *play, struct arena *arena)
{
    struct buf text = {0};
    struct tree *act = tree_share(arena, play->act), *shown = tree_new(arena, TREE_OBJECT);
    for (const struct tree *member = act->first; member; member = member->next)
        if (!str_is(member->name, "body") || is_text(member->text))
            tree_add(shown, member->name, tree_share(arena, member));
    json_text(shown, &text);
    struct buf line = {0};
    append_printable(&line, buf_str(&text), 4000);
    printf("  means %.*s\n", STR_ARG(buf_str(&line)));
    buf_free(&line);
    buf_free(&text);
}

static void explain_play(const struct nominal *nominal, const struct play *play, struct str key, struct arena *arena)
{
    printf("%.*s\n  %.*s\n", STR_ARG(play->id), STR_ARG(play->says));
    if (play->not_applicable.size)
        printf("  not applicable: %.*s\n", STR_ARG(play->not_applicable));
    if (play->state.size)
        printf("  in a server of the state %.*s\n", STR_ARG(play->state));
    print_act(play, arena);
    if (!play->not_applicable.size && !play->step_count && !play->watches)
        print_request(play, &nominal->target, arena);
    if (!play->is_base)
        printf("  controlled by its base %.*s\n", STR_ARG(play->group->plays[0]->id));
    for (size_t i = 0; i < play->control_count; i++) {
        const struct control *control = &play->controls[i];
        struct str id = control->assertion ? control->assertion->id : control->play->id;
        printf("  controlled by %.*s\n", STR_ARG(id));
    }
    for (size_t i = 0; i < play->assertion_count; i++) {
        const struct assertion *assertion = &play->assertions[i];
        if (key.size && !str_equal(assertion->requirement->key, key))
            continue;
        struct str expected = describe_observation(assertion->observation, play->group->profile, arena);
        fputs("\n", stdout);
        print_requirement(assertion->requirement);
        printf("  expected%s: %.*s\n", assertion->of_refusal ? ", if it is refused" : "", STR_ARG(expected));
        print_deviations(&nominal->suite, assertion->requirement->key);
    }
    fputs("\n", stdout);
}

/* Returns the ID with "*" in place of its first label. A run has the name of the probed model there; without a target
 * there is only "*". */
static struct str of_any_model(struct str id, struct arena *arena)
{
    const char *first = memchr(id.data, '@', id.size);
    struct str rest = first ? str_from(id, (size_t)(first - id.data) + 1) : (struct str){0};
    const char *second = rest.size ? memchr(rest.data, '@', rest.size) : NULL;
    return arena_printf(arena, "%.*s@*%.*s", first ? (int)(first - id.data) : (int)id.size, id.data,
                        second ? (int)(rest.data + rest.size - second) : 0, second ? second : "");
}

static bool expects(const struct play *play, struct str key)
{
    for (size_t i = 0; i < play->assertion_count; i++)
        if (str_equal(play->assertions[i].requirement->key, key))
            return true;
    return key.size == 0;
}

/* What was found of an ID. */
struct found {
    size_t explained;
    const struct play *unexpecting; /* a play of that ID that does not expect the key */
};

static struct found explain_id(const struct nominal *nominal, struct str id, struct str key, struct arena *arena)
{
    struct found found = {0};
    for (size_t i = 0; i < nominal->plan.play_count; i++) {
        const struct play *play = &nominal->plan.plays[i];
        if (!is_meant(play, id))
            continue;
        if (!expects(play, key)) {
            found.unexpecting = play;
            continue;
        }
        explain_play(nominal, play, key, arena);
        found.explained++;
    }
    return found;
}

static void say_what_is_expected(const struct play *play, struct str key)
{
    fprintf(stderr, "oip-conformance: %.*s does not expect %.*s; it expects", STR_ARG(play->id), STR_ARG(key));
    for (size_t i = 0; i < play->assertion_count; i++)
        fprintf(stderr, "%s %.*s", i ? "," : "", STR_ARG(play->assertions[i].requirement->key));
    fputs("\n", stderr);
}

/* Explains the plays of an ID, "CASE@ENCODING#KEY" or a part of it. Returns whether there are any; it may have said
 * that they do not expect the key. */
static bool explain_plays(const struct nominal *nominal, struct str text, struct arena *arena, int *code)
{
    const char *hash = text.size ? memchr(text.data, '#', text.size) : NULL;
    struct str id = hash ? (struct str){text.data, (size_t)(hash - text.data)} : text;
    struct str key = hash ? str_from(text, id.size + 1) : (struct str){NULL, 0};
    struct found found = explain_id(nominal, id, key, arena);
    if (!found.explained && !found.unexpecting)
        found = explain_id(nominal, of_any_model(id, arena), key, arena);
    if (!found.explained && found.unexpecting) {
        say_what_is_expected(found.unexpecting, key);
        *code = EXIT_USAGE;
    }
    return found.explained || found.unexpecting;
}

static const struct deviation *deviation_named(const struct suite *suite, struct str name)
{
    for (size_t i = 0; i < suite->deviation_count; i++)
        if (str_equal(suite->deviations[i].name, name))
            return &suite->deviations[i];
    return NULL;
}

static void explain_deviation(const struct nominal *nominal, const struct deviation *deviation)
{
    struct str says = tree_text(deviation->tree, "says");
    const struct requirement *row = ledger_find(&nominal->suite.ledger, deviation->breaks);
    printf("%.*s (a deviation of the reference server: --deviate %.*s)\n", STR_ARG(deviation->name),
           STR_ARG(deviation->name));
    if (says.size)
        printf("  %.*s\n", STR_ARG(says));
    static const char *const members[] = {"by", "on"};
    for (size_t i = 0; i < COUNT_OF(members); i++) {
        const struct tree *value = tree_member(deviation->tree, members[i]);
        struct buf json = {0};
        if (value)
            json_text(value, &json);
        if (value)
            printf("  %s: %.*s\n", members[i], STR_ARG(buf_str(&json)));
        buf_free(&json);
    }
    if (deviation->process)
        printf("  it needs a server process of its own\n");
    if (deviation->equivalent.size)
        printf("  no assertion can notice it: %.*s\n", STR_ARG(deviation->equivalent));
    printf("  written in %.*s\n\nIt breaks\n", STR_ARG(deviation->file));
    if (row)
        explain_key(nominal, row);
    else
        printf("%.*s, which the ledger does not have\n", STR_ARG(deviation->breaks));
}

/* Says how to list what the text stands for: a profile, or the beginning of the paths of cases. Returns whether it is
 * one of these. */
static bool say_how_to_list(const struct nominal *nominal, struct str text)
{
    while (text.size && text.data[text.size - 1] == '/')
        text.size--;
    if (text.size && registry_profile(&nominal->suite.registry, text)) {
        fprintf(stderr, "oip-conformance: %.*s is a profile; `oip-conformance list --profile %.*s` shows its cases\n",
                STR_ARG(text), STR_ARG(text));
        return true;
    }
    for (size_t i = 0; i < nominal->plan.play_count && text.size; i++) {
        struct str id = nominal->plan.plays[i].id;
        if (str_starts(id, text) && id.size > text.size && id.data[text.size] == '/') {
            fprintf(stderr, "oip-conformance: cases begin so; `oip-conformance list --filter '%.*s/*'` shows them\n",
                    STR_ARG(text));
            return true;
        }
    }
    return false;
}

/* Names what comes nearest to a text that names nothing: keys, deviations, cases and neighbours. */
static void suggest(const struct nominal *nominal, struct str text, struct arena *arena)
{
    const struct suite *suite = &nominal->suite;
    struct nearest nearest = {.word = {text.data, strcspn(text.data, "@#")}};
    for (size_t i = 0; i < suite->ledger.count; i++)
        nearest_try(&nearest, suite->ledger.rows[i].key);
    for (size_t i = 0; i < suite->deviation_count; i++)
        nearest_try(&nearest, suite->deviations[i].name);
    for (size_t i = 0; i < nominal->plan.play_count; i++) {
        struct str id = nominal->plan.plays[i].id;
        const char *at = memchr(id.data, '@', id.size);
        nearest_try(&nearest, (struct str){id.data, at ? (size_t)(at - id.data) : id.size});
    }
    fprintf(stderr, "oip-conformance: there is no case, requirement or deviation '%s'; %s\n",
            str_printable(arena, text),
            nearest_hint(&nearest, NEAREST_MAX, "`oip-conformance list` shows IDs and keys", arena).data);
}

int command_explain(const struct options *options)
{
    struct nominal nominal;
    struct str text = str_of(options->operands.items[0]);
    int code = EXIT_SUITE;
    if (nominal_open(options, &nominal)) {
        struct arena *arena = &nominal.plan.arena;
        const struct requirement *row = ledger_find(&nominal.suite.ledger, text);
        const struct deviation *deviation = deviation_named(&nominal.suite, text);
        code = EXIT_CONFORMANT;
        if (row)
            explain_key(&nominal, row);
        else if (deviation)
            explain_deviation(&nominal, deviation);
        else if (!explain_plays(&nominal, text, arena, &code)) {
            if (!say_how_to_list(&nominal, text))
                suggest(&nominal, text, arena);
            code = EXIT_USAGE;
        }
    }
    nominal_close(&nominal);
    return code;
}
