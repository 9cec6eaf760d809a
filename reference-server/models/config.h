/* config.pbtxt: what a model repository says about a model, as Triton's ModelConfig in protobuf's text form. This file
 * reads the fields that this server uses. The other fields of the schema are accepted and have no effect. */
#pragma once

#include "base/buf.h"
#include "base/status.h"
#include "models/parameters.h"
#include "tensor/datatype.h"

enum version_policy { VERSIONS_LATEST, VERSIONS_ALL, VERSIONS_SPECIFIC };

struct config_tensor {
    struct str name;
    enum datatype datatype; /* DATATYPE_NONE if it is missing */
    const int64_t *dims;    /* without the batch dimension if max_batch_size is above 0 */
    size_t rank;
    bool is_reshaped;     /* the model takes or gives `reshape` where a client of v1 sees `dims` */
    const int64_t *shape; /* of `reshape`, without the batch dimension too; may be empty */
    size_t shape_rank;
    struct str label_filename; /* of an output; empty if there is none */
};

/* dynamic_batching; batcher.h says what it means. */
struct config_batching {
    bool is_wanted;
    const int64_t *preferred; /* preferred_batch_size, in elements of a batch */
    size_t preferred_count;
    uint64_t delay_us;  /* max_queue_delay_microseconds */
    uint32_t queue_max; /* max_queue_size of default_queue_policy, in requests; 0: no limit */
};

struct model_config {
    struct str name;
    struct str platform;
    bool has_sequences; /* sequence_batching is there */
    struct str backend;
    struct str default_model_filename;
    enum version_policy version_policy; /* "latest 1" if it is missing */
    uint32_t latest;
    const int64_t *versions; /* of VERSIONS_SPECIFIC */
    size_t version_count;
    int32_t max_batch_size;
    struct config_batching batching;
    bool is_decoupled;         /* model_transaction_policy: it may answer a request any number of times */
    uint64_t sequence_idle_us; /* max_sequence_idle_microseconds, a second if it is missing */
    const struct config_tensor *inputs;
    size_t input_count;
    const struct config_tensor *outputs;
    size_t output_count;
    struct parameters parameters; /* by their keys; all values are strings; the last of two with one key counts */
    struct str message;           /* all of it, as a ModelConfig on the wire */
};

/* Returns the settings of a model that has no config.pbtxt. */
struct model_config config_default(void);

/* Reads the text; everything is copied into the arena. Fails with INVALID_ARGUMENT, which gives line, column and fault,
 * or names the field whose text is not UTF-8; and with RESOURCE_EXHAUSTED if it is too large to be looked at. */
struct status config_read(struct str text, struct arena *arena, struct model_config *config);

/* Does the same for ModelConfig in protobuf's JSON form, with which a request to load a model may replace
 * config.pbtxt. */
struct status config_read_json(struct str json, struct arena *arena, struct model_config *config);

/* Show a configuration: all that was read, and where that is silent the name, the backend, the platform, the version
 * policy and the tensors of the struct. config_show gives a ModelConfig on the wire, in the arena. config_show_json
 * appends JSON by the names of the schema, with all scalars and lists. They fail without memory. */
struct status config_show(const struct model_config *config, struct arena *arena, struct str *message);
struct status config_show_json(const struct model_config *config, struct arena *arena, struct buf *json);
