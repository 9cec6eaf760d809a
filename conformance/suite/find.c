/* Finds what the suite has by its name. */
#include "base/search.h"
#include "suite/suite.h"

#include <stdlib.h>

static int compare_families(const void *a, const void *b)
{
    return str_compare(((const struct family *)a)->path, ((const struct family *)b)->path);
}

static int compare_deviations(const void *a, const void *b)
{
    return str_compare(((const struct deviation *)a)->name, ((const struct deviation *)b)->name);
}

void suite_sort(struct suite *suite)
{
    array_sort(suite->families, suite->family_count, compare_families);
    array_sort(suite->deviations, suite->deviation_count, compare_deviations);
}

const struct suite_model *suite_model(const struct suite *suite, struct str name)
{
    return FIND(suite->models, i, suite->model_count, str_equal(suite->models[i].name, name));
}

const struct family *suite_family(const struct suite *suite, struct str path)
{
    struct family wanted = {.path = path};
    return suite->family_count
               ? bsearch(&wanted, suite->families, suite->family_count, sizeof *suite->families, compare_families)
               : NULL;
}

struct place family_place(const struct family *family, struct faults *faults)
{
    return place_in(faults, arena_printf(faults->arena, "%.*s.json", STR_ARG(family->path)), STR(""));
}
