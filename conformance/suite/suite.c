/* Loading. Every *.json below the folder is read once, and its path decides what it is. A file whose path no row of
 * kinds_of_file names is a family of cases. */
#include "suite/suite.h"

#include "suite/like.h"
#include "support/files.h"

#include <stdlib.h>

struct loader {
    struct suite *suite;
    struct arena *arena;
    struct ledger_file *ledger;
    size_t ledger_count;
    struct tree *tables;
    const struct tree *encodings;
};

static struct str without_suffix(struct str path)
{
    return (struct str){path.data, path.size - strlen(".json")};
}

static struct status take_nothing(struct loader *, const struct suite_file *)
{
    return STATUS_IS_OK;
}

static struct status take_encodings(struct loader *loader, const struct suite_file *file)
{
    loader->encodings = file->tree;
    return STATUS_IS_OK;
}

static struct status take_documents(struct loader *loader, const struct suite_file *file)
{
    loader->suite->documents = file->tree;
    return STATUS_IS_OK;
}

static struct status take_states(struct loader *loader, const struct suite_file *file)
{
    loader->suite->states = file->tree;
    return STATUS_IS_OK;
}

static struct status take_problems(struct loader *loader, const struct suite_file *file)
{
    loader->suite->problems = file->tree;
    return STATUS_IS_OK;
}

static struct status take_watched(struct loader *loader, const struct suite_file *file)
{
    loader->suite->watched = file->tree;
    return STATUS_IS_OK;
}

static struct status take_models(struct loader *loader, const struct suite_file *file)
{
    loader->suite->told = file->tree;
    return STATUS_IS_OK;
}

static struct status take_requirements(struct loader *loader, const struct suite_file *file)
{
    *array_add(loader->ledger, loader->ledger_count, loader->arena) = (struct ledger_file){file->path, file->tree};
    return STATUS_IS_OK;
}

static struct status take_text(struct loader *loader, const struct suite_file *file)
{
    struct texts *texts = &loader->suite->texts;
    return text_of_file(str_from(without_suffix(file->path), strlen("texts/")), file->path, file->tree, loader->arena,
                        array_add(texts->items, texts->count, loader->arena));
}

static struct status take_schema(struct loader *loader, const struct suite_file *file)
{
    struct known_schemas *schemas = &loader->suite->schemas;
    *array_add(schemas->items, schemas->count, loader->arena) =
        schema_of_file(str_from(without_suffix(file->path), strlen("schemas/")), file->tree, loader->arena);
    return STATUS_IS_OK;
}

static struct status take_table(struct loader *loader, const struct suite_file *file)
{
    if (file->tree->type != TREE_OBJECT && file->tree->type != TREE_ARRAY)
        return status_invalid(loader->arena, "%.*s: a table must be an object or a list", STR_ARG(file->path));
    tree_add(loader->tables, str_from(without_suffix(file->path), strlen("tables/")),
             tree_copy(loader->arena, file->tree));
    return STATUS_IS_OK;
}

static struct status take_deviations(struct loader *loader, const struct suite_file *file)
{
    struct suite *suite = loader->suite;
    FOR_EACH_IN(tree, file->tree->first) {
        if (tree->type != TREE_OBJECT)
            return status_invalid(loader->arena, "%.*s: /%s: a deviation must be an object", STR_ARG(file->path),
                                  str_printable(loader->arena, tree->name));
        *array_add(suite->deviations, suite->deviation_count, loader->arena) = (struct deviation){
            .name = tree->name,
            .file = file->path,
            .breaks = tree_text(tree, "breaks"),
            .tree = tree,
            .process = tree_is_true(tree, "process"),
            .equivalent = tree_text(tree, "equivalent"),
        };
    }
    return STATUS_IS_OK;
}

static struct status take_family(struct loader *loader, const struct suite_file *file)
{
    struct suite *suite = loader->suite;
    *array_add(suite->families, suite->family_count, loader->arena) =
        (struct family){without_suffix(file->path), file->tree, !tree_member(file->tree, "like")};
    return STATUS_IS_OK;
}

/* The first row whose path is a prefix of the file's path takes the file, if its value is of that type. */
static const struct {
    const char *path;
    struct status (*take)(struct loader *loader, const struct suite_file *file);
    const char *must_be; /* NULL: whatever it is */
    enum tree_type type;
} kinds_of_file[] = {
    {"encodings.json", take_encodings, NULL, TREE_NULL},
    {"documents.json", take_documents, NULL, TREE_NULL},
    {"servers.json", take_states, NULL, TREE_NULL},
    {"interop.json", take_problems, "must be a list", TREE_ARRAY},
    {"watch.json", take_watched, "must be an object", TREE_OBJECT},
    {"requirements/", take_requirements, NULL, TREE_NULL},
    {"texts/", take_text, "must be a list of sections", TREE_ARRAY},
    {"schemas/", take_schema, "must be a list of members", TREE_ARRAY},
    {"tables/", take_table, NULL, TREE_NULL},
    {"deviations/", take_deviations, "must be an object, NAME: deviation", TREE_OBJECT},
    {"models/models.json", take_models, "must be an object", TREE_OBJECT},
    {"models/", take_nothing, NULL, TREE_NULL},
    {"", take_family, "a case must be an object", TREE_OBJECT},
};

/* Makes a message of the JSON reader, "byte 1129: expected ...", one that an editor understands: line and column. */
static struct status not_json(struct loader *loader, struct str path, struct str text, struct str message)
{
    static const char before[] = "byte ";
    const char *copy = arena_copy(loader->arena, message).data;
    char *end = NULL;
    size_t offset = 0, line = 1, column = 1;
    if (str_starts(message, str_of(before)))
        offset = strtoull(copy + strlen(before), &end, 10);
    if (!end || strncmp(end, ": ", 2) != 0)
        return status_invalid(loader->arena, "%.*s: %s", STR_ARG(path), copy);
    for (size_t i = 0; i < offset && i < text.size; i++) {
        bool ends = text.data[i] == '\n';
        line += ends;
        column = ends ? 1 : column + ((text.data[i] & 0xc0) != 0x80); /* a character counts once */
    }
    return status_invalid(loader->arena, "%.*s: line %zu, column %zu: %s", STR_ARG(path), line, column, end + 2);
}

static struct status load_file(struct loader *loader, struct str path)
{
    struct suite_file *file = array_add(loader->suite->files, loader->suite->file_count, loader->arena);
    *file = (struct suite_file){.path = path};
    const char *name = arena_printf(loader->arena, "%.*s/%.*s", STR_ARG(loader->suite->directory), STR_ARG(path)).data;
    struct status status = file_read(name, loader->arena, &file->text);
    if (!is_ok(status))
        return status;
    struct tree *tree;
    status = tree_parse(file->text, loader->arena, &tree);
    if (!is_ok(status))
        return not_json(loader, path, file->text, status.message);
    file->tree = tree;
    size_t kind = 0;
    while (!str_starts(path, str_of(kinds_of_file[kind].path)))
        kind++;
    if (kinds_of_file[kind].must_be && tree->type != kinds_of_file[kind].type)
        return status_invalid(loader->arena, "%.*s: %s", STR_ARG(path), kinds_of_file[kind].must_be);
    return kinds_of_file[kind].take(loader, file);
}

static void find_models(struct loader *loader)
{
    struct suite *suite = loader->suite;
    struct arena *arena = loader->arena;
    const char *folder = arena_printf(arena, "%.*s/models", STR_ARG(suite->directory)).data;
    struct list repositories = {0};
    directory_folders(folder, arena, &repositories);
    for (size_t i = 0; i < repositories.count; i++) {
        struct str repository = list_str(&repositories, i);
        struct list names = {0};
        directory_folders(arena_printf(arena, "%s/%s", folder, repository.data).data, arena, &names);
        for (size_t n = 0; n < names.count; n++) {
            struct suite_model *model = array_add(suite->models, suite->model_count, loader->arena);
            *model = (struct suite_model){.repository = repository, .name = list_str(&names, n)};
            model->folder = arena_printf(arena, "%s/%.*s/%.*s", folder, STR_ARG(repository), STR_ARG(model->name));
            const struct tree *told = tree_member_str(
                suite->told, arena_printf(arena, "%.*s/%.*s", STR_ARG(repository), STR_ARG(model->name)));
            model->takes = tree_text(told, "takes");
            model->does = tree_text(told, "does");
            tree_to_int64(tree_member(told, "batch"), &model->batch);
        }
    }
}

static struct status gather(struct loader *loader)
{
    struct suite *suite = loader->suite;
    struct status status =
        ledger_read(loader->ledger, loader->ledger_count, suite->documents, loader->arena, &suite->ledger);
    if (!is_ok(status))
        return status;
    suite_sort(suite);
    suite->tables = loader->tables;
    if (!loader->encodings)
        return status_error(loader->arena, STATUS_NOT_FOUND,
                            "'%.*s' is not a folder of fixtures: it has no encodings.json", STR_ARG(suite->directory));
    return registry_read(loader->encodings, loader->arena, &suite->registry);
}

struct status suite_load(const char *directory, struct suite *suite)
{
    *suite = (struct suite){.arena = memory_arena()};
    suite->directory = arena_copy(&suite->arena, str_of(directory));
    struct loader loader = {.suite = suite, .arena = &suite->arena};
    loader.tables = tree_new(loader.arena, TREE_OBJECT);
    struct list files = {0};
    struct status status = directory_files(directory, ".json", loader.arena, &files);
    for (size_t i = 0; i < files.count && is_ok(status); i++)
        status = load_file(&loader, list_str(&files, i));
    if (is_ok(status))
        status = gather(&loader);
    if (is_ok(status))
        status = like_expand(suite);
    if (is_ok(status))
        find_models(&loader);
    return status;
}

void suite_free(struct suite *suite)
{
    arena_free(&suite->arena);
}
