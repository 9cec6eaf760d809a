#include "commands/forms.h"

#include "base/search.h"
#include "commands/commands.h"
#include "report/report.h"
#include "support/memory.h"

static bool save(const void *what, struct form_of form)
{
    struct arena arena = memory_arena();
    struct buf out = {0};
    form.print(what, &out);
    bool failed = complain_of(report_save(&out, form.file, &arena));
    buf_free(&out);
    arena_free(&arena);
    return !failed;
}

bool forms_write(const void *what, void (*text)(const void *what, struct buf *out), const struct form_of *forms,
                 size_t count)
{
    bool is_printed = ANY(i, count, forms[i].file && strcmp(forms[i].file, "-") == 0);
    bool saved = is_printed || save(what, (struct form_of){"-", text});
    for (size_t i = 0; i < count && saved; i++)
        if (forms[i].file)
            saved = save(what, forms[i]);
    return saved;
}
