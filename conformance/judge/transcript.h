/* The transcript of an exchange, for a person (--verbose, --html): what was sent and what came, a line for each header
 * and each message, with ">" before what was sent and "<" before what came. What a target sends is printed as one line
 * of printable text, and cut if it is long. Secrets (support/secrets.h) are hidden before, and so is each value of
 * --header that was written. */
#pragma once

#include "judge/exchange.h"

#include <stdio.h>

/* Appends it to `out`. The options are those of the client that made the exchange, the arena for what is decoded. */
void transcript_append(const struct client_options *options, const struct play *play, const struct exchange *exchange,
                       struct arena *arena, struct buf *out);

/* Writes it to the file at once, so that transcripts of several threads do not mix. */
void transcript_print(const struct client_options *options, const struct play *play, const struct exchange *exchange,
                      FILE *file);

/* The same as transcript_append for a person who learns, without the title: in lines of at most 80 columns, with the
 * bytes that are no text in digits beside what they mean. */
void transcript_teach(const struct client_options *options, const struct play *play, const struct exchange *exchange,
                      struct arena *arena, struct buf *out);
