/* Secrets: texts that the user gave for the target alone, and that nobody may read in a report. A target can send them
 * back anywhere. So a text is searched for them before it is kept or printed, and SECRET_HIDDEN takes their place.
 *
 * Each is found as it is, with characters written in another way (support/spelling.h), in hexadecimal and decimal
 * numbers, and inside of base64, with letters of either case, also if it is encoded twice; most of it anywhere, and its
 * beginning where a text was cut. A text that begins as gzip or zlib do is hidden as a whole if there is a secret in
 * its first INFLATED_MAX bytes. What has fewer than SECRET_LONG bytes is found as it is alone, and only beside no
 * letter or digit. */
#pragma once

#include "support/memory.h"

#define SECRET_HIDDEN "***"
#define SECRET_MIN    4 /* bytes; what is shorter is in other texts by chance, and is not added */
#define SECRET_LONG   8
#define INFLATED_MAX  ((size_t)1 << 20) /* bytes of a compressed text that are searched */

struct secrets;

/* Returns an empty set of secrets, in the arena, where those lie that are added. */
struct secrets *secrets_new(struct arena *arena);

void secrets_add(struct secrets *secrets, struct str secret);

/* Returns the text with each secret in it hidden, in the arena; or the text itself, if there is none in it. The secrets
 * may be NULL. From any thread. */
struct str secrets_hide(const struct secrets *secrets, struct str text, struct arena *arena);

/* The same, but the result is a copy in any case. */
struct str secrets_keep(const struct secrets *secrets, struct str text, struct arena *arena);
