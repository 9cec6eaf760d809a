#include "report/summary.h"

#include "support/memory.h"
#include "json/writer.h"

struct writing {
    struct buf *out;
    bool first; /* of an object or a list: no comma before the next */
};

static void separate(struct writing *w)
{
    if (!w->first)
        buf_append_byte(w->out, ',');
    buf_append_byte(w->out, '\n');
    w->first = false;
}

static void name(struct writing *w, const char *text)
{
    separate(w);
    json_write_string(w->out, str_of(text));
    buf_append_literal(w->out, ": ");
}

static void text(struct writing *w, const char *member, struct str value)
{
    name(w, member);
    json_write_string(w->out, value);
}

static void text_if_any(struct writing *w, const char *member, struct str value)
{
    if (value.size)
        text(w, member, value);
}

static void number(struct writing *w, const char *member, size_t value)
{
    name(w, member);
    json_write_uint64(w->out, value);
}

static void seconds(struct writing *w, const char *member, double value)
{
    name(w, member);
    buf_printf(w->out, "%.6f", value);
}

static void truth(struct writing *w, const char *member, bool value)
{
    name(w, member);
    buf_printf(w->out, value ? "true" : "false");
}

static void open(struct writing *w, const char *member, char bracket)
{
    if (member)
        name(w, member);
    else
        separate(w);
    buf_append_byte(w->out, bracket);
    w->first = true;
}

static void close(struct writing *w, char bracket)
{
    buf_append_byte(w->out, '\n');
    buf_append_byte(w->out, bracket);
    w->first = false;
}

static void counts(struct writing *w, const size_t *of)
{
    for (int verdict = 0; verdict < VERDICT_COUNT; verdict++)
        number(w, verdict_name((enum verdict)verdict), of[verdict]);
}

static void write_result(struct writing *w, const struct result *result)
{
    const struct assertion *assertion = result->assertion;
    open(w, NULL, '{');
    text(w, "id", assertion->id);
    text(w, "case", assertion->play->group->family->path);
    text(w, "encoding", assertion->play->group->encoding->name);
    text(w, "key", assertion->requirement->key);
    text(w, "level", str_of(level_name(assertion->requirement->level)));
    text(w, "verdict", str_of(verdict_name(result->verdict)));
    text_if_any(w, "observed", result->observed);
    text_if_any(w, "why", result->why);
    text_if_any(w, "expected", result->expected);
    text_if_any(w, "received", result->received);
    text_if_any(w, "command", result->command);
    text_if_any(w, "refused_by", result->refused_by);
    if (result->replay)
        truth(w, "replay", true);
    seconds(w, "seconds", result->seconds);
    close(w, '}');
}

void report_json(const struct report *report, struct buf *out)
{
    struct arena arena = memory_arena();
    struct summary summary = summarize(report, &arena);
    struct writing writing = {.out = out}, *w = &writing;
    buf_append_byte(out, '{');
    w->first = true;
    text(w, "format", STR("oip-conformance-report"));
    number(w, "version", 1);
    text(w, "command", str_of(report->command));
    open(w, "target", '{');
    for (size_t i = 0; i < ENDPOINTS_MAX; i++)
        if (report->addresses[i].at.size)
            text(w, arena_copy(&arena, report->addresses[i].endpoint->name).data, report->addresses[i].at);
    text_if_any(w, "server_name", report->server_name);
    text_if_any(w, "server_version", report->server_version);
    close(w, '}');
    text(w, "conclusion", str_of(summary.conclusion));
    number(w, "exit_code", (size_t)report->exit_code);
    text(w, "reason", report->reason);
    truth(w, "strict", report->strict);
    number(w, "jobs", report->jobs);
    number(w, "seed", report->seed);
    number(w, "planned", report->plan->assertion_count);
    number(w, "judged", run_judged(report->run));
    number(w, "exchanges", report->run->exchanges);
    seconds(w, "seconds", report->run->seconds);
    open(w, "must_rows", '{');
    number(w, "asked", summary.must_rows);
    number(w, "met", summary.must_rows_met);
    close(w, '}');
    open(w, "counts", '{');
    counts(w, summary.totals);
    close(w, '}');
    open(w, "profiles", '{');
    for (size_t i = 0; i < summary.profile_count; i++) {
        open(w, arena_copy(&arena, summary.profiles[i].prefix).data, '{');
        counts(w, summary.profiles[i].counts);
        close(w, '}');
    }
    close(w, '}');
    open(w, "atlas", '[');
    for (size_t i = 0; i < summary.atlas_count; i++) {
        open(w, NULL, '{');
        text(w, "key", summary.atlas[i].requirement->key);
        text(w, "observed", summary.atlas[i].name);
        number(w, "count", summary.atlas[i].count);
        close(w, '}');
    }
    close(w, ']');
    open(w, "not_offered", '[');
    for (size_t i = 0; i < report->plan->not_offered_count; i++) {
        open(w, NULL, '{');
        text(w, "profile", report->plan->not_offered[i].profile->name);
        text(w, "encoding", report->plan->not_offered[i].encoding->name);
        text(w, "why", report->plan->not_offered[i].why);
        close(w, '}');
    }
    close(w, ']');
    open(w, "results", '[');
    for (size_t i = 0; i < report->run->result_count; i++)
        write_result(w, &report->run->results[i]);
    close(w, ']');
    buf_append_literal(out, "\n}\n");
    arena_free(&arena);
}
