/* Work that several threads share. */
#pragma once

#include <stddef.h>

/* Calls `work` once for each of 0 to count - 1: side by side on so many threads of OpenMP, or one after the other if it
 * was compiled without OpenMP. */
void team_each(int threads, size_t count, void (*work)(void *context, size_t i), void *context);
