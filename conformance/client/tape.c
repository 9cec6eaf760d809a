#include "client/tape.h"

#include "base/disk.h"
#include "client/tape_text.h"
#include "support/digested.h"
#include "support/utc.h"
#include "tree/tree.h"
#include "json/writer.h"

#include <pthread.h>
#include <stdlib.h>
#include <zlib.h>

#define DIGITS ((size_t)SHA256_DIGITS)
#define PIECE  ((size_t)64 << 10) /* bytes that are read or written at once */
#define FORMAT "[\"oip-conformance-tape\",1]"
#define DATE   "%Y-%m-%dT%H:%M:%SZ"

/* Something that is found by its digest: a request or an answer with its text, or all answers to one request under one
 * name. */
struct recorded {
    struct digested entry;
    struct str text;
    struct list takes; /* struct take: in the order in which they came */
    size_t taken;
};

struct take {
    const struct recorded *answer;
    double seconds;
};

struct tape {
    pthread_mutex_t lock; /* guards the members below */
    struct arena arena;
    void *turns; /* struct recorded: for each name how many turns were taken */
    void *seen;  /* struct recorded: what was written, or read */
    /* If it is recorded: */
    gzFile out; /* NULL: it has ended */
    const char *file;
    const struct secrets *secrets;
    bool failed;
    /* If it plays: */
    bool plays;
    void *questions; /* struct recorded: by name and request */
    struct list arguments;
    struct tape_end end;
    bool has_end, is_joined; /* is_joined: another one was read before */
    size_t exchanges, missing;
};

/* Returns the entry of that digest, which is added if it is new. */
static struct recorded *entry_of(struct tape *tape, void **root, const struct digested *key)
{
    return digested_entry(root, key, sizeof(struct recorded), &tape->arena);
}

static struct tape *new_tape(void)
{
    struct tape *tape = memory_zeroed(sizeof *tape);
    tape->arena = memory_arena();
    pthread_mutex_init(&tape->lock, NULL);
    return tape;
}

void tape_free(struct tape *tape)
{
    if (!tape)
        return;
    if (tape->out)
        gzclose(tape->out);
    digested_free(tape->seen);
    digested_free(tape->questions);
    digested_free(tape->turns);
    pthread_mutex_destroy(&tape->lock);
    arena_free(&tape->arena);
    free(tape);
}

struct str tape_turn(struct tape *tape, struct str name, struct arena *arena)
{
    if (!tape)
        return name;
    const struct digested key = digested_of(name);
    pthread_mutex_lock(&tape->lock);
    size_t turn = ++entry_of(tape, &tape->turns, &key)->taken;
    pthread_mutex_unlock(&tape->lock);
    return turn > 1 ? arena_printf(arena, "%.*s turn %zu", STR_ARG(name), turn) : name;
}

/* --- Recording --- */

/* Writes a line and frees it. */
static void write_line(struct tape *tape, struct buf *line)
{
    buf_append_byte(line, '\n');
    for (size_t at = 0; at < line->size; at += PIECE) {
        size_t size = line->size - at < PIECE ? line->size - at : PIECE;
        tape->failed |= gzwrite(tape->out, line->data + at, (unsigned)size) != (int)size;
    }
    buf_free(line);
}

struct status tape_create(const char *file, const struct secrets *secrets, struct arena *arena, struct tape **tape)
{
    gzFile out = gzopen(file, "wb6");
    if (!out)
        return status_error(arena, STATUS_FAILED_PRECONDITION, "--record: '%s' cannot be written",
                            str_printable(arena, str_of(file)));
    *tape = new_tape();
    (*tape)->out = out;
    (*tape)->file = file;
    (*tape)->secrets = secrets;
    struct buf line = {0};
    buf_append_literal(&line, FORMAT);
    write_line(*tape, &line);
    return STATUS_IS_OK;
}

void tape_note_argument(struct tape *tape, struct str word)
{
    struct arena scratch = memory_arena();
    struct buf line = {0};
    buf_append_literal(&line, "[\"argument\",");
    json_write_string(&line, secrets_hide(tape->secrets, word, &scratch));
    buf_append_byte(&line, ']');
    write_line(tape, &line);
    arena_free(&scratch);
}

/* Writes a request or an answer, unless an equal one was written before. Returns its digest. */
static struct digested note_text(struct tape *tape, const char *kind, const struct buf *text)
{
    const struct digested key = digested_of(buf_str(text));
    struct buf line = {0};
    if (digested_find(&tape->seen, &key))
        return key;
    entry_of(tape, &tape->seen, &key);
    buf_printf(&line, "[\"%s\",\"%s\",", kind, key.digest);
    buf_append_str(&line, buf_str(text));
    buf_append_byte(&line, ']');
    write_line(tape, &line);
    return key;
}

void tape_note(struct tape *tape, struct str name, const struct request *request, const struct answer *answer)
{
    if (!tape || tape->plays)
        return;
    struct arena scratch = memory_arena();
    struct buf asked = {0}, came = {0}, line = {0};
    tape_write_request(request, tape->secrets, &scratch, &asked);
    tape_write_answer(answer, tape->secrets, &scratch, &came);
    pthread_mutex_lock(&tape->lock);
    if (tape->out) { /* threads that outlive the run are not recorded */
        const struct digested asks = note_text(tape, "request", &asked), answers = note_text(tape, "answer", &came);
        buf_append_literal(&line, "[\"exchange\",");
        json_write_string(&line, secrets_hide(tape->secrets, name, &scratch));
        buf_printf(&line, ",\"%s\",\"%s\",", asks.digest, answers.digest);
        json_write_double(&line, answer->seconds);
        buf_append_byte(&line, ']');
        write_line(tape, &line);
    }
    pthread_mutex_unlock(&tape->lock);
    buf_free(&asked);
    buf_free(&came);
    arena_free(&scratch);
}

struct status tape_digest(const char *file, struct arena *arena, struct str *digest)
{
    struct str content;
    char digits[DIGITS + 1];
    struct status status = disk_read(file, TAPE_MAX, arena, &content);
    if (!is_ok(status))
        return status;
    sha256_digits(content, digits);
    *digest = arena_printf(arena, "sha256:%s", digits);
    return STATUS_IS_OK;
}

struct status tape_finish(struct tape *tape, const struct tape_end *end, struct arena *arena, struct str *digest)
{
    struct buf line = {0};
    pthread_mutex_lock(&tape->lock);
    buf_printf(&line, "[\"end\",\"%s\",", utc_text(end->started, DATE, arena).data);
    json_write_double(&line, end->seconds);
    buf_append_byte(&line, ',');
    json_write_string(&line, end->folder);
    buf_append_byte(&line, ']');
    write_line(tape, &line);
    tape->failed |= gzclose(tape->out) != Z_OK;
    tape->out = NULL;
    pthread_mutex_unlock(&tape->lock);
    if (tape->failed)
        return status_error(arena, STATUS_FAILED_PRECONDITION, "--record: '%s' cannot be written",
                            str_printable(arena, str_of(tape->file)));
    return tape_digest(tape->file, arena, digest);
}

/* --- Reading --- */

/* Returns the whole file, no longer compressed. */
static struct status inflate_file(const char *file, struct arena *arena, struct str *content)
{
    struct status status = disk_check(file, TAPE_MAX, arena);
    if (!is_ok(status))
        return status;
    gzFile in = gzopen(file, "rb");
    struct buf all = {0};
    int size = in ? 1 : -1;
    while (size > 0 && all.size <= TAPE_MAX) {
        size = gzread(in, buf_reserve(&all, PIECE), PIECE);
        all.size += size > 0 ? (size_t)size : 0;
    }
    if (in && gzclose(in) != Z_OK)
        size = -1;
    *content = arena_take(arena, &all);
    buf_free(&all);
    return size == 0 ? STATUS_IS_OK
                     : status_invalid(arena, "'%s' is no whole tape of --record", str_printable(arena, str_of(file)));
}

/* Reads ["request","DIGEST",{...}] or ["answer",...]. */
static bool read_text(struct tape *tape, struct str line, struct str kind)
{
    size_t head = strlen("[\"") + kind.size + strlen("\",\"") + DIGITS + strlen("\",");
    if (line.size < head + 1)
        return false;
    struct str text = {line.data + head, line.size - head - 1};
    const struct digested key = digested_of(text);
    if (memcmp(key.digest, line.data + head - DIGITS - 2, DIGITS) != 0)
        return false;
    bool is_new = !digested_find(&tape->seen, &key);
    entry_of(tape, &tape->seen, &key)->text = text;
    return is_new || tape->is_joined;
}

/* Returns the digest under which the answers to one request of one name are found. */
static struct digested question_of(struct str name, const struct digested *request)
{
    struct buf text = {0};
    buf_append_str(&text, name);
    buf_append_byte(&text, '\n');
    buf_append(&text, request->digest, DIGITS);
    const struct digested key = digested_of(buf_str(&text));
    buf_free(&text);
    return key;
}

static bool read_number(const struct tree *tree, double *number)
{
    char *end;
    if (!tree || tree->type != TREE_NUMBER)
        return false;
    *number = strtod(tree->text.data, &end);
    return end == tree->text.data + tree->text.size && *number >= 0;
}

static struct str word_at(const struct tree *line, size_t index)
{
    const struct tree *word = tree_at(line, index);
    return word && word->type == TREE_STRING ? word->text : (struct str){0};
}

/* Returns the request or answer of that digest; NULL: no line before has it. */
static const struct recorded *find_seen(const struct tape *tape, struct str digest)
{
    struct digested key = {""};
    if (digest.size == DIGITS)
        memcpy(key.digest, digest.data, DIGITS);
    return digested_find(&tape->seen, &key);
}

static bool read_exchange(struct tape *tape, const struct tree *line)
{
    struct take *take = arena_new_of(&tape->arena, struct take);
    const struct recorded *asked = find_seen(tape, word_at(line, 2));
    take->answer = find_seen(tape, word_at(line, 3));
    if (!asked || !take->answer || !read_number(tree_at(line, 4), &take->seconds))
        return false;
    const struct digested key = question_of(word_at(line, 1), &asked->entry);
    list_append(&entry_of(tape, &tape->questions, &key)->takes, take, &tape->arena);
    tape->exchanges++;
    return true;
}

static bool read_end(struct tape *tape, const struct tree *line)
{
    struct tm utc = {0};
    struct str started = arena_copy(&tape->arena, word_at(line, 1));
    const char *rest = started.size ? strptime(started.data, DATE, &utc) : NULL;
    struct tape_end end = {.started = timegm(&utc), .folder = word_at(line, 3)}, *all = &tape->end;
    tape->has_end = rest && *rest == '\0' && read_number(tree_at(line, 2), &end.seconds);
    bool is_first = !all->folder.data || end.started < all->started;
    all->seconds = end.seconds > all->seconds ? end.seconds : all->seconds;
    all->started = is_first ? end.started : all->started;
    all->folder = is_first ? end.folder : all->folder;
    return tape->has_end;
}

static bool read_line(struct tape *tape, struct str line)
{
    struct tree *tree;
    if (str_starts(line, STR("[\"request\",")))
        return read_text(tape, line, STR("request"));
    if (str_starts(line, STR("[\"answer\",")))
        return read_text(tape, line, STR("answer"));
    if (!is_ok(tree_parse(line, &tape->arena, &tree)) || tree->type != TREE_ARRAY)
        return false;
    struct str kind = word_at(tree, 0), word = word_at(tree, 1);
    if (str_is(kind, "argument"))
        list_append_str(&tape->arguments, word, &tape->arena);
    return str_is(kind, "exchange")   ? read_exchange(tape, tree)
           : str_is(kind, "argument") ? word.data != NULL
           : str_is(kind, "end")      ? read_end(tape, tree)
                                      : str_equal(line, STR(FORMAT));
}

static struct status read_lines(struct tape *tape, const char *file, struct str content, struct arena *arena)
{
    for (size_t number = 1; content.size; number++) {
        bool is_whole = str_has(content, '\n');
        struct str line = str_take(&content, '\n');
        bool is_first = str_equal(line, STR(FORMAT));
        if (!is_whole || is_first != (number == 1) || tape->has_end || !read_line(tape, line))
            return status_invalid(arena,
                                  number == 1 ? "'%s' is no tape of --record (line %zu)"
                                              : "line %2$zu of the tape '%1$s' is not as it was recorded",
                                  str_printable(arena, str_of(file)), number);
    }
    return tape->has_end ? STATUS_IS_OK
                         : status_invalid(arena, "the tape '%s' has no end", str_printable(arena, str_of(file)));
}

struct status tape_read(const char *file, struct arena *arena, struct tape **tape)
{
    struct str content;
    bool is_first = !*tape;
    if (is_first)
        *tape = new_tape();
    (*tape)->is_joined = !is_first;
    (*tape)->plays = true;
    (*tape)->arguments = (struct list){0};
    (*tape)->has_end = false;
    struct status status = inflate_file(file, &(*tape)->arena, &content);
    if (is_ok(status))
        return read_lines(*tape, file, content, arena);
    status.message = arena_copy(arena, status.message);
    return status;
}

const struct list *tape_arguments(const struct tape *tape)
{
    return &tape->arguments;
}

const struct tape_end *tape_end(const struct tape *tape)
{
    return &tape->end;
}

size_t tape_exchanges(const struct tape *tape)
{
    return tape->exchanges;
}

size_t tape_missing(const struct tape *tape)
{
    return tape->missing;
}

/* --- Playing --- */

bool tape_plays(const struct tape *tape)
{
    return tape && tape->plays;
}

/* Returns the answers to the request of that name; NULL: there are none. */
static struct recorded *find_recorded(struct tape *tape, struct str name, const struct request *request)
{
    struct arena scratch = memory_arena();
    struct buf text = {0};
    tape_write_request(request, NULL, &scratch, &text);
    const struct digested asks = digested_of(buf_str(&text)), key = question_of(name, &asks);
    buf_free(&text);
    arena_free(&scratch);
    return digested_find(&tape->questions, &key);
}

bool tape_is_over(struct tape *tape, struct str name, const struct request *request)
{
    struct recorded *question = tape_plays(tape) ? find_recorded(tape, name, request) : NULL;
    pthread_mutex_lock(&tape->lock);
    bool is_over = !question || question->taken >= question->takes.count;
    pthread_mutex_unlock(&tape->lock);
    return is_over;
}

/* The last answer is taken again and again, where the run asks once more than it did. */
static const struct take *next_take(struct tape *tape, struct recorded *question)
{
    pthread_mutex_lock(&tape->lock);
    bool is_over = question && question->taken >= question->takes.count;
    size_t index = question ? (is_over ? question->takes.count - 1 : question->taken++) : 0;
    tape->missing += !question;
    pthread_mutex_unlock(&tape->lock);
    return question ? question->takes.items[index] : NULL;
}

/* What a case asks is not judged then, as if the target had limited its requests; a question before the first case is
 * one that nobody answers. */
static struct answer no_answer(struct str name, struct str why)
{
    return (struct answer){
        .outcome = name.size ? OUTCOME_LIMITED : OUTCOME_UNREACHABLE, .trouble = why, .unrecorded = name.size > 0};
}

void tape_answer(struct tape *tape, struct str name, const struct request *request, struct arena *arena,
                 struct answer *answer)
{
    const struct take *take = next_take(tape, find_recorded(tape, name, request));
    struct status status = take ? tape_read_answer(take->answer->text, arena, answer) : STATUS_IS_OK;
    if (!take)
        *answer = no_answer(name, STR("the tape has no answer to this request"));
    else if (!is_ok(status))
        *answer = no_answer(name, status.message);
    answer->seconds = take ? take->seconds : 0;
}
