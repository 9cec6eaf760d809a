/* Reads metrics in Prometheus' text format 0.0.4 ("Exposition formats", "Text-based format"), whatever is wrong with
 * them: a line that breaks a rule is a fault, and the others are read further. */
#pragma once

#include "tree/tree.h"

#define EXPOSITION_LINES_MAX ((size_t)20000)

/* Returns, in the arena,
 *
 *   {"samples": 12,                                          how many there are
 *    "families": {"NAME": {"type": "counter", "help": "...", both only if a line says so
 *                          "samples": [{"name": "NAME", "labels": {"model": "m"}, "value": 3}]}},
 *    "models": {"m": {"1": {"NAME": 3}}},                    by the labels `model` and `version`, added over all others
 *    "faults": {"value": "line 3: ..."}}                     the first one of each rule
 *
 * A value that is no finite number is a string: "NaN", "+Inf", "-Inf". The rules are line, name, label, value, type,
 * type-once, type-first, help, help-once, grouped, sample-once, distribution and last-line. Returns NULL if there are
 * more lines than EXPOSITION_LINES_MAX. */
struct tree *exposition_read(struct str text, struct arena *arena);
