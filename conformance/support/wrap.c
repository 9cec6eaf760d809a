#include "support/wrap.h"

#include "support/printable.h"

/* Returns how many columns the text takes: one for each character, none for an escape sequence that sets a colour. */
static size_t columns_of(struct str text)
{
    size_t columns = 0;
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '\033')
            while (i + 1 < text.size && text.data[i] != 'm')
                i++;
        else
            columns += (text.data[i] & 0xC0) != 0x80;
    }
    return columns;
}

static size_t column_of_end(const struct buf *out)
{
    size_t start = out->size;
    while (start > 0 && out->data[start - 1] != '\n')
        start--;
    return columns_of((struct str){out->data + start, out->size - start});
}

/* Lines of one text. */
struct lines {
    struct buf *out;
    size_t indent, column;
    const char *end;  /* what stands at the end of a line that goes on */
    bool is_at_start; /* the line has only its indentation, or what stood there before */
};

static struct lines lines_of(struct buf *out, size_t indent, const char *end)
{
    size_t column = column_of_end(out);
    return (struct lines){.out = out, .indent = indent, .column = column, .end = end, .is_at_start = column <= indent};
}

/* Appends a piece that is not broken, with the blanks before it unless it begins a line. */
static void place(struct lines *lines, struct str blanks, struct str piece, bool is_last)
{
    size_t columns = columns_of(piece), room = WRAP_COLUMNS - (is_last ? 0 : strlen(lines->end));
    if (!lines->is_at_start && lines->column + blanks.size + columns > room) {
        buf_printf(lines->out, "%s\n%*s", lines->end, (int)lines->indent, "");
        lines->column = lines->indent;
        blanks.size = 0;
    }
    buf_append_str(lines->out, blanks);
    buf_append_str(lines->out, piece);
    lines->column += blanks.size + columns;
    lines->is_at_start = false;
}

/* Returns the size of the piece that the text begins with; it is not empty. */
static size_t piece_size(struct str text)
{
    size_t size = str_until(text, " ,;").size;
    return size + (size < text.size && text.data[size] != ' ');
}

/* Returns the size of the shell word that the text begins with; a comment is one word. */
static size_t word_size(struct str text)
{
    size_t size = 0;
    for (bool quoted = false; size < text.size && (quoted || text.data[size] != ' ' || text.data[0] == '#'); size++) {
        quoted ^= text.data[size] == '\'';
        size += !quoted && text.data[size] == '\\' && size + 1 < text.size;
    }
    return size;
}

static void append_pieces(struct lines lines, struct str text, size_t (*size_of)(struct str))
{
    while (text.size) {
        size_t blanks = 0;
        while (blanks < text.size && text.data[blanks] == ' ')
            blanks++;
        struct str rest = str_from(text, blanks);
        size_t size = size_of(rest);
        if (size)
            place(&lines, (struct str){text.data, blanks}, (struct str){rest.data, size}, size == rest.size);
        text = str_from(rest, size);
    }
}

void append_wrapped(struct buf *out, struct str text, size_t indent)
{
    append_pieces(lines_of(out, indent, ""), text, piece_size);
}

void append_wrapped_printable(struct buf *out, struct str text, size_t most, size_t indent)
{
    struct buf printable = {0};
    append_printable(&printable, text, most);
    append_wrapped(out, buf_str(&printable), indent);
    buf_free(&printable);
}

void append_wrapped_command(struct buf *out, struct str command, size_t indent)
{
    struct buf printable = {0};
    append_printable(&printable, command, SIZE_MAX);
    append_pieces(lines_of(out, indent, " \\"), buf_str(&printable), word_size);
    buf_free(&printable);
}
