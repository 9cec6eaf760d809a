#include "report/causes.h"

#include "base/search.h"

#include <fnmatch.h>

static bool implies(const struct requirement *cause, const struct requirement *effect)
{
    return ANY(i, cause->implies.count, str_equal(cause->implies.items[i], effect->key));
}

/* --- Places --- */

/* Returns where the answer differs: the pointer with which `why` begins, such as "/outputs/0/shape"; or empty. */
static struct str place_of(const struct result *result)
{
    return str_starts(result->why, STR("/")) ? str_until(result->why, ": ") : STR("");
}

#define PLACE_SIZE 256 /* bytes of a longer text belong to nobody */

static bool fits(struct str pattern, struct str text)
{
    char copies[2][PLACE_SIZE];
    const struct str texts[] = {pattern, text};
    for (size_t i = 0; i < 2; i++) {
        if (texts[i].size >= PLACE_SIZE)
            return false;
        if (texts[i].size)
            memcpy(copies[i], texts[i].data, texts[i].size);
        copies[i][texts[i].size] = '\0';
    }
    return fnmatch(copies[0], copies[1], 0) == 0;
}

/* Whether what the row owns, such as "/id" or "ModelInfer /code", is that place of the answer to that call. */
static bool is_owned(struct str owned, const struct result *result)
{
    const char *space = memrchr(owned.data, ' ', owned.size);
    size_t size = space ? (size_t)(space - owned.data) : 0;
    return (!space || fits((struct str){owned.data, size}, result->asked)) &&
           fits(space ? str_from(owned, size + 1) : owned, place_of(result));
}

static const struct profile *profile_of(const struct result *result)
{
    return result_exchange(result)->group->profile;
}

/* Whether the row is of an extension, which a server claims. */
static bool is_of_an_extension(const struct finding *finding)
{
    for (size_t i = 0; i < finding->count; i++) {
        const struct profile *profile = profile_of(finding->results[i]);
        if (str_equal(profile->name, finding->requirement->prefix))
            return profile->claim.size > 0;
    }
    return false;
}

/* Whether the result is about the same answers: those of the row's profile, or of an extension of it. */
static bool is_beside(const struct finding *cause, const struct result *result)
{
    const struct profile *one = profile_of(cause->results[0]), *other = profile_of(result);
    return str_equal(cause->requirement->prefix, result->assertion->requirement->prefix) ||
           (other->claim.size > 0 && !is_of_an_extension(cause) && one->endpoint == other->endpoint &&
            str_equal(one->protocol, other->protocol));
}

static bool owns(const struct finding *cause, const struct result *result)
{
    const struct keys *owned = &cause->requirement->owns;
    return is_beside(cause, result) && ANY(i, owned->count, is_owned(owned->items[i], result));
}

/* --- Findings --- */

bool cause_accounts_for(const struct finding *cause, const struct result *result)
{
    if (cause->requirement->layer != result->assertion->requirement->layer)
        return false;
    const struct requirement *requirement = cause->requirement;
    return owns(cause, result) || (result->unserved && implies(requirement, result->assertion->requirement) &&
                                   ANY(i, cause->count, cause->results[i]->unserved));
}

/* Whether of what was tried nearly as large a share fails as of the other. */
static bool fails_as_often(const struct finding *left, const struct finding *right)
{
    return 4 * left->count * (right->count + right->held) >= 3 * right->count * (left->count + left->held);
}

/* Whether most of it fails where no extension is asked. */
static bool is_of_the_core(const struct finding *finding)
{
    size_t count = SUM(i, finding->count, profile_of(finding->results[i])->claim.size == 0);
    return 2 * count > finding->count;
}

/* An extension is no cause of what fails mostly without it. */
static bool may_imply(const struct finding *cause, const struct finding *effect)
{
    return implies(cause->requirement, effect->requirement) && fails_as_often(cause, effect) &&
           !(is_of_an_extension(cause) && is_of_the_core(effect));
}

static bool owns_most_of(const struct finding *cause, const struct finding *effect)
{
    size_t owned = SUM(i, effect->count, owns(cause, effect->results[i]));
    return 2 * owned > effect->count;
}

bool cause_explains(const struct finding *cause, const struct finding *effect)
{
    bool is_alike = cause->requirement->level == effect->requirement->level &&
                    cause->requirement->layer == effect->requirement->layer;
    bool is_implied = may_imply(cause, effect) && !(may_imply(effect, cause) && effect->count >= cause->count) &&
                      !owns_most_of(effect, cause);
    bool is_owned = owns_most_of(cause, effect) &&
                    (!implies(effect->requirement, cause->requirement) || fails_as_often(cause, effect));
    return is_alike && (is_implied || is_owned);
}
