/* What a target claims: the extensions that its server metadata lists (000, "Server Metadata"), over each transport
 * for itself. A server may have an extension over REST and not over gRPC. */
#pragma once

#include "probe/discovery.h"
#include "protocols/prober.h"

/* Returns {ENDPOINT: extensions} for each endpoint at which a profile is claimed, in the prober's arena. `listed` is
 * {ENDPOINT: extensions}, of the endpoints whose metadata has such a list. Where it has none, the other one's counts;
 * then the prober gets a note. What the user claims is added. */
struct tree *claims_of(struct prober *prober, const struct tree *listed, const struct discovery_options *options);

/* Whether the metadata of a server that speaks the profile can list extensions: its protocol has some. */
bool claims_are_listed(const struct registry *registry, const struct profile *profile);

/* Whether the extension is claimed at the profile's endpoint; where nothing can be claimed there, at that of the
 * profile beside it. `claims` may be NULL: nothing is. */
bool claims_have(const struct tree *claims, const struct profile *profile, struct str extension);
