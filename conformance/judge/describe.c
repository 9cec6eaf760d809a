#include "judge/describe.h"

#include "base/search.h"
#include "judge/observed.h"
#include "pattern/phrase.h"
#include "plan/word.h"
#include "support/printable.h"

#define SHOWN  1500 /* bytes of an answer or a pattern that are printed */
#define FIELD  100  /* bytes of a name or a value of a header */
#define FIELDS 32   /* headers that are told */

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
    const struct tree *choices = observation_choices(assertion->observation);
    FOR_EACH_IN(choice, tree_first(choices)) {
        buf_append_str(&out, choice != choices->first ? STR("; or ") : STR(""));
        append_printable(&out, choice->name, SHOWN);
        buf_append_literal(&out, ": ");
        append_observation(&out, assertion, choice, profile);
    }
    if (!choices)
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
    static const char *const members[] = {"status", "headers", "trailers", "json",
                                          "body",   "closed",  "version",  "format"};
    const struct tree *outputs = tree_member(tree, "outputs");
    return outputs ? outputs
                   : FIND_IN(member, tree_first(tree), !ANY(i, COUNT_OF(members), str_is(member->name, members[i])));
}

/* --- Headers and trailers --- */

/* Those of an answer that a report may tell. */
struct fields {
    struct buf *out;
    const struct header_list *list;
    struct str described[FIELDS]; /* names: each is described once */
    size_t described_count;
    bool open; /* some were appended */
};

static bool is_described(struct fields *fields, struct str name)
{
    if (ANY(i, fields->described_count, str_equal_ignoring_case(fields->described[i], name)))
        return true;
    if (fields->described_count < FIELDS)
        fields->described[fields->described_count++] = name;
    return false;
}

/* Appends what precedes a field: all are in brackets. */
static void separate(struct fields *fields)
{
    buf_append_str(fields->out, fields->open ? STR("; ") : STR(" ("));
    fields->open = true;
}

static void close_fields(struct fields *fields)
{
    buf_append_str(fields->out, fields->open ? STR(")") : STR(""));
    fields->open = false;
}

/* Appends every field of that name, or that there is none. */
static void append_field(struct fields *fields, struct str name)
{
    bool is_there = false;
    if (fields->out->size > SHOWN || fields->described_count == FIELDS || is_described(fields, name))
        return;
    for (size_t i = 0; i < fields->list->count && fields->out->size <= SHOWN; i++) {
        if (!str_equal_ignoring_case(fields->list->entries[i].name, name))
            continue;
        is_there = true;
        separate(fields);
        append_printable(fields->out, name, FIELD);
        buf_append_literal(fields->out, ": ");
        append_printable(fields->out, fields->list->entries[i].value, FIELD);
    }
    if (!is_there) {
        separate(fields);
        buf_append_literal(fields->out, "no ");
        append_printable(fields->out, name, FIELD);
    }
}

/* Appends the fields that a part of a pattern names; all of them if it names none. */
static void append_fields(struct fields *fields, const struct tree *part)
{
    bool names_them = part->type == TREE_OBJECT && !match_is_matcher(part);
    FOR_EACH_IN(field, names_them ? part->first : NULL)
        append_field(fields, field->name);
    for (size_t i = 0; i < fields->list->count && !names_them; i++)
        append_field(fields, fields->list->entries[i].name);
}

/* Appends the fields at which the observation looks in this member of the answer. */
static void append_judged(struct fields *fields, const struct tree *observation, const char *member)
{
    bool is_list = observation->type == TREE_ARRAY;
    FOR_EACH_IN(part, observation->first) {
        bool is_choice = str_is(part->name, "$any");
        FOR_EACH_IN(choice, is_choice ? part->first : NULL)
            append_judged(fields, choice, member);
        if (is_list || (!is_choice && str_starts(part->name, STR("$"))))
            append_judged(fields, part, member);
        if (str_is(part->name, member))
            append_fields(fields, part);
    }
}

/* --- Over HTTP --- */

/* Whether the difference is that a message, or a part of it, is not there: headers may have to carry it, or say what
 * the body is. */
static bool lacks_message(const struct described *what)
{
    static const char part[] = "/message", nothing[] = ", got nothing";
    struct str why = what->why;
    return why.size && memmem(why.data, why.size, part, sizeof part - 1) &&
           memmem(why.data, why.size, nothing, sizeof nothing - 1);
}

static void append_headers(struct buf *out, const struct answer *answer, const struct described *what)
{
    struct fields headers = {.out = out, .list = &answer->headers};
    struct fields trailers = {.out = out, .list = &answer->trailers};
    for (size_t i = 0; i < answer->headers.count; i++)
        if (str_equal_ignoring_case(answer->headers.entries[i].name, STR("content-type")) &&
            !is_described(&headers, STR("content-type"))) {
            buf_append_literal(out, ", ");
            append_printable(out, answer->headers.entries[i].value, FIELD);
        }
    append_judged(&headers, what->observation, "headers");
    for (size_t i = 0; i < answer->headers.count && lacks_message(what); i++)
        append_field(&headers, answer->headers.entries[i].name);
    close_fields(&headers);
    append_judged(&trailers, what->observation, "trailers");
    close_fields(&trailers);
}

static void append_http(struct buf *out, const struct answer *answer, const struct tree *tree,
                        const struct described *what)
{
    buf_printf(out, "HTTP %d", answer->status);
    append_headers(out, answer, what);
    const struct tree *json = tree_member(tree, "json"), *decoded = json ? json : decoded_of(tree);
    if (answer->body.size == 0) {
        buf_append_literal(out, ", no body");
    } else {
        buf_append_literal(out, ": ");
        if (decoded && !json)
            buf_printf(out, "%s%.*s ", str_is(decoded->name, "outputs") ? "decoded " : "", STR_ARG(decoded->name));
        if (decoded)
            append_tree(out, decoded);
        else
            append_printable(out, answer->body, SHOWN);
    }
    if (answer->truncated)
        buf_append_literal(out, " (longer than --max-message)");
}

/* --- Over gRPC --- */

/* Appends each message of a stream with its number. */
static void append_messages(struct buf *out, const struct tree *messages)
{
    size_t number = 0, before = out->size;
    if (!messages || !messages->count)
        buf_append_literal(out, ", no message");
    FOR_EACH_IN(message, tree_first(messages)) {
        if (out->size - before > SHOWN) {
            buf_printf(out, "; and %zu more", messages->count - number);
            return;
        }
        buf_printf(out, "%s message %zu: ", number ? ";" : ",", number + 1);
        number++;
        append_tree(out, message);
    }
}

static void append_grpc(struct buf *out, const struct answer *answer, const struct tree *tree,
                        const struct described *what)
{
    struct fields trailers = {.out = out, .list = &answer->trailers};
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
    append_judged(&trailers, what->observation, "trailers");
    close_fields(&trailers);
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

struct str describe_answer(const struct described *what, enum transport transport, const struct answer *answer,
                           const struct tree *tree, struct arena *arena)
{
    struct buf out = {0};
    if (!answer_is_seen(answer))
        append_printable(&out, answer->trouble.size ? answer->trouble : STR("no answer"), SHOWN);
    else if (transport == TRANSPORT_HTTP)
        append_http(&out, answer, tree, what);
    else
        append_grpc(&out, answer, tree, what);
    return arena_take(arena, &out);
}
