/* SPDX-License-Identifier: MIT */
#include "support/bits.h"
#include "support/file.h"
#include "support/options.h"
#include "support/str.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

enum { OUTPUT = 1, MAP, DEBUG, LEVEL, DEFINE, LISTING, TARGETS, TARGET, DISASSEMBLE, SOURCE };

static const struct option options[] = {
    {OUTPUT, "-o, --output", ARG_REQUIRED, "FILE", "Output", "Write to FILE."},
    {MAP, "-Map", ARG_REQUIRED, "FILE", NULL, "Write a map."},
    {LISTING, "--listing", ARG_OPTIONAL, "FILE", NULL, "List.\nOn standard output without FILE."},
    {DEBUG, "-g", ARG_NONE, NULL, "Translation", "Keep lines."},
    {LEVEL, "-O", ARG_REQUIRED, "LEVEL", NULL, "Optimise."},
    {DEFINE, "-D, --define", ARG_REQUIRED, "NAME[=V]", NULL,
     "Define NAME as V, or as 1 without V; this help text is so long that it takes a second line "
     "and then even a third."},
    {TARGETS, "--list-targets", ARG_NONE, NULL, NULL, "List the targets."},
    {TARGET, "--target-with-a-long-name", ARG_REQUIRED, "T", NULL, "A target."},
    {DISASSEMBLE, "-d", ARG_NONE, NULL, NULL, "Disassemble."},
    {SOURCE, "-S", ARG_OPTIONAL, "STYLE", NULL, "Source."},
};

static const struct tool tool = {
    "mpu-x",
    "mpu-x - a tool for tests",
    "[options] FILE...\n--list-targets",
    options,
    sizeof options / sizeof *options,
    "Example:\n  mpu-x a.s",
    TOOL_AS,
    true,
    false,
};

/* What a run of command_line_parse printed. */
static char printed_out[8192], printed_err[8192];

static int redirect(FILE *stream, FILE *to) {
    fflush(stream);
    int saved = dup(fileno(stream));
    assert_true(saved >= 0 && dup2(fileno(to), fileno(stream)) >= 0);
    return saved;
}

static void restore(FILE *stream, int saved, FILE *from, char *text, size_t size) {
    fflush(stream);
    dup2(saved, fileno(stream));
    close(saved);
    rewind(from);
    text[fread(text, 1, size - 1, from)] = '\0';
    fclose(from);
}

/* Parses with the output kept; returns the exit code, or -1 for "go on". */
static int parse(struct command_line *cl, int argc, char **argv) {
    FILE *out = tmpfile(), *err = tmpfile();
    assert_true(out && err);
    int saved_out = redirect(stdout, out), saved_err = redirect(stderr, err);
    int exit_code = 99;
    bool ok = command_line_parse(&tool, argc, argv, cl, &exit_code);
    restore(stdout, saved_out, out, printed_out, sizeof printed_out);
    restore(stderr, saved_err, err, printed_err, sizeof printed_err);
    return ok ? -1 : exit_code;
}

/* The values as "id:name=value " in order. */
static void describe(const struct command_line *cl, struct str *s) {
    str_clear(s);
    for (size_t i = 0; i < cl->count; i++) {
        const struct option_value *v = &cl->values[i];
        str_printf(s, "%s%d:%s=%s", i ? " " : "", v->id, v->name, v->value ? v->value : "(null)");
    }
}

#define ARGS(...)                                                                                  \
    (int)(sizeof((char *[]){"mpu-x", __VA_ARGS__}) / sizeof(char *)), (char *[]) {                 \
        "mpu-x", __VA_ARGS__, NULL                                                                 \
    }

static void check_values_of(const char *expected, int argc, char **argv) {
    struct command_line cl;
    struct str s = {0};
    assert_int_equal(parse(&cl, argc, argv), -1);
    assert_string_equal(printed_err, "");
    describe(&cl, &s);
    assert_string_equal(str_text(&s), expected);
    str_free(&s);
    command_line_free(&cl);
}

static void check_fails_with(int exit_code, const char *message, int argc, char **argv) {
    struct command_line cl;
    assert_int_equal(parse(&cl, argc, argv), exit_code);
    assert_string_equal(printed_out, "");
    assert_string_equal(printed_err, message);
    command_line_free(&cl); /* harmless */
}

#define check_values(expected, ...)          check_values_of(expected, ARGS(__VA_ARGS__))
#define check_fails(exit_code, message, ...) check_fails_with(exit_code, message, ARGS(__VA_ARGS__))

static void forms_of_options(void **state) {
    (void)state;
    check_values_of("", 1, (char *[]){"mpu-x", NULL});
    check_values_of("", 0, (char *[]){NULL});
    check_values("1:-o=x", "-o", "x");
    check_values("1:-o=x", "-ox");
    check_values("1:--output=x", "--output", "x");
    check_values("1:--output=x=y", "--output=x=y");
    check_values("1:--output=", "--output=");
    check_values("1:--out=x", "--out=x");
    check_values("1:-o=-g", "-o", "-g");
    check_values("2:-Map=m", "-Map=m");
    check_values("2:-Map=m", "-Map", "m");
    check_values("4:-O=2 4:-O=0", "-O2", "-O", "0");
    check_values("5:-D=A 5:-D=B=1 5:--define=C", "-DA", "-DB=1", "--define=C");
    check_values("6:--listing=(null) 0:f=f", "--listing", "f");
    check_values("6:--listing=f", "--listing=f");
    check_values("9:-d=(null) 3:-g=(null) 4:-O=1", "-dgO1");
    check_values("10:-S=(null) 10:-S=x", "-S", "-Sx");
    check_values("0:a=a 0:-=- 0:b=b", "a", "-", "b");
    check_values("3:-g=(null) 0:-g=-g 0:--=-- 0:@x=@x", "-g", "--", "-g", "--", "@x");
    check_values("0:@=@", "@");
    check_values("0:=", "");
    check_values("7:--list-t=(null)", "--list-t");
}

static void common_options(void **state) {
    (void)state;
    struct command_line cl;
    assert_int_equal(parse(&cl, ARGS("-v", "--diagnostics=json", "--color=never", "--max-errors",
                                     "1", "-Wno-unused", "-Werror=truncated")),
                     -1);
    assert_true(cl.verbose);
    assert_int_equal(cl.printer.format, DIAG_JSON);
    assert_false(cl.printer.color);
    assert_string_equal(cl.printer.prefix, "mpu-x");
    assert_int_equal(cl.count, 0);
    cl.printer.out = tmpfile();
    diag_warning(cl.diag, W_UNUSED, NO_SPAN, "off");
    assert_int_equal(diag_warnings(cl.diag), 0);
    diag_warning(cl.diag, W_TRUNCATED, NO_SPAN, "an error");
    assert_true(diag_full(cl.diag));
    diag_flush(cl.diag);
    fclose(cl.printer.out);
    command_line_free(&cl);
}

static void last_values(void **state) {
    (void)state;
    struct command_line cl;
    assert_int_equal(parse(&cl, ARGS("-o", "a", "-g", "in", "-ob")), -1);
    assert_string_equal(option_last(&cl, OUTPUT), "b");
    assert_string_equal(option_last(&cl, DEBUG), "-g");
    assert_string_equal(option_last(&cl, 0), "in");
    assert_null(option_last(&cl, MAP));
    command_line_free(&cl);
}

#define TRY "mpu-x: note: try 'mpu-x --help'\n"

static void usage_errors(void **state) {
    (void)state;
    check_fails(2,
                "mpu-x: error: unknown option '--outptu'\n"
                "mpu-x: note: did you mean '--output'?\n" TRY,
                "--outptu=x");
    check_fails(2, "mpu-x: error: unknown option '--zzzzzz'\n" TRY, "--zzzzzz");
    check_fails(2,
                "mpu-x: error: unknown option '-Mpa'\n"
                "mpu-x: note: did you mean '-Map'?\n" TRY,
                "-Mpa");
    check_fails(2, "mpu-x: error: unknown option '-z'\n" TRY, "-z");
    check_fails(2, "mpu-x: error: unknown option '-z' in '-gz'\n" TRY, "-gz");
    check_fails(2, "mpu-x: error: option '-o' needs a value: FILE\n" TRY, "-o");
    check_fails(2, "mpu-x: error: option '--list-targets' takes no value\n" TRY,
                "--list-targets=x");
    check_fails(2, "mpu-x: error: option '--list' is ambiguous: --listing, --list-targets\n" TRY,
                "--list");
    check_fails(2,
                "mpu-x: error: '--diagnostics' takes text or json, not 'jsn'\n"
                "mpu-x: note: did you mean 'json'?\n" TRY,
                "--diagnostics=jsn");
    check_fails(2, "mpu-x: error: '--color' takes auto, always or never, not 'x'\n" TRY, "--color",
                "x");
    check_fails(2,
                "mpu-x: error: unknown warning '-Wno-unusd'\n"
                "mpu-x: note: did you mean 'unused'?\n" TRY,
                "-Wno-unusd");
    check_fails(2, "mpu-x: error: '--max-errors' takes a number, not '-1'\n" TRY,
                "--max-errors=-1");
    check_fails(2, "mpu-x: error: '--max-errors' takes a number, not '4294967296'\n" TRY,
                "--max-errors=4294967296");
}

static void a_tool_reports_its_own_usage_errors(void **state) {
    (void)state;
    struct command_line cl;
    assert_int_equal(parse(&cl, ARGS("x")), -1);
    char *text;
    size_t size;
    cl.printer.out = open_memstream(&text, &size);
    assert_int_equal(tool_usage_error(&cl, "no input %d", 1), EXIT_USAGE);
    fclose(cl.printer.out);
    assert_string_equal(text, "mpu-x: error: no input 1\n" TRY);
    free(text);
    command_line_free(&cl);
}

static void help_and_version(void **state) {
    (void)state;
    struct command_line cl;
    struct str help = {0};
    assert_int_equal(parse(&cl, ARGS("--version", "--bad")), 0);
    assert_int_equal(strncmp(printed_out, "mpu-x (MPU toolchain) ", 22), 0);
    assert_string_equal(printed_err, "");
    assert_int_equal(strncmp(printed_out + 22, tool_version_text(), strlen(tool_version_text())),
                     0);
    assert_int_equal(parse(&cl, ARGS("-g", "--help")), 0);
    tool_help(&tool, &help);
    assert_string_equal(printed_out, help.text);
    str_free(&help);
}

static void the_version_is_the_file_version(void **state) {
    (void)state;
    size_t size;
    char *text = file_read(MPU_SOURCE_DIR "/VERSION", &size);
    assert_non_null(text);
    text[strcspn(text, "\n")] = '\0';
    assert_string_equal(tool_version_text(), text);
    free(text);
}

static void help_text(void **state) {
    (void)state;
    struct str help = {0};
    tool_help(&tool, &help);
    static const char expected[] =
        "mpu-x - a tool for tests\n"
        "\n"
        "usage: mpu-x [options] FILE...\n"
        "       mpu-x --list-targets\n"
        "\n"
        "Output:\n"
        "  -o, --output=FILE       Write to FILE.\n"
        "  -Map=FILE               Write a map.\n"
        "      --listing[=FILE]    List.\n"
        "                          On standard output without FILE.\n"
        "\n"
        "Translation:\n"
        "  -g                      Keep lines.\n"
        "  -O LEVEL                Optimise.\n"
        "  -D, --define=NAME[=V]   Define NAME as V, or as 1 without V; this help text is\n"
        "                          so long that it takes a second line and then even a\n"
        "                          third.\n"
        "      --list-targets      List the targets.\n"
        "      --target-with-a-long-name=T\n"
        "                          A target.\n"
        "  -d                      Disassemble.\n"
        "  -S[STYLE]               Source.\n"
        "\n"
        "Common options:\n"
        "      --help              Print this text and exit.\n";
    assert_int_equal(strncmp(help.text, expected, sizeof expected - 1), 0);
    const char *end = "\nExample:\n  mpu-x a.s\n";
    assert_string_equal(help.text + help.len - strlen(end), end);
    for (int w = 0; w < WARNING_COUNT; w++) {
        char line[80];
        snprintf(line, sizeof line, "\n  %s ", diag_warning_table[w].name);
        assert_int_equal(strstr(help.text, line) != NULL,
                         (diag_warning_table[w].tools & TOOL_AS) != 0);
    }
    assert_non_null(strstr(help.text, "4 the emulated program stopped"));
    for (const char *line = help.text; *line; line += strcspn(line, "\n") + 1)
        assert_in_range(strcspn(line, "\n"), 0, 80);
    str_free(&help);
}

/* A tool's own option replaces the common one of the same name, also in --help. */
static void own_options_win(void **state) {
    (void)state;
    static const struct option own[] = {
        {1, "-v", ARG_NONE, NULL, NULL, "Own verbosity."},
        {2, "--max-errors", ARG_REQUIRED, "N", NULL, "Own limit."},
    };
    static const struct tool t = {"t", "t - own", "", own, 2, NULL, 0, false, false};
    struct str help = {0};
    tool_help(&t, &help);
    assert_non_null(strstr(help.text, "\nOptions:\n  -v                      Own verbosity.\n"));
    assert_non_null(strstr(help.text, "\n      --verbose           Say what"));
    assert_null(strstr(help.text, "Stop after N"));
    assert_null(strstr(help.text, "Warnings"));
    assert_null(strstr(help.text, "emulated"));
    str_free(&help);
    struct command_line cl;
    int exit_code;
    assert_true(command_line_parse(&t, 3, (char *[]){"t", "-v", "--max=x", NULL}, &cl, &exit_code));
    assert_false(cl.verbose);
    assert_string_equal(option_last(&cl, 2), "x");
    command_line_free(&cl);
}

static const char *const response = "support-response.rsp";

static void write_response(const char *text, size_t size) {
    assert_true(file_write(response, text, size));
}

static void response_files(void **state) {
    (void)state;
    static const char text[] = "-o 'a b'\n\t-D\"x\\\"y\\\\z\\n\" c\\ d ''\r\n'it''s' -- @raw";
    write_response(text, sizeof text - 1);
    check_values("3:-g=(null) 1:-o=a b 5:-D=x\"y\\z\\n 0:c d=c d 0:= 0:its=its 0:@raw=@raw 0:-g=-g",
                 "-g", "@support-response.rsp", "-g");
    write_response("", 0);
    check_values("0:x=x", "@support-response.rsp", "x");
    check_values("0:@support-response.rsp=@support-response.rsp", "--", "@support-response.rsp");
    write_response("a \"b\n", 5);
    check_fails(2,
                "support-response.rsp:1:3: error: this quote is never closed\n"
                "a \"b\n"
                "  ^~\n",
                "@support-response.rsp");
    write_response("a\0b", 3);
    check_fails(2,
                "support-response.rsp:1:2: error: a response file is text, and this is a NUL byte\n"
                "a\xef\xbf\xbd"
                "b\n"
                " ^\n",
                "@support-response.rsp");
    write_response("  @support-response.rsp x", 25);
    check_fails(2,
                "support-response.rsp:1:3: error: response files are nested too deep at "
                "'@support-response.rsp'\n"
                "  @support-response.rsp x\n"
                "  ^~~~~~~~~~~~~~~~~~~~~\n",
                "@support-response.rsp");
    write_response("@absent.rsp", 11);
    check_fails(3,
                "support-response.rsp:1:1: error: cannot read the response file 'absent.rsp': No "
                "such file or directory\n"
                "@absent.rsp\n"
                "^~~~~~~~~~~\n",
                "@support-response.rsp");
    check_fails(3,
                "mpu-x: error: cannot read the response file 'absent.rsp': No such file or "
                "directory\n",
                "@absent.rsp");
    remove(response);
}

/* Files that each name the next many times would multiply without a bound on their number. */
static void response_files_that_multiply_end(void **state) {
    (void)state;
    char name[32], text[512];
    for (int i = 0; i < 12; i++) {
        struct str s = {0};
        for (int k = 0; k < 20; k++)
            str_printf(&s, "@support-%d.rsp ", i + 1);
        snprintf(name, sizeof name, "support-%d.rsp", i);
        snprintf(text, sizeof text, "%s", i < 11 ? s.text : "x");
        assert_true(file_write(name, text, strlen(text)));
        str_free(&s);
    }
    struct command_line cl;
    assert_int_equal(parse(&cl, ARGS("@support-0.rsp")), 2);
    assert_non_null(strstr(printed_err, "nested too deep"));
    for (int i = 0; i < 12; i++) {
        snprintf(name, sizeof name, "support-%d.rsp", i);
        remove(name);
    }
}

/* Random arguments: every one is parsed or refused with exit code 0, 2 or 3. */
static void random_arguments_end(void **state) {
    (void)state;
    static const char *const pieces[] = {"-",   "o",    "=",      "--",     "output", "g",
                                         "Map", "list", "-W",     "error=", "no-",    "x",
                                         "D",   "O",    "unused", "\xff",   "@"};
    uint64_t seed = 3;
    for (int round = 0; round < 1500; round++) {
        struct str args[4] = {{0}};
        char *argv[6] = {"mpu-x"};
        int argc = 1 + (int)(splitmix64(&seed) % 4);
        for (int i = 1; i < argc; i++) {
            str_append(&args[i], "");
            for (uint64_t n = splitmix64(&seed) % 5; n; n--)
                str_append(&args[i], pieces[splitmix64(&seed) % (sizeof pieces / sizeof *pieces)]);
            argv[i] = args[i].text;
        }
        struct command_line cl;
        int exit_code = parse(&cl, argc, argv);
        assert_true(exit_code == -1 || exit_code == 0 || exit_code == 2 || exit_code == 3);
        assert_int_equal(exit_code > 0, printed_err[0] != '\0');
        command_line_free(&cl);
        for (int i = 1; i < argc; i++)
            str_free(&args[i]);
    }
}

int main(void) {
    setenv("NO_COLOR", "1", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_of_options),
        cmocka_unit_test(common_options),
        cmocka_unit_test(last_values),
        cmocka_unit_test(usage_errors),
        cmocka_unit_test(a_tool_reports_its_own_usage_errors),
        cmocka_unit_test(help_and_version),
        cmocka_unit_test(the_version_is_the_file_version),
        cmocka_unit_test(help_text),
        cmocka_unit_test(own_options_win),
        cmocka_unit_test(response_files),
        cmocka_unit_test(response_files_that_multiply_end),
        cmocka_unit_test(random_arguments_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
