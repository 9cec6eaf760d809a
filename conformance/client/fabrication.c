/* The answers are recognised by the words that the core writes where grpc-message stands. */
#include "client/fabrication.h"

#include "base/count.h"

#include <grpc/status.h>

#define ANY_CODE (-1)
#define UNSEEN   "GOAWAY received"

/* The first row that fits is used. */
static const struct {
    int code;
    enum outcome outcome;
    const char *begins; /* how the core's words begin */
    const char *says;
} fabrications[] = {
    {GRPC_STATUS_UNAVAILABLE, OUTCOME_CLOSED, "Socket closed", "the connection was closed"},
    {GRPC_STATUS_UNAVAILABLE, OUTCOME_CLOSED, "Transport closed", "the connection was closed"},
    {GRPC_STATUS_UNAVAILABLE, OUTCOME_CLOSED, "Cancelling all calls", "the connection was closed"},
    {GRPC_STATUS_UNAVAILABLE, OUTCOME_CLOSED, UNSEEN, "the server ended the connection (GOAWAY)"},
    {GRPC_STATUS_UNAVAILABLE, OUTCOME_CLOSED, "Stream refused", "the stream was refused"},
    {GRPC_STATUS_UNKNOWN, OUTCOME_GARBLED, "Stream removed", "the stream ended without a grpc-status"},
    {GRPC_STATUS_UNKNOWN, OUTCOME_GARBLED, "No status received", "the stream ended without a grpc-status"},
    {GRPC_STATUS_RESOURCE_EXHAUSTED, OUTCOME_GARBLED, "Buffers full", "the message is larger than is kept"},
    {GRPC_STATUS_RESOURCE_EXHAUSTED, OUTCOME_GARBLED, "received initial metadata size exceeds limit",
     "too much metadata"},
    {GRPC_STATUS_RESOURCE_EXHAUSTED, OUTCOME_GARBLED, "received trailing metadata size exceeds limit",
     "too much metadata"},
    {ANY_CODE, OUTCOME_GARBLED, "Received http2 header with status", "no gRPC answer"},
    {ANY_CODE, OUTCOME_CLOSED, "Received RST_STREAM with error code", "the stream was reset"},
    {GRPC_STATUS_INTERNAL, OUTCOME_GARBLED, "frame of size", "the server breaks HTTP/2's flow control"},
    {GRPC_STATUS_INTERNAL, OUTCOME_GARBLED, "unsupported data flags",
     "the server pads DATA frames, which it may, but the judge's gRPC library cannot read"},
    {ANY_CODE, OUTCOME_GARBLED, "Error parsing metadata", "the metadata cannot be read"},
    {ANY_CODE, OUTCOME_GARBLED, "Bad GRPC frame type", "what should be a message is none"},
};

void fabrication_find(struct answer *answer, struct arena *arena)
{
    for (size_t i = 0; i < COUNT_OF(fabrications); i++) {
        if ((fabrications[i].code != ANY_CODE && fabrications[i].code != answer->code) ||
            !str_starts(answer->details, str_of(fabrications[i].begins)))
            continue;
        answer->outcome = fabrications[i].outcome;
        answer->trouble = arena_printf(arena, "%s (%s)", fabrications[i].says, str_printable(arena, answer->details));
        return;
    }
}

bool fabrication_is_unseen(const struct answer *answer)
{
    return answer->outcome == OUTCOME_CLOSED && str_starts(answer->details, STR(UNSEEN));
}
