#include "notation/json_text.h"

void json_text_string(struct buf *out, struct str text)
{
    buf_append_byte(out, '"');
    for (size_t i = 0; i < text.size; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '"' || c == '\\')
            buf_printf(out, "\\%c", c);
        else if (c < 0x20)
            buf_printf(out, "\\u%04x", c);
        else
            buf_append_byte(out, (char)c);
    }
    buf_append_byte(out, '"');
}

void json_text(const struct tree *tree, struct buf *out)
{
    tree_write_with(tree, out, json_text_string);
}
