/* Dynamic batching, as `dynamic_batching` in a model's config.pbtxt asks for it: requests that wait at the same time
 * are joined along the dimension of the batch and executed at once (joint.h).
 *
 * Requests wait in a line, in the order of their turns (turn.h), until a compute thread (compute.h) takes a batch from
 * its front:
 *
 *                execute          the time has come, or    a compute thread
 *     (nobody) ----------> WAITS ------------------------> RIPE ----------> (taken: executed, refused or left)
 *                            |   a batch is complete            is free
 *                            +-- the first timeout is over: late requests are refused, others wait further
 *
 * A batch holds the requests from the front whose inputs agree in all but the first dimension, as many as fit into
 * max_batch_size. As in Triton, it is complete
 *   when its size is one of preferred_batch_size, or as large as a preferred one can be,
 *   when the next request does not fit, or has other shapes,
 *   when its oldest request has waited for max_queue_delay_microseconds. If that is 0, it is complete at once: it holds
 *   the requests that came while all compute threads were busy.
 * No request waits for others when the server drains, or when the model has left the catalog, since none will come.
 *
 * A request that is late, or whose client has left, is taken out before the batch is chosen, so it harms no other one.
 * The line is bounded by max_queue_size of default_queue_policy and, as without batching, by the limits of the
 * transports: each request lies in its own arena. */
#pragma once

#include "models/backend.h"

/* Opens the batcher of a model that is loaded, if its requests can be joined: its config asks for it, its backend is
 * rowwise, it has inputs and takes batches, and it is not decoupled. Otherwise *batcher is NULL. Fails without memory.
 */
struct status batcher_open(struct model *model, struct batcher **batcher);

/* Executes, now or later, alone or with others, on a compute thread; without compute threads it executes at once, on
 * this one. `size` is the number of elements of the batch, at least 1; the inputs fit the model and are in its order.
 * The execution ends as if the backend had executed it, or with
 *   UNAVAILABLE  the line is full, it has waited for longer than its timeout, or the batcher was closed
 *   CANCELLED    its client has left
 *   INTERNAL     the outputs of the joined execution have not as many rows as its inputs
 * If a joined execution fails, all that were joined in it fail with its status, as in Triton. If it finds no memory,
 * they are executed one by one. */
void batcher_execute(struct batcher *batcher, struct execution *execution, uint64_t size);

/* From now on no request waits for others. `batcher` may be NULL. */
void batcher_hurry(struct batcher *batcher);

/* Fails what waits with UNAVAILABLE, and frees the batcher; no request may come any more. `batcher` may be NULL. */
void batcher_close(struct batcher *batcher);
