#include "server.h"

#include <malloc.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGE (1024 * 1024)
#define MUCH  ((size_t)64 * 1024 * 1024)
#define ALIKE ((size_t)8 * 1024 * 1024)

void trim_begin(void)
{
    mallopt(M_MMAP_THRESHOLD, LARGE);
}

/* Returns the memory that the process has; 0 if the system does not say. The second number of the file is its pages. */
static size_t resident(void)
{
    char line[128] = "";
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    const char *second = fgets(line, sizeof(line), file) ? strchr(line, ' ') : NULL;
    fclose(file);
    return second ? strtoul(second, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

/* Returns how much the process has beyond what it has allocated: free memory, but also its code and its stacks. */
static size_t surplus(void)
{
    struct mallinfo2 info = mallinfo2();
    size_t used = info.uordblks + info.hblkhd, has = resident();
    return has > used ? has - used : 0;
}

void trim_memory(void)
{
    static size_t settled; /* the surplus after the last time: code, stacks, and what lies between used memory */
    size_t now = surplus();
    if (now < MUCH || (now < settled + ALIKE && settled < now + ALIKE))
        return;
    malloc_trim(0);
    settled = surplus();
}
