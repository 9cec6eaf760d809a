#include "support/expression.h"

#include "support/memory.h"

#include <assert.h>
#include <regex.h>
#include <stdatomic.h>
#include <stdlib.h>

#define SLOTS    256
#define ANY_CASE "(?i)"

struct expression {
    regex_t compiled;
    struct expression *next; /* in the same slot */
    size_t size;
    char text[]; /* ends with a NUL */
};

static _Atomic(struct expression *) slots[SLOTS];

static struct expression *compile(struct str text)
{
    struct expression *expression = memory_zeroed(sizeof *expression + text.size + 1);
    expression->size = text.size;
    if (text.size > 0)
        memcpy(expression->text, text.data, text.size);
    bool any_case = str_starts(text, STR(ANY_CASE));
    const char *plain = expression->text + (any_case ? sizeof ANY_CASE - 1 : 0);
    if (strlen(expression->text) == text.size &&
        regcomp(&expression->compiled, plain, REG_EXTENDED | REG_NOSUB | (any_case ? REG_ICASE : 0)) == 0)
        return expression;
    free(expression);
    return NULL;
}

static regex_t *find(struct str text)
{
    _Atomic(struct expression *) *slot = &slots[str_hash(text) % SLOTS];
    for (struct expression *known = atomic_load(slot); known; known = known->next)
        if (str_equal((struct str){known->text, known->size}, text))
            return &known->compiled;
    struct expression *expression = compile(text);
    if (!expression)
        return NULL;
    expression->next = atomic_load(slot);
    while (!atomic_compare_exchange_weak(slot, &expression->next, expression))
        ; /* another thread has put one before it */
    return &expression->compiled;
}

bool is_expression(struct str text)
{
    return find(text) != NULL;
}

bool expression_meets(struct str expression, struct str text)
{
    regex_t *compiled = find(expression);
    assert(compiled);
    /* regexec would want a NUL after the text. */
    return re_search(compiled, text.data ? text.data : "", (regoff_t)text.size, 0, (regoff_t)text.size, NULL) >= 0;
}
