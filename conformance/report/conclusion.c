#include "report/conclusion.h"

#define GOOD "good", "\xe2\x9c\x93"
#define PART "part", "\xe2\x97\x90"
#define BAD  "bad", "\xe2\x9c\x95"

static const struct {
    const char *name, *tone, *mark, *meaning;
} conclusions[] = {
    [CONCLUSION_NOT_JUDGED] = {"not judged", "part", "?", "too little was judged to say anything about the server"},
    [CONCLUSION_NOT_INTEROPERABLE] = {"not interoperable", BAD,
                                      "a correct request is not answered as a document demands"},
    [CONCLUSION_NOT_CONFORMANT] = {"not conformant", BAD,
                                   "a wrong request is not refused as a document demands, and too little "
                                   "was tried to say that correct requests are answered correctly"},
    [CONCLUSION_INTEROPERABLE] = {"interoperable", PART,
                                  "correct requests are answered as the documents demand, but not every "
                                  "wrong request is refused as they demand"},
    [CONCLUSION_PARTIAL] =
        {"partial", PART,
         "no MUST of the documents failed in the part of the suite that was played; nothing is known about the rest"},
    [CONCLUSION_WAIVED] = {"waived", "part", "~",
                           "no MUST of the documents failed, except those that waivers excuse; without the waivers "
                           "the server would not be conformant"},
    [CONCLUSION_CONFORMANT] = {"conformant", GOOD,
                               "no MUST of the documents failed; the server would be certified if the other "
                               "MUST requirements were tried too, and held"},
    [CONCLUSION_CERTIFIED] =
        {"certified", GOOD,
         "no MUST of the documents failed, and every MUST requirement of the server's profiles was tried"},
};

struct look look_of(enum conclusion conclusion)
{
    return (struct look){conclusions[conclusion].tone, conclusions[conclusion].mark};
}

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
