/* A tape holds what was exchanged with a target, so that a verdict can be reached again without the target: a run with
 * --record writes one, `verify` plays it. It is a gzip file of JSON texts, one on each line:
 *
 *     ["oip-conformance-tape",1]
 *     ["argument","--target"]                       a word of the command line
 *     ["request","DIGEST",{...}]                    what was sent, without what the user's headers add
 *     ["answer","DIGEST",{...}]                     what came of it
 *     ["exchange","NAME","REQUEST","ANSWER",0.0012] who asked ("" before the first case), digests, seconds
 *     ["end","2026-11-28T05:00:00Z",3.2,"FOLDER"]   when the run began, its seconds, and the folder of its files
 *
 * A request or answer that is on the tape already is not written again. Its DIGEST is the SHA-256 of its {...}, in
 * hexadecimal digits. Bytes that are no UTF-8 are {"base64":"..."}. Secrets are hidden before anything is written. */
#pragma once

#include "base/status.h"
#include "client/answer.h"

#include <time.h>

#define TAPE_MAX ((size_t)1 << 30) /* bytes of a tape that are read, when it is no longer compressed */

struct tape;

/* The last line of a tape. */
struct tape_end {
    time_t started;
    double seconds;
    struct str folder;
};

/* Begins a tape in a file. FAILED_PRECONDITION: it cannot be written. */
struct status tape_create(const char *file, const struct secrets *secrets, struct arena *arena, struct tape **tape);

/* Writes a word of the command line. */
void tape_note_argument(struct tape *tape, struct str word);

/* Returns the name for the next exchanges of a case, in the arena. A case may repeat a request until the answer is as
 * expected; each such series of exchanges has a name of its own. Without a tape the name stays the same. From any
 * thread. */
struct str tape_turn(struct tape *tape, struct str name, struct arena *arena);

/* Writes an exchange. From any thread; the tape may be NULL. */
void tape_note(struct tape *tape, struct str name, const struct request *request, const struct answer *answer);

/* Writes the end and closes the file. Returns the SHA-256 of the file as "sha256:..." in `digest`. FAILED_PRECONDITION:
 * not everything could be written. */
struct status tape_finish(struct tape *tape, const struct tape_end *end, struct arena *arena, struct str *digest);

/* Returns the SHA-256 of a file as "sha256:...". */
struct status tape_digest(const char *file, struct arena *arena, struct str *digest);

/* Reads a tape. If *tape is a tape that was read before, the exchanges are added to it. INVALID_ARGUMENT: the file is
 * not a tape, or one of its exchanges was changed; the message says which. tape_free is needed in both cases. */
struct status tape_read(const char *file, struct arena *arena, struct tape **tape);

/* tape_arguments: the words of the command line (struct str *) of the tape that was read last. tape_end: of several
 * tapes the earliest beginning, its folder, and the longest time. */
const struct list *tape_arguments(const struct tape *tape);
const struct tape_end *tape_end(const struct tape *tape);

/* Whether the tape was read from a file, so that no target is asked. The tape may be NULL. */
bool tape_plays(const struct tape *tape);

/* Takes the next answer to the request of that name from a tape that plays. If the tape has none, the outcome is
 * LIMITED, so that no case is judged by it, or UNREACHABLE before the first case. From any thread. */
void tape_answer(struct tape *tape, struct str name, const struct request *request, struct arena *arena,
                 struct answer *answer);

/* Whether a tape that plays has no more answer to the request: asking again tells nothing new. */
bool tape_is_over(struct tape *tape, struct str name, const struct request *request);

/* How many exchanges were read, and to how many requests there was no answer. */
size_t tape_exchanges(const struct tape *tape);
size_t tape_missing(const struct tape *tape);

void tape_free(struct tape *tape);
