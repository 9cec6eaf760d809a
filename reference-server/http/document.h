/* A JSON document that is built as a tree and written once: for bodies that are not hot. The tree is cJSON's. It cannot
 * say a string with a NUL in it, bytes that are not UTF-8, or whole numbers of 64 bits; so what is not an object, an
 * array or a boolean is a piece of JSON text in the tree, written by json/writer.h.
 *
 * Where memory gives out, adding has no effect any more, and document_write says so.
 *
 *     struct document document = document_begin();
 *     document_add_string(&document, document.root, "name", name);
 *     struct status status = document_write(&document, out);
 *     document_free(&document); */
#ifndef HTTP_DOCUMENT_H
#define HTTP_DOCUMENT_H

#include "base/buf.h"
#include "base/status.h"

struct cJSON;

struct document {
    struct cJSON *root; /* an object */
    struct buf text;
    bool failed;
};

struct document document_begin(void);
void document_free(struct document *document);

/* Each adds to `parent`: the root, or what one of the first two gave. `name` is a literal; NULL in an array. */
struct cJSON *document_add_object(struct document *document, struct cJSON *parent, const char *name);
struct cJSON *document_add_array(struct document *document, struct cJSON *parent, const char *name);
void document_add_bool(struct document *document, struct cJSON *parent, const char *name, bool value);
void document_add_string(struct document *document, struct cJSON *parent, const char *name, struct str value);

/* Adds JSON text of any kind: what was appended to the buf of document_text, which was empty when it was asked for. */
struct buf *document_text(struct document *document);
void document_add_text(struct document *document, struct cJSON *parent, const char *name);

/* Appends the document to `out`, without blanks. RESOURCE_EXHAUSTED if there was not the memory for all of it. */
struct status document_write(const struct document *document, struct buf *out);

#endif
