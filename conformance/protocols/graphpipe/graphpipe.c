#include "protocols/graphpipe/graphpipe.h"

#include "base/search.h"

static const struct form forms[] = {{.encoding = "graphpipe", .encode = graphpipe_encode}};

const struct protocol graphpipe = {
    .name = "graphpipe",
    .forms = forms,
    .form_count = COUNT_OF(forms),
    .inquiries = graphpipe_inquiries,
    .request_of = graphpipe_request_of,
    .decode = graphpipe_decode,
    .read = graphpipe_read,
};
