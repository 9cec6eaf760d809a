#include "operators/message.h"

struct status operators_read(struct rpc_call *call, struct arena *arena, struct str *message)
{
    *message = call->slice_count ? call->slices[0] : STR("");
    if (call->slice_count > 1) {
        char *at = arena_alloc(arena, call->message_size);
        if (!at)
            return status_no_memory();
        *message = (struct str){at, call->message_size};
        for (size_t i = 0; i < call->slice_count; i++)
            if (call->slices[i].size)
                at = (char *)mempcpy(at, call->slices[i].data, call->slices[i].size);
    }
    return wire_check(call->method->request, *message, arena);
}
