/* Starts conformance/tests/null_servers.py for a test, and stops it. Tests run from the root of the project. */
#pragma once

#include "registry.h"
#include "tests/scratch.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct null_server {
    pid_t process;
    char http[64], grpc[64];
    struct client_options options; /* options to reach it: timeout 10 s, answers up to 1 MiB */
};

static inline void null_server_start(struct null_server *server, const char *http_kind, const char *grpc_kind)
{
    int ends[2];
    char line[128] = "", http[32] = "", grpc[32] = "";
    if (pipe(ends) != 0)
        abort();
    server->process = fork();
    if (server->process == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        execl("/usr/bin/python3", "python3", "conformance/tests/null_servers.py", http_kind, grpc_kind, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    FILE *output = fdopen(ends[0], "r");
    if (output == NULL || fgets(line, sizeof line, output) == NULL ||
        sscanf(line, "listening http=%31s grpc=%31s", http, grpc) != 2) {
        fprintf(stderr, "null_servers.py did not start: %s\n", line);
        abort();
    }
    fclose(output);
    snprintf(server->http, sizeof server->http, "http://%s", http);
    snprintf(server->grpc, sizeof server->grpc, "%s", grpc);
    server->options = (struct client_options){.timeout = 10, .max_message = 1 << 20};
    set_address(server->options.addresses, "http", str_of(server->http));
    set_address(server->options.addresses, "grpc", str_of(server->grpc));
}

static inline void null_server_stop(const struct null_server *server)
{
    kill(server->process, SIGKILL);
    waitpid(server->process, NULL, 0);
}

/* Makes one exchange with a server of those kinds, and waits so long for its answer. */
static inline struct answer null_exchange(const char *http_kind, const char *grpc_kind, const struct request *request,
                                          double timeout)
{
    struct null_server server;
    struct answer answer;
    null_server_start(&server, http_kind, grpc_kind);
    server.options.timeout = timeout;
    struct client *client = client_create(&server.options, &arena);
    client_exchange(client, request, NULL, &arena, &answer);
    client_destroy(client);
    null_server_stop(&server);
    return answer;
}
