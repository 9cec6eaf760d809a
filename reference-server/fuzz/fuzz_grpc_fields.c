/* The input is a request: the size of its content in the first byte, then its fields, each after a byte 1 and with a
 * byte 2 between name and value. A byte 3 begins the trailers. The server must find malformed what libnghttp2 does. */
#include "tests/field_judge.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Takes the bytes up to one of the two marks. */
static struct str take_until(struct str *from, char first, char second)
{
    size_t size = 0;
    while (size < from->size && from->data[size] != first && from->data[size] != second)
        size++;
    struct str taken = {from->data, size};
    *from = str_from(*from, size);
    return taken;
}

static void read_request(struct judged_request *request, struct str bytes)
{
    size_t *count = &request->head_count;
    struct judged_field *fields = request->head;
    while (bytes.size > 0 && *count < JUDGED_MAX) {
        char mark = *bytes.data;
        bytes = str_from(bytes, 1);
        if (mark == 3 && !request->has_trailers) {
            request->has_trailers = true;
            count = &request->trailer_count;
            fields = request->trailers;
            continue;
        }
        struct judged_field *field = &fields[(*count)++];
        struct str both = take_until(&bytes, 1, 3);
        field->name = take_until(&both, 2, 2);
        field->value = both.size > 0 ? str_from(both, 1) : both;
    }
}

/* Of a scheme that it does not know, libnghttp2 takes any path; here it begins with a slash. */
static bool has_other_scheme(const struct judged_request *request)
{
    for (size_t i = 0; i < request->head_count; i++)
        if (str_is(request->head[i].name, ":scheme") && !str_is(request->head[i].value, "http") &&
            !str_is(request->head[i].value, "https"))
            return true;
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > 16384)
        return 0;
    struct judged_request request = {.content = data[0]};
    read_request(&request, (struct str){(const char *)data + 1, size - 1});
    bool is_taken = server_takes(&request), is_taken_there = library_takes(&request);
    if (is_taken && !is_taken_there)
        abort();
    if (is_taken_there && !is_taken && !has_other_scheme(&request))
        abort();
    return 0;
}
