/* SPDX-License-Identifier: MIT */
#include "tests/support/captured.h"

#include "support/bits.h"
#include "support/file.h"

/* Bytes of `part` in the text of source number 1. */
static struct span find(const struct captured *c, const char *part) {
    size_t size;
    const char *text = diag_source_text(c->diag, 1, &size);
    const char *at = strstr(text, part);
    assert_non_null(at);
    uint32_t begin = (uint32_t)(at - text);
    return (struct span){1, begin, begin + (uint32_t)strlen(part)};
}

static void start(struct captured *c, enum diag_format format, const char *text) {
    capture(c, format);
    assert_int_equal(diag_source(c->diag, "prog.s", text, strlen(text)), 1);
}

static void errors_show_line_caret_and_range(void **state) {
    (void)state;
    struct captured c;
    start(&c, DIAG_TEXT, "MOV r1, r2\nADD r1, r99, r3\n");
    diag_error(c.diag, find(&c, "r99"), "register %s is above r%d", "r99", 63);
    diag_note(c.diag, find(&c, "MOV"), "first used here");
    assert_messages(&c, "prog.s:2:9: error: register r99 is above r63\n"
                        "ADD r1, r99, r3\n"
                        "        ^~~\n"
                        "prog.s:1:1: note: first used here\n"
                        "MOV r1, r2\n"
                        "^~~\n");
    captured_free(&c);
}

static void tabs_keep_the_caret_in_its_column(void **state) {
    (void)state;
    struct captured c;
    start(&c, DIAG_TEXT, "\tADD\tr1, r99\t; x\n");
    diag_error(c.diag, find(&c, "r99"), "no");
    diag_error(c.diag, find(&c, "ADD\tr1"), "tab in the range");
    assert_messages(&c, "prog.s:1:10: error: no\n"
                        "        ADD     r1, r99 ; x\n"
                        "                    ^~~\n"
                        "prog.s:1:2: error: tab in the range\n"
                        "        ADD     r1, r99 ; x\n"
                        "        ^~~~~~~~~~\n");
    captured_free(&c);
}

/* Columns in the head count bytes; the caret counts terminal columns. */
static void lines_beyond_ascii_have_carets_too(void **state) {
    (void)state;
    struct captured c;
    start(&c, DIAG_TEXT, "größe: ADD r1\n日本 SUB r2\ne\xcc\x81t x\n\tä\ty");
    diag_error(c.diag, find(&c, "ADD"), "two-byte letters");
    diag_error(c.diag, find(&c, "SUB"), "wide letters");
    diag_error(c.diag, find(&c, "x\n"), "combining accent");
    diag_error(c.diag, find(&c, "日本"), "under wide letters");
    diag_error(c.diag, find(&c, "y"), "tabs");
    assert_messages(&c, "prog.s:1:10: error: two-byte letters\n"
                        "größe: ADD r1\n"
                        "       ^~~\n"
                        "prog.s:2:8: error: wide letters\n"
                        "日本 SUB r2\n"
                        "     ^~~\n"
                        "prog.s:3:6: error: combining accent\n"
                        "e\xcc\x81t x\n"
                        "   ^\n"
                        "prog.s:2:1: error: under wide letters\n"
                        "日本 SUB r2\n"
                        "^~~~\n"
                        "prog.s:4:5: error: tabs\n"
                        "        ä       y\n"
                        "                ^\n");
    captured_free(&c);
}

/* Nothing from a file reaches the terminal as a control sequence. */
static void odd_bytes_are_replaced(void **state) {
    (void)state;
    struct captured c;
    start(&c, DIAG_TEXT, "a\x1b[31m\xff\xc3 b\r\n");
    diag_error(c.diag, find(&c, "b"), "quotes '%s'", "x\x1b[0m\ny");
    assert_messages(&c, "prog.s:1:10: error: quotes 'x?[0m y'\n"
                        "a\xef\xbf\xbd[31m\xef\xbf\xbd\xef\xbf\xbd b\n"
                        "         ^\n");
    captured_free(&c);
}

static void fixits_are_drawn_below(void **state) {
    (void)state;
    struct captured c;
    start(&c, DIAG_TEXT, "größe ADDD r1 r2\nnext\n");
    struct span name = find(&c, "ADDD"), gap = {1, find(&c, " r2").begin, find(&c, " r2").begin};
    diag_error(c.diag, name, "unknown mnemonic");
    diag_fixit(c.diag, name, "ADD");
    diag_error(c.diag, gap, "expected ','");
    diag_fixit(c.diag, gap, ",");
    diag_fixit(c.diag, find(&c, "next"), "on another line");
    assert_messages(&c, "prog.s:1:9: error: unknown mnemonic\n"
                        "größe ADDD r1 r2\n"
                        "      ^~~~\n"
                        "      ADD\n"
                        "prog.s:1:16: error: expected ','\n"
                        "größe ADDD r1 r2\n"
                        "             ^\n"
                        "             ,\n");
    captured_free(&c);
}

static void suggestions_name_the_nearest(void **state) {
    (void)state;
    static const char *const names[] = {"MUL", "ADD"};
    struct captured c;
    start(&c, DIAG_TEXT, "ADDD r1");
    diag_error(c.diag, find(&c, "ADDD"), "unknown mnemonic 'ADDD'");
    diag_suggest(c.diag, find(&c, "ADDD"), "ADDD", names, 2);
    diag_error(c.diag, NO_SPAN, "unknown target 'xyzzy'");
    diag_suggest(c.diag, NO_SPAN, "xyzzy", names, 2);
    diag_error(c.diag, NO_SPAN, "unknown key 'mul'");
    diag_suggest(c.diag, NO_SPAN, "mul", names, 2);
    assert_messages(&c, "prog.s:1:1: error: unknown mnemonic 'ADDD'\n"
                        "ADDD r1\n"
                        "^~~~\n"
                        "prog.s:1:1: note: did you mean 'ADD'?\n"
                        "ADDD r1\n"
                        "^~~~\n"
                        "ADD\n"
                        "tool: error: unknown target 'xyzzy'\n"
                        "tool: error: unknown key 'mul'\n"
                        "tool: note: did you mean 'MUL'?\n");
    captured_free(&c);
}

static void spans_out_of_range_are_clamped(void **state) {
    (void)state;
    struct captured c;
    start(&c, DIAG_TEXT, "one\ntwo");
    diag_error(c.diag, (struct span){1, 100, 200}, "behind the end");
    diag_error(c.diag, (struct span){1, 2, 1}, "end before begin");
    diag_error(c.diag, (struct span){1, 1, UINT32_MAX}, "over several lines");
    diag_error(c.diag, (struct span){1, 3, 4}, "on the newline");
    diag_error(c.diag, (struct span){99, 0, 1}, "no such source");
    assert_messages(&c, "prog.s:2:4: error: behind the end\n"
                        "two\n"
                        "   ^\n"
                        "prog.s:1:3: error: end before begin\n"
                        "one\n"
                        "  ^\n"
                        "prog.s:1:2: error: over several lines\n"
                        "one\n"
                        " ^~\n"
                        "prog.s:1:4: error: on the newline\n"
                        "one\n"
                        "   ^\n"
                        "tool: error: no such source\n");
    captured_free(&c);
}

static void empty_sources_and_names_alone(void **state) {
    (void)state;
    struct captured c;
    capture(&c, DIAG_TEXT);
    uint32_t empty = diag_source(c.diag, "empty.s", "", 0);
    uint32_t name = diag_source(c.diag, "x.npy", NULL, 0);
    diag_error(c.diag, (struct span){empty, 0, 0}, "nothing here");
    diag_error(c.diag, (struct span){name, 0, 0}, "truncated");
    assert_messages(&c, "empty.s:1:1: error: nothing here\n"
                        "\n"
                        "^\n"
                        "x.npy: error: truncated\n");
    size_t size = 5;
    assert_null(diag_source_text(c.diag, name, &size));
    assert_int_equal(size, 0);
    assert_string_equal(diag_source_name(c.diag, name), "x.npy");
    assert_null(diag_source_name(c.diag, 0));
    captured_free(&c);
}

/* A window around the caret stands for a line that no terminal shows. */
static void long_lines_are_cut(void **state) {
    (void)state;
    struct captured c;
    size_t size = 1000000;
    char *text = malloc(size);
    assert_non_null(text);
    for (size_t i = 0; i + 1 < size; i += 2)
        memcpy(text + i, "é", 2);
    memcpy(text + 500000, "HERE", 4);
    capture(&c, DIAG_TEXT);
    uint32_t source = diag_source(c.diag, "long.s", text, size);
    free(text);
    diag_error(c.diag, (struct span){source, 500000, 500004}, "in the middle");
    const char *out = captured_text(&c);
    assert_true(strlen(out) < 600);
    assert_non_null(strstr(out, "long.s:1:500001: error: in the middle\n...é"));
    const char *line = strchr(out, '\n') + 1, *caret = strchr(line, '\n') + 1;
    size_t letters = 0;
    for (const char *p = line; strncmp(p, "HERE", 4) != 0; p++)
        letters += ((unsigned char)*p & 0xc0) != 0x80;
    assert_int_equal(strspn(caret, " "), letters);
    assert_non_null(strstr(out, "é...\n"));
    captured_free(&c);
}

static void long_messages_are_cut(void **state) {
    (void)state;
    struct captured c;
    char text[6001];
    for (size_t i = 0; i < 6000; i += 2)
        memcpy(text + i, "é", 2);
    text[6000] = '\0';
    capture(&c, DIAG_TEXT);
    diag_error(c.diag, NO_SPAN, "a'%s'", text);
    const char *out = captured_text(&c);
    assert_in_range(strlen(out), 1990, 2020);
    assert_string_equal(out + strlen(out) - 6, "é...\n");
    captured_free(&c);
}

static void fixits_with_control_characters_are_not_drawn(void **state) {
    (void)state;
    struct captured c;
    start(&c, DIAG_TEXT, "ADD\n");
    diag_error(c.diag, find(&c, "ADD"), "bad");
    diag_fixit(c.diag, find(&c, "ADD"), "\x1b[0m");
    diag_fixit(c.diag, find(&c, "ADD"), "two\nlines");
    assert_messages(&c, "prog.s:1:1: error: bad\nADD\n^~~\n");
    captured_free(&c);
}

static void warnings_have_names_and_switches(void **state) {
    (void)state;
    struct captured c;
    capture(&c, DIAG_TEXT);
    struct diag *d = c.diag;
    diag_warning(d, W_UNUSED, NO_SPAN, "a");
    assert_true(diag_set_warning(d, "no-unused"));
    diag_warning(d, W_UNUSED, NO_SPAN, "b");
    diag_note(d, NO_SPAN, "of b");
    diag_fixit(d, NO_SPAN, "of b");
    assert_true(diag_set_warning(d, "error=unused"));
    diag_warning(d, W_UNUSED, NO_SPAN, "c");
    assert_true(diag_set_warning(d, "no-error=unused"));
    assert_true(diag_set_warning(d, "error"));
    diag_warning(d, W_UNUSED, NO_SPAN, "d");
    diag_warning(d, W_TRUNCATED, NO_SPAN, "e");
    assert_true(diag_set_warning(d, "no-error"));
    diag_warning(d, W_TRUNCATED, NO_SPAN, "f");
    assert_true(diag_set_warning(d, "no-all"));
    diag_warning(d, W_TRUNCATED, NO_SPAN, "g");
    assert_true(diag_set_warning(d, "all"));
    diag_warning(d, W_TRUNCATED, NO_SPAN, "h");
    assert_messages(&c, "tool: warning: a [-Wunused]\n"
                        "tool: error: c [-Werror=unused]\n"
                        "tool: warning: d [-Wunused]\n"
                        "tool: error: e [-Werror=truncated]\n"
                        "tool: warning: f [-Wtruncated]\n"
                        "tool: warning: h [-Wtruncated]\n");
    assert_int_equal(diag_errors(d), 2);
    assert_int_equal(diag_warnings(d), 4);
    assert_string_equal(diag_first(d), "c");
    static const char *const wrong[] = {"",       "no-",       "foo",          "no-foo",
                                        "error=", "error=foo", "no-error=foo", "no-no-unused",
                                        "unused "};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(diag_set_warning(d, wrong[i]));
    captured_free(&c);
}

static void errors_stop_at_the_limit(void **state) {
    (void)state;
    struct captured c;
    capture(&c, DIAG_TEXT);
    diag_set_max_errors(c.diag, 2);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(diag_full(c.diag), i >= 2);
        diag_error(c.diag, NO_SPAN, "number %d", i);
        diag_note(c.diag, NO_SPAN, "of %d", i);
    }
    assert_messages(&c, "tool: error: number 0\n"
                        "tool: note: of 0\n"
                        "tool: error: number 1\n"
                        "tool: note: of 1\n"
                        "tool: note: no more errors are shown after 2 (--max-errors)\n");
    assert_int_equal(diag_errors(c.diag), 5);
    captured_free(&c);
    capture(&c, DIAG_TEXT);
    diag_set_max_errors(c.diag, 0);
    for (int i = 0; i < 100; i++)
        diag_error(c.diag, NO_SPAN, "x");
    assert_false(diag_full(c.diag));
    assert_int_equal(strlen(captured_text(&c)), 100 * strlen("tool: error: x\n"));
    captured_free(&c);
}

static void the_first_error_is_kept_without_a_consumer(void **state) {
    (void)state;
    struct diag *d = diag_new(NULL, NULL);
    assert_null(diag_first(d));
    uint32_t source = diag_source(d, "a.s", "x\nyz\n", 5);
    diag_warning(d, W_UNUSED, (struct span){source, 0, 1}, "warning");
    assert_null(diag_first(d));
    diag_error(d, (struct span){source, 3, 4}, "first %d", 1);
    diag_error(d, NO_SPAN, "second");
    diag_note(d, NO_SPAN, "note");
    assert_string_equal(diag_first(d), "a.s:2:2: first 1");
    uint32_t line, column;
    diag_position(d, (struct span){source, 5, 5}, &line, &column);
    assert_int_equal(line, 3);
    assert_int_equal(column, 1);
    diag_position(d, NO_SPAN, &line, &column);
    assert_int_equal(line, 0);
    diag_free(d);
    diag_free(NULL);
}

static void lines_of_files_known_by_name(void **state) {
    (void)state;
    struct captured c;
    capture(&c, DIAG_TEXT);
    const char *path = "support-diag-lines.ez";
    assert_true(file_write(path, "first\n  second line\n", 20));
    diag_error(c.diag, diag_line(c.diag, path, 2, 0), "whole line");
    diag_error(c.diag, diag_line(c.diag, path, 2, 10), "from column 10");
    diag_error(c.diag, diag_line(c.diag, path, 9, 1), "line behind the end");
    diag_error(c.diag, diag_line(c.diag, path, 1, 4000000000u), "column behind the end");
    diag_error(c.diag, diag_line(c.diag, "absent.ez", 7, 3), "file is not there");
    diag_error(c.diag, diag_line(c.diag, "absent.ez", 7, 0), "nor its column");
    struct span again = diag_line(c.diag, "absent.ez", 7, 3);
    assert_int_equal(again.source, diag_line(c.diag, "absent.ez", 7, 3).source);
    remove(path);
    assert_messages(&c, "support-diag-lines.ez:2:3: error: whole line\n"
                        "  second line\n"
                        "  ^~~~~~~~~~~\n"
                        "support-diag-lines.ez:2:10: error: from column 10\n"
                        "  second line\n"
                        "         ^~~~\n"
                        "support-diag-lines.ez:9:1: error: line behind the end\n"
                        "support-diag-lines.ez:1:6: error: column behind the end\n"
                        "first\n"
                        "     ^\n"
                        "absent.ez:7:3: error: file is not there\n"
                        "absent.ez:7: error: nor its column\n");
    captured_free(&c);
}

static void lines_of_sources_that_are_registered(void **state) {
    (void)state;
    struct captured c;
    start(&c, DIAG_TEXT, "one\ntwo\nsix x  // why\n");
    diag_error(c.diag, diag_line(c.diag, "prog.s", 2, 2), "here");
    diag_error(c.diag, diag_line(c.diag, "prog.s", 3, 0), "without the comment");
    diag_error(c.diag, diag_line(c.diag, "prog.s", 3, 8), "the comment itself");
    assert_messages(&c, "prog.s:2:2: error: here\n"
                        "two\n"
                        " ^~\n"
                        "prog.s:3:1: error: without the comment\n"
                        "six x  // why\n"
                        "^~~~~\n"
                        "prog.s:3:8: error: the comment itself\n"
                        "six x  // why\n"
                        "       ^~~~~~\n");
    captured_free(&c);
}

static void json_is_one_object_a_line(void **state) {
    (void)state;
    struct captured c;
    start(&c, DIAG_JSON, "ADDD r1\n");
    static const char *const names[] = {"ADD"};
    diag_error(c.diag, find(&c, "ADDD"), "unknown \"%s\"", "ADDD");
    diag_suggest(c.diag, find(&c, "ADDD"), "ADDD", names, 1);
    diag_warning(c.diag, W_UNUSED, find(&c, "r1"), "unused");
    diag_fixit(c.diag, find(&c, " r1"), "");
    diag_error(c.diag, NO_SPAN, "no place");
    assert_messages(
        &c,
        "{\"severity\":\"error\",\"warning\":null,\"file\":\"prog.s\",\"line\":1,\"column\":1,"
        "\"end_line\":1,\"end_column\":5,\"text\":\"unknown \\\"ADDD\\\"\",\"notes\":["
        "{\"severity\":\"note\",\"warning\":null,\"file\":\"prog.s\",\"line\":1,\"column\":1,"
        "\"end_line\":1,\"end_column\":5,\"text\":\"did you mean 'ADD'?\",\"fixits\":["
        "{\"file\":\"prog.s\",\"line\":1,\"column\":1,\"end_line\":1,\"end_column\":5,"
        "\"text\":\"ADD\"}]}],\"fixits\":[]}\n"
        "{\"severity\":\"warning\",\"warning\":\"unused\",\"file\":\"prog.s\",\"line\":1,"
        "\"column\":6,\"end_line\":1,\"end_column\":8,\"text\":\"unused\",\"notes\":[],"
        "\"fixits\":[{\"file\":\"prog.s\",\"line\":1,\"column\":5,\"end_line\":1,"
        "\"end_column\":8,\"text\":\"\"}]}\n"
        "{\"severity\":\"error\",\"warning\":null,\"file\":null,\"line\":null,\"column\":null,"
        "\"end_line\":null,\"end_column\":null,\"text\":\"no place\",\"notes\":[],\"fixits\":[]}\n");
    captured_free(&c);
}

static void colour_is_only_added(void **state) {
    (void)state;
    struct captured c;
    start(&c, DIAG_TEXT, "ADD r1\n");
    c.printer.color = true;
    diag_error(c.diag, find(&c, "ADD"), "bad");
    char plain[200];
    size_t n = 0;
    const char *out = captured_text(&c);
    assert_non_null(strstr(out, "\x1b[0;1;31merror: "));
    for (const char *p = out; *p; p++) {
        if (*p == '\x1b')
            p += strcspn(p, "m");
        else
            plain[n++] = *p;
    }
    plain[n] = '\0';
    assert_string_equal(plain, "prog.s:1:1: error: bad\nADD r1\n^~~\n");
    captured_free(&c);
    FILE *no_terminal = fopen("/dev/null", "r");
    assert_non_null(no_terminal);
    assert_false(diag_color_wanted(no_terminal));
    fclose(no_terminal);
}

/* Random spans and bytes: every message is rendered, as valid lines. */
static void random_places_are_rendered(void **state) {
    (void)state;
    uint64_t seed = 42;
    for (int round = 0; round < 300; round++) {
        struct captured c;
        capture(&c, round & 1 ? DIAG_JSON : DIAG_TEXT);
        diag_set_max_errors(c.diag, 0);
        char text[400];
        size_t size = splitmix64(&seed) % sizeof text;
        for (size_t i = 0; i < size; i++) {
            static const char alphabet[] = "ab \t\n\r\xc3\xa4\xe6\x97\xa5\xff\x1b";
            text[i] = alphabet[splitmix64(&seed) % sizeof alphabet];
        }
        uint32_t source = diag_source(c.diag, "r.s", text, size);
        for (int i = 0; i < 20; i++) {
            struct span at = {source, (uint32_t)(splitmix64(&seed) % 450),
                              (uint32_t)(splitmix64(&seed) % 450)};
            struct span fix = {source, (uint32_t)(splitmix64(&seed) % 450),
                               (uint32_t)(splitmix64(&seed) % 450)};
            diag_error(c.diag, at, "message");
            diag_fixit(c.diag, fix, i & 1 ? "ä" : "x\ty");
            diag_fixit(c.diag, at, "replacement");
        }
        const char *out = captured_text(&c);
        size_t messages = 0;
        for (const char *p = out; (p = strstr(p, "message")); p++)
            messages++;
        assert_int_equal(messages, 20);
        captured_free(&c);
    }
}

/* With the same text and place, whatever its source's number is; errors are never dropped. */
static void warnings_are_said_once(void **state) {
    (void)state;
    struct captured c;
    capture(&c, DIAG_TEXT);
    diag_set_once(c.diag, true);
    for (int run = 0; run < 2; run++) {
        struct span at = {diag_source(c.diag, "x.s", "ab\ncd\n", 6), 3, 4};
        diag_warning(c.diag, W_UNUSED, at, "first");
        diag_note(c.diag, NO_SPAN, "beside");
        diag_warning(c.diag, W_UNUSED, NO_SPAN, "first");
        diag_plain_warning(c.diag, NO_SPAN, "second of %d", run);
        diag_error(c.diag, NO_SPAN, "third");
    }
    assert_int_equal(diag_warnings(c.diag), 4);
    assert_int_equal(diag_errors(c.diag), 2);
    diag_set_once(c.diag, false);
    diag_warning(c.diag, W_UNUSED, NO_SPAN, "first");
    assert_int_equal(diag_warnings(c.diag), 5);
    const char *note = strstr(captured_text(&c), "beside");
    assert_non_null(note);
    assert_null(strstr(note + 1, "beside"));
    captured_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warnings_are_said_once),
        cmocka_unit_test(errors_show_line_caret_and_range),
        cmocka_unit_test(tabs_keep_the_caret_in_its_column),
        cmocka_unit_test(lines_beyond_ascii_have_carets_too),
        cmocka_unit_test(odd_bytes_are_replaced),
        cmocka_unit_test(fixits_are_drawn_below),
        cmocka_unit_test(suggestions_name_the_nearest),
        cmocka_unit_test(spans_out_of_range_are_clamped),
        cmocka_unit_test(empty_sources_and_names_alone),
        cmocka_unit_test(long_lines_are_cut),
        cmocka_unit_test(long_messages_are_cut),
        cmocka_unit_test(fixits_with_control_characters_are_not_drawn),
        cmocka_unit_test(warnings_have_names_and_switches),
        cmocka_unit_test(errors_stop_at_the_limit),
        cmocka_unit_test(the_first_error_is_kept_without_a_consumer),
        cmocka_unit_test(lines_of_files_known_by_name),
        cmocka_unit_test(lines_of_sources_that_are_registered),
        cmocka_unit_test(json_is_one_object_a_line),
        cmocka_unit_test(colour_is_only_added),
        cmocka_unit_test(random_places_are_rendered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
