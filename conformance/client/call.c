/* What the C core wants and gives, as the types of the client. */
#include "client/call.h"

#include "client/inflate.h"
#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/support/time.h>

grpc_slice call_slice(struct str bytes)
{
    return grpc_slice_from_copied_buffer(bytes.data, bytes.size);
}

struct str call_text(grpc_slice slice, struct arena *arena)
{
    struct str bytes = {(const char *)GRPC_SLICE_START_PTR(slice), GRPC_SLICE_LENGTH(slice)};
    return arena_copy(arena, bytes);
}

gpr_timespec call_in_seconds(double seconds)
{
    return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_micros((int64_t)(seconds * 1e6), GPR_TIMESPAN));
}

/* --- Metadata --- */

static struct header lower_case(struct header header, struct arena *arena)
{
    char *name = arena_alloc(arena, header.name.size + 1);
    if (name == NULL)
        return header;
    for (size_t i = 0; i < header.name.size; i++) {
        char c = header.name.data[i];
        name[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    header.name.data = name;
    return header;
}

static struct header_list entries_of(const struct client_options *options, const struct request *request,
                                     const struct header *extra, struct arena *arena)
{
    struct header_list list = {0};
    for (size_t i = 0; i < options->header_count; i++)
        header_list_add(&list, lower_case(header_of_line(options->headers[i]), arena), arena);
    for (size_t i = 0; i < request->metadata_count; i++)
        if (request->metadata[i].value.data != NULL)
            header_list_add(&list, lower_case(request->metadata[i], arena), arena);
    if (extra != NULL)
        header_list_add(&list, lower_case(*extra, arena), arena);
    return list;
}

struct call_metadata call_metadata_make(const struct client_options *options, const struct request *request,
                                        const struct header *extra, struct arena *arena)
{
    struct header_list list = entries_of(options, request, extra, arena);
    struct call_metadata metadata = {arena_alloc_zero(arena, list.count + 1, sizeof *metadata.entries), 0};
    for (; metadata.entries != NULL && metadata.count < list.count; metadata.count++) {
        metadata.entries[metadata.count].key = call_slice(list.entries[metadata.count].name);
        metadata.entries[metadata.count].value = call_slice(list.entries[metadata.count].value);
    }
    return metadata;
}

void call_metadata_free(struct call_metadata *metadata)
{
    for (size_t i = 0; i < metadata->count; i++) {
        grpc_slice_unref(metadata->entries[i].key);
        grpc_slice_unref(metadata->entries[i].value);
    }
    metadata->count = 0;
}

struct str call_metadata_illegal(const struct call_metadata *metadata)
{
    for (size_t i = 0; i < metadata->count; i++) {
        grpc_slice key = metadata->entries[i].key;
        if (!grpc_header_key_is_legal(key) ||
            (!grpc_is_binary_header(key) && !grpc_header_nonbin_value_is_legal(metadata->entries[i].value)))
            return (struct str){(const char *)GRPC_SLICE_START_PTR(key), GRPC_SLICE_LENGTH(key)};
    }
    return (struct str){0};
}

static void read_metadata(const grpc_metadata_array *array, struct header_list *list, struct arena *arena)
{
    for (size_t i = 0; i < array->count; i++)
        header_list_add(
            list, (struct header){call_text(array->metadata[i].key, arena), call_text(array->metadata[i].value, arena)},
            arena);
}

void call_read_status(const grpc_metadata_array *initial, const grpc_metadata_array *trailing, grpc_status_code code,
                      grpc_slice details, struct arena *arena, struct answer *answer)
{
    struct header_list trailers = {0};
    answer->outcome = OUTCOME_ANSWERED;
    answer->code = (int)code;
    answer->details = call_text(details, arena);
    read_metadata(initial, &trailers, arena);
    read_metadata(trailing, &trailers, arena);
    answer->trailers = trailers.entries;
    answer->trailer_count = trailers.count;
}

/* --- Messages --- */

void call_read_message(grpc_byte_buffer *buffer, size_t limit, struct arena *arena, struct answer *answer)
{
    grpc_byte_buffer_reader reader;
    if (!grpc_byte_buffer_reader_init(&reader, buffer)) {
        answer->outcome = OUTCOME_GARBLED;
        answer->trouble = STR("the message cannot be read");
        return;
    }
    grpc_slice whole = grpc_byte_buffer_reader_readall(&reader);
    struct str bytes = {(const char *)GRPC_SLICE_START_PTR(whole), GRPC_SLICE_LENGTH(whole)};
    grpc_compression_algorithm coding = buffer->data.raw.compression;
    answer->has_message = true;
    answer->is_coded = coding != GRPC_COMPRESS_NONE;
    if (coding != GRPC_COMPRESS_NONE) {
        answer->message = inflate_message(bytes, coding == GRPC_COMPRESS_GZIP, limit, arena, answer);
    } else {
        if (bytes.size > limit) {
            answer->truncated = true;
            bytes.size = TRUNCATED_KEEPS < limit ? TRUNCATED_KEEPS : limit;
        }
        answer->message = arena_copy(arena, bytes);
    }
    grpc_slice_unref(whole);
    grpc_byte_buffer_reader_destroy(&reader);
}
