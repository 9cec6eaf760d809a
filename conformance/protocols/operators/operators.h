/* What those who operate a server ask it for, beside any protocol of inference: metrics for Prometheus. It writes no
 * inferences.
 *
 * The folder protocols/operators/ is the only one that may name these services and what they answer. It uses
 * protocols/, notation/ and support/; it may not include probe/, plan/, judge/ or another protocol's folder. */
#ifndef OPERATORS_OPERATORS_H
#define OPERATORS_OPERATORS_H

#include "protocols/protocol.h"

extern const struct protocol operators;

#endif
