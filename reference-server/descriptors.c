#include "server.h"

#include <sys/resource.h>

#define OWN          ((size_t)48) /* ports, loops, the log, and files of models that are being read */
#define LEAST        ((size_t)64)
#define HTTP_WAITING ((size_t)256)

struct status descriptors_share(size_t http_wanted, struct arena *arena, struct descriptors *shares)
{
    struct rlimit limit = {.rlim_cur = LEAST};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        struct rlimit raised = {limit.rlim_max, limit.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
            limit = raised;
    }
    if (limit.rlim_cur < LEAST)
        return status_error(arena, STATUS_FAILED_PRECONDITION,
                            "this process may open only %llu files, but a server needs %zu (ulimit -n)",
                            (unsigned long long)limit.rlim_cur, LEAST);
    size_t left = (size_t)limit.rlim_cur - OWN, half = left / 2;
    bool is_enough = http_wanted + HTTP_WAITING <= half;
    *shares = is_enough ? (struct descriptors){.http = http_wanted, .http_waiting = HTTP_WAITING}
                        : (struct descriptors){.http = half - half / 3, .http_waiting = half / 3};
    if (shares->http > http_wanted)
        shares->http = http_wanted;
    shares->grpc = left - shares->http - shares->http_waiting;
    return STATUS_IS_OK;
}
