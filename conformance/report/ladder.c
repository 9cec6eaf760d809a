#include "report/ladder.h"

static const struct {
    const char *name, *meaning;
} rungs[] = {
    [RUNG_NOT_JUDGED] = {"not judged", "no requirement of the documents was judged"},
    [RUNG_NOT_INTEROPERABLE] = {"not interoperable", "a correct request is not answered as a document demands"},
    [RUNG_NOT_CONFORMANT] = {"not conformant", "a wrong request is not refused as a document demands, and too little "
                                               "was tried to say that correct requests are answered correctly"},
    [RUNG_INTEROPERABLE] = {"interoperable", "correct requests are answered as the documents demand, but not every "
                                             "wrong request is refused as they demand"},
    [RUNG_PARTIAL] =
        {"partial",
         "no MUST of the documents failed in the part of the suite that was played; nothing is known about the rest"},
    [RUNG_WAIVED] = {"waived", "no MUST of the documents failed, except those that waivers excuse; without the waivers "
                               "the server would not be conformant"},
    [RUNG_CONFORMANT] = {"conformant", "no MUST of the documents failed; the server would be certified if the other "
                                       "MUST requirements were tried too, and held"},
    [RUNG_CERTIFIED] =
        {"certified", "no MUST of the documents failed, and every MUST requirement of the server's profiles was tried"},
};

const char *rung_name(enum rung rung)
{
    return rungs[rung].name;
}

const char *rung_meaning(enum rung rung)
{
    return rungs[rung].meaning;
}

enum rung rung_of(const struct footing *footing)
{
    const struct row_counts *must = &footing->must;
    if (!footing->judged)
        return RUNG_NOT_JUDGED;
    if (footing->broken[LAYER_ANSWERS])
        return RUNG_NOT_INTEROPERABLE;
    if (footing->broken[LAYER_REFUSALS])
        return footing->whole ? RUNG_INTEROPERABLE : RUNG_NOT_CONFORMANT;
    if (!footing->whole)
        return RUNG_PARTIAL;
    if (footing->waived)
        return RUNG_WAIVED;
    return must->asked && must->met == must->asked ? RUNG_CERTIFIED : RUNG_CONFORMANT;
}
