#include "targets/target.h"

#include "base/search.h"
#include "client/tape.h"
#include "client/trust.h"
#include "flags/headers.h"
#include "probe/example.h"
#include "probe/kit_inputs.h"
#include "probe/models.h"
#include "protocols/protocol.h"
#include "support/complain.h"
#include "support/files.h"
#include "support/task.h"
#include "targets/interruption.h"
#include "targets/replay_id.h"
#include "targets/target_flags.h"

#include <stdlib.h>

/* --- What was found --- */

/* Notes that nobody has proved to be the server, if that is so. */
static void note_insecure(struct target *target)
{
    const struct client_options *client = &target->client;
    target->insecure =
        client->insecure &&
        ANY(i, ENDPOINTS_MAX, client->addresses[i].at.size && address_is_secure(client, client->addresses[i].at));
    if (target->insecure)
        target->known.discovery.notes = arena_printf(
            &target->arena,
            "the server's certificate was not checked (--insecure), so the server's identity is not proved\n%.*s",
            STR_ARG(target->known.discovery.notes));
}

/* Notes the endpoints over which nothing can be judged. Returns why, if that is true of all of them. */
static struct str find_hindered(struct target *target)
{
    struct str why = {0};
    bool all = true;
    for (size_t i = 0; i < ENDPOINTS_MAX; i++) {
        if (!target->client.addresses[i].at.size)
            continue;
        struct str hindered = target->known.discovery.hindered[i];
        if (hindered.size)
            why = arena_printf(&target->arena, "%.*s%s%.*s", STR_ARG(why), why.size ? "; " : "", STR_ARG(hindered));
        all &= hindered.size > 0;
    }
    return all ? why : (struct str){0};
}

/* Returns a sentence if an address ends with the path with which all requests begin, and nothing is found there. */
static struct str find_doubled_root(struct target *target)
{
    for (size_t i = 0; i < target->profile_count; i++) {
        const struct endpoint *endpoint = target->profiles[i]->endpoint;
        struct str root = protocol_inquiry(target->profiles[i])->root, at = client_address(&target->client, endpoint);
        if (root.size && at.size > root.size && !target->known.discovery.succeeded[endpoint->index] &&
            str_ends(at, root))
            return arena_printf(&target->arena,
                                "nothing was found at %.*s: leave '%.*s' out of the address, because the judge adds it",
                                STR_ARG(at), STR_ARG(root));
    }
    return (struct str){0};
}

static bool chooses_something(const struct plan *plan)
{
    return plan->play_count == 0 || ANY(i, plan->play_count, !plan->plays[i].disabled.size);
}

/* Returns why --filter and --skip leave no case: they do not match, or they name what the target does not offer. */
static struct str why_no_case(struct target *target)
{
    const struct plan *plan = &target->plan;
    const struct values *filters = &target->options->selected.filters;
    for (size_t i = 0; i < plan->not_offered_count * filters->count; i++) {
        const struct not_offered *row = &plan->not_offered[i / filters->count];
        const char *filter = filters->items[i % filters->count];
        if (row->profile && str_starts(str_of(filter), row->profile->name))
            return arena_printf(&target->arena, "--filter '%s' leaves no case, because %.*s cannot be judged: %.*s",
                                filter, STR_ARG(row->profile->name), STR_ARG(row->why));
    }
    return STR("--filter and --skip leave no case; `oip-conformance list` shows the IDs");
}

static struct target *new_target(const struct options *options)
{
    static const struct plan_target nothing;
    struct target *target = memory_zeroed(sizeof *target);
    *target = (struct target){
        .options = options, .arena = memory_arena(), .planned = &nothing, .plan = {.arena = memory_arena()}};
    return target;
}

/* --- From the flags to the plan --- */

static int code_of(struct status status, int code, struct str *why)
{
    *why = status.message;
    return is_ok(status) ? EXIT_CONFORMANT : code;
}

/* Returns the exit code for what the user gave, which is wrong if there is a sentence about it. */
static int code_of_usage(struct str wrong, struct str *why)
{
    *why = wrong;
    return wrong.size ? EXIT_USAGE : EXIT_CONFORMANT;
}

static int load_suite(struct target *target, struct str *why)
{
    struct status status = suite_load(target->options->fixtures, &target->suite);
    if (is_ok(status))
        status = protocols_check(&target->suite.registry, &target->suite.arena);
    return code_of(status, EXIT_SUITE, why);
}

static struct status check_readable(const char *flag, const char *path, struct arena *arena)
{
    struct status status = path ? disk_check(path, FILE_SIZE_MAX, arena) : STATUS_IS_OK;
    return is_ok(status) ? STATUS_IS_OK : status_invalid(arena, "%s: %.*s", flag, STR_ARG(status.message));
}

/* Whether the files for TLS can be read. What is recorded is judged without them. */
static struct status check_files(const struct client_options *client, struct arena *arena)
{
    if (tape_plays(client->tape))
        return STATUS_IS_OK;
    struct status status = check_readable("--ca", client->ca, arena);
    if (is_ok(status))
        status = check_readable("--cert", client->cert, arena);
    if (is_ok(status))
        status = check_readable("--key", client->key, arena);
    return status;
}

static int check_flags(struct target *target, struct str *why)
{
    const struct options *options = target->options;
    struct client_options *client = &target->client;
    *client = options->client;
    client->secrets = header_secrets_of(&client->headers, &target->arena);
    struct status status = check_files(client, &target->arena);
    if (!is_ok(status))
        return code_of(status, EXIT_USAGE, why);
    client->trust = client->insecure || tape_plays(client->tape) ? NULL : trust_read(client->ca);
    target->known =
        (struct plan_target){.flags = options->flags, .selected = options->selected, .secrets = client->secrets};
    return code_of_usage(target_flags_take(target), why);
}

/* Begins the tape, on which discovery stands, too. */
static int begin_tape(struct target *target, struct str *why)
{
    const struct options *options = target->options;
    struct client_options *client = &target->client;
    if (!options->record)
        return EXIT_CONFORMANT;
    struct status status = tape_create(options->record, client->secrets, &target->arena, &client->tape);
    for (size_t i = 0; i < options->words.count && is_ok(status); i++)
        tape_note_argument(client->tape, str_of(options->words.items[i]));
    return code_of(status, EXIT_SUITE, why);
}

/* Finds out which model the case needs that is played alone. */
static int find_only(struct target *target, struct str *why)
{
    const struct options *options = target->options;
    struct str wrong = {0};
    if (options_play_one(options))
        wrong = replay_id_check(&target->suite, options, &target->arena, &target->only);
    return code_of_usage(wrong, why);
}

/* Whether the target can be asked about itself under the profile. An extension leaves that to what it extends. */
static bool describes_target(const struct profile *profile)
{
    const struct inquiry *inquiry = protocol_inquiry(profile);
    return inquiry->server || inquiry->metadata;
}

static bool is_same_line(const struct profile *one, const struct profile *other)
{
    return one->endpoint == other->endpoint && str_equal(one->protocol, other->protocol);
}

/* Returns the profiles under which discovery asks: those asked for, and of extensions alone what they extend. */
static const struct profile **profiles_of_discovery(struct target *target, size_t *count)
{
    const struct registry *registry = &target->suite.registry;
    const struct profile **asked = arena_alloc_zero(&target->arena, registry->profile_count, sizeof *asked);
    *count = 0;
    FOR_EACH(profile, registry->profiles, registry->profile_count)
        if (ANY(k, target->profile_count,
                target->profiles[k] == profile ||
                    (is_same_line(target->profiles[k], profile) && describes_target(profile))))
            asked[(*count)++] = profile;
    return asked;
}

/* Whether something seems to be in the way at an endpoint. More questions may show that nothing is. */
static bool is_hindered(const struct target *target)
{
    return ANY(i, ENDPOINTS_MAX, target->known.discovery.hindered[i].size > 0);
}

static int ask(struct target *target, struct str *why)
{
    const struct options *options = target->options;
    struct discovery_options asked = {.client = &target->client,
                                      .flags = options->flags,
                                      .claims = target->claims,
                                      .claim_count = options->claims.count,
                                      .only = target->only,
                                      .interrupted = interruption_flag()};
    struct tree *examples = NULL;
    bool names_one = options->flags.models.count == 1 && !models_is_glob(options->flags.models.items[0]);
    const char *only_model = names_one ? options->flags.models.items[0] : NULL;
    struct status status =
        examples_read(options->examples.items, options->examples.count, only_model, &target->arena, &examples);
    asked.examples = examples;
    asked.profiles = profiles_of_discovery(target, &asked.profile_count);
    if (is_ok(status))
        discover(&target->suite, &asked, &target->arena, &target->known.discovery);
    if (is_ok(status) && target->only && is_hindered(target)) {
        asked.only = target->only = NULL;
        discover(&target->suite, &asked, &target->arena, &target->known.discovery);
    }
    return code_of(status, EXIT_USAGE, why);
}

struct str target_interruption(const struct options *options, int interrupted, struct arena *arena)
{
    if (interrupted != INTERRUPTED_BY_TIME)
        return run_interruption(interrupted);
    return arena_printf(arena, "the time limit of %g s was reached (--time-limit S gives more)", options->time_limit);
}

static int code_of_interruption(void)
{
    return *interruption_flag() == INTERRUPTED_BY_TIME ? EXIT_TIME_LIMIT : EXIT_INTERRUPTED;
}

static int check_answers(struct target *target, struct str *why)
{
    const struct options *options = target->options;
    note_insecure(target);
    target->client.one_connection = target->known.discovery.one_connection;
    if (target->client.one_connection)
        target->known.flags.jobs = 1;
    *why = find_doubled_root(target);
    if (why->size)
        return EXIT_USAGE;
    *why = find_hindered(target);
    if (why->size)
        return interruption_came() ? code_of_interruption() : EXIT_UNREACHABLE;
    struct str unmatched = target->known.discovery.unmatched_glob;
    return code_of_usage(unmatched.size ? unmatched
                                        : kit_inputs_mapped(&target->suite, &target->known.discovery,
                                                            &options->flags.map, &target->arena),
                         why);
}

static int make_plan(struct target *target, struct str *why)
{
    target->planned = &target->known;
    struct status status = plan_make(&target->suite, &target->known, &target->plan);
    if (!is_ok(status))
        return code_of(status, EXIT_SUITE, why);
    struct str unmatched = plan_unmatched_glob(&target->suite, &target->known, &target->plan, &target->arena);
    if (!unmatched.size && !chooses_something(&target->plan))
        unmatched = why_no_case(target);
    return code_of_usage(unmatched, why);
}

static int prepare(struct target *target, struct str *why)
{
    static int (*const steps[])(struct target * target, struct str * why) = {
        load_suite, check_flags, find_only, begin_tape, ask, check_answers, make_plan};
    int code = EXIT_CONFORMANT;
    for (size_t i = 0; i < COUNT_OF(steps) && code == EXIT_CONFORMANT; i++)
        code = steps[i](target, why);
    return code;
}

/* What the task makes. */
struct opening {
    struct target *target;
    struct str why;
    int code;
};

static void open_target(void *context)
{
    struct opening *opening = context;
    opening->code = prepare(opening->target, &opening->why);
}

int target_open(const struct options *options, struct target **target, struct str *why)
{
    struct opening *opening = memory_zeroed(sizeof *opening);
    struct task_end end = {.interrupted = interruption_flag()};
    opening->target = new_target(options);
    interruption_watch(options->time_limit);
    if (!task_run(open_target, opening, &end)) {
        *target = new_target(options);
        (*target)->left = true;
        *why = arena_printf(&(*target)->arena, "%.*s while the target was asked about itself",
                            STR_ARG(target_interruption(options, *interruption_flag(), &(*target)->arena)));
        return code_of_interruption();
    }
    *target = opening->target;
    *why = secrets_hide((*target)->client.secrets, opening->why, &(*target)->arena);
    int code = opening->code;
    free(opening);
    return code;
}

struct run_options target_run_options(const struct target *target)
{
    struct run_options options = {.client = target->client,
                                  .target = &target->known,
                                  .jobs = target->known.flags.jobs,
                                  .strict = target->options->strict,
                                  .interrupted = interruption_flag()};
    return options;
}

void target_close(struct target *target)
{
    plan_free(&target->plan);
    suite_free(&target->suite);
    trust_free(target->client.trust);
    if (target->client.tape != target->options->client.tape)
        tape_free(target->client.tape);
    arena_free(&target->arena);
    free(target);
}

int target_run(const struct options *options, int (*command)(struct target *target, struct str *why))
{
    struct target *target;
    struct str why = {0};
    int code = target_open(options, &target, &why);
    if (code == EXIT_CONFORMANT)
        code = command(target, &why);
    if (why.size)
        complain(why);
    if (target->left)
        task_exit(code);
    target_close(target);
    return code;
}
