/* Unloading a model over REST (003, "Model Management"): POST v2/repository[/NAME]/models/MODEL/unload. The answer
 * comes when new requests are refused; requests in flight may still run. */
#include "predict_v2/rest_repository.h"

/* repository-rest.unload repository-rest.unload-again repository-rest.unload-known repository-rest.unload-repository
 * repository-rest.unload-in-flight repository-rest.index-unloading */
void rest_repository_unload(struct rest_call *call)
{
    rest_order(call, ORDER_UNLOAD, rest_order_done);
}
