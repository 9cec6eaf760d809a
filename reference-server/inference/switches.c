#include "inference/switches.h"

/* Says whether `key` is the whole key of a duty under a profile. */
static bool is_key_of(const char *key, const char *profile, const char *duty)
{
    if (strchr(duty, '.'))
        return strcmp(key, duty) == 0;
    size_t size = strlen(profile);
    return strncmp(key, profile, size) == 0 && key[size] == '.' && strcmp(key + size + 1, duty) == 0;
}

bool switched_off(const struct switches *switches, const char *duty)
{
    for (size_t i = 0; i < switches->count; i++)
        if (is_key_of(switches->off[i], switches->profile, duty))
            return true;
    return false;
}

struct str whole_key(const char *profile, const char *duty, struct arena *arena)
{
    return strchr(duty, '.') ? arena_copy(arena, str_of(duty)) : arena_printf(arena, "%s.%s", profile, duty);
}
