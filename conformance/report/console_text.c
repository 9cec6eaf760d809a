/* Text on a screen: lines that fit, and colours. */
#include "report/console.h"

#include "support/wrap.h"

void console_paint(struct console *console, const char *sequence)
{
    if (console->colour)
        buf_printf(console->out, "\033[%sm", sequence);
}

void console_text(struct console *console, struct str text, size_t indent)
{
    append_wrapped_printable(console->out, text, CONSOLE_TEXT, indent);
}

void console_paragraph(struct console *console, struct str text, size_t indent)
{
    if (!text.size)
        return;
    bool apart = text.data[0] == '\n';
    buf_append_str(console->out, apart ? STR("\n") : STR(""));
    console_text(console, apart ? str_from(text, 1) : text, indent);
    buf_append_byte(console->out, '\n');
}

void console_say(struct console *console, size_t indent, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    console_paragraph(console, arena_vprintf(console->arena, format, arguments), indent);
    va_end(arguments);
}

void console_command(struct console *console, struct str command, size_t indent)
{
    append_wrapped_command(console->out, command, indent);
    buf_append_byte(console->out, '\n');
}
