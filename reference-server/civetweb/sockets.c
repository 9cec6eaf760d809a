#include "civetweb/sockets.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <time.h>

#define FILES_MAX 1048576 /* as many as Linux lets a process open (fs.nr_open); one of a higher number is not known */

/* By the number of the file. What is noted of a connection stays when it is closed, until its number is given out
 * again, so the system is asked whether the file is still that connection. */
static struct {
    _Atomic socket_ends ends;
    _Atomic int64_t seen;
} accepted[FILES_MAX];
static atomic_int file_count; /* the highest number of them, and 1 */

static socket_ends pack(struct in_addr remote, unsigned remote_port, unsigned own_port)
{
    return (socket_ends)remote.s_addr << 32 | (socket_ends)(remote_port & 0xFFFF) << 16 | (own_port & 0xFFFF);
}

socket_ends socket_ends_of(const struct mg_request_info *info)
{
    struct in_addr remote;
    if (inet_pton(AF_INET, info->remote_addr, &remote) != 1)
        return 0;
    return pack(remote, (unsigned)info->remote_port, (unsigned)info->server_port);
}

/* Returns 0 if the file is no connection. */
static socket_ends ends_of_file(int fd)
{
    struct sockaddr_in peer = {0}, own = {0};
    socklen_t peer_size = sizeof(peer), own_size = sizeof(own);
    if (getpeername(fd, (struct sockaddr *)&peer, &peer_size) != 0 || peer.sin_family != AF_INET ||
        getsockname(fd, (struct sockaddr *)&own, &own_size) != 0)
        return 0;
    return pack(peer.sin_addr, ntohs(peer.sin_port), ntohs(own.sin_port));
}

static void note(int fd)
{
    int count = atomic_load(&file_count);
    atomic_store(&accepted[fd].seen, 0);
    atomic_store(&accepted[fd].ends, ends_of_file(fd));
    while (count <= fd && !atomic_compare_exchange_weak(&file_count, &count, fd + 1))
        ;
}

static bool is_shortage(int fault)
{
    return fault == EMFILE || fault == ENFILE || fault == ENOBUFS || fault == ENOMEM;
}

/* Stands in front of the function of the C library: civetweb calls this one, and again at once if it fails. */
int accept(int listener, __SOCKADDR_ARG address, socklen_t *restrict size)
{
    int fd = accept4(listener, address, size, 0);
    if (fd < 0 && is_shortage(errno)) {
        int fault = errno;
        nanosleep(&(struct timespec){.tv_nsec = 20 * 1000 * 1000}, NULL);
        errno = fault;
    }
    if (fd >= 0 && fd < FILES_MAX)
        note(fd);
    return fd;
}

void sockets_each(void (*take)(void *context, const struct connection_socket *socket), void *context)
{
    for (int fd = 0; fd < atomic_load(&file_count); fd++) {
        socket_ends ends = atomic_load(&accepted[fd].ends);
        if (ends && ends_of_file(fd) == ends)
            take(context, &(struct connection_socket){fd, ends, &accepted[fd].seen});
    }
}

int socket_of(const struct mg_request_info *info)
{
    socket_ends wanted = socket_ends_of(info);
    for (int fd = 0; fd < atomic_load(&file_count) && wanted; fd++)
        if (atomic_load(&accepted[fd].ends) == wanted && ends_of_file(fd) == wanted)
            return fd;
    return -1;
}
