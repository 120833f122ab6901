/* SPDX-License-Identifier: MIT
 * Rows of a VRF: registers from the first on, what the program's instructions need for scratch from
 * the last on.  Where they meet the program is refused, with what takes the rows. */
#include "linker/linker.h"
#include "linker/pack.h"
#include "linker/where.h"
#include "object/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the place where most is in use ---- */

/* Registers that no variable has hold something from the first instruction of a body that names
 * them to the last one. */
struct crowd {
    uint64_t named;               /* registers of variables: bit r */
    const uint8_t *bits;          /* [64] */
    uint32_t first[64], last[64]; /* in the body at hand; NO_INDEX: not in it */
    uint32_t at;                  /* instruction of the text at hand */
    uint32_t worst;               /* where most is in use; NO_INDEX */
    unsigned most;                /* bits in use there that no variable has */
};

static void meet(void *context, unsigned reg, unsigned bits) {
    struct crowd *c = context;
    (void)bits;
    if (reg >= 64 || c->named >> reg & 1)
        return;
    if (c->first[reg] == NO_INDEX)
        c->first[reg] = c->at;
    c->last[reg] = c->at;
}

static void forget(struct crowd *c) {
    memset(c->first, 0xff, sizeof c->first);
}

static unsigned in_use(const struct crowd *c, uint32_t at) {
    unsigned bits = 0;
    for (unsigned r = 0; r < 64; r++)
        if (c->first[r] != NO_INDEX && c->first[r] <= at && at <= c->last[r])
            bits += c->bits[r];
    return bits;
}

/* Instructions [first, end) are a body. */
static void close_body(struct crowd *c, uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; i++) {
        unsigned bits = in_use(c, i);
        if (bits <= c->most)
            continue;
        c->most = bits;
        c->worst = i;
    }
    forget(c);
}

static uint64_t registers_of(const struct variable *v) {
    uint64_t all = v->count >= 64 ? UINT64_MAX : (UINT64_C(1) << v->count) - 1;
    return all << v->reg;
}

static void find_crowd(const struct pack *k, struct crowd *c) {
    struct insn insn;
    uint32_t first = 0;
    *c = (struct crowd){.bits = k->p->reg_bits, .worst = NO_INDEX};
    for (size_t i = 0; i < k->program->vars.len; i++)
        c->named |= registers_of(&k->program->vars.data[i]);
    forget(c);
    for (c->at = 0; c->at < k->p->text_count; c->at++) {
        if (isa_decode(k->p->text[c->at], &insn) != ISA_OK)
            continue;
        if (insn.op == OP_COMPUTE || insn.op == OP_COMPUTEG || insn.op == OP_COMPUTE_DONE ||
            insn.op == OP_RETURN) {
            close_body(c, first, c->at);
            first = c->at + 1;
        }
        isa_visit_registers(&insn, meet, c);
    }
    close_body(c, first, c->at);
}

/* ---- the message ---- */

static unsigned variable_bits(const struct variable *v) {
    return v->count * v->type.bits;
}

static int by_bits(const void *a, const void *b) {
    const struct variable *x = *(const struct variable *const *)a,
                          *y = *(const struct variable *const *)b;
    if (variable_bits(x) != variable_bits(y))
        return variable_bits(x) < variable_bits(y) ? 1 : -1;
    return x < y ? -1 : x > y;
}

static void note_variable(const struct pack *k, const struct variable *v) {
    char type[8];
    mpu_type_text(v->type, type);
    if (v->has_k)
        diag_note(k->d, object_span(k->program, v->place, k->d), "`%s`, %s[%" PRIu32 "]: %u rows",
                  v->name, type, v->count, variable_bits(v));
    else
        diag_note(k->d, object_span(k->program, v->place, k->d), "`%s`, %s: %u rows", v->name, type,
                  variable_bits(v));
}

/* The widest first. */
static void note_variables(const struct pack *k) {
    enum { SHOWN = 8 };
    size_t count = k->program->vars.len;
    unsigned others = 0;
    const struct variable **sorted = xcalloc(count + 1, sizeof(struct variable *));
    for (size_t i = 0; i < count; i++)
        sorted[i] = &k->program->vars.data[i];
    qsort(sorted, count, sizeof *sorted, by_bits);
    for (size_t i = 0; i < count; i++) {
        if (i < SHOWN)
            note_variable(k, sorted[i]);
        else
            others += variable_bits(sorted[i]);
    }
    if (others)
        diag_note(k->d, NO_SPAN, "and %zu more: %u rows", count - SHOWN, others);
    free(sorted);
}

static void note_use(const struct pack *k, const struct machine_rows *r) {
    struct str s = {0};
    if (r->scratch)
        str_printf(&s, ", %" PRIu64 " for what %s.%u needs beside them", r->scratch,
                   isa_users_name(&k->users, r->needs.op), r->needs.width);
    if (r->state)
        str_printf(&s, ", %" PRIu64 " for masks", r->state);
    diag_note(k->d, NO_SPAN, "%" PRIu64 " for registers%s", r->registers, str_text(&s));
    str_free(&s);
}

static void note_help(const struct pack *k, const struct machine_rows *r) {
    uint64_t room = r->there - (r->there < r->state ? r->there : r->state);
    diag_note(k->d, NO_SPAN,
              "narrower types help, and `ezpim -fspill --rows %" PRIu64
              "`, which keeps variables in VRFs of their own",
              room);
}

void check_rows(struct pack *k) {
    struct machine_rows r;
    struct crowd c;
    struct str section = {0};
    if (!machine_rows(k->library, k->p->code, k->p->reg_bits, &r) ||
        machine_rows_taken(&r) <= r.there)
        return;
    find_crowd(k, &c);
    if (r.section)
        str_printf(&section, " in section %" PRIu32, r.section);
    diag_error(k->d, c.worst == NO_INDEX ? NO_SPAN : pack_span(k, c.worst),
               "the program needs %" PRIu64 " rows of a VRF%s, and target '%s' has %" PRIu64
               ": %" PRIu64 " are missing",
               machine_rows_taken(&r), str_text(&section), k->t->name, r.there,
               machine_rows_taken(&r) - r.there);
    note_use(k, &r);
    note_variables(k);
    if (c.worst != NO_INDEX)
        diag_note(k->d, pack_span(k, c.worst),
                  "values without a name: %u rows here, and nowhere more", c.most);
    note_help(k, &r);
    str_free(&section);
}
