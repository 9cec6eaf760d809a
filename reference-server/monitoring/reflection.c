/* Reflection: a client asks the server for its schema, so that it can call methods without files (gRPC, "Server
 * Reflection Protocol"). The two editions have the same messages under two names. Each request of the stream has one
 * answer; what cannot be answered is an error in the answer, and the stream goes on. */
#include "base/search.h"
#include "grpc/course.h"
#include "monitoring/descriptors.h"
#include "monitoring/monitoring.h"
#include "wire/message.h"

#include <grpc/reflection/v1/reflection.pb-c.h>
#include <grpc/reflection/v1alpha/reflection.pb-c.h>

/* The numbers of the fields, in both editions. */
enum {
    HOST = 1,
    FILE_BY_NAME = 3,
    FILE_OF_SYMBOL = 4,
    FILE_OF_EXTENSION = 5,
    EXTENSION_NUMBERS = 6,
    LIST_SERVICES = 7
};
enum { VALID_HOST = 1, ORIGINAL_REQUEST = 2, FILES = 4, NUMBERS = 5, SERVICES = 6, ERROR = 7 };

/* One request while it is answered. */
struct question {
    struct arena *arena; /* only for this request */
    struct str bytes;    /* all of it */
    struct str host;
    struct wire_field asked; /* the field that says what is asked; number 0: nothing */
    struct buf answer;
};

/* --- Answers --- */

/* Writes a message as a field of the one around it, and frees it. */
static void nest(struct buf *around, uint32_t field, struct buf *message)
{
    around->failed |= message->failed;
    wire_write_bytes(around, field, buf_str(message));
    buf_free(message);
}

/* `about` is UTF-8 and as the client sent it. */
static void answer_error(struct question *question, enum status_code code, const char *what, struct str about)
{
    struct buf error = {0}, sentence = {0};
    buf_append_str(&sentence, str_of(what));
    buf_append_str(&sentence, about);
    wire_write_tag(&error, 1, WIRE_VARINT);
    wire_write_varint(&error, (uint64_t)code);
    nest(&error, 2, &sentence);
    nest(&question->answer, ERROR, &error);
}

static void answer_files(struct question *question, const struct descriptor_files *found, struct str about)
{
    struct buf files = {0};
    for (size_t i = 0; i < found->count; i++)
        wire_write_bytes(&files, 1, found->files[i]);
    if (found->count)
        nest(&question->answer, FILES, &files);
    else
        answer_error(question, STATUS_NOT_FOUND, "this server does not know ", about);
}

static void answer_extension(struct question *question)
{
    struct str message = {0};
    uint64_t number = 0;
    struct wire_field field;
    for (struct wire_cursor at = wire_begin(question->asked.bytes); wire_next(&at, &field);) {
        if (field.number == 1)
            message = field.bytes;
        if (field.number == 2)
            number = field.value;
    }
    const struct descriptor_files found = descriptors_of_extension(message, (int32_t)number);
    answer_files(question, &found, message);
}

/* reflection-grpc.extension-numbers */
static void answer_numbers(struct question *question)
{
    int32_t *numbers = NULL;
    size_t count = 0;
    struct buf out = {0};
    if (!descriptors_extensions(question->asked.bytes, question->arena, &numbers, &count)) {
        answer_error(question, STATUS_NOT_FOUND, "this server does not know the message ", question->asked.bytes);
        return;
    }
    wire_write_bytes(&out, 1, question->asked.bytes);
    for (size_t i = 0; i < count; i++) {
        wire_write_tag(&out, 2, WIRE_VARINT);
        wire_write_varint(&out, (uint64_t)(int64_t)numbers[i]);
    }
    nest(&question->answer, NUMBERS, &out);
}

/* reflection-grpc.list-services */
static void answer_services(struct question *question)
{
    struct buf list = {0};
    for (size_t i = 0; i < service_count; i++) {
        struct buf service = {0};
        if (!services[i].grpc)
            continue;
        wire_write_bytes(&service, 1, str_of(services[i].grpc->name));
        nest(&list, 1, &service);
    }
    nest(&question->answer, SERVICES, &list);
}

/* reflection-grpc.file-by-name reflection-grpc.file-of-symbol reflection-grpc.unknown */
static const struct {
    uint32_t field;
    struct descriptor_files (*find)(struct str about); /* answers with the files that it finds; or NULL, */
    void (*answer)(struct question *question);         /* and this answers */
} kinds[] = {
    {FILE_BY_NAME, descriptors_named, NULL},     {FILE_OF_SYMBOL, descriptors_of_symbol, NULL},
    {FILE_OF_EXTENSION, NULL, answer_extension}, {EXTENSION_NUMBERS, NULL, answer_numbers},
    {LIST_SERVICES, NULL, answer_services},
};

static void answer_kind(struct question *question, size_t kind)
{
    if (!kinds[kind].find) {
        kinds[kind].answer(question);
        return;
    }
    const struct descriptor_files found = kinds[kind].find(question->asked.bytes);
    answer_files(question, &found, question->asked.bytes);
}

/* --- The stream --- */

static struct status read_question(struct rpc_call *call, struct question *question)
{
    struct wire_field field;
    TRY(wire_check(call->method->request, call->message, question->arena)); /* "message-valid" */
    question->bytes = call->message;
    for (struct wire_cursor at = wire_begin(question->bytes); wire_next(&at, &field);) {
        if (field.number == HOST)
            question->host = field.bytes;
        for (size_t i = 0; i < COUNT_OF(kinds); i++)
            if (field.number == kinds[i].field)
                question->asked = field;
    }
    return STATUS_IS_OK;
}

/* Writes the answer. reflection-grpc.echoes-request */
static struct status answer_question(struct question *question)
{
    size_t kind = FIRST(i, COUNT_OF(kinds), kinds[i].field == question->asked.number, i, COUNT_OF(kinds));
    wire_write_bytes(&question->answer, VALID_HOST, question->host);
    wire_write_bytes(&question->answer, ORIGINAL_REQUEST, question->bytes);
    if (kind < COUNT_OF(kinds))
        answer_kind(question, kind);
    else
        answer_error(question, STATUS_INVALID_ARGUMENT, "the request does not say what is asked", STR(""));
    return question->answer.failed ? status_no_memory() : STATUS_IS_OK;
}

/* The call ends when a message is none of reflection. */
static void take_message(struct rpc_call *call)
{
    struct arena arena = arena_new(ARENA_NO_BUDGET);
    struct question question = {.arena = &arena};
    struct status status = read_question(call, &question);
    if (is_ok(status))
        status = answer_question(&question);
    if (is_ok(status)) {
        const struct str piece = buf_str(&question.answer);
        if (rpc_send(call, &piece, 1) != RPC_FULL)
            rpc_next(call);
    } else {
        struct rpc_course *course = rpc_course_enter(call);
        course->failure = status;
        course->failure.message = arena_copy(call->arena, status.message);
        rpc_course_leave(course);
    }
    buf_free(&question.answer);
    arena_free(&arena);
}

static void begin(struct rpc_call *call)
{
    rpc_course_begin(call, sizeof(struct rpc_course));
}

static const struct rpc_stream stream = {.message = take_message,
                                         .half_closed = rpc_course_half_closed,
                                         .writable = rpc_next,
                                         .cancelled = rpc_course_cancelled,
                                         .drained = rpc_course_drained};

#define METHOD(edition)                                                                                                \
    {                                                                                                                  \
        "ServerReflectionInfo", begin, &grpc__reflection__##edition##__server_reflection_request__descriptor,          \
            &grpc__reflection__##edition##__server_reflection_response__descriptor, .stream = &stream                  \
    }

static const struct rpc_method methods[] = {METHOD(v1)}, old_methods[] = {METHOD(v1alpha)};

const struct rpc_service reflection_grpc = {
    .name = "grpc.reflection.v1.ServerReflection",
    .profile = "reflection-grpc",
    .methods = methods,
    .method_count = 1,
};

const struct rpc_service reflection_v1alpha_grpc = {
    .name = "grpc.reflection.v1alpha.ServerReflection",
    .profile = "reflection-v1alpha-grpc",
    .methods = old_methods,
    .method_count = 1,
};
