/* Internal to codec.c and codec_http.c. */
#pragma once

#include "base/buf.h"
#include "tree/tree.h"

/* Where a codec stands. */
struct codec_context {
    const struct tree *root;
    const char *directory;
    struct arena *arena;
    int depth, pointers;
};

/* Appends a string, a codec, or a list of these. */
struct status codec_append(const struct codec_context *context, const struct tree *bytes, struct buf *out);

/* Returns the fault "$gzip must be ...". */
struct status codec_bad(const struct codec_context *context, const char *codec, const char *what);

/* These append the bytes of the codecs of their names (codec.h). */
struct status codec_gzip(const struct codec_context *context, const struct tree *value, struct buf *out);
struct status codec_chunked(const struct codec_context *context, const struct tree *value, struct buf *out);
struct status codec_fields(const struct codec_context *context, const struct tree *value, struct buf *out);
struct status codec_frame(const struct codec_context *context, const struct tree *value, struct buf *out);
struct status codec_framed(const struct codec_context *context, const struct tree *value, struct buf *out);
