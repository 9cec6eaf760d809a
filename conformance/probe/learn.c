#include "probe/learn.h"

#include "base/search.h"
#include "probe/accepted.h"
#include "probe/claims.h"
#include "probe/example.h"
#include "probe/others.h"
#include "probe/request.h"

/* Sizes that are tried for dimensions of variable size: first small ones; then equal ones, for models whose dimensions
 * must agree; then those of pictures and of windows of text. */
static const struct request_sizes sizes_to_try[] = {{1, 2},  {1, 1},  {2, 2},  {1, 4},   {4, 4},   {1, 8},   {8, 8},
                                                    {1, 16}, {1, 32}, {1, 64}, {1, 128}, {1, 224}, {1, 256}, {1, 512}};

#define SIZES_COUNT COUNT_OF(sizes_to_try)

static struct status make_promised(const struct learner *learner, size_t number, struct arena *arena,
                                   struct tree **inputs)
{
    return request_from_metadata(learner->learned.metadata, learner->name, sizes_to_try[number], learner->seed, arena,
                                 inputs);
}

static const struct tree *promised_act(struct learner *learner, size_t number, struct arena *arena)
{
    struct tree *inputs;
    if (number >= SIZES_COUNT || (number > 0 && !request_varies(learner->learned.metadata)) ||
        !is_ok(make_promised(learner, number, arena, &inputs)))
        return NULL;
    return act_of(learner, tree_object(arena, {"inputs", inputs}), arena);
}

/* --- The model --- */

/* For the report: what is sent to the model. */
static void note_request(struct learner *learner, const struct tree *request, bool by_example)
{
    const struct tree *inputs = tree_member(request, "inputs");
    struct buf *requests = &learner->prober->requests;
    struct arena *arena = learner->prober->arena;
    const char *name = str_printable(arena, learner->name);
    buf_printf(requests, "model '%s' is probed with", name);
    FOR_EACH_IN(input, inputs->first) {
        buf_printf(requests, "%s '%s' %s ", input == inputs->first ? "" : ",",
                   str_printable(arena, tree_text(input, "name")), str_printable(arena, tree_text(input, "datatype")));
        if (tree_member(input, "shape"))
            tree_write(tree_member(input, "shape"), requests);
    }
    buf_printf(requests, "%s%s\n", inputs->first ? "" : " no inputs", by_example ? " (--example)" : "");
    if (!learner->learned.alike)
        buf_printf(&learner->prober->notes,
                   "model '%s' answers differently each time: only the form of its answers is compared\n", name);
}

static void note_refusal(struct learner *learner)
{
    struct arena *arena = learner->prober->arena;
    buf_printf(&learner->prober->notes, "model '%s' cannot be probed: %.*s", str_printable(arena, learner->name),
               STR_ARG(learner->evidence));
    if (!learner->example)
        buf_printf(&learner->prober->notes, "; --example FILE gives it a good request, such as %s",
                   example_of_example(learner->name, arena).data);
    buf_append_byte(&learner->prober->notes, '\n');
}

bool names_no_tensors(const struct tree *metadata)
{
    const struct tree *inputs = tree_member(metadata, "inputs"), *outputs = tree_member(metadata, "outputs");
    return !(inputs && inputs->count) && !(outputs && outputs->count);
}

/* Makes the first request. Fails if the metadata does not say enough. */
static struct status make_first(const struct learner *learner, struct arena *arena, struct tree **inputs)
{
    const struct tree *metadata = learner->learned.metadata;
    if (!metadata || !metadata->count)
        return status_invalid(arena, "it has no metadata (%.*s)", STR_ARG(learner->absent));
    return names_no_tensors(metadata) ? status_invalid(arena, "its metadata names no tensors")
                                      : make_promised(learner, 0, arena, inputs);
}

/* Makes inputs from the metadata and adds them as `promised`. Returns whether the model accepted them. */
static bool learn_promised(struct learner *learner, struct tree *probe)
{
    struct arena *arena = learner->prober->arena;
    struct tree *inputs = NULL;
    size_t taken = 0;
    struct status status = make_first(learner, arena, &inputs);
    bool found = is_ok(status) && find_request(learner, promised_act, &taken);
    if (found && taken)
        make_promised(learner, taken, arena, &inputs);
    learner->taken = taken;
    if (!is_ok(status)) {
        inputs = tree_new(arena, TREE_ARRAY);
        learner->evidence = status.message;
        tree_add(probe, STR("unusable"), tree_string(arena, status.message));
    }
    tree_add(probe, STR("promised"), inputs);
    return found;
}

static const struct tree *example_act(struct learner *learner, size_t number, struct arena *arena)
{
    return number ? NULL : act_of(learner, learner->example, arena);
}

static const struct tree *sequence_act(struct learner *learner, size_t number, struct arena *arena)
{
    const struct tree *promised = promised_act(learner, number, arena);
    struct tree *act = promised ? tree_copy(arena, promised) : NULL, *parameters;
    tree_parse(STR("{\"sequence_id\": 58451, \"sequence_start\": true, \"sequence_end\": true}"), arena, &parameters);
    if (act)
        tree_add(act, STR("parameters"), parameters);
    return act;
}

static bool claims_sequences(const struct prober *prober)
{
    return ANY(i, prober->profile_count, claims_have(prober->claims, prober->profiles[i], STR("sequence")));
}

/* Returns the outputs of a model that refuses what its metadata promises, but takes it as a whole sequence; an empty
 * list if it does not take that either. */
static struct tree *learn_sequence(struct learner *learner, struct tree *probe)
{
    struct arena *arena = learner->prober->arena;
    struct tree *inputs, *outputs = tree_new(arena, TREE_ARRAY);
    struct str evidence = learner->evidence;
    size_t taken = 0;
    bool found = request_is_makeable(learner->learned.metadata, learner->name) && claims_sequences(learner->prober) &&
                 find_request(learner, sequence_act, &taken);
    if (found && taken && is_ok(make_promised(learner, taken, arena, &inputs)))
        tree_set(probe, STR("promised"), inputs);
    const struct tree *answered = found ? tree_member(learner->learned.answer, "outputs") : NULL;
    if (answered)
        outputs = tree_copy_whole(arena, answered);
    learner->learned.answer = NULL;
    learner->evidence = evidence;
    return outputs;
}

/* Whether a configuration of the model says that it takes sequences, whatever their requests look like there. */
static bool is_for_sequences(struct prober *prober, struct str name)
{
    return ANY(i, prober->profile_count,
               prober_may_ask(prober, prober->profiles[i]) &&
                   inquiry_is_for_sequences(prober, prober->profiles[i], name));
}

/* --- Other requests that the model takes --- */

static const struct tree *other_act(struct learner *learner, size_t number, struct arena *arena)
{
    const struct tree *request = tree_object(arena, {"inputs", tree_copy(arena, learner->other)});
    return number ? NULL : act_of(learner, request, arena);
}

/* Whether the model takes other inputs; NULL: there are none. */
static bool takes(const struct learner *known, const struct tree *inputs)
{
    struct learner learner = *known;
    size_t taken;
    learner.once = true;
    learner.other = inputs;
    return inputs && find_request(&learner, other_act, &taken);
}

/* Adds each kind of other inputs, or null where there are none or the model does not take them. `played` are those that
 * it takes, or NULL. */
static void add_others(const struct learner *learner, struct tree *probe, const struct tree *played)
{
    struct arena *arena = learner->prober->arena;
    const struct tree *promised = tree_member(probe, "promised");
    struct tree *batch = played ? others_batch(learner->learned.metadata, learner->name, sizes_to_try[learner->taken],
                                               learner->seed, promised, arena)
                                : NULL;
    tree_add(probe, STR("batch"), takes(learner, batch) ? batch : tree_new(arena, TREE_NULL));
    for (size_t i = 0; i < OTHERS_COUNT; i++) {
        struct tree *inputs = played ? others_make(&others[i], played, arena) : NULL;
        bool given = others[i].untried ? inputs != NULL : takes(learner, inputs);
        tree_add(probe, str_of(others[i].name), given ? inputs : tree_new(arena, TREE_NULL));
    }
}

enum inferred learn_is_answered(struct prober *prober, const struct profile *profile, const struct subject *model)
{
    const struct tree *parameters = profile->by_model && profile->by_model->count ? profile->by_model : NULL;
    struct learner learner = {.prober = prober,
                              .name = model->name,
                              .example = model->example,
                              .of_outputs = parameters,
                              .once = true,
                              .learned = {.metadata = model->metadata, .version = model_last_version(model->metadata)}};
    const struct protocol *protocol = protocol_named(profile->protocol);
    enum inferred inferred = INFER_UNSAYABLE;
    size_t taken;
    bool sayable = !parameters || outputs_asked(&learner, prober->arena)->count;
    for (size_t i = 0; i < protocol->form_count && sayable && inferred != INFERRED; i++) {
        const struct encoding *encoding = registry_encoding(prober->registry, str_of(protocol->forms[i].encoding));
        if (encoding && encoding->profile == profile && prober_may_ask(prober, profile))
            inferred = try_encoding(&learner, model->example ? example_act : promised_act, encoding, &taken);
    }
    prober->evidence = learner.evidence;
    return inferred;
}

/* Returns the metadata of that version of the model; NULL if there is none. */
static const struct tree *metadata_of_version(const struct learner *learner, struct str version)
{
    struct prober *prober = learner->prober;
    const struct tree *metadata = NULL;
    for (size_t i = 0; i < prober->profile_count && !metadata; i++)
        if (prober_may_ask(prober, prober->profiles[i]))
            metadata = inquiry_metadata(prober, prober->profiles[i], learner->name, version);
    return metadata;
}

/* Whether the metadata of a version names the same tensors. Versions may differ: 000 gives metadata to each. */
static bool is_same_model(const struct learner *learner, const struct tree *metadata)
{
    static const char *const sides[] = {"inputs", "outputs"};
    for (size_t i = 0; i < 2 && metadata; i++) {
        const struct tree *own = tree_member(learner->learned.metadata, sides[i]),
                          *other = tree_member(metadata, sides[i]);
        if ((own != NULL) != (other != NULL) || (own && !tree_equal(own, other)))
            return false;
    }
    return true;
}

/* Looks at each version that the metadata lists: sets the last one that is the same model, and the first one that has
 * no metadata, or else the first. Both are empty if there is none. */
static void learn_versions(struct learner *learner)
{
    struct str same = STR(""), first = STR(""), unknown = STR("");
    const struct tree *listed = tree_member(learner->learned.metadata, "versions");
    FOR_EACH_IN(at, listed && listed->type == TREE_ARRAY ? listed->first : NULL) {
        if (at->type != TREE_STRING || !at->text.size)
            continue;
        const struct tree *metadata = metadata_of_version(learner, at->text);
        same = is_same_model(learner, metadata) ? at->text : same;
        first = first.size ? first : at->text;
        unknown = metadata || unknown.size ? unknown : at->text;
    }
    learner->learned.same_version = same;
    learner->learned.odd_version = unknown.size ? unknown : first;
}

struct tree *learn_model(struct prober *prober, struct str name, const struct tree *metadata, struct str absent,
                         const struct tree *example, uint64_t seed)
{
    struct arena *arena = prober->arena;
    struct learner learner = {.prober = prober,
                              .name = name,
                              .learned.metadata = metadata,
                              .absent = absent,
                              .example = example,
                              .seed = seed,
                              .learned.version = model_last_version(metadata)};
    struct tree *probe = tree_object(arena, {"name", tree_string(arena, name)},
                                     {"metadata", metadata ? tree_copy(arena, metadata) : NULL});
    struct tree *sequence = tree_new(arena, TREE_ARRAY), *request;
    bool found = learn_promised(&learner, probe);
    if (example) {
        size_t taken;
        found = find_request(&learner, example_act, &taken);
        request = request_of(example, arena);
    } else {
        request = tree_object(arena, {"inputs", tree_copy(arena, tree_member(probe, "promised"))});
    }
    const struct tree *answer = tree_member(example, "answer");
    tree_add(probe, STR("answer"), answer ? tree_copy(arena, answer) : tree_new(arena, TREE_NULL));
    if (!found) {
        sequence = example ? sequence : learn_sequence(&learner, probe);
        if (!tree_member(probe, "unusable") && is_for_sequences(prober, name))
            tree_add(probe, STR("unusable"), tree_string(arena, STR("it takes only requests of sequences")));
        tree_add(probe, STR("refused"), tree_string(arena, learner.evidence));
        if (sequence->count)
            buf_printf(&prober->notes, "model '%s' takes only requests of sequences\n", str_printable(arena, name));
        else
            note_refusal(&learner);
    }
    tree_add(probe, STR("sequence"), sequence);
    learn_versions(&learner);
    model_facts_add(probe, &learner.learned, request, arena);
    add_others(&learner, probe, found ? tree_member(request, "inputs") : NULL);
    if (found)
        note_request(&learner, request, example != NULL);
    return probe;
}
