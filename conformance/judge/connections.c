#include "judge/connections.h"

#include "client/tape.h"
#include "client/tcp.h"
#include "plan/request.h"

struct connection {
    struct str name;
    struct tcp *tcp;     /* NULL: a tape plays */
    struct list written; /* struct str: all bytes that were written so far, without headers of the options */
    struct connection *before;
};

/* Returns the connection of that name, which is opened if it is new. */
static struct connection *connection_of(struct connections *connections, const struct play_options *options,
                                        struct str name, struct str address)
{
    for (struct connection *connection = connections->last; connection; connection = connection->before)
        if (str_equal(connection->name, name))
            return connection;
    bool asks = !tape_plays(options->client_options->tape);
    struct tcp *tcp = asks ? tcp_open(options->client_options, address) : NULL;
    struct connection *connection = arena_new_of(options->arena, struct connection);
    *connection = (struct connection){.name = name, .tcp = tcp, .before = connections->last};
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
        list_append(&connection->written, &request->writes[i], options->arena);
    }
    request->write_count = connection->written.count;
    request->writes = arena_alloc_zero(options->arena, request->write_count, sizeof *request->writes);
    for (size_t i = 0; i < request->write_count; i++)
        request->writes[i] = list_str(&connection->written, i);
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
    for (const struct tree *child = tree->first; child; child = child->next)
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
        exchange->fault = status.message.size ? status.message : STR("the bytes could not be built");
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
        exchange->tree = answer_tree(own->group->encoding, own->group->profile, &exchange->request, &exchange->answer,
                                     options->arena, &exchange->trouble);
}

void connections_close(struct connections *connections)
{
    for (; connections->last; connections->last = connections->last->before)
        if (connections->last->tcp)
            tcp_close(connections->last->tcp);
}
