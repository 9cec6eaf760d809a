#include "services/token.h"

#include "base/search.h"

#include <ctype.h>
#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

#define SCHEME STR("Bearer ")

static struct str without_blanks(struct str text)
{
    while (text.size > 0 && isspace((unsigned char)*text.data))
        text = str_from(text, 1);
    while (text.size > 0 && isspace((unsigned char)text.data[text.size - 1]))
        text.size--;
    return text;
}

static bool is_token(struct str text)
{
    return text.size > 0 && text.size <= TOKEN_MAX &&
           !ANY(i, text.size,
                !isalnum((unsigned char)text.data[i]) && (!text.data[i] || !strchr("-._~+/=", text.data[i])));
}

struct status token_read(const char *path, struct arena *arena, struct str *token)
{
    char bytes[TOKEN_MAX + 16];
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
    bool is_read = file && !ferror(file);
    int number = errno;
    if (file)
        fclose(file);
    if (!is_read)
        return status_invalid(arena, "--repository-token: cannot read %s: %s", str_printable(arena, str_of(path)),
                              strerror(number));
    *token = arena_copy(arena, without_blanks((struct str){bytes, size}));
    OPENSSL_cleanse(bytes, sizeof(bytes));
    NEED(token->data);
    if (!is_token(*token))
        return status_invalid(
            arena, "--repository-token: %s holds no token, which has 1 to %zu letters, digits and \"-._~+/=\"",
            str_printable(arena, str_of(path)), TOKEN_MAX);
    return STATUS_IS_OK;
}

bool token_is_shown(struct str token, struct str authorization)
{
    struct str scheme = {authorization.data, authorization.size < SCHEME.size ? authorization.size : SCHEME.size};
    if (!str_equal_ignoring_case(scheme, SCHEME))
        return false;
    struct str shown = without_blanks(str_from(authorization, SCHEME.size));
    return shown.size == token.size && CRYPTO_memcmp(shown.data, token.data, token.size) == 0;
}
