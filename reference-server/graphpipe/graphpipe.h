/* reference-server/graphpipe/ serves GraphPipe (004) over HTTP, at a listener of its own. It may include proto/, http/,
 * services/, inference/ and models/; not deviations/, backends/, engine/ or another protocol.
 *
 * A POST to any path has a flatbuffer as its body: a Request, which asks for an inference or for metadata. The path
 * /NAME chooses the model; any other path means the default model. A GET gives the same metadata as JSON.
 *
 * --dialect graphpipe-go is lenient where the original server in Go is, and its errors are text. */
#pragma once

#include "services/service.h"

void *graphpipe_open(const struct shared *shared, struct arena *arena);

extern const struct http_service graphpipe_http;
