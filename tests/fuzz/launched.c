/* SPDX-License-Identifier: MIT
 * Programs of kernels, linked and packaged for the toy core. */
#include "tests/fuzz/launched.h"

#include "support/alloc.h"
#include "support/diag.h"

#include <string.h>

const struct machine_library *launched_library(void) {
    static struct target *target;
    static struct machine_library *library;
    struct diag *d = diag_new(NULL, NULL);
    if (!library)
        REQUIRE(machine_open_target(LAUNCHED_TARGET, NULL, 0, d, &target, &library) == TARGET_FINE);
    diag_free(d);
    return library;
}

/* ---- what a launch must be, said once more ---- */

static int64_t extent(const struct package *p, const struct extent *e) {
    return e->size == NO_INDEX ? (int64_t)e->value : p->sizes[e->size];
}

static void check_geometry(const struct package *p, const struct launch_geometry *g) {
    const struct target *t = launched_library()->target;
    const int64_t most = (int64_t)1 << 40;
    int64_t workers = 1, units = 0, first = 0;
    for (unsigned i = 0; i < LAUNCH_EXTENTS; i++) {
        if (!launch_said(&g->extent[i]))
            continue;
        int64_t value = extent(p, &g->extent[i]);
        REQUIRE(i != LAUNCH_BYTES); /* which the toy does not take */
        REQUIRE(value >= (i != LAUNCH_FIRST) && value <= UINT32_MAX);
        units = i == LAUNCH_UNITS ? value : units;
        first = i == LAUNCH_FIRST ? value : first;
        REQUIRE(i >= LAUNCH_BYTES || value <= most / workers);
        workers *= i < LAUNCH_BYTES ? value : 1;
    }
    REQUIRE(first + units <= (int64_t)t->mpus * t->rfh_per_mpu * t->vrf_per_rfh);
}

static void check_offset(const struct object *o, const struct package *p,
                         const struct kernel_argument *x) {
    const struct buffer_decl *b = &o->buffers.data[x->buffer];
    int64_t offset = x->size == NO_INDEX ? (int64_t)x->number : p->sizes[x->size];
    uint64_t bytes = object_buffer_elements(b, p->sizes) * object_element_bytes(b->type);
    if (offset == 0)
        return;
    REQUIRE(p->buffers[x->buffer].layout != LAYOUT_SPLIT);
    REQUIRE(offset > 0 && (uint64_t)offset <= bytes);
    REQUIRE((uint64_t)offset % object_element_bytes(b->type) == 0);
}

void launched_check_package(const struct object *program, const struct package *package) {
    struct insn insn;
    for (uint32_t i = 0; package->launches && i < program->text.len; i++) {
        bool fine = isa_decode(program->text.data[i], &insn) == ISA_OK;
        const struct recipe_call *c = fine ? object_call(program, &insn) : NULL;
        const struct kernel_decl *k = c ? object_call_kernel(program, c) : NULL;
        if (k && c->geometry)
            check_geometry(package, c->geometry);
        for (uint32_t n = 0; k && n < k->parameter_count; n++)
            if (c->arguments[n].buffer != NO_INDEX)
                check_offset(program, package, &c->arguments[n]);
    }
}

/* ---- packages ---- */

static struct package *package_of(const struct object *program, struct diag *d) {
    size_t n = program->sizes.len;
    struct size_binding *sizes = xcalloc(n + 1, sizeof *sizes);
    const struct machine_library *l = launched_library();
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (program->sizes.data[i].op == SIZE_GIVEN)
            sizes[count++] = (struct size_binding){.name = program->sizes.data[i].name, .value = 3};
    struct package *p = package_build(program, l->target, l, sizes, count, d);
    if (p)
        REQUIRE(package_fresh(p, program, l->target, l, sizes, count));
    free(sizes);
    return p;
}

static void check_read(const struct object *program, const struct package *package) {
    struct diag *d = diag_new(NULL, NULL);
    struct str bytes = {0}, again = {0};
    package_write(package, &bytes);
    struct package *back = package_read(program, bytes.text, bytes.len, d);
    REQUIRE(back);
    package_write(back, &again);
    REQUIRE(again.len == bytes.len && memcmp(again.text, bytes.text, bytes.len) == 0);
    package_free(back);
    str_free(&bytes);
    str_free(&again);
    diag_free(d);
}

void launched_check(const struct object *object) {
    struct diag *d = diag_new(NULL, NULL);
    struct object *program = link_objects(&object, 1, NULL, d);
    struct package *p = program ? package_of(program, d) : NULL;
    diag_flush(d);
    REQUIRE((p != NULL) == (diag_errors(d) == 0));
    if (p) {
        launched_check_package(program, p);
        check_read(program, p);
    }
    package_free(p);
    object_free(program);
    diag_free(d);
}
