/* Tests the reader and the writer of flatbuffers (flat/message.h): what originals wrote, what flatc reads and writes,
 * and what is broken on purpose. */
#include "scratch.h"

#include "base/disk.h"
#include "base/search.h"
#include "flat/message.h"
#include "flat/writer.h"
#include "schema/graphpipe.h"

#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct flat_table *const roots[] = {&graphpipe_request, &graphpipe_infer_response,
                                                 &graphpipe_metadata_response};

static const struct flat_table *root_named(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(roots); i++)
        if (strcmp(roots[i]->name, name) == 0)
            return roots[i];
    fail_msg("there is no root %s", name);
    return NULL;
}

/* Reads a message from memory of its exact size. */
static struct status read_exact(const struct flat_table *root, struct str message, struct tree **tree)
{
    char *exact = malloc(message.size ? message.size : 1);
    assert_non_null(exact);
    if (message.size)
        memcpy(exact, message.data, message.size);
    struct tree *inside = NULL;
    struct status status = flat_to_tree(root, (struct str){exact, message.size}, &arena, &inside, NULL);
    *tree = is_ok(status) ? tree_copy_whole(&arena, inside) : NULL;
    free(exact);
    return status;
}

static struct str written(const struct flat_table *root, const struct tree *tree)
{
    struct buf out = {0};
    assert_ok(flat_from_tree(root, tree, &out, &arena));
    return arena_take(&arena, &out);
}

static struct tree *must_read(const struct flat_table *root, struct str message)
{
    struct tree *tree = NULL;
    assert_ok(read_exact(root, message, &tree));
    return tree;
}

/* Returns the tree as the reader would make it: its data as strings. */
static struct tree *normal(const struct flat_table *root, struct tree *tree)
{
    return must_read(root, written(root, tree));
}

/* --- What others write --- */

/* The expectations come from the programs that wrote the messages. So this also proves the writer, which turns the
 * lists of bytes there into strings, and the reader, which must read its own side. */
ARENA_TEST(originals)
{
    FILE *file = fopen("proto/tests/graphpipe_originals.txt", "r");
    char *line = NULL;
    size_t room = 0, count = 0;
    assert_non_null(file);
    while (getline(&line, &room, file) > 0) {
        if (*line == '#')
            continue;
        char *name = strtok(line, "\t"), *root_name = strtok(NULL, "\t"), *hex = strtok(NULL, "\t");
        const struct flat_table *root = root_named(root_name);
        struct tree *tree = must_read(root, bytes_of(hex)), *expected = normal(root, parse(strtok(NULL, "\n")));
        if (!tree_equal(tree, expected))
            fail_msg("%s", name);
        count++;
    }
    assert_int_equal(count, 14);
    free(line);
    fclose(file);
}

/* The strings of the original client in Go have no NUL after them; zeros of other things may stand there. */
ARENA_TEST(strings_without_a_nul)
{
    struct str message = bytes_of(
        "0c00000008000c000b0004000800000014000000000000010c0014000400100008000c000c0000001000000014000000680000006800"
        "0000000000000000000001000000100000000c0010000b000c00000004000c0000001c0000000000000c040000000100000003000000"
        "000000000000000003000000180000000c00000004000000000000000200000000ff000004000000616263640000000000000000");
    struct tree *tree = NULL;
    struct flat_oddities odd = {0};
    assert_ok(flat_to_tree(&graphpipe_request, message, &arena, &tree, &odd));
    const struct tree *tensor = tree_at(tree_member(tree_member(tree, "req"), "input_tensors"), 0);
    const struct tree *strings = tree_member(tensor, "string_val");
    assert_true(str_is(tree_text(tensor, "type"), "String"));
    assert_int_equal(strings->count, 3);
    assert_true(str_is(tree_at(strings, 0)->text, "abcd"));
    assert_true(str_equal(tree_at(strings, 1)->text, (struct str){"\0\377", 2}));
    assert_int_equal(tree_at(strings, 2)->text.size, 0);
    assert_int_equal(odd.unterminated, 1);
}

/* Puts zeros after the offset to the root, so that all that follows is moved by so many bytes. */
static size_t misaligned_when_moved(struct str message, size_t bytes)
{
    char *moved = arena_alloc_zero(&arena, 1, message.size + bytes);
    assert_non_null(moved);
    uint32_t root;
    memcpy(&root, message.data, sizeof root);
    root += (uint32_t)bytes;
    memcpy(moved, &root, sizeof root);
    memcpy(moved + sizeof root + bytes, message.data + sizeof root, message.size - sizeof root);
    struct tree *tree = NULL;
    struct flat_oddities odd = {0};
    assert_ok(flat_to_tree(&graphpipe_infer_response, (struct str){moved, message.size + bytes}, &arena, &tree, &odd));
    return odd.misaligned;
}

ARENA_TEST(alignment)
{
    struct str message = written(&graphpipe_infer_response, parse("{'output_tensors': [{'shape': [1], 'data': 'a'}]}"));
    assert_int_equal(misaligned_when_moved(message, 0), 0);
    assert_int_equal(misaligned_when_moved(message, 8), 0);
    assert_int_equal(misaligned_when_moved(message, 4), 1); /* the number of the shape */
    assert_true(misaligned_when_moved(message, 2) > 1);
    assert_true(misaligned_when_moved(message, 1) > misaligned_when_moved(message, 2));
}

/* --- flatc --- */

struct meaning {
    const char *root, *json;
};

/* In flatc's JSON: what has its default is left out, bytes are lists. */
static const struct meaning meanings[] = {
    {"Request", "{}"},
    {"Request", "{\"req_type\": \"MetadataRequest\", \"req\": {}}"},
    {"Request", "{\"req_type\": \"InferRequest\", \"req\": {}}"},
    {"Request",
     "{\"req_type\": \"InferRequest\", \"req\": {\"config\": \"\", \"input_names\": [], \"input_tensors\": [], "
     "\"output_names\": []}}"},
    {"Request",
     "{\"req_type\": \"InferRequest\", \"req\": {\"config\": \"{\\\"a\\\": 1}\", \"input_names\": [\"a\", \"\", "
     "\"\\u00fc\"], \"input_tensors\": [{\"type\": \"Float32\", \"shape\": [1, -2, 9223372036854775807], \"data\": [1, "
     "2, 255]}, {\"type\": \"String\", \"shape\": [], \"string_val\": [\"a\", \"\", \"abc\"]}, {}, {\"type\": "
     "\"Uint8\", \"data\": []}], \"output_names\": [\"b\"]}}"},
    {"InferResponse", "{\"output_tensors\": [], \"errors\": [{\"code\": -7, \"message\": \"no\"}, {\"code\": "
                      "9223372036854775807}, {\"message\": \"\"}]}"},
    {"InferResponse", "{\"output_tensors\": [{\"type\": \"Float64\", \"shape\": [1], \"data\": [0, 0, 0, 0, 0, 0, 240, "
                      "63]}, {\"type\": \"Int8\", \"shape\": [1], \"data\": [255]}]}"},
    {"MetadataResponse", "{\"name\": \"m\", \"version\": \"1\", \"server\": \"s\", \"description\": \"d\", \"inputs\": "
                         "[{\"name\": \"i\", \"description\": \"\", \"shape\": [-1, 3], \"type\": \"Uint64\"}], "
                         "\"outputs\": [{\"name\": \"o\", \"shape\": []}]}"},
};

/* Removes members that have their default, and makes lists of the bytes, as flatc shows them. */
static void show_as_flatc(struct tree *tree, const struct flat_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct flat_field *field = &table->fields[i];
        struct tree *member = tree_member(tree, field->name);
        if (!member)
            continue;
        if (field->kind <= FLAT_LONG && !field->is_list &&
            (str_is(member->text, "0") || str_is(member->text, "NONE") || str_is(member->text, "Null")))
            tree_remove(tree, member);
        if (field->kind == FLAT_UBYTE && field->is_list) {
            struct tree *list = tree_new(&arena, TREE_ARRAY);
            for (size_t j = 0; j < member->text.size; j++)
                tree_append(list, tree_int(&arena, (unsigned char)member->text.data[j]));
            tree_replace(tree, member, list);
        }
        if (field->kind == FLAT_UNION)
            show_as_flatc(member, tree_member(member, "config") || member->count ? &graphpipe_infer_request
                                                                                 : &graphpipe_metadata_request);
        for (struct tree *element = field->kind == FLAT_TABLE ? member->first : NULL; element; element = element->next)
            show_as_flatc(element, field->table);
    }
}

static struct str read_file(const char *path)
{
    struct str content;
    assert_ok(disk_read(path, 1 << 20, &arena, &content));
    return content;
}

static void write_file(const char *path, struct str content)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content.data, 1, content.size, file), content.size);
    fclose(file);
}

static void run_flatc(const char *folder, const char *how, const char *root, const char *file)
{
    const char *type = arena_printf(&arena, "graphpipe.%s", root).data;
    const char *arguments[] = {"flatc",        how,           "--strict-json",
                               "--raw-binary", "--root-type", type,
                               "-o",           folder,        "proto/schema/graphpipe.fbs",
                               "--",           file,          NULL};
    pid_t child;
    int code = -1;
    if (strcmp(how, "-b") == 0) { /* the file is JSON, and not after "--" */
        arguments[9] = file;
        arguments[10] = NULL;
    }
    assert_int_equal(posix_spawnp(&child, "flatc", NULL, NULL, (char *const *)(uintptr_t)arguments, environ), 0);
    assert_int_equal(waitpid(child, &code, 0), child);
    if (code != 0)
        fail_msg("flatc %s fails at a %s", how, root);
}

/* flatc reads what is written, and what it writes from that is read. */
ARENA_TEST(flatc_agrees)
{
    char folder[] = "/tmp/test_flat.XXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *binary = arena_printf(&arena, "%s/x.bin", folder).data;
    const char *json_file = arena_printf(&arena, "%s/x.json", folder).data;
    for (size_t i = 0; i < COUNT_OF(meanings); i++) {
        const struct flat_table *root = root_named(meanings[i].root);
        struct tree *meaning = parse(meanings[i].json), *shown = NULL;
        write_file(binary, written(root, meaning));
        run_flatc(folder, "-t", meanings[i].root, binary);
        unlink(binary);
        assert_ok(tree_parse(read_file(json_file), &arena, &shown));
        assert_same_tree(shown, meaning);
        run_flatc(folder, "-b", meanings[i].root, json_file);
        struct tree *tree = must_read(root, read_file(binary));
        show_as_flatc(tree, root);
        assert_same_tree(tree, meaning);
        unlink(json_file);
        unlink(binary);
    }
    rmdir(folder);
}

/* --- Fixtures can say more --- */

ARENA_TEST(more_than_an_encoder_writes)
{
    const char *number = "{\"req_type\": 200}", *misfit = "{\"req_type\": 2, \"req\": {\"config\": \"x\"}}";
    assert_same_tree(normal(&graphpipe_request, parse(number)), parse(number));
    assert_same_tree(normal(&graphpipe_request, parse("{'req_type': '2', 'req': null}")),
                     parse("{'req_type': 'MetadataRequest'}"));
    assert_same_tree(normal(&graphpipe_request, parse(misfit)), parse("{'req_type': 'MetadataRequest', 'req': {}}"));
    const char *tensor = "{\"output_tensors\": [{\"type\": 13, \"data\": \"\\u0000\\u0001\"}]}";
    assert_same_tree(normal(&graphpipe_infer_response, parse(tensor)), parse(tensor));
}

static void assert_unfit(const struct flat_table *root, const char *json, const char *naming)
{
    struct buf out = {0};
    assert_fails(flat_from_tree(root, parse(json), &out, &arena), STATUS_INVALID_ARGUMENT, naming);
    buf_free(&out);
}

ARENA_TEST(what_does_not_fit_is_named)
{
    assert_unfit(&graphpipe_request, "[]", "Request must be an object");
    assert_unfit(&graphpipe_request, "{\"x\": 1}", "no member 'x'");
    assert_unfit(&graphpipe_request, "{\"req_type\": 256}", "req_type");
    assert_unfit(&graphpipe_request, "{\"req_type\": \"Infer\"}", "req_type");
    assert_unfit(&graphpipe_request, "{\"req_type\": 1, \"req\": {\"y\": 1}}", "no table of the union");
    assert_unfit(&graphpipe_request, "{\"req_type\": 1, \"req\": 7}", "'req' of Request");
    assert_unfit(&graphpipe_infer_response, "{\"errors\": {}}", "'errors' of InferResponse is not a list");
    assert_unfit(&graphpipe_infer_response, "{\"errors\": [{\"code\": 1.5}]}", "'code' of Error");
    assert_unfit(&graphpipe_infer_response, "{\"errors\": [{\"message\": 1}]}", "'message' of Error");
    assert_unfit(&graphpipe_infer_response, "{\"output_tensors\": [{\"data\": [256]}]}", "'data' of Tensor");
    assert_unfit(&graphpipe_infer_response, "{\"output_tensors\": [{\"shape\": [\"a\"]}]}", "'shape' of Tensor");
    assert_unfit(&graphpipe_infer_response, "{\"output_tensors\": [7]}", "'output_tensors' of InferResponse");
}

/* --- Splices --- */

ARENA_TEST(large_data_is_not_copied)
{
    static char payload[FLAT_SPLICE_MIN + 3];
    memset(payload, 'p', sizeof payload);
    struct buf out = {0}, whole = {0};
    struct flat_writer writer = flat_writer_begin(&out, &arena);
    struct flat_slot slots[FLAT_FIELDS_MAX], root = flat_write_root(&writer);
    flat_write_table(&writer, root, &graphpipe_infer_response, 1u << INFER_RESPONSE_OUTPUT_TENSORS, slots);
    struct flat_slot slot = flat_write_list(&writer, slots[INFER_RESPONSE_OUTPUT_TENSORS], 20);
    for (size_t i = 0; i < 20; i++, slot = flat_slot_next(slot)) {
        flat_write_table(&writer, slot, &graphpipe_tensor, 1u << TENSOR_DATA, slots);
        flat_write_bytes(&writer, slots[TENSOR_DATA], (struct str){payload, sizeof payload - i % 2 * 100});
    }
    assert_false(writer.failed);
    assert_int_equal(writer.splice_count, 10);
    size_t at = 0;
    for (size_t i = 0; i < writer.splice_count; i++) {
        assert_ptr_equal(writer.splices[i].bytes.data, payload);
        buf_append(&whole, out.data + at, writer.splices[i].at - at);
        assert_int_equal(whole.size % 8, 0); /* the data is aligned */
        buf_append_str(&whole, writer.splices[i].bytes);
        at = writer.splices[i].at;
    }
    buf_append(&whole, out.data + at, out.size - at);
    assert_int_equal(whole.size, writer.size);
    const struct tree *tensors = tree_member(must_read(&graphpipe_infer_response, buf_str(&whole)), "output_tensors");
    assert_int_equal(tensors->count, 20);
    for (size_t i = 0; i < 20; i++) {
        struct str data = tree_text(tree_at(tensors, i), "data");
        assert_int_equal(data.size, sizeof payload - i % 2 * 100);
        assert_memory_equal(data.data, payload, data.size);
    }
    buf_free(&out);
    buf_free(&whole);
}

/* --- Hostile messages --- */

static void assert_malformed(struct str message, const char *naming)
{
    struct tree *tree = NULL;
    assert_fails(read_exact(&graphpipe_request, message, &tree), STATUS_INVALID_ARGUMENT, naming);
}

static struct str patched(struct str message, size_t at, uint32_t value, size_t size)
{
    struct str copy = arena_copy(&arena, message);
    char *bytes = arena_alloc(&arena, copy.size);
    memcpy(bytes, copy.data, copy.size);
    memcpy(bytes + at, &value, size);
    return (struct str){bytes, copy.size};
}

/* The positions in this message (flatc's form of a request for metadata): root 0, vtable 4 (its size, the table's size,
 * two fields), table 12 (the way to its vtable, req, req_type at 19), vtable of the request 24, the request 28. */
ARENA_TEST(each_offset_is_checked)
{
    struct str good = bytes_of("0c000000 0800 0c00 0700 0800 08000000 00000002 08000000 0400 0400 04000000");
    assert_same_tree(must_read(&graphpipe_request, good), parse("{'req_type': 'MetadataRequest', 'req': {}}"));
    for (size_t size = 0; size < good.size; size++) {
        struct tree *tree;
        assert_int_equal(read_exact(&graphpipe_request, (struct str){good.data, size}, &tree).code,
                         STATUS_INVALID_ARGUMENT);
    }
    static const uint32_t roots_out[] = {0, 29, 32, 0x7fffffff, 0x80000000, 0xffffffff};
    for (size_t i = 0; i < COUNT_OF(roots_out); i++)
        assert_malformed(patched(good, 0, roots_out[i], 4), "at byte 0");
    static const uint32_t ways[] = {13, 0x7fffffff, 0x80000000, 0xffffffed, (uint32_t)-17};
    for (size_t i = 0; i < COUNT_OF(ways); i++)
        assert_malformed(patched(good, 12, ways[i], 4), "vtable");
    static const uint32_t sizes[] = {0, 2, 3, 7, 30, 0xfffe};
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        assert_malformed(patched(good, 4, sizes[i], 2), "a vtable has a wrong size at byte 4");
    assert_malformed(patched(good, 6, 3, 2), "runs over the end");
    assert_malformed(patched(good, 6, 21, 2), "runs over the end");
    assert_malformed(patched(good, 8, 3, 2), "malformed flatbuffer in req_type: a field lies outside");
    assert_malformed(patched(good, 8, 12, 2), "in req_type: a field lies outside of its table");
    assert_malformed(patched(good, 10, 9, 2), "in req: a field lies outside of its table");
    assert_malformed(patched(good, 20, 0, 4), "in req: an offset leads out of the message at byte 20");
    assert_malformed(patched(good, 20, 12, 4), "in req: an offset leads out of the message at byte 20");
}

ARENA_TEST(counts_are_checked)
{
    struct str good = written(&graphpipe_request, parse("{'req_type': 1, 'req': {'input_tensors': [{'type': 10, "
                                                        "'shape': [5, 5, 5], 'data': [7, 7, 7]}, {}, {}]}}"));
    static const uint32_t counts[] = {1000, 0x10000000, 0x20000000, 0x20000001, 0x40000000, 0x7fffffff, 0xffffffff};
    size_t refused = 0;
    for (size_t at = 0; at + 4 <= good.size; at += 4) {
        uint32_t before;
        memcpy(&before, good.data + at, 4);
        for (size_t i = 0; before == 3 && i < COUNT_OF(counts); i++) {
            assert_malformed(patched(good, at, counts[i], 4), "a vector or string runs over the end of the message");
            refused++;
        }
    }
    assert_int_equal(refused, 3 * COUNT_OF(counts));
}

/* A list that refers a hundred thousand times to one error, whose message has 60 kB: 6 GB, if each were copied. */
ARENA_TEST(shared_objects_do_not_multiply)
{
    static char text[60000];
    struct buf out = {0};
    struct flat_writer writer = flat_writer_begin(&out, NULL);
    struct flat_slot slots[FLAT_FIELDS_MAX], root = flat_write_root(&writer);
    const size_t count = 100000;
    flat_write_table(&writer, root, &graphpipe_infer_response, 1u << INFER_RESPONSE_ERRORS, slots);
    struct flat_slot first = flat_write_list(&writer, slots[INFER_RESPONSE_ERRORS], count);
    size_t start = out.size;
    flat_write_table(&writer, first, &graphpipe_error, 1u << ERROR_MESSAGE, slots);
    flat_write_string(&writer, slots[ERROR_MESSAGE], (struct str){text, sizeof text});
    assert_true(out.size > start);
    uint32_t offset;
    memcpy(&offset, out.data + first.at, sizeof offset);
    for (size_t i = 1; i < count; i++) {
        uint32_t same = offset - (uint32_t)(4 * i);
        memcpy(out.data + first.at + 4 * i, &same, sizeof same);
    }
    struct tree *tree;
    assert_fails(read_exact(&graphpipe_infer_response, buf_str(&out), &tree), STATUS_INVALID_ARGUMENT,
                 "shared too often");

    for (size_t i = 3; i < count; i++) /* three of them are no harm */
        memset(out.data + first.at + 4 * i, 0, 4);
    uint32_t three = 3;
    memcpy(out.data + first.at - 4, &three, sizeof three);
    const struct tree *errors = tree_member(must_read(&graphpipe_infer_response, buf_str(&out)), "errors");
    assert_int_equal(errors->count, 3);
    assert_int_equal(tree_text(tree_at(errors, 2), "message").size, sizeof text);
    buf_free(&out);
}
