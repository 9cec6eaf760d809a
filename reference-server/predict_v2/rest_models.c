/* The list of models (003, "Model Operations"): GET v2/models. 003 gives no body; KServe's servers answer with an
 * object of names. Models that were unloaded or never loaded are left out. */
#include "predict_v2/rest.h"

#include "http/document.h"

/* v2-kserve.models v2-kserve.models-names */
void rest_models(struct rest_call *call)
{
    struct document document = document_begin();
    struct cJSON *names = document_add_array(&document, document.root, "models");
    struct model_row *rows = NULL;
    size_t count = 0;
    struct status status = repository_list(call->v2->repository, call->arena, &rows, &count);
    /* The versions of a name follow each other. */
    for (size_t i = 0; i < count; i++)
        if (rows[i].is_wanted && (i == 0 || !str_equal(rows[i].name, rows[i - 1].name)))
            document_add_string(&document, names, NULL, rows[i].name);
    rest_answer_document(call, status, &document);
}
