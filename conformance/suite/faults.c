#include "suite/faults.h"

#include "base/buf.h"
#include "tree/pointer.h"

struct place place_in(struct faults *faults, struct str file, struct str pointer)
{
    return (struct place){faults, file, pointer};
}

struct place place_below(struct place place, struct str name)
{
    return place_in(place.faults, place.file, pointer_child(place.faults->arena, place.pointer, name));
}

struct place place_at(struct place place, size_t position)
{
    return place_below(place, arena_printf(place.faults->arena, "%zu", position));
}

struct place place_of_child(struct place place, const struct tree *parent, const struct tree *child)
{
    size_t position = 0;
    if (parent->type == TREE_OBJECT)
        return place_below(place, child->name);
    for (const struct tree *before = parent->first; before != child; before = before->next)
        position++;
    return place_at(place, position);
}

/* A case that is expanded by `for` can meet the same fault many times: it is reported once. */
static bool is_known(const struct faults *faults, const struct fault *fault)
{
    for (size_t i = faults->list.count; i-- > 0;) {
        const struct fault *known = faults->list.items[i];
        if (!str_equal(known->file, fault->file))
            return false;
        if (known->rule == fault->rule && str_equal(known->pointer, fault->pointer) &&
            str_equal(known->sentence, fault->sentence))
            return true;
    }
    return false;
}

bool fault_add(struct place place, const char *rule, const char *format, ...)
{
    struct faults *faults = place.faults;
    struct fault *fault = arena_new_of(faults->arena, struct fault);
    va_list arguments;
    va_start(arguments, format);
    *fault = (struct fault){
        .file = arena_copy(faults->arena, place.file),
        .pointer = arena_copy(faults->arena, place.pointer),
        .rule = rule,
        .sentence = arena_vprintf(faults->arena, format, arguments),
    };
    va_end(arguments);
    if (!is_known(faults, fault))
        list_append(&faults->list, fault, faults->arena);
    return false;
}

struct str fault_line(const struct fault *fault, struct arena *arena)
{
    bool here = fault->pointer.size > 0;
    return arena_printf(arena, "%.*s: %s%s[%s] %.*s", STR_ARG(fault->file),
                        here ? str_printable(arena, fault->pointer) : "", here ? ": " : "", fault->rule,
                        STR_ARG(fault->sentence));
}
