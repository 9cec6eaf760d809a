/* A JSON document that is built as a tree and written once, for bodies that need not be fast. The tree is cJSON's,
 * which cannot hold strings with a NUL, bytes that are not UTF-8, or integers of 64 bits. So all values except objects,
 * arrays and booleans are stored as JSON text, which json/writer.h writes.
 *
 * Without memory, adding has no effect, and document_write fails.
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

/* Each function adds to `parent`, which is the root or a result of the first two functions. `name` is a literal; it is
 * NULL in an array. */
struct cJSON *document_add_object(struct document *document, struct cJSON *parent, const char *name);
struct cJSON *document_add_array(struct document *document, struct cJSON *parent, const char *name);
void document_add_bool(struct document *document, struct cJSON *parent, const char *name, bool value);
void document_add_string(struct document *document, struct cJSON *parent, const char *name, struct str value);

/* Add JSON text of any kind: document_text returns an empty buf, the caller appends the text, and document_add_text
 * adds it. */
struct buf *document_text(struct document *document);
void document_add_text(struct document *document, struct cJSON *parent, const char *name);

/* Appends the document to `out`, without blanks. Fails with RESOURCE_EXHAUSTED if there was not enough memory for all
 * of it. */
struct status document_write(const struct document *document, struct buf *out);

#endif
