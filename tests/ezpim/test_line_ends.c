/* SPDX-License-Identifier: MIT
 * Sources whose lines end in LF, CR LF or CR, each end drawn at random, some behind a byte order
 * mark: the object is that of the same text with LF, byte by byte, and so are its messages. */
#include "ezpim/driver.h"
#include "object/object.h"
#include "support/bits.h"
#include "support/file.h"
#include "support/vec.h"
#include "tests/support/captured.h"

#include <cmocka.h>

enum { DRAWS = 6 };

static const char *const sources[] = {
    "examples/axpy.ez",
    "examples/average.ez",
    "examples/functions.ez",
    "examples/collatz.s",
    "examples/fig6.s",
    "examples/numpy/axpy.py",
    "examples/numpy/blur.py",
    "tests/golden/ezpim/import.erc",
    "tests/golden/ezpim/import-errors.erc",
    "tests/golden/mpu-as/import.rc",
    "tests/golden/mpu-as/import-errors.rc",
    "tests/golden/mpu-as/expression.s",
    "tests/golden/mpu-as/condition.s",
    "tests/golden/ezpim/constant-range.ez",
};

/* What a source makes: the bytes of its object, and messages. */
static void make(const struct driver_text *text, struct str *object, struct str *messages) {
    const struct driver_options options = {.as = {.debug = true}, .texts = text, .text_count = 1};
    struct captured c;
    bool io_error;
    capture(&c, DIAG_TEXT);
    struct object *o = driver_load(text->path, &options, c.diag, &io_error);
    assert_false(io_error);
    if (o)
        object_write(o, object);
    object_free(o);
    str_append(messages, captured_text(&c));
    captured_free(&c);
}

/* The text with ends drawn: all of one kind, or each of its own. */
static void draw(const char *text, size_t size, unsigned kind, uint64_t *state, struct str *out) {
    static const char *const ends[] = {"\r", "\r\n", "\n"};
    if (kind == 2)
        str_append(out, "\xef\xbb\xbf");
    for (size_t i = 0; i < size; i++) {
        unsigned end = kind < 2 ? kind : (unsigned)(splitmix64(state) % 3);
        if (text[i] != '\n')
            str_char(out, text[i]);
        else if (out->len && out->text[out->len - 1] == '\r' && end == 2)
            str_append(out, ends[0]); /* LF behind CR would be the same end */
        else
            str_append(out, ends[end]);
    }
}

static void ends_do_not_matter(void **state) {
    (void)state;
    uint64_t random = 36;
    for (size_t s = 0; s < sizeof sources / sizeof *sources; s++) {
        struct driver_text text = {.path = sources[s]};
        struct str path = {0}, object = {0}, messages = {0};
        str_printf(&path, "%s/%s", MPU_SOURCE_DIR, sources[s]);
        char *lines = file_read(path.text, &text.size);
        assert_non_null(lines);
        text.path = path.text;
        text.bytes = lines;
        make(&text, &object, &messages);
        for (unsigned kind = 0; kind < DRAWS; kind++) {
            struct str other = {0}, its_object = {0}, its_messages = {0};
            draw(lines, text.size, kind, &random, &other);
            make(&(struct driver_text){path.text, other.text, other.len}, &its_object,
                 &its_messages);
            assert_string_equal(str_text(&its_messages), str_text(&messages));
            assert_int_equal(its_object.len, object.len);
            if (object.len)
                assert_memory_equal(its_object.text, object.text, object.len);
            str_free(&other);
            str_free(&its_object);
            str_free(&its_messages);
        }
        free(lines);
        str_free(&path);
        str_free(&object);
        str_free(&messages);
    }
}

/* Two bytes a letter, with and without a mark. */
static void utf16_is_named(void **state) {
    (void)state;
    static const char text[] = "\xff\xfe"
                               "N\0O\0P\0\n";
    static const char *const names[] = {"a.s", "a.ez", "a.py", "a.erc", "a.rc", "a.pypimhex"};
    for (size_t i = 0; i < 2 * sizeof names / sizeof *names; i++) {
        size_t skip = i % 2 ? 2 : 0;
        struct driver_text t = {names[i / 2], text + skip, sizeof text - skip};
        const struct driver_options options = {.texts = &t, .text_count = 1};
        struct captured c;
        bool io_error;
        capture(&c, DIAG_TEXT);
        assert_null(driver_load(t.path, &options, c.diag, &io_error));
        assert_non_null(strstr(captured_text(&c), "The text is in UTF-16"));
        captured_free(&c);
    }
}

static void nothing_is_said(void **state) {
    (void)state;
    static const struct {
        const char *name, *text, *says;
    } cases[] = {
        {"a.s", "; a comment\r; another\r", "a.s:1:1: warning: nothing stands here but"},
        {"a.erc", "\n\n/* none */\n", "a.erc:1:1: warning: nothing stands here but"},
        {"a.rc", "// none\r\n", "a.rc:1:1: warning: nothing stands here but"},
        {"a.ez", " ", "a.ez:1:1: warning: nothing stands here but"},
        {"a.py", "# none\r", "error: the file has no function"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct driver_text t = {cases[i].name, cases[i].text, strlen(cases[i].text)};
        const struct driver_options options = {.texts = &t, .text_count = 1};
        struct captured c;
        bool io_error;
        capture(&c, DIAG_TEXT);
        object_free(driver_load(t.path, &options, c.diag, &io_error));
        assert_non_null(strstr(captured_text(&c), cases[i].says));
        captured_free(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_do_not_matter),
        cmocka_unit_test(utf16_is_named),
        cmocka_unit_test(nothing_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
