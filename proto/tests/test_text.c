/* Tests the text form of protobuf (text/text.h). protoc is the other side: what it encodes and decodes with the same
 * schema must be what is read and printed here. Lines of the original server are expected as they were recorded. */
#include "scratch.h"

#include "base/search.h"
#include "text/write.h"
#include "v1.pb-c.h"
#include "wire/structs.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define PACKAGE "nvidia.inferenceserver."

static const struct text_type *type_named(const char *name)
{
    return text_type_of("trtis_v1", name);
}

static struct str read_as(const char *type, struct str text)
{
    struct buf message = {0};
    struct status status = text_read(type_named(type), text, &arena, &message);
    if (!is_ok(status))
        fail_msg("%.*s: %.*s", STR_ARG(text), STR_ARG(status.message));
    return arena_take(&arena, &message);
}

static struct str print_as(const char *type, struct str message, enum text_form form)
{
    struct buf text = {0};
    struct status status = text_print(type_named(type), message, form, &arena, &text);
    if (!is_ok(status))
        fail_msg("%s: %.*s", type, STR_ARG(status.message));
    return arena_take(&arena, &text);
}

/* Writes a message as a struct. */
static struct str write_as(const char *type, struct str message, enum text_form form)
{
    static const ProtobufCMessageDescriptor *const structs[] = {
        &v1__request_status__descriptor, &v1__infer_request_header__descriptor, &v1__infer_response_header__descriptor,
        &v1__server_status__descriptor, &v1__model_sequence_batching__descriptor};
    size_t i = 0;
    while (strcmp(structs[i]->short_name, type) != 0)
        i++;
    ProtobufCMessage *read = NULL;
    struct buf text = {0};
    assert_ok(structs_read(structs[i], message, &arena, &read));
    text_write(read, form, &text);
    return arena_take(&arena, &text);
}

static void assert_bytes(struct str bytes, struct str expected)
{
    assert_int_equal(bytes.size, expected.size);
    if (expected.size)
        assert_memory_equal(bytes.data, expected.data, expected.size);
}

/* --- protoc --- */

static struct str protoc(const char *how, const char *type, struct str input)
{
    char path[] = "/tmp/test_text.XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, input.size ? input.data : "", input.size) == (ssize_t)input.size);
    close(file);
    FILE *pipe = popen(
        arena_printf(&arena, "protoc -Iproto/schema %s=%s%s trtis_v1.proto < %s", how, PACKAGE, type, path).data, "r");
    char *output = arena_alloc(&arena, 1 << 16);
    assert_non_null(pipe);
    size_t size = fread(output, 1, 1 << 16, pipe);
    if (pclose(pipe) != 0)
        fail_msg("protoc %s %s fails", how, type);
    unlink(path);
    return (struct str){output, size};
}

struct sample {
    const char *type, *text;
};

static const struct sample samples[] = {
    {"RequestStatus", ""},
    {"RequestStatus", "code: SUCCESS server_id: \"inference:0\" request_id: 33"},
    {"RequestStatus", "code: 5 msg: \"\\n\\r\\t\\\"\\'\\\\ \\001 \\303\\251 \\177\" request_id: 18446744073709551615"},
    {"InferRequestHeader", "batch_size: 1, input < name: 'a' 'b' dims: [1, 0x10, 010] >; output { name: \"o\" cls {} } "
                           "# a comment\n id: 7 flags: 3 correlation_id: 9"},
    {"InferResponseHeader",
     "id: 3 output { raw { dims: 0 dims: -1 batch_byte_size: 64 } } output { name: \"o\" batch_classes { cls { idx: 15 "
     "value: 16 label: \"label15\" } cls { value: -0 } cls { value: inf } cls { value: nan } cls { value: 0.1 } cls { "
     "value: 16777217 } cls { value: 1e-38 } } batch_classes {} } model_name: \"m\" model_version: -1"},
    {"ServerStatus", "model_status { key: \"b\" value { version_status { key: 3 value { ready_state: MODEL_READY "
                     "infer_stats { key: 0 value { failed { count: 1 } } } } } version_status { key: -1 } } } "
                     "model_status { key: \"a\" value { config { name: \"a\" max_batch_size: 8 input { data_type: "
                     "TYPE_STRING dims: -1 reshape {} } version_policy { all {} } parameters { key: \"k\" value { "
                     "string_value: \"v\" } } } } } ready_state: SERVER_FAILED_TO_INITIALIZE"},
    {"ModelSequenceBatching", "control_input { name: \"s\" control { fp32_false_true: [0, 1] } control { kind: "
                              "CONTROL_SEQUENCE_READY int32_false_true: 0 int32_false_true: 1 } }"},
};

const struct unit_group unit_group = {make_arena, drop_arena};

TEST(protoc_agrees)
{
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        const struct sample *sample = &samples[i];
        const char *type = sample->type;
        struct str message = protoc("--deterministic_output --encode", sample->type, str_of(sample->text));
        assert_bytes(read_as(type, str_of(sample->text)), message);
        struct str lines = print_as(type, message, TEXT_LINES);
        assert_bytes(lines, protoc("--decode", sample->type, message));
        assert_bytes(read_as(type, lines), message);
        struct str line = print_as(type, message, TEXT_LINE);
        assert_bytes(write_as(type, message, TEXT_LINE), line);
        assert_bytes(write_as(type, message, TEXT_LINES), lines);
        assert_null(memchr(line.data, '\n', line.size));
        assert_bytes(read_as(type, line), message);
    }
}

/* --- The original's --- */

TEST(line_form)
{
    static const struct sample lines[] = {
        {"RequestStatus", "code: SUCCESS server_id: \"inference:0\" request_id: 33"},
        {"RequestStatus", "code: INVALID_ARG msg: \"no status available for unknown model \\'nope\\'\" server_id: "
                          "\"inference:0\" request_id: 14"},
        {"InferResponseHeader", "id: 7"},
        {"InferResponseHeader", ""},
        {"InferResponseHeader", "model_name: \"custom_int32_int32_int32\" model_version: 3 batch_size: 1 output { "
                                "name: \"OUTPUT0\" } output { name: \"OUTPUT1\" raw { dims: 16 batch_byte_size: 64 } "
                                "}"},
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        const char *type = lines[i].type;
        struct str message = read_as(type, str_of(lines[i].text));
        assert_bytes(print_as(type, message, TEXT_LINE), str_of(lines[i].text));
    }
}

/* --- What is refused --- */

TEST(faults)
{
    static const struct {
        const char *text, *fault;
    } faults[] = {
        {"this is not a protobuf", "line 1, column 6: "},
        {"batch_size: 1\n  input { name: \"a\"", "line 2, column 20: "},
        {"batch_size: 1 %%%", "line 1, column 15: "},
        {"batch_size: -1", "line 1, column 13: "},
        {"batch_size: 4294967296", "line 1, column 13: "},
        {"batch_size: 1.0", "line 1, column 13: "},
        {"batch_size 1", "line 1, column 12: "},
        {"batchSize: 1", "line 1, column 10: "},
        {"1: 1", "line 1, column 1: "},
        {"flags: FLAG_SEQUENCE_START", "line 1, column 8: "},
        {"id: 1 id: 2", "line 1, column 9: "},
        {"input { name: \"a }", "line 1, column 19: "},
    };
    EACH_ROW(row, faults, row->text) {
        struct buf message = {0};
        struct status status = text_read(type_named("InferRequestHeader"), str_of(row->text), &arena, &message);
        assert_int_equal(status.code, STATUS_INVALID_ARGUMENT);
        if (!str_starts(status.message, str_of(row->fault)))
            fail_msg("%s: %.*s", row->text, STR_ARG(status.message));
        assert_int_equal(message.size, 0);
        buf_free(&message);
    }
    assert_null(type_named("Nothing"));
    assert_null(text_type_of("nothing", "RequestStatus"));
}

/* A str ends where it ends, and a NUL ends nothing. */
TEST(bounds)
{
    const char *type = "InferRequestHeader";
    struct str message = read_as(type, (struct str){"batch_size: 12345", 13});
    assert_bytes(message, STR("\010\001"));
    struct buf out = {0};
    struct status status = text_read(type_named(type), STR("batch_size: 1 \0 id: 2"), &arena, &out);
    assert_int_equal(status.code, STATUS_INVALID_ARGUMENT);
    struct str name = read_as(type, STR("input { name: \"a\\000b\" }"));
    assert_bytes(name, STR("\022\005\012\003a\0b"));
    assert_bytes(print_as(type, name, TEXT_LINE), STR("input { name: \"a\\000b\" }"));
    assert_int_equal(text_print(type_named(type), STR("\022\005\012"), TEXT_LINE, &arena, &out).code,
                     STATUS_INVALID_ARGUMENT);
    assert_int_equal(text_print(type_named(type), STR("\022\003\012\001\377"), TEXT_LINE, &arena, &out).code,
                     STATUS_INVALID_ARGUMENT);
    assert_int_equal(out.size, 0);
    buf_free(&out);
}

/* --- Brackets --- */

static void *read_brackets(void *text)
{
    static const char *const types[] = {"InferRequestHeader", "ServerStatus"};
    for (size_t i = 0; i < 2; i++) {
        struct buf message = {0};
        assert_int_equal(text_read(type_named(types[i]), str_of(text), &arena, &message).code, STATUS_INVALID_ARGUMENT);
        buf_free(&message);
    }
    return NULL;
}

/* 64 kB of brackets must not need more than a small stack. */
TEST(brackets)
{
    EACH(one, "{", "[", "<", "input {", "input [", "x {", "x [", "x <", "[x.y/z] {", "[[") {
        char *text = arena_alloc_zero(&arena, 1, 65537);
        for (size_t at = 0, size = strlen(one); at < 65536; at++)
            text[at] = one[at % size];
        pthread_attr_t small;
        pthread_t thread;
        pthread_attr_init(&small);
        assert_int_equal(pthread_attr_setstacksize(&small, 100 * 1024), 0);
        assert_int_equal(pthread_create(&thread, &small, read_brackets, text), 0);
        pthread_join(thread, NULL);
        pthread_attr_destroy(&small);
    }
}
