/* Each file must have the layout that the formatter writes (suite/layout.h), so that a change shows as the lines that
 * it changes. */
#include "lint/linter.h"

#include "base/search.h"
#include "suite/layout.h"

/* Returns the number of the line in which two texts begin to differ. */
static size_t first_difference(struct str a, struct str b)
{
    return 1 + SUM(i, str_common(a, b), a.data[i] == '\n');
}

static void check_columns(struct place place, struct str text)
{
    for (size_t number = 1; text.size; number++) {
        size_t columns = layout_columns(str_take(&text, '\n'));
        if (columns > LAYOUT_COLUMNS)
            fault_add(
                place, "format",
                "line %zu has %zu columns, more than %d: write its bytes in pieces, or its sentence in fewer words",
                number, columns, LAYOUT_COLUMNS);
    }
}

void lint_format(struct linter *linter)
{
    FOR_EACH(file, linter->suite->files, linter->suite->file_count) {
        struct place place = place_in(linter->faults, file->path, STR(""));
        struct buf laid_out = {0};
        layout_write(file, &laid_out);
        if (!str_equal(file->text, buf_str(&laid_out)))
            fault_add(place, "format", "line %zu is not formatted as `lint --fix` does it",
                      first_difference(file->text, buf_str(&laid_out)));
        check_columns(place, buf_str(&laid_out));
        buf_free(&laid_out);
    }
}
