/* SPDX-License-Identifier: MIT
 * What is known of values once all are there: uses, wanted bits, stores that are none. */
#include "machines/core/scalar/ir.h"

static void visit(struct scalar_body *b, const struct scalar_value *v,
                  void (*f)(struct scalar_body *, const struct scalar_value *, scalar_id,
                            unsigned)) {
    scalar_id operands[] = {v->a, v->b, v->d, v->guard};
    for (unsigned i = 0; i < 4; i++)
        if (operands[i])
            f(b, v, operands[i], i);
}

static void use(struct scalar_body *b, const struct scalar_value *v, scalar_id id, unsigned which) {
    (void)v, (void)which;
    b->values.data[id - 1].uses++;
}
static void unuse(struct scalar_body *b, const struct scalar_value *v, scalar_id id,
                  unsigned which) {
    (void)v, (void)which;
    struct scalar_value *x = &b->values.data[id - 1];
    if (--x->uses == 0)
        visit(b, x, unuse);
}

/* How many low bits of operand `which` (0: a, 1: b, 2: d) decide the low `wanted` bits of v. */
static unsigned wants(const struct scalar_value *v, unsigned which) {
    unsigned all = 64, w = v->wanted;
    switch (v->op) {
    case SCALAR_STORE:
    case SCALAR_PUT:
        return which == 1 ? 8u * v->bytes : all;
    case SCALAR_SELECT:
        return which == 0 ? all : w;
    case SCALAR_SCALED:
    case SCALAR_ADD:
    case SCALAR_SUB:
    case SCALAR_MUL:
    case SCALAR_AND:
    case SCALAR_OR:
    case SCALAR_XOR:
    case SCALAR_NOT:
    case SCALAR_SHL:
    case SCALAR_LOW:
        return w;
    case SCALAR_SHR:
        return w + v->k < all ? w + (unsigned)v->k : all;
    case SCALAR_PAIR:
        return which == 0 ? w : w > 32 ? w - 32 : 1;
    case SCALAR_ZERO_EXTEND:
    case SCALAR_SIGN_EXTEND:
        return v->k < w ? (unsigned)v->k : w;
    default:
        return all;
    }
}
static void want(struct scalar_body *b, const struct scalar_value *v, scalar_id id,
                 unsigned which) {
    struct scalar_value *x = &b->values.data[id - 1];
    unsigned w = which == 3 ? 64 : wants(v, which), room = x->wide ? 64 : 32;
    w = w < room ? w : room;
    if (w > x->wanted)
        x->wanted = (uint8_t)w;
}

static bool loads(const struct scalar_body *b, scalar_id id, const struct scalar_value *store) {
    const struct scalar_value *v = scalar_at(b, id);
    return v->op == SCALAR_LOAD && v->array == store->array && v->bytes == store->bytes &&
           v->element == store->element;
}
/* In the order of the values, since a store that falls frees what it alone used. */
static void simplify_store(struct scalar_body *b, struct scalar_value *s) {
    const struct scalar_value *v = scalar_at(b, s->b);
    if (!s->a && v->op == SCALAR_SELECT && v->uses == 1 && loads(b, v->d, s)) {
        scalar_id mask = v->a, yes = v->b, select = s->b;
        s->a = mask;
        s->b = yes;
        use(b, s, mask, 0);
        use(b, s, yes, 1);
        unuse(b, s, select, 1);
    } else if (loads(b, s->b, s)) {
        unuse(b, s, s->b, 1);
        s->bytes = 0;
    }
}

void scalar_finish(struct scalar_body *b) {
    for (size_t i = 0; i < b->values.len; i++)
        b->values.data[i].uses = b->values.data[i].wanted = 0;
    for (size_t i = b->values.len; i-- > 0;) {
        struct scalar_value *v = &b->values.data[i];
        if (scalar_is_live(v))
            visit(b, v, use);
    }
    for (size_t i = 0; i < b->values.len; i++)
        if (b->values.data[i].op == SCALAR_STORE && b->values.data[i].bytes)
            simplify_store(b, &b->values.data[i]);
    for (size_t i = b->values.len; i-- > 0;) {
        struct scalar_value *v = &b->values.data[i];
        if (scalar_is_live(v))
            visit(b, v, want);
    }
}
