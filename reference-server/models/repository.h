/* reference-server/models/ holds the models: what they are, where they come from, who uses them, and which threads
 * execute them, alone or joined (batcher.h). It may include proto/ and nothing else: it knows no backend by name, no
 * request and no protocol.
 *
 * The model repository reads directories in Triton's layout: NAME/VERSION/model.onnx, and optionally NAME/config.pbtxt
 * and label files. Threads load the models in the background, so that the ports are open before the models are ready
 * (SPEC_NOTES.md, note 25). A model that cannot be loaded stays in the list; it is UNAVAILABLE and has a reason.
 *
 * order.h says how models are loaded and unloaded later. */
#pragma once

#include "base/status.h"
#include "models/hold.h"
#include "models/order.h"

struct repository;

struct repository_options {
    const char *const *paths; /* "NAME=DIR" or "DIR"; without a NAME, the path is the name of the repository */
    size_t path_count;
    const char *const *loads; /* the models to load at the start; all of them if there are none */
    size_t load_count;
    const struct backend *const *backends; /* a table with NULL at its end, which must stay */
};

/* Reads the directories and starts to load every version that the version_policy of its model asks for (default: the
 * latest). Fails if a directory cannot be read or holds no model, if two hold a model of one name, or if none holds one
 * of `loads`; a bad model is no failure. */
struct status repository_open(const struct repository_options *options, struct arena *arena,
                              struct repository **repository);

/* Unloads all models and frees the repository. It cancels loads that do not end and fails requests that wait inside a
 * model; no other requests may run. Returns 0, or how many holders there still are, which means that a release was
 * forgotten. Then nothing is freed, and the repository can be closed again. */
size_t repository_close(struct repository *repository);

/* Returns how often the models that are served now are held at the moment. */
size_t repository_holders(struct repository *repository);

/* Says whether all models of the repository are ready (000, "Server Ready"; SPEC_NOTES.md, note 25). Models that were
 * unloaded, or never loaded, do not count. */
bool repository_ready(struct repository *repository);

/* Says whether any model is still LOADING. */
bool repository_is_loading(struct repository *repository);

/* Finds the model to serve, in any state, and holds it; the caller releases it. An empty `version` means the highest
 * ready one, or the highest if none is ready. Fails with NOT_FOUND, which names the model ("model-known") or the
 * version ("version-known"); then no model is held. */
struct status repository_find(struct repository *repository, struct str name, struct str version, struct arena *arena,
                              struct model_hold *hold);

/* Finds the first model by name of the first directory, of those that are loaded or should be, in any state, and holds
 * it; the caller releases it. Returns false, and holds none, if there is none. */
bool repository_find_first(struct repository *repository, struct model_hold *hold);

/* Lists all versions of all models, by name and version, in the arena. Fails without memory. */
struct status repository_list(struct repository *repository, struct arena *arena, struct model_row **rows,
                              size_t *count);

/* Lists the versions of a name that are READY, ascending, in the arena. Returns how many there are. */
size_t repository_versions(struct repository *repository, struct str name, struct arena *arena, struct str **versions);
