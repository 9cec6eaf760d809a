extern "C" {
#include "models/config_json.h"
#include "tree/tree.h"
}

#include "text/schema.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/util/json_util.h>
#include <string>

namespace
{
namespace pb = google::protobuf;

std::unique_ptr<pb::Message> new_config()
{
    static const struct text_type *const type = text_type_of("model_config", "ModelConfig");
    return text_message(type);
}

void make_numbers(struct tree *message, const pb::Descriptor *type);

void make_number(struct tree *value, const pb::FieldDescriptor *field)
{
    const auto type = field->cpp_type();
    if (type == pb::FieldDescriptor::CPPTYPE_MESSAGE)
        make_numbers(value, field->message_type());
    else if (type == pb::FieldDescriptor::CPPTYPE_INT64 || type == pb::FieldDescriptor::CPPTYPE_UINT64)
        value->type = TREE_NUMBER;
}

// Makes numbers of the integers of 64 bits, as Triton writes them; libprotobuf writes them as texts.
void make_numbers(struct tree *message, const pb::Descriptor *type)
{
    for (struct tree *member = message->first; member; member = member->next) {
        const auto *field = type->FindFieldByName(std::string(member->name.data, member->name.size));
        const auto *of_each = field->is_map() ? field->message_type()->FindFieldByNumber(2) : field;
        if (!field->is_repeated())
            make_number(member, field);
        for (struct tree *each = field->is_repeated() ? member->first : nullptr; each; each = each->next)
            make_number(each, of_each);
    }
}
} // namespace

struct status config_message_of_json(struct str json, struct arena *arena, struct str *message)
{
    const auto config = new_config();
    pb::util::JsonParseOptions options;
    options.ignore_unknown_fields = true; // clients send back the configuration that another server showed
    const auto read = pb::util::JsonStringToMessage({json.data, json.size}, config.get(), options);
    const std::string text = read.ok() ? config->SerializeAsString() : read.ToString();
    if (!read.ok())
        return status_invalid(arena, "the configuration is not a ModelConfig in JSON: %s",
                              str_printable(arena, str{text.data(), text.size()}));
    *message = arena_copy(arena, str{text.data(), text.size()});
    return message->data ? status{} : status_no_memory();
}

struct status config_json_of_message(struct str message, struct arena *arena, struct buf *json)
{
    const auto config = new_config();
    pb::util::JsonPrintOptions options;
    options.always_print_primitive_fields = true;
    options.preserve_proto_field_names = true;
    std::string text;
    struct tree *tree;
    if (!config->ParseFromArray(message.data, int(message.size)) ||
        !pb::util::MessageToJsonString(*config, &text, options).ok())
        return status_no_memory();
    const struct status status = tree_parse(str{text.data(), text.size()}, arena, &tree);
    if (is_ok(status)) {
        make_numbers(tree, config->GetDescriptor());
        tree_write(tree, json);
    }
    return status;
}
