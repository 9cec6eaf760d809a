#include "models/config_schema.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <mutex>

__asm__(".section .rodata\n"
        ".global model_config_descriptor\n"
        "model_config_descriptor:\n"
        ".incbin \"model_config.desc\"\n"
        ".global model_config_descriptor_end\n"
        "model_config_descriptor_end:\n"
        ".byte 0\n"
        ".previous\n");
extern "C" const char model_config_descriptor[], model_config_descriptor_end[];

namespace
{
namespace pb = google::protobuf;

// The parser of ModelConfig; it is made once and never freed.
struct schema {
    pb::DescriptorPool pool;
    pb::DynamicMessageFactory factory;
    const pb::Message *prototype = nullptr;

    schema()
    {
        pb::FileDescriptorSet files;
        if (!files.ParseFromArray(model_config_descriptor, int(model_config_descriptor_end - model_config_descriptor)))
            return;
        for (const auto &file : files.file())
            if (!pool.BuildFile(file))
                return;
        const auto *file = pool.FindFileByName("model_config.proto");
        if (const auto *type = file ? file->FindMessageTypeByName("ModelConfig") : nullptr)
            prototype = factory.GetPrototype(type);
    }
};
} // namespace

std::unique_ptr<pb::Message> config_message()
{
    static std::mutex once;
    const std::lock_guard<std::mutex> lock(once);
    static const schema *const known = new schema;
    return std::unique_ptr<pb::Message>(known->prototype ? known->prototype->New() : nullptr);
}

struct status config_bad_schema(struct arena *arena)
{
    return status_error(arena, STATUS_INTERNAL, "the schema of config.pbtxt in this program is malformed");
}
