/* What of a header is a secret (support/secrets.h). It must not be anything that is in other texts by chance, since
 * it is hidden there, too:
 * - of a header whose name says that it proves who asks (it has auth, cookie, cred, key, pass, secret, session, sign or
 *   token in it): the value, and of an Authorization what stands behind the scheme, from 4 bytes on (SECRET_MIN); each
 *   word of it from 8 bytes on (SECRET_LONG); of `Basic` also the password, alone and behind the name of the user;
 * - of a header about the message or its way (Accept..., Content-..., Forwarded, Host, User-Agent, X-Forwarded-...):
 *   nothing;
 * - of any other header: the value and each word of it that has 8 bytes or more, and both letters and digits.
 *
 * Where the judge itself would print a header it prints no value at all, whatever the header is. */
#pragma once

#include "client/client.h"
#include "support/secrets.h"
#include "support/values.h"

/* Adds what is secret of the header. The arena must live as long as the secrets. */
void header_secrets_add(struct secrets *secrets, struct header header, struct arena *arena);

/* Returns what of the headers, each "NAME: VALUE", nobody may read; NULL: there are none. */
const struct secrets *header_secrets_of(const struct values *headers, struct arena *arena);
