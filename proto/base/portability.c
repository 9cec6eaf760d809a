/* What the programs ask of a system beyond C17 and POSIX 2008: the list to begin with before they are built elsewhere.
 * They are built and tested with glibc on Linux.
 *
 *   what                                        where                                    who has it
 *   GNU assembler, ELF (.section, .incbin)      base/embed.h                             every Linux
 *   gcc's built-ins and attributes              everywhere                               gcc, clang
 *   memmem                                      everywhere                               glibc, musl, macOS
 *   memrchr, mempcpy                            everywhere                               glibc, musl
 *   timegm                                      conformance/                                 glibc, musl, macOS
 *   pthread_timedjoin_np                        conformance/support/task.c               glibc, musl
 *   pthread_condattr_setclock                   base/clock.c                             glibc, musl
 *   regexec with REG_STARTEND                   conformance/support/expression.c         glibc, macOS
 *   SOCK_CLOEXEC, pipe2                         conformance/client/, mutation/           Linux
 *   O_TMPFILE, /proc/self/fd                    conformance/report/save.c                Linux
 *   /proc/self/exe                              both programs                            Linux
 *   epoll, eventfd, accept4, malloc_trim        reference-server/                        Linux with glibc
 */
#include <limits.h>
#include <stddef.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "tensors lie in memory as on the wire, so the host has to be little-endian");
_Static_assert(CHAR_BIT == 8 && sizeof(float) == 4 && sizeof(double) == 8, "FP32 and FP64 are float and double");
_Static_assert(sizeof(size_t) >= 4, "sizes have 32 bits at least");
