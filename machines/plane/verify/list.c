/* SPDX-License-Identifier: MIT
 * What can be said of a list of micro-ops without running it. */
#include "machines/plane/run/translate.h"
#include "machines/plane/verify/verify.h"
#include "machines/verify/matrix.h"
#include "recipe/technology/where.h"
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
    struct insn_form form;
    const struct uop_list *list;
    struct diag *diag;
    uint8_t *scratch;        /* [section][row]: written */
    uint8_t *buffers;        /* [section][BUFFER_NUMBERS] */
    uint8_t *copied;         /* [micro-op]: some other one is forwarded from it */
    struct allowed *allowed; /* [ALLOWED_SLOTS] */
    bool latch_is_mask;      /* mask by latch: it holds M */
    size_t at;               /* micro-op at work */
};

static bool refuse(const struct list_check *x, const char *what) {
    const struct uop *u = &x->list->data[x->at];
    struct str text = {0};
    verify_form_print(&x->form, &text);
    diag_error(x->diag, NO_SPAN, "%s: micro-op %zu (%s in section %u) %s", str_text(&text), x->at,
               u->kind < plane_target(x->t)->op_count ? plane_target(x->t)->ops[u->kind].name : "?",
               u->section, what);
    str_free(&text);
    return false;
}

/* --- places --- */

/* Where it is noted that a scratch or buffer plane was written; NULL if there is no such plane. */
static uint8_t *note_of(const struct list_check *x, uint32_t plane) {
    uint32_t section = PLANE_SECTION(plane), n = PLANE_NUMBER(plane);
    if (section >= plane_target(x->t)->sections)
        return NULL;
    if (PLANE_CLASS(plane) == PLANE_SCRATCH)
        return n < plane_target(x->t)->scratch_rows
                   ? &x->scratch[section * plane_target(x->t)->scratch_rows + n]
                   : NULL;
    return n < BUFFER_NUMBERS ? &x->buffers[section * BUFFER_NUMBERS + n] : NULL;
}

/* The instruction's registers, below its width. */
static bool is_operand_bit(const struct insn_form *f, uint32_t plane, uint32_t fields) {
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

/* The class of rows that scratch row n lies in, or -1. */
static int class_of_scratch(const struct target *t, uint32_t n) {
    for (uint32_t i = 0; i < plane_target(t)->row_class_count; i++) {
        const struct row_class *c = &plane_target(t)->row_classes[i];
        if (n >= c->first_scratch && n - c->first_scratch < c->scratch_rows)
            return (int)i;
    }
    return -1;
}

static int class_of_constant(const struct target *t, uint32_t value) {
    for (uint32_t i = 0; i < plane_target(t)->row_class_count; i++)
        if (plane_target(t)->row_classes[i].value == (int)value)
            return (int)i;
    return -1;
}

/* C, M or valid: a row of the only section, or beside all of them. */
static struct where_place latch_place(const struct target *t, int class) {
    return (struct where_place){class,
                                class < CLASS_BUFFER && plane_target(t)->sections == 1 ? 0 : -1};
}

static struct where_place place_of_plane(const struct list_check *x, uint32_t plane, int here) {
    const struct target *t = x->t;
    switch (PLANE_CLASS(plane)) {
    case PLANE_REGISTER:
        return (struct where_place){(int)plane_target(t)->register_class,
                                    (int)((PLANE_NUMBER(plane) & 63) % plane_target(t)->sections)};
    case PLANE_SCRATCH:
        return (struct where_place){class_of_scratch(t, PLANE_NUMBER(plane)),
                                    (int)PLANE_SECTION(plane)};
    case PLANE_CONST:
        return (struct where_place){class_of_constant(t, PLANE_NUMBER(plane)), here};
    case PLANE_BUFFER:
        return (struct where_place){CLASS_BUFFER, (int)PLANE_SECTION(plane)};
    case PLANE_C:
        return latch_place(t, plane_target(t)->class_of_c);
    case PLANE_M:
        return latch_place(t, plane_target(t)->class_of_m);
    default:
        return latch_place(t, plane_target(t)->class_of_valid);
    }
}

static uint32_t operand(const struct uop *u, unsigned k) {
    return k < u->nsrc ? u->src[k] : u->dst[k - u->nsrc];
}

static bool places_fit(const struct list_check *x, const struct uop *u) {
    struct where_place places[2 * UOP_MAX];
    for (unsigned k = 0; k < u->nsrc + (unsigned)u->ndst; k++)
        places[k] = place_of_plane(x, operand(u, k), u->section);
    return technology_where_holds(plane_target(x->t)->ops[u->kind].where, places, u->section);
}

/* All that `where` can speak of. */
static uint64_t place_code(const struct list_check *x, uint32_t plane) {
    enum plane_class c = PLANE_CLASS(plane);
    uint32_t number = PLANE_NUMBER(plane) & 1;
    if (c == PLANE_REGISTER)
        number = (PLANE_NUMBER(plane) & 63) % plane_target(x->t)->sections;
    else if (c == PLANE_SCRATCH)
        number = (uint32_t)class_of_scratch(x->t, PLANE_NUMBER(plane)) << 6 | PLANE_SECTION(plane);
    else if (c == PLANE_BUFFER)
        number = PLANE_SECTION(plane);
    return (uint64_t)c << 12 | (number & 0xfff);
}

static struct allowed allowed_of(const struct list_check *x, const struct uop *u) {
    struct allowed a = {0, (uint32_t)1 << 31 | (uint32_t)u->kind << 16 | u->section};
    for (unsigned k = 0; k < u->nsrc + (unsigned)u->ndst; k++)
        a.places = a.places << 16 | place_code(x, operand(u, k));
    return a;
}

/* Planes have been checked: constants are 0 or 1. */
static bool may_work(const struct list_check *x, const struct uop *u) {
    if (u->nsrc + (unsigned)u->ndst > ALLOWED_OPERANDS)
        return places_fit(x, u);
    struct allowed a = allowed_of(x, u);
    uint64_t hash = (a.places ^ (uint64_t)a.op << 20) * 0x9e3779b97f4a7c15u;
    struct allowed *known = &x->allowed[hash >> 52];
    if (known->places == a.places && known->op == a.op)
        return true;
    if (!places_fit(x, u))
        return false;
    *known = a;
    return true;
}

/* --- one micro-op --- */

static bool check_shape(const struct list_check *x, const struct uop *u) {
    const struct target_op *op =
        u->kind < plane_target(x->t)->op_count ? &plane_target(x->t)->ops[u->kind] : NULL;
    if (!op)
        return refuse(x, "is none of the target's");
    if (u->nsrc != op->nsrc || u->ndst != op->ndst || u->nsrc > UOP_MAX || u->ndst > UOP_MAX ||
        u->count == 0)
        return refuse(x, "does not have the operands of its op");
    return u->section < plane_target(x->t)->sections || refuse(x, "issues in no section");
}

static bool check_reads(const struct list_check *x, const struct uop *u) {
    for (unsigned k = 0; k < u->nsrc; k++) {
        const char *why = why_not_read(x, u->src[k]);
        if (why)
            return refuse(x, why);
        for (unsigned i = 0; i < u->ndst; i++)
            if (u->src[k] == u->dst[i] && plane_target(x->t)->ops[u->kind].tied[i] != k + 1)
                return refuse(x, "writes one of its own sources");
    }
    return true;
}

/* Destinations are different planes; those that are tied are their sources. */
static bool check_ties(const struct list_check *x, const struct uop *u) {
    const struct target_op *op = &plane_target(x->t)->ops[u->kind];
    for (unsigned k = 0; k < u->ndst; k++) {
        if (op->tied[k] && u->dst[k] != u->src[op->tied[k] - 1])
            return refuse(x, "does not write the place of the source that it replaces");
        for (unsigned i = 0; i < k; i++)
            if (u->dst[i] == u->dst[k])
                return refuse(x, "has two results in one place");
    }
    return true;
}

static uint32_t fixed_plane(const struct list_check *x, uint32_t class, uint32_t section) {
    const struct row_class *c = &plane_target(x->t)->row_classes[class];
    return c->value >= 0 ? PLANE(PLANE_CONST, 0, c->value)
                         : PLANE(PLANE_SCRATCH, section, c->first_scratch);
}

static bool check_fixed(const struct list_check *x, const struct uop *u) {
    const struct target_op *op = &plane_target(x->t)->ops[u->kind];
    for (unsigned k = 0; k < u->nsrc + (unsigned)u->ndst; k++)
        if (op->fixed[k] && operand(u, k) != fixed_plane(x, op->fixed[k] - 1u, u->section))
            return refuse(x, "does not have the row that it always has");
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
    /* Merging by select writes every lane; the values show whether it merged. */
    bool predicated =
        visible && form_is_predicated(&x->form) && plane_target(x->t)->mask_by != MASK_SELECT;
    uint32_t wanted = predicated ? PLANE(PLANE_M, 0, 0) : PLANE(PLANE_NONE, 0, 0);
    if (u->predicate == wanted)
        return true;
    return refuse(x, PLANE_CLASS(wanted) == PLANE_M ? "changes lanes where M is 0"
                                                    : "is predicated for no reason");
}

/* An op that keeps a part of what was there needs it written, or set by its preset. */
static bool check_old(const struct list_check *x, const struct uop *u) {
    const struct target_op *op = &plane_target(x->t)->ops[u->kind];
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

static bool has_latch(const struct list_check *x, const uint32_t *planes, unsigned count) {
    uint32_t n = plane_target(x->t)->row_classes[plane_target(x->t)->mask_latch].first_scratch;
    for (unsigned k = 0; k < count; k++)
        if (PLANE_CLASS(planes[k]) == PLANE_SCRATCH && PLANE_NUMBER(planes[k]) == n)
            return true;
    return false;
}

static bool reads_mask(const struct uop *u) {
    for (unsigned k = 0; k < u->nsrc; k++)
        if (u->src[k] == PLANE(PLANE_M, 0, 0))
            return true;
    return false;
}

/* Where a latch holds the mask: what goes into it is cut by M at once, and nothing visible is
 * written by what does not look at the latch while it holds something else. */
static bool check_latch(struct list_check *x, const struct uop *u) {
    const struct target *t = x->t;
    const struct uop *next = x->at + 1 < x->list->len ? u + 1 : NULL;
    if (plane_target(t)->mask_by != MASK_LATCH || !form_is_predicated(&x->form))
        return true;
    if (!x->latch_is_mask && PLANE_CLASS(u->predicate) != PLANE_NONE &&
        !has_latch(x, u->src, u->nsrc))
        return refuse(x, "writes under a mask that the latch does not hold");
    if (!has_latch(x, u->dst, u->ndst))
        return true;
    if (u->kind + 1u == plane_target(t)->mask_and) { /* no lane comes in */
        x->latch_is_mask &= reads_mask(u);
        return true;
    }
    x->latch_is_mask = u->kind + 1u == plane_target(t)->mask_load && reads_mask(u);
    if (x->latch_is_mask ||
        (next && next->kind + 1u == plane_target(t)->mask_and && reads_mask(next)))
        return true;
    return refuse(x, "writes the mask's latch without the mask");
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
    if (!check_reads(x, u) || !check_ties(x, u) || !check_fixed(x, u) || !check_writes(x, u))
        return false;
    if (!may_work(x, u))
        return refuse(x, "may not work on these places ('where')");
    note_writes(x, u);
    return true;
}

static bool check_one(struct list_check *x, const struct uop *whole) {
    if (!check_shape(x, whole) || !check_forwarding(x, whole) || !check_old(x, whole) ||
        !check_latch(x, whole))
        return false;
    if (whole->count == 1)
        return check_places(x, whole);
    for (uint32_t i = 0; i < whole->count; i++) {
        struct uop u = plane_uop_at(whole, i);
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
    if (recipe_timing_schedule(x->t, x->list->data, x->list->len, &start, 1, &profile, NULL,
                               &error))
        return true;
    verify_form_print(&x->form, &text);
    diag_error(x->diag, NO_SPAN, "%s: %s", str_text(&text), error);
    str_free(&text);
    return false;
}

static bool check_list(struct list_check *x) {
    for (x->at = 0; x->at < x->list->len; x->at++)
        if (!check_one(x, &x->list->data[x->at]))
            return false;
    x->at -= x->at > 0;
    return x->latch_is_mask || refuse(x, "leaves something else than the mask in its latch");
}

bool verify_list(const struct target *t, const struct insn *insn, bool masked,
                 const struct uop_list *list, bool timed, struct diag *d) {
    struct list_check x = {.t = t, .list = list, .diag = d, .latch_is_mask = true};
    verify_form_fill(&x.form, insn, masked);
    x.scratch = xcalloc((size_t)plane_target(t)->sections * plane_target(t)->scratch_rows + 1, 1);
    x.buffers = xcalloc((size_t)plane_target(t)->sections * BUFFER_NUMBERS + 1, 1);
    x.copied = xcalloc(list->len + 1, 1);
    x.allowed = xcalloc(ALLOWED_SLOTS, sizeof *x.allowed);
    bool good = check_list(&x) && (!timed || check_time(&x));
    free(x.scratch);
    free(x.buffers);
    free(x.copied);
    free(x.allowed);
    return good;
}
