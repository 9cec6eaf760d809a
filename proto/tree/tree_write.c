#include "tree/tree.h"
#include "json/writer.h"

typedef void write_string(struct buf *out, struct str s);

static void write_value(const struct tree *tree, struct buf *out, write_string *string);

static void write_children(const struct tree *tree, struct buf *out, write_string *string)
{
    for (const struct tree *child = tree->first; child; child = child->next) {
        if (child != tree->first)
            buf_append_byte(out, ',');
        if (tree->type == TREE_OBJECT) {
            string(out, child->name);
            buf_append_byte(out, ':');
        }
        write_value(child, out, string);
    }
}

static void write_value(const struct tree *tree, struct buf *out, write_string *string)
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
        buf_append_str(out, tree->text);
        break;
    case TREE_STRING:
        string(out, tree->text);
        break;
    case TREE_ARRAY:
        buf_append_byte(out, '[');
        write_children(tree, out, string);
        buf_append_byte(out, ']');
        break;
    case TREE_OBJECT:
        buf_append_byte(out, '{');
        write_children(tree, out, string);
        buf_append_byte(out, '}');
        break;
    }
}

void tree_write(const struct tree *tree, struct buf *out)
{
    write_value(tree, out, json_write_string);
}

void tree_write_with(const struct tree *tree, struct buf *out, void (*string)(struct buf *out, struct str s))
{
    write_value(tree, out, string);
}
