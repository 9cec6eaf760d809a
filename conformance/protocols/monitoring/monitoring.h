/* What those who operate a server ask it for, beside any protocol of inference: metrics for Prometheus, health and
 * reflection over gRPC. It writes no inferences.
 *
 * The folder protocols/monitoring/ is the only one that may name these services and what they answer. It uses
 * protocols/, notation/ and support/; it may not include probe/, plan/, judge/ or another protocol's folder. */
#pragma once

#include "protocols/protocol.h"

extern const struct protocol monitoring;

/* How discovery asks (discover.c). */
extern const struct inquiry monitoring_inquiries[];

/* Adds to answers of reflection what the files say that came (descriptors.c): `files`, a list for each message of the
 * stream, with {name, dependencies, symbols} of each file. Symbols are full names of messages, enums, services and
 * methods; those within messages are left out. A file that does not decode is null. */
void reflection_read(struct answer_reading *reading, struct tree *tree);
