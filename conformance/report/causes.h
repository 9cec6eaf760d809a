/* Causes: which of two failed requirements explains the other. The ledger says it in two ways. A row `owns` members of
 * an answer: an answer that differs there breaks that row, whatever the case is about. A row `implies` others, whose
 * cases fail too if it is broken: a server that refuses every inference shows no values either. */
#pragma once

#include "report/findings.h"

/* Whether a result of another requirement failed only because of this cause. Either the answer differs at a place that
 * the cause owns; or the cause implies the requirement, the answer was no success, and at least one result of the cause
 * was no success either. */
bool cause_accounts_for(const struct finding *cause, const struct result *result);

/* Whether the cause explains the effect. Both must have the same level and layer. Either the cause owns most places
 * where the effect differs, and, if the effect implies the cause, fails about as often as the effect. Or the cause
 * implies the effect and fails about as often; an extension does not explain what mostly fails without it. If two imply
 * each other, the one with more failures explains the other. */
bool cause_explains(const struct finding *cause, const struct finding *effect);
