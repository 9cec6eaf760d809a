/* The token that clients of the repository must show, as RFC 6750 has it: "Authorization: Bearer TOKEN". */
#pragma once

#include "base/status.h"

#define TOKEN_MAX ((size_t)4096) /* bytes */

/* Reads the token from a file, so that no command line shows it: all that stands there, except blanks and ends of
 * lines around it. The text lies in the arena. Fails with INVALID_ARGUMENT if the file cannot be read or holds no
 * token: 1 to TOKEN_MAX letters, digits and "-._~+/=". */
struct status token_read(const char *path, struct arena *arena, struct str *token);

/* Whether the value of the header Authorization has the token. Takes the same time for each wrong token of its length.
 * A null value is none. */
bool token_is_shown(struct str token, struct str authorization);
