/* What an edition would mean for servers that were judged before. Internal to commands/: a step of `spec-check`. */
#pragma once

#include "commands/spec/spec_findings.h"
#include "support/values.h"

/* Appends, for each requirement that the findings touch, which servers the edition would newly break, which it would
 * excuse, and of which the reports say too little. `reports` are files that --json of a run wrote. INVALID_ARGUMENT:
 * one of them is none. */
struct status spec_what_if(const struct spec_findings *findings, const struct values *reports, struct arena *arena,
                           struct buf *out);
