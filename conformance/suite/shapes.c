#include "suite/shapes.h"

#include "base/count.h"

#define SHAPE(shape_name, rows)                                                                                        \
    {                                                                                                                  \
        shape_name, rows, COUNT_OF(rows)                                                                               \
    }

static const struct member needs_members[] = {
    {.name = "claims", .kind = KIND_TEXTS},
    {.name = "state", .kind = KIND_TEXT},
    {.name = "allow", .kind = KIND_CHOICE, .choice = "mutation"},
    {.name = "alone", .kind = KIND_BOOL},
    {.name = "found", .kind = KIND_POINTERS},
};
static const struct shape needs_shape = SHAPE("needs", needs_members);

static const struct member edit_members[] = {
    {.name = "put", .kind = KIND_BYTES},  {.name = "find", .kind = KIND_BYTES},  {.name = "at", .kind = KIND_ANY},
    {.name = "cut", .kind = KIND_NUMBER}, {.name = "keep", .kind = KIND_NUMBER},
};
static const struct shape edit_shape = SHAPE("edit", edit_members);

static const struct member neighbour_members[] = {
    {.name = "says", .kind = KIND_TEXT},
    {.name = "set", .kind = KIND_POINTERS},
    {.name = "add", .kind = KIND_POINTERS},
    {.name = "remove", .kind = KIND_TEXTS},
    {.name = "copy", .kind = KIND_POINTERS},
    {.name = "rename", .kind = KIND_POINTERS},
    {.name = "bytes", .kind = KIND_SHAPE, .shape = &edit_shape},
    {.name = "expect", .kind = KIND_OBJECT, .required = true},
    {.name = "for", .kind = KIND_OBJECT},
    {.name = "needs", .kind = KIND_SHAPE, .shape = &needs_shape},
    {.name = "over", .kind = KIND_TEXTS},
    {.name = "control", .kind = KIND_TEXT},
    {.name = "because", .kind = KIND_TEXT},
    {.name = "formerly", .kind = KIND_TEXTS},
    {.name = "seen", .kind = KIND_TEXTS},
};
static const struct shape neighbour_shape = SHAPE("neighbour", neighbour_members);

static const struct member input_members[] = {
    {.name = "name", .kind = KIND_VALUE, .required = true},
    {.name = "datatype", .kind = KIND_VALUE, .required = true},
    {.name = "shape", .kind = KIND_LIST, .required = true},
    {.name = "data", .kind = KIND_DATA, .required = true},
    {.name = "parameters", .kind = KIND_OBJECT},
};
static const struct shape input_shape = SHAPE("input", input_members);

static const struct member output_members[] = {
    {.name = "name", .kind = KIND_VALUE, .required = true},
    {.name = "parameters", .kind = KIND_OBJECT},
};
static const struct shape output_shape = SHAPE("output", output_members);

/* The acts and the members that belong to each. Cases and steps share them. */
#define ACT_MEMBERS                                                                                                    \
    {.name = "infer", .kind = KIND_TEXT, .act = "infer"}, {.name = "version", .kind = KIND_VALUE, .act = "infer"},     \
        {.name = "id", .kind = KIND_VALUE, .act = "infer"},                                                            \
        {.name = "parameters", .kind = KIND_OBJECT, .act = "infer"},                                                   \
        {.name = "inputs", .kind = KIND_SHAPES, .act = "infer", .shape = &input_shape},                                \
        {.name = "outputs", .kind = KIND_SHAPES, .act = "infer", .shape = &output_shape},                              \
        {.name = "http", .kind = KIND_TEXT, .act = "http"}, {.name = "headers", .kind = KIND_OBJECT, .act = "http"},   \
        {.name = "json", .kind = KIND_ANY, .act = "http"}, {.name = "grpc", .kind = KIND_TEXT, .act = "grpc"},         \
        {.name = "metadata", .kind = KIND_OBJECT, .act = "grpc"},                                                      \
        {.name = "deadline", .kind = KIND_NUMBER, .act = "grpc"},                                                      \
        {.name = "cancel", .kind = KIND_BOOL, .act = "grpc"}, {.name = "message", .kind = KIND_OBJECT, .act = "grpc"}, \
        {.name = "messages", .kind = KIND_LIST, .act = "grpc"}, {.name = "frames", .kind = KIND_BYTES, .act = "grpc"}, \
        {.name = "http2", .kind = KIND_BYTES, .act = "grpc"},                                                          \
        {.name = "body", .kind = KIND_BYTES, .act = "http grpc"},                                                      \
    {                                                                                                                  \
        .name = "tcp", .kind = KIND_LIST, .act = "tcp"                                                                 \
    }

static const struct member step_members[] = {
    ACT_MEMBERS,
    {.name = "conn", .kind = KIND_TEXT},
    {.name = "half_close", .kind = KIND_BOOL},
    {.name = "expect", .kind = KIND_OBJECT},
    {.name = "save", .kind = KIND_OBJECT},
    {.name = "times", .kind = KIND_NUMBER},
    {.name = "together", .kind = KIND_ANY},
    {.name = "within", .kind = KIND_TEXT},
    {.name = "read", .kind = KIND_NUMBER},
};
const struct shape step_shape = SHAPE("step", step_members);

static const struct member watch_members[] = {
    {.name = "http", .kind = KIND_ANY},
    {.name = "grpc", .kind = KIND_ANY},
    {.name = "answer", .kind = KIND_OBJECT},
};
static const struct shape watch_shape = SHAPE("watch", watch_members);

static const struct member answer_members[] = {
    {.name = "status", .kind = KIND_NUMBER},  {.name = "headers", .kind = KIND_OBJECT},
    {.name = "json", .kind = KIND_ANY},       {.name = "body", .kind = KIND_BYTES},
    {.name = "code", .kind = KIND_TEXT},      {.name = "details", .kind = KIND_TEXT},
    {.name = "message", .kind = KIND_OBJECT},
};
static const struct shape answer_shape = SHAPE("answer", answer_members);

static const struct member case_members[] = {
    {.name = "says", .kind = KIND_TEXT, .required = true},
    {.name = "model", .kind = KIND_TEXT},
    {.name = "needs", .kind = KIND_SHAPE, .shape = &needs_shape},
    {.name = "for", .kind = KIND_OBJECT},
    ACT_MEMBERS,
    {.name = "half_close", .kind = KIND_BOOL, .act = "tcp"},
    {.name = "steps", .kind = KIND_SHAPES, .act = "steps", .shape = &step_shape},
    {.name = "finally", .kind = KIND_SHAPES, .act = "steps", .shape = &step_shape},
    {.name = "on", .kind = KIND_SHAPE, .act = "on", .shape = &watch_shape},
    {.name = "over", .kind = KIND_TEXTS, .act = "infer steps"},
    {.name = "control", .kind = KIND_TEXTS},
    {.name = "expect", .kind = KIND_OBJECT},
    {.name = "observations", .kind = KIND_PATTERNS},
    {.name = "answer", .kind = KIND_SHAPE, .act = "http grpc", .shape = &answer_shape},
    {.name = "neighbours", .kind = KIND_MAP, .shape = &neighbour_shape},
    {.name = "formerly", .kind = KIND_TEXTS},
    {.name = "seen", .kind = KIND_TEXTS},
    {.name = "like", .kind = KIND_TEXT},
    {.name = "replace", .kind = KIND_ANY},
    {.name = "without", .kind = KIND_TEXTS},
};
const struct shape case_shape = SHAPE("case", case_members);

static const struct member source_members[] = {
    {.name = "text", .kind = KIND_TEXT, .required = true},
    {.name = "kind", .kind = KIND_CHOICE, .required = true, .choice = "document referenced convention"},
    {.name = "section", .kind = KIND_TEXT},
    {.name = "sentence", .kind = KIND_TEXTS},
};
static const struct shape source_shape = SHAPE("source", source_members);

static const struct member row_members[] = {
    {.name = "key", .kind = KIND_TEXT, .required = true},
    {.name = "level", .kind = KIND_CHOICE, .required = true, .choice = "must should may open"},
    {.name = "layer", .kind = KIND_CHOICE, .required = true, .choice = "answers refusals transport"},
    {.name = "binds", .kind = KIND_CHOICE, .required = true, .choice = "server client"},
    {.name = "says", .kind = KIND_TEXT, .required = true},
    {.name = "status", .kind = KIND_CHOICE, .required = true, .choice = "tested untestable erratum"},
    {.name = "why", .kind = KIND_TEXT},
    {.name = "sources", .kind = KIND_SHAPES, .required = true, .shape = &source_shape},
    {.name = "owns", .kind = KIND_TEXTS},
    {.name = "implies", .kind = KIND_TEXTS},
};
static const struct shape row_shape = SHAPE("ledger-row", row_members);

static const struct member document_members[] = {
    {.name = "title", .kind = KIND_TEXT, .required = true},
    {.name = "address", .kind = KIND_TEXT},
    {.name = "text", .kind = KIND_TEXT},
};
static const struct shape document_shape = SHAPE("document", document_members);

static const struct member unit_members[] = {
    {.name = "sentence", .kind = KIND_TEXT, .required = true},
    {.name = "words", .kind = KIND_TEXTS, .required = true},
    {.name = "angles", .kind = KIND_TEXT},
    {.name = "why", .kind = KIND_TEXT},
    {.name = "optional", .kind = KIND_BOOL},
};
static const struct shape unit_shape = SHAPE("unit", unit_members);

static const struct member section_members[] = {
    {.name = "section", .kind = KIND_TEXT, .required = true},
    {.name = "units", .kind = KIND_SHAPES, .required = true, .shape = &unit_shape},
};
static const struct shape section_shape = SHAPE("section", section_members);

static const struct member schema_members[] = {
    {.name = "at", .kind = KIND_TEXT, .required = true},
    {.name = "is", .kind = KIND_TEXT, .required = true},
    {.name = "keys", .kind = KIND_LIST},
    {.name = "why", .kind = KIND_TEXT},
};
static const struct shape schema_shape = SHAPE("member of a schema", schema_members);

static const struct member alter_members[] = {
    {.name = "set", .kind = KIND_POINTERS},    {.name = "add", .kind = KIND_POINTERS},
    {.name = "remove", .kind = KIND_TEXTS},    {.name = "copy", .kind = KIND_POINTERS},
    {.name = "rename", .kind = KIND_POINTERS}, {.name = "as", .kind = KIND_ANY},
    {.name = "hang", .kind = KIND_BOOL},       {.name = "close", .kind = KIND_BOOL},
    {.name = "stay", .kind = KIND_BOOL},       {.name = "read_over", .kind = KIND_LIST},
    {.name = "end_at", .kind = KIND_LIST},     {.name = "take_malformed", .kind = KIND_LIST},
};
static const struct shape alter_shape = SHAPE("alter", alter_members);

static const struct member by_members[] = {
    {.name = "alter", .kind = KIND_SHAPE, .required = true, .shape = &alter_shape}};
static const struct shape by_shape = SHAPE("by", by_members);

static const struct member on_members[] = {
    {.name = "method", .kind = KIND_TEXT},      {.name = "path", .kind = KIND_TEXT},
    {.name = "rpc", .kind = KIND_TEXT},         {.name = "model", .kind = KIND_TEXT},
    {.name = "request", .kind = KIND_ANY},      {.name = "answer", .kind = KIND_ANY},
    {.name = "refused_by", .kind = KIND_TEXTS}, {.name = "ordered", .kind = KIND_TEXT},
    {.name = "unready", .kind = KIND_BOOL},
};
static const struct shape on_shape = SHAPE("on", on_members);

static const struct member excused_members[] = {
    {.name = "innocent", .kind = KIND_TEXT},
    {.name = "blamed", .kind = KIND_TEXT},
    {.name = "seen", .kind = KIND_TEXT},
};
static const struct shape excused_shape = SHAPE("excused", excused_members);

static const struct member deviation_members[] = {
    {.name = "says", .kind = KIND_TEXT},
    {.name = "breaks", .kind = KIND_TEXT, .required = true},
    {.name = "by", .kind = KIND_BY, .required = true, .shape = &by_shape},
    {.name = "on", .kind = KIND_SHAPE, .shape = &on_shape},
    {.name = "process", .kind = KIND_BOOL},
    {.name = "equivalent", .kind = KIND_TEXT},
    {.name = "excused", .kind = KIND_SHAPE, .shape = &excused_shape},
    {.name = "without", .kind = KIND_LIST},
};
static const struct shape deviation_shape = SHAPE("deviation", deviation_members);

static const struct member state_members[] = {
    {.name = "says", .kind = KIND_TEXT, .required = true},
    {.name = "models", .kind = KIND_LIST, .required = true},
};
static const struct shape state_shape = SHAPE("state", state_members);

static const struct member model_members[] = {
    {.name = "takes", .kind = KIND_TEXT},
    {.name = "batch", .kind = KIND_NUMBER},
    {.name = "does", .kind = KIND_TEXT, .required = true},
};
static const struct shape model_shape = SHAPE("model", model_members);

static const struct member problem_members[] = {
    {.name = "item", .kind = KIND_NUMBER, .required = true},
    {.name = "link", .kind = KIND_TEXT, .required = true},
    {.name = "cases", .kind = KIND_LIST},
    {.name = "why", .kind = KIND_TEXT},
};
static const struct shape problem_shape = SHAPE("problem", problem_members);

static const struct member passing_members[] = {
    {.name = "asked", .kind = KIND_ANY},
    {.name = "request", .kind = KIND_ANY},
    {.name = "answer", .kind = KIND_ANY},
};
static const struct shape passing_shape = SHAPE("passing", passing_members);

static const struct member rule_members[] = {
    {.name = "says", .kind = KIND_TEXT, .required = true},
    {.name = "on", .kind = KIND_SHAPE, .shape = &passing_shape},
    {.name = "sent", .kind = KIND_OBJECT},
    {.name = "answered", .kind = KIND_ANY},
    {.name = "expect", .kind = KIND_OBJECT},
};
static const struct shape rule_shape = SHAPE("rule", rule_members);

static const struct member watched_members[] = {
    {.name = "of", .kind = KIND_ANY},       {.name = "answer", .kind = KIND_ANY},
    {.name = "streams", .kind = KIND_BOOL}, {.name = "rows", .kind = KIND_SHAPES, .shape = &rule_shape},
    {.name = "rows_of", .kind = KIND_TEXT},
};
static const struct shape watched_shape = SHAPE("watched", watched_members);

const struct shape *const shapes_of_files[] = {
    [GRAMMAR_CASE] = &case_shape,           [GRAMMAR_LEDGER_ROW] = &row_shape, [GRAMMAR_DOCUMENT] = &document_shape,
    [GRAMMAR_DEVIATION] = &deviation_shape, [GRAMMAR_STATE] = &state_shape,    [GRAMMAR_PROBLEM] = &problem_shape,
    [GRAMMAR_SECTION] = &section_shape,     [GRAMMAR_MODEL] = &model_shape,    [GRAMMAR_MEMBER] = &schema_shape,
    [GRAMMAR_WATCHED] = &watched_shape,
};

const struct shape *const all_shapes[] = {
    &case_shape,    &step_shape,   &watch_shape, &neighbour_shape, &edit_shape,     &needs_shape,
    &input_shape,   &output_shape, &row_shape,   &source_shape,    &document_shape, &deviation_shape,
    &by_shape,      &alter_shape,  &on_shape,    &excused_shape,   &state_shape,    &problem_shape,
    &section_shape, &unit_shape,   &model_shape, &schema_shape,    &watched_shape,  &rule_shape,
    &passing_shape, NULL};

bool shapes_next_word(const char **words, struct str *word)
{
    *word = (struct str){*words, strcspn(*words, " ")};
    *words += word->size + ((*words)[word->size] == ' ');
    return word->size > 0;
}
