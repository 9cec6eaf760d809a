/* The command line of the judge. */
#include "commands/reports.h"
#include "flags/table.h"
#include "tests/scratch.h"
#include <stdlib.h>
#include <unistd.h>

static struct options options;

/* Reads a command line of words that are separated by blanks. */
static struct status read_line(const char *line)
{
    char *words[32] = {"oip-conformance"};
    int count = 1;
    struct str copy = arena_copy(&arena, str_of(line));
    char *writable = arena_alloc(&arena, copy.size + 1);
    memcpy(writable, copy.data, copy.size + 1);
    for (char *word = strtok(writable, " "); word; word = strtok(NULL, " "))
        words[count++] = word;
    struct status status = options_read(count, words, &arena, &options);
    return is_ok(status) ? reports_check(&options, &arena) : status;
}

static void assert_refused(const char *line, const char *sentence)
{
    struct status status = read_line(line);
    assert_int_equal(status.code, STATUS_INVALID_ARGUMENT);
    assert_text(status.message, sentence);
}

TEST(a_run_has_sensible_defaults)
{
    assert_ok(read_line("run --target http://127.0.0.1:8000/"));
    assert_int_equal(options.address_count, 1);
    assert_string_equal(options.addresses[0].endpoint, "http");
    assert_text(options.addresses[0].at, "http://127.0.0.1:8000");
    assert_int_equal(options.flags.jobs, 8);
    assert_true(options.client.timeout == 10);
    assert_string_equal(options.fixtures, "fixtures");
    assert_string_equal(options.command_line, "oip-conformance run --target http://127.0.0.1:8000/");
}

TEST(metrics_have_an_address_of_their_own)
{
    assert_ok(read_line("run --metrics http://h:8002/x/ --verbose"));
    assert_int_equal(options.address_count, 1);
    assert_string_equal(options.addresses[0].endpoint, "metrics");
    assert_true(str_is(options.addresses[0].at, "http://h:8002/x") && options.verbose);
    assert_refused("run --metrics h:1:2", "--metrics needs a URL such as http://127.0.0.1:8000, not 'h:1:2'");
    assert_refused("list --verbose", "list has no flag --verbose; did you mean --version?");
}

TEST(the_command_line_can_be_typed_again)
{
    assert_ok(read_line("run --grpc=h:1 --state s=http://it's --filter a*"));
    assert_string_equal(options.command_line,
                        "oip-conformance run --grpc=h:1 --state 's=http://it'\\''s' --filter 'a*'");
}

TEST(the_command_line_keeps_what_headers_say_to_itself)
{
    assert_ok(read_line("run --grpc h:1 --header Authorization:secret --header=X-Key:secret"));
    assert_string_equal(options.command_line,
                        "oip-conformance run --grpc h:1 --header 'Authorization: ***' '--header=X-Key: ***'");
    assert_string_equal(options.client.headers.items[0], "Authorization:secret");
}

static void assert_decisive(const char *line, const char *expected)
{
    assert_ok(read_line(line));
    assert_text(options_decisive(&options, &arena), expected);
}

TEST(the_flags_that_decide_can_be_typed_again)
{
    assert_decisive("run --target http://h:1/ --jobs 3 --filter a* --seed 1 --timeout 10", " --target http://h:1");
    assert_decisive("run --grpc=h:1 --map simple=it's --model=--odd --model b --claim x,y --claim z --seed 7 "
                    "--timeout 0.5 --state s=http://h:2 --insecure --allow-mutation --strict",
                    " --grpc h:1 --claim x,y,z --model=--odd --model b --seed 7 --map 'simple=it'\\''s' "
                    "--state s=http://h:2 --timeout 0.5 --insecure --strict --allow-mutation");
    assert_decisive("run --grpc h:1 --header Authorization:secret --json r.json --fixtures there",
                    " --grpc h:1 --header 'Authorization: ***' --fixtures there");
}

TEST(a_replay_needs_an_id_and_a_target)
{
    assert_ok(read_line("replay a/b@http#k --target http://h:1 --after c --after d"));
    assert_string_equal(options.operands.items[0], "a/b@http#k");
    assert_string_equal(options.program, "oip-conformance");
    assert_int_equal(options.after.count, 2);
    assert_true(options.time_limit > 0);
    assert_refused("replay --grpc h:1",
                   "replay, walk and shrink need the ID of a case, which a report or `oip-conformance list` shows");
    assert_refused("replay a b --grpc h:1", "replay does not take the argument 'b'");
    assert_false(is_ok(read_line("replay a")));
    assert_false(is_ok(read_line("run --grpc h:1 --after a")));
}

TEST(flags_are_read_in_both_spellings)
{
    assert_ok(read_line("run --grpc=[::1]:8001 --jobs=3 --timeout 0.5 --strict --profile v2-rest,v2-grpc "
                        "--claim streaming --model a --model b "
                        "--map simple=their=s --state loading=grpc://h:1 --header X:y --min=7"));
    assert_string_equal(options.addresses[0].endpoint, "grpc");
    assert_text(options.addresses[0].at, "[::1]:8001");
    assert_int_equal(options.flags.jobs, 3);
    assert_true(options.client.timeout == 0.5 && options.strict);
    assert_int_equal(options.selected.profiles.count, 2);
    assert_string_equal(options.selected.profiles.items[1], "v2-grpc");
    assert_string_equal(options.claims.items[0], "streaming");
    assert_int_equal(options.flags.models.count, 2);
    assert_string_equal(options.flags.map.items[0], "simple=their=s");
    assert_int_equal(options.min, 7);
}

TEST(addresses_may_say_that_they_speak_tls)
{
    EACH(good, "grpcs://h:443", "grpc://[::1]:1", "h:1") {
        assert_ok(read_line(arena_printf(&arena, "run --insecure --grpc %s", good).data));
        assert_true(str_is(options.addresses[0].at, good) && options.client.insecure);
    }
    EACH(other, "https://h:1", "grpcs://h:1", "graphpipes://h:1", "metrics://h:1")
        assert_ok(read_line(arena_printf(&arena, "run --grpc h:1 --state s=%s", other).data));
    assert_false(is_ok(read_line("run --grpc h:1 --state s=grpcss://h:1")));
    assert_false(is_ok(read_line("run --grpc h:1 --state s=ftp://h:1")));
}

TEST(what_is_not_known_is_refused_with_a_hint)
{
    assert_refused("rum", "there is no command 'rum'; did you mean run?");
    assert_refused("publish", "there is no command 'publish'; `oip-conformance --help` lists the commands");
    assert_refused("run --targte http://h:1", "run has no flag --targte; did you mean --target?");
    assert_refused("run --xyz", "run has no flag --xyz; `--help` after the command lists its flags");
    assert_refused("lint --target http://h:1", "lint has no flag --target; `--help` after the command lists its flags");
    assert_refused("run something", "run does not take the argument 'something'");
}

#define URL  "--target needs a URL such as http://127.0.0.1:8000, not "
#define HOST "--grpc needs an address such as 127.0.0.1:8001, over TLS grpcs://HOST:PORT, not "

TEST(values_are_checked)
{
    assert_refused("run", "no server to judge: give --target http://HOST:PORT, --grpc HOST:PORT, --graphpipe "
                          "http://HOST:PORT, or several of them");
    assert_refused("run --target", "--target needs a value: URL");
    assert_refused("run --target http://h:1 --json - --junit -", "--json and --junit cannot both be standard output");
    assert_refused("run --target http://h:1 --html - --json -", "--json and --html cannot both be standard output");
    assert_refused("run --target http://h:1 --html - --markdown -",
                   "--html and --markdown cannot both be standard output");
    assert_refused("run --target http://h:1 --write-waivers - --junit -",
                   "--junit and --write-waivers cannot both be standard output");
    assert_refused("run --target --strict", "--target needs a value: URL");
    assert_refused("run --target 127.0.0.1:1", URL "'127.0.0.1:1'");
    assert_refused("run --target http://", URL "'http://'");
    assert_refused("run --target http://h?x", URL "'http://h?***'");
    assert_refused("run --grpc h", HOST "'h'");
    assert_refused("run --target http://h:70000", URL "'http://h:70000'");
    assert_refused("run --target http://:80", URL "'http://:80'");
    assert_refused("run --target http://[::1]:x/v", URL "'http://[::1]:x/v'");
    assert_ok(read_line("run --target http://[::1]:80/a:b"));
    assert_refused("spec-check", "spec-check needs the file of an edition of a document, or --sentence 'TEXT'");
    assert_refused("run --grpc h:1 --max-message 0", "--max-message needs a number of bytes above 0");
    assert_refused("run --grpc h:70000", HOST "'h:70000'");
    assert_refused("run --grpc grpcs://h", HOST "'grpcs://h'");
    assert_refused("run --grpc h:1 --ca /dev/null --insecure", "--ca and --insecure cannot be combined");
    assert_refused("run --grpc h:1 --jobs -1", "--jobs needs a whole number, not '-1'");
    assert_refused("run --grpc h:1 --jobs 0", "--jobs needs a number from 1 to 256");
    assert_refused("run --grpc h:1 --jobs 18446744073709551616",
                   "--jobs needs a whole number, not '18446744073709551616'");
    assert_refused("run --grpc h:1 --timeout 0", "--timeout needs a number of seconds from 0.001 to 86400, not '0'");
    assert_refused("run --grpc h:1 --timeout nan",
                   "--timeout needs a number of seconds from 0.001 to 86400, not 'nan'");
    assert_refused("run --grpc h:1 --json a --html ./b --junit a", "--json and --junit cannot both be a");
    assert_refused("run --grpc h:1 --record a --json b --markdown a", "--markdown and --record cannot both be a");
    assert_refused("run --grpc h:1 --repeat 0", "--repeat needs a number from 1 to 1000");
    assert_refused("compare http://h:1", "compare needs two targets, such as http://HOST:PORT,grpc://HOST:PORT "
                                         "http://HOST:PORT");
    assert_refused("run --grpc h:1 --map simple", "--map needs KIT=THEIRS, not 'simple'");
    assert_refused(
        "run --grpc h:1 --state x=h:1",
        "--state needs NAME=http://HOST:PORT, NAME=grpc://HOST:PORT or NAME=graphpipe://HOST:PORT, not 'x=h:1'");
    assert_refused("run --grpc h:1 --header x", "--header needs 'NAME: VALUE', and the name is one word");
    assert_refused("run --grpc h:1 --header X(Y):1", "--header needs 'NAME: VALUE', and the name is one word");
    assert_refused("run --grpc h:1 --cert f", "--cert and --key must be given together");
    assert_refused("run --grpc h:1 --strict=1", "--strict takes no value");
    assert_refused("run --grpc h:1 --profile ,", "--profile needs P,.., not ','");
}

TEST(headers_come_from_the_environment_and_from_files)
{
    char path[] = "/tmp/oip-headers-XXXXXX";
    int file = mkstemp(path);
    setenv("OIP_TEST_TOKEN", "Bearer s3", 1);
    unsetenv("OIP_TEST_NONE");
    assert_int_equal(write(file, "A: b\r\n\nX-Key: $OIP_TEST_TOKEN\n", 30), 30);
    struct str line = arena_printf(&arena, "run --grpc h:1 --header X-Key:$OIP_TEST_TOKEN --header @%s", path);
    assert_ok(read_line(line.data));
    assert_int_equal(options.client.headers.count, 3);
    assert_string_equal(options.client.headers.items[0], "X-Key: Bearer s3");
    assert_string_equal(options.client.headers.items[1], "A: b");
    assert_string_equal(options.client.headers.items[2], "X-Key: Bearer s3");
    assert_string_equal(options.command_line,
                        "oip-conformance run --grpc h:1 --header 'X-Key: ***' --header 'A: ***' --header 'X-Key: ***'");
    assert_ok(read_line(arena_printf(&arena, "run --grpc h:1 --header=@%s", path).data));
    assert_string_equal(options.command_line, "oip-conformance run --grpc h:1 '--header=A: ***' '--header=X-Key: ***'");
    assert_ok(read_line("run --grpc h:1 --header X:$1 --header X:a$OIP_TEST_NONE"));
    assert_string_equal(options.client.headers.items[1], "X:a$OIP_TEST_NONE");
    assert_refused("run --grpc h:1 --header X-Key:$OIP_TEST_NONE", "--header: the variable $OIP_TEST_NONE is not set");
    assert_int_equal(write(file, "secret\n", 7), 7);
    assert_refused(
        arena_printf(&arena, "run --grpc h:1 --header @%s", path).data,
        arena_printf(&arena, "--header @%s, line 4: needs 'NAME: VALUE', and the name is one word", path).data);
    assert_refused("run --grpc h:1 --header @/nowhere",
                   "--header @FILE: cannot read /nowhere: No such file or directory");
    close(file);
    unlink(path);
}

/* That no secret is told is for test_secrets.py. */
TEST(what_looks_like_a_secret_is_refused_with_a_hint)
{
    assert_refused("run --target http://user:pass@h:1", URL "'http://***'; credentials are given by --header");
    assert_refused("run --target http://h/x#token", URL "'http://h/x#***'");
    assert_refused("run --grpc grpcs://user:pass@h:1", HOST "'grpcs://***'; credentials are given by --header");
    assert_refused("run --header Authorization: Bearer",
                   "run does not take the argument '***'; put quotes around a header: --header 'NAME: VALUE'");
    assert_refused("run --header:X-Key:secret",
                   "run has no flag --header***; `--help` after the command lists its flags");
}

TEST(help_names_every_flag_of_a_command)
{
    struct str help = help_of("run", &arena);
    assert_non_null(strstr(help.data, "--junit FILE"));
    assert_non_null(strstr(help.data, "Exit codes: 0 conformant"));
    assert_non_null(strstr(help_of("replay", &arena).data, "Exit codes: 0 what was judged holds"));
    assert_null(strstr(help_of("lint", &arena).data, "--target"));
    assert_null(strstr(help_of("lint", &arena).data, "Exit codes"));
    assert_non_null(strstr(help_of("", &arena).data, "mutation"));
    assert_true(is_ok(read_line("run --help")) && options.help);
    assert_true(is_ok(read_line("--version")) && options.version);
}

/* Only words that cannot be broken may be wider than a screen. */
TEST(help_fits_on_a_screen)
{
    EACH(text, "", "run", "replay", "mutation", "list", "explain", "lint", "coverage", "spec-check", "guide", "walk",
         "book") {
        struct str help = help_of(text, &arena);
        for (const char *line = help.data, *end; (end = strchr(line, '\n')); line = end + 1)
            if (end - line > 80 || (end > line && end[-1] == ' '))
                fail_msg("%s: %.*s", text, (int)(end - line), line);
    }
    assert_non_null(strstr(help_of("run", &arena).data,
                           "\n  --skip GLOB             leave out what matches: cases by ID, assertions by ID\n"
                           "                          or key, such as 'http.*' (may be repeated)\n"));
}

TEST(every_flag_belongs_to_commands_and_has_a_place_of_its_own)
{
    assert_ok(read_line("spec-check --text 000 --sentence words"));
    assert_string_equal(options.text, "000");
    assert_string_equal(options.sentence, "words");
    assert_refused("coverage --sentence x",
                   "coverage has no flag --sentence; `--help` after the command lists its flags");
}
