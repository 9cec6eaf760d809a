#include "monitoring/log.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINE_MAX_SIZE ((size_t)4096) /* a write of so much to a pipe is not divided */
#define PATH_MAX_SIZE ((size_t)1500) /* bytes of a field in the line; what is longer is cut */
#define WORD_MAX_SIZE ((size_t)500)

static struct {
    int fd;
    const char *path; /* NULL: stderr */
    bool as_json;
    atomic_bool loss_is_told;
    atomic_size_t lost; /* lines for stderr, since this was said last */
} the_log = {.fd = STDERR_FILENO};

/* Neither this nor a write waits for the reader of a FIFO. */
static int open_file(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0644);
}

/* Opens stderr once more if it is a pipe: the program that it shares stderr with may wait for the reader. */
static int open_stderr(void)
{
    struct stat is;
    int fd = fstat(STDERR_FILENO, &is) == 0 && S_ISFIFO(is.st_mode) ? open_file("/proc/self/fd/2") : -1;
    return fd < 0 ? STDERR_FILENO : fd;
}

struct status log_open(const char *path, bool as_json, struct arena *arena)
{
    the_log.as_json = as_json;
    the_log.path = strcmp(path, "-") == 0 ? NULL : path;
    the_log.fd = the_log.path ? open_file(path) : open_stderr();
    if (the_log.fd < 0)
        return status_error(arena, STATUS_UNAVAILABLE, "cannot write the log '%s': %s",
                            str_printable(arena, str_of(path)), strerror(errno));
    return STATUS_IS_OK;
}

/* dup3 replaces the old file by the new one in one step, so a thread that writes always writes to one of them. */
bool log_reopen(void)
{
    int fd = the_log.path ? open_file(the_log.path) : -1;
    if (fd < 0)
        return !the_log.path;
    bool is_done = dup3(fd, the_log.fd, O_CLOEXEC) >= 0;
    the_log.loss_is_told = false;
    close(fd);
    return is_done;
}

/* --- A request --- */

/* What is known when a request comes. */
struct arrival {
    struct timespec time; /* of the day */
    int64_t began;        /* by clock_now */
    struct str method, model;
};

static struct arrival *arrive(struct arena *arena, struct str method, struct str model)
{
    struct arrival *arrival = arena_new_of(arena, struct arrival);
    if (!arrival)
        return NULL;
    *arrival = (struct arrival){.method = method, .model = model};
    clock_gettime(CLOCK_REALTIME, &arrival->time);
    arrival->began = clock_now();
    return arrival;
}

/* Returns bytes of a client as text of at most `room` bytes: printable ASCII as it is, except what has a meaning in the
 * line, and \xNN for the rest. */
static const char *escaped(struct str value, char *text, size_t room)
{
    size_t size = 0;
    if (value.size == 0)
        return the_log.as_json ? "" : "-";
    for (size_t i = 0; i < value.size; i++) {
        unsigned char c = (unsigned char)value.data[i];
        bool is_plain = c > ' ' && c < 0x7f && c != '\\' && c != '"';
        if (size > room - strlen("...\\\\xNN")) {
            memcpy(text + size, "...", sizeof("..."));
            return text;
        }
        if (is_plain || (c == ' ' && the_log.as_json))
            text[size++] = (char)c;
        else
            size += (size_t)snprintf(text + size, sizeof("\\\\xNN"), the_log.as_json ? "\\\\x%02x" : "\\x%02x", c);
    }
    text[size] = '\0';
    return text;
}

/* Says that lines are lost, once until the log is opened anew. Those of stderr are counted, and it is said there when
 * it takes lines again. */
static void tell_of_loss(const char *reason)
{
    if (!the_log.path)
        the_log.lost++;
    else if (!atomic_exchange(&the_log.loss_is_told, true))
        fprintf(stderr, "oip-reference-server: the log '%s' cannot be written, and lines are lost: %s\n", the_log.path,
                reason);
}

/* A line that cannot be written is lost: a full disk is no reason to serve no more. `status` has its quotes in JSON. */
static void write_line(const struct arrival *arrival, const char *protocol, struct str path, const char *status,
                       size_t sent)
{
    char line[LINE_MAX_SIZE], second[32], words[2][WORD_MAX_SIZE + 1], long_path[PATH_MAX_SIZE + 1];
    const char *method = escaped(arrival->method, words[0], WORD_MAX_SIZE);
    const char *model = escaped(arrival->model, words[1], WORD_MAX_SIZE);
    const char *shown_path = escaped(path, long_path, PATH_MAX_SIZE);
    unsigned long long us = (unsigned long long)(clock_now() - arrival->began) / 1000;
    struct tm parts;
    strftime(second, sizeof(second), "%Y-%m-%dT%H:%M:%S", gmtime_r(&arrival->time.tv_sec, &parts));
    long fraction = arrival->time.tv_nsec / 1000;
    int size = the_log.as_json
                   ? snprintf(line, sizeof(line),
                              "{\"time\":\"%s.%06ldZ\",\"protocol\":\"%s\",\"method\":\"%s\",\"path\":\"%s\","
                              "\"model\":\"%s\",\"status\":%s,\"bytes\":%zu,\"microseconds\":%llu}\n",
                              second, fraction, protocol, method, shown_path, model, status, sent, us)
                   : snprintf(line, sizeof(line), "%s.%06ldZ %s %s %s %s %s %zu %llu\n", second, fraction, protocol,
                              method, shown_path, model, status, sent, us);
    ssize_t written = write(the_log.fd, line, (size_t)size);
    size_t lost = written == size && the_log.lost ? atomic_exchange(&the_log.lost, 0) : 0;
    if (written < size)
        tell_of_loss(written < 0 ? strerror(errno) : "only a part was taken");
    if (lost > 0 && dprintf(the_log.fd, "oip-reference-server: %zu lines of this log are lost\n", lost) < 0)
        the_log.lost += lost;
}

void log_http_arrive(struct http_request *request)
{
    const struct http_service *service = request->service;
    request->logged =
        arrive(request->arena, request->method, service->model_of ? service->model_of(request->path) : STR(""));
}

void log_http_leave(const struct http_request *request, size_t sent)
{
    char status[16];
    snprintf(status, sizeof(status), "%d", request->delivery == HTTP_SEND ? request->status : 0);
    if (request->logged)
        write_line(request->logged, request->service->listener, request->path, status, sent);
}

/* The message may be gone before the call is. */
void log_rpc_arrive(struct rpc_call *call)
{
    struct str method = str_of(call->method ? call->method->name : NULL);
    call->logged = arrive(call->arena, method, arena_copy(call->arena, rpc_model(call)));
}

void log_rpc_leave(const struct rpc_call *call, enum status_code code, size_t sent)
{
    char status[40];
    snprintf(status, sizeof(status), the_log.as_json ? "\"%s\"" : "%s", status_code_name(code));
    if (call->logged)
        write_line(call->logged, "grpc", call->path, status, sent);
}
