/* JSON as a tree that loses nothing: numbers keep their spelling, strings their length, members their order and their
 * duplicates. The judge reads fixtures and answers into it, the server's deviations alter answers in it. Nodes and text
 * lie in an arena; a tree is edited in place. */
#ifndef TREE_TREE_H
#define TREE_TREE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/status.h"

enum tree_type { TREE_NULL, TREE_BOOL, TREE_NUMBER, TREE_STRING, TREE_ARRAY, TREE_OBJECT };

struct tree {
    enum tree_type type;
    bool boolean;       /* TREE_BOOL */
    struct str text;    /* TREE_NUMBER: the spelling. TREE_STRING: the bytes, decoded; any bytes */
    struct str name;    /* member name, when the parent is an object */
    struct tree *first; /* elements or members, in order */
    struct tree *last;
    struct tree *next; /* next element or member of the parent */
    size_t count;      /* elements or members */
    struct str span;   /* source text of this value, when parsed; else empty */
};

/* Parses a whole JSON text (rules of json/reader.h). The text is copied (padding is not needed). INVALID_ARGUMENT with
 * what and at which byte. */
struct status tree_parse(struct str text, struct arena *arena, struct tree **tree);

/* New nodes; NULL when the arena is exhausted. Strings are not copied. */
struct tree *tree_new(struct arena *arena, enum tree_type type);
struct tree *tree_string(struct arena *arena, struct str text);
struct tree *tree_bool(struct arena *arena, bool value);
struct tree *tree_int(struct arena *arena, long long value);
struct tree *tree_uint(struct arena *arena, unsigned long long value);
struct tree *tree_number(struct arena *arena, struct str spelling);
struct tree *tree_copy(struct arena *arena, const struct tree *tree);       /* deep; text is shared */
struct tree *tree_copy_whole(struct arena *arena, const struct tree *tree); /* the same, with copies of the text */
struct tree *tree_share(struct arena *arena, const struct tree *tree); /* for another parent: has the same children,
                                                                          which nobody may edit any more */

/* First member of that name; NULL if there is none or `object` is NULL or no object. */
struct tree *tree_member(const struct tree *object, const char *name);
struct tree *tree_member_str(const struct tree *object, struct str name);
struct tree *tree_at(const struct tree *array, size_t index);

/* A member that must be a string; the empty str if there is none. */
struct str tree_text(const struct tree *object, const char *name);

/* A number that is exactly an integer in int64 (1.0 is). */
bool tree_to_int64(const struct tree *number, int64_t *value);

/* Append at the end; `child` belongs to this parent only. tree_set replaces the first member of that name or appends,
 * tree_insert puts an element before the one of that index (at the end if there is none), tree_replace puts `with` in
 * the place and under the name of `child`. tree_remove and tree_replace: false if `child` is not there. */
void tree_append(struct tree *array, struct tree *child);
void tree_add(struct tree *object, struct str name, struct tree *child);
void tree_set(struct tree *object, struct str name, struct tree *child);
void tree_insert(struct tree *array, size_t index, struct tree *child);
bool tree_replace(struct tree *parent, struct tree *child, struct tree *with);
bool tree_remove(struct tree *parent, struct tree *child);

/* The same value: objects regardless of order (with duplicates counted), numbers by exact value, strings by bytes. */
bool tree_equal(const struct tree *a, const struct tree *b);

/* Compact JSON text. Numbers as spelled. */
void tree_write(const struct tree *tree, struct buf *out);

/* As tree_write, but `string` writes strings and names, with their quotes. */
void tree_write_with(const struct tree *tree, struct buf *out, void (*string)(struct buf *out, struct str s));

const char *tree_type_name(enum tree_type type); /* "object" */

#endif
