// Shows a configuration as Triton does: config.pbtxt, completed.
#include "models/config_schema.h"

extern "C" {
#include "json/writer.h"
}

#include <cmath>
#include <google/protobuf/descriptor.h>
#include <string>

namespace
{
namespace pb = google::protobuf;

// Changes the fields of a message by their names.
class editor
{
  public:
    explicit editor(pb::Message *of) : message(of), reflection(of->GetReflection())
    {
    }
    const pb::FieldDescriptor *field(const char *name) const
    {
        return message->GetDescriptor()->FindFieldByName(name);
    }
    bool has(const char *name) const
    {
        return reflection->HasField(*message, field(name));
    }
    int count(const char *name) const
    {
        return reflection->FieldSize(*message, field(name));
    }
    int enumeration(const char *name) const
    {
        return reflection->GetEnumValue(*message, field(name));
    }
    void set_string(const char *name, struct str text) const
    {
        reflection->SetString(message, field(name), std::string(text.data ? text.data : "", text.size));
    }
    void set_uint32(const char *name, uint32_t number) const
    {
        reflection->SetUInt32(message, field(name), number);
    }
    void set_enumeration(const char *name, int number) const
    {
        reflection->SetEnumValue(message, field(name), number);
    }
    void add_int64(const char *name, int64_t number) const
    {
        reflection->AddInt64(message, field(name), number);
    }
    editor child(const char *name) const
    {
        return editor(reflection->MutableMessage(message, field(name)));
    }
    editor add(const char *name) const
    {
        return editor(reflection->AddMessage(message, field(name)));
    }
    // The element of a repeated field whose name is that; a new one if there is none.
    editor named(const char *list, struct str name) const
    {
        for (int i = 0; i < count(list); i++) {
            editor element(reflection->MutableRepeatedMessage(message, field(list), i));
            const std::string text = element.reflection->GetString(*element.message, element.field("name"));
            if (str_equal(str{text.data(), text.size()}, name))
                return element;
        }
        editor element = add(list);
        element.set_string("name", name);
        return element;
    }

  private:
    pb::Message *message;
    const pb::Reflection *reflection;
};

int number_of(enum datatype datatype)
{
    for (size_t i = 0; i < std::size(CONFIG_DATATYPES); i++)
        if (CONFIG_DATATYPES[i] == datatype)
            return int(i);
    return 0;
}

// Adds the tensors that the message lacks, and what it does not say of the others.
void complete_tensors(const editor &message, const char *list, const config_tensor *tensors, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const editor tensor = message.named(list, tensors[i].name);
        if (tensor.enumeration("data_type") == 0)
            tensor.set_enumeration("data_type", number_of(tensors[i].datatype));
        if (tensor.count("dims") == 0)
            for (size_t axis = 0; axis < tensors[i].rank; axis++)
                tensor.add_int64("dims", tensors[i].dims[axis]);
    }
}

void complete(const editor &message, const struct model_config *config)
{
    message.set_string("name", config->name);
    message.set_string("backend", config->backend);
    message.set_string("platform", config->platform);
    if (!message.has("version_policy"))
        message.child("version_policy").child("latest").set_uint32("num_versions", config->latest);
    complete_tensors(message, "input", config->inputs, config->input_count);
    complete_tensors(message, "output", config->outputs, config->output_count);
}

// Returns the completed message; null, and the reason, if there is none.
std::unique_ptr<pb::Message> shown(const struct model_config *config, struct arena *arena, struct status *status)
{
    auto message = config_message();
    const struct str known = config->message;
    if (!message) {
        *status = config_bad_schema(arena);
    } else if (!message->ParseFromString(std::string(known.data ? known.data : "", known.size))) {
        *status = status_error(arena, STATUS_INTERNAL, "the config.pbtxt of model '%s' has text that is not UTF-8",
                               str_printable(arena, config->name));
        message.reset();
    } else {
        complete(editor(message.get()), config);
    }
    return message;
}

// --- JSON ---

void write_message(const pb::Message &message, struct buf *json);

void write_text(const std::string &text, struct buf *json)
{
    json_write_string(json, str{text.data(), text.size()});
}

void write_float(double number, struct buf *json)
{
    if (std::isfinite(number))
        json_write_double(json, number);
    else
        write_text(std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity", json);
}

// Writes the value of a field: the only one if `i` is negative, else one of its list. Integers of 64 bits are numbers,
// as Triton writes them, and not texts, as libprotobuf would.
void write_value(const pb::Message &message, const pb::FieldDescriptor *field, int i, struct buf *json)
{
    const pb::Reflection *of = message.GetReflection();
    const bool one = i < 0;
    switch (field->cpp_type()) {
    case pb::FieldDescriptor::CPPTYPE_INT32:
        json_write_int64(json, one ? of->GetInt32(message, field) : of->GetRepeatedInt32(message, field, i));
        break;
    case pb::FieldDescriptor::CPPTYPE_INT64:
        json_write_int64(json, one ? of->GetInt64(message, field) : of->GetRepeatedInt64(message, field, i));
        break;
    case pb::FieldDescriptor::CPPTYPE_UINT32:
        json_write_uint64(json, one ? of->GetUInt32(message, field) : of->GetRepeatedUInt32(message, field, i));
        break;
    case pb::FieldDescriptor::CPPTYPE_UINT64:
        json_write_uint64(json, one ? of->GetUInt64(message, field) : of->GetRepeatedUInt64(message, field, i));
        break;
    case pb::FieldDescriptor::CPPTYPE_DOUBLE:
        write_float(one ? of->GetDouble(message, field) : of->GetRepeatedDouble(message, field, i), json);
        break;
    case pb::FieldDescriptor::CPPTYPE_FLOAT:
        write_float(double(one ? of->GetFloat(message, field) : of->GetRepeatedFloat(message, field, i)), json);
        break;
    case pb::FieldDescriptor::CPPTYPE_BOOL:
        buf_append_str(json, (one ? of->GetBool(message, field) : of->GetRepeatedBool(message, field, i))
                                 ? str_of("true")
                                 : str_of("false"));
        break;
    case pb::FieldDescriptor::CPPTYPE_ENUM:
        write_text((one ? of->GetEnum(message, field) : of->GetRepeatedEnum(message, field, i))->name(), json);
        break;
    case pb::FieldDescriptor::CPPTYPE_STRING:
        write_text(one ? of->GetString(message, field) : of->GetRepeatedString(message, field, i), json);
        break;
    case pb::FieldDescriptor::CPPTYPE_MESSAGE:
        write_message(one ? of->GetMessage(message, field) : of->GetRepeatedMessage(message, field, i), json);
        break;
    }
}

// Writes a list, or the members of a map. The keys of all maps in the schema are texts or numbers.
void write_list(const pb::Message &message, const pb::FieldDescriptor *field, struct buf *json)
{
    const int size = message.GetReflection()->FieldSize(message, field);
    buf_append_byte(json, field->is_map() ? '{' : '[');
    for (int i = 0; i < size; i++) {
        json_write_next(json);
        if (!field->is_map()) {
            write_value(message, field, i, json);
            continue;
        }
        const pb::Message &entry = message.GetReflection()->GetRepeatedMessage(message, field, i);
        const pb::FieldDescriptor *key = entry.GetDescriptor()->FindFieldByNumber(1);
        const bool is_text = key->cpp_type() == pb::FieldDescriptor::CPPTYPE_STRING;
        buf_append_str(json, is_text ? str_of("") : str_of("\""));
        write_value(entry, key, -1, json);
        buf_append_str(json, is_text ? str_of(":") : str_of("\":"));
        write_value(entry, entry.GetDescriptor()->FindFieldByNumber(2), -1, json);
    }
    buf_append_byte(json, field->is_map() ? '}' : ']');
}

// Writes all scalars and lists, but messages and choices only if they are set.
void write_message(const pb::Message &message, struct buf *json)
{
    buf_append_byte(json, '{');
    for (int i = 0; i < message.GetDescriptor()->field_count(); i++) {
        const pb::FieldDescriptor *field = message.GetDescriptor()->field(i);
        const bool may_lack = field->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE || field->containing_oneof();
        if (!field->is_repeated() && may_lack && !message.GetReflection()->HasField(message, field))
            continue;
        json_write_next(json);
        write_text(field->name(), json);
        buf_append_byte(json, ':');
        if (field->is_repeated())
            write_list(message, field, json);
        else
            write_value(message, field, -1, json);
    }
    buf_append_byte(json, '}');
}
} // namespace

struct status config_show(const struct model_config *config, struct arena *arena, struct str *message)
{
    struct status status = {};
    const auto whole = shown(config, arena, &status);
    if (!whole)
        return status;
    const std::string bytes = whole->SerializeAsString();
    *message = arena_copy(arena, str{bytes.data(), bytes.size()});
    return message->data ? status : status_no_memory();
}

struct status config_show_json(const struct model_config *config, struct arena *arena, struct buf *json)
{
    struct status status = {};
    const auto whole = shown(config, arena, &status);
    if (whole)
        write_message(*whole, json);
    return status;
}
