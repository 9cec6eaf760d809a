#include "client/tape_text.h"

#include "base/base64.h"
#include "base/search.h"
#include "tree/tree.h"
#include "json/writer.h"

/* --- Tables --- */

enum kind { IS_BOOL, IS_INT, IS_TEXT, IS_HEADERS, IS_TEXTS };

struct field {
    const char *name;
    enum kind kind;
    size_t offset, count_offset; /* of the member; of that which counts, for texts */
};

#define ONE(kind, type, member)                                                                                        \
    {                                                                                                                  \
#member, kind, offsetof(struct type, member), 0                                                                \
    }
#define MANY(type, member, number)                                                                                     \
    {                                                                                                                  \
#member, IS_TEXTS, offsetof(struct type, member), offsetof(struct type, number)                                \
    }

static const struct field request_fields[] = {
    ONE(IS_BOOL, request, has_body),        ONE(IS_BOOL, request, framed),  ONE(IS_BOOL, request, http2_raw),
    ONE(IS_TEXT, request, method),          ONE(IS_TEXT, request, path),    ONE(IS_TEXT, request, http_version),
    ONE(IS_HEADERS, request, headers),      ONE(IS_TEXT, request, body),    ONE(IS_TEXT, request, rpc),
    ONE(IS_HEADERS, request, metadata),     ONE(IS_TEXT, request, message), ONE(IS_BOOL, request, streams),
    MANY(request, messages, message_count), ONE(IS_TEXT, request, preface), ONE(IS_BOOL, request, cancel),
    MANY(request, writes, write_count),
};

static const struct field answer_fields[] = {
    ONE(IS_TEXT, answer, trouble),     ONE(IS_INT, answer, status),    ONE(IS_HEADERS, answer, headers),
    ONE(IS_TEXT, answer, body),        ONE(IS_TEXT, answer, version),  ONE(IS_BOOL, answer, reused),
    ONE(IS_BOOL, answer, closed),      ONE(IS_BOOL, answer, large),    ONE(IS_TEXT, answer, came),
    ONE(IS_BOOL, answer, truncated),   ONE(IS_INT, answer, code),      ONE(IS_TEXT, answer, details),
    ONE(IS_HEADERS, answer, trailers), ONE(IS_TEXT, answer, message),  ONE(IS_BOOL, answer, has_message),
    ONE(IS_BOOL, answer, is_coded),    ONE(IS_BOOL, answer, has_http), ONE(IS_HEADERS, answer, end_fields),
    ONE(IS_BOOL, answer, streams),     ONE(IS_BOOL, answer, open),     MANY(answer, messages, message_count),
};

static const struct field http2_fields[] = {
    ONE(IS_TEXT, http2_raw_answer, goaway),
    ONE(IS_TEXT, http2_raw_answer, reset),
    ONE(IS_BOOL, http2_raw_answer, is_closed),
    ONE(IS_BOOL, http2_raw_answer, is_ended),
    ONE(IS_BOOL, http2_raw_answer, is_acknowledged),
    ONE(IS_BOOL, http2_raw_answer, is_alive),
    ONE(IS_TEXT, http2_raw_answer, data),
};

static const char *const outcomes[] = {
    [OUTCOME_ANSWERED] = "answered", [OUTCOME_TIMEOUT] = "timeout", [OUTCOME_UNREACHABLE] = "unreachable",
    [OUTCOME_CLOSED] = "closed",     [OUTCOME_GARBLED] = "garbled", [OUTCOME_LIMITED] = "limited",
};

/* --- Writing --- */

struct tape_writing {
    const struct secrets *secrets;
    struct arena *arena;
    struct buf *out;
};

static void write_text(const struct tape_writing *writing, struct str text)
{
    struct str shown = secrets_hide(writing->secrets, text, writing->arena);
    if (str_is_utf8(shown)) {
        json_write_string(writing->out, shown);
        return;
    }
    buf_append_literal(writing->out, "{\"base64\":\"");
    buf_append_str(writing->out, base64_write(shown, writing->arena));
    buf_append_literal(writing->out, "\"}");
}

static void write_texts(const struct tape_writing *writing, const struct str *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buf_append_str(writing->out, i ? STR(",") : STR("["));
        write_text(writing, texts[i]);
    }
    buf_append_byte(writing->out, ']');
}

static void write_headers(const struct tape_writing *writing, const struct header_list *headers)
{
    for (size_t i = 0; i < headers->count; i++) {
        const struct header *header = &headers->entries[i];
        buf_append_str(writing->out, i ? STR(",") : STR("["));
        write_texts(writing, (struct str[]){header->name, header->value}, header->value.data ? 2 : 1);
    }
    buf_append_byte(writing->out, ']');
}

/* Whether the member has what it has if nothing is known of it. */
static bool is_absent(const struct field *field, const void *member, size_t count)
{
    switch (field->kind) {
    case IS_BOOL:
        return !*(const bool *)member;
    case IS_INT:
        return *(const int *)member == 0;
    case IS_TEXT:
        return !((const struct str *)member)->data;
    case IS_HEADERS:
        return ((const struct header_list *)member)->count == 0;
    default:
        return count == 0;
    }
}

static void write_fields(const struct tape_writing *writing, const void *record, const struct field *fields,
                         size_t number)
{
    for (size_t i = 0; i < number; i++) {
        const void *member = (const char *)record + fields[i].offset;
        size_t count = fields[i].count_offset ? *(const size_t *)((const char *)record + fields[i].count_offset) : 0;
        if (is_absent(&fields[i], member, count))
            continue;
        buf_printf(writing->out, ",\"%s\":", fields[i].name);
        switch (fields[i].kind) {
        case IS_BOOL:
            buf_append_literal(writing->out, "true");
            break;
        case IS_INT:
            json_write_int64(writing->out, *(const int *)member);
            break;
        case IS_TEXT:
            write_text(writing, *(const struct str *)member);
            break;
        case IS_HEADERS:
            write_headers(writing, member);
            break;
        case IS_TEXTS:
            write_texts(writing, *(struct str *const *)member, count);
        }
    }
}

void tape_write_request(const struct request *request, const struct secrets *secrets, struct arena *arena,
                        struct buf *out)
{
    const struct tape_writing writing = {secrets, arena, out};
    buf_append_literal(out, "{\"to\":");
    write_text(&writing, request->endpoint->name);
    write_fields(&writing, request, request_fields, COUNT_OF(request_fields));
    buf_append_byte(out, '}');
}

void tape_write_answer(const struct answer *answer, const struct secrets *secrets, struct arena *arena, struct buf *out)
{
    const struct tape_writing writing = {secrets, arena, out};
    buf_printf(out, "{\"outcome\":\"%s\"", outcomes[answer->outcome]);
    write_fields(&writing, answer, answer_fields, COUNT_OF(answer_fields));
    if (answer->http2_raw) {
        buf_printf(out, ",\"http2\":{\"frame_max\":%u", (unsigned)answer->http2_raw->frame_max);
        write_fields(&writing, answer->http2_raw, http2_fields, COUNT_OF(http2_fields));
        buf_append_byte(out, '}');
    }
    buf_append_byte(out, '}');
}

/* --- Reading --- */

/* Returns the text that write_text has written; a null str if it is none. */
static struct str read_text(const struct tree *value, struct arena *arena)
{
    struct str digits = tree_text(value, "base64"), bytes;
    if (value && value->type == TREE_STRING)
        return value->text.data ? value->text : STR("");
    return digits.size && base64_read(digits, arena, &bytes) ? bytes : (struct str){0};
}

static bool read_headers(const struct tree *list, struct arena *arena, struct header_list *headers)
{
    FOR_EACH_IN(one, list->first) {
        struct header header = {read_text(one->first, arena), read_text(one->first ? one->first->next : NULL, arena)};
        if (!header.name.data)
            return false;
        header_list_add(headers, header, arena);
    }
    return true;
}

static bool read_texts(const struct tree *list, struct arena *arena, struct str **texts, size_t *count)
{
    *texts = arena_alloc_zero(arena, list->count + 1, sizeof **texts);
    FOR_EACH_IN(one, list->first) {
        struct str text = read_text(one, arena);
        if (!text.data)
            return false;
        (*texts)[(*count)++] = text;
    }
    return true;
}

/* Reads a member of the object, if it is there. Returns false if it is not what the field holds. */
static bool read_member(const struct tree *object, const struct field *field, struct arena *arena, void *record)
{
    const struct tree *value = tree_member(object, field->name);
    void *member = (char *)record + field->offset;
    int64_t number;
    if (!value)
        return true;
    if (field->kind == IS_BOOL) {
        *(bool *)member = value->type == TREE_BOOL;
        return value->type == TREE_BOOL;
    }
    if (field->kind == IS_INT) {
        bool is_number = tree_to_int64(value, &number) && number >= INT32_MIN && number <= INT32_MAX;
        *(int *)member = is_number ? (int)number : 0;
        return is_number;
    }
    if (field->kind == IS_TEXT) {
        *(struct str *)member = read_text(value, arena);
        return ((struct str *)member)->data != NULL;
    }
    if (value->type != TREE_ARRAY)
        return false;
    return field->kind == IS_HEADERS
               ? read_headers(value, arena, member)
               : read_texts(value, arena, member, (size_t *)((char *)record + field->count_offset));
}

static bool read_fields(const struct tree *object, const struct field *fields, size_t number, struct arena *arena,
                        void *record)
{
    return ALL(i, number, read_member(object, &fields[i], arena, record));
}

static bool read_http2(const struct tree *object, struct arena *arena, struct answer *answer)
{
    struct http2_raw_answer *raw = arena_new_of(arena, struct http2_raw_answer);
    int64_t frame_max = 0;
    const struct tree *most = tree_member(object, "frame_max");
    if (most && (!tree_to_int64(most, &frame_max) || frame_max < 0 || frame_max > UINT32_MAX))
        return false;
    *raw = (struct http2_raw_answer){.frame_max = (uint32_t)frame_max};
    answer->http2_raw = raw;
    return read_fields(object, http2_fields, COUNT_OF(http2_fields), arena, raw);
}

struct status tape_read_answer(struct str json, struct arena *arena, struct answer *answer)
{
    struct tree *tree;
    struct status status = tree_parse(json, arena, &tree);
    if (!is_ok(status))
        return status;
    struct str outcome = tree_text(tree, "outcome");
    size_t known = 0;
    while (known < COUNT_OF(outcomes) && !str_is(outcome, outcomes[known]))
        known++;
    *answer = (struct answer){.outcome = (enum outcome)known};
    const struct tree *http2 = tree_member(tree, "http2");
    bool is_answer = known < COUNT_OF(outcomes) &&
                     read_fields(tree, answer_fields, COUNT_OF(answer_fields), arena, answer) &&
                     (!http2 || read_http2(http2, arena, answer));
    return is_answer ? STATUS_IS_OK : status_invalid(arena, "this is no answer of a tape");
}
