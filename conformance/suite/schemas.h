/* fixtures/schemas/NAME.json: schemas of the documents, member by member, with the requirements for each. */
#pragma once

#include "base/arena.h"
#include "base/status.h"
#include "tree/tree.h"

struct known_member {
    struct str at, is;       /* as editions/schema.h has them */
    struct str why;          /* why no requirement is based on it; empty: one is */
    const struct tree *keys; /* of the requirements; NULL: none */
};

struct known_schema {
    struct str name; /* "open_inference_rest" */
    struct known_member *items;
    size_t count;
};

struct known_schemas {
    struct known_schema *items; /* sorted by the names of their files */
    size_t count;
};

/* Reads the file of one schema, a list of members. Rules of its form are checked by the lint. */
struct known_schema schema_of_file(struct str name, const struct tree *members, struct arena *arena);

/* Returns the member at that place; NULL if there is none. */
const struct known_member *known_schema_find(const struct known_schema *schema, struct str at);
