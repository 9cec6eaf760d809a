/* Codecs: objects such as {"$INT32": [0, 1]}, which stand for bytes wherever a string or a tensor element may stand.
 *
 * The folder notation/ turns the notation of the fixtures (codecs, ${variables}, `for`, tensor data) into bytes and
 * trees, and back. It knows no case, no target and no protocol. It uses support/ and proto/; it may include no other
 * folder of conformance/.
 *
 *   $INT32 ...   (every datatype but BYTES) a list of elements, packed little-endian, a BOOL as one byte. An element is
 *   a number, or a string where JSON cannot write it: "9223372036854775807", "NaN", "Infinity", "-Infinity", "-0.0"
 *   $BYTES       a list of texts (or codecs), each after its length in 4 little-endian bytes
 *   $hex         "00ff 01"; blanks between bytes are allowed
 *   $file        the contents of a file below fixtures/
 *   $json        any value, as compact JSON text
 *   $size        a pointer (from the case) to BYTES: their number, in bytes
 *   $copy        a pointer (from the case) to BYTES: the same bytes again; if it leads to an object that is no codec,
 *                its JSON text
 *   $join        a list of BYTES, where a list alone would mean something else
 *   $repeat      [BYTES, n]: the bytes n times
 *   $gzip        BYTES, compressed
 *   $framed      BYTES as gRPC sends a message: after a byte that is 1 for a $gzip, else 0 (not compressed), and their
 *                number in 4 big-endian bytes
 *   $frame       [kind, flags, stream, BYTES]: a frame of HTTP/2; its kind is a name ("DATA") or a number
 *   $fields      [[name, value], ...]: a header block of HTTP/2, of fields that are in no table
 *   $chunked     a list of BYTES, each as a chunk of HTTP's transfer coding (RFC 9112, 7.1), and the last chunk after
 *                them
 *   $proto:T     a message of a known gRPC schema; T is its full name, the value a tree with the field names of the
 *                .proto
 *   $textproto:T  the same in protobuf's text form, on one line
 *   $flatbuffer:T  a flatbuffer whose root is the table T of a known schema; the value is a tree with the names of the
 *                schema (flat/message.h), in which bytes are a string, a codec or a list of numbers
 *
 * The raw layout of numbers and BYTES is the one that all servers share (SPEC_NOTES.md, note 56). */
#pragma once

#include "base/buf.h"
#include "tensor/datatype.h"
#include "tree/tree.h"

#define CODEC_SIZE_MAX (1 << 30) /* most bytes that one codec may stand for */

/* Whether the tree is an object whose only member is a codec ("$hex", "$INT32", "$repeat", ...). */
bool codec_is(const struct tree *tree);

/* Whether the name is that of a codec, with its "$". */
bool codec_is_name(struct str name);

/* Whether the name is that of a codec whose bytes are a protobuf message, "$proto:T" or "$textproto:T". A pattern
 * compares such bytes by value: codec_read_message reads them into a tree, in the arena. INVALID_ARGUMENT if they are
 * no such message, or if no schema has it. */
bool codec_is_message(struct str name);
struct status codec_read_message(struct str name, struct str bytes, struct arena *arena, struct tree **tree);

/* Appends the bytes of `bytes`, which is a string, a codec, or a list of these, which is joined. $size and $copy look
 * up their pointers in `root` (the case), $file looks in `directory`. INVALID_ARGUMENT names the codec and says what is
 * wrong. */
struct status codec_bytes(const struct tree *bytes, const struct tree *root, const char *directory, struct arena *arena,
                          struct buf *out);

/* Appends a flat list of tensor elements in raw form (proto/tensor/tensor.h). An element may be a codec: for BYTES it
 * stands for the contents of the element, for other datatypes for its bytes. OUT_OF_RANGE gives the position of an
 * element that does not fit the datatype; INVALID_ARGUMENT says what is wrong with a codec. */
struct status codec_pack(enum datatype datatype, const struct tree *elements, struct arena *arena, struct buf *out);

/* Replaces every codec in the tree by the string of its bytes ($size: by the number). If `root` is an infer act,
 * members named "data" keep their codecs, because tensors need them. */
struct status codec_resolve(struct tree *tree, const struct tree *root, const char *directory, struct arena *arena);
