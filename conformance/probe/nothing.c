/* The model of plans without a target. */
#include "probe/learn.h"
#include "probe/model_facts.h"
#include "probe/others.h"
#include "probe/request.h"

struct tree *learn_nothing(struct arena *arena)
{
    static const char metadata_text[] =
        "{\"name\": \"any\", \"versions\": [\"1\"], \"platform\": \"any\","
        " \"inputs\": [{\"name\": \"input-0\", \"datatype\": \"INT32\", \"shape\": [-1, 4]},"
        " {\"name\": \"input-1\", \"datatype\": \"INT32\", \"shape\": [-1, 4]}],"
        " \"outputs\": [{\"name\": \"output-0\", \"datatype\": \"INT32\", \"shape\": [-1, 4]},"
        " {\"name\": \"output-1\", \"datatype\": \"INT32\", \"shape\": [-1, 4]}]}";
    struct tree *metadata, *answer, *inputs;
    struct learned learned = {.version = STR("1"), .same_version = STR("1"), .odd_version = STR("1"), .alike = true};
    struct str name = STR("any");
    tree_parse(str_of(metadata_text), arena, &metadata);
    learned.metadata = metadata;
    tree_parse(STR("[{\"name\": \"output-0\", \"datatype\": \"INT32\", \"shape\": [1, 4], \"data\": [1, 2, 3, 4]}]"),
               arena, &answer);
    request_from_metadata(metadata, name, (struct request_sizes){1, 2}, 0, arena, &inputs);
    struct tree *probe =
        tree_object(arena, {"name", tree_string(arena, name)}, {"metadata", metadata},
                    {"promised", tree_copy(arena, inputs)}, {"sequence", tree_new(arena, TREE_ARRAY)},
                    {"unserved", tree_new(arena, TREE_ARRAY)}, {"answer", answer}, {"batch", tree_copy(arena, inputs)});
    for (size_t i = 0; i < OTHERS_COUNT; i++)
        tree_add(probe, str_of(others[i].name), tree_copy(arena, inputs));
    model_facts_add(probe, &learned, tree_object(arena, {"inputs", inputs}), arena);
    return probe;
}
