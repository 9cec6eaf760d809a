/* Writes waivers for the failures of a run. */
#include "waivers/waivers.h"

#include "base/search.h"
#include "support/printable.h"
#include "support/utc.h"
#include "json/writer.h"

#include <ctype.h>

#define DAYS 90

static bool is_excusable(const struct result *result)
{
    return result->verdict == VERDICT_FAIL || result->verdict == VERDICT_TIMEOUT;
}

/* Returns what was seen. How long something took varies: if it timed out, `*` stands for each number. */
static struct str observed_of(const struct result *result, struct arena *arena)
{
    if (result->verdict != VERDICT_TIMEOUT)
        return result->why;
    char *text = arena_alloc(arena, result->why.size + 1);
    size_t size = 0;
    for (size_t i = 0; i < result->why.size; i++) {
        bool digit = isdigit((unsigned char)result->why.data[i]);
        if (!digit || size == 0 || text[size - 1] != '*')
            text[size++] = digit ? '*' : result->why.data[i];
    }
    return (struct str){text, size};
}

/* Writes each text once that a failure of this requirement showed; `first` is the first of them. */
static void write_observed(const struct run *run, size_t first, struct arena *arena, struct buf *out)
{
    const struct requirement *requirement = run->results[first].assertion->requirement;
    struct list texts = {0};
    for (size_t i = first; i < run->result_count; i++) {
        const struct result *result = &run->results[i];
        if (!is_excusable(result) || result->assertion->requirement != requirement)
            continue;
        struct str text = observed_of(result, arena);
        if (ANY(k, texts.count, str_equal(list_str(&texts, k), text)))
            continue;
        buf_append_str(out, texts.count ? STR(",\n     ") : STR("\n     "));
        list_append_str(&texts, text, arena);
        struct buf json = {0};
        json_write_string(&json, text);
        append_printable_json(out, buf_str(&json));
        buf_free(&json);
    }
}

static bool is_first_of_requirement(const struct run *run, size_t index)
{
    const struct requirement *requirement = run->results[index].assertion->requirement;
    return is_excusable(&run->results[index]) &&
           !ANY(i, index, is_excusable(&run->results[i]) && run->results[i].assertion->requirement == requirement);
}

void waivers_write(const struct run *run, time_t now, struct buf *out)
{
    struct arena arena = memory_arena();
    struct str expires = utc_text(now + (time_t)DAYS * 24 * 60 * 60, "%Y-%m-%d", &arena);
    const char *separator = "\n";
    buf_append_literal(out, "{\"waivers\": [");
    for (size_t i = 0; i < run->result_count; i++) {
        if (!is_first_of_requirement(run, i))
            continue;
        buf_printf(out, "%s  {\"requirement\": ", separator);
        json_write_string(out, run->results[i].assertion->requirement->key);
        buf_append_literal(out, ", \"observed\": [");
        write_observed(run, i, &arena, out);
        buf_printf(out, "],\n   \"reason\": \"\", \"owner\": \"\", \"expires\": \"%.*s\"}", STR_ARG(expires));
        separator = ",\n";
    }
    buf_append_literal(out, "\n]}\n");
    arena_free(&arena);
}
