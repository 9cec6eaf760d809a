/* A small run made by hand, with every verdict and with the texts of a hostile server, for the tests of reports. */
#pragma once

#include "registry.h"
#include "report/summary.h"
#include "tests/scratch.h"

struct sample {
    struct suite suite;
    struct family family;
    struct group group;
    struct play play, *plays[1];
    struct assertion assertions[VERDICT_COUNT];
    struct requirement rows[5]; /* the last one is not in the ledger, unless a test counts it */
    struct result results[VERDICT_COUNT + 1];
    struct plan plan;
    struct plan_target target;
    struct run run;
    struct report report;
};

/* Bytes that break terminals, XML and JSON if they are not escaped. */
#define HOSTILE_BYTES                                                                                                  \
    "]]><failure>&\"'\x1b[31m\x00\x01\x7f\xff\xfe\xc2\x9b\xed\xa0\x80\xef\xbf\xbf\xe2\x80\xae\r\n\t\xf4\x90\x80\x80 "  \
    "end"
#define HOSTILE ((struct str){HOSTILE_BYTES, sizeof(HOSTILE_BYTES) - 1})

static inline struct requirement sample_row(const char *key, enum level level)
{
    size_t dot = strcspn(key, ".");
    return (struct requirement){.key = str_of(key),
                                .prefix = {key, dot},
                                .under = {key, dot},
                                .layer = strncmp(key, "http.", 5) == 0 ? LAYER_TRANSPORT : LAYER_ANSWERS,
                                .slug = str_of(key + dot + 1),
                                .level = level,
                                .binds = STR("server"),
                                .says = STR("it says < & >"),
                                .status = STR("tested"),
                                .source = STR("Predict Protocol (000), \"Inference\"")};
}

/* Makes one result for each verdict, in order. The last one is added once more as a failed replay. */
static inline void sample_make(struct sample *sample)
{
    memset(sample, 0, sizeof(*sample));
    sample->rows[0] = sample_row("v2-grpc.open-row", LEVEL_OPEN);
    sample->rows[1] = sample_row("v2-rest.must-row", LEVEL_MUST);
    sample->rows[2] = sample_row("v2-rest.other-must", LEVEL_MUST);
    sample->rows[3] = sample_row("v2-rest.should-row", LEVEL_SHOULD);
    sample->rows[4] = sample_row("http.must-row", LEVEL_MUST);
    sample->suite.ledger = (struct ledger){.rows = sample->rows, .count = 4};
    sample->family.path = STR("v2/infer/sample");
    sample->group = (struct group){
        .family = &sample->family, .encoding = encoding_named("rest-flat"), .profile = profile_named("v2-rest")};
    sample->play = (struct play){.id = STR("v2/infer/sample@rest-flat"),
                                 .says = STR("a sample"),
                                 .group = &sample->group,
                                 .is_base = true,
                                 .act = tree_new(&arena, TREE_OBJECT),
                                 .assertions = sample->assertions,
                                 .assertion_count = VERDICT_COUNT};
    sample->plays[0] = &sample->play;
    sample->group.plays = sample->plays;
    sample->group.play_count = 1;
    sample->plan.plays = &sample->play;
    sample->plan.play_count = 1;
    for (int i = 0; i < VERDICT_COUNT; i++) {
        const struct requirement *row = &sample->rows[i == VERDICT_WARN ? 3 : i == VERDICT_PASS_WEAK ? 0 : 1];
        sample->assertions[i] = (struct assertion){.id = arena_printf(&arena, "v2/infer/sample/%s@rest-flat#%.*s",
                                                                      verdict_name((enum verdict)i), STR_ARG(row->key)),
                                                   .requirement = row,
                                                   .observation = tree_string(&arena, STR("refused")),
                                                   .play = &sample->play};
        sample->results[i] = (struct result){.assertion = &sample->assertions[i],
                                             .verdict = (enum verdict)i,
                                             .observed = i == VERDICT_PASS_WEAK ? STR("seen") : STR(""),
                                             .expected = HOSTILE,
                                             .received = HOSTILE,
                                             .why = HOSTILE,
                                             .command = STR("curl --data-binary '<&>\"' http://x"),
                                             .refused_by = HOSTILE,
                                             .seconds = 0.25};
    }
    sample->results[VERDICT_COUNT] = sample->results[VERDICT_FAIL];
    sample->results[VERDICT_COUNT].replay = true;
    sample->run =
        (struct run){.results = sample->results, .result_count = VERDICT_COUNT + 1, .exchanges = 7, .seconds = 1.5};
    sample->plan.assertion_count = VERDICT_COUNT;
    set_address(sample->target.addresses, "http", STR("http://127.0.0.1:1"));
    sample->suite.registry = *the_registry();
    sample->report = (struct report){.suite = &sample->suite,
                                     .plan = &sample->plan,
                                     .run = &sample->run,
                                     .target = &sample->target,
                                     .addresses = sample->target.addresses,
                                     .server_name = HOSTILE,
                                     .server_version = HOSTILE,
                                     .suite_digest = STR("sha256:00112233445566778899aabbccddeeff"
                                                         "00112233445566778899aabbccddeeff"),
                                     .evidence = "reports/evidence/20231114T221320Z-7",
                                     .started = 1700000000,
                                     .jobs = 8,
                                     .seed = 42,
                                     .demands = {.layers = {true, true, false}},
                                     .ended = true,
                                     .exit_code = 1,
                                     .reason = STR("a MUST failed"),
                                     .notes = HOSTILE,
                                     .command = "oip-conformance run"};
}
