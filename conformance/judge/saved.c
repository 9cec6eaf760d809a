#include "judge/saved.h"

#include "tree/pointer.h"

static struct variable variable_of(struct str name, const struct tree *value)
{
    bool text = value->type == TREE_STRING || value->type == TREE_NUMBER;
    return (struct variable){.name = name, .label = text ? value->text : (struct str){0}, .value = value};
}

/* Returns the pointer in a text that begins with "${name:/pointer}". */
static struct str pointer_in(struct str text)
{
    size_t from = strcspn(text.data, ":") + 1, end = strcspn(text.data, "}");
    return from < end ? (struct str){text.data + from, end - from} : text;
}

struct str saved_resolve(struct saved *saved, const struct step *step, size_t number, struct arena *arena,
                         struct play *own)
{
    struct variable list[SAVED_MAX + 1];
    struct variables variables = {.list = list, .count = saved->count};
    memcpy(list, saved->list, saved->count * sizeof *list);
    *own = *step->play;
    if (!step->late)
        return STR("");
    if (step->together > 1)
        list[variables.count++] =
            variable_of(STR("i"), step->values ? tree_at(step->values, number) : tree_uint(arena, number));
    struct tree *act;
    struct status status = variables_resolve(own->act, &variables, arena, &act);
    own->act = act;
    own->assertions = arena_alloc_zero(arena, own->assertion_count, sizeof *own->assertions);
    for (size_t i = 0; i < own->assertion_count && is_ok(status); i++) {
        struct tree *observation;
        own->assertions[i] = step->play->assertions[i];
        status = variables_resolve(own->assertions[i].observation, &variables, arena, &observation);
        own->assertions[i].observation = observation;
    }
    if (status.code == STATUS_NOT_FOUND && !str_starts(status.message, STR("${i:"))) /* ${i} is the suite's own */
        saved->lacking = arena_copy(saved->arena, pointer_in(status.message));
    return is_ok(status) ? STR("") : arena_printf(arena, "suite: %.*s", STR_ARG(status.message));
}

void saved_keep(struct saved *saved, const struct step *step, const struct tree *answer)
{
    FOR_EACH_IN(name, tree_first(step->save)) {
        const struct tree *value = answer ? pointer_look(answer, name->text) : NULL;
        size_t at = 0;
        while (at < saved->count && !str_equal(saved->list[at].name, name->name))
            at++;
        if (!value) {
            saved->lacking = name->text;
            continue;
        }
        if (at == SAVED_MAX)
            continue; /* the step that uses the value reports that it has none */
        saved->list[at] = variable_of(name->name, value);
        saved->list[at].is_segment = true;
        saved->count += at == saved->count;
    }
}
