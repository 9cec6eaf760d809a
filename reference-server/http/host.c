#include "http/host.h"

#include "base/search.h"

#include <ctype.h>

static bool is_hex(struct str text, size_t at)
{
    return at < text.size && isxdigit((unsigned char)text.data[at]);
}

/* Returns how many characters of a registered name begin here: 0, 1, or 3 for "%20". An address of four numbers is such
 * a name too: what it is made of is looked for first. */
static inline size_t name_character(struct str text)
{
    if (text.size == 0)
        return 0;
    char c = *text.data;
    if (c == '%')
        return is_hex(text, 1) && is_hex(text, 2) ? 3 : 0;
    bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'), is_digit = c >= '0' && c <= '9';
    return is_letter || is_digit || c == '.' || (c && strchr("-_~!$&'()*+,;=", c)) ? 1 : 0;
}

static struct str behind_name(struct str text)
{
    size_t size;
    while ((size = name_character(text)) > 0)
        text = str_from(text, size);
    return text;
}

/* Returns what stands behind "[...]"; the text itself if that is not complete. */
static struct str behind_brackets(struct str text)
{
    struct str rest = str_from(text, 1);
    while (rest.size > 0 && (*rest.data == ':' || name_character(rest) > 0))
        rest = str_from(rest, *rest.data == ':' ? 1 : name_character(rest));
    return rest.size > 0 && *rest.data == ']' ? str_from(rest, 1) : text;
}

bool host_is_valid(struct str value)
{
    bool has_brackets = value.size > 0 && *value.data == '[';
    struct str port = has_brackets ? behind_brackets(value) : behind_name(value);
    return !ANY(i, port.size, i == 0 ? port.data[i] != ':' : !isdigit((unsigned char)port.data[i]));
}
