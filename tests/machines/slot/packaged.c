/* SPDX-License-Identifier: MIT */
#include "packaged.h"

#include "asm/asm.h"
#include "support/bits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct packaged packaged_open(const char *text, const char *target,
                              const struct target_override *set, size_t count) {
    static const struct asm_options assembling = {0};
    static const struct link_options linking = {0};
    struct packaged x = {.d = diag_new(NULL, NULL)};
    if (machine_open_target(target, set, count, x.d, &x.target, &x.library) != TARGET_FINE)
        fail_msg("%s", diag_first(x.d));
    struct object *o = asm_assemble("test.s", text, strlen(text), &assembling, x.d);
    const struct object *const inputs[] = {o};
    x.program = o ? link_objects(inputs, 1, &linking, x.d) : NULL;
    object_free(o);
    if (!x.program)
        fail_msg("%s", diag_first(x.d));
    x.package = package_build(x.program, x.target, x.library, NULL, 0, x.d);
    return x;
}

void packaged_close(struct packaged *x) {
    package_free(x->package);
    object_free(x->program);
    machine_library_close(x->library);
    target_free(x->target);
    diag_free(x->d);
}

void packaged_refused(const char *text, const char *target, const char *key, const char *value,
                      const char *words) {
    const struct target_override set = {key, value};
    struct packaged x = packaged_open(text, target, &set, 1);
    assert_null(x.package);
    if (!strstr(diag_first(x.d), words))
        fail_msg("'%s', expected '%s'", diag_first(x.d), words);
    packaged_close(&x);
}

void packaged_round_trip(const struct packaged *x, const char *const *words, size_t count) {
    struct str first = {0}, second = {0}, a = {0}, b = {0};
    if (!x->package)
        fail_msg("%s", diag_first(x->d));
    package_write(x->package, &first);
    struct package *again = package_read(x->program, first.text, first.len, x->d);
    if (!again)
        fail_msg("%s", diag_first(x->d));
    assert_true(package_fresh(again, x->program, x->target, x->library, NULL, 0));
    package_write(again, &second);
    assert_int_equal(first.len, second.len);
    assert_memory_equal(first.text, second.text, first.len);
    package_print_code(x->package, x->library, &a);
    package_print_code(again, x->library, &b);
    assert_string_equal(str_text(&a), str_text(&b));
    for (size_t i = 0; i < count; i++)
        assert_non_null(strstr(str_text(&a), words[i]));
    str_free(&first);
    str_free(&second);
    str_free(&a);
    str_free(&b);
    package_free(again);
}

/* ---- damage ---- */

struct damaging {
    const struct packaged *x;
    const struct packaged_damage *how;
    struct machine_program program;
};

/* True if it was accepted. */
static bool try_code(const struct damaging *t, const struct str *bytes, size_t size) {
    const struct machine *machine = t->x->library->machine;
    const char *problem = NULL;
    char *copy = malloc(size + 1); /* so that sanitizers see its end */
    memcpy(copy, bytes->text, size);
    struct machine_code *code = machine->read(copy, size, &problem);
    bool good = code != NULL;
    assert_true(good || problem);
    if (good && machine->ready(code, t->x->library, &t->program)) {
        struct str printed = {0};
        machine->print(code, t->x->library, &t->program, &printed);
        if (t->how->run)
            t->how->run(t->x, code, &t->program);
        str_free(&printed);
    }
    machine_code_free(code);
    free(copy);
    return good;
}

void packaged_damaged(const struct packaged *x, const struct packaged_damage *how) {
    struct damaging t = {.x = x, .how = how};
    struct str bytes = {0};
    struct arena arena = {0};
    struct text text;
    uint64_t seed = 5, refused = 0;
    t.program = package_program_of(x->package, &text, NULL, &arena);
    x->library->machine->write(x->package->code, &bytes);
    assert_true(try_code(&t, &bytes, bytes.len));
    for (size_t size = 0; size < bytes.len; size += 1 + size / 16)
        assert_false(try_code(&t, &bytes, size));
    for (size_t i = 0; i < bytes.len; i += i < how->all ? 1 : how->step) {
        char old = bytes.text[i];
        bytes.text[i] = (char)splitmix64(&seed);
        refused += !try_code(&t, &bytes, bytes.len);
        bytes.text[i] = old;
    }
    assert_true(refused > how->least);
    arena_free(&arena);
    str_free(&bytes);
}
