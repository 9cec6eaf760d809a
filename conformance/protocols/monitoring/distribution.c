#include "protocols/monitoring/distribution.h"

#include <math.h>
#include <stdlib.h>

/* A sample, and where it belongs: those that have the same labels but `le` or `quantile` are one distribution. */
struct part {
    struct str group;
    size_t place;           /* in the order of lines */
    bool is_step, is_count; /* a bucket or a quantile; the number of observations */
    double at, value;       /* `at` is the value of its label; NAN: it has none that is a number */
};

static double number_of(const struct tree *value)
{
    double number = NAN;
    char text[64], *end;
    if (!value || value->text.size >= sizeof text)
        return NAN;
    memcpy(text, value->text.data, value->text.size);
    text[value->text.size] = '\0';
    number = strtod(text, &end);
    return end == text || *end ? NAN : number;
}

static int by_label(const void *a, const void *b)
{
    return str_compare((*(const struct tree *const *)a)->name, (*(const struct tree *const *)b)->name);
}

/* Returns the labels but that one as a text, the same for every order of them. */
static struct str group_of(const struct tree *labels, const char *but, struct arena *arena)
{
    struct buf key = {0};
    size_t count = 0;
    const struct tree **sorted = arena_alloc_zero(arena, labels->count + 1, sizeof(*sorted));
    FOR_EACH_IN(label, labels->first)
        if (!str_is(label->name, but))
            sorted[count++] = label;
    qsort(sorted, count, sizeof *sorted, by_label);
    for (size_t i = 0; i < count; i++)
        buf_printf(&key, "%s%.*s=\"%s\"", i ? "," : "", STR_ARG(sorted[i]->name),
                   str_printable(arena, sorted[i]->text));
    return arena_take(arena, &key);
}

static int by_group(const void *a, const void *b)
{
    const struct part *one = a, *other = b;
    int order = str_compare(one->group, other->group);
    return order ? order : (one->place > other->place) - (one->place < other->place);
}

/* Returns what is wrong with the parts of one distribution; NULL if nothing is. */
static const char *fault_of(const struct part *parts, size_t count, bool is_histogram)
{
    const struct part *last = NULL, *total = NULL;
    for (const struct part *part = parts; part < parts + count; part++) {
        total = part->is_count ? part : total;
        if (!part->is_step)
            continue;
        if (isnan(part->at))
            return is_histogram ? "a bucket without a number in le" : "a quantile that is no number";
        if (last && part->at <= last->at)
            return is_histogram ? "le does not rise from bucket to bucket" : "quantiles do not rise";
        if (last && is_histogram && part->value < last->value)
            return "the counts of the buckets fall";
        last = part;
    }
    if (!is_histogram)
        return NULL;
    if (!last || !isinf(last->at))
        return "there is no bucket with le=\"+Inf\"";
    return total && total->value == last->value ? NULL : "_count is not the value of the bucket with le=\"+Inf\"";
}

struct str distribution_fault(const struct tree *family, struct arena *arena)
{
    bool is_histogram = str_is(tree_text(family, "type"), "histogram");
    const struct tree *samples = tree_member(family, "samples");
    const char *label = is_histogram ? "le" : "quantile";
    struct part *parts = arena_alloc_zero(arena, samples->count + 1, sizeof *parts);
    size_t count = 0;
    if (!is_histogram && !str_is(tree_text(family, "type"), "summary"))
        return (struct str){0};
    FOR_EACH_IN(sample, samples->first) {
        const struct tree *labels = tree_member(sample, "labels"), *at = tree_member(labels, label);
        struct str name = tree_text(sample, "name");
        parts[count] = (struct part){.group = group_of(labels, label, arena),
                                     .place = count,
                                     .is_step = is_histogram ? str_ends(name, STR("_bucket")) : at != NULL,
                                     .is_count = !at && str_ends(name, STR("_count")),
                                     .at = number_of(at),
                                     .value = number_of(tree_member(sample, "value"))};
        count++;
    }
    qsort(parts, count, sizeof *parts, by_group);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && str_equal(parts[to].group, parts[from].group);)
            to++;
        const char *fault = fault_of(parts + from, to - from, is_histogram);
        if (fault)
            return arena_printf(arena, "%s {%.*s}: %s", str_printable(arena, family->name), STR_ARG(parts[from].group),
                                fault);
    }
    return (struct str){0};
}
