/* The schemas of an edition beside those that the ledger knows, or those of an earlier edition. Internal to commands/:
 * a step of `spec-check`. */
#pragma once

#include "commands/spec/spec_findings.h"

/* Appends what changed in the schemas of the edition: since the earlier one, or, if `old` is NULL, since the schemas
 * that the ledger knows. INVALID_ARGUMENT: one cannot be read; the message names the file and the line. */
struct status spec_find_schemas(const struct suite *suite, const struct edition_files *files,
                                const struct edition_files *old, struct arena *arena, struct spec_findings *findings);

/* Whether the ledger knows the schema in one of the files. One that cannot be read is not known. */
bool spec_knows_schema(const struct suite *suite, const struct edition_files *files, struct arena *arena);

/* Prints fixtures/schemas/NAME.json from a schema; a member that the fixtures know keeps what they say of it. */
struct status spec_print_members(const struct suite *suite, const char *file, struct arena *arena);
