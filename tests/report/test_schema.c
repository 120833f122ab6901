/* SPDX-License-Identifier: MIT
 * Every JSON that mpu-run writes is as docs/statistics.schema.json says: random programs on every
 * target, and runs of the command that end in every way. */
#include "tests/draws.h"
#include "json_schema.h"
#include "rig.h"

#include "support/file.h"
#include "tests/runtime/run_words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define PROGRAMS draws(DRAWS_REPORT_SCHEMA)

static struct {
    struct arena arena;
    struct diag *d;
    const struct json_value *run, *comparison;
} schema;

static const struct json_value *read_json(const char *name, const char *text, size_t size,
                                          struct arena *arena) {
    uint32_t source = diag_source(schema.d, name, text, size);
    const struct json_value *v = json_read(text, size, source, arena, schema.d);
    if (!v)
        fail_msg("%s", diag_first(schema.d));
    return v;
}

static const struct json_value *read_schema(const char *name) {
    size_t size;
    char *text = file_read(name, &size);
    assert_non_null(text);
    const struct json_value *v = read_json(name, text, size, &schema.arena);
    free(text);
    return v;
}

static int set_up(void **state) {
    (void)state;
    schema.d = diag_new(NULL, NULL);
    schema.run = read_schema(MPU_SOURCE_DIR "/docs/statistics.schema.json");
    schema.comparison = read_schema(MPU_SOURCE_DIR "/docs/comparison.schema.json");
    return chdir(MPU_BINARY_DIR "/tests");
}

static int tear_down(void **state) {
    (void)state;
    arena_free(&schema.arena);
    diag_free(schema.d);
    return 0;
}

static bool valid(const char *text, size_t size, struct str *why) {
    struct arena arena = {0};
    const struct json_value *v = read_json("statistics.json", text, size, &arena);
    const struct schema_file file = {"statistics.schema.json", schema.run};
    const char *name = json_member_text(v, "schema");
    bool several = name && strncmp(name, "mpu-comparison", 14) == 0;
    bool ok = schema_accepts(several ? schema.comparison : schema.run, &file, v, why);
    arena_free(&arena);
    return ok;
}

static void must_be_valid(const char *what, const char *text, size_t size) {
    struct str why = {0};
    if (!valid(text, size, &why))
        fail_msg("%s: %s", what, str_text(&why));
    str_free(&why);
}

static void schemas_are_complete(void **state) {
    struct str why = {0};
    (void)state;
    if (!schema_is_complete(schema.run, &why) || !schema_is_complete(schema.comparison, &why))
        fail_msg("%s", str_text(&why));
    str_free(&why);
}

static void some_programs(const struct rig *r, const char *target, size_t number) {
    for (uint64_t i = 0; i < PROGRAMS; i++) {
        struct rig_run x;
        struct figures f = {0};
        struct str text = {0};
        rig_run(r, 9000 + 100 * number + i, BATCH_TARGET, NULL, NULL, &x);
        rig_report(r, &x, &f);
        report_figures_json(&f, &text);
        must_be_valid(target, text.text, text.len);
        str_free(&text);
        report_figures_free(&f);
        rig_run_free(&x);
    }
}

static void random_programs(void **state) {
    (void)state;
    rig_each(some_programs);
}

/* ---- the command ---- */

static void command_is_valid(const char *words, int expected) {
    const struct words_result *r = run_words(words);
    if (r->code != expected)
        fail_msg("%s: exit %d, messages %s", words, r->code, r->err);
    must_be_valid(words, r->out, strlen(r->out));
}

static void runs_of_the_command(void **state) {
    (void)state;
    write_words("schema_add.s", "        .size n\n"
                                "        .group g[n]\n"
                                "        .var in  x: u16 @ g = r1\n"
                                "        .var out z: u16 @ g = r3\n"
                                "        MARK \"sum\"\n"
                                "        COMPUTEG @g\n"
                                "        ADD.16 r1 r1 r3\n"
                                "        COMPUTE_DONE\n");
    write_words("schema_stop.s", "        COMPUTE RFH0 VRF0\n"
                                 "        INC.8 r0 r0\n"
                                 "        ASSERT \"never\"\n"
                                 "        COMPUTE_DONE\n");
    write_words("schema_empty.s", "        HALT\n");
#define ADD "schema_add.s --size n=5 --in x=iota --stats json"
    command_is_valid("--target racer " ADD, 0);
    command_is_valid("--target golden " ADD, 0);
    command_is_valid("--target racer --engine golden " ADD, 0);
    command_is_valid("--target racer --check --batch one --init random:3 " ADD, 0);
    command_is_valid("--target mimdram --set array.lanes=64 " ADD, 0);
    command_is_valid("--target racer --set control.front_end=host " ADD, 0);
    write_words("schema_modes.yaml", "schema: 1\nname: modes\nextends: racer\nhost: { modes: { "
                                     "parallel: { in_bytes_per_s: 1, out_bytes_per_s: 1 } } }\n");
    command_is_valid("--target schema_modes.yaml " ADD, 0);
    command_is_valid("--target schema_modes.yaml --engine golden " ADD, 0);
    command_is_valid("--target duality-cache --max-cycles 1 " ADD, 4);
    command_is_valid("--target racer schema_stop.s --stats json", 4);
    command_is_valid("--target racer schema_empty.s --stats json", 0);
    command_is_valid("--target racer,golden,mimdram " ADD, 0);
    command_is_valid("--target racer --set array.lanes=16,32 " ADD, 0);
    command_is_valid("--target racer,golden schema_add.s --size n=1,2,3 --in x=iota --stats json",
                     0);
    command_is_valid("--target golden,racer schema_stop.s --stats json", 4);
    write_words("schema_real.s", "        .group g[3]\n"
                                 "        .var in  x: f32 @ g = r1\n"
                                 "        .var out y: f32 @ g = r2\n"
                                 "        COMPUTEG @g\n"
                                 "        MOV.32 r1 r2\n"
                                 "        COMPUTE_DONE\n");
#define REAL "--target racer schema_real.s --in x=1,2,nan --stats json "
    command_is_valid(REAL "--expect y=1,2,nan", 0);
    command_is_valid(REAL "--ulp 1 --expect y=1.0000001,2,nan", 0);
    command_is_valid(REAL "--expect y=1,nan,nan", 1);
}

/* What is changed anywhere in a good document is found: another type, a key more, a key less. */
static void changes_are_refused(void **state) {
    const char *good = run_words("--target racer " ADD)->out;
    unsigned refused = 0, tried = 0;
    (void)state;
    for (const char *at = strstr(good, "\": "); at; at = strstr(at + 3, "\": ")) {
        struct str text = {0}, why = {0};
        str_append_n(&text, good, (size_t)(at - good));
        str_append(&text, "x");
        str_append(&text, at);
        bool in_size =
            at > strstr(good, "\"size\": {") && at < strstr(good, "\"total\"") && at[-1] == 'n';
        tried++;
        refused += !valid(text.text, text.len, &why) || in_size;
        str_free(&text);
        str_free(&why);
    }
    assert_true(tried > 100);
    assert_int_equal(refused, tried);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schemas_are_complete),
        cmocka_unit_test(random_programs),
        cmocka_unit_test(runs_of_the_command),
        cmocka_unit_test(changes_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
