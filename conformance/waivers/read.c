/* Reads a file of waivers and says what is wrong with it. */
#include "waivers/waivers.h"

#include "base/search.h"
#include "support/expression.h"
#include "support/files.h"

enum kind { TEXT, TEXTS, FLAG };

static const struct {
    const char *name;
    enum kind kind;
    bool needed;
} members[] = {
    {"assertion", TEXT, false}, {"requirement", TEXT, false}, {"observed", TEXTS, true},  {"reason", TEXT, true},
    {"owner", TEXT, true},      {"expires", TEXT, true},      {"sometimes", FLAG, false},
};

#define MEMBERS COUNT_OF(members)

static bool is_text(const struct tree *value)
{
    return value->type == TREE_STRING && strspn(value->text.data, " \t\r\n") < value->text.size;
}

static bool is_of_kind(const struct tree *value, enum kind kind)
{
    if (kind == FLAG)
        return value->type == TREE_BOOL;
    if (kind == TEXT)
        return is_text(value);
    return value->type == TREE_ARRAY && value->first && ALL_IN(text, value->first, is_text(text));
}

/* Whether the text is a day of the calendar, in the form of which strings can be compared: strptime alone takes 31
 * February too, which timegm makes a day of March. */
static bool is_day(struct str text)
{
    struct tm day = {0};
    char again[sizeof "2027-03-31"];
    if (text.size != sizeof again - 1 || !strptime(text.data, "%Y-%m-%d", &day))
        return false;
    timegm(&day);
    return strftime(again, sizeof again, "%Y-%m-%d", &day) == text.size && str_is(text, again);
}

/* Whether the text is an ID of an assertion whose key, after the `#`, has no `*`. */
static bool names_key(struct str assertion)
{
    return expression_meets(STR("^[^#]*#[^*]*$"), assertion);
}

/* Returns what is wrong with the form of a waiver; empty: nothing. */
static struct str fault_of(const struct tree *item, struct arena *arena)
{
    if (item->type != TREE_OBJECT)
        return STR("it is no object");
    FOR_EACH_IN(member, item->first) {
        if (!ANY(i, MEMBERS, str_is(member->name, members[i].name)))
            return arena_printf(arena, "it has no member '%s'", str_printable(arena, member->name));
        if (tree_member_str(item, member->name) != member)
            return arena_printf(arena, "it has '%.*s' twice", STR_ARG(member->name));
    }
    for (size_t i = 0; i < MEMBERS; i++) {
        const struct tree *value = tree_member(item, members[i].name);
        if (!value && members[i].needed)
            return arena_printf(arena, "it needs '%s'", members[i].name);
        if (value && !is_of_kind(value, members[i].kind))
            return arena_printf(arena, "'%s' needs %s", members[i].name,
                                members[i].kind == FLAG    ? "true or false"
                                : members[i].kind == TEXTS ? "a list of strings"
                                                           : "a string that is not empty");
    }
    if (!tree_member(item, "assertion") == !tree_member(item, "requirement"))
        return STR("it needs either 'assertion' or 'requirement'");
    if (tree_member(item, "assertion") && !names_key(tree_text(item, "assertion")))
        return STR("'assertion' needs an ID with its key after the '#'; '*' may stand only before the '#'");
    if (!is_day(tree_text(item, "expires")))
        return STR("'expires' needs a day of the calendar, such as \"2027-03-31\"");
    return (struct str){0};
}

static struct waiver waiver_of(const struct tree *item)
{
    return (struct waiver){.assertion = tree_text(item, "assertion"),
                           .requirement = tree_text(item, "requirement"),
                           .observed = tree_member(item, "observed"),
                           .reason = tree_text(item, "reason"),
                           .owner = tree_text(item, "owner"),
                           .expires = tree_text(item, "expires"),
                           .sometimes = tree_is_true(item, "sometimes")};
}

struct status waivers_read(const char *path, struct arena *arena, struct waivers *waivers)
{
    struct str text;
    struct tree *tree = NULL;
    *waivers = (struct waivers){0};
    if (!path)
        return STATUS_IS_OK;
    struct status status = disk_read(path, FILE_SIZE_MAX, arena, &text);
    if (is_ok(status))
        status = tree_parse(text, arena, &tree);
    if (!is_ok(status))
        return status_invalid(arena, "--waivers %s: %.*s", path, STR_ARG(status.message));
    const struct tree *list = tree_member(tree, "waivers");
    if (!list || list->type != TREE_ARRAY || tree->count > 1)
        return status_invalid(arena, "--waivers %s: needs {\"waivers\": [...]} and nothing beside it", path);
    waivers->items = arena_alloc_zero(arena, list->count + 1, sizeof(*waivers->items));
    FOR_EACH_IN(item, list->first) {
        struct str fault = fault_of(item, arena);
        if (fault.size)
            return status_invalid(arena, "--waivers %s: waiver %zu: %.*s", path, waivers->count + 1, STR_ARG(fault));
        waivers->items[waivers->count++] = waiver_of(item);
    }
    return STATUS_IS_OK;
}
