/* Requests and answers as JSON texts, and back, for a tape. */
#pragma once

#include "base/buf.h"
#include "base/status.h"
#include "client/answer.h"

/* Writes what the request sends, and to which endpoint. */
void tape_write_request(const struct request *request, const struct secrets *secrets, struct arena *arena,
                        struct buf *out);

/* Writes all of the answer but its seconds. */
void tape_write_answer(const struct answer *answer, const struct secrets *secrets, struct arena *arena,
                       struct buf *out);

/* Reads what tape_write_answer has written. INVALID_ARGUMENT: it is something else. */
struct status tape_read_answer(struct str json, struct arena *arena, struct answer *answer);
