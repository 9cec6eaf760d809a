/* Metrics as the judge reads them. The first text is the example of Prometheus' page "Exposition formats". */
#include "base/search.h"
#include "protocols/monitoring/exposition.h"
#include "tests/scratch.h"

static const char published[] =
    "# HELP http_requests_total The total number of HTTP requests.\n"
    "# TYPE http_requests_total counter\n"
    "http_requests_total{method=\"post\",code=\"200\"} 1027 1395066363000\n"
    "http_requests_total{method=\"post\",code=\"400\"}    3 1395066363000\n"
    "\n"
    "# Escaping in label values:\n"
    "msdos_file_access_time_seconds{path=\"C:\\\\DIR\\\\FILE.TXT\",error=\"Cannot find file:\\n\\\"FILE.TXT\\\"\"} "
    "1.458255915e9\n"
    "\n"
    "# Minimalistic line:\n"
    "metric_without_timestamp_and_labels 12.47\n"
    "\n"
    "# A weird metric from before the epoch:\n"
    "something_weird{problem=\"division by zero\"} +Inf -3982045\n"
    "\n"
    "# A histogram, which has a pretty complex representation in the text format:\n"
    "# HELP http_request_duration_seconds A histogram of the request duration.\n"
    "# TYPE http_request_duration_seconds histogram\n"
    "http_request_duration_seconds_bucket{le=\"0.05\"} 24054\n"
    "http_request_duration_seconds_bucket{le=\"+Inf\"} 144320\n"
    "http_request_duration_seconds_sum 53423\n"
    "http_request_duration_seconds_count 144320\n"
    "\n"
    "# Finally a summary, which has a complex representation, too:\n"
    "# HELP rpc_duration_seconds A summary of the RPC duration in seconds.\n"
    "# TYPE rpc_duration_seconds summary\n"
    "rpc_duration_seconds{quantile=\"0.01\"} 3102\n"
    "rpc_duration_seconds_sum 1.7560473e+07\n"
    "rpc_duration_seconds_count 2693\n";

TEST(the_published_example)
{
    const struct tree *tree = exposition_read(str_of(published), &arena);
    const struct tree *families = tree_member(tree, "families");
    assert_tree(tree_member(tree, "faults"), "{}");
    assert_tree(tree_member(tree, "samples"), "12");
    assert_int_equal(families->count, 6);
    assert_tree(tree_member(families, "http_requests_total"),
                "{'type':'counter','help':'The total number of HTTP requests.','samples':["
                "{'name':'http_requests_total','labels':{'method':'post','code':'200'},'value':1027},"
                "{'name':'http_requests_total','labels':{'method':'post','code':'400'},'value':3}]}");
    assert_tree(tree_member(families, "msdos_file_access_time_seconds"),
                "{'samples':[{'name':'msdos_file_access_time_seconds','labels':{'path':'C:\\\\DIR\\\\FILE.TXT',"
                "'error':'Cannot find file:\\n\\\"FILE.TXT\\\"'},'value':1458255915}]}");
    assert_tree(tree_member(families, "something_weird"),
                "{'samples':[{'name':'something_weird','labels':{'problem':'division by zero'},'value':'+Inf'}]}");
    assert_int_equal(tree_member(tree_member(families, "http_request_duration_seconds"), "samples")->count, 4);
    assert_int_equal(tree_member(tree_member(families, "rpc_duration_seconds"), "samples")->count, 3);
}

TEST(values_of_a_model_are_added)
{
    struct str text = json("f{model='a',version='1',reason='x'} 1\nf{model='a',version='1',reason='y'} 2.0\n"
                           "f{model='a',version='2'} 4\nf{model='b',version='1'} NaN\nf{model='b'} 5\n"
                           "g{version='1',model='a'} 7\n");
    assert_tree(tree_member(exposition_read(text, &arena), "models"), "{'a':{'1':{'f':3,'g':7},'2':{'f':4}}}");
}

/* A text with ' in place of ", and the sentence of its only fault. */
struct example {
    const char *text, *kind, *says;
};

static void check(const struct example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct tree *faults = tree_member(exposition_read(json(examples[i].text), &arena), "faults");
        if (faults->count != 1)
            fail_msg("%s: %s", examples[i].text, text_of(faults));
        assert_text(tree_text(faults, examples[i].kind), json(examples[i].says).data);
    }
}

#define CHECK(...)                                                                                                     \
    const struct example examples[] = {__VA_ARGS__};                                                                   \
    check(examples, COUNT_OF(examples))

#define HISTOGRAM "# TYPE h histogram\n"

TEST(histograms_and_summaries)
{
    CHECK(
        {"# TYPE s summary\ns{quantile='0.9'} 5\ns{quantile='0.1'} 1\n", "distribution", "s {}: quantiles do not rise"},
        {HISTOGRAM "h_bucket{le='1'} 2\nh_count 2\n", "distribution", "h {}: there is no bucket with le='+Inf'"},
        {HISTOGRAM "h_bucket{le='+Inf',a='b'} 2\nh_count{a='b'} 3\n", "distribution",
         "h {a='b'}: _count is not the value of the bucket with le='+Inf'"},
        {HISTOGRAM "h_bucket{le='+Inf'} 2\n", "distribution",
         "h {}: _count is not the value of the bucket with le='+Inf'"},
        {HISTOGRAM "h_bucket{le='1'} 2\nh_bucket{le='2'} 1\nh_bucket{le='+Inf'} 2\nh_count 2\n", "distribution",
         "h {}: the counts of the buckets fall"},
        {HISTOGRAM "h_bucket{le='+Inf'} 2\nh_bucket{le='1'} 1\nh_count 2\n", "distribution",
         "h {}: le does not rise from bucket to bucket"},
        {HISTOGRAM "h_bucket{le='much'} 2\nh_count 2\n", "distribution", "h {}: a bucket without a number in le"});
}

TEST(the_words_of_help_are_escaped)
{
    CHECK({"# HELP a C:\\temp\n", "help", "line 1: only \\\\ and \\n may follow a backslash: C:\\x5ctemp"},
          {"# HELP a b\\\n", "help", "line 1: only \\\\ and \\n may follow a backslash: b\\x5c"});
}

TEST(what_is_right)
{
    static const char histogram[] =
        "# TYPE h histogram\nh_bucket{le='1',a='b'} 1\nh_bucket{a='b',le='+Inf'} 1\nh_bucket{le='1'} 2\n"
        "h_bucket{le='+Inf'} 3\nh_sum 1\nh_count 3\nh_count{a='b'} 1\n";
    EACH(text, "", "\n\n", "  \t a \t 1 \t 2 \t\n", "a{} 1\n", "a{b='c',} 1\n", "a { b = 'c' , d = '' } -1e-3\n",
         "a NaN\nb Inf\nc -infinity\nd 0x1p-2\ne 1e400\n", "#\n# any words\n# TYPES a b c d\n", "# HELP a\na 1\n",
         ":a_1 1\n", "# TYPE a counter\n# HELP a it\na 1\na{b='1'} 1\n", "a{b='\\\\\\'\\n}'} 1\n",
         "a{b='1'} 1\na{b='2'} 1\na{c='1'} 1\na 1\n", "# TYPE a summary\na_sum 1\na_bucket 2\n",
         "# HELP a two\\nlines, one \\\\\n", "# TYPE h histogram\n", histogram,
         "# TYPE s summary\ns{quantile='0.1'} 5\ns{quantile='0.9'} 1\ns_sum 1\ns_count 3\n")
        assert_tree(tree_member(exposition_read(json(text), &arena), "faults"), "{}");
}

#define LABELS "the labels are not formed as {name='value',...}: "

TEST(what_is_wrong)
{
    CHECK({"a 1", "last-line", "line 1: no line feed at the end: a 1"},
          {"a\n", "line", "line 1: a sample is a name, labels, a value and a timestamp: a"},
          {"a 1 2 3\n", "line", "line 1: a sample is a name, labels, a value and a timestamp: a 1 2 3"},
          {"\na{b='1' 1\n", "line", "line 2: " LABELS "a{b='1' 1"},
          {"a{b='1} 1\n", "line", "line 1: " LABELS "a{b='1} 1"}, {"a{b='\\\n", "line", "line 1: " LABELS "a{b='\\x5c"},
          {"a{b} 1\n", "line", "line 1: " LABELS "a{b} 1"}, {"a{\n", "line", "line 1: " LABELS "a{"},
          {"1a 1\n", "name", "line 1: no name of a metric: 1a"},
          {"{b='1'} 1\n", "name", "line 1: no name of a metric: "},
          {"# TYPE a-b counter\n", "name", "line 1: no name of a metric: a-b"},
          {"a{b:c='1'} 1\n", "name", "line 1: no name of a label: b:c"},
          {"a{b='1',b='2'} 1\n", "label", "line 1: a label that is there twice: b"},
          {"a{b='\\t'} 1\n", "label", "line 1: only \\\\, \\' and \\n may follow a backslash: \\x5ct"},
          {"a one\n", "value", "line 1: no number: one"}, {"a 0x10\n", "value", "line 1: no number: 0x10"},
          {"a nan(1)\n", "value", "line 1: no number: nan(1)"}, {"a 1 1.5\n", "value", "line 1: no timestamp: 1.5"},
          {"# TYPE a number\n", "type", "line 1: no type of a metric: number"},
          {"# TYPE a\n", "line", "line 1: TYPE has two words after it: # TYPE a"},
          {"# TYPE a gauge now\n", "line", "line 1: TYPE has two words after it: # TYPE a gauge now"},
          {"# TYPE a gauge\n# TYPE a gauge\n", "type-once", "line 2: a second TYPE: a"},
          {"a 1\n# TYPE a gauge\n", "type-first", "line 2: TYPE follows a sample: a"},
          {"# HELP a b\n# HELP a\n", "help-once", "line 2: a second HELP: a"},
          {"a 1\nb 1\na{c='1'} 1\n", "grouped",
           "line 3: this metric has lines further up, and those of another one stand between: a"},
          {"a{b='1',c='2'} 1\na{c='2',b='1'} 2\n", "sample-once",
           "line 2: another sample has the same labels: a{b\\x001\\x00,c\\x002\\x00"});
}

TEST(bytes_that_are_no_text_are_two_faults)
{
    assert_tree(tree_member(exposition_read(STR("a\xff 1\n"), &arena), "faults"),
                "{'line':'line 1: no UTF-8: a\\\\xff 1','name':'line 1: no name of a metric: a\\\\xff'}");
}

TEST(there_is_an_end)
{
    char *text = arena_alloc(&arena, 2 * EXPOSITION_LINES_MAX);
    memset(text, '\n', 2 * EXPOSITION_LINES_MAX);
    assert_non_null(exposition_read((struct str){text, EXPOSITION_LINES_MAX - 1}, &arena));
    assert_null(exposition_read((struct str){text, EXPOSITION_LINES_MAX}, &arena));
}
