#include "editions/edition.h"
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
    struct str words = joined(text);
    if (!str_is(words, expected))
        print_error("'%s' gave '%.*s'\n", text, STR_ARG(words));
    assert_true(str_is(words, expected));
}

/* The same page as its author writes it, as a browser shows it, as HTML, and as a copy on one line without quotes,
 * brackets and superscripts. */
static const char markdown[] =
    "# Kettle *Protocol*\n\n"
    "A kettle __must__ whistle when the water boils; see [Whistling](https://kettles.example/a_b#whistle) for\n"
    "the pitch. The kettle's state is `kettle_state`, one of \"cold\" or “hot”.\n\n"
    "```json\n{ \"kettle\" : <state string> }\n```\n\n"
    "* Names look like “<brand>_<size>”. At most 2<sup>32</sup> cups fit, `Cup`s of tea included.\n"
    "![a kettle](kettle.png)\n";
static const char shown[] =
    "Kettle Protocol\n\nA kettle must whistle when the water boils; see Whistling for the pitch. The kettle’s state is "
    "kettle_state, one of \"cold\" or \"hot\".\n\n{ \"kettle\" : <state string> }\n\n"
    "• Names look like “_”. At most 2³² cups fit, Cups of tea included.\n";
static const char html[] =
    "<h1>Kettle <em>Protocol</em></h1><!-- not <shown> --><p>A kettle <b>must</b> whistle when the water boils; see "
    "<a href=\"https:kettles\">Whistling</a> for the pitch. The kettle&#39;s state is <code>kettle_state</code>, one "
    "of "
    "&quot;cold&quot; or &ldquo;hot&rdquo;.<pre>{ \"kettle\" : &lt;state string&gt; }</pre>"
    "<li>Names look like “&lt;brand&gt;_&lt;size&gt;”. At most 2<sup>32</sup> cups fit, <code>Cup</code>s of tea "
    "included.";
static const char one_line[] =
    "Kettle Protocol A kettle must whistle when the water boils; see Whistling for the pitch. The kettle s state is "
    "kettle_state, one of cold or hot. { kettle :  } * Names look like _. At most 232 cups fit, Cups of tea included.";

static const char words_of_all[] =
    "kettle protocol a kettle must whistle when the water boils see whistling for the pitch the kettle s state is "
    "kettle "
    "state one of cold or hot kettle names look like at most 232 cups fit cups of tea included";

static void test_published_and_plain_forms_of_a_text_have_the_same_words(void **state)
{
    (void)state;
    assert_words(markdown, words_of_all);
    assert_words(shown, words_of_all);
    assert_words(html, words_of_all);
    assert_words(one_line, words_of_all);
}

static void test_what_only_looks_like_a_mark_keeps_its_words(void **state)
{
    (void)state;
    assert_words("if a < b and c > d", "if a b and c d");
    assert_words("<https://kettles.example/tea>", "https kettles example tea");
    assert_words("an array[0](see below) stays", "an array 0 see below stays");
    assert_words("an array[0] (see below)", "an array 0 see below");
    assert_words("[/cups/${CUP}]/pour", "cups cup pour");
    assert_words("salt & pepper; AT&T", "salt pepper at t");
    assert_words("wow! [really](x)", "wow really");
    assert_words("model\\_name, x86-64, 3.5", "model name x86 64 3 5");
    assert_words("z\xc3\xbcrich \xff ok", "z rich ok");
    assert_words("2^10 2\u00b9\u2070", "210 210");
    assert_words("soft\u00adware", "software");
    assert_words("```proto message Kettle {}``` tea", "proto message kettle tea");
    assert_words("", "");
    assert_words("<", "");
    assert_words("&lt;unclosed", "unclosed");
    assert_words("![never closed", "never closed");
}

static void test_words_know_where_they_stand(void **state)
{
    (void)state;
    struct words words = words_of(STR("  Two\u00b2 **mugs**"), &arena);
    assert_int_equal(words.count, 2);
    assert_int_equal(words.items[0].begin, 2);
    assert_int_equal(words.items[0].end, 7);
    assert_int_equal(words.items[1].begin, 10);
    assert_int_equal(words.items[1].end, 14);
}

/* The digests are those of `printf 'the water boils' | sha256sum` and of each of its words. */
static void test_fingerprints_are_those_of_the_joined_words(void **state)
{
    (void)state;
    struct words words = words_of(STR("The \"water\"\nBOILS!"), &arena);
    assert_true(str_is(fingerprint_of(words.items, words.count, &arena), "sha256:fafe75cdd9cc3162"));
    assert_true(str_is(sketch_of(words.items, words.count, &arena), "b90f8e"));
}

/* --- Editions --- */

static struct sentence sentence_of(const char *text)
{
    struct words words = words_of(str_of(text), &arena);
    return (struct sentence){.fingerprint = fingerprint_of(words.items, words.count, &arena),
                             .sketch = sketch_of(words.items, words.count, &arena)};
}

static struct sentence search(const char *edition_text, const char *text)
{
    struct sentence sentence = sentence_of(text);
    struct edition edition = edition_read(str_of(edition_text), &arena);
    edition_find(&edition, &sentence, 1, &arena);
    edition_find_changed(&edition, &sentence, 1, &arena);
    return sentence;
}

static void test_a_sentence_stands_in_every_form_of_its_text(void **state)
{
    (void)state;
    const char *const forms[] = {markdown, shown, html, one_line};
    const char *const sentences[] = {"A kettle must whistle when the water boils", "names look like",
                                     "At most 232 cups fit, cups of tea included"};
    for (size_t form = 0; form < 4; form++)
        for (size_t i = 0; i < 3; i++)
            assert_int_equal(search(forms[form], sentences[i]).finding, SENTENCE_STANDS);
}

static void test_a_reworded_sentence_is_changed_and_shown(void **state)
{
    (void)state;
    struct sentence found =
        search("Tea first. A kettle should whistle loudly when\nthe water boils; and more. The end.",
               "A kettle must whistle when the water boils");
    assert_int_equal(found.finding, SENTENCE_CHANGED);
    assert_true(str_is(found.now, "A kettle should whistle loudly when the water boils"));
    assert_int_equal(search(one_line, "A kettle must whistle as soon as the water boils").finding, SENTENCE_CHANGED);
    assert_int_equal(search(one_line, "At most 232 mugs fit, cups of tea included").finding, SENTENCE_CHANGED);
}

static void test_a_sentence_without_its_words_is_gone(void **state)
{
    (void)state;
    assert_int_equal(search(one_line, "every toaster ought to be cleaned by its owner").finding, SENTENCE_GONE);
    assert_int_equal(search("", "A kettle must whistle when the water boils").finding, SENTENCE_GONE);
    /* the words are there, but in another order */
    assert_int_equal(
        search("boils water the when whistle must kettle a", "A kettle must whistle when the water boils").finding,
        SENTENCE_GONE);
    /* the common words stand together, but the rare ones are missing */
    assert_int_equal(search("the cup of the tea in the pot of the tea by the jar of the tea of the pot in the cup",
                            "the size of the spoon in the drawer")
                         .finding,
                     SENTENCE_GONE);
}

static void test_a_sentence_without_a_sketch_is_found_or_gone(void **state)
{
    (void)state;
    struct sentence sentences[] = {sentence_of("the water boils"), sentence_of("the water freezes")};
    struct edition edition = edition_read(str_of(one_line), &arena);
    sentences[0].sketch = sentences[1].sketch = (struct str){0};
    assert_int_equal(edition_find(&edition, sentences, 2, &arena), 1);
    edition_find_changed(&edition, sentences, 2, &arena);
    assert_int_equal(sentences[0].finding, SENTENCE_STANDS);
    assert_int_equal(sentences[1].finding, SENTENCE_GONE);
}

static void test_rows_of_one_sentence_are_all_found(void **state)
{
    (void)state;
    struct sentence sentences[] = {sentence_of("the water boils"), sentence_of("of tea included"),
                                   sentence_of("the water boils")};
    struct edition edition = edition_read(str_of(markdown), &arena);
    assert_int_equal(edition_find(&edition, sentences, 3, &arena), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_and_plain_forms_of_a_text_have_the_same_words),
        cmocka_unit_test(test_what_only_looks_like_a_mark_keeps_its_words),
        cmocka_unit_test(test_words_know_where_they_stand),
        cmocka_unit_test(test_fingerprints_are_those_of_the_joined_words),
        cmocka_unit_test(test_a_sentence_stands_in_every_form_of_its_text),
        cmocka_unit_test(test_a_reworded_sentence_is_changed_and_shown),
        cmocka_unit_test(test_a_sentence_without_its_words_is_gone),
        cmocka_unit_test(test_a_sentence_without_a_sketch_is_found_or_gone),
        cmocka_unit_test(test_rows_of_one_sentence_are_all_found),
    };
    return cmocka_run_group_tests(tests, make_arena, drop_arena);
}
