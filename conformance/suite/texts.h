/* fixtures/texts/NAME.json: the documents, unit by unit, as fingerprints. Each file is a list of sections. */
#pragma once

#include "editions/text.h"
#include "suite/ledger.h"

struct texts {
    struct text *items; /* sorted by the names of their files */
    size_t count;
};

/* Reads the file of one text. INVALID_ARGUMENT names the file and the unit if a unit has no fingerprint, or no two
 * digits for each of its words, of which there is at least one. `name` is the text's: "000". */
struct status text_of_file(struct str name, struct str file, const struct tree *sections, struct arena *arena,
                           struct text *text);

/* NULL if there is no text of that name. */
const struct text *texts_find(const struct texts *texts, struct str name);

/* Returns the index of the unit with that sentence in that section; NO_UNIT if there is none. */
size_t text_find(const struct text *text, struct str section, struct str sentence);
bool text_has_section(const struct text *text, struct str section);

/* Whether the row is based on that unit: one of its sources names the text, the section and the sentence. */
bool row_stands_on(const struct requirement *row, const struct text *text, const struct unit *unit);
