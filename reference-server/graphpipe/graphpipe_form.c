/* Answers and requests as trees, for deviations: the member "message" of an answer is an InferResponse or a
 * MetadataResponse, as "table" says, and "json" is the answer to a GET; the "message" of a request is a Request. */
#include "graphpipe/graphpipe_call.h"

#include "base/search.h"
#include "flat/message.h"

/* Only a MetadataResponse of this server has more fields than an InferResponse can have. */
static bool is_metadata(struct str body)
{
    struct flat_reader reader = flat_begin(body);
    struct flat_object root;
    return flat_root(&reader, &root) && root.vtable_size > 4 + 2 * graphpipe_infer_response.count;
}

static const struct flat_table *const roots[] = {&graphpipe_infer_response, &graphpipe_metadata_response};

static struct status read_answer(const struct http_request *answered, struct str body, struct tree *answer)
{
    struct arena *arena = answered->arena;
    struct tree *tree = NULL;
    if (str_starts(answered->content_type, STR("application/json"))) {
        TRY(tree_parse(body, arena, &tree));
        return tree_add(answer, STR("json"), tree) ? STATUS_IS_OK : status_no_memory();
    }
    const struct flat_table *root = roots[is_metadata(body)];
    TRY(flat_to_tree(root, body, arena, &tree, NULL));
    NEED(tree_add(answer, STR("message"), tree) &&
         tree_add(answer, STR("table"), tree_string(arena, str_of(root->name))));
    return STATUS_IS_OK;
}

static struct status write_answer(struct tree *answer, struct buf *out, struct arena *arena)
{
    const struct tree *json = tree_member(answer, "json"), *message = tree_member(answer, "message");
    struct str name = tree_text(answer, "table");
    if (json)
        tree_write(json, out);
    for (size_t i = 0; message && i < COUNT_OF(roots); i++)
        if (str_is(name, roots[i]->name))
            return flat_from_tree(roots[i], message, out, arena);
    return STATUS_IS_OK;
}

static struct status read_request(const struct http_request *request, struct tree *asked)
{
    struct tree *tree = NULL;
    TRY(flat_to_tree(&graphpipe_request, request->body, request->arena, &tree, NULL));
    return tree_add(asked, STR("message"), tree) ? STATUS_IS_OK : status_no_memory();
}

const struct http_form graphpipe_form = {.read = read_answer, .write = write_answer, .read_request = read_request};
