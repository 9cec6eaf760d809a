/* FAST marks a function whose loops a compiler shall turn into vector instructions of the processor that runs it. The
 * values do not change: a product and a sum are never made one. Floating-point exceptions are never read, so both sides
 * of a choice may be computed. */
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&               \
    !defined(__SANITIZE_THREAD__)
#define FAST                                                                                                           \
    __attribute__((optimize("O3", "no-trapping-math"), target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FAST
#endif

/* What a FAST function calls in its loops. A compiler does not inline other functions, which have other options. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))
