/* Deviations that need code: what a server does wrong only over several requests. */
#include "deviations/deviation.h"
#include "tree/pointer.h"

#include <pthread.h>

#define ID_MAX 64

/* An answer carries the id of the answer before it, as from a cache that is shared by mistake. */
static bool id_of_the_request_before(struct tree *id)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char before[ID_MAX];
    static size_t before_size;
    if (!id || id->type != TREE_STRING || id->text.size == 0 || id->text.size > ID_MAX)
        return false;
    char *text = (char *)(uintptr_t)id->text.data; /* the tree's own copy */
    char now[ID_MAX];
    size_t size = id->text.size;
    pthread_mutex_lock(&lock);
    memcpy(now, text, size);
    bool is_another =
        before_size > 0 && before_size <= size && !(before_size == size && memcmp(before, now, size) == 0);
    if (is_another) {
        memcpy(text, before, before_size);
        id->text.size = before_size;
    }
    memcpy(before, now, size);
    before_size = size;
    pthread_mutex_unlock(&lock);
    return is_another;
}

static bool rest_id_of_the_request_before(struct tree *answer, struct arena *arena)
{
    (void)arena;
    return id_of_the_request_before(pointer_find(answer, STR("/json/id")));
}

static bool grpc_id_of_the_request_before(struct tree *answer, struct arena *arena)
{
    (void)arena;
    return id_of_the_request_before(pointer_find(answer, STR("/message/id")));
}

struct named_code {
    const char *name;
    deviation_code code;
};

static const struct named_code codes[] = {
    {"rest-id-of-the-request-before", rest_id_of_the_request_before},
    {"grpc-id-of-the-request-before", grpc_id_of_the_request_before},
};

deviation_code deviation_code_named(const char *name)
{
    for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
        if (strcmp(codes[i].name, name) == 0)
            return codes[i].code;
    return NULL;
}
