/* The files of a model. They lie in its folder; or a request to load the model brings them, and then the folder is
 * neither read nor written. */
#pragma once

#include "base/status.h"

struct model_file {
    struct str path; /* in the folder of the model: "1/model.onnx" */
    struct str content;
};

struct source {
    const char *directory;          /* <repository>/<name> */
    const struct model_file *files; /* these stand for the folder if there are any */
    size_t file_count;
};

/* Says whether a path leads to a file below the folder that it starts from: it is neither empty nor absolute, and has
 * no "..", no empty segment and no NUL. */
bool path_stays_below(struct str path);

/* Reads a file of the model, of at most `limit` bytes, into the arena; it is aligned as arena_alloc says. Fails as
 * disk_read does. */
struct status source_read(const struct source *source, struct str path, size_t limit, struct arena *arena,
                          struct str *content);

/* Does the same for a file that the member `field` of a configuration names, in `folder` ("1"; empty: the folder of the
 * model). Fails with INVALID_ARGUMENT if the name leads out of that folder. */
struct status source_read_named(const struct source *source, struct str folder, const char *field, struct str name,
                                size_t limit, struct arena *arena, struct str *content);
