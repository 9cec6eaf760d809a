/* Decodes any bytes as an answer, in each encoding. The first bytes choose the encoding, the status and what is
 * answered. It must be possible to write the tree, and a fault in the bytes must be reported. */
#include "protocols/answer.h"
#include "tests/registry.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const char *const rpcs[] = {"ModelInfer", "ModelMetadata", "ServerMetadata",
                                   "ModelReady", "ServerLive",    "Unknown"};
static const int codes[] = {200, 204, 299, 400, 404, 500};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 3)
        return 0;
    struct arena arena = arena_new((size_t)1 << 30);
    const struct encoding *encoding = &the_registry()->encodings[bytes[0] % the_registry()->encoding_count];
    char rpc[64];
    snprintf(rpc, sizeof rpc, "/inference.GRPCInferenceService/%s", rpcs[bytes[1] % (sizeof rpcs / sizeof *rpcs)]);
    struct str text = {(const char *)bytes + 3, size - 3};
    struct header headers[] = {{STR("A"), text}, {text, STR("b")}, {text, text}, {STR("a"), STR("")}};
    struct answer answer = {.status = codes[bytes[2] % (sizeof codes / sizeof *codes)],
                            .code = bytes[2] / 8 % 18,
                            .headers = headers,
                            .header_count = bytes[1] / 16 % 5,
                            .trailers = headers,
                            .trailer_count = bytes[0] / 16 % 5,
                            .body = text,
                            .message = text,
                            .details = text,
                            .has_message = bytes[2]<250, .truncated = bytes[2]> 252};
    struct str messages[] = {text, {text.data, text.size / 2}, {text.data + text.size / 2, text.size - text.size / 2}};
    if (encoding->transport == TRANSPORT_GRPC && bytes[2] % 5 == 0) {
        answer.streams = true;
        answer.open = bytes[2] % 2;
        answer.messages = messages;
        answer.message_count = bytes[2] % 4;
    }
    const struct request request = {.endpoint = profile_of(encoding)->endpoint,
                                    .rpc = str_of(rpc),
                                    .body = {text.data, text.size / (1 + bytes[1] % 4)}};
    struct str trouble;
    const struct tree *tree = answer_tree(encoding, profile_of(encoding), &request, &answer, &arena, &trouble);
    struct buf written = {0};
    tree_write(tree, &written);
    if (tree->type != TREE_OBJECT || (trouble.size && !trouble.data) || written.failed)
        abort();
    buf_free(&written);
    arena_free(&arena);
    return 0;
}
