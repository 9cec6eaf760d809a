#include "support/shell.h"

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
