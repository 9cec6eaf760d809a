/* The backends of this server, for repository_open. A row is what a config.pbtxt may ask for; the first row runs the
 * models that ask for nothing. */
#ifndef BACKENDS_BACKENDS_H
#define BACKENDS_BACKENDS_H

#include "models/backend.h"

extern const struct backend *const backends[]; /* NULL at the end */

#endif
