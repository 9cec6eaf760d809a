/* Headers of gRPC: content types, timeouts and messages. */
#include "grpc/headers.h"
#include "tests/scratch.h"

const struct unit_group unit_group = {make_arena, drop_arena};

TEST(content_types_of_grpc)
{
    static const struct {
        struct str value;
        bool is_grpc;
    } rows[] = {{{"application/grpc", 16}, true},      {{"application/grpc+proto", 22}, true},
                {{"application/grpc;x=y", 20}, true},  {{"Application/GRPC", 16}, true},
                {{"application/grpc-web", 20}, false}, {{"application/grp", 15}, false},
                {{"application/json", 16}, false},     {{"", 0}, false}};
    EACH_ROW(row, rows, row->value.data)
        assert_int_equal(header_is_grpc(row->value), row->is_grpc);
}

TEST(timeouts_have_eight_digits_and_a_unit)
{
    static const struct {
        const char *value;
        int64_t nanoseconds; /* -1: refused */
    } rows[] = {{"1H", 3600000000000},
                {"2M", 120000000000},
                {"3S", 3000000000},
                {"4m", 4000000},
                {"5u", 5000},
                {"6n", 6},
                {"0n", 0},
                {"00000010S", 10000000000},
                {"99999999H", INT64_MAX},
                {"123456789n", -1},
                {"soon", -1},
                {"1s", -1},
                {"1", -1},
                {"S", -1},
                {"", -1},
                {"-1S", -1},
                {"1.5S", -1}};
    EACH_ROW(row, rows, row->value) {
        int64_t nanoseconds = -1;
        assert_int_equal(header_timeout(str_of(row->value), &nanoseconds), row->nanoseconds >= 0);
        assert_int_equal(nanoseconds, row->nanoseconds);
    }
}

TEST(messages_are_percent_encoded)
{
    struct str text = header_percent_encoded(&arena, STR("100 % of 'gr\xc3\xb6\xc3\x9f"
                                                         "e'\n~\x7f"));
    assert_int_equal(text.size, strlen("100 %25 of 'gr%C3%B6%C3%9Fe'%0A~%7F"));
    assert_memory_equal(text.data, "100 %25 of 'gr%C3%B6%C3%9Fe'%0A~%7F", text.size);
    assert_int_equal(header_percent_encoded(&arena, STR("")).size, 0);
}
