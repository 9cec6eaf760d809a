#include "http/path.h"

#include "base/search.h"

bool path_split(struct str raw, struct path *path)
{
    path->count = 0;
    raw = str_from(raw, raw.size > 0);
    for (bool goes_on = true; goes_on;) {
        if (path->count == HTTP_SEGMENTS_MAX)
            return false;
        goes_on = str_has(raw, '/');
        path->segments[path->count++] = str_take(&raw, '/');
    }
    return true;
}

static bool decode_segment(struct str *segment, struct arena *arena)
{
    if (!memchr(segment->data, '%', segment->size))
        return true;
    char *out = arena_alloc(arena, segment->size);
    size_t size = 0;
    if (!out)
        return false;
    for (size_t i = 0; i < segment->size; i++) {
        char c = segment->data[i];
        if (c == '%') {
            int high = i + 2 < segment->size ? hex_digit(segment->data[i + 1]) : -1;
            int low = high >= 0 ? hex_digit(segment->data[i + 2]) : -1;
            if (low < 0)
                return false;
            c = (char)(high * 16 + low);
            i += 2;
        }
        out[size++] = c;
    }
    *segment = (struct str){out, size};
    return true;
}

bool path_decode(struct path *path, struct arena *arena)
{
    return ALL(i, path->count, decode_segment(&path->segments[i], arena));
}
