/* SPDX-License-Identifier: MIT
 * What can be said of a list of micro-ops without running it. */
#include "machines/plane/run/translate.h"
#include "machines/plane/verify/verify.h"
#include "machines/verify/matrix.h"
#include "recipe/technology/where.h"
#include "recipe/set/words.h"
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

/* What is noted of a scratch or buffer plane. */
enum { WRITTEN = 1, HOLDS_M = 2, HOLDS_NOT_M = 4 };

struct list_check {
    const struct target *t;
    struct insn_form form;
    const struct uop_list *list;
    struct diag *diag;
    uint8_t *scratch;        /* [section][row]: WRITTEN .. */
    uint8_t *buffers;        /* [section][BUFFER_NUMBERS] */
    uint8_t *copied;         /* [micro-op]: some other one is forwarded from it */
    struct allowed *allowed; /* [ALLOWED_SLOTS] */
    bool latch_is_mask;      /* mask by latch: it holds M */
    size_t at;               /* micro-op at work */
};

static bool refuse(const struct list_check *check, const char *what) {
    const struct uop *u = &check->list->data[check->at];
    struct str text = {0};
    verify_form_print(&check->form, &text);
    diag_error(
        check->diag, NO_SPAN, "%s: micro-op %zu (%s in section %u) %s", str_text(&text), check->at,
        u->kind < plane_target(check->t)->op_count ? plane_target(check->t)->ops[u->kind].name
                                                   : "?",
        u->section, what);
    str_free(&text);
    return false;
}

/* --- places --- */

/* Where it is noted that a scratch or buffer plane was written; NULL if there is no such plane. */
static uint8_t *note_of(const struct list_check *check, uint32_t plane) {
    uint32_t section = PLANE_SECTION(plane), n = PLANE_NUMBER(plane);
    if (section >= plane_target(check->t)->sections)
        return NULL;
    if (PLANE_CLASS(plane) == PLANE_SCRATCH)
        return n < plane_target(check->t)->scratch_rows
                   ? &check->scratch[section * plane_target(check->t)->scratch_rows + n]
                   : NULL;
    return n < BUFFER_NUMBERS ? &check->buffers[section * BUFFER_NUMBERS + n] : NULL;
}

/* The instruction's registers, below its width; rs and rt below their own, where they are read. */
static bool is_operand_bit(const struct insn_form *form, uint32_t plane, uint32_t fields) {
    static const uint32_t flags[3] = {READS_RS | WRITES_RS, READS_RT | WRITES_RT,
                                      READS_RD | WRITES_RD};
    const uint8_t regs[3] = {form->insn.rs, form->insn.rt, form->insn.rd};
    unsigned reg = PLANE_NUMBER(plane) >> 6, bit = PLANE_NUMBER(plane) & 63;
    for (unsigned k = 0; k < 3; k++) {
        unsigned bits = form->w;
        if (fields & READS_RS && k == 0 && form->rs_width > bits)
            bits = form->rs_width;
        if (fields & READS_RT && k == 1 && form->rt_width > bits)
            bits = form->rt_width;
        if (form->info->flags & flags[k] & fields && regs[k] == reg && bit < bits)
            return true;
    }
    return false;
}

#define ALL_READS  (READS_RS | READS_RT | READS_RD)
#define ALL_WRITES (WRITES_RS | WRITES_RT | WRITES_RD)

static const char *why_not_read(const struct list_check *check, uint32_t plane) {
    const uint8_t *note;
    switch (PLANE_CLASS(plane)) {
    case PLANE_REGISTER:
        return is_operand_bit(&check->form, plane, ALL_READS | ALL_WRITES)
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
        note = note_of(check, plane);
        return !note   ? "reads a plane that the target does not have"
               : *note ? NULL
                       : "reads a scratch or buffer plane that was not written";
    default:
        return "reads no plane";
    }
}

static const char *why_not_write(const struct list_check *check, uint32_t plane) {
    uint32_t flags = check->form.info->flags;
    switch (PLANE_CLASS(plane)) {
    case PLANE_REGISTER:
        return is_operand_bit(&check->form, plane, ALL_WRITES)
                   ? NULL
                   : "writes a register bit that must not change";
    case PLANE_C:
        return flags & WRITES_C ? NULL : "writes C";
    case PLANE_M:
        return flags & WRITES_M ? NULL : "writes M";
    case PLANE_SCRATCH:
    case PLANE_BUFFER:
        return note_of(check, plane) ? NULL : "writes a plane that the target does not have";
    default:
        return "writes a plane that is read only";
    }
}

/* --- `where` --- */

/* The class of rows that scratch row n lies in, or -1. */
static int class_of_scratch(const struct target *target, uint32_t n) {
    for (uint32_t i = 0; i < plane_target(target)->row_class_count; i++) {
        const struct row_class *c = &plane_target(target)->row_classes[i];
        if (n >= c->first_scratch && n - c->first_scratch < c->scratch_rows)
            return (int)i;
    }
    return -1;
}

static int class_of_constant(const struct target *target, uint32_t value) {
    for (uint32_t i = 0; i < plane_target(target)->row_class_count; i++)
        if (plane_target(target)->row_classes[i].value == (int)value)
            return (int)i;
    return -1;
}

/* C, M or valid: a row of the first section, or beside all of them. */
static struct where_place latch_place(int class) {
    return (struct where_place){class, class < CLASS_BUFFER ? 0 : -1};
}

static struct where_place place_of_plane(const struct list_check *check, uint32_t plane, int here) {
    const struct target *t = check->t;
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
        return latch_place(plane_target(t)->class_of_c);
    case PLANE_M:
        return latch_place(plane_target(t)->class_of_m);
    default:
        return latch_place(plane_target(t)->class_of_valid);
    }
}

static uint32_t operand(const struct uop *uop, unsigned index) {
    return index < uop->nsrc ? uop->src[index] : uop->dst[index - uop->nsrc];
}

static bool places_fit(const struct list_check *check, const struct uop *uop) {
    struct where_place places[2 * UOP_MAX];
    for (unsigned k = 0; k < uop->nsrc + (unsigned)uop->ndst; k++)
        places[k] = place_of_plane(check, operand(uop, k), uop->section);
    return technology_where_holds(plane_target(check->t)->ops[uop->kind].where, places,
                                  uop->section);
}

/* All that `where` can speak of. */
static uint64_t place_code(const struct list_check *check, uint32_t plane) {
    enum plane_class c = PLANE_CLASS(plane);
    uint32_t number = PLANE_NUMBER(plane) & 1;
    if (c == PLANE_REGISTER)
        number = (PLANE_NUMBER(plane) & 63) % plane_target(check->t)->sections;
    else if (c == PLANE_SCRATCH)
        number =
            (uint32_t)class_of_scratch(check->t, PLANE_NUMBER(plane)) << 6 | PLANE_SECTION(plane);
    else if (c == PLANE_BUFFER)
        number = PLANE_SECTION(plane);
    return (uint64_t)c << 12 | (number & 0xfff);
}

static struct allowed allowed_of(const struct list_check *check, const struct uop *uop) {
    struct allowed a = {0, (uint32_t)1 << 31 | (uint32_t)uop->kind << 16 | uop->section};
    for (unsigned k = 0; k < uop->nsrc + (unsigned)uop->ndst; k++)
        a.places = a.places << 16 | place_code(check, operand(uop, k));
    return a;
}

/* Planes have been checked: constants are 0 or 1. */
static bool may_work(const struct list_check *check, const struct uop *uop) {
    if (uop->nsrc + (unsigned)uop->ndst > ALLOWED_OPERANDS)
        return places_fit(check, uop);
    struct allowed a = allowed_of(check, uop);
    uint64_t hash = (a.places ^ (uint64_t)a.op << 20) * 0x9e3779b97f4a7c15u;
    struct allowed *known = &check->allowed[hash >> 52];
    if (known->places == a.places && known->op == a.op)
        return true;
    if (!places_fit(check, uop))
        return false;
    *known = a;
    return true;
}

/* --- one micro-op --- */

static bool check_shape(const struct list_check *check, const struct uop *uop) {
    const struct target_op *op = uop->kind < plane_target(check->t)->op_count
                                     ? &plane_target(check->t)->ops[uop->kind]
                                     : NULL;
    if (!op)
        return refuse(check, "is none of the target's");
    if (uop->nsrc != op->nsrc || uop->ndst != op->ndst || uop->nsrc > UOP_MAX ||
        uop->ndst > UOP_MAX)
        return refuse(check, "does not have the operands of its op");
    return uop->section < plane_target(check->t)->sections || refuse(check, "issues in no section");
}

static bool check_reads(const struct list_check *check, const struct uop *uop) {
    for (unsigned k = 0; k < uop->nsrc; k++) {
        const char *why = why_not_read(check, uop->src[k]);
        if (why)
            return refuse(check, why);
        for (unsigned i = 0; i < uop->ndst; i++)
            if (uop->src[k] == uop->dst[i] &&
                plane_target(check->t)->ops[uop->kind].tied[i] != k + 1)
                return refuse(check, "writes one of its own sources");
    }
    return true;
}

/* Destinations are different planes; those that are tied are their sources. */
static bool check_ties(const struct list_check *check, const struct uop *uop) {
    const struct target_op *op = &plane_target(check->t)->ops[uop->kind];
    for (unsigned k = 0; k < uop->ndst; k++) {
        if (op->tied[k] && uop->dst[k] != uop->src[op->tied[k] - 1])
            return refuse(check, "does not write the place of the source that it replaces");
        for (unsigned i = 0; i < k; i++)
            if (uop->dst[i] == uop->dst[k])
                return refuse(check, "has two results in one place");
    }
    return true;
}

static uint32_t fixed_plane(const struct list_check *check, uint32_t class, uint32_t section) {
    const struct row_class *c = &plane_target(check->t)->row_classes[class];
    return c->value >= 0 ? PLANE(PLANE_CONST, 0, c->value)
                         : PLANE(PLANE_SCRATCH, section, c->first_scratch);
}

static bool check_fixed(const struct list_check *check, const struct uop *uop) {
    const struct target_op *op = &plane_target(check->t)->ops[uop->kind];
    for (unsigned k = 0; k < uop->nsrc + (unsigned)uop->ndst; k++)
        if (op->fixed[k] && operand(uop, k) != fixed_plane(check, op->fixed[k] - 1u, uop->section))
            return refuse(check, "does not have the row that it always has");
    return true;
}

static bool check_writes(const struct list_check *check, const struct uop *uop) {
    bool visible = false;
    for (unsigned k = 0; k < uop->ndst; k++) {
        const char *why = why_not_write(check, uop->dst[k]);
        if (why)
            return refuse(check, why);
        visible |= !plane_is_local(uop->dst[k]);
    }
    /* Merging by select writes every lane; the values show whether it merged. */
    bool predicated = visible && form_is_predicated(&check->form) &&
                      plane_target(check->t)->mask_by != MASK_SELECT;
    uint32_t wanted = predicated ? PLANE(PLANE_M, 0, 0) : PLANE(PLANE_NONE, 0, 0);
    if (uop->predicate == wanted)
        return true;
    return refuse(check, PLANE_CLASS(wanted) == PLANE_M ? "changes lanes where M is 0"
                                                        : "is predicated for no reason");
}

/* How far before an op what presets its results may stand: where sections can be joined, the laps
 * of all of them come between. */
#define MOST_BETWEEN 4096

static bool writes(const struct uop *uop, uint32_t plane) {
    bool found = false;
    for (unsigned k = 0; k < uop->ndst; k++)
        found |= uop->dst[k] == plane;
    return found;
}

/* Is what result k finds in its place what its preset has put there? */
static bool is_set_before(const struct list_check *check, const struct uop *uop, unsigned k) {
    const struct target_op *op = &plane_target(check->t)->ops[uop->kind];
    for (size_t i = 1; i <= check->at && i <= MOST_BETWEEN; i++) {
        const struct uop *before = &check->list->data[check->at - i];
        if (writes(before, uop->dst[k]))
            return before->kind == op->preset - 1 &&
                   (plane_is_local(uop->dst[k]) || before->predicate == uop->predicate);
    }
    return false;
}

/* An op that keeps a part of what was there needs it written, or set by its preset. */
static bool check_old(const struct list_check *check, const struct uop *uop) {
    const struct target_op *op = &plane_target(check->t)->ops[uop->kind];
    for (unsigned k = 0; k < uop->ndst; k++) {
        if (plane_op_presets(op, k) && !is_set_before(check, uop, k))
            return refuse(check, "does not find its destination set by its preset");
        if (plane_op_uses_old(op, k) && plane_is_local(uop->dst[k]) &&
            !*note_of(check, uop->dst[k]))
            return refuse(check, "keeps a scratch or buffer plane that was not written");
    }
    return true;
}

static bool has_latch(const struct list_check *check, const uint32_t *planes, unsigned count) {
    uint32_t n =
        plane_target(check->t)->row_classes[plane_target(check->t)->mask_latch].first_scratch;
    for (unsigned k = 0; k < count; k++)
        if (PLANE_CLASS(planes[k]) == PLANE_SCRATCH && PLANE_NUMBER(planes[k]) == n)
            return true;
    return false;
}

/* HOLDS_M, HOLDS_NOT_M or 0. */
static uint8_t mask_in(const struct list_check *check, uint32_t plane) {
    if (!plane_is_local(plane))
        return plane == PLANE(PLANE_M, 0, 0) ? HOLDS_M : 0;
    const uint8_t *note = note_of(check, plane);
    return note ? *note & (HOLDS_M | HOLDS_NOT_M) : 0;
}

static bool reads_mask(const struct list_check *check, const struct uop *uop) {
    for (unsigned k = 0; k < uop->nsrc; k++)
        if (mask_in(check, uop->src[k]) == HOLDS_M)
            return true;
    return false;
}

/* What the op's one result is where all that it reads is M, or all of it !M. */
static uint8_t mask_made(const struct list_check *check, const struct uop *uop) {
    const struct target_op *op = &plane_target(check->t)->ops[uop->kind];
    uint8_t held = uop->nsrc ? mask_in(check, uop->src[0]) : 0;
    for (unsigned k = 1; k < uop->nsrc; k++)
        held &= mask_in(check, uop->src[k]);
    if (uop->ndst != 1 || op->reads_old || !held)
        return 0;
    bool low = op->truth[0] & 1, high = op->truth[0] >> ((1u << uop->nsrc) - 1) & 1;
    return low == high ? 0 : high ? held : held ^ (HOLDS_M | HOLDS_NOT_M);
}

/* Where a latch holds the mask: what goes into it is cut by M at once, and nothing visible is
 * written by what does not look at the latch while it holds something else. */
static bool check_latch(struct list_check *check, const struct uop *uop) {
    const struct target *t = check->t;
    const struct uop *next = check->at + 1 < check->list->len ? uop + 1 : NULL;
    if (plane_target(t)->mask_by != MASK_LATCH || !form_is_predicated(&check->form))
        return true;
    if (!check->latch_is_mask && PLANE_CLASS(uop->predicate) != PLANE_NONE &&
        !has_latch(check, uop->src, uop->nsrc))
        return refuse(check, "writes under a mask that the latch does not hold");
    if (!has_latch(check, uop->dst, uop->ndst))
        return true;
    if (uop->kind + 1u == plane_target(t)->mask_and) { /* no lane comes in */
        check->latch_is_mask &= reads_mask(check, uop);
        return true;
    }
    check->latch_is_mask = uop->kind + 1u == plane_target(t)->mask_load && reads_mask(check, uop);
    if (check->latch_is_mask ||
        (next && next->kind + 1u == plane_target(t)->mask_and && reads_mask(check, next)))
        return true;
    return refuse(check, "writes the mask's latch without the mask");
}

static void note_writes(const struct list_check *check, const struct uop *uop) {
    uint8_t mask = mask_made(check, uop);
    for (unsigned k = 0; k < uop->ndst; k++)
        if (plane_is_local(uop->dst[k]))
            *note_of(check, uop->dst[k]) = WRITTEN | mask;
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

/* A word has one step from each of its micro-ops to the next. */
static bool check_word(const struct list_check *check, const struct uop *uop) {
    unsigned step, before;
    if (uop->forwarded > 1 || check->at == 0)
        return refuse(check, "is of one word with another one than that before");
    if (!(step = recipe_word_step(check->t, uop - 1, uop)))
        return refuse(check, "is of one word with one that works in its sections or rows, or in "
                             "others than it may");
    before = uop[-1].forwarded ? recipe_word_step(check->t, uop - 2, uop - 1) : step;
    return before == step || refuse(check, "lies another step on than the rest of its word");
}

static bool check_forwarding(const struct list_check *check, const struct uop *uop) {
    if ((uop->pipelined != 0) != (uop->forwarded != 0))
        return refuse(check, "is half forwarded");
    if (!uop->forwarded)
        return true;
    if (plane_target(check->t)->partitioned)
        return check_word(check, uop);
    if (uop->forwarded > check->at)
        return refuse(check, "is forwarded from before the list");
    size_t from = check->at - uop->forwarded;
    if (check->copied[from]++ || !is_counterpart(&check->list->data[from], uop))
        return refuse(check, "is forwarded from another one");
    return true;
}

/* --- the list --- */

static bool check_places(const struct list_check *check, const struct uop *uop) {
    if (!check_reads(check, uop) || !check_ties(check, uop) || !check_fixed(check, uop) ||
        !check_writes(check, uop))
        return false;
    if (!may_work(check, uop))
        return refuse(check, "may not work on these places ('where')");
    note_writes(check, uop);
    return true;
}

static bool check_one(struct list_check *check, const struct uop *uop) {
    return check_shape(check, uop) && check_forwarding(check, uop) && check_old(check, uop) &&
           check_latch(check, uop) && check_places(check, uop);
}

static bool check_time(const struct list_check *check) {
    static const uint32_t start = 0;
    struct timing_profile profile;
    const char *error = NULL;
    struct str text = {0};
    if (recipe_timing_schedule(check->t, check->list->data, check->list->len, &start, 1, &profile,
                               NULL, &error))
        return true;
    verify_form_print(&check->form, &text);
    diag_error(check->diag, NO_SPAN, "%s: %s", str_text(&text), error);
    str_free(&text);
    return false;
}

static bool check_list(struct list_check *check) {
    for (check->at = 0; check->at < check->list->len; check->at++)
        if (!check_one(check, &check->list->data[check->at]))
            return false;
    check->at -= check->at > 0;
    return check->latch_is_mask ||
           refuse(check, "leaves something else than the mask in its latch");
}

bool verify_list(const struct target *target, const struct insn *insn, bool masked,
                 const struct uop_list *list, bool timed, struct diag *diag) {
    struct list_check x = {.t = target, .list = list, .diag = diag, .latch_is_mask = true};
    verify_form_fill(&x.form, insn, masked);
    x.scratch =
        xcalloc((size_t)plane_target(target)->sections * plane_target(target)->scratch_rows + 1, 1);
    x.buffers = xcalloc((size_t)plane_target(target)->sections * BUFFER_NUMBERS + 1, 1);
    x.copied = xcalloc(list->len + 1, 1);
    x.allowed = xcalloc(ALLOWED_SLOTS, sizeof *x.allowed);
    bool good = check_list(&x) && (!timed || check_time(&x));
    free(x.scratch);
    free(x.buffers);
    free(x.copied);
    free(x.allowed);
    return good;
}
