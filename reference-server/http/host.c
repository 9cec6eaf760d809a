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

static struct str behind_name(struct str text, bool has_colons)
{
    for (size_t size = 1; size > 0; text = str_from(text, size))
        size = has_colons && text.size > 0 && *text.data == ':' ? 1 : name_character(text);
    return text;
}

bool host_is_valid(struct str value)
{
    bool has_brackets = value.size > 0 && *value.data == '[';
    struct str port = behind_name(str_from(value, has_brackets), has_brackets);
    if (has_brackets && (port.size == 0 || *port.data != ']'))
        return false;
    port = str_from(port, has_brackets);
    return !ANY(i, port.size, i == 0 ? port.data[i] != ':' : !isdigit((unsigned char)port.data[i]));
}
