/* Lists in sentences. */
#include "support/listing.h"

#include "tests/scratch.h"

static struct str listed(size_t most, size_t count)
{
    static const struct str items[] = {{"a", 1}, {"bb", 2}, {"c", 1}};
    struct listing listing = {.arena = &arena, .most = most};
    for (size_t i = 0; i < count; i++)
        listing_add(&listing, items[i]);
    assert_int_equal(listing.count, count);
    return listing_text(&listing);
}

TEST(commas_stand_between_items)
{
    assert_text(listed(0, 3), "a, bb, c");
    assert_text(listed(3, 3), "a, bb, c");
    assert_text(listed(0, 1), "a");
}

TEST(what_is_too_much_is_counted)
{
    assert_text(listed(1, 3), "a and 2 more");
}

TEST(nothing_is_an_empty_text)
{
    assert_int_equal(listed(0, 0).size, 0);
    assert_int_equal(listed(2, 0).size, 0);
}
