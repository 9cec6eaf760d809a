#include "judge/bytes_text.h"

#include "notation/schemas.h"
#include "tests/scratch.h"

/* Returns what is told of a message of that type; NULL: of bytes. */
static struct str taught(const char *type, struct str bytes)
{
    struct buf out = {0};
    if (type)
        bytes_text_message(schema_message(str_of(type)), bytes, "> ", &arena, &out);
    else
        bytes_text(bytes, "> ", &out);
    return arena_take(&arena, &out);
}

static void assert_taught(const char *type, struct str bytes, const char *expected)
{
    assert_text(taught(type, bytes), expected);
}

TEST(letters_stand_beside_bytes)
{
    assert_taught(NULL, STR("model\0\x1b\xff and"),
                  "> 6d 6f 64 65 6c 00 1b ff  model...\n"
                  "> 20 61 6e 64               and\n");
    assert_taught(NULL, STR(""), "");
}

TEST(a_field_stands_beside_its_bytes)
{
    assert_taught("inference.ModelInferRequest", STR("\x0a\x01m\x2a\x0c\x0a\x01i\x1a\x02\x01\x7f\x22\x03\x0a\x01k"),
                  "> 0a 01 6d                 model_name \"m\"\n"
                  "> 2a 0c                    inputs, 12 bytes:\n"
                  "> 0a 01 69                   name \"i\"\n"
                  "> 1a 02 01 7f                shape 1 127\n"
                  "> 22 03                      parameters, 3 bytes:\n"
                  "> 0a 01 6b                     key \"k\"\n");
}

TEST(what_no_schema_has_is_told)
{
    assert_taught("inference.ServerLiveResponse", STR("\x08\x01\xa0\x06\x05"),
                  "> 08 01                    live 1\n"
                  "> a0 06 05                 field 100, which the schema lacks\n");
}

TEST(what_is_no_message_is_told_as_bytes)
{
    assert_taught("inference.ModelInferRequest", STR("\x0a\xffm"), "> 0a ff 6d                 ..m\n");
    assert_taught("inference.ModelInferRequest", STR("\x0a\x02\xff\x1b"), "> 0a 02 ff 1b              ....\n");
}

TEST(a_text_has_no_room_to_break_the_line)
{
    char message[202] = {0x0a, (char)0xc6, 0x01};
    memset(message + 3, 'a', 198);
    struct str text = taught("inference.ModelInferRequest", (struct str){message, 201});
    assert_in_range(strcspn(text.data, "\n"), 1, 80);
}

TEST(many_bytes_are_counted)
{
    static char many[100000];
    struct str text = taught(NULL, (struct str){many, sizeof many});
    assert_true(text.size < 5000);
    assert_has(text, "\n> ... and 99488 bytes more\n");
}
