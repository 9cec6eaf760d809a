/* Searches in arrays and lists, as expressions: what a loop would find, said in one line.
 *
 *   ANY(i, play->control_count, play->controls[i].play == play)             is there such an element?
 *   ALL(i, shape->rank, shape->dims[i] > 0)                                 are all so? of no elements, yes
 *   SUM(i, run->result_count, run->results[i].replay)                       how many are so? how much is it in all?
 *   FIND(flags, i, COUNT_OF(flags), str_is(name, flags[i].name))            the first, or NULL
 *
 *   FIRST(i, COUNT_OF(rows), rows[i].code == code, rows[i].status, 500)     what the first has, or something else
 *   FIND_IN(one, list->first, str_equal(one->text, name))                   the same of a list, as the next two
 *   ANY_IN(one, list->first, one->count)
 *   ALL_IN(one, list->first, one->type == TREE_STRING)
 *
 *   FOR_EACH(play, plan->plays, plan->play_count)                           a loop with a pointer to each element
 *   FOR_EACH_IN(one, list->first)                                           the same of a list
 *
 * The condition is evaluated for each element in order, up to the first that decides, and names the element by what
 * stands before it. A list is given by its first element, or NULL; its elements have a pointer `next`. FOR_EACH reads
 * its array and count once, before the first element, and the array may be NULL. COUNT_OF says how many elements an
 * array has; a pointer is none. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* NOLINTBEGIN(bugprone-macro-parentheses): the first names of these are declared here, and need none */
#define ANY(index, count, condition)                                                                                   \
    ({                                                                                                                 \
        size_t index = 0;                                                                                              \
        while (index < (count) && !(condition))                                                                        \
            index++;                                                                                                   \
        index < (count);                                                                                               \
    })

#define ALL(index, count, condition) (!ANY(index, count, !(condition)))

#define SUM(index, count, amount)                                                                                      \
    ({                                                                                                                 \
        size_t index##_sum = 0;                                                                                        \
        for (size_t index = 0; index < (count); index++)                                                               \
            index##_sum += (amount);                                                                                   \
        index##_sum;                                                                                                   \
    })

#define FIND(array, index, count, condition)                                                                           \
    ({                                                                                                                 \
        size_t index = 0;                                                                                              \
        while (index < (count) && !(condition))                                                                        \
            index++;                                                                                                   \
        index < (count) ? &(array)[index] : NULL;                                                                      \
    })

#define FIRST(index, count, condition, value, otherwise)                                                               \
    ({                                                                                                                 \
        size_t index = 0;                                                                                              \
        while (index < (count) && !(condition))                                                                        \
            index++;                                                                                                   \
        index < (count) ? (value) : (otherwise);                                                                       \
    })

#define FIND_IN(element, first_element, condition)                                                                     \
    ({                                                                                                                 \
        __typeof__((first_element) + 0) element = (first_element); /* + 0: the variable is not const */                \
        while (element && !(condition))                                                                                \
            element = element->next;                                                                                   \
        element;                                                                                                       \
    })

#define ANY_IN(element, first_element, condition) (FIND_IN(element, first_element, condition) != NULL)

#define ALL_IN(element, first_element, condition) (!ANY_IN(element, first_element, !(condition)))

#define FOR_EACH(element, array, count)                                                                                \
    for (const __typeof__(*(array)) *element = (array), *element##_end = element ? element + (count) : NULL;           \
         element != element##_end; element++)

#define FOR_EACH_IN(element, first_element)                                                                            \
    for (const __typeof__(*(first_element)) *element = (first_element); element; element = element->next)

/* NOLINTEND(bugprone-macro-parentheses) */
