/* A case that is like another, in words of its own protocol: what libraries decide is the same for every protocol over
 * one transport, so that such a case is written once.
 *
 *     {"like": "v2-rest/framing/close-said", "replace": [["/v2/health/live", "/api/health/live"]], "without":
 * ["/seen"]}
 *
 * It is that case with each value that equals the first of a pair replaced by the second, and in texts and names of
 * members each occurrence of a string; without what stands at these pointers; and with its own other members in the
 * place of those of that name. */
#pragma once

#include "suite/suite.h"

/* Expands each case that is like another, in the suite's arena. INVALID_ARGUMENT names a file whose case is like none,
 * or like one that is like another. */
struct status like_expand(struct suite *suite);
