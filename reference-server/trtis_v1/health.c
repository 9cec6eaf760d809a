/* "Health" of 002: whether the server is alive, and whether it is ready. With --strict-readiness=false it is ready also
 * when models are not. */
#include "trtis_v1/v1.h"

#include "inference/infer.h"
#include "models/repository.h"

struct v1_outcome v1_health(struct trtis_v1 *v1, struct str mode, struct arena *arena, bool *is_healthy)
{
    *is_healthy = false;
    if (infer_draining())
        return v1_exiting();
    struct v1_outcome outcome = v1_counted(v1);
    if (str_is(mode, "live")) {
        *is_healthy = true;
    } else if (str_is(mode, "ready")) {
        *is_healthy = !v1->is_strict || repository_ready(v1->repository);
    } else {
        struct str shown = v1_shown(arena, mode);
        outcome.code = V1__REQUEST_STATUS_CODE__UNKNOWN;
        outcome.message = arena_printf(arena, "unknown health mode '%.*s'", STR_ARG(shown));
    }
    return outcome;
}
