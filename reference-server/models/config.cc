// libprotobuf reads the text form.
#include "models/config_schema.h"

#include "text/schema.h"

#include <algorithm>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>
#include <string>

namespace
{
namespace pb = google::protobuf;

constexpr uint64_t SEQUENCE_IDLE_US = 1000000;

// Gives access to the fields of a message by their names.
class view
{
  public:
    view(const pb::Message &of, struct arena *memory) : message(of), reflection(of.GetReflection()), arena(memory)
    {
    }
    const pb::FieldDescriptor *field(const char *name) const
    {
        return message.GetDescriptor()->FindFieldByName(name);
    }
    struct str string(const char *name) const
    {
        return copy(reflection->GetString(message, field(name)));
    }
    bool has(const char *name) const
    {
        return reflection->HasField(message, field(name));
    }
    view child(const char *name) const
    {
        return view(reflection->GetMessage(message, field(name)), arena);
    }
    int count(const char *name) const
    {
        return reflection->FieldSize(message, field(name));
    }
    view child(const char *name, int i) const
    {
        return view(reflection->GetRepeatedMessage(message, field(name), i), arena);
    }
    int32_t int32(const char *name) const
    {
        return reflection->GetInt32(message, field(name));
    }
    uint32_t uint32(const char *name) const
    {
        return reflection->GetUInt32(message, field(name));
    }
    bool boolean(const char *name) const
    {
        return reflection->GetBool(message, field(name));
    }
    uint64_t uint64(const char *name) const
    {
        return reflection->GetUInt64(message, field(name));
    }
    int enumeration(const char *name) const
    {
        return reflection->GetEnumValue(message, field(name));
    }
    // Reads a list of int32 or int64. It is empty without memory.
    const int64_t *integers(const char *name, size_t *size) const
    {
        const auto most = size_t(count(name));
        const bool is_wide = field(name)->cpp_type() == pb::FieldDescriptor::CPPTYPE_INT64;
        auto *list = static_cast<int64_t *>(arena_alloc_zero(arena, most, sizeof(int64_t)));
        *size = list ? most : 0;
        for (size_t i = 0; i < *size; i++)
            list[i] = is_wide ? reflection->GetRepeatedInt64(message, field(name), int(i))
                              : reflection->GetRepeatedInt32(message, field(name), int(i));
        return list;
    }

  private:
    struct str copy(const std::string &text) const
    {
        return arena_copy(arena, str{text.data(), text.size()});
    }
    const pb::Message &message;
    const pb::Reflection *reflection;
    struct arena *arena;
};

const config_tensor *read_tensors(const view &config, const char *name, struct arena *arena, size_t *size)
{
    *size = size_t(config.count(name));
    auto *tensors = static_cast<config_tensor *>(arena_alloc_zero(arena, *size, sizeof(config_tensor)));
    for (size_t i = 0; tensors && i < *size; i++) {
        const view tensor = config.child(name, int(i));
        const auto type = size_t(tensor.enumeration("data_type"));
        tensors[i].name = tensor.string("name");
        tensors[i].datatype = type < std::size(CONFIG_DATATYPES) ? CONFIG_DATATYPES[type] : DATATYPE_NONE;
        tensors[i].dims = tensor.integers("dims", &tensors[i].rank);
        tensors[i].is_reshaped = tensor.has("reshape");
        if (tensors[i].is_reshaped)
            tensors[i].shape = tensor.child("reshape").integers("shape", &tensors[i].shape_rank);
        if (tensor.field("label_filename"))
            tensors[i].label_filename = tensor.string("label_filename");
    }
    return tensors;
}

struct parameters read_parameters(const view &config, struct arena *arena)
{
    const int size = config.count("parameters");
    auto *list = static_cast<parameter *>(arena_alloc_zero(arena, size_t(size), sizeof(parameter)));
    for (int i = 0; list && i < size; i++) {
        const view entry = config.child("parameters", i);
        list[i].name = entry.string("key");
        list[i].kind = PARAMETER_STRING;
        list[i].string = entry.child("value").string("string_value");
    }
    if (list)
        std::stable_sort(list, list + size,
                         [](const parameter &a, const parameter &b) { return str_compare(a.name, b.name) < 0; });
    return {list, list ? size_t(size) : 0};
}

void read_versions(const view &policy, model_config *config)
{
    if (policy.has("all")) {
        config->version_policy = VERSIONS_ALL;
    } else if (policy.has("specific")) {
        config->version_policy = VERSIONS_SPECIFIC;
        config->versions = policy.child("specific").integers("versions", &config->version_count);
    } else if (policy.has("latest")) {
        config->latest = std::max(policy.child("latest").uint32("num_versions"), 1U);
    }
}

struct config_batching read_batching(const view &batching)
{
    struct config_batching read = {};
    read.is_wanted = true;
    read.preferred = batching.integers("preferred_batch_size", &read.preferred_count);
    read.delay_us = batching.uint64("max_queue_delay_microseconds");
    read.queue_max = batching.child("default_queue_policy").uint32("max_queue_size");
    return read;
}

void read_message(const pb::Message &message, struct arena *arena, model_config *config)
{
    *config = config_default();
    const view top(message, arena);
    config->name = top.string("name");
    config->platform = top.string("platform");
    config->backend = top.string("backend");
    config->default_model_filename = top.string("default_model_filename");
    config->max_batch_size = top.int32("max_batch_size");
    config->has_sequences = top.has("sequence_batching");
    if (config->has_sequences)
        if (const uint64_t idle = top.child("sequence_batching").uint64("max_sequence_idle_microseconds"))
            config->sequence_idle_us = idle;
    if (top.has("dynamic_batching"))
        config->batching = read_batching(top.child("dynamic_batching"));
    if (top.has("model_transaction_policy"))
        config->is_decoupled = top.child("model_transaction_policy").boolean("decoupled");
    config->inputs = read_tensors(top, "input", arena, &config->input_count);
    config->outputs = read_tensors(top, "output", arena, &config->output_count);
    config->parameters = read_parameters(top, arena);
    if (top.has("version_policy"))
        read_versions(top.child("version_policy"), config);
    const std::string whole = message.SerializeAsString();
    config->message = arena_copy(arena, str{whole.data(), whole.size()});
}
} // namespace

struct model_config config_default(void)
{
    struct model_config config = {};
    config.latest = 1;
    config.sequence_idle_us = SEQUENCE_IDLE_US;
    return config;
}

struct status config_read(struct str text, struct arena *arena, struct model_config *config)
{
    const auto message = config_message();
    if (!message)
        return config_bad_schema(arena);
    const struct status status = text_parse(text, arena, message.get());
    if (!is_ok(status))
        return status_error(arena, status.code, "config.pbtxt, %.*s", STR_ARG(status.message));
    read_message(*message, arena, config);
    return status;
}

struct status config_read_json(struct str json, struct arena *arena, struct model_config *config)
{
    const auto message = config_message();
    if (!message)
        return config_bad_schema(arena);
    pb::util::JsonParseOptions options;
    options.ignore_unknown_fields = true; // clients send back the configuration that another server showed
    const auto read = pb::util::JsonStringToMessage({json.data, json.size}, message.get(), options);
    if (!read.ok()) {
        const std::string fault = read.ToString();
        return status_invalid(arena, "the configuration is not a ModelConfig in JSON: %s",
                              str_printable(arena, str{fault.data(), fault.size()}));
    }
    read_message(*message, arena, config);
    return status{};
}
