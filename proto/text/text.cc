#include "text/schema.h"

#include <climits>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>
#include <string>

namespace
{
namespace pb = google::protobuf;

class first_fault : public pb::io::ErrorCollector
{
  public:
    void AddError(int line, int column, const std::string &message) override
    {
        if (text.empty())
            text = "line " + std::to_string(line + 1) + ", column " + std::to_string(column + 1) + ": " + message;
    }
    void AddWarning(int, int, const std::string &) override
    {
    }
    std::string text;
};

void append(struct buf *to, const std::string &bytes)
{
    buf_append(to, bytes.data(), bytes.size());
}

std::string print(const pb::Message &message, enum text_form form)
{
    pb::TextFormat::Printer printer;
    printer.SetSingleLineMode(form == TEXT_LINE);
    std::string text;
    printer.PrintToString(message, &text);
    if (form == TEXT_LINE && !text.empty() && text.back() == ' ')
        text.pop_back(); // a blank follows each field
    return text;
}
} // namespace

struct status text_parse(struct str text, struct arena *arena, pb::Message *message)
{
    if (text.size > INT_MAX)
        return status_invalid(arena, "the text has %zu bytes, more than can be read", text.size);
    first_fault fault;
    pb::TextFormat::Parser parser;
    parser.RecordErrorsTo(&fault);
    parser.SetRecursionLimit(TEXT_DEPTH);
    pb::io::ArrayInputStream stream(text.data, int(text.size));
    if (parser.Parse(&stream, message))
        return status{};
    return status_invalid(arena, "%s", str_printable(arena, str{fault.text.data(), fault.text.size()}));
}

struct status text_read(const struct text_type *type, struct str text, struct arena *arena, struct buf *message)
{
    const auto read = text_message(type);
    TRY(text_parse(text, arena, read.get()));
    std::string bytes;
    {
        pb::io::StringOutputStream stream(&bytes);
        pb::io::CodedOutputStream coded(&stream);
        coded.SetSerializationDeterministic(true);
        read->SerializeToCodedStream(&coded);
    }
    append(message, bytes);
    return message->failed ? status_no_memory() : status{};
}

struct status text_print(const struct text_type *type, struct str message, enum text_form form, struct arena *arena,
                         struct buf *text)
{
    const auto read = text_message(type);
    if (message.size > INT_MAX || !read->ParseFromArray(message.data, int(message.size)))
        return status_invalid(arena, "the bytes are no %s", read->GetTypeName().c_str());
    append(text, print(*read, form));
    return text->failed ? status_no_memory() : status{};
}
