/* Sentences that qualify the conclusion of a run. */
#pragma once

#include "report/summary.h"

struct remarks {
    struct str *items; /* sentences */
    size_t count;
};

/* Returns what the conclusion is based on: whether inferences were tried and values compared, and which claims were not
 * judged. All texts of this header lie in the arena of the summary. */
struct remarks remarks_on(const struct summary *summary);

/* Returns the finding that nothing of a claimed extension was judged, with the reason, in the arena. */
struct str claim_sentence(const struct unjudged_claim *claim, struct arena *arena);

/* Returns the names of the profiles of the claim, in the arena. */
struct str claim_profiles(const struct unjudged_claim *claim, struct arena *arena);

/* Returns what the run says of the transport: "transport: 26 findings in http, http2 and grpc ...". It does not change
 * the conclusion about the documents. Empty if nothing about the transport was judged. */
struct str transport_conclusion(const struct summary *summary);

/* Returns what is broken of the documents: "2 findings: 1 about answers, 1 about refusals; 1 more MUST requirement
 * failed with them", through the same exchanges. Empty if nothing is. */
struct str findings_sentence(const struct summary *summary);

/* Returns how many MUST requirements hold, in the arena: "44 of 61 MUST requirements hold, 3 fail, 5 hold as far as
 * they were tried, 9 were not tried". */
struct str rows_sentence(const struct row_counts *counts, struct arena *arena);
