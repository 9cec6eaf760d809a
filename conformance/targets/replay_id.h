/* The ID that `replay` is given: which case it names, without asking the target. */
#pragma once

#include "flags/options.h"
#include "plan/plan.h"

/* "PATH[/NEIGHBOUR]@LABEL@ENCODING#KEY", or "PATH/NEIGHBOUR/replay@...", where the base is played again. */
struct replay_id {
    struct str id;   /* of the play, without "/replay" and key */
    struct str key;  /* empty: none is named */
    bool base_again; /* it is the result of a replay of the base */
};

/* Reads an ID as reports show it. The texts lie in the arena. */
struct replay_id replay_id_read(const char *text, struct arena *arena);

/* Returns why the IDs of the options name no case that can be played, with a hint at the nearest; empty if they do.
 * `only` gets the only model of the target that the case needs, "" if it needs none; NULL: that is not known. All texts
 * lie in the arena. */
struct str replay_id_check(const struct suite *suite, const struct options *options, struct arena *arena,
                           const char **only);

/* Whether the play expects the requirement of that key. */
bool expects_key(const struct play *play, struct str key);

/* Returns that it does not, and what it expects, in the arena. */
struct str key_not_expected(const struct play *play, struct str key, struct arena *arena);

/* Returns the play of that ID, if it can be played against the target of the plan; else NULL, and `why` says why not,
 * in the arena. */
const struct play *replay_id_playable(const struct plan *plan, struct str id, struct arena *arena, struct str *why);
