#include "support/memory.h"

#include "base/buf.h"
#include "support/exit_code.h"
#include <cjson/cJSON.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* Ends the program at once. Any thread may call it, while others are in the middle of their work. Some libraries do not
 * say of what there is no more. */
void memory_exhausted(void)
{
    bool no_file = dup(STDERR_FILENO) < 0 && (errno == EMFILE || errno == ENFILE);
    fputs(no_file ? "oip-conformance: no more files can be opened (ulimit -n, or fewer --jobs)\n"
                  : "oip-conformance: out of memory\n",
          stderr);
    _exit(EXIT_SUITE);
}

void memory_guard(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    buf_exhausted = memory_exhausted;
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = memory_zeroed, .free_fn = free});
}

void *memory_zeroed(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory)
        memory_exhausted();
    return memory;
}

struct arena memory_arena(void)
{
    struct arena arena = arena_new(ARENA_NO_BUDGET);
    arena.exhausted = memory_exhausted;
    return arena;
}

void list_append(struct list *list, void *item, struct arena *arena)
{
    *array_add(list->items, list->count, arena) = item;
}

void list_append_str(struct list *list, struct str text, struct arena *arena)
{
    struct str *item = arena_new_of(arena, struct str);
    *item = text;
    list_append(list, item, arena);
}
