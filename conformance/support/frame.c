#include "support/frame.h"

const char *frame_name(unsigned kind)
{
    static const char *const names[] = {"DATA",         "HEADERS", "PRIORITY", "RST_STREAM",    "SETTINGS",
                                        "PUSH_PROMISE", "PING",    "GOAWAY",   "WINDOW_UPDATE", "CONTINUATION"};
    return kind < sizeof names / sizeof *names ? names[kind] : NULL;
}
