/* The forms in which a command writes what it found: text for a person, and others that flags ask for. */
#pragma once

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>

struct form_of {
    const char *file; /* "-": standard output; NULL: not asked for */
    void (*print)(const void *what, struct buf *out);
};

/* Writes `what` in each form that is asked for, and as text to standard output unless a form goes there. Returns false
 * after a complaint. */
bool forms_write(const void *what, void (*text)(const void *what, struct buf *out), const struct form_of *forms,
                 size_t count);
