/* The words of a document, whatever markup it has. That all forms of a page have the same is for test_spec_check.py. */
#include "editions/fingerprint.h"
#include "editions/words.h"
#include "tests/scratch.h"

#include <stdio.h>

static struct str joined(const char *text)
{
    struct words words = words_of(str_of(text), &arena);
    struct str all = STR("");
    for (size_t i = 0; i < words.count; i++)
        all = arena_printf(&arena, "%.*s%s%.*s", STR_ARG(all), i ? " " : "", STR_ARG(words.items[i].text));
    return all;
}

static void assert_words(const char *text, const char *expected)
{
    assert_text(joined(text), expected);
}

static void assert_angles(const char *text, const char *expected)
{
    struct words words = words_of(str_of(text), &arena);
    struct str all = STR("");
    for (size_t i = 0; i < words.count; i++)
        if (words.items[i].angles.size)
            all = arena_printf(&arena, "%.*s%s%.*s:%.*s", STR_ARG(all), all.size ? " " : "",
                               STR_ARG(words.items[i].text), STR_ARG(words.items[i].angles));
    assert_text(all, expected);
}

TEST(what_only_looks_like_a_mark_keeps_its_words)
{
    assert_words("<https://kettles.example/tea>", "https kettles . example / tea");
    assert_words("an array[0](see below) stays", "an array [ 0 ] ( see below ) stays");
    assert_words("an array[0] (see below)", "an array [ 0 ] ( see below )");
    assert_words("1.50, 3.1.1 a.b 2. 3 .5", "1.50 3.1.1 a . b 2 3 5");
    assert_words("\"42\" \u201c-1\u201d &quot;2.5&quot; \"true\" \"4x\" \"1, 2\"",
                 "\"42\" \"-1\" \"2.5\" \"true\" 4x 1 2");
    assert_words("[a]: https://kettles.example/a \"A\"\nx [a] [b]:\nhttps://kettles.example/b c", "x a c");
    assert_words("it is [tea]: the leaf", "it is [ tea ] the leaf");
    assert_words("```json title=\"x\"\na\n``` b ```c\nd ~~~text e ~~~ f ```g``` h", "a b d e f g h");
    assert_words(".. _tea-time: Tea ..\n_cup: a.. _b", "Tea a b");
    assert_words(".. _tea\u2011t\u00adime: Tea .. _milk&#45;time: Milk", "Tea Milk");
    assert_words("salt & pepper; AT&T", "salt & pepper AT & T");
    assert_words("wow! [really](x)", "wow ! really");
    assert_words("model\\_name, x86-64, 3.5", "model_name x86 - 64 3.5");
    assert_words("a _b_ __c__ d_ _e", "a b c d e");
    assert_words("z\xc3\xbcrich \xff ok", "z\xc3\xbcrich ok");
    assert_words("2^10 2\u00b9\u2070", "210 210");
    assert_words("soft\u00adware", "software");
    assert_words("model_\u200bname model_<wbr>version a_ b", "model_name model_version a b");
    assert_words("```proto message Kettle {}``` tea", "message Kettle { } tea");
    assert_words("# Tea {#tea}", "Tea");
    assert_words("a <script>let b;</script>c<style>d</style> e", "a c e");
    assert_words("a ~~b c~~ d <del>e</del> <s>f</s>g ~ h ~~~\nx\n~~~", "a d g h x");
    assert_words("", "");
    assert_words("<", "");
    assert_words("&lt;unclosed", "unclosed");
    assert_words("![never closed", "! [ never closed");
}

TEST(links_of_every_kind_are_only_their_text)
{
    assert_words("[a](b) c", "a c");
    assert_words("[a](b \"title\") c", "a c");
    assert_words("[a](b_(c)) d", "a d");
    assert_words("[a](<b c>) [d](<e> \"title\") f", "a d f");
    assert_words("[a [b]](c) d", "a [ b ] d");
    assert_words("[![image](x)](y) d", "d");
    assert_words(".. _section-of-tea:\n\nTea\n---\n\nthe :cpp:var:`Cup <kettle::Cup>` and :ref:`milk`: both",
                 "Tea the Cup and milk both");
    assert_angles(":cpp:var:`Cup <kettle::Cup>` /cups/<cup> in `a <leaf>`", "/:cup a:leaf");
    assert_words("a:b:`c` d: `e` .. _f g ::`h`", "a b c d e .. f g h");
    assert_words("[tea] and [milk][tea] and [tea][] and [sugar]\n\n[tea]: https://tea.example/\n",
                 "tea and milk and tea and [ sugar ]");
}

TEST(signs_that_carry_meaning_are_words)
{
    assert_words("\"cups\" : [ $number, ... ]", "cups [ $number ... ]");
    assert_words("&#91; $number, &hellip; &#93;", "[ $number ... ]");
    assert_words("\\[ $number, \u2026 \\]", "[ $number ... ]");
    assert_words("[/cups/${CUP}]/pour", "[ / cups / $ { CUP } ] / pour");
    assert_words("v2/cups/ &#47;", "v2 / cups / /");
    assert_words("// a comment /* another */ https://kettles.example/tea",
                 "a comment another https kettles . example / tea");
    assert_words("/cups/<cup>/<leaf> or /cups// in `//`", "/ cups / / or / cups / / in");
    assert_words("*$cup* : $string | $number, $5 or $", "$cup $string | $number $ 5 or $");
    assert_words("`$string`\u00a0|\u00a0`$number`", "$string | $number");
    assert_words("&#36;string | &dollar;number", "$string | $number");
    assert_words("50 % or 50%", "50 % or 50 %");
    assert_words("  string name = 1;\n  // string name = 1;", "string name = 1 // string name = 1");
    assert_words("/* map<string, Cup> cups = 4; */\n// \"cup\" : $cup,\n//\"cup\": [ $cup ]\n// rpc Pour(Cup)",
                 "// map cups = 4 // cup $cup // cup [ $cup ] // rpc Pour ( Cup )");
    assert_words("// The cup = 4. A cup;\n// \"cup\" is: a cup\n// cups = 4;\n# \"cup\" : $cup\nx // string name = 1;",
                 "The cup = 4 A cup cup is a cup // cups = 4 # cup $cup x string name = 1");
    assert_words("| $string | a table |\n|---|", "$string a table");
    assert_words("as -1, (-2), \u22123, &minus;4, \u20135 or `-6`, +7", "as -1 ( -2 ) -3 -4 -5 or -6 +7");
    assert_words("n+1, n-1, C++, + 1", "n + 1 n - 1 C + + 1");
    assert_words("//size:int32; // a\n// leaves: [Leaf];\n// note: a leaf;",
                 "// size int32 a // leaves [ Leaf ] note a leaf");
    assert_words("x-1, 2018-2019, well-1 --1 - 1", "x - 1 2018 - 2019 well - 1 -- 1 1");
    assert_words("a \u2264 b", "a \u2264 b");
    assert_words("UINT8 is not Uint8", "UINT8 is not Uint8");
}

TEST(signs_within_paths_are_words)
{
    assert_words("/cups/full?leaf=green&hot=1", "/ cups / full ? leaf = green & hot = 1");
    assert_words("/cups/full&amp;hot&#61;1 or /cups&quest;hot", "/ cups / full & hot = 1 or / cups ? hot");
    assert_words("/cups/$cup /cups/cup /cups/a@b /cups/a+b /cups/a%2Fb", "/ cups / $cup / cups / cup / cups / a @ b / "
                                                                         "cups / a + b / cups / a % 2Fb");
    assert_words("/cups/a:pour /cups/a;b /cups/a,b", "/ cups / a : pour / cups / a ; b / cups / a , b");
    assert_words("http://kettles.example:8000/tea", "http kettles . example : 8000 / tea");
    assert_words("size:int32; a,b; \"a\":\"b\" //size:int", "size int32 a b a b size int");
    assert_words("Is it /cups? Or /cups: both, /cups, and /cups; \"/cups?\"",
                 "Is it / cups ? Or / cups both / cups and / cups / cups ?");
    assert_words("tea.pot Kettle.boil, e.g. a.**b**. C", "tea . pot Kettle . boil e . g a . b C");
    assert_words("a = b, a=b, a == b, a != b\nTea\n===\n", "a = b a = b a = = b a ! = b Tea");
    assert_words("#optional, # optional ##optional !hot wow!", "# optional optional optional ! hot wow !");
}

TEST(brackets_of_all_kinds_are_words)
{
    assert_words("/cups/{cup}/pour ${CUP} $CUP {cup_name} {a[0].b}",
                 "/ cups / { cup } / pour $ { CUP } $CUP { cup_name } { a [ 0 ] . b }");
    assert_words("&#123;cup&rcub; &lbrace;cup} \\{cup\\}", "{ cup } { cup } { cup }");
    assert_words("{ \"a\": 1 } {\"a\":1} {} cup { size: 1 } {a, b} {a:b}",
                 "{ a 1 } { a 1 } { } cup { size 1 } { a b } { a b }");
    assert_words("{cup } {1} {cup ${} x}", "{ cup } { 1 } { cup $ { } x }");
}

TEST(a_minus_before_a_word_is_a_word)
{
    assert_words("-hot, --hot -\\-hot \u2013hot &ndash;hot `-hot` (-hot) [-1]",
                 "- hot -- hot -- hot -- hot -- hot - hot ( - hot ) [ -1 ]");
    assert_words("a - b -- c \u2014 d --- e--f g\u2014h ---i", "a b c d e f g h i");
    assert_words("tea-pot tea\u2011pot tea-\npot pre- and tea\u2013time 1\u20132 1&ndash;2",
                 "tea - pot tea - pot tea - pot pre - and tea time 1 - 2 1 - 2");
    assert_words("- tea\n- milk\n| - | -- |\n|---|----|\n---\n", "tea milk");
}

TEST(the_mark_that_hides_code_is_a_word)
{
    assert_words("import tea\n# import tea\n# Import tea\n# from tea import leaf\n",
                 "import tea # import tea Import tea # from tea import leaf");
    assert_words("# cup = fill(1)\n# cup.fill(\n# x[0] = 1\n#$cup = $string\n# )\n# ]})",
                 "# cup = fill ( 1 ) # cup . fill ( # x [ 0 ] = 1 # $cup = $string # ) # ] } )");
    assert_words("#     \"cup\": 1,\n# \"hot\",\n# curl https://tea\n# GET tea\n# | tea | 1 |\n",
                 "# cup 1 # hot # curl https tea # GET tea # tea 1");
    assert_words("// message Cup {\n// message Cup\n// message bodies are empty\n// TEA = 0;\n//}",
                 "// message Cup { // message Cup message bodies are empty // TEA = 0 // }");
    assert_words("# Tea (V2)\n## cup(s) of tea\n# fill(1) says it.\n# Is x == 1\n",
                 "Tea ( V2 ) cup ( s ) of tea fill ( 1 ) says it Is x = = 1");
    assert_words("..\n  tea is hidden\n\n.. tea too .. _label: and a... b<p>.. c</p>",
                 ".. tea is hidden .. tea too and a ... b .. c");
}

TEST(items_have_the_number_of_their_place)
{
    assert_words("Tea:\n\n1. fill\n1. boil\n1. pour\n", "Tea 1 fill 2 boil 3 pour");
    assert_words("5) fill\n\n  and wait\n\n7) boil\nlong\n\nThen:\n\n1. pour\n1. drink",
                 "1 fill and wait 2 boil long Then 1 pour 2 drink");
    assert_words("> 1. fill\n>    9. tea\n>    9. sugar\n> 1. boil", "1 fill 1 tea 2 sugar 2 boil");
    assert_words("# Tea\n7. fill\n7. boil\n# Milk\n7. pour", "Tea 1 fill 2 boil Milk 7 pour");
    assert_words("2. a lone item", "2 a lone item");
    assert_words("there are\n4. That is all, not\n5. Is it?", "there are 4 That is all not 5 Is it ?");
    assert_words("\n4.5 cups\n4.\n5.x\n1234567890. y\n1234567890. z", "4.5 cups 4 5 . x 1234567890 y 1234567890 z");
}

TEST(front_matter_is_no_part_of_a_text)
{
    assert_words("---\ntitle: Tea\n---\nMilk", "Milk");
    assert_words("\xef\xbb\xbf---\ntitle: Tea\n---\nMilk", "Milk");
    assert_words("---\nTea\n---\nMilk", "Tea Milk");
    assert_words("---\ntitle: Tea", "title Tea");
    assert_words("Tea\n---\ntitle: Milk\n---\n", "Tea title Milk");
}

TEST(what_stands_in_angle_brackets_is_kept_apart)
{
    assert_words("map<string, Cup> cups = 4;", "map cups = 4");
    EACH(text, "map<string, Cup> cups = 4;", "map&lt;string, Cup&gt; cups = 4;", "map\\<string, Cup\\> cups = 4;")
        assert_angles(text, "map:string Cup");
    assert_angles("map<string, list<Cup>> cups", "map:string list Cup");
    assert_angles("look like <brand>_<size>.", "like:brand size");
    assert_angles("if a < b and c > d", "a:< c:>");
    assert_angles("if a &lt; b and c &gt; d", "a:< c:>");
    assert_angles("a <400 b", "a:<");
    EACH(text, "a <b>c</b> <br/> <a href=\"x\">d</a> <x-y z=\"1\">", "> quoted\n> twice -> arrow", "<first> is lost",
         "see <https://kettles.example/tea>. &lt;https://x.example&gt; Or")
        assert_angles(text, "");
}

TEST(words_know_where_they_stand)
{
    struct words words = words_of(STR("  Two\u00b2 **mugs** <big> x"), &arena);
    assert_int_equal(words.count, 3);
    assert_int_equal(words.items[0].begin, 2);
    assert_int_equal(words.items[0].end, 7);
    assert_int_equal(words.items[1].begin, 10);
    assert_int_equal(words.items[1].end, 14);
}

/* The digests are those of `printf 'the Water boils' | sha256sum`, of each of its words, and of "hot tea\n". */
TEST(fingerprints_are_those_of_the_joined_words)
{
    struct words words = words_of(STR("the \"Water\" <hot tea>\nboils."), &arena);
    assert_text(fingerprint_of(words.items, words.count, &arena), "sha256:d98256165ead2de4");
    assert_text(digits_of(words.items, words.count, &arena), "b97c8e");
    assert_text(fingerprint_of_angles(words.items, words.count, &arena), "sha256:b8099613545e5ba8");
    assert_int_equal(fingerprint_of_angles(words.items + 2, 1, &arena).size, 0);
    assert_true(is_fingerprint(fingerprint_of(words.items, 1, &arena)));
    EACH(text, "sha256:0123456789abcde", "sha256:0123456789abcdeg", "sha-256:123456789abcdef")
        assert_false(is_fingerprint(str_of(text)));
}

TEST(digits_are_read_back)
{
    size_t count = 0;
    const unsigned char *bytes = digits_read(STR("b90f"), &count, &arena);
    assert_int_equal(count, 2);
    assert_int_equal(bytes[0], 0xb9);
    assert_int_equal(bytes[1], 0x0f);
    assert_null(digits_read(STR("b90"), &count, &arena));
    assert_null(digits_read(STR("B9"), &count, &arena));
}
