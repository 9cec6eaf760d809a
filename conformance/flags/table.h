/* What the command line knows: a row for each command and for each flag. */
#pragma once

#include "flags/flag.h"

/* A bit for each command. Flags with the bit DECISIVE decide what a case sends, to whom, and what is expected: commands
 * in reports have them. */
enum {
    RUN = 1 << 0,
    MUTATION = 1 << 1,
    LIST = 1 << 2,
    EXPLAIN = 1 << 3,
    LINT = 1 << 4,
    COVERAGE = 1 << 5,
    SPEC_CHECK = 1 << 6,
    REPLAY = 1 << 7,
    DIFF = 1 << 8,
    MATRIX = 1 << 9,
    VERIFY = 1 << 10,
    REJUDGE = 1 << 11,
    MERGE = 1 << 12,
    GUIDE = 1 << 13,
    WALK = 1 << 14,
    BOOK = 1 << 15,
    COMPARE = 1 << 16,
    SHRINK = 1 << 17,
    WATCH = 1 << 18,
    DECISIVE = 1 << 19
};

#define EVERY      (DECISIVE - 1)
#define PLAYING    (REPLAY | WALK)
#define ONE_CASE   (PLAYING | SHRINK)
#define ONE_TARGET (RUN | MUTATION | ONE_CASE)
#define ASKING     (ONE_TARGET | COMPARE)
#define DECIDING   (ASKING | DECISIVE)
#define CHOOSING   (RUN | MUTATION | LIST | COMPARE)

struct command {
    const char *name, *operands, *says;
    unsigned bit;
    size_t operand_max;
    const char *exit_codes; /* what its help says of them; NULL: nothing */
};

extern const struct command table_commands[];
extern const struct flag table_flags[];
extern const size_t table_command_count, table_flag_count;

/* Return NULL if there is none of this name. */
const struct command *table_command(const char *name);

/* Returns what --help prints, in the arena: of a command; of "", or what is no command, of the program. (help.c) */
struct str help_of(const char *command, struct arena *arena);
