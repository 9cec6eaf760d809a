#include "judge/history.h"

/* Whether the last request was of another play. */
static bool is_another(const struct history *history, const struct play *play)
{
    return history->count == 0 || history->plays[history->count - 1]->index != play->index;
}

/* Whether the request had a connection of its own. */
static bool has_own_connection(const struct request *request)
{
    return request->framed || request->http2_raw;
}

void history_note(struct history *history, const struct play *play, const struct request *request,
                  const struct answer *answer)
{
    if (has_own_connection(request))
        return;
    if (!answer->reused)
        history->count = 0;
    if (!is_another(history, play))
        return;
    if (history->count == HISTORY_MAX) {
        history->count--;
        memmove(history->plays, history->plays + 1, history->count * sizeof(history->plays[0]));
    }
    history->plays[history->count++] = play;
}

bool history_has_others(const struct history *history, const struct play *play, const struct exchange *exchange)
{
    return !has_own_connection(&exchange->request) && !is_another(history, play) && exchange->answer.reused;
}
