/* Writes a tree as JSON, up to a given size. */
#include "tree/tree.h"
#include "json/writer.h"

typedef void write_string(struct buf *out, struct str s);

/* Nothing more is begun once `end` bytes are in `out`. */
static void write_value(const struct tree *tree, struct buf *out, write_string *string, size_t end);

#define UTF8_MAX 4 /* bytes of a character, of which the last may be cut */

/* A text is written as at least as many bytes as it has, so of no more than `end` any can be needed. */
static struct str start_of(struct str text, size_t end)
{
    text.size = text.size < end ? text.size : end;
    return text;
}

static void write_children(const struct tree *tree, struct buf *out, write_string *string, size_t end)
{
    for (const struct tree *child = tree->first; child && out->size < end; child = child->next) {
        if (child != tree->first)
            buf_append_byte(out, ',');
        if (tree->type == TREE_OBJECT) {
            string(out, start_of(child->name, end));
            buf_append_byte(out, ':');
        }
        write_value(child, out, string, end);
    }
}

static void write_value(const struct tree *tree, struct buf *out, write_string *string, size_t end)
{
    switch (tree->type) {
    case TREE_NULL:
        buf_append_literal(out, "null");
        break;
    case TREE_BOOL:
        if (tree->boolean)
            buf_append_literal(out, "true");
        else
            buf_append_literal(out, "false");
        break;
    case TREE_NUMBER:
        buf_append_str(out, start_of(tree->text, end));
        break;
    case TREE_STRING:
        string(out, start_of(tree->text, end));
        break;
    case TREE_ARRAY:
        buf_append_byte(out, '[');
        write_children(tree, out, string, end);
        buf_append_byte(out, ']');
        break;
    case TREE_OBJECT:
        buf_append_byte(out, '{');
        write_children(tree, out, string, end);
        buf_append_byte(out, '}');
        break;
    }
}

void tree_write(const struct tree *tree, struct buf *out)
{
    write_value(tree, out, json_write_string, SIZE_MAX);
}

void tree_write_start(const struct tree *tree, struct buf *out, size_t most)
{
    write_value(tree, out, json_write_string, out->size + most + UTF8_MAX);
}

void tree_write_with(const struct tree *tree, struct buf *out, void (*string)(struct buf *out, struct str s))
{
    write_value(tree, out, string, SIZE_MAX);
}
