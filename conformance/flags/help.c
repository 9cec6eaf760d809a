
#include "base/search.h"
#include "flags/table.h"
#include "support/wrap.h"

#define COLUMN 26 /* where a line begins to say what a command or flag is for */

/* Appends a name, and after it what it is for. */
static void append_row(struct buf *out, struct str name, const char *says)
{
    buf_printf(out, "  %-*.*s", COLUMN - 2, STR_ARG(name));
    append_wrapped(out, str_of(says), COLUMN);
    buf_append_byte(out, '\n');
}

/* Appends what begins the help of a command, or, of NULL, that of the program. */
static void append_usage(struct buf *out, const struct command *command)
{
    if (command) {
        buf_printf(out, "oip-conformance %s%s%s\n  %s\n\n", command->name, *command->operands ? " " : "",
                   command->operands, command->says);
        return;
    }
    buf_printf(out, "oip-conformance COMMAND [FLAGS]\n  judges whether an inference server implements the Open "
                    "Inference Protocol\n\n");
    FOR_EACH(row, table_commands, table_command_count)
        append_row(out, str_of(row->name), row->says);
    buf_printf(out, "\nFlags of a command: oip-conformance COMMAND --help\n");
}

struct str help_of(const char *name, struct arena *arena)
{
    struct buf out = {0};
    const struct command *command = table_command(name);
    append_usage(&out, command);
    FOR_EACH(flag, table_flags, command ? table_flag_count : 0) {
        if (flag->commands & command->bit)
            append_row(
                &out, arena_printf(arena, "%s%s%s", flag->name, flag->value ? " " : "", flag->value ? flag->value : ""),
                flag->says);
    }
    const char *exit_codes = (command ? command : table_command("run"))->exit_codes;
    if (exit_codes) {
        buf_append_byte(&out, '\n');
        append_wrapped(&out, str_of(exit_codes), 0);
        buf_append_byte(&out, '\n');
    }
    return arena_take(arena, &out);
}
