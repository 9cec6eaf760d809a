/* Remembers the last order to load or unload a model, so that a deviation can show only after it. */
#include "deviations/deviation.h"

#include "base/search.h"
#include <fnmatch.h>
#include <pthread.h>
#include <stdio.h>

static char last[256]; /* longer orders are not remembered */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_order(const char *text)
{
    static const char *const globs[] = {"*/load", "*/unload", "*ModelLoad/*", "*ModelUnload/*"};
    return ANY(i, COUNT_OF(globs), fnmatch(globs[i], text, 0) == 0);
}

void orders_remember(const struct asked *asked)
{
    char text[sizeof last];
    int size = asked->rpc.size ? snprintf(text, sizeof text, "%.*s/%.*s", STR_ARG(asked->rpc), STR_ARG(asked->model))
                               : snprintf(text, sizeof text, "%.*s", STR_ARG(asked->path));
    if (size < 0 || (size_t)size >= sizeof text || !is_order(text))
        return;
    pthread_mutex_lock(&lock);
    memcpy(last, text, sizeof last);
    pthread_mutex_unlock(&lock);
}

bool orders_fit(struct str glob, struct str model, struct arena *arena)
{
    static const char name[] = "${model}";
    const char *at = glob.size ? memmem(glob.data, glob.size, name, strlen(name)) : NULL;
    struct str before = {glob.data, at ? (size_t)(at - glob.data) : glob.size};
    struct str behind = str_from(glob, at ? before.size + strlen(name) : glob.size);
    struct str filled = arena_printf(arena, "%.*s%.*s%.*s", STR_ARG(before), at ? (int)model.size : 0,
                                     at ? model.data : "", STR_ARG(behind));
    pthread_mutex_lock(&lock);
    bool fits = filled.data && fnmatch(filled.data, last, FNM_EXTMATCH) == 0;
    pthread_mutex_unlock(&lock);
    return fits;
}
