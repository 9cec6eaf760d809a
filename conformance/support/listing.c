#include "support/listing.h"

void listing_add(struct listing *listing, struct str item)
{
    if (!listing->most || listing->count < listing->most)
        listing->named = arena_printf(listing->arena, "%.*s%s%.*s", STR_ARG(listing->named), listing->count ? ", " : "",
                                      STR_ARG(item));
    listing->count++;
}

struct str listing_text(const struct listing *listing)
{
    return listing->most && listing->count > listing->most
               ? arena_printf(listing->arena, "%.*s and %zu more", STR_ARG(listing->named),
                              listing->count - listing->most)
               : listing->named;
}
