/* Tokens of the user are in no report, however a server spells them. */
#include "flags/headers.h"

#include "base/search.h"
#include "tests/scratch.h"

#include <zlib.h>

static struct secrets *secrets;

static void given(const char *name, const char *value)
{
    secrets = secrets_new(&arena);
    header_secrets_add(secrets, (struct header){str_of(name), str_of(value)}, &arena);
}

static void expect(const char *text, const char *shown)
{
    assert_string_equal(secrets_hide(secrets, str_of(text), &arena).data, shown);
}

static void expect_same(const char *text)
{
    assert_ptr_equal(secrets_hide(secrets, str_of(text), &arena).data, text);
}

TEST(a_token_is_hidden_wherever_it_stands)
{
    given("Authorization", "Bearer s3cret-t0ken");
    expect("s3cret-t0ken", "***");
    expect("it was s3cret-t0ken, S3CRET-T0KEN.", "it was ***, ***.");
    expect("xs3cret-t0kenx", "x***x");
    expect("Authorization: Bearer s3cret-t0ken\r\n", "Authorization: ***\r\n");
    expect_same("Bearer, secret, token");
    expect_same("");
}

TEST(a_token_is_hidden_in_other_spellings)
{
    given("X-Api-Key", "q\"/\\8 zq?9");
    expect("{\"q\\\"/\\\\8 zq?9\"}", "{\"***\"}");
    expect("at q%22%2f%5C8%20zq%3F9", "at ***");
    expect("at q%22/%5C8%20z%71%3F9!", "at ***!");
    expect("{\"q\\u0022\\/\\u005c8 zq?9\"}", "{\"***\"}");
    expect("{\\\"q\\\\\\\"/\\\\\\\\8 zq?9\\\"}", "{\\\"***\\\"}");
    expect("<p>q&quot;/\\8 zq?9</p> q&#34;/\\8 zq?9", "<p>***</p> ***");
    expect("$hex 71222f5c38207a713f39 or 71222F5C38207A713F39", "$hex *** or ***");
    expect("q\"/\\x5c8 zq?9", "***");
    given("X-Api-Key", "\xff\xfe\x01 12345");
    expect("got \\xff\\xfe\\x01 12345.", "got ***.");
    given("X-Api-Key", "caf\xc3\xa9-\xe2\x82\xac%41-1");
    expect("{\"caf\\u00E9-\\u20ac%41-1\"} or caf\xc3\xa9-\xe2\x82\xac%41-1", "{\"***\"} or ***");
    expect("caf%C3%A9-%E2%82%AC%2541-1", "***");
}

TEST(a_token_is_hidden_in_numbers_of_characters)
{
    given("X-Api-Key", "s3cret/t0k+n=99");
    expect("s3cret&#x2F;t0k&#43;n&#X3d;99 &#115;3cret&amp;#47;t0k&amp;#x2b;n=99", "*** ***");
    expect("s3cret\\057t0k\\U0000002bn\\u{3d}99", "***");
    expect("s3cret%252ft0k%25252Bn=3D99", "***");
    given("X-Api-Key", "sm\xf0\x9f\x98\x80le-123 <&>");
    expect("sm&#128512;le-123 &lt;&amp;&gt; sm&#x1F600;le-123 &amp;lt;&amp;amp;&amp;gt;", "*** ***");
    expect_same("sm&#1114113;le-123 sm&#;le-123 sm&#xle-123");
}

TEST(a_token_is_hidden_in_lists_of_bytes)
{
    given("X-Api-Key", "s3cret-t0ken");
    expect("73:33:63:72:65:74:2d:74:30:6b:65:6e", "***");
    expect("{0x73, 0x33, 0x63, 0x72, 0x65, 0x74, 0x2d, 0x74, 0x30, 0x6b, 0x65, 0x6E}", "{0x***}");
    expect("[115, 51, 99, 114, 101, 116, 45, 116, 48, 107, 101, 110]", "[***]");
    expect("s3cret\r\n -t0\nken", "***");
    struct str wide = {"<s\0003\0c\0r\0e\0t\0-\0t\0000\0k\0e\0n\0>", 26};
    assert_string_equal(secrets_hide(secrets, wide, &arena).data, "<***");
    expect_same("s3cret                                 -t0ken");
    given("X-Api-Key", "s3cr3t");
    expect("s3cr3t", "***");
    expect_same("s 3 c r 3 t, 73:33:63:72:33:74");
}

TEST(a_token_is_hidden_if_it_is_encoded_twice)
{
    given("X-Api-Key", "s3cret-t0ken");
    expect("Y3pOamNtVjBMWFF3YTJWdQ==, 637a4e6a636d56304c58517761325675", "***Q==, ***");
    expect("NzMzMzYzNzI2NTc0MmQ3NDMwNmI2NTZl", "***");
}

TEST(a_token_is_hidden_in_a_compressed_text)
{
    static const char *const texts[] = {"it was s3cret-t0ken", "it was another"};
    given("X-Api-Key", "s3cret-t0ken");
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        Bytef packed[99];
        uLongf size = sizeof packed;
        assert_int_equal(compress(packed, &size, (const Bytef *)texts[i], strlen(texts[i])), Z_OK);
        struct str text = {(char *)packed, size}, shown = secrets_hide(secrets, text, &arena);
        assert_true(i == 0 ? str_is(shown, "***") : shown.data == text.data);
    }
    expect("x\x9cs3cret-t0ken", "x\x9c***");
}

/* Three places in a text of base64 have three spellings; what stands beside keeps its digits, except the one that both
 * share. */
TEST(a_token_is_hidden_in_base64)
{
    given("X-Api-Key", "?\?>>~~0123456789");
    expect("Pz8+Pn5+MDEyMzQ1Njc4OQ==", "***Q==");
    expect("Pz8-Pn5-MDEyMzQ1Njc4OQ==", "***Q==");
    expect("eD8/Pj5+fjAxMjM0NTY3ODk=", "eD***k=");
    expect("eHg/Pz4+fn4wMTIzNDU2Nzg5", "eHg***");
}

TEST(basic_hides_the_password)
{
    given("Authorization", "Basic YWxhZGRpbjpvcGVuc2VzYW1l");
    expect("aladdin:opensesame, YWxhZGRpbjpvcGVuc2VzYW1l, opensesame of aladdin!", "***, ***, *** of aladdin!");
    given("proxy-authorization", "basic  dTpwYXNz"); /* u:pass */
    expect("u:pass; pass, but no password", "***; ***, but no password");
    given("Authorization", "Basic no base64 at all");
    expect_same("at all");
    given("Authorization", "Basic");
    expect_same("");
}

TEST(words_of_cookies_are_hidden)
{
    given("Cookie", "theme=dark; session=abcdefgh01");
    expect("your session is abcdefgh01", "your session is ***");
    expect("theme=dark; session=abcdefgh01", "***");
    expect_same("the theme is dark");
}

TEST(short_values_are_hidden_where_they_stand_alone)
{
    given("X-Api-Key", "test");
    expect("test, 'test' and _test_", "***, '***' and _***_");
    expect_same("tests, latest, test1");
    given("X-Api-Key", "abc");
    expect_same("abc");
}

TEST(other_headers_are_hidden_if_they_look_like_keys)
{
    static const struct {
        const char *name, *value;
    } open[] = {{"X-Env", "1"},
                {"X-Env", "production"},
                {"X-Shard", "12345678"},
                {"Host", "model1.example.com"},
                {"X-Forwarded-For", "model1.example.com"},
                {"Accept-Encoding", "zstd0123"},
                {"X-Empty", ""}};
    EACH_ROW(row, open, row->name) {
        given(row->name, row->value);
        expect_same(arena_printf(&arena, "1 %s", row->value).data);
    }
    given("X-Tenant", "v0 team-4711");
    expect("of team-4711", "of ***");
    given("Accept-Signature", "production");
    expect("production", "***");
}

TEST(what_a_cut_leaves_is_hidden)
{
    given("Authorization", "Bearer s3cret-t0ken");
    expect("it was s3cret-t", "it was ***");
    expect("it was s3cret... and more", "it was ***... and more");
    expect("it was s3cret-\nthen", "it was ***\nthen");
    expect("it was s3cret\xe2\x80\xa6", "it was ***\xe2\x80\xa6");
    expect("\"s3cret-t0\"", "\"***\"");
    expect_same("it was s3cr");
    expect_same("it was s3cret-agent");
}

TEST(nothing_is_hidden_without_secrets)
{
    secrets = secrets_new(&arena);
    expect_same("s3cret-t0ken");
    const char *text = "s3cret-t0ken";
    assert_ptr_equal(secrets_hide(NULL, str_of(text), &arena).data, text);
    struct str kept = secrets_keep(NULL, str_of(text), &arena);
    assert_true(str_is(kept, text) && kept.data != text);
}
