/* The kinds of values that flags have: what each of them must be, and where it goes in the options. */
#include "flags/flag.h"

#include "base/search.h"
#include "flags/headers.h"
#include "support/shell.h"

#include <stdlib.h>

/* --- What a value must be --- */

static bool is_port(struct str text)
{
    unsigned long long port;
    return str_to_uint64(text, &port) && port <= 65535;
}

/* Returns "http://h:8000" for "http://h:8000//". Empty: it is no http(s) URL with a host and a possible port. */
static struct str base_url(const char *text)
{
    struct str url = str_of(text);
    while (url.size && url.data[url.size - 1] == '/')
        url.size--;
    size_t scheme = str_starts(url, STR("http://")) ? 7 : str_starts(url, STR("https://")) ? 8 : 0;
    if (scheme == 0 || url.size == scheme || strpbrk(text + scheme, "@?# \t"))
        return (struct str){0};
    const char *host = text + scheme, *ipv6_end = *host == '[' ? strchr(host, ']') : NULL;
    const char *colon = strchr(ipv6_end ? ipv6_end : host, ':');
    size_t digits = colon ? strcspn(colon + 1, "/") : 0;
    if (colon == host || *host == '/' || (digits && !is_port((struct str){colon + 1, digits})))
        return (struct str){0};
    return url;
}

/* Whether the text is a host, a colon and a port: "127.0.0.1:8001", "[::1]:8001". */
static bool is_host_and_port(const char *text)
{
    const char *colon = strrchr(text, ':');
    return colon && colon != text && !strstr(text, "://") && !strpbrk(text, "@/ \t") && is_port(str_of(colon + 1));
}

/* Whether the text is an address of gRPC, with or without a scheme. */
static bool is_address(const char *text)
{
    static const struct str schemes[] = {{"grpc://", 7}, {"grpcs://", 8}};
    return FIRST(i, COUNT_OF(schemes), str_starts(str_of(text), schemes[i]), is_host_and_port(text + schemes[i].size),
                 is_host_and_port(text));
}

/* The flags that give addresses, and the names of their endpoints in fixtures/encodings.json. */
static const struct {
    const char *flag, *endpoint;
} endpoint_flags[] = {{"--target", "http"}, {"--grpc", "grpc"}, {"--graphpipe", "graphpipe"}, {"--metrics", "metrics"}};

/* Returns the row of the endpoint whose name stands before "://", perhaps with an "s" for TLS; else the first, HTTP. */
static size_t row_of_url(const char *text)
{
    const char *colon = strstr(text, "://");
    struct str scheme = {text, colon ? (size_t)(colon - text) : 0};
    for (size_t i = 1; colon && i < COUNT_OF(endpoint_flags); i++) {
        struct str name = str_of(endpoint_flags[i].endpoint);
        struct str rest = str_starts(scheme, name) ? str_from(scheme, name.size) : scheme;
        if (rest.size == 0 || str_is(rest, "s"))
            return i;
    }
    return 0;
}

/* Whether the text is "http://HOST:PORT", or another endpoint, perhaps with an "s" for TLS, "://" and HOST:PORT. */
static bool is_state_url(const char *text)
{
    return row_of_url(text) ? is_host_and_port(strstr(text, "://") + 3) : base_url(text).size > 0;
}

static bool is_text(const char *value)
{
    return *value != '\0';
}

static bool is_list(const char *value)
{
    return value[strspn(value, ",")] != '\0';
}

static bool is_pair(const char *value)
{
    const char *equals = strchr(value, '=');
    return equals && equals != value && equals[1];
}

static bool is_state(const char *value)
{
    return is_pair(value) && is_state_url(strchr(value, '=') + 1);
}

static bool is_url(const char *value)
{
    return base_url(value).size > 0;
}

static bool is_count(const char *value)
{
    unsigned long long number;
    return str_to_uint64(str_of(value), &number) && number <= SIZE_MAX / 2;
}

static bool is_seconds(const char *value)
{
    char *end;
    double seconds = strtod(value, &end);
    return end != value && !*end && seconds >= 0.001 && seconds <= 86400;
}

/* --- Where a value goes --- */

/* What a setter gets. The value is of the flag's kind; that of a switch is NULL. */
struct setting {
    struct options *options;
    const struct flag *flag;
    const char *value;
    struct arena *arena;
};

static void *member_of(const struct setting *setting)
{
    return (char *)setting->options + setting->flag->offset;
}

static void set_switch(const struct setting *setting)
{
    *(bool *)member_of(setting) = true;
}

static void set_text(const struct setting *setting)
{
    *(const char **)member_of(setting) = setting->value;
}

static void set_count(const struct setting *setting)
{
    *(size_t *)member_of(setting) = strtoull(setting->value, NULL, 10);
}

static void set_seconds(const struct setting *setting)
{
    *(double *)member_of(setting) = strtod(setting->value, NULL);
}

static void add_value(const struct setting *setting)
{
    values_add(member_of(setting), setting->value, setting->arena);
}

static void add_list(const struct setting *setting)
{
    for (const char *at = setting->value; *at;) {
        size_t size = strcspn(at, ",");
        if (size)
            values_add(member_of(setting), arena_copy(setting->arena, (struct str){at, size}).data, setting->arena);
        at += size + (at[size] == ',');
    }
}

static const char *endpoint_of(const struct flag *flag)
{
    return FIND(endpoint_flags, i, COUNT_OF(endpoint_flags), str_is(str_of(flag->name), endpoint_flags[i].flag))
        ->endpoint;
}

/* Sets the address of an endpoint; the last one that is given counts. */
static void set_address_of(struct options *options, const char *endpoint, struct str at)
{
    size_t i = 0;
    while (i < options->address_count && strcmp(options->addresses[i].endpoint, endpoint) != 0)
        i++;
    options->addresses[i] = (struct option_address){endpoint, at};
    options->address_count += i == options->address_count;
}

static void set_address(const struct setting *setting)
{
    bool is_url = setting->flag->kind == FLAG_URL;
    set_address_of(setting->options, endpoint_of(setting->flag),
                   is_url ? base_url(setting->value) : str_of(setting->value));
}

/* --- How a value is typed --- */

/* What a writer gets: the options, and those without the flag. */
struct help_writing {
    const struct flag *flag;
    const struct options *options, *without;
    struct buf *out;
};

static const void *value_in(const struct options *options, const struct flag *flag)
{
    return (const char *)options + flag->offset;
}

static void write_flag(const struct help_writing *writing, struct str value)
{
    bool looks_like_a_flag = str_starts(value, STR("--"));
    buf_printf(writing->out, " %s%c", writing->flag->name, looks_like_a_flag ? '=' : ' ');
    shell_word(value, writing->out);
}

static void write_switch(const struct help_writing *writing)
{
    if (*(const bool *)value_in(writing->options, writing->flag))
        buf_printf(writing->out, " %s", writing->flag->name);
}

static void write_text(const struct help_writing *writing)
{
    const char *text = *(const char *const *)value_in(writing->options, writing->flag);
    const char *usual = *(const char *const *)value_in(writing->without, writing->flag);
    if (text && (!usual || strcmp(text, usual) != 0))
        write_flag(writing, str_of(text));
}

static void write_each(const struct help_writing *writing)
{
    const struct values *values = value_in(writing->options, writing->flag);
    for (size_t i = 0; i < values->count; i++)
        write_flag(writing, str_of(values->items[i]));
}

static void write_list(const struct help_writing *writing)
{
    const struct values *values = value_in(writing->options, writing->flag);
    struct buf list = {0};
    for (size_t i = 0; i < values->count; i++)
        buf_printf(&list, "%s%s", i ? "," : "", values->items[i]);
    if (list.size)
        write_flag(writing, buf_str(&list));
    buf_free(&list);
}

static void write_hidden(const struct help_writing *writing)
{
    const struct values *values = value_in(writing->options, writing->flag);
    for (size_t i = 0; i < values->count; i++) {
        struct buf line = {0};
        buf_append_str(&line, header_of_line(values->items[i]).name);
        buf_append_literal(&line, ": " SECRET_HIDDEN);
        buf_printf(writing->out, " %s ", writing->flag->name);
        shell_word(buf_str(&line), writing->out);
        buf_free(&line);
    }
}

static void write_address(const struct help_writing *writing)
{
    const struct options *options = writing->options;
    const char *endpoint = endpoint_of(writing->flag);
    for (size_t i = 0; i < options->address_count; i++)
        if (strcmp(options->addresses[i].endpoint, endpoint) == 0)
            write_flag(writing, options->addresses[i].at);
}

static void write_count(const struct help_writing *writing)
{
    size_t count = *(const size_t *)value_in(writing->options, writing->flag);
    if (count != *(const size_t *)value_in(writing->without, writing->flag))
        buf_printf(writing->out, " %s %zu", writing->flag->name, count);
}

static void write_seconds(const struct help_writing *writing)
{
    double seconds = *(const double *)value_in(writing->options, writing->flag);
    if (seconds != *(const double *)value_in(writing->without, writing->flag))
        buf_printf(writing->out, " %s %g", writing->flag->name, seconds);
}

/* --- The kinds --- */

static const struct {
    bool (*is)(const char *value);
    void (*set)(const struct setting *setting);
    void (*write)(const struct help_writing *writing);
    const char *needs; /* how a person is told what it must be; NULL: as the help shows the value */
} kinds[] = {
    [FLAG_SWITCH] = {NULL, set_switch, write_switch, NULL},
    [FLAG_TEXT] = {is_text, set_text, write_text, NULL},
    [FLAG_EACH] = {is_text, add_value, write_each, NULL},
    [FLAG_LIST] = {is_list, add_list, write_list, NULL},
    [FLAG_PAIR] = {is_pair, add_value, write_each, NULL},
    [FLAG_STATE] = {is_state, add_value, write_each,
                    "NAME=http://HOST:PORT, NAME=grpc://HOST:PORT or NAME=graphpipe://HOST:PORT"},
    [FLAG_HEADER] = {.write = write_hidden},
    [FLAG_URL] = {is_url, set_address, write_address, "a URL such as http://127.0.0.1:8000"},
    [FLAG_ADDRESS] = {is_address, set_address, write_address,
                      "an address such as 127.0.0.1:8001, over TLS grpcs://HOST:PORT"},
    [FLAG_COUNT] = {is_count, set_count, write_count, "a whole number"},
    [FLAG_SECONDS] = {is_seconds, set_seconds, write_seconds, "a number of seconds from 0.001 to 86400"},
};

/* Refuses a value. The message hides credentials in an address. */
static struct status refuse(const struct flag *flag, const char *value, struct arena *arena)
{
    const char *needs = kinds[flag->kind].needs ? kinds[flag->kind].needs : flag->value;
    bool address = flag->kind == FLAG_URL || flag->kind == FLAG_ADDRESS || flag->kind == FLAG_STATE;
    struct str told = address ? shown_address(value, arena) : str_of(value);
    return status_invalid(arena, "%s needs %s, not '%s'%s", flag->name, needs, str_printable(arena, told),
                          address && strchr(value, '@') ? "; credentials are given by --header" : "");
}

struct status flag_set(const struct flag *flag, const char *value, struct options *options, struct arena *arena)
{
    if (flag->kind == FLAG_HEADER)
        return headers_add(value, &options->client.headers, arena);
    if (kinds[flag->kind].is && !kinds[flag->kind].is(value))
        return refuse(flag, value, arena);
    kinds[flag->kind].set(&(struct setting){options, flag, value, arena});
    return STATUS_IS_OK;
}

struct status flag_set_address(const char *url, struct options *options, struct arena *arena)
{
    if (!is_state_url(url))
        return status_invalid(arena, "an address is http://HOST:PORT, or grpc://HOST:PORT");
    const char *endpoint = endpoint_flags[row_of_url(url)].endpoint, *rest = strstr(url, "://");
    bool is_secure = rest[-1] == 's', is_url = strcmp(endpoint, "http") == 0;
    struct str at = is_url ? base_url(url) : str_of(url);
    if (!is_url && strcmp(endpoint, "grpc") != 0) /* the others are spoken over HTTP */
        at = arena_printf(arena, "http%s%s", is_secure ? "s" : "", rest);
    set_address_of(options, endpoint, at);
    return STATUS_IS_OK;
}

void flag_write(const struct flag *flag, const struct options *options, const struct options *without, struct buf *out)
{
    kinds[flag->kind].write(&(struct help_writing){flag, options, without, out});
}
