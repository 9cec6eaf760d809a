/* Loading a model over REST (003, "Model Management"): POST v2/repository[/NAME]/models/MODEL/load. A model that is
 * served already is loaded again. */
#include "predict_v2/rest_repository.h"

/* repository-rest.load repository-rest.load-again repository-rest.load-known repository-rest.load-inside
 * repository-rest.load-broken repository-rest.load-failed-keeps repository-rest.load-repository
 * repository-rest.refused-changes-nothing */
void rest_repository_load(struct rest_call *call)
{
    rest_order(call, ORDER_LOAD, rest_order_done);
}
