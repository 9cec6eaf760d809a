/* Finds the models that refuse an extension which others take, where that is a matter of each model (`by_model` in
 * encodings.json): a server may stream for some models only. If no model takes it, the server does not serve what it
 * claims, and none is excused. */
#pragma once

#include "probe/probing.h"

/* Adds to `unhosted`, {PROFILE: {MODEL: why}}, the models that refuse in an encoding of an extension what they answer
 * without it. Models are those that discovery has found so far. */
void takers_find(struct probing *probing, struct tree *unhosted);
