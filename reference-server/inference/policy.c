#include "inference/policy.h"

#include "base/clock.h"

static bool is_whole(const struct parameter *parameter)
{
    return parameter->kind == PARAMETER_UINT64 || (parameter->kind == PARAMETER_INT64 && parameter->int64 >= 0);
}

/* *value is 0 if there is no parameter of that name. */
static struct status read_number(const struct infer_request *request, const char *name, uint64_t *value)
{
    const struct parameter *found = parameters_find(&request->parameters, name);
    *value = found ? found->uint64 : 0;
    return !found || is_whole(found)
               ? STATUS_IS_OK
               : status_invalid(request->arena, "the parameter \"%s\" must be a whole number, 0 or more", name);
}

/* Returns when a timeout that begins now is over. What is beyond the end of the clock is no deadline. */
static int64_t deadline_after(uint64_t microseconds)
{
    uint64_t end = TURN_NO_DEADLINE;
    if (microseconds == 0 || __builtin_mul_overflow(microseconds, 1000, &end) ||
        __builtin_add_overflow(end, (uint64_t)clock_now(), &end) || end > TURN_NO_DEADLINE)
        return TURN_NO_DEADLINE;
    return (int64_t)end;
}

/* schedule-rest.priority-valid schedule-rest.timeout-valid, and the same of schedule-grpc */
struct status policy_read(struct infer_request *request)
{
    uint64_t priority = 0, timeout = 0;
    struct status status = STATUS_IS_OK;
    if (request->parameters.count > 0)
        status = read_number(request, "priority", &priority);
    if (is_ok(status) && request->parameters.count > 0)
        status = read_number(request, "timeout", &timeout);
    request->turn = (struct turn){.priority = priority, .deadline = deadline_after(timeout)};
    return status;
}
