/* SPDX-License-Identifier: MIT
 * What integers can be, whatever the elements are. */
#include "stage/checker.h"

#include "support/bits.h"

struct stage_range stage_type_range(struct lane_type type) {
    if (object_type_is_float(type) || type.bits == 0 || (type.kind != TYPE_INT && type.bits > 63))
        return (struct stage_range){.known = false};
    if (type.kind == TYPE_INT)
        return (struct stage_range){true, -(int64_t)(low_bits(type.bits - 1)) - 1,
                                    (int64_t)low_bits(type.bits - 1)};
    return (struct stage_range){true, 0, (int64_t)low_bits(type.bits)};
}

static struct stage_range between(int64_t left, int64_t right) {
    return left < right ? (struct stage_range){true, left, right}
                        : (struct stage_range){true, right, left};
}

static void widen(struct stage_range *r, int64_t value) {
    r->least = value < r->least ? value : r->least;
    r->most = value > r->most ? value : r->most;
}

/* Sums and products: of the ends, if none of them overflows. */
static struct stage_range of_ends(enum stage_op op, struct stage_range l, struct stage_range r) {
    int64_t ends[4], left[] = {l.least, l.most}, right[] = {r.least, r.most};
    bool over = false;
    for (unsigned i = 0; i < 4; i++) {
        int64_t x = left[i / 2], y = right[i % 2];
        over |= op == STAGE_ADD   ? __builtin_add_overflow(x, y, &ends[i])
                : op == STAGE_SUB ? __builtin_sub_overflow(x, y, &ends[i])
                                  : __builtin_mul_overflow(x, y, &ends[i]);
    }
    struct stage_range all = between(ends[0], ends[1]);
    widen(&all, ends[2]);
    widen(&all, ends[3]);
    all.known = !over;
    return all;
}

static struct stage_range binary_range(const struct stage_expr *e) {
    struct stage_range l = e->args[0]->range, r = e->args[1]->range;
    struct stage_range none = {.known = false};
    bool constant = r.known && r.least == r.most;
    switch (e->op) {
    case STAGE_ADD:
    case STAGE_SUB:
    case STAGE_MUL:
        return l.known && r.known ? of_ends(e->op, l, r) : none;
    case STAGE_AND: /* a mask that is not negative leaves no more than it has */
        if (r.known && r.least >= 0)
            return between(0, l.known && l.least >= 0 && l.most < r.most ? l.most : r.most);
        return l.known && l.least >= 0 ? between(0, l.most) : none;
    case STAGE_REM:
        return constant && r.most > 0 && l.known
                   ? between(l.least < 0 ? 1 - r.most : 0,
                             l.most < r.most ? (l.most < 0 ? 0 : l.most) : r.most - 1)
                   : none;
    case STAGE_SHR:
        return constant && r.least >= 0 && r.least < 63 && l.known && l.least >= 0
                   ? between(l.least >> r.least, l.most >> r.least)
                   : none;
    case STAGE_MIN:
        return l.known && r.known
                   ? (struct stage_range){true, l.least < r.least ? l.least : r.least,
                                          l.most < r.most ? l.most : r.most}
                   : none;
    case STAGE_MAX:
        return l.known && r.known
                   ? (struct stage_range){true, l.least > r.least ? l.least : r.least,
                                          l.most > r.most ? l.most : r.most}
                   : none;
    default:
        return none;
    }
}

static struct stage_range inner_range(const struct stage_expr *e) {
    struct stage_range r = {.known = false};
    switch (e->kind) {
    case STAGE_NUMBER:
        r = between((int64_t)e->value, (int64_t)e->value);
        r.known = e->type.kind == TYPE_INT || e->value <= INT64_MAX;
        return r;
    case STAGE_NAME:
        return e->of && e->of->counts ? e->of->range : r;
    case STAGE_BINARY:
        return binary_range(e);
    case STAGE_CAST:
        return stage_is_integer(e->args[0]->type) ? e->args[0]->range : r;
    case STAGE_CHOICE:
        r = e->args[1]->range;
        if (r.known && e->args[2]->range.known) {
            widen(&r, e->args[2]->range.least);
            widen(&r, e->args[2]->range.most);
        }
        r.known &= e->args[2]->range.known;
        return r;
    default:
        return r;
    }
}

void stage_set_range(struct stage_expr *e) {
    struct stage_range type = stage_type_range(e->type), own = inner_range(e);
    if (object_type_is_float(e->type)) {
        e->range.known = false;
        return;
    }
    bool within = type.known ? own.least >= type.least && own.most <= type.most : own.least >= 0;
    e->range = own.known && within ? own : type;
}
