/* The input is a request. What passes the check must become a tree, the tree a message, and that message the same tree.
 * The gathered parts must contain the whole message. protobuf-c must be able to read a small request that passes the
 * check. */
#include "inference.pb-c.h"
#include "v2.pb-c.h"
#include "wire/gather.h"
#include "wire/message.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define DEMAND(condition)                                                                                              \
    if (!(condition))                                                                                                  \
    abort()

static void read_as_tree(struct str message)
{
    const ProtobufCMessageDescriptor *type = &inference__model_infer_request__descriptor;
    struct arena arena = arena_new(64 << 20);
    struct tree *tree = NULL, *again = NULL;
    struct status status = wire_to_tree(type, message, &arena, &tree);
    if (is_ok(status)) {
        struct buf out = {0};
        DEMAND(is_ok(wire_from_tree(type, tree, &out, &arena)));
        status = wire_to_tree(type, buf_str(&out), &arena, &again);
        DEMAND(status.code == STATUS_RESOURCE_EXHAUSTED || tree_equal(tree, again));
        buf_free(&out);
    }
    arena_free(&arena);
}

/* Reads a small request with protobuf-c, as the server does. */
static void read_as_struct(struct str message)
{
    struct arena arena = arena_new(64 << 20);
    if (is_ok(wire_check(&inference__model_metadata_request__descriptor, message, &arena))) {
        V2__ModelMetadataRequest *request =
            v2__model_metadata_request__unpack(NULL, message.size, (const uint8_t *)message.data);
        DEMAND(request);
        v2__model_metadata_request__free_unpacked(request, NULL);
    }
    arena_free(&arena);
}

static void gather(struct str message)
{
    struct arena arena = arena_new(64 << 20);
    struct wire_parts whole, stays;
    size_t cut = message.size / 3;
    struct status status = wire_gather(message, 7, false, &arena, &whole);
    struct str writable = arena_copy(&arena, message);
    struct status also = wire_gather(writable, 7, true, &arena, &stays);
    size_t first = wire_first_value(message, 7);
    DEMAND(status.code == also.code && first <= message.size &&
           wire_first_value((struct str){message.data, cut}, 7) <= cut);
    if (is_ok(status)) {
        if (whole.count > 0)
            DEMAND(str_equal((struct str){message.data + first, whole.values[0].size}, whole.values[0]));
        DEMAND(str_equal(whole.rest, stays.rest) && whole.count == stays.count);
        for (size_t i = 0; i < whole.count; i++)
            DEMAND(str_equal(whole.values[i], stays.values[i]) && (uintptr_t)whole.values[i].data % 64 == 0 &&
                   (uintptr_t)stays.values[i].data % 64 == 0);
    }
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct str message = {(const char *)bytes, size};
    read_as_tree(message);
    read_as_struct(message);
    gather(message);
    return 0;
}
