/* Chooses the models that are probed: those that --model names; the first that the target lists, or if --model names or
 * has globs, that these match; those of --example; and a few of the kit. */
#pragma once

#include "probe/probing.h"

#define PROBED_OF_KIT 3  /* models of the kit, for which there are cases anyway */
#define LISTED_SHOWN  10 /* models that the target lists, in a text that says that another one is not among them */

/* Whether a --model is a glob over the models that the target lists, and not a name. */
bool models_is_glob(const char *model);

/* Whether the target is asked about a model of the kit. If the options name the only model that matters, it is asked
 * about that one, and about the first of those that are probed, which shows whether inferences need a version. */
bool models_ask_for(const struct discovery_options *options, struct str kit);

/* Whether --model gives its full name. Such a model counts as hosted even without metadata. */
bool models_are_named(const struct discovery_options *options, struct str name);
