#include "mutation/process.h"

#include "support/seconds.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#define LINE_MAX_BYTES 4096
#define STARTS_WITHIN  30.0 /* seconds */
#define ENDS_WITHIN    5.0  /* seconds that a server gets to end */

static atomic_int running; /* process group of the server that runs; there is one at a time. 0: none */

/* Starts the command. Its standard output is our pipe. It leads a process group, which can be ended as a whole. */
static bool spawn(const char *command, int output, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    char *const arguments[] = {"sh", "-c", strdup(command), NULL};
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
    bool spawned = arguments[2] && posix_spawn(pid, "/bin/sh", &actions, &attributes, arguments, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    free(arguments[2]);
    return spawned;
}

/* Returns the text after `name`, up to a blank. */
static struct str value_of(struct str line, const char *name, struct arena *arena)
{
    const char *at = memmem(line.data, line.size, name, strlen(name));
    struct str value = at ? str_from(line, (size_t)(at - line.data) + strlen(name)) : (struct str){0};
    return arena_copy(arena, str_until(value, " \t\r\n"));
}

/* Reads " http=A:P grpc=A:P". False if the line names no endpoint. */
static bool take_addresses(struct str line, const struct registry *registry, struct arena *arena,
                           struct process *process)
{
    bool any = false;
    for (size_t i = 0; i < registry->endpoint_count; i++) {
        const struct endpoint *endpoint = &registry->endpoints[i];
        struct str at = value_of(line, arena_printf(arena, " %.*s=", STR_ARG(endpoint->name)).data, arena);
        if (at.size && endpoint->transport == TRANSPORT_HTTP)
            at = arena_printf(arena, "http://%.*s", STR_ARG(at));
        process->addresses[i] = (struct address){endpoint, at};
        any = any || at.size;
    }
    return any;
}

/* Reads output until the whole line "listening ..." has come. */
static bool read_addresses(int input, double until, const struct registry *registry, struct arena *arena,
                           struct process *process)
{
    char text[LINE_MAX_BYTES];
    size_t size = 0;
    for (;;) {
        struct pollfd poller = {.fd = input, .events = POLLIN};
        double left = until - seconds_now();
        ssize_t got = left > 0 && poll(&poller, 1, (int)(left * 1000) + 1) > 0
                          ? read(input, text + size, sizeof(text) - size)
                          : 0;
        if (got <= 0)
            return false;
        size += (size_t)got;
        const char *line = memmem(text, size, "listening ", 10);
        const char *end = line ? memchr(line, '\n', size - (size_t)(line - text)) : NULL;
        if (end) {
            struct str found = {line, (size_t)(end - line)};
            return take_addresses(found, registry, arena, process);
        }
        if (size == sizeof(text))
            size = 0; /* other output fills the buffer: it is dropped */
    }
}

struct status process_start(const char *command, struct str deviation, const struct registry *registry,
                            struct arena *arena, struct process *process)
{
    int ends[2];
    *process = (struct process){0};
    struct str whole = arena_printf(arena, "exec %s --deviate %.*s", command, STR_ARG(deviation));
    if (pipe2(ends, O_CLOEXEC) != 0)
        return status_error(arena, STATUS_UNAVAILABLE, "no pipe could be made");
    bool spawned = spawn(whole.data, ends[1], &process->pid);
    close(ends[1]);
    running = spawned ? process->pid : 0;
    bool listens = spawned && read_addresses(ends[0], seconds_now() + STARTS_WITHIN, registry, arena, process);
    close(ends[0]);
    if (listens)
        return STATUS_IS_OK;
    if (spawned)
        process_stop(process);
    return status_error(arena, STATUS_UNAVAILABLE, "'%s' did not start: no line 'listening http=A:P grpc=A:P'",
                        whole.data);
}

void process_stop(struct process *process)
{
    double until = seconds_now() + ENDS_WITHIN;
    if (process->pid <= 0)
        return;
    kill(-process->pid, SIGTERM);
    while (waitpid(process->pid, NULL, WNOHANG) == 0 && seconds_now() < until)
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    if (seconds_now() >= until) {
        kill(-process->pid, SIGKILL);
        waitpid(process->pid, NULL, 0);
    }
    running = process->pid = 0;
}

void processes_kill(void)
{
    if (running > 0)
        kill(-running, SIGKILL);
}
