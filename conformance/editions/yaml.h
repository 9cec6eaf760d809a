/* YAML as a tree, with the lines on which its nodes stand. */
#pragma once

#include "base/arena.h"
#include "base/status.h"

enum yaml_kind { YAML_TEXT, YAML_LIST, YAML_MAP };

struct yaml {
    enum yaml_kind kind;
    struct str text;    /* YAML_TEXT: of any scalar, as it was written */
    struct str name;    /* of the member of a map */
    struct yaml *first; /* elements, or members */
    struct yaml *next;
    size_t line; /* from 1 */
};

/* Reads the first document of the text, by libyaml. INVALID_ARGUMENT says what is wrong in which line. Aliases are
 * refused, since a few of them can stand for more than any memory holds. */
struct status yaml_read(struct str text, struct arena *arena, struct yaml **root);

/* Returns the member of a map; NULL if there is none, or if `map` is NULL or no map. */
const struct yaml *yaml_member(const struct yaml *map, const char *name);

/* Returns the text of a member; empty if there is none, or no text. */
struct str yaml_text(const struct yaml *map, const char *name);
