/* The registry of fixtures/encodings.json, for tests that make by hand what a plan would make. Tests run from the root
 * of the project. */
#pragma once

#include "client/client.h"
#include "suite/registry.h"
#include "support/files.h"
#include "support/memory.h"
#include "tree/tree.h"

#include <stdlib.h>

static inline const struct registry *the_registry(void)
{
    static struct registry registry;
    static struct arena memory;
    struct str text;
    struct tree *tree;
    if (registry.endpoint_count)
        return &registry;
    memory = memory_arena();
    if (!is_ok(disk_read("fixtures/encodings.json", FILE_SIZE_MAX, &memory, &text)) ||
        !is_ok(tree_parse(text, &memory, &tree)) || !is_ok(registry_read(tree, &memory, &registry)))
        abort();
    return &registry;
}

static inline const struct encoding *encoding_named(const char *name)
{
    return registry_encoding(the_registry(), str_of(name));
}

static inline const struct profile *profile_named(const char *name)
{
    return registry_profile(the_registry(), str_of(name));
}

/* The profile of the encoding; for an act, the V2 profile of its transport. */
static inline const struct profile *profile_of(const struct encoding *encoding)
{
    return encoding->profile ? encoding->profile
                             : profile_named(encoding->transport == TRANSPORT_HTTP ? "v2-rest" : "v2-grpc");
}

static inline const struct endpoint *endpoint_named(const char *name)
{
    return registry_endpoint(the_registry(), str_of(name));
}

#define OVER_HTTP endpoint_named("http")
#define OVER_GRPC endpoint_named("grpc")

/* Sets the address of an endpoint. */
static inline void set_address(struct address *addresses, const char *endpoint, struct str at)
{
    const struct endpoint *known = endpoint_named(endpoint);
    addresses[known->index] = (struct address){known, at};
}
