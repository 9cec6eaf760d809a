/* Memory of the judge. Allocation never fails: if the system has no memory left, or no more files can be opened, the
 * program says so and ends with exit code 4, because a verdict that was reached without them cannot be trusted.
 *
 * The folder support/ holds small helpers that know nothing of the suite, of servers or of protocols. It may include
 * only proto/base. */
#pragma once

#include "base/arena.h"

#include <stdlib.h>

/* Returns an empty arena without a budget, whose allocations never fail. arena_free frees it. */
struct arena memory_arena(void);

/* From here on buffers and cJSON, too, end the program when memory runs out, and as many files can be opened as this
 * process may ever open. To be called before threads start. */
void memory_guard(void);

/* Returns a cleared piece of memory, which free() releases. Never NULL. */
void *memory_zeroed(size_t size);

/* Says that there is no memory, or that no more files can be opened, and ends the program with exit code 4. */
void memory_exhausted(void) __attribute__((noreturn));

/* Returns a pointer to one more element after the others of a list that grows by arena_room, whose items and count are
 * changed: *array_add(list->items, list->count, arena) = item. */
#define array_add(items, count, arena)                                                                                 \
    ((items) = arena_room((items), (count), sizeof *(items), (arena)), &(items)[(count)++])

/* Sorts an array, which is not looked at if it is empty: it may then be NULL. */
#define array_sort(items, count, compare)                                                                              \
    ((void)((count) && (qsort((items), (count), sizeof *(items), (compare)), true)))

/* A list of pointers that grows in an arena. */
struct list {
    void **items;
    size_t count;
};

/* Adds an item after the others. The items lie in the arena; what an item points to is the caller's. */
void list_append(struct list *list, void *item, struct arena *arena);

/* Adds a struct str, which is copied into the arena; its bytes are not. list_str returns the one at `index`. */
void list_append_str(struct list *list, struct str text, struct arena *arena);

static inline struct str list_str(const struct list *list, size_t index)
{
    return *(const struct str *)list->items[index];
}
