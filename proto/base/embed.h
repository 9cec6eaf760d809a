/* EMBED(page, "report/page.css") puts the bytes of a file into the program and defines a function page() that returns
 * them; a NUL follows. The compiler finds the file as it finds a header. The makefile says that the object depends on
 * it. */
#pragma once

#include "base/str.h"

#ifdef __cplusplus
#define EMBED_C extern "C"
#else
#define EMBED_C extern
#endif

#define EMBED(name, file)                                                                                              \
    __asm__(".section .rodata\n" #name "_embedded:\n"                                                                  \
            ".incbin \"" file "\"\n"                                                                                   \
            "0: .byte 0\n"                                                                                             \
            ".balign 8\n" #name "_embedded_size:\n"                                                                    \
            ".quad 0b - " #name "_embedded\n"                                                                          \
            ".previous\n");                                                                                            \
    EMBED_C const char name##_embedded[];                                                                              \
    EMBED_C const size_t name##_embedded_size;                                                                         \
    static struct str name(void)                                                                                       \
    {                                                                                                                  \
        struct str bytes = {name##_embedded, name##_embedded_size};                                                    \
        return bytes;                                                                                                  \
    }
