/* What a command of the shell prints. */
#pragma once

#include "tests/scratch.h"

#include <stdio.h>

/* Runs the command that the format makes, which must succeed. */
__attribute__((format(printf, 1, 2))) static inline struct str shell_says(const char *format, ...)
{
    struct buf text = {0};
    size_t got;
    va_list arguments;
    va_start(arguments, format);
    FILE *pipe = popen(arena_vprintf(&arena, format, arguments).data, "r");
    va_end(arguments);
    assert_non_null(pipe);
    while ((got = fread(buf_reserve(&text, 4096), 1, 4096, pipe)) > 0)
        text.size += got;
    assert_int_equal(pclose(pipe), 0);
    return arena_take(&arena, &text);
}
