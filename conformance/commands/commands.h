/* The commands of oip-conformance. Each reads its options and returns the program's exit code (support/exit_code.h).
 * In compare/ are those that compare runs, in explain/ those that teach, in spec/ the one for editors of a document.
 *
 * The folder commands/ is the top: it may include every other folder of conformance/ except protocols/predict_v2/, and
 * no other folder may include it. It holds no rule of the protocol. */
#pragma once

#include "flags/options.h"
#include "support/complain.h"
#include "support/exit_code.h"

int command_run(const struct options *options);
int command_replay(const struct options *options); /* also walk. Operands: an ID, perhaps with a key; --after */
int command_mutation(const struct options *options);
int command_list(const struct options *options); /* operands: none; --profile, --filter, --encoding, --not-applicable */
int command_explain(const struct options *options); /* operands: an ID or a key */
int command_guide(const struct options *options);   /* operands: a profile; none: the profiles that have a guide */
int command_book(const struct options *options);    /* --markdown, --html */
int command_lint(const struct options *options);    /* --fix, --schema */
int command_coverage(const struct options *options);
int command_diff(const struct options *options);    /* operands: two reports; --json, --markdown, --strict */
int command_compare(const struct options *options); /* operands: two targets; the flags of both runs, and diff's */
int command_shrink(const struct options *options);  /* operands: an ID, perhaps with a key */
int command_verify(const struct options *options);  /* operands: a report; --tape */
int command_rejudge(const struct options *options); /* operands: a report; --tape, --json, --markdown, --strict */
int command_merge(const struct options *options);   /* operands: reports of the parts of a run; the flags of reports */
int command_matrix(const struct options *options);  /* operands: reports; --html, --markdown */
int command_watch(const struct options *options);   /* --listen ADDRESS, --json */
int command_spec_check(const struct options *options); /* operands: files; --text, --sentence, --units */
