/* Tests http/host.c: which values of Host are those of RFC 9112, 3.2. */
#include "base/search.h"
#include "http/host.h"
#include "tests/scratch.h"

const struct unit_group unit_group = {make_arena, drop_arena};

TEST(hosts_and_ports_are_valid)
{
    EACH(text, "", "localhost", "127.0.0.1:8000", "example.org:", "[::1]", "[::1]:80", "a_b-c", "[v1.a:b]", "x%20y",
         "!$&'()*+,;=", "M%c3%B6", ":80")
        assert_true(host_is_valid(str_of(text)));
}

TEST(anything_else_is_not)
{
    static const struct str rows[] = {STR("a b"),  STR("a/b"), STR("me@host"),  STR("host:80x"), STR("host:80:80"),
                                      STR("[::1"), STR("::1"), STR("[::1]x"),   STR("[::1]:x"),  STR("[a/b]"),
                                      STR("a%2"),  STR("a%"),  STR("a%zz"),     STR("\"host\""), STR("a\0b"),
                                      STR("a\tb"), STR("]"),   STR("\xc3\xb6"), STR("[]]"),      STR("[")};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (host_is_valid(rows[i]))
            fail_msg("'%.*s' is taken", STR_ARG(rows[i]));
}
