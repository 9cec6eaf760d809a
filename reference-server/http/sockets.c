#include "http/sockets.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

static http_ends pack(struct in_addr remote, unsigned remote_port, unsigned own_port)
{
    return (http_ends)remote.s_addr << 32 | (http_ends)(remote_port & 0xFFFF) << 16 | (own_port & 0xFFFF);
}

http_ends http_ends_of(const struct mg_request_info *info)
{
    struct in_addr remote;
    if (inet_pton(AF_INET, info->remote_addr, &remote) != 1)
        return 0;
    return pack(remote, (unsigned)info->remote_port, (unsigned)info->server_port);
}

/* Returns 0 if the file is no connection. */
static http_ends ends_of_socket(int fd)
{
    struct sockaddr_in peer = {0}, own = {0};
    socklen_t peer_size = sizeof(peer), own_size = sizeof(own);
    if (getpeername(fd, (struct sockaddr *)&peer, &peer_size) != 0 || peer.sin_family != AF_INET ||
        getsockname(fd, (struct sockaddr *)&own, &own_size) != 0)
        return 0;
    return pack(peer.sin_addr, ntohs(peer.sin_port), ntohs(own.sin_port));
}

void http_each_socket(bool (*take)(void *context, int fd, http_ends ends), void *context)
{
    DIR *open_files = opendir("/proc/self/fd");
    if (!open_files)
        return;
    bool goes_on = true;
    for (struct dirent *entry; goes_on && (entry = readdir(open_files));) {
        int fd = (int)strtol(entry->d_name, NULL, 10);
        http_ends ends = fd > 2 ? ends_of_socket(fd) : 0;
        goes_on = !ends || take(context, fd, ends);
    }
    closedir(open_files);
}

struct search {
    http_ends wanted;
    int found;
};

static bool is_not_wanted(void *context, int fd, http_ends ends)
{
    struct search *search = context;
    if (ends != search->wanted)
        return true;
    search->found = fd;
    return false;
}

int http_find_socket(const struct mg_request_info *info)
{
    struct search search = {.wanted = http_ends_of(info), .found = -1};
    if (search.wanted)
        http_each_socket(is_not_wanted, &search);
    return search.found;
}
