/* SPDX-License-Identifier: MIT
 * JSON as it is read: what the tools write comes back, and what is no JSON is refused with its
 * place. */
#include "support/bits.h"
#include "support/json.h"
#include "support/json_read.h"
#include "support/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void what_is_written_comes_back(void **state) {
    struct arena arena = {0};
    struct str out = {0};
    struct diag *d = diag_new(NULL, NULL);
    struct json *j = json_new();
    (void)state;
    json_object_begin(j, NULL);
    json_string(j, "text", "a\"b\\\n\t\x01\xc3\xa9");
    json_u64(j, "most", UINT64_MAX);
    json_i64(j, "less", -1);
    json_double(j, "part", 0.5);
    json_bool(j, "yes", true);
    json_null(j, "none");
    json_array_begin(j, "list");
    json_u64(j, NULL, 7);
    json_string(j, NULL, "x");
    json_array_end(j);
    json_object_begin(j, "empty");
    json_object_end(j);
    json_object_end(j);
    json_finish(j, &out);
    const struct json_value *v = json_read(out.text, out.len, 0, &arena, d);
    assert_non_null(v);
    assert_int_equal(v->kind, JSON_OBJECT);
    assert_int_equal(v->count, 8);
    assert_string_equal(json_member_text(v, "text"), "a\"b\\\n\t\x01\xc3\xa9");
    assert_true(json_member(v, "most")->whole);
    assert_true(json_member(v, "most")->number == UINT64_MAX);
    assert_false(json_member(v, "less")->whole);
    assert_string_equal(json_member(v, "part")->text, "0.5");
    assert_int_equal(json_member(v, "yes")->kind, JSON_TRUE);
    assert_int_equal(json_member(v, "none")->kind, JSON_NULL);
    assert_int_equal(json_member(v, "list")->count, 2);
    assert_int_equal(json_member(v, "list")->first->number, 7);
    assert_string_equal(json_member(v, "list")->first->next->text, "x");
    assert_int_equal(json_member(v, "empty")->count, 0);
    assert_null(json_member(v, "other"));
    assert_null(json_member_text(v, "most"));
    str_free(&out);
    arena_free(&arena);
    diag_free(d);
}

static void refused(const char *text, const char *message) {
    struct arena arena = {0};
    struct diag *d = diag_new(NULL, NULL);
    uint32_t source = diag_source(d, "x.json", text, strlen(text));
    if (json_read(text, strlen(text), source, &arena, d))
        fail_msg("'%s' was read", text);
    assert_string_equal(diag_first(d), message);
    diag_free(d);
    arena_free(&arena);
}

static void accepted(const char *text, const char *string) {
    struct arena arena = {0};
    struct diag *d = diag_new(NULL, NULL);
    const struct json_value *v = json_read(text, strlen(text), 0, &arena, d);
    if (!v)
        fail_msg("'%s': %s", text, diag_first(d));
    if (string)
        assert_string_equal(v->text, string);
    diag_free(d);
    arena_free(&arena);
}

static void what_is_json(void **state) {
    (void)state;
    accepted("\"\\u00e9\\ud83d\\ude00\\/\\b\\f\\n\\r\\t\"", "\xc3\xa9\xf0\x9f\x98\x80/\b\f\n\r\t");
    accepted(" [ ] ", NULL);
    accepted("-0.5e+10", "-0.5e+10");
    accepted("0", "0");
    refused("", "x.json:1:1: a value is missing");
    refused("[1, 2,\n 3", "x.json:2:3: ',' or ']' is missing");
    refused("{\"a\": 1, \"a\": 2}", "x.json:1:10: the object has this key already");
    refused("{a: 1}", "x.json:1:2: a key in quotes is missing");
    refused("{\"a\" 1}", "x.json:1:6: ':' is missing behind a key");
    refused("[1,]", "x.json:1:4: a value is missing");
    refused("01", "x.json:1:1: no number of JSON");
    refused("1.", "x.json:1:1: no number of JSON");
    refused("-", "x.json:1:1: no number of JSON");
    refused("1e", "x.json:1:1: no number of JSON");
    refused("\"a", "x.json:1:1: a string without an end");
    refused("\"a\n\"", "x.json:1:3: a control character in a string");
    refused("\"\\x\"", "x.json:1:3: no escape of JSON");
    refused("\"\\ud800\"", "x.json:1:4: a high surrogate stands alone");
    refused("\"\\ud800\\u0041\"", "x.json:1:4: a high surrogate stands alone");
    refused("\"\\udc00\"", "x.json:1:4: a low surrogate stands alone");
    refused("\"\\u0000\"", "x.json:1:4: strings with U+0000 are not read");
    refused("\"\\u00g0\"", "x.json:1:6: \\u needs four hexadecimal digits");
    refused("nul", "x.json:1:1: a value is missing");
    refused("1 2", "x.json:1:3: something behind the end of the value");
}

static void depth_has_an_end(void **state) {
    (void)state;
    struct str deep = {0};
    for (unsigned i = 0; i < 100000; i++)
        str_char(&deep, '[');
    refused(str_text(&deep), "x.json:1:201: nested too deep");
    str_free(&deep);
}

/* Bytes changed, left out and cut off: an answer, whatever it is. */
static void damaged(void **state) {
    static const char good[] =
        "{\"a\": [1, -2.5e3, true, \"\\u00e9\\ud83d\\ude00\", {\"b\": null}]}";
    uint64_t random = 1;
    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        char text[sizeof good];
        struct arena arena = {0};
        struct diag *d = diag_new(NULL, NULL);
        size_t size = splitmix64(&random) % sizeof good;
        memcpy(text, good, sizeof good);
        for (unsigned k = 0; k < 3 && size; k++)
            text[splitmix64(&random) % size] = (char)splitmix64(&random);
        const struct json_value *v = json_read(text, size, 0, &arena, d);
        assert_int_equal(v == NULL, diag_errors(d) != 0);
        diag_free(d);
        arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_comes_back),
        cmocka_unit_test(what_is_json),
        cmocka_unit_test(depth_has_an_end),
        cmocka_unit_test(damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
