#include "monitoring/log.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
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
} the_log = {.fd = STDERR_FILENO};

static int open_file(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

struct status log_open(const char *path, bool as_json, struct arena *arena)
{
    the_log.as_json = as_json;
    if (strcmp(path, "-") == 0)
        return STATUS_IS_OK;
    the_log.path = path;
    the_log.fd = open_file(path);
    if (the_log.fd < 0)
        return status_error(arena, STATUS_UNAVAILABLE, "cannot write the log '%s': %s",
                            str_printable(arena, str_of(path)), strerror(errno));
    return STATUS_IS_OK;
}

/* dup3 puts the new file in the place of the old one in one step, so a thread that writes always writes to one of them.
 */
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

/* --- A line --- */

struct line {
    char text[LINE_MAX_SIZE];
    size_t size;
};

static void put(struct line *line, const char *text, size_t size)
{
    if (size > sizeof(line->text) - line->size)
        size = sizeof(line->text) - line->size;
    memcpy(line->text + line->size, text, size);
    line->size += size;
}

static void put_text(struct line *line, const char *text)
{
    put(line, text, strlen(text));
}

/* Writes bytes of a client: printable ASCII as it is, except what has a meaning in the line, and \xNN for the rest. */
static void put_escaped(struct line *line, struct str value, size_t room)
{
    size_t end = line->size + room - strlen("...\\\\xNN");
    for (size_t i = 0; i < value.size; i++) {
        unsigned char c = (unsigned char)value.data[i];
        bool is_plain = c > ' ' && c < 0x7f && c != '\\' && c != '"';
        char escape[8];
        if (line->size > end) {
            put_text(line, "...");
            return;
        }
        if (is_plain || (c == ' ' && the_log.as_json))
            put(line, (const char *)&c, 1);
        else
            put(line, escape, (size_t)snprintf(escape, sizeof(escape), the_log.as_json ? "\\\\x%02x" : "\\x%02x", c));
    }
}

/* Writes a member of the object, or the next word. */
static void put_name(struct line *line, const char *name)
{
    if (the_log.as_json) {
        put_text(line, line->size ? ",\"" : "{\"");
        put_text(line, name);
        put_text(line, "\":");
    } else if (line->size) {
        put_text(line, " ");
    }
}

static void put_word(struct line *line, const char *name, struct str value, size_t room)
{
    put_name(line, name);
    if (the_log.as_json)
        put_text(line, "\"");
    put_escaped(line, value.size || the_log.as_json ? value : STR("-"), room);
    if (the_log.as_json)
        put_text(line, "\"");
}

static void put_number(struct line *line, const char *name, unsigned long long value)
{
    char number[24];
    put_name(line, name);
    put(line, number, (size_t)snprintf(number, sizeof(number), "%llu", value));
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

static void put_time(struct line *line, const struct timespec *time)
{
    char text[40];
    struct tm parts;
    gmtime_r(&time->tv_sec, &parts);
    size_t size = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &parts);
    size += (size_t)snprintf(text + size, sizeof(text) - size, ".%06ldZ", time->tv_nsec / 1000);
    put_word(line, "time", (struct str){text, size}, WORD_MAX_SIZE);
}

static void begin_line(struct line *line, const struct arrival *arrival, const char *protocol, struct str path)
{
    line->size = 0;
    put_time(line, &arrival->time);
    put_word(line, "protocol", str_of(protocol), WORD_MAX_SIZE);
    put_word(line, "method", arrival->method, WORD_MAX_SIZE);
    put_word(line, "path", path, PATH_MAX_SIZE);
    put_word(line, "model", arrival->model, WORD_MAX_SIZE);
}

/* Says that lines are lost, once until the log is opened anew. */
static void tell_of_loss(const char *reason)
{
    if (the_log.path && !atomic_exchange(&the_log.loss_is_told, true))
        fprintf(stderr, "oip-reference-server: the log '%s' cannot be written, and lines are lost: %s\n", the_log.path,
                reason);
}

/* A line that cannot be written is lost: a full disk is no reason to serve no more. */
static void end_line(struct line *line, const struct arrival *arrival, size_t sent)
{
    put_number(line, "bytes", sent);
    put_number(line, "microseconds", (unsigned long long)(clock_now() - arrival->began) / 1000);
    put_text(line, the_log.as_json ? "}\n" : "\n");
    ssize_t written = write(the_log.fd, line->text, line->size);
    if (written < (ssize_t)line->size)
        tell_of_loss(written < 0 ? strerror(errno) : "only a part was taken");
}

void log_http_arrive(struct http_request *request)
{
    const struct http_service *service = request->service;
    request->logged =
        arrive(request->arena, request->method, service->model_of ? service->model_of(request->path) : STR(""));
}

void log_http_leave(const struct http_request *request, size_t sent)
{
    const struct arrival *arrival = request->logged;
    struct line line;
    if (!arrival)
        return;
    begin_line(&line, arrival, request->service->listener, request->path);
    put_number(&line, "status", request->delivery == HTTP_SEND ? (unsigned)request->status : 0);
    end_line(&line, arrival, sent);
}

/* The message may be gone before the call is. */
void log_rpc_arrive(struct rpc_call *call)
{
    struct str method = str_of(call->method ? call->method->name : NULL);
    call->logged = arrive(call->arena, method, arena_copy(call->arena, rpc_model(call)));
}

void log_rpc_leave(const struct rpc_call *call, enum status_code code, size_t sent)
{
    const struct arrival *arrival = call->logged;
    struct line line;
    if (!arrival)
        return;
    begin_line(&line, arrival, "grpc", call->path);
    put_word(&line, "status", str_of(status_code_name(code)), WORD_MAX_SIZE);
    end_line(&line, arrival, sent);
}
