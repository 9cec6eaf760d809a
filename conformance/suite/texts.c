#include "suite/texts.h"

#include "base/search.h"
#include "editions/fingerprint.h"

/* The digits of a unit, which a long unit has in several pieces. */
static struct str joined(const struct tree *words, struct arena *arena)
{
    struct buf digits = {0};
    FOR_EACH_OF(piece, words)
        buf_append_str(&digits, piece->text);
    return arena_take(arena, &digits);
}

static bool read_unit(const struct tree *tree, struct str section, struct arena *arena, struct unit *unit)
{
    *unit = (struct unit){
        .section = section,
        .sentence = tree_text(tree, "sentence"),
        .angles = tree_text(tree, "angles"),
        .why = tree_text(tree, "why"),
        .optional = tree_member(tree, "optional") != NULL,
    };
    unit->lost_angles = str_is(unit->angles, "lost");
    unit->angles = unit->lost_angles ? STR("") : unit->angles;
    unit->words = digits_read(joined(tree_member(tree, "words"), arena), &unit->count, arena);
    return is_fingerprint(unit->sentence) && (!unit->angles.size || is_fingerprint(unit->angles)) && unit->words &&
           unit->count;
}

struct status text_of_file(struct str name, struct str file, const struct tree *sections, struct arena *arena,
                           struct text *text)
{
    size_t count = 0, position = 0;
    FOR_EACH_IN(section, sections->first)
        count += tree_member(section, "units") ? tree_member(section, "units")->count : 0;
    *text = (struct text){.name = name, .units = arena_alloc_zero(arena, count + 1, sizeof *text->units)};
    for (const struct tree *section = sections->first; section; section = section->next, position++) {
        const struct tree *units = tree_member(section, "units");
        size_t index = 0;
        for (const struct tree *unit = tree_first(units); unit; unit = unit->next, index++)
            if (!read_unit(unit, tree_text(section, "section"), arena, &text->units[text->count++]))
                return status_invalid(arena,
                                      "%.*s: /%zu/units/%zu needs `sentence` and `words` as `oip-conformance "
                                      "spec-check --sentence 'THE SENTENCE'` prints them",
                                      STR_ARG(file), position, index);
    }
    return STATUS_IS_OK;
}

const struct text *texts_find(const struct texts *texts, struct str name)
{
    return FIND(texts->items, i, texts->count, str_equal(texts->items[i].name, name));
}

size_t text_find(const struct text *text, struct str section, struct str sentence)
{
    return FIRST(i, text->count,
                 str_equal(text->units[i].section, section) && str_equal(text->units[i].sentence, sentence), i,
                 NO_UNIT);
}

bool text_has_section(const struct text *text, struct str section)
{
    return ANY(i, text->count, str_equal(text->units[i].section, section));
}

static bool source_names(const struct tree *source, struct str sentence)
{
    const struct tree *named = tree_member(source, "sentence");
    FOR_EACH_OF(one, named)
        if (str_equal(one->text, sentence))
            return true;
    return false;
}

bool row_stands_on(const struct requirement *row, const struct text *text, const struct unit *unit)
{
    return ANY_IN(source, tree_first(row->sources),
                  str_equal(tree_text(source, "text"), text->name) &&
                      str_equal(tree_text(source, "section"), unit->section) && source_names(source, unit->sentence));
}
