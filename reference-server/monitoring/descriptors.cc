#include "monitoring/descriptors.h"

#include "base/embed.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <map>
#include <string>
#include <vector>

EMBED(schema_files, "schemas.desc")

namespace
{
namespace pb = google::protobuf;

// The files, each with its bytes. It is made once, does not change, and is never freed.
struct schemas {
    pb::DescriptorPool pool;
    std::map<std::string, std::string> bytes; // by the name of the file

    schemas()
    {
        pb::FileDescriptorSet set;
        if (!set.ParseFromArray(schema_files().data, int(schema_files().size)))
            return;
        for (const auto &file : set.file()) // a file comes behind those that it imports
            if (pool.BuildFile(file))
                bytes[file.name()] = file.SerializeAsString();
    }
};

const schemas &all()
{
    static const schemas *const known = new schemas;
    return *known;
}

std::string text(struct str s)
{
    return std::string(s.size ? s.data : "", s.size);
}

void add(const pb::FileDescriptor *file, struct descriptor_files &found)
{
    const auto bytes = all().bytes.find(file->name());
    if (bytes == all().bytes.end() || found.count == DESCRIPTOR_FILES_MAX)
        return;
    for (size_t i = 0; i < found.count; i++)
        if (found.files[i].data == bytes->second.data())
            return;
    found.files[found.count++] = {bytes->second.data(), bytes->second.size()};
    for (int i = 0; i < file->dependency_count(); i++)
        add(file->dependency(i), found);
}

struct descriptor_files with_imports(const pb::FileDescriptor *file)
{
    struct descriptor_files found = {};
    if (file)
        add(file, found);
    return found;
}
} // namespace

struct descriptor_files descriptors_named(struct str file)
{
    return with_imports(all().pool.FindFileByName(text(file)));
}

struct descriptor_files descriptors_of_symbol(struct str symbol)
{
    return with_imports(all().pool.FindFileContainingSymbol(text(symbol)));
}

struct descriptor_files descriptors_of_extension(struct str message, int32_t number)
{
    const auto *type = all().pool.FindMessageTypeByName(text(message));
    const auto *extension = type ? all().pool.FindExtensionByNumber(type, number) : nullptr;
    return with_imports(extension ? extension->file() : nullptr);
}

bool descriptors_extensions(struct str message, struct arena *arena, int32_t **numbers, size_t *count)
{
    const auto *type = all().pool.FindMessageTypeByName(text(message));
    if (!type)
        return false;
    std::vector<const pb::FieldDescriptor *> found;
    all().pool.FindAllExtensions(type, &found);
    *numbers = static_cast<int32_t *>(arena_alloc(arena, found.size() * sizeof(**numbers)));
    *count = *numbers ? found.size() : 0;
    for (size_t i = 0; i < *count; i++)
        (*numbers)[i] = found[i]->number();
    return true;
}
