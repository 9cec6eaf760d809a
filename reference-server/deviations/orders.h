/* Remembers the last order to load or unload a model, so that a deviation can show only behind it. */
#pragma once

#include "deviations/deviation.h"

/* Remembers the request if it is an order. May be called on any thread. */
void orders_remember(const struct asked *asked);

/* Says whether the glob fits the last order: its path, "RPC/MODEL", or "" if none came. In the glob "${model}" stands
 * for the model that is asked for. */
bool orders_fit(struct str glob, struct str model, struct arena *arena);
