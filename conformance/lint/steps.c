/* Lint of the steps of a case: connections, their order, and what each step may have. */
#include "lint/linter.h"

#include "base/search.h"
#include "support/expression.h"
#include "json/number.h"

struct site {
    struct linter *linter;
    const struct tree *tree;       /* the case */
    const struct profile *profile; /* the profile of its folder; NULL: the folder belongs to several */
    struct place place;
};

/* --- Connections --- */

static bool is_request(const struct tree *step)
{
    return tree_member(step, "http") || tree_member(step, "grpc") || tree_member(step, "infer");
}

/* Returns the first step before that sends on the connection; NULL if there is none. */
static const struct tree *opener_of(const struct tree *step, const struct tree *steps)
{
    struct str conn = tree_text(step, "conn");
    for (const struct tree *before = steps->first; before && before != step && conn.size; before = before->next)
        if ((tree_member(before, "tcp") || is_request(before)) && str_equal(tree_text(before, "conn"), conn))
            return before;
    return NULL;
}

/* Whether the step begins a stream: its messages go on a connection that later steps may use. */
static bool is_stream(const struct tree *step)
{
    return step && tree_member(step, "grpc") && tree_member(step, "messages") && tree_member(step, "conn");
}

/* What only a step of a stream has. */
static const char *member_of_streams(const struct tree *step)
{
    static const char *const members[] = {"messages", "cancel", "read"};
    return FIRST(i, COUNT_OF(members), tree_member(step, members[i]), members[i], NULL);
}

static bool does_something(const struct tree *step)
{
    static const char *const members[] = {"expect", "save", "messages", "read"};
    return tree_is_true(step, "half_close") || tree_is_true(step, "cancel") ||
           ANY(i, COUNT_OF(members), tree_member(step, members[i]));
}

static bool is_waited_for(const struct tree *step)
{
    static const char *const members[] = {"expect", "save", "times", "together", "within", "half_close"};
    return ANY(i, COUNT_OF(members), tree_member(step, members[i]));
}

/* A step, and what the steps before it did on its connection. */
struct use {
    const struct tree *step;
    const struct tree *opener; /* the first of them that sends; NULL: there is none */
    bool writes, asks;         /* it has bytes for the connection (tcp); it has a request */
    bool is_named;
};

static bool lacks_a_name(const struct use *use)
{
    return use->writes && !use->is_named;
}

static bool reads_no_stream(const struct use *use)
{
    return use->asks && !is_stream(use->step) && tree_member(use->step, "read");
}

static bool expects_too_early(const struct use *use)
{
    return use->asks && !is_stream(use->step) &&
           (use->is_named ? is_waited_for(use->step) : tree_is_true(use->step, "half_close"));
}

static bool opens_again(const struct use *use)
{
    return use->opener && (use->asks || (use->writes && is_request(use->opener)));
}

static bool continues(const struct use *use)
{
    return !use->writes && !use->asks;
}

static bool continues_nothing(const struct use *use)
{
    return continues(use) && !use->opener;
}

static bool continues_no_stream(const struct use *use)
{
    return continues(use) && !is_stream(use->opener) && member_of_streams(use->step);
}

static bool begins_often(const struct use *use)
{
    return is_stream(use->step) && tree_member(use->step, "times");
}

static bool does_nothing(const struct use *use)
{
    return continues(use) && !does_something(use->step);
}

/* The first rule that is broken is told. */
static const struct {
    bool (*is_broken)(const struct use *use);
    const char *says;
} conn_rules[] = {
    {lacks_a_name, "a step of tcp names its connection"},
    {reads_no_stream, "only of a stream a number of messages is read"},
    {expects_too_early,
     "a request on a named connection expects nothing: a later step of that `conn` reads its answer"},
    {opens_again, "the connection was used by a step before"},
    {continues_nothing, "no step before writes to this connection"},
    {continues_no_stream, "messages, cancel and read belong to a stream, which a step with grpc and messages begins"},
    {begins_often, "a stream begins once: later steps of its `conn` may be done several times"},
    {does_nothing, "the step does nothing: it neither sends, reads nor closes"},
};

static void check_conn(const struct site *site, const struct tree *step, const struct tree *steps)
{
    const struct use use = {.step = step,
                            .opener = opener_of(step, steps),
                            .writes = tree_member(step, "tcp") != NULL,
                            .asks = is_request(step),
                            .is_named = tree_text(step, "conn").size > 0};
    const char *says = FIRST(i, COUNT_OF(conn_rules), conn_rules[i].is_broken(&use), conn_rules[i].says, NULL);
    if (says)
        fault_add(site->place, "conn", "%s", says);
}

/* --- Waiting --- */

static bool is_among(struct str name, const struct tree *list)
{
    return ANY_IN(item, tree_first(list), str_equal(item->text, name));
}

static bool is_read(const struct profile *profile, struct str act)
{
    return act.size && profile &&
           (is_among(act, profile->reads) || (profile->beside && is_among(act, profile->beside->reads)));
}

static bool changes_nothing(const struct site *site, const struct tree *step)
{
    struct str http = tree_text(step, "http"), grpc = tree_text(step, "grpc");
    return str_starts(http, STR("GET ")) || str_starts(http, STR("HEAD ")) || is_read(site->profile, http) ||
           is_read(site->profile, grpc);
}

static void check_within(const struct site *site, const struct tree *step)
{
    struct str within = tree_text(step, "within");
    double seconds;
    bool time = within.size > 1 && within.data[within.size - 1] == 's' &&
                number_read_double((struct str){within.data, within.size - 1}, &seconds) && seconds > 0;
    if (within.size && !(time && changes_nothing(site, step)))
        fault_add(site->place, "within",
                  "must be a time as \"10s\", at a step that changes nothing when it is asked again");
}

static void check_count(const struct site *site, const struct tree *step, const char *name)
{
    const struct tree *member = tree_member(step, name);
    int64_t count;
    bool bytes = tree_member(step, "tcp") || tree_member(step, "conn"), together = str_is(str_of(name), "together");
    bool list = member && member->type == TREE_ARRAY && together && member->count > 1;
    if (member && !list && !(tree_to_int64(member, &count) && count > 1 && count <= 256))
        fault_add(site->place, "steps", "%s must be a number from 2 to 256%s", name,
                  together ? ", or a list of values" : "");
    if (member && bytes && together)
        fault_add(site->place, "steps", "connections of tcp are not used together: give each its name");
}

static void check_read(const struct site *site, const struct tree *step)
{
    const struct tree *read = tree_member(step, "read");
    int64_t count;
    if (read && !(tree_to_int64(read, &count) && count >= 1 && count <= 1000))
        fault_add(site->place, "steps", "read must be a number from 1 to 1000");
    if (tree_member(step, "conn") && (tree_member(step, "within")))
        fault_add(site->place, "within", "what is sent on a connection is not asked again");
}

/* --- All steps --- */

static bool has_act(const struct tree *steps, const char *act)
{
    return ANY_IN(step, tree_first(steps), tree_member(step, act));
}

static void check_transport(const struct site *site, const struct tree *steps)
{
    bool http = has_act(steps, "http") || has_act(steps, "tcp"), grpc = has_act(steps, "grpc");
    bool both = site->profile && site->profile->beside; /* its cases may ask over both transports */
    if ((both ? http || grpc : http + grpc) + has_act(steps, "infer") > 1)
        fault_add(site->place, "steps", "steps are of one kind: inferences, rpcs, or http and tcp");
}

static void check_list(struct linter *linter, const struct family *family, const char *name, struct place place)
{
    const struct tree *steps = tree_member(family->tree, name);
    const struct profile *profile = registry_profile_of_case(&linter->suite->registry, family->path);
    FOR_EACH_IN(step, tree_first(steps)) {
        struct site site = {linter, family->tree, profile, place_of_child(place, steps, step)};
        const struct tree *expect = tree_member(step, "expect");
        check_conn(&site, step, steps);
        check_within(&site, step);
        check_count(&site, step, "times");
        check_count(&site, step, "together");
        check_read(&site, step);
        if (expect && tree_is_true(step, "cancel") && !tree_member(step, "conn"))
            fault_add(site.place, "steps", "what is cancelled has no answer to expect");
        if (expect && str_is(str_of(name), "finally"))
            fault_add(site.place, "steps", "what is done finally expects nothing");
        else if (expect)
            lint_expect(linter, expect, place_below(site.place, STR("expect")));
    }
    check_transport(&(struct site){.linter = linter, .tree = family->tree, .profile = profile, .place = place}, steps);
}

void lint_steps(struct linter *linter, const struct family *family, struct place place)
{
    check_list(linter, family, "steps", place_below(place, STR("steps")));
    check_list(linter, family, "finally", place_below(place, STR("finally")));
}

/* --- Request lines --- */

/* Whether the text begins with "METHOD /path" or "METHOD ${scheme}://${host}/path" and goes on as a head does. */
static bool begins_without_prefix(struct str text)
{
    return expression_meets(STR("^[\r\n]*[a-zA-Z]+ (/|\\$[{]scheme[}]://\\$[{]host[}])[^\r]*\r"), text) &&
           !expression_meets(STR("^[^ ]* \\$[{]scheme[}]://\\$[{]host[}]\\$[{]prefix[}]"), text);
}

void lint_request_lines(const struct tree *tree, struct place place)
{
    if (tree->type == TREE_STRING && tree->text.size && begins_without_prefix(tree->text))
        fault_add(place, "path-prefix", "the path must begin with ${prefix}");
    FOR_EACH_IN(child, tree->first)
        lint_request_lines(child, place_of_child(place, tree, child));
}

/* --- Watchers --- */

void lint_watcher(const struct family *family, struct place place)
{
    static const char *const useless[] = {"neighbours", "for", "needs", "model"};
    const struct tree *on = tree_member(family->tree, "on");
    if (!on)
        return;
    for (size_t i = 0; i < COUNT_OF(useless); i++)
        if (tree_member(family->tree, useless[i]))
            fault_add(place_below(place, str_of(useless[i])), "watcher", "a watcher sends nothing: it has no %s",
                      useless[i]);
    if (tree_member(on, "http") && tree_member(on, "grpc"))
        fault_add(place_below(place, STR("on")), "watcher", "a watcher looks at one transport: http or grpc");
}

/* --- Edits of bytes --- */

static bool has_variable(const struct tree *tree)
{
    if (tree->type == TREE_STRING && tree->text.size && memmem(tree->text.data, tree->text.size, "${", 2))
        return true;
    return ANY_IN(child, tree->first, has_variable(child));
}

/* Whether the case itself holds the bytes of the base, so that they are the same for every target. */
static bool has_fixed_bytes(const struct tree *tree)
{
    static const char *const places[] = {"frames", "http2", "body", "json"};
    const struct tree *bytes = NULL;
    for (size_t i = 0; i < COUNT_OF(places) && !bytes; i++)
        bytes = tree_member(tree, places[i]);
    return bytes && !has_variable(bytes);
}

/* Whether the place is counted inside the bytes. Beginning and end exist in any bytes; other places are sure only in
 * known bytes. */
static bool is_counted(const struct tree *at)
{
    int64_t place;
    return at && at->type == TREE_NUMBER && !(tree_to_int64(at, &place) && place == 0);
}

void lint_edit(const struct tree *tree, const struct tree *edit, struct place place)
{
    const struct tree *at = tree_member(edit, "at"), *keep = tree_member(edit, "keep");
    bool find = tree_member(edit, "find"), put = tree_member(edit, "put"), cut = tree_member(edit, "cut");
    bool end = at && at->type == TREE_STRING && str_is(at->text, "end");
    const char *wrong = NULL;
    if (!edit)
        return;
    if (keep ? at || put || cut || find : at ? find || (!put && !cut) : !put || cut)
        wrong = "must be {put}, {find, put}, {at, cut and/or put}, or {keep}";
    else if (at && !end && at->type != TREE_NUMBER)
        wrong = "`at` is a number or \"end\"";
    else if ((keep || is_counted(at)) && !has_fixed_bytes(tree))
        wrong = "a place within is counted only where the base's bytes stand in the case, without ${variables}";
    if (wrong)
        fault_add(place, "edit", "%s", wrong);
}
