/* The schemas of the services of this server, as descriptors (google.protobuf.FileDescriptorProto). They are built into
 * the program from proto/schema/. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

#include "base/arena.h"
#include <stdint.h>

#define DESCRIPTOR_FILES_MAX 16

/* A file, and after it those that it imports. Their bytes are static. */
struct descriptor_files {
    struct str files[DESCRIPTOR_FILES_MAX];
    size_t count; /* 0: there is none */
};

/* Find the file of that name; the one that declares the symbol, by its full name; the one that declares the extension
 * of a message. */
struct descriptor_files descriptors_named(struct str file);
struct descriptor_files descriptors_of_symbol(struct str symbol);
struct descriptor_files descriptors_of_extension(struct str message, int32_t number);

/* Lists the numbers of the extensions of a message, in the arena; NULL without memory. Returns false if there is no
 * such message. */
bool descriptors_extensions(struct str message, struct arena *arena, int32_t **numbers, size_t *count);

#ifdef __cplusplus
}
#endif
