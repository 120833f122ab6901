/* SPDX-License-Identifier: MIT
 * What the tests of recipe tables share. */
#ifndef TESTS_RECIPE_TABLE_H
#define TESTS_RECIPE_TABLE_H

#include "recipe/table/parts.h"
#include "text.h"

struct table_fixture {
    struct diag *d;
    struct target *t;
    struct recipe_set *s;
};

/* Damages to a table that is otherwise right, ten and more: each is refused when the table is
 * read, opened or expanded, or when what it gives is looked at or run. */
void test_damaged_tables(void **state);

static inline struct table_fixture open_tables_of(const char *target) {
    struct table_fixture f = {.d = diag_new(NULL, NULL)};
    f.t = target_open(target, NULL, 0, f.d);
    f.s = f.t ? recipe_set_open(f.t, f.d) : NULL;
    if (!f.s)
        fail_msg("%s", diag_first(f.d));
    return f;
}

static inline struct table_fixture open_tables(void) {
    return open_tables_of("racer");
}

static inline void close_tables(struct table_fixture *f) {
    recipe_set_free(f->s);
    target_free(f->t);
    diag_free(f->d);
}

/* Registers 1, 2, 3, where the instruction has them. */
static inline struct insn table_insn(enum isa_op op, unsigned width, int32_t imm) {
    const struct isa_info *info = isa_info(op);
    struct insn insn = {.op = op, .imm = imm};
    insn.width = (uint8_t)(info->flags & ISA_WIDTH ? width : 0);
    insn.rs = info->flags & (READS_RS | WRITES_RS) ? 1 : 0;
    insn.rt = info->flags & (READS_RT | WRITES_RT) ? 2 : 0;
    insn.rd = info->flags & (READS_RD | WRITES_RD) ? 3 : 0;
    return insn;
}

static inline struct recipe_table *build_table(const struct table_fixture *f,
                                               const struct insn *insns, size_t count) {
    struct recipe_table *table = recipe_table_build(f->t, f->s, insns, count, f->d);
    if (!table)
        fail_msg("%s", diag_first(f->d));
    return table;
}

#endif
