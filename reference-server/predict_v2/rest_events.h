/* An inference that is answered on the thread of its worker, as events: "Server-sent events" (HTML), each with JSON as
 * its data. A client that does not read stops the model, and one that leaves has it give up. */
#pragma once

#include "predict_v2/rest.h"

enum events_form {
    EVENTS_MANY, /* each response is an event */
    EVENTS_ONE,  /* the only response is the body, as JSON; any other number is an error */
};

/* Writes the JSON of a response. What it needs lies in request->answer_arena. */
typedef struct status (*events_encoder)(const struct infer_request *request, const struct infer_response *response,
                                        struct buf *out);

/* Executes the request and answers the call, all before it returns. The caller has set the members of the request that
 * a protocol folder sets, except those for its answers. An error before the first event is an answer of its own; a
 * later one is an event. */
void rest_answer_events(struct rest_call *call, struct infer_request *request, enum events_form form,
                        events_encoder encode);
