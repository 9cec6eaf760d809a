/* Memory of the judge: it never gives out. The suite is small and trusted with memory; when the system has none left,
 * the program says so and ends with exit code 4, because a verdict that was reached without memory cannot be trusted.
 */
#ifndef SUPPORT_MEMORY_H
#define SUPPORT_MEMORY_H

#include "base/arena.h"

struct arena memory_arena(void);

/* From here on buffers and cJSON, too, end the program when memory gives out; before threads start. */
void memory_guard(void);

/* A cleared piece of memory for free(). Never NULL. */
void *memory_zeroed(size_t size);

void memory_exhausted(void) __attribute__((noreturn));

/* Pointers in order, growing in an arena. */
struct list {
    void **items;
    size_t count, capacity;
};

void list_append(struct list *list, void *item, struct arena *arena);

#endif
