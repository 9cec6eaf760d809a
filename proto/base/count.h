/* How many elements an array has. A pointer is none. */
#pragma once

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
