#include "inference/switches.h"

#include <string.h>

bool switched_off(const struct switches *switches, const char *slug)
{
    for (size_t i = 0; i < switches->count; i++)
        if (strcmp(switches->off[i], slug) == 0)
            return true;
    return false;
}
