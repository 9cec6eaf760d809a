/* What was sent, as a person reads it. */
#include "judge/sent.h"

#include "base/search.h"
#include "notation/schemas.h"
#include "registry.h"
#include "tests/scratch.h"
#include "wire/message.h"

#define INFER STR("/inference.GRPCInferenceService/ModelInfer")

static struct client_options options;

static int set_up(void **)
{
    options = (struct client_options){.timeout = 10};
    set_address(options.addresses, "grpc", STR("127.0.0.1:8001"));
    return 0;
}

/* Returns the message that the JSON says. */
static struct str message_of(const char *json)
{
    struct buf bytes = {0};
    assert_ok(wire_from_tree(schema_rpc(INFER)->input, parse(json), &bytes, &arena));
    return arena_take(&arena, &bytes);
}

static struct request call_of(struct str message)
{
    return (struct request){.endpoint = endpoint_named("grpc"), .rpc = INFER, .message = message};
}

static void describes(const struct request *request, const char *expected)
{
    assert_text(sent_describe(profile_named("v2-grpc"), request, false, &arena), expected);
}

/* The JSON of the command, between `-d` and the address; empty, if there is no command. */
static struct str data_of(const struct request *request)
{
    struct str command = sent_grpcurl(&options, request, NULL, &arena);
    if (!command.size)
        return command;
    const char *data = memmem(command.data, command.size, " -d '", 5);
    assert_non_null(data);
    data += 5;
    return (struct str){data, (size_t)(strrchr(command.data, '\'') - data)};
}

#define SENT_TEST(name) TEST_WITH(name, set_up, NULL)

SENT_TEST(a_message_is_told_without_what_is_not_sent)
{
    struct request request = call_of(
        message_of("{\"model_name\": \"m\", \"parameters\": {\"a\": {\"int64_param\": 0}}, \"inputs\": [{\"name\": "
                   "\"X\", \"shape\": [0, 2], \"contents\": {\"fp32_contents\": [\"NaN\", 0.5]}}], "
                   "\"raw_input_contents\": [\"ab\"]}"));
    describes(&request, "ModelInfer {\"model_name\":\"m\",\"parameters\":{\"a\":{\"int64_param\":0}},\"inputs\":[{"
                        "\"name\":\"X\",\"shape\":[0,2],\"contents\":{\"fp32_contents\":[\"NaN\",0.5]}}],"
                        "\"raw_input_contents\":[{\"$hex\":\"6162\"}]}");
    assert_text(data_of(&request),
                "{\"model_name\":\"m\",\"parameters\":{\"a\":{\"int64_param\":0}},\"inputs\":[{\"name\":\"X\","
                "\"shape\":[0,2],\"contents\":{\"fp32_contents\":[\"NaN\",0.5]}}],\"raw_input_contents\":["
                "\"YWI=\"]}");
}

SENT_TEST(metadata_is_told)
{
    struct header metadata[] = {{STR("x-one"), STR("1")}, {STR("x-two"), STR("it's")}};
    struct request request = call_of((struct str){0});
    request.metadata = (struct header_list){metadata, 2};
    describes(&request, "ModelInfer {}, x-one: 1, x-two: it's");
    assert_text(sent_grpcurl(&options, &request, "protos", &arena),
                "grpcurl -plaintext -max-time 10 -import-path 'protos' -proto 'inference.proto' -H 'x-one: 1' "
                "-H 'x-two: it'\\''s' -d '{}' 127.0.0.1:8001 inference.GRPCInferenceService/ModelInfer");
    options.insecure = true;
    options.cert = "a cert";
    set_address(options.addresses, "grpc", STR("grpcs://host:8001"));
    assert_text(sent_grpcurl(&options, &request, NULL, &arena),
                "grpcurl -insecure -cert 'a cert' -max-time 10 -H 'x-one: 1' -H 'x-two: it'\\''s' -d '{}' host:8001 "
                "inference.GRPCInferenceService/ModelInfer");
    metadata[1].name = STR("x-two-bin");
    assert_int_equal(sent_grpcurl(&options, &request, "protos", &arena).size, 0);
}

SENT_TEST(messages_of_a_stream_stand_in_order)
{
    struct str messages[] = {message_of("{\"id\": \"1\"}"), message_of("{\"id\": \"2\"}")};
    struct request request = call_of((struct str){0});
    request.rpc = STR("/inference.GRPCInferenceService/ModelStreamInfer");
    request.streams = true;
    request.messages = messages;
    request.message_count = 2;
    describes(&request, "ModelStreamInfer {\"id\":\"1\"} {\"id\":\"2\"}");
    assert_text(data_of(&request), "{\"id\":\"1\"} {\"id\":\"2\"}");
}

/* grpcurl would send something else: no field that it does not know, no second spelling, no key of a map twice. */
SENT_TEST(grpcurl_is_not_named_for_what_it_cannot_send)
{
    const struct str odd[] = {STR("\x0a\x01m\x0a\x01n"), STR("\x0a\x01\xff"), STR("\xf8\x07\x01"), STR("\x0a\x09"),
                              message_of("{\"parameters\": [{\"key\": \"a\"}, {\"key\": \"a\"}]}")};
    for (size_t i = 0; i < COUNT_OF(odd); i++) {
        struct request request = call_of(odd[i]);
        if (sent_grpcurl(&options, &request, NULL, &arena).size)
            fail_msg("message %zu", i);
    }
    struct request unknown = call_of((struct str){0});
    unknown.rpc = STR("/inference.GRPCInferenceService/NoSuchMethod");
    assert_int_equal(sent_grpcurl(&options, &unknown, NULL, &arena).size, 0);
}

SENT_TEST(what_is_no_message_is_told_by_its_size)
{
    struct request request = call_of(STR("\x0a\x09"));
    describes(&request, "ModelInfer 2 bytes that are no such message");
}

SENT_TEST(frames_are_read_if_they_are_whole)
{
    struct request request = call_of(STR("\0\0\0\0\3\x0a\x01m"));
    request.framed = true;
    describes(&request, "ModelInfer {\"model_name\":\"m\"}");
    assert_int_equal(sent_grpcurl(&options, &request, NULL, &arena).size, 0);
    request.message = STR("\1\0\0\0\3\x0a\x01m");
    describes(&request, "ModelInfer with 8 bytes that are not one message");
    request.message = STR("\0\0\0\0");
    describes(&request, "ModelInfer with 4 bytes that are not one message");
}

SENT_TEST(a_body_that_a_command_shows_is_not_told)
{
    struct request request = {.endpoint = endpoint_named("http"),
                              .method = STR("POST"),
                              .path = STR("/v2"),
                              .has_body = true,
                              .body = STR("{\"a\": 1}")};
    assert_int_equal(sent_describe(profile_named("v2-rest"), &request, true, &arena).size, 0);
    assert_text(sent_describe(profile_named("v2-rest"), &request, false, &arena), "POST /v2 {\"a\": 1}");
    request.body = STR("{\"a\":\n1}\1\xff"
                       "a");
    assert_text(sent_describe(profile_named("v2-rest"), &request, true, &arena), "{\"a\":\\x0a1} and 3 bytes 01ff61");
    request.body = STR("\x81");
    assert_text(sent_describe(profile_named("v2-rest"), &request, true, &arena), "1 bytes 81");
    char many[500];
    memset(many, '[', sizeof many);
    request.body = (struct str){many, sizeof many};
    assert_int_equal(sent_describe(profile_named("v2-rest"), &request, true, &arena).size, 500);
}

SENT_TEST(bytes_of_a_connection_are_told)
{
    struct str writes[] = {STR("GET / HTTP/1.1\r\n"), STR("\r\n\xff")};
    const struct request bytes = {.endpoint = endpoint_named("http"), .writes = writes, .write_count = 2};
    assert_text(sent_describe(profile_named("v2-rest"), &bytes, false, &arena),
                "GET / HTTP/1.1\\x0d\\x0a\\x0d\\x0a\\xff");
    struct request frames = call_of(STR("\0\0\4\10\0\0\0\0\1\0\0\0\0\0\0\2\x63\1\0\0\0\3\1\2\0\0\1"));
    frames.http2_raw = true;
    describes(&frames, "WINDOW_UPDATE flags 00 stream 1, 4 bytes: 00000000; a frame of kind 99 flags 01 stream 3, 2 "
                       "bytes: 0102; 3 bytes that are no frame: 000001");
}
