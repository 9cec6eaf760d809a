/* A library that makes chosen allocations fail. It is preloaded into a program. Only allocations of the program's own
 * code are counted and can fail: those for which the calling code lies in the main executable, or in a library named in
 * TORTURE_LIBRARIES (parts of file names, with commas between them). Other libraries, such as gRPC and libstdc++, end
 * the process when they get no memory, so they are left alone. So is code of the program that allocates for a library:
 * TORTURE_SPARED has where it lies, as "BEGIN-END,..." in hexadecimal, counted from where the program is loaded.
 *
 * The driver and the program share a page, the file TORTURE_CONTROL. The driver sets `first` and `last` and clears
 * `asked` and `failed`. The allocations with the numbers `first` to `last`, counted from 1, then fail; none fails if
 * `first` is 0. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RANGES_MAX 64
#define HERE       ((uintptr_t)__builtin_return_address(0))

struct control {
    _Atomic uint64_t asked, failed; /* allocations since the driver cleared them */
    _Atomic uint64_t first, last;
    _Atomic uint64_t place; /* the code whose allocation failed last: an offset in its file */
};

struct range {
    uintptr_t begin, end, base;
};

static struct control *control;
static struct range ranges[RANGES_MAX];
static size_t range_count;
static struct range spared[RANGES_MAX];
static size_t spared_count;

static bool is_chosen(const char *path, const char *libraries)
{
    while (libraries && *libraries) {
        size_t size = strcspn(libraries, ",");
        if (size > 0 && memmem(path, strlen(path), libraries, size))
            return true;
        libraries += size + (libraries[size] == ',');
    }
    return false;
}

static int add_ranges(struct dl_phdr_info *object, size_t, void *libraries)
{
    bool is_executable = range_count == 0; /* the executable comes first */
    for (size_t i = 0; i < object->dlpi_phnum && range_count < RANGES_MAX; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t begin = object->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && part->p_flags & PF_X &&
            (is_executable || is_chosen(object->dlpi_name, libraries)))
            ranges[range_count++] = (struct range){begin, begin + part->p_memsz, object->dlpi_addr};
    }
    return 0;
}

/* The executable is the first range. */
static void add_spared(const char *text)
{
    while (text && *text && range_count > 0 && spared_count < RANGES_MAX) {
        char *end;
        uintptr_t base = ranges[0].base, from = strtoul(text, &end, 16);
        if (*end != '-')
            return;
        spared[spared_count++] = (struct range){base + from, base + strtoul(end + 1, &end, 16), base};
        text = end + (*end == ',');
    }
}

static bool is_spared(uintptr_t code)
{
    for (size_t i = 0; i < spared_count; i++)
        if (code >= spared[i].begin && code < spared[i].end)
            return true;
    return false;
}

__attribute__((constructor)) static void share_control(void)
{
    const char *path = getenv("TORTURE_CONTROL");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *page =
        file < 0 ? MAP_FAILED : mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    if (page == MAP_FAILED)
        return;
    dl_iterate_phdr(add_ranges, getenv("TORTURE_LIBRARIES"));
    add_spared(getenv("TORTURE_SPARED"));
    control = page;
}

/* Says whether the allocation that this code asks for must fail. */
static bool gives_out(uintptr_t code)
{
    size_t i = 0;
    while (control && i < range_count && !(code >= ranges[i].begin && code < ranges[i].end))
        i++;
    if (!control || i == range_count || is_spared(code))
        return false;
    uint64_t number = atomic_fetch_add(&control->asked, 1) + 1;
    if (number < control->first || number > control->last || control->first == 0)
        return false;
    atomic_fetch_add(&control->failed, 1);
    control->place = code - ranges[i].base;
    errno = ENOMEM;
    return true;
}

/* Calls the allocator that does the work: that of the sanitizer if there is one, otherwise that of the C library. */
void *plain_malloc(size_t size) __asm__("__libc_malloc");
void *plain_calloc(size_t count, size_t size) __asm__("__libc_calloc");
void *plain_realloc(void *memory, size_t size) __asm__("__libc_realloc");
void *plain_memalign(size_t alignment, size_t size) __asm__("__libc_memalign");
void *watched_malloc(size_t size) __asm__("__interceptor_malloc") __attribute__((weak));
void *watched_calloc(size_t count, size_t size) __asm__("__interceptor_calloc") __attribute__((weak));
void *watched_realloc(void *memory, size_t size) __asm__("__interceptor_realloc") __attribute__((weak));
void *watched_memalign(size_t alignment, size_t size) __asm__("__interceptor_memalign") __attribute__((weak));

#define WORK(name, ...) (watched_##name ? watched_##name(__VA_ARGS__) : plain_##name(__VA_ARGS__))

void *malloc(size_t size)
{
    return gives_out(HERE) ? NULL : WORK(malloc, size);
}

void *calloc(size_t count, size_t size)
{
    return gives_out(HERE) ? NULL : WORK(calloc, count, size);
}

void *realloc(void *memory, size_t size)
{
    return gives_out(HERE) ? NULL : WORK(realloc, memory, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return gives_out(HERE) ? NULL : WORK(memalign, alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    void *made = gives_out(HERE) ? NULL : WORK(memalign, alignment, size);
    if (made)
        *memory = made;
    return made ? 0 : ENOMEM;
}

char *strndup(const char *text, size_t size)
{
    size = strnlen(text, size);
    char *copy = gives_out(HERE) ? NULL : WORK(malloc, size + 1);
    if (copy) {
        memcpy(copy, text, size);
        copy[size] = '\0';
    }
    return copy;
}

char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = gives_out(HERE) ? NULL : WORK(malloc, size);
    return copy ? memcpy(copy, text, size) : NULL;
}

/* C++'s operators new and new[] that return a null pointer on failure. */
typedef void *new_function(size_t size, const void *nothrow);
new_function new_one __asm__("_ZnwmRKSt9nothrow_t");
new_function new_many __asm__("_ZnamRKSt9nothrow_t");

static void *work_of(const char *name, size_t size, const void *nothrow)
{
    union {
        void *symbol;
        new_function *function;
    } next = {dlsym(RTLD_NEXT, name)};
    return next.symbol ? next.function(size, nothrow) : NULL;
}

void *new_one(size_t size, const void *nothrow)
{
    return gives_out(HERE) ? NULL : work_of("_ZnwmRKSt9nothrow_t", size, nothrow);
}

void *new_many(size_t size, const void *nothrow)
{
    return gives_out(HERE) ? NULL : work_of("_ZnamRKSt9nothrow_t", size, nothrow);
}
