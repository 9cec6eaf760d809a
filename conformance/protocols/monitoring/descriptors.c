/* Files of descriptors (google/protobuf/descriptor.proto), read as far as the judge compares them. */
#include "protocols/monitoring/monitoring.h"

#include "wire/wire.h"

/* The numbers of the fields of FileDescriptorProto, and of the messages in it. */
enum { FILE_NAME = 1, FILE_PACKAGE = 2, FILE_DEPENDENCY = 3, FILE_MESSAGE = 4, FILE_ENUM = 5, FILE_SERVICE = 6 };
enum { NAME = 1, SERVICE_METHOD = 2 };

#define NAMES_MAX ((size_t)100000) /* of one answer */

struct descriptors_reading {
    struct arena *arena;
    size_t room; /* how many names may still be read */
};

/* Returns the text of the field, or an empty one. */
static struct str text_of(struct str message, uint32_t number)
{
    struct wire_field field;
    for (struct wire_cursor at = wire_begin(message); wire_next(&at, &field);)
        if (field.number == number && field.type == WIRE_BYTES)
            return field.bytes;
    return STR("");
}

static void add_name(struct descriptors_reading *reading, struct str parent, struct str name, struct tree *list)
{
    if (reading->room == 0)
        return;
    reading->room--;
    struct str whole =
        arena_printf(reading->arena, "%.*s%s%.*s", STR_ARG(parent), parent.size ? "." : "", STR_ARG(name));
    tree_append(list, tree_string(reading->arena, whole));
}

/* Adds a service and its methods. */
static void add_service(struct descriptors_reading *reading, struct str package, struct str service,
                        struct tree *symbols)
{
    struct wire_field field;
    add_name(reading, package, text_of(service, NAME), symbols);
    struct str name = symbols->last ? symbols->last->text : STR("");
    for (struct wire_cursor at = wire_begin(service); wire_next(&at, &field);)
        if (field.number == SERVICE_METHOD && field.type == WIRE_BYTES)
            add_name(reading, name, text_of(field.bytes, NAME), symbols);
}

static struct tree *file_of(struct descriptors_reading *reading, struct str bytes)
{
    struct arena *arena = reading->arena;
    struct tree *symbols = tree_new(arena, TREE_ARRAY), *dependencies = tree_new(arena, TREE_ARRAY);
    struct str package = text_of(bytes, FILE_PACKAGE);
    struct wire_cursor at = wire_begin(bytes);
    struct wire_field field;
    while (wire_next(&at, &field)) {
        if (field.type != WIRE_BYTES)
            continue;
        if (field.number == FILE_DEPENDENCY)
            add_name(reading, STR(""), field.bytes, dependencies);
        else if (field.number == FILE_MESSAGE || field.number == FILE_ENUM)
            add_name(reading, package, text_of(field.bytes, NAME), symbols);
        else if (field.number == FILE_SERVICE)
            add_service(reading, package, field.bytes, symbols);
    }
    return at.fault ? tree_new(arena, TREE_NULL)
                    : tree_object(arena, {"name", tree_string(arena, text_of(bytes, FILE_NAME))},
                                  {"dependencies", dependencies}, {"symbols", symbols});
}

void reflection_read(struct answer_reading *reading, struct tree *tree)
{
    struct descriptors_reading own = {reading->arena, NAMES_MAX};
    struct tree *files = tree_new(reading->arena, TREE_ARRAY);
    FOR_EACH_IN(message, tree_first(tree_member(tree, "messages"))) {
        const struct tree *response = tree_member(message, "file_descriptor_response");
        struct tree *list = tree_new(reading->arena, TREE_ARRAY);
        FOR_EACH_IN(one, tree_first(tree_member(response, "file_descriptor_proto")))
            tree_append(list, file_of(&own, one->text));
        tree_append(files, list);
    }
    if (files->count)
        tree_add(tree, STR("files"), files);
}
