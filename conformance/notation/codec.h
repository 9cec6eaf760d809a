/* Codecs: {"$INT32": [0,1]} and its kind, which stand for bytes wherever a string or a tensor element may stand.
 *
 *   $INT32 ...   (every datatype but BYTES) a list of elements, packed little-endian, a BOOL as one byte; numbers, or
 *                strings where JSON cannot say them: "9223372036854775807", "NaN", "Infinity", "-Infinity", "-0.0"
 *   $BYTES       a list of texts (or codecs), each after its length in 4 little-endian bytes
 *   $hex         "00ff 01"; blanks between bytes
 *   $file        a file below fixtures/
 *   $json        any value, as compact JSON text
 *   $size        a pointer (from the case) to BYTES: how many they are
 *   $copy        a pointer (from the case) to BYTES: the same again; of an object that is no codec, its JSON text
 *   $join        a list of BYTES, where a list would mean something else
 *   $repeat      [BYTES, n]
 *   $gzip        BYTES, compressed
 *   $chunked     a list of BYTES, each a chunk of HTTP's transfer coding, with the last chunk behind them
 *   $proto:T     a message of the V2 gRPC schema, T its full name, as a tree by the .proto's field names */
#ifndef NOTATION_CODEC_H
#define NOTATION_CODEC_H

#include "base/buf.h"
#include "tensor/datatype.h"
#include "tree/tree.h"

#define CODEC_SIZE_MAX (1 << 30) /* bytes that a codec may stand for */

/* Whether the tree is an object whose only member is a codec ("$hex", "$INT32", "$repeat", ...). */
bool codec_is(const struct tree *tree);

/* Whether `name` is the name of one. */
bool codec_is_name(struct str name);

/* Appends the bytes that `bytes` (text, codec, or a list of them, joined) stands for. INVALID_ARGUMENT names the codec
 * and what is wrong. `root` resolves $size pointers (the case). `directory` is where $file looks. */
struct status codec_bytes(const struct tree *bytes, const struct tree *root, const char *directory, struct arena *arena,
                          struct buf *out);

/* Appends a flat list of tensor elements in raw form (proto/tensor/tensor.h). Elements that are codecs stand for their
 * bytes: of a BYTES element its contents, of another the element itself. OUT_OF_RANGE names the position of one that
 * does not fit the datatype; INVALID_ARGUMENT says what is wrong with a codec. */
struct status codec_pack(enum datatype datatype, const struct tree *elements, const struct tree *root,
                         const char *directory, struct arena *arena, struct buf *out);

/* Replaces every codec in the tree by the string of its bytes ($size: by the number), except in members named "data"
 * when `root` is an infer act: there tensors need them. */
struct status codec_resolve(struct tree *tree, const struct tree *root, const char *directory, struct arena *arena);

#endif
