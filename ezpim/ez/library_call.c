/* SPDX-License-Identifier: MIT
 * Functions of the library for other front ends and for vectors on devices: the text is read by
 * this one, and its code put in where it is called. */
#include "ezpim/ez/include.h"
#include "ezpim/ez/lower_sub.h"

#include "support/alloc.h"

#include <stdlib.h>
#include <string.h>

/* The files of the library that were needed so far, read and checked. */
struct library {
    struct diag *diag; /* the library has no mistakes to report */
    VEC(struct ez_unit *) units;
    VEC(char *) files;
};

static struct library *library_new(void) {
    struct library *library = xcalloc(1, sizeof *library);
    library->diag = diag_new(NULL, NULL);
    return library;
}

static void library_free(void *context) {
    struct library *library = context;
    for (size_t i = 0; i < library->units.len; i++) {
        ez_unit_free(library->units.data[i]);
        free(library->units.data[i]);
        free(library->files.data[i]);
    }
    vec_free(&library->units);
    vec_free(&library->files);
    diag_free(library->diag);
    free(library);
}

static struct ez_unit *unit_of(struct library *library, const char *file) {
    for (size_t i = 0; i < library->files.len; i++)
        if (strcmp(library->files.data[i], file) == 0)
            return library->units.data[i];
    struct ez_source source = {.name = file};
    source.text = ez_library_text(file, &source.size);
    const struct ez_options options = {.optimize = 1};
    struct ez_unit *unit = xcalloc(1, sizeof *unit);
    unit->diag = library->diag;
    unit->parts = true;
    unit->whole = (struct span){diag_source(library->diag, file, NULL, 0), 0, 0};
    if (!source.text || !ez_load(unit, &source, 1, &options) || !ez_check(unit))
        abort(); /* tests compile each function of the library */
    vec_push(&library->units, unit);
    vec_push(&library->files, xstrdup(file));
    return unit;
}

/* Everything that was made since belongs to the call: places of the library are in no source of the
 * program, and its names are not kept. */
static void move_to_call(struct ir_code *code, size_t insns, size_t vregs, struct span at) {
    for (size_t i = insns; i < code->insns.len; i++)
        code->insns.data[i].at = at;
    for (size_t i = vregs; i < code->vregs.len; i++) {
        code->vregs.data[i].name = NULL;
        code->vregs.data[i].at = at;
    }
}

uint32_t ez_library_call(struct ir_builder *builder, const char *file, const char *name,
                         const uint32_t *values, uint32_t dst, struct span at) {
    if (!builder->library) {
        builder->library = library_new();
        builder->free_library = library_free;
    }
    struct ez_unit *unit = unit_of(builder->library, file);
    struct ez_symbol *sub = ez_unit_find(unit, name);
    size_t insns = builder->code->insns.len, vregs = builder->code->vregs.len;
    struct lowering l = {.u = unit, .b = *builder, .options = {.level = 1}, .body = builder->stamp};
    memset(l.bare, 0xFF, sizeof l.bare);
    l.b.call = &at;
    for (uint32_t i = 0; i < sub->sub.param_count; i++) {
        struct ez_symbol *p = sub->sub.params[i];
        ez_lower_operation(&l, IR_COPY, p->type.type, ez_lower_declare(&l, p), values[i], IR_NONE,
                           0, at);
    }
    uint32_t result = ez_lower_declare(&l, sub->sub.result);
    ez_lower_sub_body(&l, sub, at);
    l.b.call = NULL;
    *builder = l.b;
    move_to_call(builder->code, insns, vregs, at);
    if (dst == IR_NONE)
        return result;
    return ir_operation(builder, IR_COPY, sub->sub.result->type.type, dst, result, IR_NONE, IR_NONE,
                        0, at);
}
