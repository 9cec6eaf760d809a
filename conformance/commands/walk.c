#include "commands/walk.h"

#include "judge/describe.h"
#include "judge/exchange.h"
#include "judge/transcript.h"
#include "support/printable.h"
#include "support/wrap.h"
#include "targets/interruption.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define INDENT    16
#define TEXT_MOST 2000 /* bytes of a text that are printed */
#define LOOK_MS   200  /* how often a signal is looked for while Enter is waited for */

static pthread_mutex_t one_at_a_time =
    PTHREAD_MUTEX_INITIALIZER; /* requests that are sent together come from threads */

static void append_member(struct buf *out, const char *label, struct str text)
{
    struct buf printable = {0};
    append_printable(&printable, text, TEXT_MOST);
    buf_printf(out, "%-*s", INDENT, label);
    append_wrapped(out, buf_str(&printable), INDENT);
    buf_append_byte(out, '\n');
    buf_free(&printable);
}

static void append_verdict(const struct walk *walk, const struct result *result, struct arena *arena, struct buf *out)
{
    const struct requirement *row = result->assertion->requirement;
    struct str expected = describe_expected(result->assertion, result->assertion->play->group->profile, arena);
    append_member(
        out, verdict_name(result->verdict),
        arena_printf(arena, "%.*s (%s): %.*s", STR_ARG(row->key), level_name(row->level), STR_ARG(row->says)));
    append_member(out, "  expected", expected);
    if (result->why.size)
        append_member(out, "  because", secrets_hide(walk->target->client.secrets, result->why, arena));
}

/* Waits until a line was typed, or the input ends, or a signal came. */
static void wait_for_enter(void)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    char typed[256];
    if (!isatty(STDIN_FILENO))
        return;
    printf("Press Enter to go on. ");
    fflush(stdout);
    while (!interruption_came())
        if (poll(&in, 1, LOOK_MS) > 0) {
            ssize_t size = read(STDIN_FILENO, typed, sizeof typed);
            if (size <= 0 || memchr(typed, '\n', (size_t)size))
                return;
        }
}

void walk_exchange(void *context, const struct play *play, const struct exchange *exchange,
                   const struct result *results)
{
    struct walk *walk = context;
    struct arena arena = memory_arena();
    struct buf text = {0};
    pthread_mutex_lock(&one_at_a_time);
    buf_printf(&text, "\n%zu. ", ++walk->exchanges);
    append_printable(&text, secrets_hide(walk->target->client.secrets, play->id, &arena), TEXT_MOST);
    buf_append_byte(&text, '\n');
    append_member(&text, "", play->says);
    transcript_teach(&walk->target->client, play, exchange, &arena, &text);
    buf_append_byte(&text, '\n');
    for (size_t i = 0; results && i < play->assertion_count; i++)
        append_verdict(walk, &results[i], &arena, &text);
    fwrite(text.data, 1, text.size, stdout);
    wait_for_enter();
    pthread_mutex_unlock(&one_at_a_time);
    buf_free(&text);
    arena_free(&arena);
}
