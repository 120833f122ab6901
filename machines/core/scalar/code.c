/* SPDX-License-Identifier: MIT
 * Patterns into text, and registers for values, in one scan. */
#include "machines/core/scalar/code.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE UINT8_MAX
#define NEVER   UINT32_MAX

/* A value while code is made. */
struct life {
    uint8_t reg; /* the first of its registers */
    bool spilled;
    uint32_t slot;
    uint32_t first, end, next; /* its uses, and the first of them that is still to come */
};
struct emitter {
    const struct scalar_core *core;
    struct scalar_body *b;
    const struct scalar_places *places;
    struct str *out;
    struct scalar_code *about;
    struct life *lives;  /* [id] */
    uint32_t *uses;      /* positions */
    scalar_id *order;    /* values by position */
    uint32_t *calls;     /* [position]: registers that one changes there */
    uint32_t *next_call; /* [position]: the first call at or behind it */
    uint32_t count, at;
    scalar_id owner[SCALAR_MOST_REGISTERS];
    uint32_t locked; /* bits of registers */
    VEC(uint32_t) free_slots;
};

static const struct scalar_value *val(const struct emitter *e, scalar_id id) {
    return scalar_at(e->b, id);
}
static bool is_const(const struct emitter *e, scalar_id id) {
    return val(e, id)->op == SCALAR_CONST;
}

/* ---- patterns ---- */

static bool fits_immediate(uint64_t k, bool wide, unsigned bits) {
    if (bits >= (wide ? 64u : 32u))
        return true;
    int64_t s = sign_extend(k, wide ? 64 : 32);
    return bits && s >= -(INT64_C(1) << (bits - 1)) && s < INT64_C(1) << (bits - 1);
}
static bool operand_wide(const struct emitter *e, const struct scalar_value *v) {
    switch (v->op) {
    case SCALAR_STORE:
        return val(e, v->b)->wide;
    case SCALAR_EQ:
    case SCALAR_NE:
    case SCALAR_LTU:
    case SCALAR_GEU:
    case SCALAR_LTS:
    case SCALAR_GES:
        return val(e, v->a)->wide;
    default:
        return v->wide;
    }
}
static bool fits(const struct emitter *e, const struct scalar_pattern *p,
                 const struct scalar_value *v) {
    if (p->op != v->op || p->wide != operand_wide(e, v) || (p->bytes && p->bytes != v->bytes) ||
        (p->wanted && v->wanted > p->wanted) || (p->most && (v->k < p->least || v->k > p->most)))
        return false;
    if (p->known && (val(e, v->a)->known > p->known || (v->b && val(e, v->b)->known > p->known)))
        return false;
    return !p->known_b || val(e, v->b)->known <= p->known_b;
}
static const struct scalar_pattern *pattern_of(const struct emitter *e, scalar_id id) {
    for (size_t i = 0; i < e->core->count; i++)
        if (fits(e, &e->core->patterns[i], val(e, id)))
            return &e->core->patterns[i];
    return NULL;
}
/* Whether operand b, or a, of the pattern is written as a constant. */
static bool b_immediate(const struct emitter *e, const struct scalar_pattern *p, scalar_id b) {
    return b && is_const(e, b) && fits_immediate(val(e, b)->k, val(e, b)->wide, p->immediate);
}
static bool a_zero(const struct emitter *e, const struct scalar_pattern *p, scalar_id a) {
    return a && p->zero_a && is_const(e, a) && val(e, a)->k == 0;
}

/* ---- text ---- */

/* What stands for %a and the others; registers by number, NOWHERE: a constant. */
struct names {
    uint8_t c, a, b, temporary[2];
    uint64_t a_k, b_k, k;
    uint32_t label;
    const char *p;
    uint32_t o;
    const char *routine;
};

static unsigned half_register(const struct emitter *e, unsigned reg, char which) {
    return (which == 'l') == e->core->low_first ? reg : reg + 1;
}
static void put_number(struct str *out, uint32_t k) {
    str_printf(out, "%" PRId32, (int32_t)k);
}
/* The operand at `s`, behind its letter; returns what is read of the text. */
static size_t put_operand(const struct emitter *e, struct str *out, const char *s, uint8_t reg,
                          uint64_t k, bool zero_name) {
    if (*s == 'p') {
        str_append(out, e->core->pairs[reg]);
        return 1;
    }
    bool half = *s == 'l' || *s == 'h';
    uint32_t word = (uint32_t)(*s == 'h' ? k >> 32 : k);
    if (reg != NOWHERE)
        str_append(out, e->core->names[half ? half_register(e, reg, *s) : reg]);
    else if (zero_name && word == 0)
        str_append(out, e->core->zero);
    else
        put_number(out, word);
    return half;
}
/* The letter at `s`; returns how many letters are read. */
static size_t put_letter(const struct emitter *e, struct str *out, const char *s,
                         const struct names *n) {
    switch (*s) {
    case 'c':
    case 'C':
        return 1 + put_operand(e, out, s + 1, n->c, 0, false);
    case 'a':
    case 'A':
        return 1 + put_operand(e, out, s + 1, n->a, n->a_k, true);
    case 'b':
    case 'B':
        return 1 + put_operand(e, out, s + 1, n->b, n->b_k, false);
    case 'k':
        str_u64(out, n->k & 31);
        break;
    case 'j':
        str_u64(out, (32 - n->k) & 31);
        break;
    case 'm':
        put_number(out, (uint32_t)low_bits(n->k & 31));
        break;
    case 't':
    case 'u':
        str_append(out, e->core->names[n->temporary[*s == 'u']]);
        break;
    case 'L':
        str_printf(out, ".L%" PRIu32, n->label);
        break;
    case 'p':
        str_append(out, n->p);
        break;
    case 'o':
        put_number(out, n->o);
        break;
    default: /* r */
        str_append(out, n->routine);
        break;
    }
    return 1;
}
/* "move r1, r1". */
static bool moves_nothing(const struct emitter *e, const char *text) {
    size_t begin = strlen(e->core->same);
    if (strncmp(text, e->core->same, begin) != 0)
        return false;
    const char *to = text + begin, *comma = strchr(to, ',');
    return comma && strlen(comma + 2) == (size_t)(comma - to) &&
           strncmp(to, comma + 2, (size_t)(comma - to)) == 0;
}
/* A line for each instruction; they stand between "; ". */
static void put_line(struct emitter *e, const char *text, const struct names *n) {
    struct str line = {0};
    for (const char *s = text;; s++) {
        if (*s == '%') {
            s += put_letter(e, &line, s + 1, n);
        } else if (*s && *s != ';') {
            str_char(&line, *s);
        } else {
            if (!moves_nothing(e, str_text(&line))) {
                str_printf(e->out, "  %s\n", str_text(&line));
                e->about->instructions++;
            }
            str_clear(&line);
            if (!*s)
                break;
            s++;
        }
    }
    str_free(&line);
}
static void put_label(struct emitter *e, uint32_t label) {
    str_printf(e->out, ".L%" PRIu32 ":\n", label);
}
static bool has_label(const char *text) {
    return text && strstr(text, "%L");
}

/* ---- registers ---- */

static uint32_t bits_at(unsigned reg, bool wide) {
    return (wide ? 3u : 1u) << reg;
}
static uint32_t held(const struct emitter *e, scalar_id id) {
    const struct life *l = &e->lives[id];
    return l->reg == NOWHERE ? 0 : bits_at(l->reg, val(e, id)->wide);
}
static void own(struct emitter *e, scalar_id id, unsigned reg) {
    e->lives[id].reg = (uint8_t)reg;
    e->owner[reg] = id;
    if (val(e, id)->wide)
        e->owner[reg + 1] = id;
}
static void disown(struct emitter *e, scalar_id id) {
    for (unsigned r = 0; r < e->core->registers; r++)
        if (e->owner[r] == id)
            e->owner[r] = 0;
    e->lives[id].reg = NOWHERE;
}
/* The next use behind this position, or at it. */
static uint32_t next_use(struct emitter *e, scalar_id id, bool behind) {
    struct life *l = &e->lives[id];
    while (l->next < l->end && e->uses[l->next] < e->at)
        l->next++;
    uint32_t i = l->next;
    while (behind && i < l->end && e->uses[i] <= e->at)
        i++;
    return i < l->end ? e->uses[i] : NEVER;
}
static bool dies(struct emitter *e, scalar_id id) {
    return next_use(e, id, true) == NEVER;
}

static void put_move(struct emitter *e, unsigned to, unsigned from, bool wide) {
    const struct names n = {.c = (uint8_t)to, .a = (uint8_t)from};
    if (to != from)
        put_line(e, wide ? e->core->move_pair : e->core->move, &n);
}
static void put_constant(struct emitter *e, unsigned to, uint64_t k, bool wide) {
    const struct names n = {.c = (uint8_t)to, .a = NOWHERE, .b = NOWHERE, .b_k = k};
    put_line(e, wide ? e->core->constant_pair : e->core->constant, &n);
}
static void put_stack(struct emitter *e, scalar_id id, unsigned reg, bool out) {
    bool wide = val(e, id)->wide;
    const struct scalar_core *c = e->core;
    const struct names n = {
        .c = (uint8_t)reg, .b = (uint8_t)reg, .o = e->places->stack + e->lives[id].slot};
    put_line(e, out ? (wide ? c->spill_pair : c->spill) : wide ? c->reload_pair : c->reload, &n);
}

/* Slots are 8 bytes. */
static void spill(struct emitter *e, scalar_id id) {
    struct life *l = &e->lives[id];
    if (is_const(e, id) || l->spilled)
        return;
    if (e->free_slots.len) {
        l->slot = vec_last(&e->free_slots);
        e->free_slots.len--;
    } else {
        l->slot = e->about->stack;
        e->about->stack += 8;
    }
    l->spilled = true;
    e->about->spills++;
    put_stack(e, id, l->reg, true);
}
static void evict(struct emitter *e, uint32_t regs) {
    for (unsigned r = 0; r < e->places->registers; r++) {
        scalar_id id = e->owner[r];
        if (!(regs >> r & 1) || !id)
            continue;
        if (next_use(e, id, false) != NEVER)
            spill(e, id);
        disown(e, id);
    }
}
static uint32_t free_registers(const struct emitter *e) {
    uint32_t f = 0;
    for (unsigned r = 0; r < e->places->registers; r++)
        if (!e->owner[r])
            f |= 1u << r;
    return f & ~e->locked;
}
/* Of free ones: a word's partner is taken already, if that can be. */
static unsigned choose(const struct emitter *e, uint32_t among, bool wide) {
    unsigned best = NOWHERE;
    for (unsigned r = 0; r < e->places->registers; r += wide ? 2 : 1) {
        if (r + (wide ? 2 : 1) > e->places->registers ||
            (among & bits_at(r, wide)) != bits_at(r, wide))
            continue;
        if (wide || !(among >> (r ^ 1) & 1))
            return r;
        if (best == NOWHERE)
            best = r;
    }
    return best;
}
/* The registers whose values are used latest; constants are cheap to have again. */
static unsigned victim(struct emitter *e, bool wide) {
    unsigned best = NOWHERE;
    uint64_t latest = 0;
    for (unsigned r = 0; r + (wide ? 2 : 1) <= e->places->registers; r += wide ? 2 : 1) {
        uint64_t soonest = UINT64_MAX;
        if (e->locked & bits_at(r, wide))
            continue;
        for (unsigned i = r; i < r + (wide ? 2 : 1); i++) {
            scalar_id id = e->owner[i];
            uint64_t use = id ? next_use(e, id, false) : UINT64_C(2) * NEVER;
            if (id && (is_const(e, id) || e->lives[id].spilled))
                use += 4;
            if (use < soonest)
                soonest = use;
        }
        if (soonest > latest) {
            latest = soonest;
            best = r;
        }
    }
    return best;
}
/* A word of a pair's other half must not be thrown out alone: evict takes whole values. */
static unsigned take(struct emitter *e, bool wide, uint32_t avoid) {
    uint32_t f = free_registers(e);
    unsigned reg = choose(e, f & ~avoid, wide);
    if (reg == NOWHERE)
        reg = choose(e, f, wide);
    if (reg == NOWHERE) {
        reg = victim(e, wide);
        evict(e, bits_at(reg, wide));
    }
    return reg;
}
/* Registers that calls change, if the value lives beyond the next one. */
static uint32_t to_avoid(const struct emitter *e, scalar_id id) {
    const struct life *l = &e->lives[id];
    uint32_t call = e->at + 1 < e->count ? e->next_call[e->at + 1] : NEVER;
    return call != NEVER && l->end > l->first && e->uses[l->end - 1] > call ? e->calls[call] : 0;
}
static unsigned second_of(const struct emitter *e, const struct scalar_value *v) {
    bool pair = val(e, v->a)->wide || val(e, v->b)->wide;
    return pair ? e->core->second_pair : e->core->second_word;
}
static unsigned wanted_by_call(struct emitter *e, scalar_id id) {
    uint32_t at = next_use(e, id, true);
    if (at == NEVER || !e->calls[at] || e->next_call[e->at + 1] != at || is_const(e, id))
        return NOWHERE;
    const struct scalar_value *call = val(e, e->order[at]);
    return call->a == id ? 0 : call->b == id ? second_of(e, call) : NOWHERE;
}
/* A value that a call takes next is best where the call wants it. */
static unsigned give(struct emitter *e, scalar_id id) {
    bool wide = val(e, id)->wide;
    unsigned reg = wanted_by_call(e, id);
    if (reg == NOWHERE || (free_registers(e) & bits_at(reg, wide)) != bits_at(reg, wide))
        reg = take(e, wide, to_avoid(e, id));
    own(e, id, reg);
    e->locked |= held(e, id);
    return reg;
}
/* In a register, which stays until the lock is off. */
static unsigned get(struct emitter *e, scalar_id id) {
    struct life *l = &e->lives[id];
    if (l->reg == NOWHERE) {
        give(e, id);
        if (is_const(e, id))
            put_constant(e, l->reg, val(e, id)->k, val(e, id)->wide);
        else
            put_stack(e, id, l->reg, false);
    }
    e->locked |= held(e, id);
    return l->reg;
}
static void release(struct emitter *e, scalar_id id) {
    struct life *l = &e->lives[id];
    if (!id || !dies(e, id) || val(e, id)->tied)
        return;
    if (l->spilled)
        vec_push(&e->free_slots, l->slot);
    l->spilled = false;
    disown(e, id);
}

/* ---- one value ---- */

/* Operands of v, and those of operands that are computed with it. */
struct leaves {
    scalar_id ids[16];
    unsigned count;
};
static void gather(const struct emitter *e, scalar_id id, struct leaves *out) {
    const struct scalar_value *v = val(e, id);
    const scalar_id operands[] = {v->a, v->b, v->d, v->guard};
    for (unsigned i = 0; i < 4; i++) {
        if (operands[i] && val(e, operands[i])->tied)
            gather(e, operands[i], out);
        else if (operands[i])
            out->ids[out->count++] = operands[i];
    }
}
static void release_all(struct emitter *e, const struct leaves *l) {
    for (unsigned i = 0; i < l->count; i++)
        release(e, l->ids[i]);
}

/* Puts the operands of a pattern into registers, or has them as constants. */
static void operands(struct emitter *e, scalar_id id, const struct scalar_pattern *p,
                     struct names *n) {
    const struct scalar_value v = *val(e, id);
    *n = (struct names){.c = NOWHERE, .a = NOWHERE, .b = NOWHERE, .k = v.k};
    scalar_id a = v.op == SCALAR_STORE ? 0 : v.a; /* a store's is its mask */
    if (a && (is_const(e, a)))
        n->a_k = val(e, a)->k;
    if (v.b && is_const(e, v.b))
        n->b_k = val(e, v.b)->k;
    if (a && !a_zero(e, p, a))
        n->a = (uint8_t)get(e, a);
    if (v.b && !b_immediate(e, p, v.b))
        n->b = (uint8_t)get(e, v.b);
    if (v.op == SCALAR_LOAD || v.op == SCALAR_LOADS || v.op == SCALAR_STORE)
        e->places->at(e->places->context, v.array, v.element, &n->p, &n->o);
    if (v.op == SCALAR_LOOKUP)
        e->places->table(e->places->context, v.array, &n->p, &n->o);
    n->label = e->about->labels;
}
static void temporaries(struct emitter *e, const struct scalar_pattern *p, struct names *n) {
    for (unsigned i = 0; i < p->temporaries; i++) {
        n->temporary[i] = (uint8_t)take(e, false, 0);
        e->locked |= bits_at(n->temporary[i], false);
    }
}
static void finish_label(struct emitter *e, const char *text) {
    if (has_label(text))
        put_label(e, e->about->labels++);
}

/* The register of an operand that ends here becomes the result's. */
static bool inherit(struct emitter *e, scalar_id id, scalar_id from) {
    if (!from || val(e, from)->tied || e->lives[from].reg == NOWHERE || !dies(e, from) ||
        val(e, from)->wide != val(e, id)->wide)
        return false;
    unsigned reg = e->lives[from].reg;
    if (to_avoid(e, id) & bits_at(reg, val(e, id)->wide))
        return false;
    release(e, from);
    own(e, id, reg);
    return true;
}
static void plain(struct emitter *e, scalar_id id, const struct scalar_pattern *p) {
    struct leaves l = {.count = 0};
    struct names n;
    gather(e, id, &l);
    operands(e, id, p, &n);
    temporaries(e, p, &n);
    if (p->early) {
        n.c = (uint8_t)give(e, id);
        put_line(e, p->text, &n);
        release_all(e, &l);
    } else {
        const struct scalar_value v = *val(e, id);
        if (!inherit(e, id, v.a) && !inherit(e, id, v.b)) {
            release_all(e, &l);
            /* What ends here may be overwritten. */
            e->locked = 0;
            for (unsigned i = 0; i < l.count; i++)
                e->locked |= held(e, l.ids[i]);
            for (unsigned i = 0; i < p->temporaries; i++)
                e->locked |= bits_at(n.temporary[i], false);
            give(e, id);
        }
        n.c = e->lives[id].reg;
        put_line(e, p->text, &n);
        release_all(e, &l);
    }
    finish_label(e, p->text);
}

/* Of a pair one word, where the pair ends: the register is there. */
static void half(struct emitter *e, scalar_id id, bool low) {
    scalar_id a = val(e, id)->a;
    unsigned from = half_register(e, get(e, a), low ? 'l' : 'h');
    if (dies(e, a)) {
        release(e, a);
        own(e, id, from);
        return;
    }
    put_move(e, give(e, id), from, false);
}

/* Jumps to the label unless the mask holds (or when it does). */
static void jump_by(struct emitter *e, scalar_id mask, bool when, uint32_t label) {
    struct names n;
    if (val(e, mask)->tied) {
        const struct scalar_pattern *p = pattern_of(e, mask);
        operands(e, mask, p, &n);
        n.label = label;
        put_line(e, when ? p->when : p->unless, &n);
        return;
    }
    n = (struct names){.a = (uint8_t)get(e, mask), .label = label};
    put_line(e, when ? e->core->if_not_zero : e->core->if_zero, &n);
}
/* Registers for what a mask is made from, before anything jumps. */
static void get_mask(struct emitter *e, scalar_id mask) {
    struct names n;
    if (val(e, mask)->tied)
        operands(e, mask, pattern_of(e, mask), &n);
    else
        get(e, mask);
}

/* The register `reg` becomes a ? b : d, which has the value of `other` already. */
static void overwrite(struct emitter *e, unsigned reg, scalar_id with, bool wide) {
    if (val(e, with)->tied) {
        const struct scalar_pattern *p = pattern_of(e, with);
        struct names n;
        operands(e, with, p, &n);
        n.c = (uint8_t)reg;
        put_line(e, p->text, &n);
    } else if (e->lives[with].reg == NOWHERE && is_const(e, with)) {
        put_constant(e, reg, val(e, with)->k, wide);
    } else {
        put_move(e, reg, get(e, with), wide);
    }
}
static void prepare(struct emitter *e, scalar_id id) {
    struct names n;
    if (val(e, id)->tied)
        operands(e, id, pattern_of(e, id), &n);
    else if (!is_const(e, id))
        get(e, id);
}
static bool ends_in_register(struct emitter *e, scalar_id id) {
    return !val(e, id)->tied && e->lives[id].reg != NOWHERE && dies(e, id);
}
static void select_value(struct emitter *e, scalar_id id) {
    const struct scalar_value v = *val(e, id);
    struct leaves l = {.count = 0};
    gather(e, id, &l);
    get_mask(e, v.a);
    prepare(e, v.b);
    prepare(e, v.d);
    scalar_id base = v.d, other = v.b;
    bool when = false;
    if (!ends_in_register(e, v.d) && !val(e, v.b)->tied && ends_in_register(e, v.b)) {
        base = v.b;
        other = v.d;
        when = true;
    }
    uint32_t label = e->about->labels++;
    unsigned reg;
    if (ends_in_register(e, base)) {
        reg = e->lives[base].reg;
    } else {
        reg = take(e, v.wide, to_avoid(e, id));
        e->locked |= bits_at(reg, v.wide);
        overwrite(e, reg, base, v.wide);
    }
    jump_by(e, v.a, when, label);
    overwrite(e, reg, other, v.wide);
    put_label(e, label);
    release_all(e, &l);
    own(e, id, reg);
}

static void store(struct emitter *e, scalar_id id, const struct scalar_pattern *p) {
    const struct scalar_value v = *val(e, id);
    struct leaves l = {.count = 0};
    struct names n;
    gather(e, id, &l);
    if (v.a)
        get_mask(e, v.a);
    operands(e, id, p, &n);
    if (v.a)
        jump_by(e, v.a, false, e->about->labels);
    put_line(e, p->text, &n);
    if (v.a)
        put_label(e, e->about->labels++);
    release_all(e, &l);
}

/* ---- calls ---- */

/* Values in registers that the routine changes, and that are used later, go elsewhere. */
static void clear_for_call(struct emitter *e, uint32_t changes) {
    for (unsigned r = 0; r < e->places->registers; r++) {
        scalar_id id = e->owner[r];
        if (!(changes >> r & 1) || !id || dies(e, id))
            continue;
        if (is_const(e, id)) {
            disown(e, id);
            continue;
        }
        bool wide = val(e, id)->wide;
        unsigned to = choose(e, free_registers(e) & ~changes, wide);
        if (to == NOWHERE) {
            spill(e, id);
            disown(e, id);
            continue;
        }
        put_move(e, to, r, wide);
        disown(e, id);
        own(e, id, to);
        e->locked |= held(e, id);
    }
}
static void pass(struct emitter *e, scalar_id id, unsigned to) {
    bool wide = val(e, id)->wide;
    if (e->lives[id].reg != NOWHERE)
        put_move(e, to, e->lives[id].reg, wide);
    else if (is_const(e, id))
        put_constant(e, to, val(e, id)->k, wide);
    else
        put_stack(e, id, to, false);
}
static void pass_two(struct emitter *e, scalar_id a, scalar_id b, unsigned second) {
    uint32_t to_a = bits_at(0, val(e, a)->wide), to_b = bits_at(second, val(e, b)->wide);
    bool b_in_a = held(e, b) & to_a, a_in_b = held(e, a) & to_b;
    if (a == b) {
        if (!a_in_b)
            pass(e, b, second);
        pass(e, a, 0);
        return;
    }
    if (!b_in_a) {
        pass(e, a, 0);
        pass(e, b, second);
    } else if (!a_in_b) {
        pass(e, b, second);
        pass(e, a, 0);
    } else {
        /* A register beside both, of those that the routine changes. */
        unsigned beside = second + 2;
        put_move(e, beside, e->lives[b].reg, val(e, b)->wide);
        pass(e, a, 0);
        put_move(e, second, beside, val(e, b)->wide);
    }
}
static void add_routine(struct scalar_code *about, const char *name) {
    for (size_t i = 0; i < about->routines.len; i++)
        if (strcmp(about->routines.data[i], name) == 0)
            return;
    vec_push(&about->routines, name);
}
/* What is left of the division stands behind it, and is there with it. */
static bool claims(const struct emitter *e, scalar_id id) {
    if (e->at + 1 >= e->count)
        return false;
    const struct scalar_value *next = val(e, e->order[e->at + 1]);
    return next->op == SCALAR_REST && next->a == id;
}
static void call(struct emitter *e, scalar_id id, const struct scalar_pattern *p) {
    const struct scalar_value v = *val(e, id);
    struct leaves l = {.count = 0};
    gather(e, id, &l);
    unsigned second = second_of(e, &v);
    for (unsigned i = 0; i < l.count; i++)
        if (!is_const(e, l.ids[i]))
            get(e, l.ids[i]);
    clear_for_call(e, p->changes);
    uint32_t label = v.guard ? e->about->labels++ : 0;
    if (v.guard)
        jump_by(e, v.guard, false, label);
    pass_two(e, v.a, v.b, second);
    const struct names n = {.routine = p->routine};
    put_line(e, e->core->call, &n);
    if (v.guard)
        put_label(e, label);
    add_routine(e->about, p->routine);
    bool used = next_use(e, id, true) != NEVER;
    release_all(e, &l);
    /* What is left in them is changed, constants too. */
    for (unsigned r = 0; r < e->places->registers; r++)
        if (p->changes >> r & 1 && e->owner[r])
            disown(e, e->owner[r]);
    if (claims(e, id)) {
        e->at++;
        own(e, e->order[e->at], second);
        used = next_use(e, id, true) != NEVER;
    }
    if (used)
        own(e, id, 0);
}

/* ---- all ---- */

static bool emit_value(struct emitter *e, scalar_id id) {
    const struct scalar_value *v = val(e, id);
    e->locked = 0;
    if (v->op == SCALAR_SELECT)
        return select_value(e, id), true;
    if (v->op == SCALAR_LOW || v->op == SCALAR_HIGH)
        return half(e, id, v->op == SCALAR_LOW), true;
    const struct scalar_pattern *p = pattern_of(e, id);
    if (!p)
        return false;
    if (p->routine)
        call(e, id, p);
    else if (v->op == SCALAR_STORE)
        store(e, id, p);
    else
        plain(e, id, p);
    return true;
}

/* What one select alone uses is computed behind its jump; a comparison is the jump itself. */
static bool can_be_tied(const struct emitter *e, scalar_id id) {
    const struct scalar_value *v = val(e, id);
    const struct scalar_pattern *p = pattern_of(e, id);
    return v->uses == 1 && p && !p->routine && !p->early && !p->temporaries && !has_label(p->text);
}
static void tie(struct emitter *e) {
    for (size_t i = 1; i <= e->b->values.len; i++) {
        struct scalar_value *v = &e->b->values.data[i - 1];
        bool select = v->op == SCALAR_SELECT && v->uses;
        bool guarded = v->op == SCALAR_STORE && v->bytes && v->a;
        if ((select || guarded) && val(e, v->a)->op >= SCALAR_EQ &&
            val(e, v->a)->op <= SCALAR_GES && can_be_tied(e, v->a) && pattern_of(e, v->a)->unless)
            e->b->values.data[v->a - 1].tied = true;
        if (!select || v->b == v->d)
            continue;
        unsigned op = val(e, v->b)->op;
        if (op != SCALAR_CONST && op != SCALAR_SELECT && op != SCALAR_LOW && op != SCALAR_HIGH &&
            op != SCALAR_REST && can_be_tied(e, v->b))
            e->b->values.data[v->b - 1].tied = true;
    }
}
static bool is_live(const struct scalar_value *v) {
    return v->op == SCALAR_STORE ? v->bytes != 0 : v->uses != 0;
}
static void place(struct emitter *e, scalar_id id) {
    const struct scalar_pattern *p = pattern_of(e, id);
    e->calls[e->count] = p && p->routine ? p->changes : 0;
    e->order[e->count++] = id;
    if (val(e, id)->op != SCALAR_DIVIDE)
        return;
    for (scalar_id rest = id + 1; rest <= e->b->values.len; rest++)
        if (val(e, rest)->op == SCALAR_REST && val(e, rest)->a == id && val(e, rest)->uses)
            e->order[e->count++] = rest;
}
/* Order, uses by position, calls. */
static void plan(struct emitter *e) {
    size_t n = e->b->values.len;
    e->lives = xcalloc(n + 1, sizeof *e->lives);
    e->order = xcalloc(n + 1, sizeof *e->order);
    e->calls = xcalloc(n + 1, sizeof *e->calls);
    e->next_call = xcalloc(n + 1, sizeof *e->next_call);
    tie(e);
    for (scalar_id id = 1; id <= n; id++) {
        const struct scalar_value *v = val(e, id);
        e->lives[id].reg = NOWHERE;
        if (is_live(v) && v->op != SCALAR_CONST && v->op != SCALAR_REST && !v->tied)
            place(e, id);
    }
    uint32_t call = NEVER, all = 0;
    for (uint32_t i = e->count; i-- > 0;)
        e->next_call[i] = call = e->calls[i] ? i : call;
    for (unsigned pass_number = 0; pass_number < 2; pass_number++) {
        for (uint32_t i = 0; i < e->count; i++) {
            struct leaves l = {.count = 0};
            gather(e, e->order[i], &l);
            for (unsigned k = 0; k < l.count; k++) {
                struct life *life = &e->lives[l.ids[k]];
                if (pass_number)
                    e->uses[life->end] = i;
                life->end++;
            }
        }
        if (pass_number)
            break;
        for (scalar_id id = 1; id <= n; id++) {
            uint32_t of = e->lives[id].end;
            e->lives[id].first = e->lives[id].next = e->lives[id].end = all;
            all += of;
        }
        e->uses = xcalloc(all + 1, sizeof *e->uses);
    }
}

bool scalar_emit(const struct scalar_core *core, struct scalar_body *b,
                 const struct scalar_places *places, struct str *out, struct scalar_code *about,
                 scalar_id *wrong) {
    struct emitter e = {.core = core, .b = b, .places = places, .out = out, .about = about};
    bool fine = true;
    plan(&e);
    for (e.at = 0; e.at < e.count && fine; e.at++) {
        *wrong = e.order[e.at];
        fine = emit_value(&e, e.order[e.at]);
    }
    free(e.lives);
    free(e.order);
    free(e.calls);
    free(e.next_call);
    free(e.uses);
    vec_free(&e.free_slots);
    return fine;
}
