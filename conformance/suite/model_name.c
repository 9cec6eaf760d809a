#include "suite/model_name.h"

struct str model_name_mapped(struct str kit, const struct values *map)
{
    for (size_t i = 0; i < map->count; i++) {
        struct str row = str_of(map->items[i]);
        if (str_starts(row, kit) && row.size > kit.size && row.data[kit.size] == '=')
            return str_from(row, kit.size + 1);
    }
    return kit;
}

/* Returns the name with at most so many of its letters, from the first on, in their other case. */
static struct str swapped(struct str name, size_t letters, struct arena *arena)
{
    char *other = arena_alloc(arena, name.size + 1);
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        bool swap = letters > 0 && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
        other[i] = (char)(swap ? c ^ 0x20 : c);
        letters -= swap;
    }
    return (struct str){other, name.size};
}

struct str model_name_in_other_case(struct str name, struct arena *arena)
{
    return swapped(name, name.size, arena);
}

struct str model_name_in_third_case(struct str name, struct arena *arena)
{
    return swapped(name, 1, arena);
}
