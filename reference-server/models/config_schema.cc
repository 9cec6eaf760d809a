#include "models/config_schema.h"

#include "text/schema.h"

std::unique_ptr<google::protobuf::Message> config_message()
{
    static const struct text_type *const type = text_type_of("model_config", "ModelConfig");
    return type ? text_message(type) : nullptr;
}

struct status config_bad_schema(struct arena *arena)
{
    return status_error(arena, STATUS_INTERNAL, "the schema of config.pbtxt in this program is malformed");
}
