#include "suite/schema.h"

#include "suite/shapes.h"

static const char *const kind_schemas[] = {
    [KIND_TEXT] = "{\"type\": \"string\"}",
    [KIND_TEXTS] = "{\"$ref\": \"#/$defs/texts\"}",
    [KIND_BOOL] = "{\"type\": \"boolean\"}",
    [KIND_NUMBER] = "{\"type\": \"number\"}",
    [KIND_LIST] = "{\"type\": [\"array\", \"string\"]}",
    [KIND_OBJECT] = "{\"type\": [\"object\", \"string\"]}",
    [KIND_PATTERNS] = "{\"type\": \"object\", \"additionalProperties\": {\"type\": \"object\"}, \"minProperties\": 1}",
    [KIND_POINTERS] = "{\"$ref\": \"#/$defs/pointers\"}",
    [KIND_BYTES] = "{\"$ref\": \"#/$defs/bytes\"}",
    [KIND_VALUE] = "{\"type\": [\"string\", \"object\"]}",
    [KIND_DATA] = "{\"type\": [\"array\", \"object\", \"string\"]}",
    [KIND_ANY] = "true",
};

static const char common_definitions[] =
    "    \"texts\": {\"type\": [\"string\", \"array\"], \"items\": {\"type\": \"string\"}, \"minItems\": 1},\n"
    "    \"pointers\": {\"type\": \"object\", \"propertyNames\": {\"pattern\": \"^(/|$)\"}, \"minProperties\": 1},\n"
    "    \"bytes\": {\"type\": [\"string\", \"object\", \"array\"], \"items\": {\"$ref\": \"#/$defs/bytes\"}}";

static void write_kind(const struct member *member, struct buf *out)
{
    const char *shape = member->shape ? member->shape->name : "", *words = member->choice, *separator = "";
    struct str word;
    switch (member->kind) {
    case KIND_CHOICE:
        buf_append_literal(out, "{\"enum\": [");
        while (shapes_next_word(&words, &word)) {
            buf_printf(out, "%s\"%.*s\"", separator, STR_ARG(word));
            separator = ", ";
        }
        buf_append_literal(out, "]}");
        break;
    case KIND_SHAPE:
        buf_printf(out, "{\"$ref\": \"#/$defs/%s\"}", shape);
        break;
    case KIND_SHAPES:
        buf_printf(out, "{\"type\": [\"array\", \"string\"], \"items\": {\"$ref\": \"#/$defs/%s\"}}", shape);
        break;
    case KIND_MAP:
        buf_printf(out, "{\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/%s\"}}", shape);
        break;
    case KIND_BY:
        buf_printf(out, "{\"anyOf\": [{\"enum\": [\"accept\", \"code\"]}, {\"$ref\": \"#/$defs/%s\"}]}", shape);
        break;
    default:
        buf_printf(out, "%s", kind_schemas[member->kind]);
    }
}

static void write_shape(const struct shape *shape, struct buf *out)
{
    buf_printf(out, ",\n    \"%s\": {\n      \"type\": \"object\",\n      \"additionalProperties\": false,\n",
               shape->name);
    buf_append_literal(out, "      \"required\": [");
    const char *separator = "";
    for (size_t i = 0; i < shape->count; i++)
        if (shape->members[i].required) {
            buf_printf(out, "%s\"%s\"", separator, shape->members[i].name);
            separator = ", ";
        }
    buf_append_literal(out, "],\n      \"properties\": {\n");
    for (size_t i = 0; i < shape->count; i++) {
        buf_printf(out, "        \"%s\": ", shape->members[i].name);
        write_kind(&shape->members[i], out);
        buf_printf(out, "%s\n", i + 1 < shape->count ? "," : "");
    }
    buf_append_literal(out, "      }");
    if (shape == &case_shape)
        buf_append_literal(out, ",\n      \"oneOf\": [{\"required\": [\"infer\"]}, {\"required\": [\"http\"]}, "
                                "{\"required\": [\"grpc\"]}, {\"required\": [\"tcp\"]}, {\"required\": [\"steps\"]}, "
                                "{\"required\": [\"on\"]}]");
    buf_append_literal(out, "\n    }");
}

void schema_write(struct buf *out)
{
    buf_append_literal(out, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                            "  \"title\": \"A case of OIP Conformance\",\n  \"$ref\": \"#/$defs/case\",\n"
                            "  \"$defs\": {\n");
    buf_append(out, common_definitions, sizeof common_definitions - 1);
    for (size_t i = 0; all_shapes[i]; i++)
        write_shape(all_shapes[i], out);
    buf_append_literal(out, "\n  }\n}\n");
}
