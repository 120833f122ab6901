/* SPDX-License-Identifier: MIT
 * Which pattern a value has, and its text. */
#include "machines/core/scalar/emitter.h"
#include "support/bits.h"

#include <inttypes.h>
#include <string.h>

/* ---- patterns ---- */

static bool fits_immediate(uint64_t k, bool wide, unsigned bits) {
    if (bits >= (wide ? 64u : 32u))
        return true;
    int64_t s = sign_extend(k, wide ? 64 : 32);
    return bits && s >= -(INT64_C(1) << (bits - 1)) && s < INT64_C(1) << (bits - 1);
}
static bool operand_wide(const struct scalar_emitter *e, const struct scalar_value *v) {
    switch (v->op) {
    case SCALAR_STORE:
    case SCALAR_PUT:
    case SCALAR_STOP:
        return scalar_val(e, v->b)->wide;
    case SCALAR_EQ:
    case SCALAR_NE:
    case SCALAR_LTU:
    case SCALAR_GEU:
    case SCALAR_LTS:
    case SCALAR_GES:
        return scalar_val(e, v->a)->wide;
    default:
        return v->wide;
    }
}
static bool fits(const struct scalar_emitter *e, const struct scalar_pattern *p,
                 const struct scalar_value *v) {
    if (p->op != v->op || p->wide != operand_wide(e, v) || (p->bytes && p->bytes != v->bytes) ||
        (p->wanted && v->wanted > p->wanted) || (p->most && (v->k < p->least || v->k > p->most)))
        return false;
    if (p->known &&
        (scalar_val(e, v->a)->known > p->known || (v->b && scalar_val(e, v->b)->known > p->known)))
        return false;
    return !p->known_b || scalar_val(e, v->b)->known <= p->known_b;
}
const struct scalar_pattern *scalar_pattern_of(const struct scalar_emitter *e, scalar_id id) {
    for (size_t i = 0; i < e->core->count; i++)
        if (fits(e, &e->core->patterns[i], scalar_val(e, id)))
            return &e->core->patterns[i];
    return NULL;
}
/* Whether operand b, or a, of the pattern is written as a constant. */
bool scalar_b_immediate(const struct scalar_emitter *e, const struct scalar_pattern *p,
                        scalar_id b) {
    return b && scalar_is_const(e, b) &&
           fits_immediate(scalar_val(e, b)->k, scalar_val(e, b)->wide, p->immediate);
}
bool scalar_a_zero(const struct scalar_emitter *e, const struct scalar_pattern *p, scalar_id a) {
    return a && p->zero_a && scalar_is_const(e, a) && scalar_val(e, a)->k == 0;
}

/* ---- text ---- */

unsigned scalar_half_register(const struct scalar_emitter *e, unsigned reg, char which) {
    return (which == 'l') == e->core->low_first ? reg : reg + 1;
}
static void put_number(struct str *out, uint32_t k) {
    str_printf(out, "%" PRId32, (int32_t)k);
}
/* The operand at `s`, behind its letter; returns what is read of the text. */
static size_t put_operand(const struct scalar_emitter *e, struct str *out, const char *s,
                          uint8_t reg, uint64_t k, bool zero_name) {
    if (*s == 'p') {
        str_append(out, e->core->pairs[reg]);
        return 1;
    }
    bool half = *s == 'l' || *s == 'h';
    uint32_t word = (uint32_t)(*s == 'h' ? k >> 32 : k);
    if (reg != SCALAR_NOWHERE)
        str_append(out, e->core->names[half ? scalar_half_register(e, reg, *s) : reg]);
    else if (zero_name && word == 0)
        str_append(out, e->core->zero);
    else
        put_number(out, word);
    return half;
}
/* The letter at `s`; returns how many letters are read. */
static size_t put_letter(const struct scalar_emitter *e, struct str *out, const char *s,
                         const struct scalar_names *n) {
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
    case 'd':
        return 1 + put_operand(e, out, s + 1, n->d, 0, false);
    case 'n':
        str_u64(out, n->k);
        break;
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
static bool moves_nothing(const struct scalar_emitter *e, const char *text) {
    size_t begin = strlen(e->core->same);
    if (strncmp(text, e->core->same, begin) != 0)
        return false;
    const char *to = text + begin, *comma = strchr(to, ',');
    return comma && strlen(comma + 2) == (size_t)(comma - to) &&
           strncmp(to, comma + 2, (size_t)(comma - to)) == 0;
}
/* A line for each instruction; they stand between "; ". */
void scalar_put_line(struct scalar_emitter *e, const char *text, const struct scalar_names *n) {
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
                vec_push(&e->about->sources, e->source);
            }
            str_clear(&line);
            if (!*s)
                break;
            s++;
        }
    }
    str_free(&line);
}
void scalar_put_label(struct scalar_emitter *e, uint32_t label) {
    str_printf(e->out, ".L%" PRIu32 ":\n", label);
}
bool scalar_has_label(const char *text) {
    return text && strstr(text, "%L");
}
