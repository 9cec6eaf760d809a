/* Histograms and summaries of metrics in Prometheus' text format: what their samples must be to one another
 * ("Exposition formats", "Histograms and summaries"). */
#pragma once

#include "tree/tree.h"

/* `family` is a member of what exposition_read() returns, with samples in the order of their lines. Returns what is
 * wrong with it, in the arena: buckets or quantiles that do not rise, buckets whose counts fall, no bucket of +Inf, or
 * a count that is not that bucket's. Empty if nothing is, or if it is of another type. */
struct str distribution_fault(const struct tree *family, struct arena *arena);
