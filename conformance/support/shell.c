#include "support/shell.h"

#include "base/search.h"

void shell_quote(struct str text, struct buf *out)
{
    buf_append_byte(out, '\'');
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '\'')
            buf_append_literal(out, "'\\''");
        else
            buf_append_byte(out, text.data[i]);
    }
    buf_append_byte(out, '\'');
}

static bool is_plain(struct str text)
{
    return text.size > 0 && !ANY(i, text.size, !text.data[i] || strchr(" \t\n'\"\\$`*?[]<>|&;()!#~", text.data[i]));
}

void shell_word(struct str text, struct buf *out)
{
    if (is_plain(text))
        buf_append_str(out, text);
    else
        shell_quote(text, out);
}
