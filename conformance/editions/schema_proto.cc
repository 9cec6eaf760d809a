// Reads a .proto file by libprotobuf's parser, which needs no other file: its package, messages, fields, enums and
// services. Options, imports and comments mean nothing on the wire and are read over.
extern "C" {
#include "editions/schema.h"
}

#include <google/protobuf/compiler/parser.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <string>

namespace pb = google::protobuf;

namespace
{

// Keeps the first error.
class Errors : public pb::io::ErrorCollector
{
  public:
    void AddError(int line, int, const std::string &message) override
    {
        if (first.empty())
            first = "line " + std::to_string(line + 1) + ": " + message;
    }

    std::string first;
};

struct Reading {
    struct schema *schema;
    struct arena *arena;
    pb::compiler::SourceLocationTable lines;

    void add(const std::string &at, const std::string &is, const pb::Message &element,
             pb::DescriptorPool::ErrorCollector::ErrorLocation where = pb::DescriptorPool::ErrorCollector::NAME)
    {
        int line = 0, column = 0;
        lines.Find(&element, where, &line, &column);
        schema_add(schema, arena_copy(arena, {at.data(), at.size()}), arena_copy(arena, {is.data(), is.size()}),
                   static_cast<size_t>(line) + 1, arena);
    }
};

std::string type_of(const pb::FieldDescriptorProto &field)
{
    if (!field.type_name().empty())
        return field.type_name();
    return pb::FieldDescriptor::TypeName(static_cast<pb::FieldDescriptor::Type>(field.type()));
}

// What the field is: a map is parsed into a repeated message of entries.
std::string field_is(const pb::FieldDescriptorProto &field, const pb::DescriptorProto &message)
{
    std::string is;
    if (field.has_oneof_index() && !field.proto3_optional())
        is += "oneof " + message.oneof_decl(field.oneof_index()).name() + ": ";
    const std::string number = " = " + std::to_string(field.number());
    for (const auto &entry : message.nested_type())
        if (entry.options().map_entry() && entry.name() == field.type_name())
            return is + "map<" + type_of(entry.field(0)) + ", " + type_of(entry.field(1)) + ">" + number;
    if (field.label() == pb::FieldDescriptorProto::LABEL_REPEATED)
        is += "repeated ";
    else if (field.proto3_optional())
        is += "optional ";
    return is + type_of(field) + number;
}

void add_enum(Reading &reading, const pb::EnumDescriptorProto &choices, const std::string &place)
{
    for (const auto &value : choices.value())
        reading.add(place + choices.name() + "." + value.name(), "= " + std::to_string(value.number()), value);
}

// A recursion over messages within messages; the parser limits how deep they may lie.
void add_message(Reading &reading, const pb::DescriptorProto &message, const std::string &place)
{
    const std::string at = place + message.name();
    if (message.options().map_entry())
        return;
    reading.add(at, "message", message);
    for (const auto &field : message.field())
        reading.add(at + "." + field.name(), field_is(field, message), field);
    for (const auto &nested : message.nested_type())
        add_message(reading, nested, at + ".");
    for (const auto &choices : message.enum_type())
        add_enum(reading, choices, at + ".");
}

void add_service(Reading &reading, const pb::ServiceDescriptorProto &service)
{
    for (const auto &method : service.method()) {
        const std::string takes = method.client_streaming() ? "(stream " : "(";
        const std::string gives = method.server_streaming() ? "(stream " : "(";
        reading.add(service.name() + "." + method.name(),
                    takes + method.input_type() + ") returns " + gives + method.output_type() + ")", method);
    }
}

// Whether messages lie so deep within messages that the parser, which is a recursion, must not see them.
bool is_too_deep(const std::string &text)
{
    constexpr int deepest = 64;
    pb::io::ArrayInputStream input(text.data(), static_cast<int>(text.size()));
    Errors ignored;
    pb::io::Tokenizer tokenizer(&input, &ignored);
    int depth = 0;
    while (depth <= deepest && tokenizer.Next())
        depth += (tokenizer.current().text == "{") - (tokenizer.current().text == "}");
    return depth > deepest;
}

} // namespace

// A piece of a schema, such as one that is in prose, need not say which edition of the language it is written
// in.
extern "C" struct status schema_of_proto(struct str text, struct arena *arena, struct schema *schema)
{
    Reading reading{schema, arena, {}};
    Errors errors;
    std::string whole(text.data ? text.data : "", text.size);
    pb::FileDescriptorProto file;
    pb::compiler::Parser parser;
    *schema = {};
    if (is_too_deep(whole))
        return status_error(arena, STATUS_INVALID_ARGUMENT, "line 1: too many messages within messages");
    if (whole.find("syntax") == std::string::npos)
        whole = "syntax = \"proto3\"; " + whole;
    pb::io::ArrayInputStream input(whole.data(), static_cast<int>(whole.size()));
    pb::io::Tokenizer tokenizer(&input, &errors);
    parser.RecordErrorsTo(&errors);
    parser.RecordSourceLocationsTo(&reading.lines);
    if (!parser.Parse(&tokenizer, &file) || !errors.first.empty())
        return status_error(arena, STATUS_INVALID_ARGUMENT, "%s", errors.first.c_str());
    if (file.has_package())
        reading.add("package", file.package(), file);
    for (const auto &service : file.service())
        add_service(reading, service);
    for (const auto &message : file.message_type())
        add_message(reading, message, "");
    for (const auto &choices : file.enum_type())
        add_enum(reading, choices, "");
    return {STATUS_OK, {}, nullptr};
}
