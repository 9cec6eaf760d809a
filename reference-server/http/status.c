#include "base/search.h"
#include "http/http.h"

static const struct {
    enum status_code code;
    int status;
} statuses[] = {
    {STATUS_INVALID_ARGUMENT, 400},    {STATUS_NOT_FOUND, 404},
    {STATUS_FAILED_PRECONDITION, 409}, {STATUS_RESOURCE_EXHAUSTED, 413},
    {STATUS_UNAVAILABLE, 503},         {STATUS_DEADLINE_EXCEEDED, 408},
    {STATUS_PERMISSION_DENIED, 403},   {STATUS_UNAUTHENTICATED, 401},
    {STATUS_UNIMPLEMENTED, 415}, /* used only for a Content-Encoding */
};

int http_status_of(enum status_code code)
{
    return FIRST(i, COUNT_OF(statuses), statuses[i].code == code, statuses[i].status, 500);
}
