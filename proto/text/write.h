/* Writes messages that the server makes as text: a struct of protobuf-c, without a detour over the wire, in a tenth of
 * the time that libprotobuf takes for it (text.h prints any message). */
#pragma once

#include "text/text.h"
#include <protobuf-c/protobuf-c.h>

/* Appends a message in the form that text_print gives it. Strings are fields of bytes (schema/structs.awk); entries of
 * maps come in the order of the struct; unknown fields are left out. The struct may be nested TEXT_DEPTH levels deep.
 */
void text_write(const ProtobufCMessage *message, enum text_form form, struct buf *text);
