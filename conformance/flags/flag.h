/* One flag of the command line, and the kinds of values that flags have. The table of flags is in table.c. */
#pragma once

#include "flags/options.h"

/* After each kind stands the type of its member in struct options. */
enum flag_kind {
    FLAG_SWITCH,  /* bool */
    FLAG_TEXT,    /* const char * */
    FLAG_EACH,    /* struct values: one for each flag */
    FLAG_LIST,    /* struct values: separated by commas */
    FLAG_PAIR,    /* struct values: NAME=VALUE */
    FLAG_STATE,   /* struct values: NAME=URL */
    FLAG_HEADER,  /* struct values: 'K: V' */
    FLAG_URL,     /* the address of an HTTP endpoint, in `addresses` */
    FLAG_ADDRESS, /* the address of another endpoint, in `addresses` */
    FLAG_COUNT,   /* size_t */
    FLAG_SECONDS, /* double */
};

struct flag {
    const char *name;  /* "--target" */
    const char *value; /* as the help shows it; NULL for a switch */
    enum flag_kind kind;
    unsigned commands; /* those that accept it, a bit for each */
    size_t offset;     /* of its member in struct options; not used for addresses */
    const char *says;  /* what the help says it is for */
};

/* Puts the value of a flag into the options; that of a switch is NULL. Fails with INVALID_ARGUMENT and a sentence that
 * names the flag, if the value is not of the flag's kind. The value must live as long as the options. */
struct status flag_set(const struct flag *flag, const char *value, struct options *options, struct arena *arena);

/* Sets the address that a URL gives: http://HOST:PORT (or https), or with the name of another endpoint before "://",
 * perhaps with an "s" for TLS. INVALID_ARGUMENT: it is none. It must live as long as the options. */
struct status flag_set_address(const char *url, struct options *options, struct arena *arena);

/* Appends the flag as it is typed, after a blank, if its value in the options differs from that in `without`; of a
 * flag that is given several times, each. Values of headers are hidden. */
void flag_write(const struct flag *flag, const struct options *options, const struct options *without, struct buf *out);
