/* Loading. Every *.json below the folder is read once, and its path decides what it is. A file that is neither a
 * setting, a ledger, a table nor a deviations file, and does not lie beside a model, is a family of cases. */
#include "suite/suite.h"

#include "suite/like.h"
#include "support/files.h"

#include <stdlib.h>

struct loader {
    struct suite *suite;
    struct arena *arena;
    struct list files;      /* struct suite_file */
    struct list ledger;     /* struct ledger_file */
    struct list texts;      /* struct text */
    struct list schemas;    /* struct known_schema */
    struct list families;   /* struct family */
    struct list deviations; /* struct deviation */
    struct tree *tables;
    const struct tree *encodings;
};

static struct str without_suffix(struct str path)
{
    return (struct str){path.data, path.size - strlen(".json")};
}

static struct status take_nothing(struct loader *loader, const struct suite_file *file)
{
    (void)loader, (void)file;
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
    if (file->tree->type != TREE_ARRAY)
        return status_error(loader->arena, STATUS_INVALID_ARGUMENT, "%.*s: must be a list", STR_ARG(file->path));
    loader->suite->problems = file->tree;
    return STATUS_IS_OK;
}

static struct status take_watched(struct loader *loader, const struct suite_file *file)
{
    if (file->tree->type != TREE_OBJECT)
        return status_error(loader->arena, STATUS_INVALID_ARGUMENT, "%.*s: must be an object", STR_ARG(file->path));
    loader->suite->watched = file->tree;
    return STATUS_IS_OK;
}

static struct status take_models(struct loader *loader, const struct suite_file *file)
{
    if (file->tree->type != TREE_OBJECT)
        return status_error(loader->arena, STATUS_INVALID_ARGUMENT, "%.*s: must be an object", STR_ARG(file->path));
    loader->suite->told = file->tree;
    return STATUS_IS_OK;
}

static struct status take_requirements(struct loader *loader, const struct suite_file *file)
{
    struct ledger_file *ledger = arena_new_of(loader->arena, struct ledger_file);
    *ledger = (struct ledger_file){file->path, file->tree};
    list_append(&loader->ledger, ledger, loader->arena);
    return STATUS_IS_OK;
}

static struct status take_text(struct loader *loader, const struct suite_file *file)
{
    struct text *text = arena_new_of(loader->arena, struct text);
    list_append(&loader->texts, text, loader->arena);
    if (file->tree->type != TREE_ARRAY)
        return status_error(loader->arena, STATUS_INVALID_ARGUMENT, "%.*s: must be a list of sections",
                            STR_ARG(file->path));
    return text_of_file(str_from(without_suffix(file->path), strlen("texts/")), file->path, file->tree, loader->arena,
                        text);
}

static struct status take_schema(struct loader *loader, const struct suite_file *file)
{
    struct known_schema *schema = arena_new_of(loader->arena, struct known_schema);
    if (file->tree->type != TREE_ARRAY)
        return status_error(loader->arena, STATUS_INVALID_ARGUMENT, "%.*s: must be a list of members",
                            STR_ARG(file->path));
    *schema = schema_of_file(str_from(without_suffix(file->path), strlen("schemas/")), file->tree, loader->arena);
    list_append(&loader->schemas, schema, loader->arena);
    return STATUS_IS_OK;
}

static struct status take_table(struct loader *loader, const struct suite_file *file)
{
    if (file->tree->type != TREE_OBJECT && file->tree->type != TREE_ARRAY)
        return status_error(loader->arena, STATUS_INVALID_ARGUMENT, "%.*s: a table must be an object or a list",
                            STR_ARG(file->path));
    tree_add(loader->tables, str_from(without_suffix(file->path), strlen("tables/")),
             tree_copy(loader->arena, file->tree));
    return STATUS_IS_OK;
}

static struct status take_deviations(struct loader *loader, const struct suite_file *file)
{
    if (file->tree->type != TREE_OBJECT)
        return status_error(loader->arena, STATUS_INVALID_ARGUMENT, "%.*s: must be an object, NAME: deviation",
                            STR_ARG(file->path));
    for (const struct tree *tree = file->tree->first; tree; tree = tree->next) {
        if (tree->type != TREE_OBJECT)
            return status_error(loader->arena, STATUS_INVALID_ARGUMENT, "%.*s: /%s: a deviation must be an object",
                                STR_ARG(file->path), str_printable(loader->arena, tree->name));
        struct deviation *deviation = arena_new_of(loader->arena, struct deviation);
        *deviation = (struct deviation){
            .name = tree->name,
            .file = file->path,
            .breaks = tree_text(tree, "breaks"),
            .tree = tree,
            .process = tree_is_true(tree, "process"),
            .equivalent = tree_text(tree, "equivalent"),
        };
        list_append(&loader->deviations, deviation, loader->arena);
    }
    return STATUS_IS_OK;
}

static struct status take_family(struct loader *loader, const struct suite_file *file)
{
    if (file->tree->type != TREE_OBJECT)
        return status_error(loader->arena, STATUS_INVALID_ARGUMENT, "%.*s: a case must be an object",
                            STR_ARG(file->path));
    struct family *family = arena_new_of(loader->arena, struct family);
    *family = (struct family){without_suffix(file->path), file->tree, !tree_member(file->tree, "like")};
    list_append(&loader->families, family, loader->arena);
    return STATUS_IS_OK;
}

/* The first row whose path is a prefix of the file's path takes the file. */
static const struct {
    const char *path;
    struct status (*take)(struct loader *loader, const struct suite_file *file);
} kinds_of_file[] = {
    {"encodings.json", take_encodings},
    {"documents.json", take_documents},
    {"servers.json", take_states},
    {"interop.json", take_problems},
    {"watch.json", take_watched},
    {"requirements/", take_requirements},
    {"texts/", take_text},
    {"schemas/", take_schema},
    {"tables/", take_table},
    {"deviations/", take_deviations},
    {"models/models.json", take_models},
    {"models/", take_nothing},
    {"", take_family},
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
        return status_error(loader->arena, STATUS_INVALID_ARGUMENT, "%.*s: %s", STR_ARG(path), copy);
    for (size_t i = 0; i < offset && i < text.size; i++) {
        bool ends = text.data[i] == '\n';
        line += ends;
        column = ends ? 1 : column + ((text.data[i] & 0xc0) != 0x80); /* a character counts once */
    }
    return status_error(loader->arena, STATUS_INVALID_ARGUMENT, "%.*s: line %zu, column %zu: %s", STR_ARG(path), line,
                        column, end + 2);
}

static struct status load_file(struct loader *loader, struct str path)
{
    struct suite_file *file = arena_new_of(loader->arena, struct suite_file);
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
    list_append(&loader->files, file, loader->arena);
    size_t kind = 0;
    while (!str_starts(path, str_of(kinds_of_file[kind].path)))
        kind++;
    return kinds_of_file[kind].take(loader, file);
}

static void find_models(struct suite *suite)
{
    struct arena *arena = &suite->arena;
    const char *folder = arena_printf(arena, "%.*s/models", STR_ARG(suite->directory)).data;
    struct list repositories = {0}, models = {0};
    directory_folders(folder, arena, &repositories);
    for (size_t i = 0; i < repositories.count; i++) {
        struct str repository = list_str(&repositories, i);
        struct list names = {0};
        directory_folders(arena_printf(arena, "%s/%s", folder, repository.data).data, arena, &names);
        for (size_t n = 0; n < names.count; n++) {
            struct suite_model *model = arena_new_of(arena, struct suite_model);
            *model = (struct suite_model){.repository = repository, .name = list_str(&names, n)};
            model->folder = arena_printf(arena, "%s/%.*s/%.*s", folder, STR_ARG(repository), STR_ARG(model->name));
            const struct tree *told = tree_member_str(
                suite->told, arena_printf(arena, "%.*s/%.*s", STR_ARG(repository), STR_ARG(model->name)));
            model->takes = tree_text(told, "takes");
            model->does = tree_text(told, "does");
            tree_to_int64(tree_member(told, "batch"), &model->batch);
            list_append(&models, model, arena);
        }
    }
    suite->models = arena_alloc_zero(arena, models.count, sizeof *suite->models);
    for (size_t i = 0; i < models.count; i++)
        suite->models[suite->model_count++] = *(struct suite_model *)models.items[i];
}

static struct status gather(struct loader *loader)
{
    struct suite *suite = loader->suite;
    suite->files = arena_alloc_zero(loader->arena, loader->files.count, sizeof *suite->files);
    for (size_t i = 0; i < loader->files.count; i++)
        suite->files[suite->file_count++] = *(struct suite_file *)loader->files.items[i];

    struct ledger_file *files = arena_alloc_zero(loader->arena, loader->ledger.count, sizeof *files);
    for (size_t i = 0; i < loader->ledger.count; i++)
        files[i] = *(struct ledger_file *)loader->ledger.items[i];
    struct status status = ledger_read(files, loader->ledger.count, suite->documents, loader->arena, &suite->ledger);
    if (!is_ok(status))
        return status;

    suite->texts.items = arena_alloc_zero(loader->arena, loader->texts.count, sizeof *suite->texts.items);
    for (size_t i = 0; i < loader->texts.count; i++)
        suite->texts.items[suite->texts.count++] = *(struct text *)loader->texts.items[i];
    suite->schemas.items = arena_alloc_zero(loader->arena, loader->schemas.count, sizeof *suite->schemas.items);
    for (size_t i = 0; i < loader->schemas.count; i++)
        suite->schemas.items[suite->schemas.count++] = *(struct known_schema *)loader->schemas.items[i];

    suite->families = arena_alloc_zero(loader->arena, loader->families.count, sizeof *suite->families);
    for (size_t i = 0; i < loader->families.count; i++)
        suite->families[suite->family_count++] = *(struct family *)loader->families.items[i];

    suite->deviations = arena_alloc_zero(loader->arena, loader->deviations.count, sizeof *suite->deviations);
    for (size_t i = 0; i < loader->deviations.count; i++)
        suite->deviations[suite->deviation_count++] = *(struct deviation *)loader->deviations.items[i];
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
        find_models(suite);
    return status;
}

void suite_free(struct suite *suite)
{
    arena_free(&suite->arena);
}
