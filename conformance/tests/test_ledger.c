/* Looking requirements up. */
#include "suite/ledger.h"
#include "tests/scratch.h"

static struct status read_text(const char *text, struct ledger *ledger)
{
    const struct tree *documents = parse("{'000': {'title': 'Predict', 'address': 'https://x/y'},"
                                         " 'habit': {'title': 'What servers share'}}");
    struct ledger_file file = {STR("requirements/a.json"), parse(text)};
    return ledger_read(&file, 1, documents, &arena, ledger);
}

TEST(rows_are_found_by_their_whole_key)
{
    struct ledger ledger;
    assert_ok(read_text("[{'key': 'b.two', 'level': 'open', 'layer': 'answers'},"
                        " {'key': 'a.one.more', 'level': 'should', 'layer': 'refusals'},"
                        " {'key': 'b.tw', 'level': 'may', 'layer': 'transport'}]",
                        &ledger));
    assert_int_equal(ledger.count, 3);
    const struct requirement *row = ledger_find(&ledger, STR("a.one.more"));
    assert_non_null(row);
    assert_text(row->prefix, "a");
    assert_text(row->slug, "one.more");
    assert_int_equal(row->level, LEVEL_SHOULD);
    assert_int_equal(ledger_find(&ledger, STR("b.tw"))->level, LEVEL_MAY);
    assert_int_equal(ledger_find(&ledger, STR("b.two"))->level, LEVEL_OPEN);
    assert_null(ledger_find(&ledger, STR("b.t")));
    assert_null(ledger_find(&ledger, STR("")));
}

TEST(an_empty_ledger_finds_nothing)
{
    struct ledger ledger;
    assert_ok(read_text("[]", &ledger));
    assert_null(ledger_find(&ledger, STR("a.b")));
}

TEST(sources_are_named_with_their_section)
{
    struct ledger ledger;
    assert_ok(read_text("[{'key': 'a.b', 'level': 'must', 'layer': 'answers', 'sources': [{'text': '000', 'section': "
                        "'Health'}, {'text': 'habit'}, {'text': 'RFC 9110'}]},"
                        " {'key': 'a.c', 'level': 'must', 'layer': 'answers'}]",
                        &ledger));
    const struct requirement *row = ledger_find(&ledger, STR("a.b"));
    assert_text(row->source, "Predict (000), \"Health\", https://x/y; What servers share (habit); RFC 9110");
    assert_text(row->cites, "Predict (000), \"Health\"; What servers share (habit); RFC 9110");
    assert_int_equal(ledger_find(&ledger, STR("a.c"))->source.size, 0);
}

TEST(a_text_and_a_section_are_named_once)
{
    struct ledger ledger;
    assert_ok(read_text("[{'key': 'a.b', 'level': 'must', 'layer': 'answers', 'sources': [{'text': '000', 'section': "
                        "'One'}, {'text': 'habit'}, {'text': '000', 'section': 'Two'},"
                        " {'text': '000', 'section': 'One'}, {'text': '000'}]}]",
                        &ledger));
    const struct requirement *row = ledger_find(&ledger, STR("a.b"));
    assert_text(row->source, "Predict (000), \"One\", \"Two\", https://x/y; What servers share (habit)");
    assert_text(row->cites, "Predict (000), \"One\", \"Two\"; What servers share (habit)");
}

TEST(rows_without_key_level_or_layer_are_refused_with_their_place)
{
    EACH(text,
         "[{'key': 'a.b', 'level': 'must', 'layer': 'answers'}, {'key': 'ab', 'level': 'must', 'layer': 'answers'}]",
         "[{}, {'key': '.b', 'level': 'must', 'layer': 'answers'}]",
         "[{'key': 'a.b', 'level': 'must', 'layer': 'answers'}, {'key': 'a.', 'level': 'must', 'layer': 'answers'}]",
         "[{'key': 'a.b', 'level': 'must', 'layer': 'answers'}, {'key': 'a.c'}]", "[{'key': 'a.b', 'level': 'must'}]",
         "[{'key': 'a.b', 'level': 'must', 'layer': 'http'}]", "[1]", "7") {
        struct ledger ledger;
        assert_has(read_text(text, &ledger).message, "requirements/a.json");
    }
}
