#include "http/document.h"

#include "json/writer.h"
#include <cjson/cJSON.h>

struct document document_begin(void)
{
    struct document document = {.root = cJSON_CreateObject()};
    document.failed = !document.root;
    return document;
}

void document_free(struct document *document)
{
    cJSON_Delete(document->root);
    buf_free(&document->text);
}

/* Gives the item to its parent, or frees it. */
static cJSON *add(struct document *document, cJSON *parent, const char *name, cJSON *item)
{
    bool is_added =
        item && parent && (name ? cJSON_AddItemToObjectCS(parent, name, item) : cJSON_AddItemToArray(parent, item));
    if (is_added)
        return item;
    cJSON_Delete(item);
    document->failed = true;
    return NULL;
}

cJSON *document_add_object(struct document *document, cJSON *parent, const char *name)
{
    return add(document, parent, name, cJSON_CreateObject());
}

cJSON *document_add_array(struct document *document, cJSON *parent, const char *name)
{
    return add(document, parent, name, cJSON_CreateArray());
}

void document_add_bool(struct document *document, cJSON *parent, const char *name, bool value)
{
    add(document, parent, name, cJSON_CreateBool(value));
}

void document_add_string(struct document *document, cJSON *parent, const char *name, struct str value)
{
    json_write_string(document_text(document), value);
    document_add_text(document, parent, name);
}

struct buf *document_text(struct document *document)
{
    buf_clear(&document->text);
    return &document->text;
}

void document_add_text(struct document *document, cJSON *parent, const char *name)
{
    buf_append_byte(&document->text, '\0');
    add(document, parent, name, document->text.failed ? NULL : cJSON_CreateRaw(document->text.data));
}

struct status document_write(const struct document *document, struct buf *out)
{
    char *text = document->failed ? NULL : cJSON_PrintUnformatted(document->root);
    if (!text)
        return status_no_memory();
    buf_append_str(out, str_of(text));
    cJSON_free(text);
    return STATUS_IS_OK;
}
