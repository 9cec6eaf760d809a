#include "support/kinds.h"

#include "support/percent.h"

static uint64_t mix(uint64_t key, struct str text)
{
    for (size_t i = 0; i < text.size; i++)
        key = (key ^ (unsigned char)text.data[i]) * 0x100000001b3; /* FNV-1a */
    return (key ^ '/') * 0x100000001b3;
}

uint64_t kind_key(struct str verb, struct str path, struct str model, struct arena *scratch)
{
    uint64_t key = mix(0xcbf29ce484222325, verb);
    struct str encoded = path_segment(model, scratch);
    path = str_before(path, '?');
    while (path.size) {
        struct str segment = str_take(&path, '/');
        bool names = model.size && (str_equal(segment, model) || str_equal(segment, encoded));
        key = mix(key, names || str_is_digits(segment) ? STR("*") : segment);
    }
    return key;
}

struct kind *kinds_find(struct kinds *kinds, uint64_t key)
{
    size_t i = 0;
    while (i < kinds->count && kinds->list[i].key != key)
        i++;
    if (i == KINDS_MAX)
        return &kinds->list[KINDS_MAX - 1];
    if (i == kinds->count)
        kinds->list[kinds->count++] = (struct kind){.key = key};
    return &kinds->list[i];
}

void kinds_note_answer(struct kinds *kinds, struct kind *kind)
{
    kind->silent = 0;
    kind->answered = true;
    kinds->different = 0;
    for (size_t i = 0; i < kinds->count; i++)
        kinds->list[i].counted = false;
}

void kinds_note_silence(struct kinds *kinds, struct kind *kind)
{
    if (kind == &kinds->list[KINDS_MAX - 1])
        return; /* it is several */
    kind->silent++;
    kinds->different += !kind->counted;
    kind->counted = true;
}
