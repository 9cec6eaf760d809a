/* Commands that send a failed request again: curl and grpcurl send the same bytes. */
#include "base/search.h"
#include "client/client.h"
#include "null_server.h"
#include "shell.h"

static char directory[64] = "/tmp/oip-command-XXXXXX";
static struct str made; /* the folder that must go */

static int make_directory(void **)
{
    if (mkdtemp(directory) == NULL)
        return 1;
    made = arena_copy(&arena, str_of(directory));
    snprintf(directory, sizeof directory, "%s/deep/er", made.data); /* the command makes the folder */
    return 0;
}

static int drop_directory(void **)
{
    shell_says("rm -r %s", made.data);
    return 0;
}

static bool ends_with(struct str text, struct str end)
{
    return text.size >= end.size && memcmp(text.data + text.size - end.size, end.data, end.size) == 0;
}

/* The server echoes what it receives. The command must make it receive the same as the exchange did. */
static void check_same(const struct null_server *server, const struct request *request, const char *where)
{
    struct answer answer;
    struct client *client = client_create(&server->options, &arena);
    client_exchange(client, request, NULL, &arena, &answer);
    assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
    struct str command = client_command(&server->options, request, where, STR("a/b@c#d"), &arena);
    struct str printed = shell_says("%s", command.data);
    if (!ends_with(printed, answer.body))
        fail_msg("%.*s\nsent\n%.*s\ninstead of\n%.*s", STR_ARG(command), STR_ARG(printed), STR_ARG(answer.body));
    client_destroy(client);
}

const struct unit_group unit_group = {make_directory, drop_directory};

TEST(http_commands_send_the_same_bytes)
{
    struct header headers[] = {{STR("Content-Type"), STR("application/json")},
                               {STR("X-Quote"), STR("it's \"quoted\" $HOME `x` \\")},
                               {STR("X-Empty"), STR("")}};
    struct header fewer[] = {{STR("Host"), {0}}, {STR("Content-Length"), STR("2")}};
    struct request requests[] = {
        {.endpoint = OVER_HTTP, .method = STR("GET"), .path = STR("/v2/models/a%2Fb/../{x}?q=[1]")},
        {.endpoint = OVER_HTTP, .method = STR("GET"), .path = STR("/v2/with blank#and\xff")},
        {.endpoint = OVER_HTTP, .method = STR("DELETE"), .path = STR("/v2")},
        {.endpoint = OVER_HTTP, .method = STR("POST"), .path = STR("/v2")},
        {.endpoint = OVER_HTTP, .method = STR("GET"), .path = STR("/v2"), .http_version = STR("HTTP/1.0")},
        {.endpoint = OVER_HTTP,
         .method = STR("POST"),
         .path = STR("/"),
         .headers = {headers, 3},
         .has_body = true,
         .body = STR("{\"id\": \"it's\"}")},
        {.endpoint = OVER_HTTP,
         .method = STR("POST"),
         .path = STR("/"),
         .headers = {fewer, 2},
         .has_body = true,
         .body = STR("@\0\xff\n'x")},
        {.endpoint = OVER_HTTP, .method = STR("PUT"), .path = STR("/"), .has_body = true, .body = STR("@file")},
        {.endpoint = OVER_HTTP, .method = STR("POST"), .path = STR("/"), .has_body = true, .body = STR("")},
    };
    struct null_server server;
    const char *const lines[] = {"X-Given: ***"}; /* commands show the header's value as *** */
    null_server_start(&server, "echo", "dead");
    server.options.headers = (struct values){lines, 1};
    for (size_t i = 0; i < COUNT_OF(requests); i++) {
        check_same(&server, &requests[i], directory);
        check_same(&server, &requests[i], NULL);
    }
    null_server_stop(&server);
}

TEST(grpc_commands_send_the_same_message)
{
    struct header metadata = {STR("x-asked"), STR("yes")};
    struct request request = {.endpoint = OVER_GRPC,
                              .rpc = STR("/inference.GRPCInferenceService/ModelInfer"),
                              .metadata = {&metadata, 1},
                              .message = STR("\x0a\x06simple\x1a\x02"
                                             "42")};
    struct null_server server;
    null_server_start(&server, "dead", "echo");
    for (int i = 0; i < 2; i++) {
        struct str command = client_command(&server.options, &request, i ? directory : NULL, STR("x"), &arena);
        struct str printed = shell_says("%s", command.data);
        assert_non_null(memmem(printed.data, printed.size,
                               "\0\0\0\0\x0c\x0a\x06simple\x1a\x02"
                               "42",
                               17));
        assert_has(printed, "grpc-status: 0");
        assert_has(printed, "x-asked: yes");
    }
    null_server_stop(&server);
}

TEST(files_are_named_after_the_play)
{
    struct client_options options = {.timeout = 10};
    set_address(options.addresses, "http", STR("http://127.0.0.1:1"));
    struct request request = {
        .endpoint = OVER_HTTP, .method = STR("POST"), .path = STR("/"), .has_body = true, .body = STR("\x01")};
    struct str command = client_command(&options, &request, directory, STR("v2/x@rest#k"), &arena);
    assert_non_null(strstr(command.data, "/v2_x_rest_k.body'"));
}

TEST(what_the_options_headers_say_is_not_told)
{
    const char *const lines[] = {"Authorization: Bearer secret"};
    struct client_options options = {.timeout = 10, .headers = {lines, 1}};
    set_address(options.addresses, "http", STR("http://h:1"));
    set_address(options.addresses, "grpc", STR("h:2"));
    struct request requests[] = {{.endpoint = OVER_HTTP, .method = STR("GET"), .path = STR("/v2")},
                                 {.endpoint = OVER_GRPC, .rpc = STR("/inference.GRPCInferenceService/ServerLive")}};
    for (size_t i = 0; i < 2; i++) {
        const char *command = client_command(&options, &requests[i], NULL, STR("x"), &arena).data;
        assert_non_null(strstr(command, " -H 'Authorization: ***'"));
        assert_null(strstr(command, "secret"));
    }
}
