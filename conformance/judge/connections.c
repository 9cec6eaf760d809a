#include "judge/connections.h"

#include "base/search.h"
#include "client/tape.h"
#include "client/tcp.h"
#include "plan/request.h"

struct connection {
    struct str name;
    struct tcp *tcp;     /* NULL: a tape plays */
    struct str *written; /* all bytes that were written so far, without headers of the options */
    size_t count;
    struct connection *next;
};

/* Returns the connection of that name, which is opened if it is new. */
static struct connection *connection_of(struct connections *connections, const struct play_options *options,
                                        struct str name, struct str address)
{
    struct connection *connection = FIND_IN(one, connections->last, str_equal(one->name, name));
    if (connection)
        return connection;
    bool asks = !tape_plays(options->client_options->tape);
    struct tcp *tcp = asks ? tcp_open(options->client_options, address) : NULL;
    connection = arena_new_of(options->arena, struct connection);
    *connection = (struct connection){.name = name, .tcp = tcp, .next = connections->last};
    connections->last = connection;
    return connection;
}

/* Writes the bytes of the exchange, and makes all bytes of the connection so far its request. */
static void write_all(struct connection *connection, const struct play_options *options, struct exchange *exchange)
{
    struct request *request = &exchange->request;
    for (size_t i = 0; i < request->write_count; i++) {
        if (connection->tcp)
            tcp_write(connection->tcp,
                      tcp_with_headers(request->writes[i], options->client_options, options->extra, options->arena));
        *array_add(connection->written, connection->count, options->arena) = request->writes[i];
    }
    request->write_count = connection->count;
    request->writes = connection->written;
}

/* Collects what an expectation needs to see on the connection. */
static void add_wanted(const struct tree *tree, struct tcp_wanted *wanted)
{
    int64_t status;
    const struct tree *named = tree_member(tree, "status"), *closed = tree_member(tree, "closed");
    if (closed && closed->type != TREE_BOOL)
        closed = NULL; /* `closed` is the name of an observation here */
    const struct tree *range = tree_member(named, "$range");
    wanted->interim |= named && tree_to_int64(range ? range->first : named, &status) && status < 200;
    wanted->closed |= closed != NULL;
    wanted->end |= closed && tree->count > 1;
    FOR_EACH_IN(child, tree->first)
        add_wanted(child, wanted);
}

static struct tcp_wanted wanted_of(const struct play *own)
{
    struct tcp_wanted wanted = {0};
    for (size_t i = 0; i < own->assertion_count; i++)
        add_wanted(own->assertions[i].observation, &wanted);
    return wanted;
}

void connections_step(struct connections *connections, const struct play_options *options, const struct step *step,
                      const struct play *own, struct exchange *exchange, struct request *sent)
{
    struct str address = client_address(options->client_options, own->group->profile->endpoint);
    *exchange = (struct exchange){.answer.outcome = OUTCOME_ANSWERED}; /* a write alone has no answer */
    struct status status = play_request(own, options->run->target, options->arena, &exchange->request);
    if (!is_ok(status)) {
        exchange->fault = status.message;
        return;
    }
    struct connection *connection = connection_of(connections, options, step->conn, address);
    *sent = exchange->request;
    write_all(connection, options, exchange);
    if (step->half_close && connection->tcp)
        tcp_half_close(connection->tcp);
    if (!own->assertion_count)
        return;
    struct tcp_wanted wanted = wanted_of(own);
    struct str name = play_on_tape(options, own);
    if (connection->tcp) {
        tcp_read(connection->tcp, &wanted, options->arena, &exchange->answer);
        tape_note(options->client_options->tape, name, &exchange->request, &exchange->answer);
    } else {
        tape_answer(options->client_options->tape, name, &exchange->request, options->arena, &exchange->answer);
    }
    connections->again |= limit_asks_again(connections->limit, &exchange->answer, options->arena);
    if (exchange->answer.outcome == OUTCOME_ANSWERED)
        exchange_decode(own->group, exchange, options->arena);
}

void connections_close(struct connections *connections)
{
    for (; connections->last; connections->last = connections->last->next)
        if (connections->last->tcp)
            tcp_close(connections->last->tcp);
}
