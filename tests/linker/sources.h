/* SPDX-License-Identifier: MIT
 * Objects from assembly text, and links of them, for tests. */
#ifndef TESTS_LINKER_SOURCES_H
#define TESTS_LINKER_SOURCES_H

#include "fixture.h"

#include "asm/asm.h"

#define MAX_SOURCES 4

/* Assembles with a line table; fails the test on errors. */
static inline struct object *assemble(const char *name, const char *text) {
    const struct asm_options options = {.debug = true};
    struct diag *d = diag_new(NULL, NULL);
    struct object *o = asm_assemble(name, text, strlen(text), &options, d);
    if (!o)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    return o;
}

/* Assembles the texts as a.s, b.s ... and links them. */
static inline struct object *link_texts(const char *const *texts, size_t count,
                                        const struct link_options *options, struct diag *d) {
    static const char *const names[MAX_SOURCES] = {"a.s", "b.s", "c.s", "d.s"};
    struct object *inputs[MAX_SOURCES];
    for (size_t i = 0; i < count; i++)
        inputs[i] = assemble(names[i], texts[i]);
    struct object *o = link_objects((const struct object *const *)inputs, count, options, d);
    for (size_t i = 0; i < count; i++)
        object_free(inputs[i]);
    if (o) {
        struct diag *check = diag_new(NULL, NULL);
        if (!object_check(o, check, NO_SPAN))
            fail_msg("the linked object is wrong: %s", diag_first(check));
        diag_free(check);
    }
    return o;
}

/* The link must fail, its first error holding `text`. */
static inline void assert_link_error(const char *const *texts, size_t count, const char *text) {
    struct diag *d = diag_new(NULL, NULL);
    assert_null(link_texts(texts, count, NULL, d));
    assert_error(d, text);
    diag_free(d);
}

static inline struct object *link_ok(const char *const *texts, size_t count,
                                     const struct link_options *options) {
    struct diag *d = diag_new(NULL, NULL);
    struct object *o = link_texts(texts, count, options, d);
    if (!o)
        fail_msg("%s", diag_first(d));
    diag_free(d);
    return o;
}

static inline struct insn insn_at(const struct object *o, uint32_t index) {
    struct insn i;
    assert_true(index < o->text.len);
    assert_int_equal(isa_decode(o->text.data[index], &i), ISA_OK);
    return i;
}

static inline uint32_t value_of(const struct object *o, const char *name) {
    uint32_t s = object_find_symbol(o, name);
    if (s == NO_INDEX)
        fail_msg("no symbol '%s'", name);
    return (uint32_t)o->symbols.data[s].value;
}

#endif
