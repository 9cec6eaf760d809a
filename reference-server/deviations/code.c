/* Deviations that only code can make: faults that a server shows over several requests. */
#include "base/count.h"
#include "deviations/deviation.h"
#include "tree/pointer.h"

#include <pthread.h>
#include <stdatomic.h>

#define TEXT_MAX 64

/* Gives an answer the text of the answer before it, like a server with a cache that is shared by mistake. The first
 * answer is right. */
static bool give_the_text_before(struct tree *text, struct arena *arena)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char before[TEXT_MAX];
    static size_t before_size;
    if (!text || text->type != TREE_STRING || text->text.size == 0 || text->text.size > TEXT_MAX)
        return false;
    struct str now = text->text;
    pthread_mutex_lock(&lock);
    struct str other = arena_copy(arena, (struct str){before, before_size});
    memcpy(before, now.data, now.size);
    before_size = now.size;
    pthread_mutex_unlock(&lock);
    if (other.size == 0 || str_equal(other, now))
        return false;
    text->text = other;
    return true;
}

static bool rest_id_of_the_request_before(struct tree *answer, struct arena *arena)
{
    return give_the_text_before(pointer_find(answer, STR("/json/id")), arena);
}

static bool grpc_id_of_the_request_before(struct tree *answer, struct arena *arena)
{
    return give_the_text_before(pointer_find(answer, STR("/message/id")), arena);
}

/* The first answer comes twice, and the last never. */
static bool grpc_stream_repeats_the_answer_before(struct tree *answer, struct arena *arena)
{
    return give_the_text_before(pointer_find(answer, STR("/message/raw_output_contents/0")), arena);
}

/* Loses every second answer. */
static bool grpc_stream_loses_answers(struct tree *answer, struct arena *arena)
{
    static atomic_int loses;
    struct tree *message = tree_member(answer, "message");
    (void)arena;
    if (!message || atomic_fetch_xor(&loses, 1))
        return false;
    tree_remove(answer, message);
    return true;
}

/* Fails a valid request if the one before it was refused, like a server whose parser keeps a wrong state. */
static bool fail_behind_a_refusal(struct tree *outcome, const char *success, const char *failure, atomic_bool *refused)
{
    bool succeeds = outcome && str_is(outcome->text, success);
    if (!atomic_exchange(refused, !succeeds) || !succeeds)
        return false;
    outcome->text = str_of(failure);
    return true;
}

static bool rest_refusals_disturb_others(struct tree *answer, struct arena *arena)
{
    static atomic_bool refused;
    (void)arena;
    return fail_behind_a_refusal(tree_member(answer, "status"), "200", "400", &refused);
}

static bool grpc_refusals_disturb_others(struct tree *answer, struct arena *arena)
{
    static atomic_bool refused;
    (void)arena;
    return fail_behind_a_refusal(tree_member(answer, "code"), "OK", "INVALID_ARGUMENT", &refused);
}

struct named_code {
    const char *name;
    deviation_code code;
};

static const struct named_code codes[] = {
    {"rest-id-of-the-request-before", rest_id_of_the_request_before},
    {"grpc-id-of-the-request-before", grpc_id_of_the_request_before},
    {"grpc-stream-loses-answers", grpc_stream_loses_answers},
    {"grpc-stream-repeats-the-answer-before", grpc_stream_repeats_the_answer_before},
    {"rest-refusals-disturb-others", rest_refusals_disturb_others},
    {"grpc-refusals-disturb-others", grpc_refusals_disturb_others},
};

deviation_code deviation_code_named(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(codes); i++)
        if (strcmp(codes[i].name, name) == 0)
            return codes[i].code;
    return NULL;
}
