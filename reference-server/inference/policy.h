/* The schedule policy: the parameters `priority` and `timeout` of a request, which Triton's extension schedule_policy
 * describes (SPEC_NOTES.md, "Priorities and timeouts"). They say when the request is served, and how long it may wait,
 * wherever requests wait: for a compute thread, and in models that let them wait. */
#pragma once

#include "inference/infer.h"

/* Sets the turn of the request. Fails with INVALID_ARGUMENT if one of the parameters is not a whole number, or is
 * negative. */
struct status policy_read(struct infer_request *request);
