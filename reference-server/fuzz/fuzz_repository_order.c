/* The input is the body of a request to the model repository over REST; the first byte says what it asks for. Files
 * that are accepted stay below the folder of the model, and a configuration is read. */
#include "models/config.h"
#include "predict_v2/rest.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0)
        return 0;
    struct arena arena = arena_new((size_t)256 << 20);
    struct order order = {.kind = (enum order_kind)(bytes[0] % 3), .arena = &arena};
    struct status status = rest_read_order(&order, (struct str){(const char *)bytes + 1, size - 1});
    if (!is_ok(status) && !str_is_utf8(status.message))
        abort();
    if (order.kind != ORDER_LOAD && (order.file_count || order.config.size))
        abort();
    for (size_t i = 0; i < order.file_count; i++)
        if (!path_stays_below(order.files[i].path) || !order.files[i].content.data)
            abort();
    struct model_config config;
    if (is_ok(status) && order.config.size)
        (void)config_read_json(order.config, &arena, &config);
    arena_free(&arena);
    return 0;
}
