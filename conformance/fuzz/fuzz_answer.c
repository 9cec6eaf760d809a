/* Decodes any bytes as an answer, in each encoding. The first bytes choose the encoding, the status and what is
 * answered. It must be possible to write the tree, and a fault in the bytes must be reported. */
#include "base/search.h"
#include "protocols/answer.h"
#include "tests/registry.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const rpcs[] = {
    "inference.GRPCInferenceService/ModelInfer",     "inference.GRPCInferenceService/ModelMetadata",
    "inference.GRPCInferenceService/ServerMetadata", "inference.GRPCInferenceService/ModelReady",
    "inference.GRPCInferenceService/ServerLive",     "inference.GRPCInferenceService/Unknown",
    "nvidia.inferenceserver.GRPCService/Infer",      "nvidia.inferenceserver.GRPCService/Status"};
static const char details[] = "{\"max_batch_size\": 4, \"outputs\": [{\"name\": \"O\", \"datatype\": \"FP32\"},"
                              " {\"name\": \"T\", \"datatype\": \"BYTES\"}]}";
static const int codes[] = {200, 204, 299, 400, 404, 500};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 3)
        return 0;
    struct arena arena = arena_new((size_t)1 << 30);
    const struct encoding *encoding = &the_registry()->encodings[bytes[0] % the_registry()->encoding_count];
    char rpc[64];
    snprintf(rpc, sizeof rpc, "/%s", rpcs[bytes[1] % COUNT_OF(rpcs)]);
    struct str text = {(const char *)bytes + 3, size - 3};
    const char *line = memchr(text.data, '\n', text.size);
    struct str first = {text.data,
                        line ? (size_t)(line - text.data) : text.size}; /* NV-InferResponse; the body is after */
    struct str rest = line ? str_from(text, first.size + 1) : text;
    bool v1 = bytes[1] & 8;
    struct header headers[] = {{v1 ? STR("NV-InferResponse") : STR("A"), first},
                               {v1 ? STR("NV-Status") : text, v1 ? first : STR("b")},
                               {text, text},
                               {STR("a"), STR("")}};
    struct tree *model = NULL;
    tree_parse(str_of(details), &arena, &model);
    struct answer answer = {.status = codes[bytes[2] % COUNT_OF(codes)],
                            .code = bytes[2] / 8 % 18,
                            .headers = {headers, bytes[1] / 16 % 5},
                            .trailers = {headers, bytes[0] / 16 % 5},
                            .body = v1 ? rest : text,
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
                                    .details = model,
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
