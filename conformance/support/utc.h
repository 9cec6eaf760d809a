/* Points in time as text. */
#pragma once

#include "base/arena.h"

#include <time.h>

/* Returns the time in UTC, in the arena. The format is one of strftime for at most 99 bytes. */
__attribute__((format(strftime, 2, 0))) static inline struct str utc_text(time_t at, const char *format,
                                                                          struct arena *arena)
{
    char text[100];
    struct tm utc;
    return arena_copy(arena, (struct str){text, strftime(text, sizeof text, format, gmtime_r(&at, &utc))});
}
