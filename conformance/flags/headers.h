/* The ways in which --header is given. */
#pragma once

#include "base/status.h"
#include "support/values.h"

/* Appends the headers that are given, as "NAME: VALUE", in the arena:
 *
 *     NAME: VALUE       as it stands
 *     NAME: $VARIABLE   the last word of the value is a variable of the environment, so the list of processes does not
 *                       show what it says; also `Authorization: Bearer $TOKEN`
 *     @FILE             the file has one of these on each line; empty lines are read over
 *
 * INVALID_ARGUMENT with a sentence that shows no value: it is no header, the variable is not set or the file cannot be
 * read. */
struct status headers_add(const char *given, struct values *headers, struct arena *arena);
