/* SPDX-License-Identifier: MIT
 * What `compile` of a form gets: the program with all of its kernels, buffers and calls, and its
 * sizes.  The toy core here, but for one that writes down what it was given and makes code of it.
 */
#include "linker/linker.h"
#include "linker/package.h"
#include "machines/golden/link/golden.h"
#include "object/bytes.h"
#include "tests/control/machine.h"
#include "tests/machines/core/core.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CORE MPU_SOURCE_DIR "/tests/machines/core/core.yaml"

/* ---- the kind: that of the toy, and what its `compile` saw ---- */

static struct machine spy;
static struct machine_form form;
static const struct machine_form *forms[] = {&form, NULL};
const struct target_kind *const machine_target_kinds[] = {&golden_target_kind, &core_kind, NULL};
const struct machine *const machine_list[] = {&golden_machine, &spy, NULL};
const struct machine_form *const core_forms[] = {&core_form, NULL};

static const struct datapath_ops *const golden_engines[] = {&golden_ops, NULL};
static const struct datapath_ops *const core_engines[] = {&core_engine, NULL};
const struct datapath_kind datapath_kinds[] = {
    {"golden", golden_engines}, {"toy-core", core_engines}, {NULL, NULL}};

static unsigned asked;

/* Behind the words of the kernel stands, as words that nobody comes to, how many kernels are called
 * and the first size. */
static bool compile(const struct machine_library *l, const struct machine_launches *program,
                    const struct kernel_decl *kernel, struct machine_kernel *out,
                    struct machine_kernel_fault *fault) {
    const struct object *o = program->object;
    uint32_t called = 0;
    asked++;
    assert_null(program->wants);
    assert_true(kernel >= o->kernels.data && kernel < o->kernels.data + o->kernels.len);
    assert_true(program->called[kernel - o->kernels.data]);
    for (size_t i = 0; i < o->kernels.len; i++)
        called += program->called[i];
    if (!core_machine.forms[0]->compile(l, program, kernel, out, fault))
        return false;
    put_u32(&out->code, called);
    put_u32(&out->code, program->sizes ? (uint32_t)program->sizes[0] : UINT32_MAX);
    return true;
}

static int open_spy(void **state) {
    (void)state;
    spy = core_machine;
    form = *core_machine.forms[0];
    form.compile = compile;
    spy.forms = forms;
    return 0;
}

/* ---- */

static const char text[] =
    " .size n = 6\n .size m = n / 2\n .buffer inout x: i64[n]\n"
    " .kernel first core(x: i64[]) = \"end\"\n .kernel never core(x: i64[]) = \"end\"\n"
    " .kernel last core(x: i64[], a: i64) = \"end\"\n"
    "main: RECIPE first(x)\n RECIPE last(x, m)\n RECIPE first<<<m>>>(x)\n HALT\n";

static void kernel_ends(const struct package *p, size_t kernel, uint32_t called, uint32_t size) {
    const struct package_kernel *k = &p->kernels[kernel];
    const unsigned char *end = (const unsigned char *)k->code + k->size;
    assert_true(k->size >= 8);
    assert_int_equal(get_u32(end - 8), called);
    assert_int_equal(get_u32(end - 4), size);
}

static void the_program_and_its_sizes(void **state) {
    struct opened m;
    (void)state;
    asked = 0;
    machine_open_on(&m, CORE, text);
    assert_int_equal(asked, 2);
    kernel_ends(m.package, 0, 2, 6);
    kernel_ends(m.package, 2, 2, 6);
    assert_int_equal(m.package->kernels[1].size, 0);
    machine_close(&m);
}

static void other_sizes_are_another_kernel(void **state) {
    const struct size_binding six = {.name = "n", .value = 6}, eight = {.name = "n", .value = 8};
    struct opened m;
    (void)state;
    machine_open_on(&m, CORE, text);
    struct diag *d = diag_new(NULL, NULL);
    struct package *p = package_build(m.object, m.target, m.library, &eight, 1, d);
    assert_non_null(p);
    kernel_ends(p, 0, 2, 8);
    assert_true(package_fresh(p, m.object, m.target, m.library, &eight, 1));
    assert_false(package_fresh(p, m.object, m.target, m.library, &six, 1));
    p->sizes[0] = 6; /* its kernels are of 8 */
    p->sizes[1] = 3;
    assert_false(package_fresh(p, m.object, m.target, m.library, &six, 1));
    package_free(p);
    diag_free(d);
    machine_close(&m);
}

/* Any bit of a kernel's code that is another one: the package is not that of the text. */
static void code_of_another_text(void **state) {
    struct opened m;
    (void)state;
    machine_open_on(&m, CORE, text);
    struct diag *d = diag_new(NULL, NULL);
    const struct size_binding six = {.name = "n", .value = 6};
    struct package *p = package_build(m.object, m.target, m.library, &six, 1, d);
    assert_non_null(p);
    assert_true(package_fresh(p, m.object, m.target, m.library, &six, 1));
    for (size_t i = 0; i < p->kernels[2].size * 8; i++) {
        char *byte = (char *)(uintptr_t)p->kernels[2].code + i / 8;
        *byte = (char)(*byte ^ 1 << i % 8);
        assert_false(package_fresh(p, m.object, m.target, m.library, &six, 1));
        *byte = (char)(*byte ^ 1 << i % 8);
    }
    assert_true(package_fresh(p, m.object, m.target, m.library, &six, 1));
    package_free(p);
    diag_free(d);
    machine_close(&m);
}

/* And the message has the kernel, the place of the word and its line. */
static void names_the_word(void **state) {
    struct opened m;
    (void)state;
    form.compile = core_machine.forms[0]->compile;
    machine_open_on(&m, CORE, text);
    struct diag *d = diag_new(NULL, NULL);
    const struct size_binding six = {.name = "n", .value = 6};
    struct package *p = package_build(m.object, m.target, m.library, &six, 1, d);
    struct str why = {0};
    assert_non_null(p);
    assert_false(package_kernel_differs(p, m.object, m.library, &why));
    const struct package_kernel *k = &p->kernels[2];
    assert_int_equal(k->size, 4 * k->line_count);
    for (size_t i = 0; i < k->size * 8; i++) {
        char *byte = (char *)(uintptr_t)k->code + i / 8, wanted[80];
        *byte = (char)(*byte ^ 1 << i % 8);
        str_clear(&why);
        assert_true(package_kernel_differs(p, m.object, m.library, &why));
        snprintf(wanted, sizeof wanted, "'%s' that is not its text's, at pc %zu, ",
                 m.object->kernels.data[2].name, i / 32);
        assert_non_null(strstr(str_text(&why), wanted));
        *byte = (char)(*byte ^ 1 << i % 8);
    }
    str_free(&why);
    package_free(p);
    diag_free(d);
    machine_close(&m);
    form.compile = compile;
}

/* What the registers of a program take is asked before anybody knows its sizes. */
static void without_sizes(void **state) {
    struct machine_rows rows;
    struct opened m;
    (void)state;
    machine_open_on(&m, CORE, text);
    asked = 0;
    package_program_rows(m.object, m.target, m.library, &rows);
    assert_int_equal(asked, 2);
    machine_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_and_its_sizes),
        cmocka_unit_test(other_sizes_are_another_kernel), cmocka_unit_test(code_of_another_text),
        cmocka_unit_test(names_the_word), cmocka_unit_test(without_sizes)};
    return cmocka_run_group_tests(tests, open_spy, NULL);
}
