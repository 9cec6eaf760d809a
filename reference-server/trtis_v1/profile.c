/* Profiling, which 002 does not mention. The original server has it, and refuses it unless it is told otherwise. */
#include "trtis_v1/v1.h"

struct v1_outcome v1_profile(struct trtis_v1 *v1)
{
    struct v1_outcome outcome = v1_counted(v1);
    outcome.code = V1__REQUEST_STATUS_CODE__UNSUPPORTED;
    outcome.message = STR("Profile API not enabled");
    return outcome;
}
