#include "client/json_text.h"
#include "fixture/codec.h"

void json_text_string(struct str text, struct buf *out)
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

static struct status codec_text(const struct tree *codec, struct arena *arena, struct buf *out)
{
    struct buf bytes = {0};
    struct status status = codec_bytes(codec, codec, ".", arena, &bytes);
    json_text_string(buf_str(&bytes), out);
    buf_free(&bytes);
    return status;
}

struct status json_text(const struct tree *tree, struct arena *arena, struct buf *out)
{
    if (codec_is(tree))
        return codec_text(tree, arena, out);
    switch (tree->type) {
    case TREE_NULL:
        buf_append_literal(out, "null");
        return STATUS_IS_OK;
    case TREE_BOOL:
        buf_append_str(out, tree->boolean ? STR("true") : STR("false"));
        return STATUS_IS_OK;
    case TREE_NUMBER:
        buf_append_str(out, tree->text);
        return STATUS_IS_OK;
    case TREE_STRING:
        json_text_string(tree->text, out);
        return STATUS_IS_OK;
    case TREE_ARRAY:
    case TREE_OBJECT:
        break;
    }
    bool object = tree->type == TREE_OBJECT;
    buf_append_byte(out, object ? '{' : '[');
    for (const struct tree *child = tree->first; child; child = child->next) {
        if (child != tree->first)
            buf_append_byte(out, ',');
        if (object) {
            json_text_string(child->name, out);
            buf_append_byte(out, ':');
        }
        struct status status = json_text(child, arena, out);
        if (!is_ok(status))
            return status;
    }
    buf_append_byte(out, object ? '}' : ']');
    return STATUS_IS_OK;
}
