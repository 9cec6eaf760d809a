#include "protocols/graphpipe/graphpipe.h"

#include "base/count.h"
#include "support/percent.h"

struct str graphpipe_path(struct str model, struct arena *arena)
{
    return str_is(model, "/") ? model : arena_printf(arena, "/%.*s", STR_ARG(path_segment(model, arena)));
}

static const struct form forms[] = {{"graphpipe", NULL, false, graphpipe_encode}};

const struct protocol graphpipe = {
    .name = "graphpipe",
    .forms = forms,
    .form_count = COUNT_OF(forms),
    .sides = &graphpipe_side,
    .side_count = 1,
    .request_of = graphpipe_request_of,
    .decode = graphpipe_decode,
    .read = graphpipe_read,
};
