/* The value of the header Host (RFC 9112, 3.2; RFC 3986, 3.2.2 and 3.2.3). */
#pragma once

#include "base/str.h"

/* Says whether the value is a host, which may be empty, or a host and a port: "example.org:8000", "[::1]". What stands
 * in brackets is not read further than to its characters. */
bool host_is_valid(struct str value);
