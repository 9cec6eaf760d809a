/* What a person should know beside the word that concludes a run. */
#pragma once

#include "report/findings.h"
#include "report/summary.h"

struct remarks {
    struct str *items; /* sentences */
    size_t count;
};

/* Returns what the word rests on, in the arena: whether inferences were tried and values compared, and which claims
 * were not judged. */
struct remarks remarks_on(const struct report *report, const struct summary *summary, struct arena *arena);

/* Returns the finding that nothing of a claimed extension was judged, with the reason, in the arena. */
struct str claim_sentence(const struct unjudged_claim *claim, struct arena *arena);

/* Returns the names of the profiles of the claim, in the arena. */
struct str claim_profiles(const struct unjudged_claim *claim, struct arena *arena);

/* Returns what the run says of the transport, in the arena: "transport: 26 findings in http, http2 and grpc ...". It is
 * no part of the word for the documents. Empty if nothing of it was judged. */
struct str transport_conclusion(const struct report *report, const struct summary *summary,
                                const struct findings *failures, struct arena *arena);

/* Returns what is broken of the documents, in the arena: "2 findings about the documents, 1 of answers and 1 of
 * refusals, and 1 MUST row failed with them", through the same exchanges. Empty if nothing is. */
struct str findings_sentence(const struct findings *failures, struct arena *arena);

/* Returns how many MUST rows hold: "44 of 61 MUST rows hold, 3 fail, 5 hold as far as they were tried, 9 were not
 * tried". */
struct str rows_sentence(const struct row_counts *counts, struct arena *arena);
