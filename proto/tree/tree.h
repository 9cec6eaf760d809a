/* proto/tree/ holds JSON as a tree that loses nothing, and changes and compares trees. It may include base/ and json/
 * and nothing else.
 *
 * Numbers keep their spelling, strings keep their length, and members keep their order and their duplicates. The judge
 * reads fixtures and answers into trees; the deviations of the server change answers in this form. Nodes and texts lie
 * in an arena. A tree is changed in place. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/search.h"
#include "base/status.h"

enum tree_type { TREE_NULL, TREE_BOOL, TREE_NUMBER, TREE_STRING, TREE_ARRAY, TREE_OBJECT };

struct tree {
    enum tree_type type;
    bool boolean;       /* TREE_BOOL */
    struct str text;    /* TREE_NUMBER: the spelling; TREE_STRING: the decoded bytes, which may be any bytes */
    struct str name;    /* the name of a member, if the parent is an object */
    struct tree *first; /* elements or members, in order */
    struct tree *last;
    struct tree *next; /* next element or member of the parent */
    size_t count;      /* number of elements or members */
    struct str span;   /* the source text of this value if it was parsed, otherwise empty */
};

/* Parses a whole JSON text by the rules of json/reader.h. The text is copied into the arena and needs no padding. Fails
 * with INVALID_ARGUMENT, which says what is wrong and at which byte. */
struct status tree_parse(struct str text, struct arena *arena, struct tree **tree);

/* Returns the most nodes that the tree of a JSON text can have, without parsing it: a reader of a peer's text can
 * refuse one whose tree would take too much memory. */
size_t tree_most_nodes(struct str text);

/* Make new nodes; return NULL when the arena is exhausted. Strings are not copied. */
struct tree *tree_new(struct arena *arena, enum tree_type type);
struct tree *tree_string(struct arena *arena, struct str text);
struct tree *tree_bool(struct arena *arena, bool value);
struct tree *tree_int(struct arena *arena, long long value);
struct tree *tree_uint(struct arena *arena, unsigned long long value);
struct tree *tree_number(struct arena *arena, struct str spelling);
struct tree *tree_copy(struct arena *arena, const struct tree *tree);       /* a deep copy; the text is shared */
struct tree *tree_copy_whole(struct arena *arena, const struct tree *tree); /* a deep copy, with copies of the text */

/* Makes an object of these members, in this order: tree_object(arena, {"name", name}, {"shape", shape}). One whose
 * value is NULL is left out. */
struct tree_pair {
    const char *name;
    struct tree *value;
};
#define tree_object(arena, ...) tree_of_pairs((arena), (const struct tree_pair[]){__VA_ARGS__, {NULL, NULL}})
struct tree *tree_of_pairs(struct arena *arena, const struct tree_pair *pairs);

/* Makes a node with the same children, for another parent. Nobody may edit the children any more. */
struct tree *tree_share(struct arena *arena, const struct tree *tree);

/* Returns the first member of that name. Returns NULL if there is none, or if `object` is NULL or no object. */
struct tree *tree_member(const struct tree *object, const char *name);
struct tree *tree_member_str(const struct tree *object, struct str name);
struct tree *tree_at(const struct tree *array, size_t index);

/* Returns the first element or member; NULL if there is none, or if `tree` is NULL. */
static inline struct tree *tree_first(const struct tree *tree)
{
    return tree ? tree->first : NULL;
}

/* Walks the elements of a list; any other value stands for a list of it alone. `value` may be NULL: none.
 * NOLINTBEGIN(bugprone-macro-parentheses): the element is declared here, and needs none */
#define FOR_EACH_OF(element, value)                                                                                    \
    for (const struct tree *element = (value) && (value)->type == TREE_ARRAY ? (value)->first : (value); element;      \
         element = (value)->type == TREE_ARRAY ? element->next : NULL)
/* NOLINTEND(bugprone-macro-parentheses) */

/* Returns the text of a member that is a string; the empty str if there is none. */
struct str tree_text(const struct tree *object, const char *name);

/* Says whether the object has a member of that name which is `true`; false also if `object` is NULL or no object. */
bool tree_is_true(const struct tree *object, const char *name);

/* Reads a number that is exactly an integer and fits an int64; 1.0 is one. Returns false for any other value. */
bool tree_to_int64(const struct tree *number, int64_t *value);

/* tree_append and tree_add put `child` at the end; it must not belong to another parent. tree_set replaces the first
 * member of that name, or adds one. These three return false, and change nothing, if `child` is NULL, which is what the
 * functions above return without memory. tree_insert puts an element before the one at `index`, or at the end if there
 * is none. tree_replace puts `with` in the place and under the name of `child`. tree_remove and tree_replace return
 * false if `child` is not there. */
bool tree_append(struct tree *array, struct tree *child);
bool tree_add(struct tree *object, struct str name, struct tree *child);
bool tree_set(struct tree *object, struct str name, struct tree *child);
void tree_insert(struct tree *array, size_t index, struct tree *child);
bool tree_replace(struct tree *parent, struct tree *child, struct tree *with);
bool tree_remove(struct tree *parent, struct tree *child);

/* Add a member, and return the object: NULL if it was NULL, or if there was no memory for the child or the text. So an
 * object can be made member by member, and be looked at once. */
struct tree *tree_with(struct tree *object, struct str name, struct tree *child);
struct tree *tree_with_text(struct tree *object, const char *name, struct str text, struct arena *arena);

/* Says whether two trees have the same value. The order of members does not matter, but duplicates are counted. Numbers
 * are compared by exact value, strings by their bytes. */
bool tree_equal(const struct tree *a, const struct tree *b);

/* Writes compact JSON text. Numbers keep their spelling. */
void tree_write(const struct tree *tree, struct buf *out);

/* Writes no more than is needed for the first `most` bytes of the text to be right, and more than these if there are
 * more: to show the beginning of a large tree. */
void tree_write_start(const struct tree *tree, struct buf *out, size_t most);

/* Does the same as tree_write, but `string` writes strings and names, with their quotes. */
void tree_write_with(const struct tree *tree, struct buf *out, void (*string)(struct buf *out, struct str s));

const char *tree_type_name(enum tree_type type); /* for example "object" */
