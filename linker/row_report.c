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

/* Registers are taken to hold something from the first instruction of a body that names them to the
 * last one. */
struct crowd {
    uint64_t named;               /* registers of variables: bit r */
    const uint8_t *bits;          /* [64] */
    uint32_t first[64], last[64]; /* in the body at hand; NO_INDEX: not in it */
    uint32_t at;                  /* instruction of the text at hand */
    uint32_t worst;               /* where most is in use; NO_INDEX */
    unsigned most, nameless;      /* bits in use there; those that no variable has */
};

static void meet(void *context, unsigned reg, unsigned bits) {
    struct crowd *c = context;
    (void)bits;
    if (reg >= 64)
        return;
    if (c->first[reg] == NO_INDEX)
        c->first[reg] = c->at;
    c->last[reg] = c->at;
}

static void forget(struct crowd *c) {
    memset(c->first, 0xff, sizeof c->first);
}

/* Of these registers. */
static unsigned in_use(const struct crowd *c, uint32_t at, uint64_t registers) {
    unsigned bits = 0;
    for (unsigned r = 0; r < 64; r++)
        if (registers >> r & 1 && c->first[r] != NO_INDEX && c->first[r] <= at && at <= c->last[r])
            bits += c->bits[r];
    return bits;
}

/* Instructions [first, end) are a body. */
static void close_body(struct crowd *c, uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; i++) {
        unsigned bits = in_use(c, i, UINT64_MAX);
        if (bits <= c->most)
            continue;
        c->most = bits;
        c->nameless = in_use(c, i, ~c->named);
        c->worst = i;
    }
    forget(c);
}

static uint64_t registers_of(const struct variable *v) {
    uint64_t all = v->count >= 64 ? UINT64_MAX : (UINT64_C(1) << v->count) - 1;
    return all << v->reg;
}

static void find_crowd(const struct object *o, const uint32_t *text, struct crowd *c) {
    struct insn insn;
    uint32_t first = 0;
    c->worst = NO_INDEX;
    for (size_t i = 0; i < o->vars.len; i++)
        c->named |= registers_of(&o->vars.data[i]);
    forget(c);
    for (c->at = 0; c->at < o->text.len; c->at++) {
        if (isa_decode(text[c->at], &insn) != ISA_OK)
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

static void note_variable(const struct object *o, const struct variable *v, struct diag *d) {
    char type[8];
    object_type_text(v->type, type);
    if (v->has_k)
        diag_note(d, object_span(o, v->place, d), "`%s`, %s[%" PRIu32 "]: %u rows", v->name, type,
                  v->count, variable_bits(v));
    else
        diag_note(d, object_span(o, v->place, d), "`%s`, %s: %u rows", v->name, type,
                  variable_bits(v));
}

/* The widest first. */
static void note_variables(const struct object *o, struct diag *d) {
    enum { SHOWN = 8 };
    size_t count = o->vars.len;
    unsigned others = 0;
    const struct variable **sorted = xcalloc(count + 1, sizeof(struct variable *));
    for (size_t i = 0; i < count; i++)
        sorted[i] = &o->vars.data[i];
    qsort(sorted, count, sizeof *sorted, by_bits);
    for (size_t i = 0; i < count; i++) {
        if (i < SHOWN)
            note_variable(o, sorted[i], d);
        else
            others += variable_bits(sorted[i]);
    }
    if (others)
        diag_note(d, NO_SPAN, "and %zu more: %u rows", count - SHOWN, others);
    free(sorted);
}

void package_report_rows(const struct object *o, const uint32_t *text, const char *message,
                         struct diag *d) {
    uint8_t bits[64];
    unsigned nameless = 0;
    struct crowd c = {.bits = bits};
    package_program_registers(o, text, bits);
    find_crowd(o, text, &c);
    struct span at = c.worst == NO_INDEX ? NO_SPAN : link_text_span(o, c.worst, d);
    for (unsigned r = 0; r < 64; r++)
        nameless += c.named >> r & 1 ? 0 : bits[r];
    diag_error(d, at, "%s", message);
    note_variables(o, d);
    if (nameless)
        diag_note(d, at, "values without a name: %u rows, %u of them here", nameless, c.nameless);
}

static void note_use(const struct pack *k, const struct machine_rows *r) {
    struct str s = {0};
    struct insn needs;
    if (r->scratch && isa_decode(k->p->text[r->needs], &needs) == ISA_OK) {
        str_printf(&s, ", %" PRIu64 " beside them for %s", r->scratch,
                   isa_users_name(&k->users, needs.op));
        if (needs.width)
            str_printf(&s, ".%u", needs.width);
        str_printf(&s, "%s (instruction %" PRIu32 ")", r->masked ? " under a mask" : "", r->needs);
    }
    if (r->state)
        str_printf(&s, ", %" PRIu64 " for masks", r->state);
    diag_note(k->d, NO_SPAN, "%" PRIu64 " for registers%s", r->registers, str_text(&s));
    str_free(&s);
}

static void note_help(const struct pack *k, const struct machine_rows *r) {
    uint64_t taken = r->state + r->scratch, room = r->there > taken ? r->there - taken : 0;
    diag_note(
        k->d, NO_SPAN,
        "what helps: narrower types, `in consumed` for inputs that are not needed to the end, "
        "or `ezpim -fspill --rows %" PRIu64 "`, which keeps variables in VRFs of their own",
        room);
}

void package_check_rows(struct pack *k) {
    struct machine_rows r;
    struct str message = {0};
    struct text text;
    struct machine_program program = package_program_of(k->p, &text, &k->users, &k->scratch);
    if (!machine_rows(k->library, k->p->code, &program, &r) || machine_rows_taken(&r) <= r.there)
        return;
    str_printf(&message, "the program needs %" PRIu64 " rows of a VRF", machine_rows_taken(&r));
    if (r.section)
        str_printf(&message, " in section %" PRIu32, r.section);
    uint64_t missing = machine_rows_taken(&r) - r.there;
    str_printf(&message, ", and target '%s' has %" PRIu64 ": %" PRIu64 " %s missing", k->t->name,
               r.there, missing, missing == 1 ? "is" : "are");
    package_report_rows(k->program, k->p->text, str_text(&message), k->d);
    note_use(k, &r);
    note_help(k, &r);
    str_free(&message);
}
