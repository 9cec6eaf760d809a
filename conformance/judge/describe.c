#include "judge/describe.h"

#include "base/count.h"
#include "judge/observed.h"
#include "pattern/phrase.h"
#include "plan/word.h"
#include "support/printable.h"

#define SHOWN 1500 /* bytes of an answer or a pattern that are printed */

static void append_tree(struct buf *out, const struct tree *tree)
{
    struct buf text = {0};
    tree_write_start(tree, &text, SHOWN);
    append_printable(out, buf_str(&text), SHOWN);
    buf_free(&text);
}

static void append_observation(struct buf *out, const struct assertion *assertion, const struct tree *observation,
                               const struct profile *profile)
{
    static const char *const sentences[WORDS] = {
        [WORD_REFUSED] = "a refusal (",
        [WORD_SAME] = "the same answer as without the change",
        [WORD_AGREES] = "an answer that agrees with that over the first encoding that is offered",
        [WORD_ANSWERED] = "a complete, well-formed answer",
    };
    enum word word = word_of(observation);
    if (word)
        buf_append_str(out, str_of(sentences[word]));
    if (word == WORD_REFUSED) {
        append_answer_phrase(out, profile->refused, SHOWN);
        buf_append_byte(out, ')');
    }
    if (word)
        return;
    if (observation_implies_success(assertion, observation, profile)) {
        append_answer_phrase(out, profile->succeeded, SHOWN);
        buf_append_literal(out, "; ");
    }
    append_answer_phrase(out, observation, SHOWN);
}

struct str describe_expected(const struct assertion *assertion, const struct profile *profile, struct arena *arena)
{
    struct buf out = {0};
    const struct tree *any = tree_member(assertion->observation, "$any");
    bool is_choice = any && any->type == TREE_OBJECT;
    for (const struct tree *choice = is_choice ? any->first : NULL; choice; choice = choice->next) {
        buf_append_str(&out, choice != any->first ? STR("; or ") : STR(""));
        append_printable(&out, choice->name, SHOWN);
        buf_append_literal(&out, ": ");
        append_observation(&out, assertion, choice, profile);
    }
    if (!is_choice)
        append_observation(&out, assertion, assertion->observation, profile);
    return arena_take(arena, &out);
}

struct str describe_pattern(const struct tree *observation, struct arena *arena)
{
    struct buf out = {0};
    if (!word_of(observation))
        append_tree(&out, observation);
    return arena_take(arena, &out);
}

/* Returns what a binary body was decoded to: its outputs, else the message; NULL if it was not. */
static const struct tree *decoded_of(const struct tree *tree)
{
    static const char *const members[] = {"status", "headers", "trailers", "json", "body", "closed"};
    const struct tree *outputs = tree_member(tree, "outputs");
    for (const struct tree *member = tree && !outputs ? tree->first : NULL; member; member = member->next) {
        bool is_plain = false;
        for (size_t i = 0; i < COUNT_OF(members); i++)
            is_plain |= str_is(member->name, members[i]);
        if (!is_plain)
            return member;
    }
    return outputs;
}

static void append_http(struct buf *out, const struct answer *answer, const struct tree *tree)
{
    buf_printf(out, "HTTP %d", answer->status);
    for (size_t i = 0; i < answer->header_count; i++)
        if (str_equal_ignoring_case(answer->headers[i].name, STR("content-type"))) {
            buf_append_literal(out, ", ");
            append_printable(out, answer->headers[i].value, 100);
        }
    const struct tree *json = tree_member(tree, "json"), *decoded = json ? json : decoded_of(tree);
    if (answer->body.size == 0) {
        buf_append_literal(out, ", no body");
    } else {
        buf_append_literal(out, ": ");
        if (decoded && !json)
            buf_printf(out, "%.*s ", STR_ARG(decoded->name));
        if (decoded)
            append_tree(out, decoded);
        else
            append_printable(out, answer->body, SHOWN);
    }
    if (answer->truncated)
        buf_append_literal(out, " (longer than --max-message)");
}

/* Appends each message of a stream with its number. */
static void append_messages(struct buf *out, const struct tree *messages)
{
    size_t number = 0, before = out->size;
    if (!messages || !messages->count)
        buf_append_literal(out, ", no message");
    for (const struct tree *message = messages ? messages->first : NULL; message; message = message->next) {
        if (out->size - before > SHOWN) {
            buf_printf(out, "; and %zu more", messages->count - number);
            return;
        }
        buf_printf(out, "%s message %zu: ", number ? ";" : ",", number + 1);
        number++;
        append_tree(out, message);
    }
}

static void append_grpc(struct buf *out, const struct answer *answer, const struct tree *tree)
{
    const struct tree *http = tree_member(tree, "http"), *http2 = tree_member(tree, "http2");
    http = http ? http : http2;
    if (http) {
        append_tree(out, http);
        buf_append_literal(out, " ");
    }
    if (answer->outcome != OUTCOME_ANSWERED) {
        append_printable(out, answer->trouble, SHOWN);
        if (answer->streams)
            append_messages(out, tree_member(tree, "messages"));
        return;
    }
    const char *code = status_code_name((enum status_code)answer->code);
    if (answer->open)
        buf_append_literal(out, "the stream goes on");
    else if (code)
        buf_printf(out, "%s", code);
    else
        buf_printf(out, "code %d", answer->code);
    if (answer->details.size) {
        buf_append_literal(out, ": ");
        append_printable(out, answer->details, SHOWN);
    }
    const struct tree *outputs = tree_member(tree, "outputs"), *message = tree_member(tree, "message");
    if (answer->streams) {
        append_messages(out, tree_member(tree, "messages"));
    } else if (outputs) {
        buf_append_literal(out, ", outputs ");
        append_tree(out, outputs);
    } else if (message) {
        buf_append_literal(out, ", ");
        append_tree(out, message);
    } else if (answer->has_message) {
        buf_printf(out, ", a message of %zu bytes that does not decode", answer->message.size);
    }
}

struct str describe_answer(enum transport transport, const struct answer *answer, const struct tree *tree,
                           struct arena *arena)
{
    struct buf out = {0};
    if (!answer_is_seen(answer))
        append_printable(&out, answer->trouble.size ? answer->trouble : STR("no answer"), SHOWN);
    else if (transport == TRANSPORT_HTTP)
        append_http(&out, answer, tree);
    else
        append_grpc(&out, answer, tree);
    return arena_take(arena, &out);
}
