/* Causes: of two requirements that fail, which one explains the other. The ledger says it, in two ways. A row `owns`
 * members of an answer: who differs there breaks that row, whatever the case asked about. A row `implies` others, whose
 * cases fail too where it is broken: a server that refuses every inference shows no values either. */
#pragma once

#include "report/findings.h"

/* Whether a result of another requirement failed for this cause alone: the answer differs at a place that the cause
 * owns, or it is no success, as for the cause itself at times, and the cause implies the requirement. */
bool cause_accounts_for(const struct finding *cause, const struct result *result);

/* Whether the cause explains the effect. Both are of one level and layer, and the cause owns most places where the
 * effect differs; if the effect implies it, only if the cause holds about as seldom. Or it implies the effect and holds
 * about as seldom, and is not an extension's alone where the effect mostly fails without one. Of two that imply each
 * other and hold as seldom it is that with more failures. */
bool cause_explains(const struct finding *cause, const struct finding *effect);
