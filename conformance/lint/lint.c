#include "lint/lint.h"

#include "base/count.h"
#include "base/search.h"
#include "lint/linter.h"
#include "protocols/protocol.h"
#include "suite/grammar.h"

const struct lint_rule lint_rules[] = {
    /* the form of one file */
    {"format", "a file is formatted as `lint --fix` does it, and no line is longer than 120 columns"},
    {"member-known", "an object has only members that its form allows"},
    {"member-required", "an object has the members that its form requires"},
    {"member-type", "a member's value has the type that its form requires"},
    {"member-once", "no object has two members of the same name"},
    {"act", "a case has exactly one of infer, http, grpc, tcp, steps and on, and only members of that act"},
    {"act-form", "http is \"METHOD /path [HTTP/1.0]\", grpc \"Rpc\" or \"package.Service/Rpc\""},
    {"slug",
     "folders, files and neighbours have names of lower-case letters, digits and hyphens (neighbours: also _ and .)"},
    {"over-known", "`over` names encodings of infer"},
    {"steps",
     "all steps are of one kind, the last step and the case do not both have `expect`, and `finally` has none"},
    {"conn", "a step of tcp names its connection; a step that reads or closes names one that was used before; no "
             "request shares one"},
    {"within", "`within` is a time, and its step changes nothing"},
    {"path-prefix", "a path that is sent as bytes begins with ${prefix}, because the target's address may have a path"},
    {"edit", "`bytes` has one of its five forms; an offset inside the bytes needs bytes that are written in the case"},
    {"watcher", "a watcher looks at one transport, and has no member of a case that sends"},
    {"registry", "each profile and each encoding of encodings.json has its code in conformance/protocols"},
    {"profile", "an http, grpc or tcp case is in the folder of a profile of its transport"},
    /* values */
    {"for", "`for` names tables and values that exist, with plain labels, and not too many"},
    {"variables", "every ${variable} has a value where it is used"},
    {"codec", "every codec can be turned into bytes"},
    {"request", "every request can be made, unless its encoding cannot express it"},
    {"state-known", "`needs` names a state of servers.json"},
    {"model-told", "models.json describes each model of fixtures/models, and no other"},
    {"model-known", "`infer` and `model` name a model of fixtures/models"},
    {"any-model",
     "a case of the model \"*\" takes its inputs from discovery, and only such a case has ${found:/probe/...}"},
    {"model-literal", "elsewhere a model's name is ${model} or ${no-model}, so that --map works"},
    {"link",
     "`seen` and the links of interop.json lead to a thread, a commit, a file or a page, not to a whole repository"},
    /* neighbours */
    {"one-change", "a neighbour differs from its base in one thing, or has `because`"},
    {"because-needed", "`because` is there only if there is more than one change"},
    {"change",
     "the pointer of set, remove and copy exists, and set changes its value; the pointer of add does not exist"},
    /* expectations */
    {"key-full", "a key in an http or grpc case has its prefix"},
    {"key-known", "every key has a row in the ledger"},
    {"key-once", "no exchange expects a key twice"},
    {"observation",
     "an observation is \"refused\", \"same\" (not in a base), \"agrees\", \"answered\", one that the family names, "
     "$any or a pattern"},
    {"observation-name", "`observations` does not redefine refused, same, agrees and answered"},
    {"observation-used", "each of `observations` is expected somewhere in its family"},
    {"agrees", "\"agrees\" is only in the base of an infer case, which is played in several encodings"},
    {"pattern", "an object with a $ name has no other member, and is a matcher or codec with a valid argument"},
    {"any-open", "a row of level open names its observations by $any"},
    {"any-exclusive", "no answer meets two choices of one $any"},
    {"client-code", "a case expects more than a code that client libraries can make themselves"},
    {"null-server", "an expectation that a server without any function meets has a control that such a server fails"},
    {"answer", "the `answer` of a case meets each of its expectations, by the newest edition of the documents"},
    {"guide", "`guide` of a profile lists cases of that profile that have an `answer`"},
    /* controls */
    {"control-known", "a control names a case, and a key that it expects"},
    {"control-acyclic", "no case waits for itself, directly or through others"},
    {"id-once", "no two plays have the same ID"},
    /* ledger and deviations */
    {"ledger-file", "a row is in the file of its prefix"},
    {"ledger-once", "no key has two rows"},
    {"implies", "`implies` of a row names other rows of the ledger"},
    {"ledger-why", "a row that is not tested says why"},
    {"layer-text", "a row of a text is of layer transport; a row of a profile is so only if it cites no document"},
    {"layer-case", "a row about refusals has a case that changes a correct request, or that has one as its control"},
    {"level-source", "a MUST cites a text, not only a convention"},
    {"level-leak",
     "a MUST does not demand what a weaker row owns, unless that row is its control or an alternative does without"},
    {"document-known", "documents.json has title and address of each text that a row cites"},
    {"ledger-sentence", "a source names a section and a sentence that are in fixtures/texts"},
    {"text-once", "a sentence that a row cites is unique in its section"},
    {"text-row", "a row of the ledger cites each unit of a text, or the unit says `why` not"},
    {"schema-once", "no schema has the same member twice"},
    {"schema-row", "each member of a schema names rows of the ledger, or says `why` not"},
    {"coverage", "a row with status tested that binds servers has a case"},
    {"killer", "some deviation breaks each key that a case expects, so that the case can be seen to fail"},
    {"deviation-key", "a deviation breaks a key of the ledger"},
    {"deviation-model", "the model in `on` of a deviation exists"},
    {"problem-case",
     "a problem of interop.json names cases that exist and name its link in `seen`, or says why it has none"},
};
const size_t lint_rule_count = COUNT_OF(lint_rules);

/* Checks the members of every object. Returns whether the forms are right. */
static bool check_forms(const struct suite *suite, struct faults *faults)
{
    for (size_t i = 0; i < suite->family_count; i++)
        grammar_check(GRAMMAR_CASE, suite->families[i].tree, family_place(&suite->families[i], faults));
    FOR_EACH(row, suite->ledger.rows, suite->ledger.count)
        grammar_check(GRAMMAR_LEDGER_ROW, row->tree, row_place(row, faults));
    for (size_t i = 0; i < suite->deviation_count; i++)
        grammar_check(GRAMMAR_DEVIATION, suite->deviations[i].tree, deviation_place(&suite->deviations[i], faults));
    for (const struct tree *watched = tree_first(suite->watched); watched; watched = watched->next)
        grammar_check(GRAMMAR_WATCHED, watched,
                      place_below(place_in(faults, STR("watch.json"), STR("")), watched->name));
    return faults->list.count == 0;
}

/* Checks what needs more than one object, or the meaning of one. */
static void check_meaning(const struct suite *suite, struct arena *arena, struct faults *faults)
{
    struct plan_target target = plan_nominal(suite, arena);
    struct plan plan;
    struct status status = protocols_check(&suite->registry, arena);
    if (!is_ok(status))
        fault_add(place_in(faults, STR("encodings.json"), STR("")), "registry", "%.*s", STR_ARG(status.message));
    plan_make_all(suite, &target, &plan, faults);
    struct linter linter = {suite, &plan, arena, faults};
    for (size_t i = 0; i < suite->family_count; i++)
        lint_case(&linter, &suite->families[i], family_place(&suite->families[i], faults));
    lint_ledger(&linter);
    lint_levels(&linter);
    lint_texts(&linter);
    lint_schemas(&linter);
    lint_problems(&linter);
    lint_watched(&linter);
    lint_models(&linter);
    lint_format(&linter);
    lint_null_servers(&linter);
    lint_answers(&linter);
    plan_free(&plan);
}

size_t lint_suite(const struct suite *suite, struct buf *out)
{
    struct arena arena = memory_arena();
    struct faults faults = {.arena = &arena};
    bool formed = check_forms(suite, &faults);
    if (formed)
        check_meaning(suite, &arena, &faults);
    for (size_t i = 0; i < faults.list.count; i++) {
        buf_append_str(out, fault_line(faults.list.items[i], &arena));
        buf_append_byte(out, '\n');
    }
    if (!formed)
        buf_append_literal(out, "Fix these forms first: the other rules were not checked, because a broken form makes "
                                "their findings misleading.\n");
    size_t count = faults.list.count;
    arena_free(&arena);
    return count;
}
