/* What a command of the shell prints. */
#pragma once

#include "tests/scratch.h"

#include <stdio.h>

/* Runs the command, which must succeed. */
static inline struct str shell_says(const char *command)
{
    struct buf text = {0};
    size_t got;
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while ((got = fread(buf_reserve(&text, 4096), 1, 4096, pipe)) > 0)
        text.size += got;
    assert_int_equal(pclose(pipe), 0);
    return arena_take(&arena, &text);
}
