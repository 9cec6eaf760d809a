/* The list of models (003, "Model Operations"): GET v2/models. 003 gives no body; KServe's servers answer with an
 * object of names. */
#include "predict_v2/rest.h"

#include "http/document.h"

/* v2-kserve.models v2-kserve.models-names */
void rest_models(struct rest_call *call)
{
    struct document document = document_begin();
    struct cJSON *names = document_add_array(&document, document.root, "models");
    struct model_hold hold;
    struct str last = {0};
    size_t position = 0;
    /* The versions of a name follow each other. */
    while (repository_next(call->v2->repository, &position, &hold)) {
        if (!last.data || !str_equal(last, hold.model->name)) {
            last = arena_copy(call->arena, hold.model->name);
            document_add_string(&document, names, NULL, hold.model->name);
        }
        model_release(&hold);
    }
    rest_answer_document(call, STATUS_IS_OK, &document);
}
