#include "deviations/deviations.h"
struct status deviations_load(struct arena *arena)
{
    (void)arena;
    return STATUS_IS_OK;
}
struct status deviations_enable(const char *names, struct arena *arena)
{
    (void)names;
    (void)arena;
    return STATUS_IS_OK;
}
void deviations_enable_by_header(void)
{
}
bool deviation_is_on(const char *name)
{
    (void)name;
    return false;
}
void deviations_list(struct buf *out)
{
    (void)out;
}
void deviations_http_begin(struct http_request *request)
{
    (void)request;
}
void deviations_http_finish(struct http_request *request)
{
    (void)request;
}
void deviations_rpc_begin(struct rpc_call *call)
{
    (void)call;
}
void deviations_rpc_finish(struct rpc_call *call)
{
    (void)call;
}
