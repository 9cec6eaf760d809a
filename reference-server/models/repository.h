/* The model repository: directories in Triton's layout (NAME/VERSION/model.onnx, optional NAME/config.pbtxt and label
 * files), loaded by threads in the background, so that the ports are open before the models are (SPEC_NOTES, note 25).
 * A model that cannot be loaded stays in the list, UNAVAILABLE, with its reason. */
#ifndef MODELS_REPOSITORY_H
#define MODELS_REPOSITORY_H

#include "base/status.h"
#include "models/hold.h"

struct repository;

/* Reads the directories and starts to load every version that each model's version_policy asks for (default: the
 * latest). `paths` are "NAME=DIR" or "DIR", a repository whose name is this path. `backends` is a table with NULL at
 * its end, and stays. Fails only if a directory cannot be read or holds no model; a bad model is no failure. */
struct status repository_open(const char *const *paths, size_t count, const struct backend *const *backends,
                              struct arena *arena, struct repository **repository);

/* Unloads all and frees. Loads that never end are given up; requests that wait inside a model are failed, no other may
 * be running. Returns 0; or how many holders there still are, because somebody forgot a release: then the memory stays,
 * and the repository can be closed again. */
size_t repository_close(struct repository *repository);

/* How often models of the repository are held at the moment. */
size_t repository_holders(const struct repository *repository);

/* All models of the repository are ready (000, "Server Ready"). */
bool repository_ready(struct repository *repository);

/* Some model is still LOADING. */
bool repository_is_loading(struct repository *repository);

/* The model to serve, in any state, and held: the caller releases it. `version` empty: the highest ready one, else the
 * highest. NOT_FOUND names the model ("model-known") or the version ("version-known"); then none is held. */
struct status repository_find(struct repository *repository, struct str name, struct str version, struct arena *arena,
                              struct model_hold *hold);

/* Walks all models, by name and version: *position is 0 at first; false at the end. The caller releases each. */
bool repository_next(struct repository *repository, size_t *position, struct model_hold *hold);

/* Versions of a name that can be asked for (READY), ascending, in the arena. */
size_t repository_versions(struct repository *repository, struct str name, struct arena *arena, struct str **versions);

#endif
