#include "support/percent.h"

struct str path_segment(struct str text, struct arena *arena)
{
    struct buf out = {0};
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        if (c != '\0' && strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~", c) != NULL)
            buf_append_byte(&out, c);
        else
            buf_printf(&out, "%%%02X", (unsigned char)c);
    }
    return arena_take(arena, &out);
}

struct str percent_every_byte(struct str text, struct arena *arena)
{
    struct buf out = {0};
    for (size_t i = 0; i < text.size; i++)
        buf_printf(&out, "%%%02X", (unsigned char)text.data[i]);
    return arena_take(arena, &out);
}
