#include "watch/follow.h"

#include "support/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* A connection. The relay's thread uses `is_lost` alone; all else is the follower's. */
struct followed {
    const struct reader *reader;
    void *reads;
    const char *why_not; /* nothing more of it is judged; NULL: it is */
    bool is_lost;        /* bytes of it did not fit into the queue */
};

enum event { EVENT_BYTES, EVENT_CLOSED, EVENT_LOST, EVENT_UNREACHABLE };

/* Something that the relay told. */
struct told {
    enum event event;
    enum side side;
    struct followed *connection;
    const struct port *port;
    struct told *next;
    size_t size;
    char bytes[];
};

struct follower {
    struct traffic *traffic;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t some; /* there is something to follow, or nothing more will come */
    struct told *first, **end;
    size_t queued; /* bytes of memory */
    bool is_finished;
};

/* --- In the relay's thread --- */

static void pass_on(struct follower *follower, const struct told *what, struct str bytes)
{
    struct told *told = memory_zeroed(sizeof *told + bytes.size);
    *told = *what;
    told->size = bytes.size;
    memcpy(told->bytes, bytes.data, bytes.size);
    pthread_mutex_lock(&follower->mutex);
    *follower->end = told;
    follower->end = &told->next;
    follower->queued += sizeof *told + bytes.size;
    pthread_cond_signal(&follower->some);
    pthread_mutex_unlock(&follower->mutex);
}

static void *on_opened(void *context, const struct port *port)
{
    struct follower *follower = context;
    struct followed *connection = memory_zeroed(sizeof *connection);
    connection->reader = port->endpoint->transport == TRANSPORT_GRPC ? &grpc_reader : &http_reader;
    connection->reads = connection->reader->create(follower->traffic, port);
    return connection;
}

static void on_passed(void *context, void *named, enum side side, struct str bytes)
{
    struct follower *follower = context;
    struct followed *connection = named;
    if (connection->is_lost)
        return;
    pthread_mutex_lock(&follower->mutex);
    bool fits = follower->queued + bytes.size <= QUEUED_MAX;
    pthread_mutex_unlock(&follower->mutex);
    connection->is_lost = !fits;
    pass_on(follower, &(struct told){.event = fits ? EVENT_BYTES : EVENT_LOST, .side = side, .connection = connection},
            fits ? bytes : STR(""));
}

static void on_closed(void *context, void *named)
{
    pass_on(context, &(struct told){.event = EVENT_CLOSED, .connection = named}, STR(""));
}

static void on_unreachable(void *context, const struct port *port, const char *why)
{
    pass_on(context, &(struct told){.event = EVENT_UNREACHABLE, .port = port}, str_of(why));
}

struct relay_receiver follower_receiver(struct follower *follower)
{
    return (struct relay_receiver){follower, on_opened, on_passed, on_closed, on_unreachable};
}

/* --- In the follower's thread --- */

/* Waits for what was told next. NULL: nothing more will be. */
static struct told *next(struct follower *follower)
{
    pthread_mutex_lock(&follower->mutex);
    while (!follower->first && !follower->is_finished)
        pthread_cond_wait(&follower->some, &follower->mutex);
    struct told *told = follower->first;
    if (told) {
        follower->first = told->next;
        follower->queued -= sizeof *told + told->size;
        if (!told->next)
            follower->end = &follower->first;
    }
    pthread_mutex_unlock(&follower->mutex);
    return told;
}

/* From here on the connection is not judged. */
static void give_up(struct follower *follower, struct followed *connection, const char *why)
{
    if (!connection->why_not && why)
        traffic_not_judged(follower->traffic, why);
    connection->why_not = connection->why_not ? connection->why_not : why;
}

static void follow(struct follower *follower, const struct told *told)
{
    struct followed *connection = told->connection;
    switch (told->event) {
    case EVENT_BYTES:
        if (!connection->why_not)
            give_up(follower, connection,
                    connection->reader->take(connection->reads, told->side, (struct str){told->bytes, told->size}));
        break;
    case EVENT_LOST:
        give_up(follower, connection, "a connection passes more than can be judged in time");
        break;
    case EVENT_CLOSED:
        connection->reader->destroy(connection->reads);
        free(connection);
        break;
    case EVENT_UNREACHABLE:
        traffic_unreachable(follower->traffic, told->port->target, (struct str){told->bytes, told->size});
        break;
    }
}

static void *run(void *context)
{
    struct follower *follower = context;
    struct told *told;
    setpriority(PRIO_PROCESS, (id_t)gettid(), 10); /* what passes comes first */
    while ((told = next(follower)) != NULL) {
        follow(follower, told);
        free(told);
    }
    return NULL;
}

struct follower *follower_start(struct traffic *traffic)
{
    struct follower *follower = memory_zeroed(sizeof *follower);
    *follower = (struct follower){.traffic = traffic, .end = &follower->first};
    pthread_mutex_init(&follower->mutex, NULL);
    pthread_cond_init(&follower->some, NULL);
    if (pthread_create(&follower->thread, NULL, run, follower) != 0)
        memory_exhausted();
    return follower;
}

void follower_finish(struct follower *follower)
{
    pthread_mutex_lock(&follower->mutex);
    follower->is_finished = true;
    pthread_cond_signal(&follower->some);
    pthread_mutex_unlock(&follower->mutex);
    pthread_join(follower->thread, NULL);
    pthread_cond_destroy(&follower->some);
    pthread_mutex_destroy(&follower->mutex);
    free(follower);
}
