#include "text/schema.h"

#include "base/embed.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <string>

EMBED(text_schemas, "text.desc")

namespace
{
namespace pb = google::protobuf;

// The types by their names. It is made once and never freed.
struct schemas {
    pb::DescriptorPool pool;
    pb::DynamicMessageFactory factory;

    schemas()
    {
        pb::SetLogHandler(nullptr); // its messages about what peers sent do not belong on stderr
        pb::FileDescriptorSet files;
        if (!files.ParseFromArray(text_schemas().data, int(text_schemas().size)))
            return;
        for (const auto &file : files.file())
            pool.BuildFile(file);
    }
};

schemas &known()
{
    static schemas *const only = new schemas;
    return *only;
}
} // namespace

// A type is the empty message of that type, of which others are made.
const struct text_type *text_type_of(const char *schema, const char *name)
{
    const auto *file = known().pool.FindFileByName(std::string(schema) + ".proto");
    const auto *descriptor = file ? file->FindMessageTypeByName(name) : nullptr;
    return reinterpret_cast<const struct text_type *>(descriptor ? known().factory.GetPrototype(descriptor) : nullptr);
}

std::unique_ptr<pb::Message> text_message(const struct text_type *type)
{
    return std::unique_ptr<pb::Message>(reinterpret_cast<const pb::Message *>(type)->New());
}
