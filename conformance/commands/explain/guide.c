/* `guide`: how one builds a server for a profile. The cases that the profile's `guide` names are in the order in
 * which one builds the endpoints; each tells a right exchange. The rows of the ledger stand below the endpoint whose
 * cases expect them, and those that several endpoints share, or none has alone, after the last one. */
#include "commands/commands.h"
#include "commands/explain/explain.h"

#include "base/search.h"
#include "plan/request.h"
#include "protocols/protocol.h"
#include "support/nearest.h"
#include "support/wrap.h"

#define STOPS_MAX 64 /* cases of a guide */

enum { NOWHERE = -1, SHARED = -2 };

/* A case of the guide. */
struct stop {
    const struct play *play;
    struct str endpoint; /* "GET /v2/models/NAME", or the path of an rpc */
    bool is_versioned;   /* some case asks it for a version of the model */
};

struct guide {
    struct explaining *explaining;
    const struct profile *profile;
    struct stop stops[STOPS_MAX];
    size_t count;
    int *place; /* by the position of a row in the ledger: the stop below which it stands, or one of the names above */
};

/* --- Endpoints --- */

/* Cuts the version off that stands before the rest of a path, if there is one. Returns whether there was. */
static bool cut_version(const struct guide *guide, struct str *rest)
{
    const struct protocol *protocol = protocol_named(guide->profile->protocol);
    struct str below = str_of(protocol && protocol->below_model ? protocol->below_model : "");
    if (!below.size || !str_starts(*rest, below))
        return false;
    struct str version = str_from(*rest, below.size);
    *rest = str_from(version, str_before(version, '/').size);
    return true;
}

/* Returns the path with NAME for the model, without its version and its query. */
static struct str without_names(const struct guide *guide, const struct play *play, struct str path, bool *is_versioned)
{
    struct arena *arena = guide->explaining->arena;
    const struct str models[] = {play->group->model, guide->explaining->nominal->target.discovery.no_model};
    path.size = strcspn(arena_copy(arena, path).data, "? ");
    for (size_t i = 0; i < COUNT_OF(models); i++) {
        struct str segment = arena_printf(arena, "/%.*s", STR_ARG(models[i]));
        const char *found = models[i].size ? memmem(path.data, path.size, segment.data, segment.size) : NULL;
        size_t before = found ? (size_t)(found - path.data) : 0;
        struct str rest = str_from(path, before + segment.size);
        if (!found || (rest.size && rest.data[0] != '/'))
            continue;
        *is_versioned = cut_version(guide, &rest);
        return arena_printf(arena, "%.*s/NAME%.*s", (int)before, path.data, STR_ARG(rest));
    }
    return path;
}

/* Returns what the play asks; empty if it asks several things, or bytes are the point. */
static struct str endpoint_of(const struct guide *guide, const struct play *play, bool *is_versioned)
{
    struct arena *arena = guide->explaining->arena;
    struct str http = tree_text(play->act, "http"), grpc = tree_text(play->act, "grpc");
    struct request request;
    *is_versioned = false;
    if (grpc.size)
        return request_rpc(grpc, play->group->profile, arena);
    if (tree_member(play->act, "infer") &&
        is_ok(play_request(play, &guide->explaining->nominal->target, arena, &request)))
        http = request.rpc.size ? request.rpc
                                : arena_printf(arena, "%.*s %.*s", STR_ARG(request.method), STR_ARG(request.path));
    if (!str_has(http, ' '))
        return http;
    size_t method = str_before(http, ' ').size + 1;
    return arena_printf(arena, "%.*s%.*s", (int)method, http.data,
                        STR_ARG(without_names(guide, play, str_from(http, method), is_versioned)));
}

/* Returns the stop of an endpoint: of several that of the play's case, else the first; NOWHERE: it has none. */
static int stop_of(const struct guide *guide, const struct group *group, struct str endpoint)
{
    int first = NOWHERE;
    for (size_t i = guide->count; i-- > 0 && endpoint.size;) {
        if (!str_equal(guide->stops[i].endpoint, endpoint))
            continue;
        first = (int)i;
        if (guide->stops[i].play->group->family == group->family)
            return first;
    }
    return first;
}

/* Puts each row below the stop whose endpoint alone expects it; of the stops of one endpoint the last counts, because
 * the first is the one with the most rows. */
static void place_rows(struct guide *guide)
{
    const struct nominal *nominal = guide->explaining->nominal;
    const struct ledger *ledger = &nominal->suite.ledger;
    guide->place = arena_alloc_zero(guide->explaining->arena, ledger->count, sizeof *guide->place);
    for (size_t i = 0; i < ledger->count; i++)
        guide->place[i] = NOWHERE;
    FOR_EACH(group, nominal->plan.groups, nominal->plan.group_count) {
        if (!registry_binds(&nominal->suite.registry, guide->profile->name, group->profile))
            continue;
        bool is_versioned;
        int stop = stop_of(guide, group, endpoint_of(guide, group->plays[0], &is_versioned));
        for (size_t p = 0; p < group->play_count && stop >= 0; p++) {
            guide->stops[stop].is_versioned |=
                str_equal(endpoint_of(guide, group->plays[p], &is_versioned), guide->stops[stop].endpoint) &&
                is_versioned;
            for (size_t a = 0; a < group->plays[p]->assertion_count; a++) {
                int *place = &guide->place[group->plays[p]->assertions[a].requirement - ledger->rows];
                if (*place == NOWHERE ||
                    (*place >= 0 && str_equal(guide->stops[*place].endpoint, guide->stops[stop].endpoint)))
                    *place = *place < stop ? stop : *place;
                else
                    *place = SHARED;
            }
        }
    }
}

/* --- What is told --- */

/* Whether the guide tells the row: a demand of the newest edition on servers, that cases check. `texts`: of what the
 * profile builds upon. */
static bool is_written(const struct guide *guide, const struct requirement *row, bool texts)
{
    const struct registry *registry = &guide->explaining->nominal->suite.registry;
    bool is_own = texts
                      ? registry_is_text(registry, row->prefix) && registry_binds(registry, row->prefix, guide->profile)
                      : str_equal(row->prefix, guide->profile->name);
    return is_own && str_is(row->binds, "server") && str_is(row->status, "tested") &&
           registry_in_edition(registry, row->sources, registry_newest_edition(registry));
}

static void write_row(const struct guide *guide, const struct requirement *row)
{
    explain_say(guide->explaining, level_name(row->level), 0, "%.*s: %.*s", STR_ARG(row->key), STR_ARG(row->says));
}

/* Tells the rows below a stop: those about answers first, and of these each MUST first. */
static void write_demands(const struct guide *guide, int stop)
{
    const struct ledger *ledger = &guide->explaining->nominal->suite.ledger;
    int levels = guide->explaining->all ? LEVEL_OPEN + 1 : LEVEL_SHOULD + 1;
    for (int rank = 0; rank < LAYERS * levels; rank++)
        for (size_t i = 0; i < ledger->count; i++) {
            const struct requirement *row = &ledger->rows[i];
            int place = guide->place[i] == SHARED ? NOWHERE : guide->place[i];
            if (place == stop && (int)row->layer * levels + (int)row->level == rank && (int)row->level < levels &&
                is_written(guide, row, false))
                write_row(guide, row);
        }
}

/* Tells each MUST of what the profile builds upon. */
static void write_texts(const struct guide *guide)
{
    const struct ledger *ledger = &guide->explaining->nominal->suite.ledger;
    explain_title(guide->explaining, 3,
                  arena_printf(guide->explaining->arena, "%.*s-texts", STR_ARG(guide->profile->name)),
                  STR("Below, where a library does most"));
    for (size_t i = 0; i < ledger->count; i++)
        if (ledger->rows[i].level == LEVEL_MUST && is_written(guide, &ledger->rows[i], true))
            write_row(guide, &ledger->rows[i]);
}

/* Returns "4. GET /v2/models/NAME[/versions/VERSION]". */
static struct str title_of(const struct guide *guide, size_t index)
{
    const struct stop *stop = &guide->stops[index];
    struct arena *arena = guide->explaining->arena;
    const char *name = stop->is_versioned ? memmem(stop->endpoint.data, stop->endpoint.size, "/NAME", 5) : NULL;
    size_t before = name ? (size_t)(name - stop->endpoint.data) + 5 : stop->endpoint.size;
    return arena_printf(arena, "%zu. %.*s%s%s%s%.*s", index + 1, (int)before, stop->endpoint.data, name ? "[" : "",
                        name ? protocol_named(guide->profile->protocol)->below_model : "", name ? "VERSION]" : "",
                        STR_ARG(str_from(stop->endpoint, before)));
}

static void write_stop(const struct guide *guide, size_t index)
{
    struct explaining *explaining = guide->explaining;
    struct arena *arena = explaining->arena;
    const struct stop *stop = &guide->stops[index];
    const struct suite_model *model = suite_model(&explaining->nominal->suite, stop->play->group->kit_model);
    explain_title(explaining, 3, arena_printf(arena, "%.*s-%zu", STR_ARG(guide->profile->name), index + 1),
                  title_of(guide, index));
    explain_member(explaining, "says", stop->play->says, 0);
    explain_member(explaining, "case", stop->play->group->family->path, 0);
    if (model)
        explain_say(explaining, "NAME", 0, "here %.*s: %.*s; %.*s", STR_ARG(model->name), STR_ARG(model->takes),
                    STR_ARG(model->does));
    explain_right(explaining, stop->play, 0);
    explain_title(explaining, 4, STR(""), STR(""));
    write_demands(guide, (int)index);
}

/* Counts the rows that leave the choice to the server. */
static size_t count_open(const struct guide *guide)
{
    const struct ledger *ledger = &guide->explaining->nominal->suite.ledger;
    return SUM(i, ledger->count, ledger->rows[i].level > LEVEL_SHOULD && is_written(guide, &ledger->rows[i], false));
}

static void write_beginning(const struct guide *guide)
{
    struct explaining *explaining = guide->explaining;
    const struct registry *registry = &explaining->nominal->suite.registry;
    const struct profile *profile = guide->profile;
    const struct tree *says = tree_member(profile->guide, "says");
    const struct tree *edition = registry->editions ? registry->editions->last : NULL;
    explain_member(explaining, "edition", tree_text(edition, "says"), 0);
    FOR_EACH_IN(sentence, tree_first(says))
        explain_member(explaining, sentence == says->first ? "know" : "", sentence->text, 0);
    explain_member(
        explaining, "read",
        STR("> is what a client sends, < what a correct server answers. A line that is too long continues on the next "
            "one, which begins with blanks. NAME stands for a model's name. Bytes that are no text stand as "
            "hexadecimal digits, with what they mean."),
        0);
    explain_say(explaining, "judge", 0, "oip-conformance run %.*s --profile %.*s --model NAME",
                STR_ARG(profile->endpoint->flag), STR_ARG(profile->name));
}

void explain_guide(struct explaining *explaining, const struct profile *profile)
{
    struct guide guide = {.explaining = explaining, .profile = profile};
    struct arena *arena = explaining->arena;
    const struct tree *cases = tree_member(profile->guide, "cases");
    for (const struct tree *path = tree_first(cases); path && guide.count < STOPS_MAX; path = path->next) {
        const struct play *play = plan_answered(&explaining->nominal->plan, path->text);
        bool is_versioned;
        if (play)
            guide.stops[guide.count++] =
                (struct stop){.play = play, .endpoint = endpoint_of(&guide, play, &is_versioned)};
    }
    place_rows(&guide);
    explain_title(
        explaining, 2, arena_printf(arena, "guides-%.*s", STR_ARG(profile->name)),
        arena_printf(arena, "How to build a server for %.*s: %.*s", STR_ARG(profile->name), STR_ARG(profile->says)));
    write_beginning(&guide);
    for (size_t i = 0; i < guide.count; i++)
        write_stop(&guide, i);
    explain_title(explaining, 3, arena_printf(arena, "%.*s-everywhere", STR_ARG(profile->name)), STR("Everywhere"));
    write_demands(&guide, NOWHERE);
    if (!explaining->all)
        explain_say(explaining, "open", 0, "%zu more, in which the documents leave the choice to the server (--all)",
                    count_open(&guide));
    write_texts(&guide);
}

static const struct profile *guided_profile(const struct registry *registry, struct str name, struct nearest *nearest)
{
    FOR_EACH(profile, registry->profiles, registry->profile_count) {
        if (profile->guide && str_equal(profile->name, name))
            return profile;
        if (profile->guide)
            nearest_try(nearest, profile->name);
    }
    return NULL;
}

static int print_guide(struct explaining *explaining, const struct options *options)
{
    const struct registry *registry = &explaining->nominal->suite.registry;
    struct str name = options->operands.count ? str_of(options->operands.items[0]) : STR("");
    struct nearest nearest = {.word = name};
    const struct profile *profile = guided_profile(registry, name, &nearest);
    if (profile) {
        explain_guide(explaining, profile);
    } else if (name.size) {
        struct str hint =
            nearest_hint(&nearest, 1, "`oip-conformance guide` lists the profiles that have one", explaining->arena);
        complain(arena_printf(explaining->arena, "there is no guide to '%s'; %s",
                              str_printable(explaining->arena, name), hint.data));
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < registry->profile_count && !profile; i++)
        if (registry->profiles[i].guide) {
            buf_printf(explaining->out, "%-26.*s ", STR_ARG(registry->profiles[i].name));
            append_wrapped(explaining->out, registry->profiles[i].says, 27);
            buf_append_byte(explaining->out, '\n');
        }
    return EXIT_CONFORMANT;
}

static int print(struct nominal *nominal, const struct options *options)
{
    return explain_print(nominal, options, print_guide);
}

int command_guide(const struct options *options)
{
    return nominal_run(options, print);
}
