/* SPDX-License-Identifier: MIT
 * What can be said of a list of micro-ops without running it. */
#include "emu/plane/translate.h"
#include "emu/verify/matrix.h"
#include "recipe/target/where.h"
#include "support/str.h"

#include <string.h>

#define BUFFER_NUMBERS 0x200 /* incoming direction << 8 | carry */

/* Places that an op was found to be allowed on: lists repeat few of them. */
#define ALLOWED_SLOTS    4096
#define ALLOWED_OPERANDS 4 /* of an op that is remembered */
struct allowed {
    uint64_t places; /* 16 bits each: class, section or constant */
    uint32_t op;     /* kind << 16 | issuing section; and 1 << 31, so that 0 is none */
};

struct list_check {
    const struct target *t;
    struct form form;
    const struct uop_list *list;
    struct diag *diag;
    uint8_t *scratch;        /* [section][row]: written */
    uint8_t *buffers;        /* [section][BUFFER_NUMBERS] */
    uint8_t *copied;         /* [micro-op]: some other one is forwarded from it */
    struct allowed *allowed; /* [ALLOWED_SLOTS] */
    size_t at;               /* micro-op at work */
};

static bool refuse(const struct list_check *x, const char *what) {
    const struct uop *u = &x->list->data[x->at];
    struct str text = {0};
    form_print(&x->form, &text);
    diag_error(x->diag, NO_SPAN, "%s: micro-op %zu (%s in section %u) %s", str_text(&text), x->at,
               u->kind < x->t->op_count ? x->t->ops[u->kind].name : "?", u->section, what);
    str_free(&text);
    return false;
}

/* --- places --- */

/* Where it is noted that a scratch or buffer plane was written; NULL if there is no such plane. */
static uint8_t *note_of(const struct list_check *x, uint32_t plane) {
    uint32_t section = PLANE_SECTION(plane), n = PLANE_NUMBER(plane);
    if (section >= x->t->sections)
        return NULL;
    if (PLANE_CLASS(plane) == PLANE_SCRATCH)
        return n < x->t->scratch_rows ? &x->scratch[section * x->t->scratch_rows + n] : NULL;
    return n < BUFFER_NUMBERS ? &x->buffers[section * BUFFER_NUMBERS + n] : NULL;
}

/* The instruction's registers, below its width. */
static bool is_operand_bit(const struct form *f, uint32_t plane, uint32_t fields) {
    static const uint32_t flags[3] = {READS_RS | WRITES_RS, READS_RT | WRITES_RT,
                                      READS_RD | WRITES_RD};
    const uint8_t regs[3] = {f->insn.rs, f->insn.rt, f->insn.rd};
    unsigned reg = PLANE_NUMBER(plane) >> 6, bit = PLANE_NUMBER(plane) & 63;
    for (unsigned k = 0; k < 3; k++)
        if (f->info->flags & flags[k] & fields && regs[k] == reg && bit < f->w)
            return true;
    return false;
}

#define ALL_READS  (READS_RS | READS_RT | READS_RD)
#define ALL_WRITES (WRITES_RS | WRITES_RT | WRITES_RD)

static const char *why_not_read(const struct list_check *x, uint32_t plane) {
    const uint8_t *note;
    switch (PLANE_CLASS(plane)) {
    case PLANE_REGISTER:
        return is_operand_bit(&x->form, plane, ALL_READS | ALL_WRITES)
                   ? NULL
                   : "reads a register bit that is no operand";
    case PLANE_C:
    case PLANE_M:
    case PLANE_VALID:
        return NULL;
    case PLANE_CONST:
        return PLANE_NUMBER(plane) <= 1 ? NULL : "reads a constant that does not exist";
    case PLANE_SCRATCH:
    case PLANE_BUFFER:
        note = note_of(x, plane);
        return !note   ? "reads a plane that the target does not have"
               : *note ? NULL
                       : "reads a scratch or buffer plane that was not written";
    default:
        return "reads no plane";
    }
}

static const char *why_not_write(const struct list_check *x, uint32_t plane) {
    uint32_t flags = x->form.info->flags;
    switch (PLANE_CLASS(plane)) {
    case PLANE_REGISTER:
        return is_operand_bit(&x->form, plane, ALL_WRITES)
                   ? NULL
                   : "writes a register bit that must not change";
    case PLANE_C:
        return flags & WRITES_C ? NULL : "writes C";
    case PLANE_M:
        return flags & WRITES_M ? NULL : "writes M";
    case PLANE_SCRATCH:
    case PLANE_BUFFER:
        return note_of(x, plane) ? NULL : "writes a plane that the target does not have";
    default:
        return "writes a plane that is read only";
    }
}

/* --- `where` --- */

struct placing {
    const struct list_check *x;
    const struct uop *u;
    struct where_place places[2 * UOP_MAX];
};

static bool may_lie_in(uint32_t plane, const struct row_class *c) {
    switch (PLANE_CLASS(plane)) {
    case PLANE_REGISTER:
        return c->registers;
    case PLANE_SCRATCH:
        return c->scratch;
    default:
        return c->value == (int)PLANE_NUMBER(plane);
    }
}

/* Where a plane lies, with class 0 for every row. */
static struct where_place place_of_plane(const struct list_check *x, uint32_t plane, int here) {
    switch (PLANE_CLASS(plane)) {
    case PLANE_REGISTER:
        return (struct where_place){0, (int)((PLANE_NUMBER(plane) & 63) % x->t->sections)};
    case PLANE_SCRATCH:
        return (struct where_place){0, (int)PLANE_SECTION(plane)};
    case PLANE_CONST:
        return (struct where_place){0, here};
    case PLANE_BUFFER:
        return (struct where_place){CLASS_BUFFER, (int)PLANE_SECTION(plane)};
    case PLANE_C:
        return (struct where_place){CLASS_C, -1};
    case PLANE_M:
        return (struct where_place){CLASS_M, -1};
    default:
        return (struct where_place){CLASS_VALID, -1};
    }
}

/* True if the condition holds for some choice of row classes for operands k, k+1, ...: a plane
 * number does not say in which of several classes of rows it lies. */
static bool some_rows_fit(struct placing *p, unsigned k) {
    const struct uop *u = p->u;
    const struct target *t = p->x->t;
    const struct target_op *op = &t->ops[u->kind];
    if (k == (unsigned)op->nsrc + op->ndst)
        return where_holds(op->where, p->places, u->section);
    uint32_t plane = k < op->nsrc ? u->src[k] : u->dst[k - op->nsrc];
    p->places[k] = place_of_plane(p->x, plane, u->section);
    if (p->places[k].class >= CLASS_BUFFER)
        return some_rows_fit(p, k + 1);
    for (uint32_t i = 0; i < t->row_class_count; i++) {
        p->places[k].class = (int)i;
        if (may_lie_in(plane, &t->row_classes[i]) && some_rows_fit(p, k + 1))
            return true;
    }
    return false;
}

/* All that `where` can speak of, and what says which classes of rows there are to choose from. */
static uint64_t place_code(const struct list_check *x, uint32_t plane) {
    enum plane_class c = PLANE_CLASS(plane);
    uint32_t number = c == PLANE_REGISTER ? (PLANE_NUMBER(plane) & 63) % x->t->sections
                      : c == PLANE_CONST  ? PLANE_NUMBER(plane) & 1
                                          : PLANE_SECTION(plane);
    return (uint64_t)c << 12 | number;
}

static struct allowed allowed_of(const struct list_check *x, const struct uop *u) {
    struct allowed a = {0, (uint32_t)1 << 31 | (uint32_t)u->kind << 16 | u->section};
    for (unsigned k = 0; k < u->nsrc + (unsigned)u->ndst; k++)
        a.places = a.places << 16 | place_code(x, k < u->nsrc ? u->src[k] : u->dst[k - u->nsrc]);
    return a;
}

/* Planes have been checked: constants are 0 or 1. */
static bool may_work(const struct list_check *x, const struct uop *u) {
    struct placing p = {.x = x, .u = u};
    if (u->nsrc + (unsigned)u->ndst > ALLOWED_OPERANDS)
        return some_rows_fit(&p, 0);
    struct allowed a = allowed_of(x, u);
    uint64_t hash = (a.places ^ (uint64_t)a.op << 20) * 0x9e3779b97f4a7c15u;
    struct allowed *known = &x->allowed[hash >> 52];
    if (known->places == a.places && known->op == a.op)
        return true;
    if (!some_rows_fit(&p, 0))
        return false;
    *known = a;
    return true;
}

/* --- one micro-op --- */

static bool check_shape(const struct list_check *x, const struct uop *u) {
    const struct target_op *op = u->kind < x->t->op_count ? &x->t->ops[u->kind] : NULL;
    if (!op)
        return refuse(x, "is none of the target's");
    if (u->nsrc != op->nsrc || u->ndst != op->ndst || u->nsrc > UOP_MAX || u->ndst > UOP_MAX ||
        u->count == 0)
        return refuse(x, "does not have the operands of its op");
    return u->section < x->t->sections || refuse(x, "issues in no section");
}

static bool check_reads(const struct list_check *x, const struct uop *u) {
    for (unsigned k = 0; k < u->nsrc; k++) {
        const char *why = why_not_read(x, u->src[k]);
        if (why)
            return refuse(x, why);
        for (unsigned i = 0; i < u->ndst; i++)
            if (u->src[k] == u->dst[i])
                return refuse(x, "writes one of its own sources");
    }
    return true;
}

static bool check_writes(const struct list_check *x, const struct uop *u) {
    bool visible = false;
    for (unsigned k = 0; k < u->ndst; k++) {
        const char *why = why_not_write(x, u->dst[k]);
        if (why)
            return refuse(x, why);
        visible |= !plane_is_local(u->dst[k]);
    }
    uint32_t wanted =
        visible && form_is_predicated(&x->form) ? PLANE(PLANE_M, 0, 0) : PLANE(PLANE_NONE, 0, 0);
    if (u->predicate == wanted)
        return true;
    return refuse(x, PLANE_CLASS(wanted) == PLANE_M ? "changes lanes where M is 0"
                                                    : "is predicated for no reason");
}

/* An op that keeps a part of what was there needs it written, or set by its preset. */
static bool check_old(const struct list_check *x, const struct uop *u) {
    const struct target_op *op = &x->t->ops[u->kind];
    const struct uop *before = x->at > 0 ? &x->list->data[x->at - 1] : NULL;
    if (op->preset && (!before || before->kind != op->preset - 1 || before->ndst != u->ndst ||
                       before->section != u->section || before->predicate != u->predicate ||
                       memcmp(before->dst, u->dst, u->ndst * sizeof *u->dst) != 0))
        return refuse(x, "does not find its destination set by its preset");
    for (unsigned k = 0; op->reads_old && k < u->ndst; k++)
        if (plane_is_local(u->dst[k]) && !*note_of(x, u->dst[k]))
            return refuse(x, "keeps a scratch or buffer plane that was not written");
    return true;
}

static void note_writes(const struct list_check *x, const struct uop *u) {
    for (unsigned k = 0; k < u->ndst; k++)
        if (plane_is_local(u->dst[k]))
            *note_of(x, u->dst[k]) = 1;
}

/* --- forwarding --- */

/* The same place one section on.  Scratch rows are each section's own business. */
static bool is_shifted(uint32_t from, uint32_t to, int sections) {
    if (PLANE_CLASS(from) != PLANE_CLASS(to))
        return false;
    switch (PLANE_CLASS(from)) {
    case PLANE_REGISTER:
        return PLANE_NUMBER(from) >> 6 == PLANE_NUMBER(to) >> 6 &&
               (int)(PLANE_NUMBER(to) & 63) - (int)(PLANE_NUMBER(from) & 63) == sections;
    case PLANE_BUFFER:
        return PLANE_NUMBER(from) == PLANE_NUMBER(to) &&
               (int)PLANE_SECTION(to) - (int)PLANE_SECTION(from) == sections;
    case PLANE_SCRATCH:
        return (int)PLANE_SECTION(to) - (int)PLANE_SECTION(from) == sections;
    default:
        return from == to;
    }
}

/* Sources may differ: a recipe's `let` may name another place in each section. */
static bool is_counterpart(const struct uop *from, const struct uop *to) {
    int sections = to->section - from->section;
    bool same = (sections == 1 || sections == -1) && from->kind == to->kind &&
                from->predicate == to->predicate;
    for (unsigned k = 0; same && k < to->ndst; k++)
        same = is_shifted(from->dst[k], to->dst[k], sections);
    return same;
}

static bool check_forwarding(const struct list_check *x, const struct uop *u) {
    if ((u->pipelined != 0) != (u->forwarded != 0))
        return refuse(x, "is half forwarded");
    if (!u->forwarded)
        return true;
    if (u->forwarded > x->at)
        return refuse(x, "is forwarded from before the list");
    size_t from = x->at - u->forwarded;
    if (x->copied[from]++ || !is_counterpart(&x->list->data[from], u))
        return refuse(x, "is forwarded from another one");
    return true;
}

/* --- the list --- */

static bool check_places(const struct list_check *x, const struct uop *u) {
    if (!check_reads(x, u) || !check_writes(x, u))
        return false;
    if (!may_work(x, u))
        return refuse(x, "may not work on these places ('where')");
    note_writes(x, u);
    return true;
}

static bool check_one(const struct list_check *x, const struct uop *whole) {
    if (!check_shape(x, whole) || !check_forwarding(x, whole) || !check_old(x, whole))
        return false;
    if (whole->count == 1)
        return check_places(x, whole);
    for (uint32_t i = 0; i < whole->count; i++) {
        struct uop u = uop_at(whole, i);
        if (!check_places(x, &u))
            return false;
    }
    return true;
}

static bool check_time(const struct list_check *x) {
    static const uint32_t start = 0;
    struct timing_profile profile;
    const char *error = NULL;
    struct str text = {0};
    if (timing_schedule(x->t, x->list->data, x->list->len, &start, 1, &profile, &error))
        return true;
    form_print(&x->form, &text);
    diag_error(x->diag, NO_SPAN, "%s: %s", str_text(&text), error);
    str_free(&text);
    return false;
}

static bool check_list(struct list_check *x) {
    for (x->at = 0; x->at < x->list->len; x->at++)
        if (!check_one(x, &x->list->data[x->at]))
            return false;
    return true;
}

bool verify_list(const struct target *t, const struct insn *insn, bool masked,
                 const struct uop_list *list, bool timed, struct diag *d) {
    struct list_check x = {.t = t, .list = list, .diag = d};
    form_fill(&x.form, insn, masked);
    x.scratch = xcalloc((size_t)t->sections * t->scratch_rows + 1, 1);
    x.buffers = xcalloc((size_t)t->sections * BUFFER_NUMBERS + 1, 1);
    x.copied = xcalloc(list->len + 1, 1);
    x.allowed = xcalloc(ALLOWED_SLOTS, sizeof *x.allowed);
    bool good = check_list(&x) && (!timed || check_time(&x));
    free(x.scratch);
    free(x.buffers);
    free(x.copied);
    free(x.allowed);
    return good;
}
