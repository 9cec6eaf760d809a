/* Named observations. A family may define an observation once, in `observations`, and expect it by its name. Here each
 * name becomes the observation that it means, so that all later code sees only patterns and the words of word.h. */
#include "base/search.h"
#include "plan/planner.h"
#include "plan/word.h"

/* The place at which names are replaced. */
struct site {
    struct planner *planner;
    const struct choice *choice;
    const struct play *play;
};

/* The observation of that name. Within another one, only those before it are found, so that none can contain itself. */
static const struct tree *named(const struct site *site, struct str name, const struct tree *within)
{
    const struct tree *all = tree_member(site->choice->family->tree, "observations");
    const struct tree *found = FIND_IN(one, tree_first(all), one == within || str_equal(one->name, name));
    return found == within ? NULL : found;
}

static void replace_words(const struct site *site, struct tree *observations, const struct tree *within,
                          struct place place);

/* Whether the word is a value that is known only when the case is played; such a word is no name. */
static bool is_late(struct str word)
{
    return str_starts(word, STR("${"));
}

static void replace_word(const struct site *site, struct tree *observations, struct tree *word,
                         const struct tree *within, struct place place)
{
    const struct tree *meant = named(site, word->text, within);
    struct tree *pattern = meant ? plan_resolve(site->planner, site->choice, place, meant) : NULL;
    if (pattern) {
        replace_words(site, observation_choices(pattern), meant, place);
        tree_replace(observations, word, pattern);
    } else if (word_of(word) == WORD_SAME && site->play->is_base)
        fault_add(place, "observation", "a base has nothing to be the same as");
    else if (!meant && !word_of(word) && !is_late(word->text))
        fault_add(place, "observation", "'%s' is no observation%s", str_printable(site->planner->arena, word->text),
                  within ? ", and none that stands before this one" : "");
}

static void replace_words(const struct site *site, struct tree *observations, const struct tree *within,
                          struct place place)
{
    struct tree *next;
    for (struct tree *one = tree_first(observations); one; one = next) {
        next = one->next;
        struct place here = place_below(place, one->name);
        if (one->type == TREE_STRING)
            replace_word(site, observations, one, within, here);
        else
            replace_words(site, observation_choices(one), within, here);
    }
}

void plan_observations(struct planner *planner, const struct choice *choice, const struct play *play,
                       struct tree *expect, struct place place)
{
    const struct site site = {planner, choice, play};
    replace_words(&site, expect, NULL, place);
}
