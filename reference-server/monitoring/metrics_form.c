/* The metrics as a tree, for deviations: "lines" has a member for each line, a number or a text, by what precedes
 * its last blank (of a HELP or TYPE line, by its first three words), and "end" is what ends the last line. */
#include "monitoring/monitoring.h"

#include "tree/tree.h"
#include "json/number.h"

/* Returns how many bytes of the line stand before its value. */
static size_t key_size(struct str line)
{
    size_t at = 0;
    if (!str_starts(line, STR("# "))) {
        for (size_t i = 0; i < line.size; i++)
            at = line.data[i] == ' ' ? i : at;
        return at;
    }
    for (int words = 0; words < 3 && at < line.size; words++) {
        const char *blank = memchr(line.data + at, ' ', line.size - at);
        at = blank ? (size_t)(blank - line.data) + 1 : line.size + 1;
    }
    return at - 1;
}

static struct status read_metrics(const struct http_request *answered, struct str body, struct tree *answer)
{
    struct arena *arena = answered->arena;
    struct tree *lines = tree_new(arena, TREE_OBJECT), *end = tree_string(arena, STR("\n"));
    if (answered->status != 200)
        return status_invalid(arena, "a refusal has no metrics");
    NEED(lines && end);
    while (body.size > 0) {
        struct str line = str_take(&body, '\n');
        size_t key = key_size(line);
        struct str text = key < line.size ? str_from(line, key + 1) : STR("");
        bool is_number = text.size > 0 && number_first(text) == text.size;
        struct tree *value = is_number ? tree_number(arena, text) : tree_string(arena, text);
        NEED(value);
        tree_add(lines, (struct str){line.data, key}, value);
    }
    tree_add(answer, STR("lines"), lines);
    tree_add(answer, STR("end"), end);
    return STATUS_IS_OK;
}

static struct status write_metrics(struct tree *answer, struct buf *out, struct arena *)
{
    const struct tree *lines = tree_member(answer, "lines");
    for (const struct tree *line = tree_first(lines); line; line = line->next) {
        buf_append_str(out, line->name);
        buf_append_byte(out, ' ');
        buf_append_str(out, line->text);
        buf_append_str(out, line->next ? STR("\n") : tree_text(answer, "end"));
    }
    return STATUS_IS_OK;
}

const struct http_form metrics_form = {.read = read_metrics, .write = write_metrics};
