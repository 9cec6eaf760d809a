/* How many elements an array has. A pointer is none. */
#ifndef BASE_COUNT_H
#define BASE_COUNT_H

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
