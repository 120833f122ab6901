/* SPDX-License-Identifier: MIT */
#include "support/json.h"
#include "support/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static void put_everything(struct json *j) {
    json_object_begin(j, NULL);
    json_string(j, "text", "a\"b\\\n\x01é");
    json_u64(j, "u", UINT64_MAX);
    json_i64(j, "i", INT64_MIN);
    json_double(j, "d", 0.1);
    json_double(j, "whole", 3);
    json_double(j, "inf", strtod("inf", NULL));
    json_bool(j, "yes", true);
    json_bool(j, "no", false);
    json_null(j, "none");
    json_array_begin(j, "list");
    json_u64(j, NULL, 1);
    json_object_begin(j, NULL);
    json_object_end(j);
    json_array_begin(j, NULL);
    json_array_end(j);
    json_array_end(j);
    json_object_begin(j, "inner");
    json_string(j, "k", "v");
    json_object_end(j);
    json_u64(j, "after", 2);
    json_object_end(j);
}

static void indented(void **state) {
    (void)state;
    struct str out = {0};
    struct json *j = json_new();
    put_everything(j);
    json_finish(j, &out);
    assert_string_equal(out.text, "{\n"
                                  "  \"text\": \"a\\\"b\\\\\\n\\u0001é\",\n"
                                  "  \"u\": 18446744073709551615,\n"
                                  "  \"i\": -9223372036854775808,\n"
                                  "  \"d\": 0.1,\n"
                                  "  \"whole\": 3,\n"
                                  "  \"inf\": null,\n"
                                  "  \"yes\": true,\n"
                                  "  \"no\": false,\n"
                                  "  \"none\": null,\n"
                                  "  \"list\": [\n"
                                  "    1,\n"
                                  "    {},\n"
                                  "    []\n"
                                  "  ],\n"
                                  "  \"inner\": {\n"
                                  "    \"k\": \"v\"\n"
                                  "  },\n"
                                  "  \"after\": 2\n"
                                  "}\n");
    str_free(&out);
}

static void on_one_line(void **state) {
    (void)state;
    struct str out = {0};
    struct json *j = json_new_line();
    put_everything(j);
    json_finish(j, &out);
    assert_string_equal(
        out.text, "{\"text\":\"a\\\"b\\\\\\n\\u0001é\",\"u\":18446744073709551615,"
                  "\"i\":-9223372036854775808,\"d\":0.1,\"whole\":3,\"inf\":null,\"yes\":true,"
                  "\"no\":false,\"none\":null,\"list\":[1,{},[]],\"inner\":{\"k\":\"v\"},"
                  "\"after\":2}\n");
    str_free(&out);
}

/* Text from files may be no UTF-8; the output always is. */
static void bad_utf8_is_replaced(void **state) {
    (void)state;
    struct str out = {0};
    struct json *j = json_new_line();
    json_object_begin(j, NULL);
    json_string(j, "k\xff",
                "a\xff"
                "b\xc3");
    json_object_end(j);
    json_finish(j, &out);
    assert_string_equal(out.text, "{\"k\xef\xbf\xbd\":\"a\xef\xbf\xbd"
                                  "b\xef\xbf\xbd\"}\n");
    str_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indented),
        cmocka_unit_test(on_one_line),
        cmocka_unit_test(bad_utf8_is_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
