/* reference-server/backends/ makes models run: it connects models/ with what computes (engine/, or the files of
 * builtin/). It may include proto/, engine/ and models/; not inference/, a transport or a protocol.
 *
 * This is the table of the backends, for repository_open. A config.pbtxt may ask for any row. The first row runs the
 * models whose config.pbtxt asks for none. */
#pragma once

#include "models/backend.h"

extern const struct backend *const backends[]; /* NULL at the end */

extern const struct backend backend_onnx;
