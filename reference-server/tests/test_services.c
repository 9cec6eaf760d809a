/* Tests that the rows of services.c agree with one another and with the endpoints. */
#include "services/service.h"
#include "tests/scratch.h"

static const char *profiles[64];
static size_t profile_count;

/* Each profile must belong to one service and one transport, because a deviation knows requests only by their
 * profile. */
static void take_profile(const char *profile)
{
    for (size_t i = 0; i < profile_count; i++)
        if (strcmp(profiles[i], profile) == 0)
            fail_msg("the profile %s is there twice", profile);
    profiles[profile_count++] = profile;
}

const struct unit_group unit_group = {make_arena, drop_arena};

TEST(every_profile_is_of_one_service)
{
    for (size_t i = 0; i < service_count; i++) {
        if (services[i].http)
            take_profile(services[i].http->profile);
        if (services[i].grpc)
            take_profile(services[i].grpc->profile);
    }
    assert_true(profile_count >= service_count);
}

TEST(every_service_lives_on_an_endpoint)
{
    char *arguments[] = {(char[]){"server"}, (char[]){"--help"}};
    struct options options;
    assert_true(is_ok(options_parse(2, arguments, &options, &arena)));
    for (size_t i = 0; i < service_count; i++) {
        bool is_found = !services[i].http;
        for (size_t k = 0; k < ENDPOINT_COUNT && !is_found; k++)
            is_found =
                !options.endpoints[k].is_grpc && strcmp(options.endpoints[k].name, services[i].http->listener) == 0;
        if (!is_found)
            fail_msg("%s lives on %s, which is no endpoint for HTTP", services[i].name, services[i].http->listener);
    }
}

TEST(every_service_has_a_context)
{
    struct options options = {0};
    struct repository *somewhere = (struct repository *)(void *)&options; /* nothing is read of it */
    const struct shared shared = {.repository = somewhere, .options = &options, .name = "n", .version = "1"};
    for (size_t i = 0; i < service_count; i++)
        assert_true(!services[i].open || services[i].open(&shared, &arena));
}

TEST(protocols_are_chosen)
{
    char *arguments[] = {(char[]){"server"}, (char[]){"--models=a"}, (char[]){"--protocols=trtis-v1,predict-v2"}};
    struct options options;
    assert_true(is_ok(options_parse(2, arguments, &options, &arena)));
    for (size_t i = 0; i < service_count; i++)
        assert_true(service_is_wanted(&options, services[i].name));
    assert_true(is_ok(options_parse(3, arguments, &options, &arena)));
    assert_true(service_is_wanted(&options, "trtis-v1") && service_is_wanted(&options, "predict-v2"));
    assert_false(service_is_wanted(&options, "graphpipe") || service_is_wanted(&options, "predict"));
    assert_true(is_ok(services_choose(&options, &arena)));
}

TEST(endpoints_without_a_protocol_are_not_served)
{
    char *arguments[] = {(char[]){"server"}, (char[]){"--models=a"}, (char[]){"--protocols=graphpipe"},
                         (char[]){"--graphpipe=127.0.0.1:0"}};
    struct options options;
    assert_true(is_ok(options_parse(4, arguments, &options, &arena)));
    assert_true(is_ok(services_choose(&options, &arena)));
    for (size_t i = 0; i < ENDPOINT_COUNT; i++)
        assert_int_equal(options.endpoints[i].address != NULL, strcmp(options.endpoints[i].name, "graphpipe") == 0);
    assert_true(is_ok(options_parse(3, arguments, &options, &arena)));
    assert_int_equal(services_choose(&options, &arena).code, STATUS_INVALID_ARGUMENT);
    options.protocols = "predict-v2,nothing";
    assert_fails(services_choose(&options, &arena), STATUS_INVALID_ARGUMENT,
                 "there is no protocol 'nothing'; --help names them");
}
