/* reference-server/tests/ tests the folders of the server one by one, and the program as a whole (the scripts).
 *
 * This header has what the tests of inference share: the model repositories of the build, requests in one line, and
 * answers that can be waited for. */
#pragma once

#include "backends/backends.h"
#include "base/search.h"
#include "inference/infer.h"
#include "models/compute.h"
#include "models/repository.h"
#include "tests/scratch.h"

#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define KIT_SECONDS 30

#define assert_broken(answer, wanted_code, wanted_slug)                                                                \
    do {                                                                                                               \
        struct status checked_ = (answer);                                                                             \
        assert_int_equal(checked_.code, wanted_code);                                                                  \
        assert_non_null(checked_.broken);                                                                              \
        assert_string_equal(checked_.broken, wanted_slug);                                                             \
    } while (0)

/* Returns "<build>/models/<repository>". The tests lie in <build>/reference-server/tests. */
static inline const char *kit_path(const char *repository)
{
    char program[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", program, sizeof(program) - 1);
    assert_true(size > 0);
    program[size] = '\0';
    const char *build = dirname(dirname(dirname(program)));
    return arena_printf(&arena, "%s/models/%s", build, repository).data;
}

/* Returns the file of version 1 of a model of the kit, until the next call. */
static inline struct str kit_model(const char *name)
{
    static char bytes[1 << 16];
    FILE *file = fopen(arena_printf(&arena, "%s/%s/1/model.onnx", kit_path("kit"), name).data, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    return (struct str){bytes, size};
}

/* Waits until no model is LOADING any more. */
static inline void kit_load(struct repository *repository)
{
    const struct timespec glance = {.tv_nsec = 1000 * 1000};
    for (int glances = 0; repository_is_loading(repository); glances++) {
        assert_true(glances < KIT_SECONDS * 1000);
        nanosleep(&glance, NULL);
    }
}

/* Opens repositories of the build, by name ("kit"), and waits until they are loaded. */
static inline struct repository *kit_open(const char *first, const char *second)
{
    const char *paths[2] = {kit_path(first), second ? kit_path(second) : NULL};
    struct repository *repository = NULL;
    struct repository_options options = {.paths = paths, .path_count = second ? 2 : 1, .backends = backends};
    assert_ok(repository_open(&options, &arena, &repository));
    kit_load(repository);
    return repository;
}

/* Returns a model without holding it: none is freed before it is unloaded, or its repository is closed. */
static inline struct model *kit_find(struct repository *repository, const char *name, const char *version)
{
    struct model_hold hold;
    assert_ok(repository_find(repository, str_of(name), str_of(version), &arena, &hold));
    struct model *model = hold.model;
    model_release(&hold);
    return model;
}

/* Waits until nobody holds a model; who answered releases it a moment later. Returns false if somebody does not. */
static inline bool kit_is_released(struct repository *repository)
{
    for (int glances = 0; repository_holders(repository) > 0; glances++) {
        if (glances == KIT_SECONDS * 1000)
            return false;
        usleep(1000);
    }
    return true;
}

/* Closes a repository, of which nobody may hold a model for longer than that moment, one that was unloaded either. */
static inline void kit_close(struct repository *repository)
{
    assert_true(kit_is_released(repository));
    for (int glances = 0; repository_close(repository) > 0; glances++) {
        assert_true(glances < KIT_SECONDS * 1000);
        usleep(1000);
    }
}

/* A request with room for its inputs, and with the means to wait for its answer. */
struct asked {
    struct asked *next; /* of all that are not freed yet */
    struct infer_request request;
    struct infer_input inputs[4];
    struct infer_requested_output requested[4];
    struct arena arena;

    /* The last response. Its pointers may lead into memory of the model. */
    struct infer_response response;
    struct model_output outputs[4];
    int responses;

    sem_t answered; /* posted with each answer */
    atomic_int answers;
    pthread_t answered_by;
};

static inline struct status kit_responded(struct infer_request *request, const struct infer_response *response)
{
    struct asked *asked = request->context;
    assert_int_equal(asked->answers, 0);
    assert_true(response->output_count <= COUNT_OF(asked->outputs));
    memcpy(asked->outputs, response->outputs, response->output_count * sizeof(asked->outputs[0]));
    asked->response = *response;
    asked->response.outputs = asked->outputs;
    asked->responses++;
    return STATUS_IS_OK;
}

static inline void kit_answered(struct infer_request *request)
{
    struct asked *asked = request->context;
    asked->answered_by = pthread_self();
    atomic_fetch_add(&asked->answers, 1);
    sem_post(&asked->answered);
}

static pthread_mutex_t kit_lock = PTHREAD_MUTEX_INITIALIZER;
static struct asked *kit_all;

static inline struct asked *kit_ask(struct repository *repository, const char *model)
{
    struct asked *asked = calloc(1, sizeof(*asked));
    assert_non_null(asked);
    pthread_mutex_lock(&kit_lock);
    asked->next = kit_all;
    kit_all = asked;
    pthread_mutex_unlock(&kit_lock);
    asked->arena = arena_new((size_t)64 << 20);
    sem_init(&asked->answered, 0, 0);
    asked->request = (struct infer_request){.arena = &asked->arena,
                                            .repository = repository,
                                            .model_name = str_of(model),
                                            .inputs = asked->inputs,
                                            .requested = asked->requested,
                                            .emit = kit_responded,
                                            .done = kit_answered,
                                            .context = asked};
    return asked;
}

/* Makes data of a test usable in a tensor; nothing writes to it. */
static inline void *kit_data(const void *data)
{
    void *same;
    memcpy(&same, &data, sizeof(same));
    return same;
}

/* Adds an input; shape and data are not copied. */
static inline struct tensor *kit_input(struct asked *asked, const char *name, enum datatype datatype,
                                       const int64_t *shape, size_t rank, const void *data, size_t count)
{
    struct tensor *tensor = &asked->inputs[asked->request.input_count++].tensor;
    *tensor = (struct tensor){.name = str_of(name),
                              .datatype = datatype,
                              .shape = shape,
                              .rank = rank,
                              .count = count,
                              .data = kit_data(data),
                              .size = count * datatype_size(datatype)};
    return tensor;
}

static inline void kit_request_output(struct asked *asked, const char *name)
{
    asked->requested[asked->request.requested_count++].name = str_of(name);
}

/* Waits for the answer, which must be the only one. */
static inline void kit_wait(struct asked *asked)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += KIT_SECONDS;
    sem_timedwait(&asked->answered, &until);
    assert_int_equal(asked->answers, 1);
}

/* Asks a model. It must make one response if it succeeds, and none if it fails. */
static inline struct status kit_infer(struct asked *asked)
{
    infer(&asked->request);
    kit_wait(asked);
    assert_int_equal(asked->responses, is_ok(asked->request.status) ? 1 : 0);
    return asked->request.status;
}

static inline void kit_free(struct asked *asked)
{
    struct asked **at = &kit_all;
    pthread_mutex_lock(&kit_lock);
    while (*at != asked)
        at = &(*at)->next;
    *at = asked->next;
    pthread_mutex_unlock(&kit_lock);
    arena_free(&asked->arena);
    sem_destroy(&asked->answered);
    free(asked);
}

static inline void kit_free_all(void)
{
    while (kit_all)
        kit_free(kit_all);
}

static inline struct parameters one_parameter(const char *name, int64_t value, struct parameter *room)
{
    *room = (struct parameter){.name = str_of(name), .kind = PARAMETER_INT64, .int64 = value};
    return (struct parameters){room, 1};
}

/* A job that keeps a compute thread until it is released. */
struct kit_plug {
    struct compute_job job;
    atomic_bool runs, released;
};

static inline void kit_hold_thread(struct compute_job *job)
{
    struct kit_plug *plug = (struct kit_plug *)job;
    atomic_store(&plug->runs, true);
    while (!atomic_load(&plug->released))
        sched_yield();
}

/* Waits until it has the thread. */
static inline void kit_plug(struct kit_plug *plug)
{
    *plug = (struct kit_plug){.job = {.turn = {.deadline = TURN_NO_DEADLINE}, .run = kit_hold_thread}};
    compute_submit(&plug->job);
    while (!atomic_load(&plug->runs))
        sched_yield();
}
