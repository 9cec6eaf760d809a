/* Metadata (004, "MetadataResponse"), as a flatbuffer and as JSON. The JSON has the members of the original server in
 * Go. */
#include "graphpipe/graphpipe_call.h"

#include "json/writer.h"

/* A datatype that GraphPipe does not have is Null. graphpipe.metadata-null graphpipe.metadata-io-name
 * graphpipe.metadata-io-shape graphpipe.metadata-io-type graphpipe.metadata-io-description */
static void write_tensors(struct flat_writer *writer, struct flat_slot from, const struct tensor_spec *specs,
                          size_t count)
{
    struct flat_slot slot = flat_write_list(writer, from, count), slots[FLAT_FIELDS_MAX];
    for (size_t i = 0; i < count; i++, slot = flat_slot_next(slot)) {
        unsigned type = graphpipe_type(specs[i].datatype);
        flat_write_table(writer, slot, &graphpipe_io_metadata,
                         1u << IO_METADATA_NAME | 1u << IO_METADATA_DESCRIPTION | 1u << IO_METADATA_SHAPE |
                             (type != GRAPHPIPE_NULL ? 1u << IO_METADATA_TYPE : 0u),
                         slots);
        if (type != GRAPHPIPE_NULL)
            flat_write_scalar(writer, slots[IO_METADATA_TYPE], type, 1);
        flat_write_string(writer, slots[IO_METADATA_NAME], specs[i].name);
        flat_write_string(writer, slots[IO_METADATA_DESCRIPTION], specs[i].description);
        flat_write_longs(writer, slots[IO_METADATA_SHAPE], specs[i].shape, specs[i].rank);
    }
}

/* graphpipe.metadata-answers graphpipe.metadata-name graphpipe.metadata-version graphpipe.metadata-server
 * graphpipe.metadata-description graphpipe.metadata-inputs graphpipe.metadata-outputs graphpipe.answer-aligned */
void graphpipe_answer_metadata(struct graphpipe_call *call)
{
    const struct model *model = call->hold.model;
    struct status status = model_readiness(model, call->arena);
    if (!is_ok(status)) {
        graphpipe_refuse(call, status);
        return;
    }
    struct flat_writer writer = flat_writer_begin(&call->http->answer_buf, NULL);
    struct flat_slot slots[FLAT_FIELDS_MAX], root = flat_write_root(&writer);
    flat_write_table(&writer, root, &graphpipe_metadata_response, (1u << graphpipe_metadata_response.count) - 1, slots);
    flat_write_string(&writer, slots[METADATA_RESPONSE_NAME], model->name);
    flat_write_string(&writer, slots[METADATA_RESPONSE_VERSION], str_of(call->service->version));
    flat_write_string(&writer, slots[METADATA_RESPONSE_SERVER], str_of(call->service->name));
    flat_write_string(&writer, slots[METADATA_RESPONSE_DESCRIPTION], model->description);
    write_tensors(&writer, slots[METADATA_RESPONSE_INPUTS], model->inputs, model->input_count);
    write_tensors(&writer, slots[METADATA_RESPONSE_OUTPUTS], model->outputs, model->output_count);
    graphpipe_answer(call, &writer);
}

/* --- As JSON --- */

static void add_member(struct buf *out, const char *indent, const char *name, struct str value)
{
    buf_printf(out, "%s\"%s\": ", indent, name);
    json_write_string(out, value);
    buf_append_literal(out, ",\n");
}

static void add_tensors(struct buf *out, const char *name, const struct tensor_spec *specs, size_t count)
{
    buf_printf(out, "    \"%s\": [", name);
    for (size_t i = 0; i < count; i++) {
        buf_printf(out, "%s\n        {\n", i ? "," : "");
        add_member(out, "            ", "Name", specs[i].name);
        add_member(out, "            ", "Description", specs[i].description);
        buf_append_literal(out, "            \"Shape\": [");
        for (size_t j = 0; j < specs[i].rank; j++)
            buf_printf(out, "%s%lld", j ? ", " : "", (long long)specs[i].shape[j]);
        buf_printf(out, "],\n            \"Type\": %d\n        }", (int)graphpipe_type(specs[i].datatype));
    }
    buf_append_literal(out, "\n    ]");
}

/* graphpipe.get-metadata */
void graphpipe_answer_metadata_as_json(struct graphpipe_call *call)
{
    const struct model *model = call->hold.model;
    struct buf *out = &call->http->answer_buf;
    buf_append_literal(out, "{\n");
    add_member(out, "    ", "Name", model->name);
    add_member(out, "    ", "Version", str_of(call->service->version));
    add_member(out, "    ", "Server", str_of(call->service->name));
    add_member(out, "    ", "Description", model->description);
    add_tensors(out, "Inputs", model->inputs, model->input_count);
    buf_append_literal(out, ",\n");
    add_tensors(out, "Outputs", model->outputs, model->output_count);
    buf_append_literal(out, "\n}");
    if (out->failed) {
        graphpipe_refuse(call, status_no_memory());
        return;
    }
    model_release(&call->hold);
    http_answer(call->http, 200, "application/json");
}
