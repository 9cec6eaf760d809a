#include "flags/options.h"

#include "base/search.h"
#include "flags/headers.h"
#include "flags/table.h"
#include "support/expression.h"
#include "support/inside.h"
#include "support/nearest.h"
#include "support/secrets.h"
#include "support/shell.h"

#include <ctype.h>
#include <stdlib.h>
#include <unistd.h>

#define JOBS_MAX   256
#define SHARDS_MAX 1000
#define ROUNDS_MAX 1000
#define TIME_LIMIT 3600 /* seconds of a run */

static const struct flag *find_flag(struct str name, unsigned bit, struct nearest *nearest)
{
    FOR_EACH(flag, table_flags, table_flag_count) {
        if (!(flag->commands & bit))
            continue;
        if (str_is(name, flag->name))
            return flag;
        nearest_try(nearest, str_of(flag->name));
    }
    return NULL;
}

/* Returns the words as a shell takes them, without the program. */
static const char *joined_command_line(const struct values *words, struct arena *arena)
{
    struct buf line = {0};
    buf_append_str(&line, STR("oip-conformance"));
    for (size_t i = 1; i < words->count; i++) {
        buf_append_byte(&line, ' ');
        shell_word(str_of(words->items[i]), &line);
    }
    return arena_take(arena, &line).data;
}

bool options_play_one(const struct options *options)
{
    return table_command(options->command)->bit & ONE_CASE;
}

/* Reads --shard: the number of the part, from 1, and of all parts. Returns whether it is one, or not given. */
static bool read_shard(const char *text, struct selection *selected)
{
    if (!text)
        return true;
    if (!expression_meets(STR("^[0-9]+/[0-9]+$"), str_of(text)))
        return false;
    selected->shard = strtoul(text, NULL, 10);
    selected->shards = strtoul(strchr(text, '/') + 1, NULL, 10);
    if (selected->shard == 0) /* for those who count from 0 */
        selected->shard = selected->shards;
    return selected->shard >= 1 && selected->shard <= selected->shards && selected->shards <= SHARDS_MAX;
}

/* Returns what is wrong with the flags of the command that none of them can tell alone; NULL: nothing. */
static const char *fault_together(struct options *options, unsigned command)
{
    static const char *const conclusions[] = {"interoperable", "conformant", "certified"};
    const char *accept = options->accept;
    size_t operands = options->operands.count;
    bool is_conclusion = !accept || ANY(i, COUNT_OF(conclusions), strcmp(accept, conclusions[i]) == 0);
    bool gives_text = options->sentence || options->units || options->members;
    const struct {
        bool is_broken;
        const char *says;
    } rules[] = {
        {options->flags.jobs == 0 || options->flags.jobs > JOBS_MAX, "--jobs needs a number from 1 to 256"},
        {!options->client.cert != !options->client.key, "--cert and --key must be given together"},
        {options->client.insecure && options->client.ca, "--ca and --insecure cannot be combined"},
        {options->repeat == 0 || options->repeat > ROUNDS_MAX, "--repeat needs a number from 1 to 1000"},
        {options->client.max_message == 0, "--max-message needs a number of bytes above 0"},
        {command & (ONE_TARGET | WATCH) && options->address_count == 0,
         "no server to judge: give --target http://HOST:PORT, --grpc HOST:PORT, --graphpipe http://HOST:PORT, or "
         "several of them"},
        {!is_conclusion, "--accept needs interoperable, conformant or certified"},
        {options->certified && accept && strcmp(accept, "certified") != 0,
         "--certified and --accept name different conclusions"},
        {options->transport && strcmp(options->transport, "must") != 0, "--transport needs the word must"},
        {command == EXPLAIN && operands == 0,
         "explain needs the ID of a case, the key of a requirement or the name of a deviation; "
         "`oip-conformance list` shows IDs and keys"},
        {command & ONE_CASE && operands == 0,
         "replay, walk and shrink need the ID of a case, which a report or `oip-conformance list` shows"},
        {options->rerun && options->selected.filters.count,
         "--rerun and --filter cannot be combined, because both choose the cases"},
        {command == MATRIX && operands == 0, "matrix needs at least one report that a run wrote with --json"},
        {command & (VERIFY | REJUDGE | MERGE) && operands == 0,
         "verify, rejudge and merge need reports of runs that had --json and --record"},
        {!read_shard(options->shard, &options->selected),
         "--shard needs I/N, the I-th of N parts, such as 1/4; N is at most 1000"},
        {command == DIFF && operands != 2, "diff needs two reports, OLD and NEW, that runs wrote with --json"},
        {command == COMPARE && operands != 2,
         "compare needs two targets, such as http://HOST:PORT,grpc://HOST:PORT http://HOST:PORT"},
        {command == SPEC_CHECK && operands == 0 && !gives_text,
         "spec-check needs the file of an edition of a document, or --sentence 'TEXT'"},
    };
    return FIRST(i, COUNT_OF(rules), rules[i].is_broken, rules[i].says, NULL);
}

static struct status check_together(struct options *options, unsigned command, struct arena *arena)
{
    const char *fault = fault_together(options, command);
    return fault ? status_invalid(arena, "%s", fault) : STATUS_IS_OK;
}

/* Returns the fixtures that are used unless others are named: "fixtures" in the current folder, else beside the folder
 * in which the program lies, else where `make install` puts them, else those inside the program. */
static const char *default_fixtures(struct arena *arena)
{
    char program[4096];
    ssize_t size = readlink("/proc/self/exe", program, sizeof(program));
    for (int up = 0; up < 2; up++)
        while (size > 0 && program[--size] != '/') {
        }
    const char *beside = arena_printf(arena, "%.*s", size > 0 ? (int)size : 0, program).data;
    const char *const places[] = {"fixtures", arena_printf(arena, "%s/fixtures", beside).data,
                                  arena_printf(arena, "%s/share/oip-conformance/fixtures", beside).data};
    return FIRST(i, COUNT_OF(places), access(arena_printf(arena, "%s/encodings.json", places[i]).data, F_OK) == 0,
                 places[i], INSIDE);
}

/* --- Reading --- */

/* The words of the command line that are still to be read. */
struct command_line {
    char **next, **end;
    const struct command *command;
    struct options *options;
    struct arena *arena;
};

static struct status read_command(struct command_line *reading)
{
    const char *name = *reading->next++;
    reading->command = table_command(name);
    if (reading->command) {
        reading->options->command = reading->command->name;
        reading->options->time_limit = reading->command->bit & (RUN | REPLAY | COMPARE | SHRINK) ? TIME_LIMIT : 0;
        return STATUS_IS_OK;
    }
    struct nearest nearest = {.word = str_of(name)};
    FOR_EACH(row, table_commands, table_command_count)
        nearest_try(&nearest, str_of(row->name));
    return status_invalid(
        reading->arena, "there is no command '%s'; %s", str_printable(reading->arena, str_of(name)),
        nearest_hint(&nearest, 1, "`oip-conformance --help` lists the commands", reading->arena).data);
}

/* Whether a word that is no flag may be a header without its flag, or a part of one that was not quoted. */
static bool may_be_of_header(const struct command_line *reading, const char *word)
{
    return reading->options->client.headers.count || strstr(word, ": ");
}

static struct status read_operand(struct command_line *reading)
{
    struct values *operands = &reading->options->operands;
    const char *operand = *reading->next++;
    bool is_many = operands->count == reading->command->operand_max;
    if (is_many && may_be_of_header(reading, operand))
        return status_invalid(reading->arena,
                              "%s does not take the argument '" SECRET_HIDDEN
                              "'; put quotes around a header: --header 'NAME: VALUE'",
                              reading->command->name);
    if (is_many)
        return status_invalid(reading->arena, "%s does not take the argument '%s'", reading->command->name,
                              str_printable(reading->arena, shown_operand(operand, reading->arena)));
    values_add(operands, operand, reading->arena);
    return STATUS_IS_OK;
}

/* Returns the name of a flag that is not known as far as it can be one. The rest may be a secret, and so may a word
 * with one dash after a header that was not quoted. */
static const char *shown_name(const struct command_line *reading, struct str name)
{
    size_t size = 0;
    if (!str_starts(name, STR("--")) && may_be_of_header(reading, name.data))
        return SECRET_HIDDEN;
    while (size < name.size && (isalnum((unsigned char)name.data[size]) || strchr("-_", name.data[size])))
        size++;
    return arena_printf(reading->arena, "%.*s%s", (int)size, name.data, size < name.size ? SECRET_HIDDEN : "").data;
}

/* Reads a flag and its value, which follows "=" or is the next word. */
static struct status read_flag(struct command_line *reading)
{
    const char *word = *reading->next++;
    struct str name = {word, strcspn(word, "=")};
    const char *value = word[name.size] == '=' ? word + name.size + 1 : NULL;
    struct nearest nearest = {.word = name};
    const struct flag *flag = find_flag(name, reading->command->bit, &nearest);
    if (!flag)
        return status_invalid(
            reading->arena, "%s has no flag %s; %s", reading->command->name, shown_name(reading, name),
            nearest_hint(&nearest, 1, "`--help` after the command lists its flags", reading->arena).data);
    if (!flag->value && value)
        return status_invalid(reading->arena, "%s takes no value", flag->name);
    if (flag->value && !value) {
        if (reading->next == reading->end || strncmp(*reading->next, "--", 2) == 0)
            return status_invalid(reading->arena, "%s needs a value: %s", flag->name, flag->value);
        value = *reading->next++;
    }
    return flag_set(flag, value, reading->options, reading->arena);
}

/* Returns the options of a command without flags. */
static struct options defaults(struct arena *arena)
{
    return (struct options){.command = "",
                            .flags.jobs = 8,
                            .flags.models_max = 16,
                            .flags.seed = 1,
                            .repeat = 1,
                            .max_requests = 500,
                            .max_time = 60,
                            .client.timeout = 10,
                            .flags.load_timeout = 120,
                            .client.max_message = (size_t)256 << 20,
                            .fixtures = default_fixtures(arena)};
}

struct status options_read(int argc, char **argv, struct arena *arena, struct options *options)
{
    *options = defaults(arena);
    options->program = argc > 0 ? argv[0] : "oip-conformance";
    shown_words(argc, argv, &options->words, arena);
    options->command_line = joined_command_line(&options->words, arena);
    if (argc < 2)
        return status_invalid(arena, "no command was given; `oip-conformance --help` lists the commands");
    options->help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0;
    options->version = strcmp(argv[1], "--version") == 0;
    if (options->help || options->version)
        return STATUS_IS_OK;
    struct command_line reading = {.next = argv + 1, .end = argv + argc, .options = options, .arena = arena};
    struct status status = read_command(&reading);
    while (is_ok(status) && reading.next < reading.end)
        status = **reading.next == '-' ? read_flag(&reading) : read_operand(&reading);
    if (!is_ok(status) || options->help || options->version)
        return status;
    return check_together(options, reading.command->bit, arena);
}

struct str options_decisive(const struct options *options, struct arena *arena)
{
    struct buf out = {0};
    const struct options without = defaults(arena);
    FOR_EACH(flag, table_flags, table_flag_count)
        if (flag->commands & DECISIVE)
            flag_write(flag, options, &without, &out);
    return arena_take(arena, &out);
}
