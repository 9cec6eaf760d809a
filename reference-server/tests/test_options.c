/* The command line of the server. */
#include "services/options.h"

#include "base/search.h"
#include "tests/scratch.h"

#define PARSE(...) parsed((char *[]){(char[]){"server"}, __VA_ARGS__}, COUNT_OF(((char *[]){NULL, __VA_ARGS__})))

static struct options options;

static struct status parsed(char **arguments, size_t count)
{
    return options_parse((int)count, arguments, &options, &arena);
}

#define assert_refused(status, naming) assert_fails(status, STATUS_INVALID_ARGUMENT, naming)

/* Returns the address of an endpoint. */
static const char *address_of(const char *name)
{
    for (size_t i = 0; i < ENDPOINT_COUNT; i++)
        if (strcmp(options.endpoints[i].name, name) == 0)
            return options.endpoints[i].address;
    fail_msg("there is no endpoint %s", name);
    return NULL;
}

const struct unit_group unit_group = {make_arena, drop_arena};

TEST(defaults_are_loopback_on_the_ports_of_the_readme)
{
    assert_true(is_ok(PARSE("--models", "a")));
    assert_string_equal(address_of("http"), "127.0.0.1:8000");
    assert_string_equal(address_of("grpc"), "127.0.0.1:8001");
    assert_null(address_of("graphpipe"));
    assert_null(options.default_model);
    assert_false(options.dialect_kserve || options.dialect_graphpipe_go);
    assert_int_equal(options.max_message, 256 * 1024 * 1024);
    assert_int_equal(options.http_memory, ((size_t)8 * 256 + 128) * 1024 * 1024);
    assert_int_equal(options.grpc_output, GRPC_OUTPUT_RAW);
    assert_false(options.lenient_readiness);
    assert_null(options.protocols);
}

TEST(strict_readiness_is_true_or_false)
{
    assert_true(is_ok(PARSE("--models", "a", "--strict-readiness=false")));
    assert_true(options.lenient_readiness);
    assert_true(is_ok(PARSE("--models", "a", "--strict-readiness", "true")));
    assert_false(options.lenient_readiness);
    assert_refused(PARSE("--models", "a", "--strict-readiness=no"), "--strict-readiness");
    assert_refused(PARSE("--models", "a", "--protocols="), "--protocols");
}

TEST(values_come_after_a_blank_or_an_equals_sign)
{
    assert_true(is_ok(PARSE("--models", "a", "--models=n=b", "--http", "localhost:0", "--grpc=0.0.0.0:9",
                            "--max-message", "100", "--drain-timeout=0.5", "--grpc-output", "typed",
                            "--grpc-padding=255", "--deviate", "x,y", "--deviate=z")));
    assert_int_equal(options.models.count, 2);
    assert_string_equal(options.models.list[1], "n=b");
    assert_string_equal(address_of("http"), "127.0.0.1:0");
    assert_string_equal(address_of("grpc"), "0.0.0.0:9");
    assert_int_equal(options.max_message, 100);
    assert_int_equal(options.grpc_output, GRPC_OUTPUT_TYPED);
    assert_int_equal(options.grpc_padding, 255);
    assert_string_equal(options.deviate, "x,y,z");
}

TEST(flags_of_the_log)
{
    assert_true(is_ok(PARSE("--models", "a")));
    assert_true(!options.log && !options.log_json);
    assert_true(is_ok(PARSE("--models", "a", "--log", "-", "--log-format", "json")));
    assert_string_equal(options.log, "-");
    assert_true(options.log_json);
    assert_true(is_ok(PARSE("--models", "a", "--log=f", "--log-format=json", "--log-format=text")));
    assert_false(options.log_json);
    assert_refused(PARSE("--models", "a", "--log", ""), "file; - is stderr");
    assert_refused(PARSE("--models", "a", "--log-format", "xml"), "text or json");
}

TEST(flags_of_graphpipe)
{
    assert_true(is_ok(PARSE("--models", "a", "--http", "none", "--grpc", "none", "--graphpipe", "127.0.0.1:9000",
                            "--default-model", "m", "--dialect", "graphpipe-go")));
    assert_string_equal(address_of("graphpipe"), "127.0.0.1:9000");
    assert_string_equal(options.default_model, "m");
    assert_true(options.dialect_graphpipe_go && !options.dialect_kserve);
    assert_true(is_ok(PARSE("--models", "a", "--dialect", "kserve", "--dialect", "graphpipe-go")));
    assert_true(options.dialect_graphpipe_go && options.dialect_kserve);
    assert_refused(PARSE("--models", "a", "--default-model", ""), "--default-model");
    assert_refused(PARSE("--models", "a", "--deviate-by-header", "--graphpipe", "0.0.0.0:0"), "127");
}

TEST(an_endpoint_can_be_left_out)
{
    assert_true(is_ok(PARSE("--models", "a", "--http", "none")));
    assert_null(address_of("http"));
    assert_string_equal(address_of("grpc"), "127.0.0.1:8001");
}

TEST(what_is_not_understood_is_named)
{
    assert_refused(PARSE("--models", "a", "--modles", "b"), "--modles");
    assert_refused(PARSE("models"), "models");
    assert_refused(PARSE("--models"), "--models needs a value");
    assert_refused(PARSE("--models", ""), "'' is not a folder");
    assert_refused(PARSE("--models", "a="), "'a=' is not a folder");
    assert_refused(PARSE("--models", "=a"), "'=a' is not a folder");
    assert_refused(PARSE("--models", "a", "--deviate", ""), "--list-deviations");
    assert_refused(PARSE("--models", "--http", "127.0.0.1:0"), "--models needs a value");
    assert_refused(PARSE("--http", "127.0.0.1:0"), "--models DIR is missing");
    assert_refused(PARSE("--models", "a", "--http", "127.0.0.1"), "--http");
    assert_refused(PARSE("--models", "a", "--http", "127.0.0.1:65536"), "--http");
    assert_refused(PARSE("--models", "a", "--http", "[::1]:80"), "IPv4");
    assert_refused(PARSE("--models", "a", "--grpc", "::1:80"), "[::1]:8001");
    assert_refused(PARSE("--models", "a", "--grpc", "[127.0.0.1]:80"), "[::1]:8001");
    assert_refused(PARSE("--models", "a", "--grpc", "[]:80"), "[::1]:8001");
    assert_refused(PARSE("--models", "a", "--http", "none", "--grpc", "none"), "nothing to serve");
    assert_refused(PARSE("--models", "a", "--max-message", "0"), "--max-message");
    assert_refused(PARSE("--models", "a", "--max-message", "99999999999"), "--max-message");
    assert_refused(PARSE("--models", "a", "--http-memory", "1000000"), "--http-memory");
    assert_refused(PARSE("--models", "a", "--drain-timeout", "soon"), "--drain-timeout");
    assert_refused(PARSE("--models", "a", "--drain-timeout", "nan"), "--drain-timeout");
    assert_refused(PARSE("--models", "a", "--grpc-output", "RAW"), "--grpc-output");
    assert_refused(PARSE("--models", "a", "--grpc-padding", "256"), "from 0 to 255");
    assert_refused(PARSE("--models", "a", "--dialect", "triton"), "--dialect");
    assert_refused(PARSE("--models", "a", "--model-control", "all"), "none or explicit");
    assert_refused(PARSE("--models", "a", "--http-connections", "0"), "from 1 to 4096");
    assert_refused(PARSE("--models", "a", "--http-connections", "4097"), "from 1 to 4096");
    assert_refused(PARSE("--models", "a", "--tls-key", ""), "'' is not a file");
    assert_refused(PARSE("--help=yes"), "--help takes no value");
}

TEST(deviations_by_header_stay_at_home)
{
    assert_true(is_ok(PARSE("--models", "a", "--deviate-by-header")));
    assert_refused(PARSE("--models", "a", "--deviate-by-header", "--http", "0.0.0.0:0"), "127");
    assert_refused(PARSE("--models", "a", "--grpc", "0.0.0.0:0", "--deviate-by-header"), "127");
    assert_refused(PARSE("--models", "a", "--grpc", "[::]:0", "--deviate-by-header"), "127");
    assert_true(is_ok(PARSE("--models", "a", "--grpc", "[::1]:0", "--deviate-by-header")));
    assert_string_equal(address_of("grpc"), "[::1]:0");
}

TEST(clients_may_change_models_on_the_loopback_alone_unless_told)
{
    assert_true(is_ok(PARSE("--models", "a")));
    assert_int_equal(options.model_control, MODEL_CONTROL_EXPLICIT);
    assert_int_equal(options.loads.count, 0);
    assert_true(is_ok(PARSE("--models", "a", "--http", "0.0.0.0:0")));
    assert_int_equal(options.model_control, MODEL_CONTROL_NONE);
    assert_true(is_ok(PARSE("--models", "a", "--grpc", "0.0.0.0:0", "--http", "none")));
    assert_int_equal(options.model_control, MODEL_CONTROL_NONE);
    assert_true(is_ok(PARSE("--models", "a", "--grpc", "0.0.0.0:0", "--model-control", "explicit")));
    assert_int_equal(options.model_control, MODEL_CONTROL_EXPLICIT);
    assert_true(is_ok(PARSE("--models", "a", "--model-control=none", "--load", "m", "--load=n")));
    assert_int_equal(options.model_control, MODEL_CONTROL_NONE);
    assert_int_equal(options.loads.count, 2);
    assert_string_equal(options.loads.list[1], "n");
    assert_true(is_ok(PARSE("--models", "a", "--grpc", "0.0.0.0:0", "--repository-token", "file")));
    assert_int_equal(options.model_control, MODEL_CONTROL_EXPLICIT);
    assert_string_equal(options.repository_token, "file");
    assert_true(options.is_exposed);
    assert_true(is_ok(PARSE("--models", "a", "--repository-token=file", "--model-control", "none")));
    assert_int_equal(options.model_control, MODEL_CONTROL_NONE);
    assert_false(options.is_exposed);
    assert_refused(PARSE("--models", "a", "--repository-token", ""), "--repository-token");
    assert_refused(PARSE("--models", "a", "--model-control", "poll"), "--model-control");
    assert_refused(PARSE("--models", "a", "--load", ""), "--load");
}

TEST(the_help_fits_on_a_screen)
{
    struct buf out = {0};
    options_help(&out);
    buf_append_byte(&out, 0);
    assert_non_null(strstr(out.data, "\n  --help                          print this text\n"));
    for (const char *line = out.data, *line_end; (line_end = strchr(line, '\n')); line = line_end + 1)
        if (line_end - line > 80)
            fail_msg("%.*s", (int)(line_end - line), line);
    buf_free(&out);
}
