/* Server metadata over REST (000, "Server Metadata"): GET v2. */
#include "predict_v2/rest.h"

#include "http/document.h"

/* v2-rest.server-metadata v2-rest.server-name v2-rest.server-version v2-rest.server-extensions */
void rest_server_metadata(struct rest_call *call)
{
    struct document document = document_begin();
    document_add_string(&document, document.root, "name", str_of(call->v2->name));
    document_add_string(&document, document.root, "version", str_of(call->v2->version));
    struct cJSON *extensions = document_add_array(&document, document.root, "extensions");
    for (size_t i = 0; i < predict_v2_extension_count(call->v2); i++)
        document_add_string(&document, extensions, NULL, str_of(predict_v2_extensions[i]));
    rest_answer_document(call, STATUS_IS_OK, &document);
}
