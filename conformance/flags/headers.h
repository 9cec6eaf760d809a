/* The ways in which --header is given, what of a header is a secret, and how words of the command line are shown. */
#pragma once

#include "base/status.h"
#include "client/client.h"
#include "support/secrets.h"
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

/* What of a header is a secret (support/secrets.h). It must not be anything that is in other texts by chance, since
 * it is hidden there, too:
 * - of a header whose name says that it holds credentials (it has auth, cookie, cred, key, pass, secret, session, sign
 * or
 *   token in it): the value, and of an Authorization what follows the scheme, from 4 bytes on (SECRET_MIN); each
 *   word of it from 8 bytes on (SECRET_LONG); of `Basic` also the password, alone and after the name of the user;
 * - of a header about the message or its way (Accept..., Content-..., Forwarded, Host, User-Agent, X-Forwarded-...):
 *   nothing;
 * - of any other header: the value and each word of it that has 8 bytes or more, and both letters and digits.
 *
 * Where the judge itself would print a header it prints no value at all, whatever the header is. */

/* Adds what is secret of the header. The arena must live as long as the secrets. */
void header_secrets_add(struct secrets *secrets, struct header header, struct arena *arena);

/* Returns what of the headers, each "NAME: VALUE", nobody may read; NULL: there are none. */
const struct secrets *header_secrets_of(const struct values *headers, struct arena *arena);

/* Words of the command line as a message or a report may show them: without what only the target may know. */

/* Returns an address that may be wrong, in the arena, with credentials (before an @) and queries hidden. */
struct str shown_address(const char *address, struct arena *arena);

/* Returns a word that is no flag and no value, in the arena, with what is hidden of an address. */
struct str shown_operand(const char *word, struct arena *arena);

/* Adds the words of a command line to others. Headers of a file stand there one by one, so that nobody needs the file
 * to judge what was recorded. */
void shown_words(int count, char **given, struct values *words, struct arena *arena);
