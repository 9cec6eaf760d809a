/* `spec-check`: prints which sentences of the ledger are gone from another edition of a document. A sentence that was
 * reworded is shown with the new one; a person must then decide whether the requirement is still the same. */
#include "commands/commands.h"

#include "editions/edition.h"
#include "suite/suite.h"
#include "support/files.h"
#include <stdio.h>

/* The row and the section that a sentence of the ledger belongs to. */
struct place {
    const struct requirement *row;
    struct str section;
};

struct text {
    struct str name; /* "000" */
    struct sentence *sentences;
    struct place *places; /* one for each sentence */
    size_t count;
};

struct texts {
    struct text *items;
    size_t count;
};

static struct text *find_text(struct texts *texts, struct str name)
{
    for (size_t i = 0; i < texts->count; i++)
        if (str_equal(texts->items[i].name, name))
            return &texts->items[i];
    return NULL;
}

static bool has_fingerprint(const struct tree *source)
{
    return tree_text(source, "sentence").size != 0;
}

/* Collects every text of which the ledger has fingerprints. */
static struct texts read_texts(const struct ledger *ledger, struct arena *arena)
{
    struct texts texts = {0};
    size_t count = 0;
    for (size_t i = 0; i < ledger->count; i++)
        count += ledger->rows[i].sources ? ledger->rows[i].sources->count : 0;
    texts.items = arena_alloc_zero(arena, count + 1, sizeof *texts.items);
    for (size_t i = 0; i < ledger->count; i++) {
        const struct tree *sources = ledger->rows[i].sources;
        for (const struct tree *source = sources ? sources->first : NULL; source; source = source->next) {
            struct text *text = find_text(&texts, tree_text(source, "text"));
            if (!has_fingerprint(source))
                continue;
            if (!text) {
                text = &texts.items[texts.count++];
                *text = (struct text){.name = tree_text(source, "text"),
                                      .sentences = arena_alloc_zero(arena, count, sizeof *text->sentences),
                                      .places = arena_alloc_zero(arena, count, sizeof *text->places)};
            }
            text->places[text->count] = (struct place){&ledger->rows[i], tree_text(source, "section")};
            text->sentences[text->count++] =
                (struct sentence){.fingerprint = tree_text(source, "sentence"), .sketch = tree_text(source, "words")};
        }
    }
    return texts;
}

/* Returns the text with the largest share of its sentences in the edition; NULL if no sentence of any text is there. */
static struct text *best_text(struct texts *texts, const struct edition *edition, struct arena *arena)
{
    struct text *best = NULL;
    double most = 0;
    for (size_t i = 0; i < texts->count; i++) {
        struct text *text = &texts->items[i];
        double share = (double)edition_find(edition, text->sentences, text->count, arena) / (double)text->count;
        if (share > most) {
            most = share;
            best = text;
        }
    }
    return best;
}

static void print_finding(const struct sentence *sentence, const struct place *place)
{
    bool changed = sentence->finding == SENTENCE_CHANGED;
    printf("%-8s %.*s (%.*s, %s): %.*s\n", changed ? "changed" : "gone", STR_ARG(place->row->key),
           STR_ARG(place->section), level_name(place->row->level), STR_ARG(place->row->says));
    if (changed)
        printf("         now: %.*s\n", STR_ARG(sentence->now));
}

/* Whether every sentence of the text stands in the edition. */
static bool check(struct text *text, const struct edition *edition, const char *file, struct arena *arena)
{
    size_t standing = edition_find(edition, text->sentences, text->count, arena), changed = 0;
    edition_find_changed(edition, text->sentences, text->count, arena);
    for (size_t i = 0; i < text->count; i++) {
        changed += text->sentences[i].finding == SENTENCE_CHANGED;
        if (text->sentences[i].finding != SENTENCE_STANDS)
            print_finding(&text->sentences[i], &text->places[i]);
    }
    printf("%s, as text %.*s: %zu of %zu sentences stand, %zu changed, %zu gone\n", file, STR_ARG(text->name), standing,
           text->count, changed, text->count - standing - changed);
    return standing == text->count;
}

static int check_file(struct texts *texts, const char *wanted, const char *file, struct arena *arena)
{
    struct str content;
    struct status status = file_read(file, arena, &content);
    if (!is_ok(status)) {
        complain(status.message);
        return EXIT_USAGE;
    }
    struct edition edition = edition_read(content, arena);
    struct text *text = wanted ? find_text(texts, str_of(wanted)) : best_text(texts, &edition, arena);
    if (!text && wanted)
        fprintf(stderr, "oip-conformance: the ledger has no sentence of a text '%s'\n", wanted);
    else if (!text)
        fprintf(stderr, "oip-conformance: %s is no edition of a text that the ledger knows; --text NAME says which\n",
                file);
    if (!text)
        return EXIT_USAGE;
    return check(text, &edition, file, arena) ? EXIT_CONFORMANT : EXIT_NOT_CONFORMANT;
}

/* For authors of rows: prints the two members that represent a sentence. */
static int print_fingerprint(const char *sentence, struct arena *arena)
{
    struct words words = words_of(str_of(sentence), arena);
    size_t count = words.count < SENTENCE_WORDS_MAX ? words.count : SENTENCE_WORDS_MAX;
    printf("\"sentence\": \"%.*s\", \"words\": \"%.*s\"\n", STR_ARG(fingerprint_of(words.items, count, arena)),
           STR_ARG(sketch_of(words.items, count, arena)));
    return EXIT_CONFORMANT;
}

int command_spec_check(const struct options *options)
{
    struct arena arena = memory_arena();
    struct suite suite = {0};
    int code = EXIT_CONFORMANT;
    struct status status = options->sentence ? STATUS_IS_OK : suite_load(options->fixtures, &suite);
    if (!is_ok(status)) {
        complain(status.message);
        code = EXIT_SUITE;
    } else if (options->sentence) {
        code = print_fingerprint(options->sentence, &arena);
    } else {
        struct texts texts = read_texts(&suite.ledger, &arena);
        for (size_t i = 0; i < options->operands.count; i++) {
            int found = check_file(&texts, options->text, options->operands.items[i], &arena);
            code = found > code ? found : code;
        }
    }
    suite_free(&suite);
    arena_free(&arena);
    return code;
}
