/* Internal to probe/: the steps of discovery, in the order of discovery.c. Each sets members of struct discovery, or
 * what the prober knows. */
#pragma once

#include "probe/probing.h"

/* Asks over each endpoint until the server says that it is ready, for as long as the user allows. (reach.c) */
void wait_until_up(struct probing *probing);

/* Remove the profiles that the target does not speak, so that nothing more is asked under them;
 * find_unspoken_extensions does so for extensions, which discovery asks nothing else. (spoken.c) */
void find_unspoken(struct probing *probing);
void find_unspoken_extensions(struct probing *probing);

/* Finds out whether the target answers on a second connection while the first one is open. If it does so only when that
 * is closed, it is asked over one connection at a time from here on. (reach.c) */
void find_one_connection(struct probing *probing);

/* Finds a name that no model of the target has. (names.c) */
void find_unknown_name(struct probing *probing);

/* Asks for the metadata of the models of the kit. (kit.c) */
void find_kit_models(struct probing *probing);

/* Chooses the models that are probed, and learns each. Adds to what was learned `named`: whether --model names or
 * matches it, or it is of the suite; and `unlisted`: that the target lists other models, and where, if it has no
 * metadata of this one; else empty. Sets `unasked`, too, and why a glob of --model matches nothing. (models.c) */
void find_probes(struct probing *probing);

/* Finds the edition to judge by: the one that the user names; or else the first edition whose acts in `shown_by` are
 * all answered as expected; or else the first in the list. A note says which, unless it is the first in the list.
 * (editions.c) */
void find_edition(struct probing *probing);

/* Finds the extensions of a server that lists none, because it has no metadata over any transport. For each extension
 * it sends the act that would show it (`shown_by` in encodings.json), about the probed models. If an answer fits, the
 * extension is added to the claims, with a note. A replay of one case asks nothing: its extension was shown before.
 * (unlisted.c) */
void find_shown_extensions(struct probing *probing);

/* Finds the models that a profile does not serve although the target hosts them. (kit.c) */
void find_unhosted(struct probing *probing);

/* Finds the largest batch of models of the kit that have one: what the kit says, and of a mapped model what the target
 * says, if it does. (kit.c) */
void find_batches(struct probing *probing);

/* Notes the models of the kit that the index lists and that are not ready, where models may be loaded: a run that was
 * killed may have left them so. (kit.c) */
void note_left_unloaded(struct probing *probing);

/* Finds out whether models can be loaded, where they may be: a server that serves the model repository may have that
 * switched off. It is asked to load a model that it serves, of the suite or of --model, and only if that is refused to
 * unload it; it is then loaded again. (loading.c) */
void find_fixed(struct probing *probing);

/* Finds names that differ from those of models in the case of their letters. (names.c) */
void find_spellings(struct probing *probing);

/* --- Used by steps --- */

/* Returns why nothing can be judged over the endpoint; empty if something can. (reach.c) */
struct str hindrance_of(const struct probing *probing, const struct address *address);

/* Adds to `unhosted`, {PROFILE: {MODEL: why}}, the models that refuse in an encoding of an extension what they answer
 * without it, where that is a matter of each model (`by_model` in encodings.json): a server may stream for some models
 * only. If no model takes it, the server does not serve what it claims, and none is excused. (takers.c) */
void takers_find(struct probing *probing, struct tree *unhosted);

/* Returns a copy of the metadata, in the arena, with copies of the text. Of its inputs and outputs, what is beyond the
 * limits of probe/request.h is left out, except for one tensor and one byte: they still break these limits. Other
 * metadata is copied whole. (bounded.c) */
struct tree *metadata_bounded(struct arena *arena, const struct tree *metadata);

/* Asks for the index over each transport that has one, and, for each name that it says is READY and of which discovery
 * has not found metadata, whether the model is ready. Returns a list of the names of those that have no metadata and
 * are not ready over any transport, in the prober's arena. Discovery must have found the models of the kit and the
 * probed ones. (unserved.c) */
struct tree *unserved_find(struct probing *probing, const struct tree *probes);
