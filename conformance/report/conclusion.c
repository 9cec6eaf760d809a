#include "report/conclusion.h"

static const struct {
    const char *name, *meaning;
} conclusions[] = {
    [CONCLUSION_NOT_JUDGED] = {"not judged", "no requirement of the documents was judged"},
    [CONCLUSION_NOT_INTEROPERABLE] = {"not interoperable", "a correct request is not answered as a document demands"},
    [CONCLUSION_NOT_CONFORMANT] = {"not conformant",
                                   "a wrong request is not refused as a document demands, and too little "
                                   "was tried to say that correct requests are answered correctly"},
    [CONCLUSION_INTEROPERABLE] = {"interoperable",
                                  "correct requests are answered as the documents demand, but not every "
                                  "wrong request is refused as they demand"},
    [CONCLUSION_PARTIAL] =
        {"partial",
         "no MUST of the documents failed in the part of the suite that was played; nothing is known about the rest"},
    [CONCLUSION_WAIVED] = {"waived",
                           "no MUST of the documents failed, except those that waivers excuse; without the waivers "
                           "the server would not be conformant"},
    [CONCLUSION_CONFORMANT] = {"conformant",
                               "no MUST of the documents failed; the server would be certified if the other "
                               "MUST requirements were tried too, and held"},
    [CONCLUSION_CERTIFIED] =
        {"certified", "no MUST of the documents failed, and every MUST requirement of the server's profiles was tried"},
};

const char *conclusion_name(enum conclusion conclusion)
{
    return conclusions[conclusion].name;
}

const char *conclusion_meaning(enum conclusion conclusion)
{
    return conclusions[conclusion].meaning;
}

enum conclusion conclusion_of(const struct conclusion_basis *basis)
{
    const struct row_counts *must = &basis->must;
    if (!basis->judged)
        return CONCLUSION_NOT_JUDGED;
    if (basis->broken[LAYER_ANSWERS])
        return CONCLUSION_NOT_INTEROPERABLE;
    if (basis->broken[LAYER_REFUSALS])
        return basis->whole ? CONCLUSION_INTEROPERABLE : CONCLUSION_NOT_CONFORMANT;
    if (!basis->whole)
        return CONCLUSION_PARTIAL;
    if (basis->waived)
        return CONCLUSION_WAIVED;
    return must->asked && must->met == must->asked ? CONCLUSION_CERTIFIED : CONCLUSION_CONFORMANT;
}
