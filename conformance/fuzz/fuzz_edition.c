/* Makes a text of the lines before the first NUL, and compares what follows it as an edition. Every word of the
 * edition must belong to a unit or be new. It is also read as a schema of either kind. */
#include "editions/edition.h"
#include "editions/fingerprint.h"
#include "editions/schema.h"
#include "support/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(holds) ((holds) ? (void)0 : abort())
#define UNITS_MAX    200

static struct text text_of_lines(struct str lines, struct arena *arena)
{
    struct text text = {STR("fuzz"), arena_alloc_zero(arena, UNITS_MAX, sizeof *text.units), 0};
    while (lines.size && text.count < UNITS_MAX) {
        const char *end = memchr(lines.data, '\n', lines.size);
        struct str line = {lines.data, end ? (size_t)(end - lines.data) : lines.size};
        struct words words = words_of(line, arena);
        lines = str_from(lines, line.size + (end != NULL));
        if (words.count == 0)
            continue;
        struct unit *unit = &text.units[text.count++];
        unit->section = STR("fuzz");
        unit->sentence = fingerprint_of(words.items, words.count, arena);
        unit->angles = fingerprint_of_angles(words.items, words.count, arena);
        unit->words = digits_read(digits_of(words.items, words.count, arena), &unit->count, arena);
        CHECK(unit->words && unit->count == words.count && is_fingerprint(unit->sentence));
    }
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct arena arena = memory_arena();
    struct str all = {(const char *)bytes, size};
    const char *nul = memchr(all.data ? all.data : "", '\0', size);
    struct str lines = {all.data, nul ? (size_t)(nul - all.data) : size};
    struct text text = text_of_lines(lines, &arena);
    struct edition edition = edition_read(nul ? str_from(all, lines.size + 1) : all, &arena);
    struct comparison comparison = edition_compare(&edition, &text, &arena);
    unsigned char *covered = arena_alloc_zero(&arena, edition.words.count + 1, 1);
    CHECK(comparison.share >= 0 && comparison.share <= 1);
    for (size_t i = 0; i < comparison.count; i++) {
        const struct found *found = &comparison.items[i];
        CHECK(found->begin <= found->end && found->end <= edition.words.count);
        CHECK(found->unit == NO_UNIT ? found->finding == TEXT_NEW : found->unit < text.count);
        if (found->begin < found->end)
            memset(covered + found->begin, 1, found->end - found->begin);
        edition_quote(&edition, found->begin, found->end, &arena);
    }
    CHECK(!memchr(covered, 0, edition.words.count));
    struct schema proto, openapi;
    if (is_ok(schema_of_proto(all, &arena, &proto)))
        CHECK(proto.count <= size);
    if (is_ok(schema_of_openapi(all, &arena, &openapi)))
        CHECK(openapi.count <= size);
    arena_free(&arena);
    return 0;
}
