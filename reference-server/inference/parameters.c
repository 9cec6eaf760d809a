#include "inference/parameters.h"

const struct parameter *parameters_find(const struct parameters *parameters, const char *name)
{
    for (size_t i = 0; i < parameters->count; i++)
        if (str_is(parameters->list[i].name, name))
            return &parameters->list[i];
    return NULL;
}
