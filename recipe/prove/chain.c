/* SPDX-License-Identifier: MIT */
#include "recipe/prove/chain.h"

#include "recipe/computes.h"
#include "support/bits.h"
#include "support/vec.h"

#define MOST_TERMS 64
#define NO_FACTOR  255u
#define NO_START   255u

/* + or - x * 2^shift, where bit `shift` of the factor is 1 if there is one. */
struct chain_term {
    uint8_t shift;
    bool negative;
};

/* Bit `bit` of the sum after a term, or the carry into that bit. */
struct chain_bit {
    uint8_t term, bit;
    bool carry;
    uint32_t before; /* number of the bit of the sum before, 0: false */
    struct sample value;
};

struct lemma_chain {
    unsigned w;
    unsigned start, of, factor; /* registers: z or NO_START, x, y or NO_FACTOR */
    unsigned terms;
    struct chain_term term[MOST_TERMS];
    VEC(struct chain_bit) bits;
    uint32_t sum[64]; /* numbers of the bits of the last sum, 0: false */
};

/* --- what the contract says --- */

static bool register_named(const struct recipe *c, const struct insn *insn,
                           const struct recipe_expr *e, unsigned *reg) {
    uint8_t field = e->kind == EXPR_NAME ? recipe_computes_operand(c, e->name) : FIELD_NONE;
    *reg = field == FIELD_RS ? insn->rs : field == FIELD_RT ? insn->rt : insn->rd;
    return field <= FIELD_RD;
}

/* Powers of two and their negatives, no two of them neighbours, that add up to v modulo 2^w: the
 * non-adjacent form.  Micro-ops that go another way are proved another way. */
static void split_constant(struct lemma_chain *chain, uint64_t v) {
    uint64_t rest = v & low_bits(chain->w);
    for (unsigned i = 0; i < chain->w && rest; i++) {
        uint64_t power = (uint64_t)1 << i;
        if (!(rest & power))
            continue;
        bool negative = i + 1 < chain->w && rest & power << 1;
        chain->term[chain->terms++] = (struct chain_term){(uint8_t)i, negative};
        rest = (negative ? rest + power : rest - power) & low_bits(chain->w);
    }
}

static void split_factor(struct lemma_chain *chain) {
    for (unsigned i = 0; i < chain->w; i++)
        chain->term[chain->terms++] = (struct chain_term){(uint8_t)i, false};
}

static bool read_product(struct lemma_chain *chain, const struct recipe *c, const struct insn *insn,
                         const struct recipe_expr *e) {
    const struct golden_lane lane = {.w = chain->w, .imm = insn->imm};
    if (e->kind != EXPR_BINARY || e->op != '*')
        return false;
    for (unsigned i = 0; i < 2; i++) {
        struct number n = recipe_computes_value(c, e->args[i], &lane);
        if (n.kind == NUMBER_CONSTANT && register_named(c, insn, e->args[!i], &chain->of)) {
            split_constant(chain, n.v);
            return chain->terms > 0;
        }
    }
    if (!register_named(c, insn, e->args[0], &chain->of) ||
        !register_named(c, insn, e->args[1], &chain->factor))
        return false;
    split_factor(chain);
    return true;
}

static bool read_contract(struct lemma_chain *chain, const struct recipe *c,
                          const struct insn *insn, const struct recipe_expr *e) {
    if (e->kind == EXPR_BINARY && e->op == '+')
        return register_named(c, insn, e->args[0], &chain->start) &&
               read_product(chain, c, insn, e->args[1]);
    return read_product(chain, c, insn, e);
}

/* --- the bits --- */

static void input_bit(unsigned reg, unsigned bit, struct sample *out) {
    prove_sample_input(PLANE(PLANE_REGISTER, 0, reg << 6 | bit), out);
}

/* What a term adds at bit j, before its sign. */
static void addend(const struct lemma_chain *chain, const struct chain_term *t, unsigned j,
                   struct sample *out) {
    struct sample in[2];
    input_bit(chain->of, j - t->shift, &in[0]);
    if (chain->factor != NO_FACTOR) {
        input_bit(chain->factor, t->shift, &in[1]);
        prove_sample_apply(0x8, in, 2, out);
    } else {
        *out = in[0];
    }
}

static uint32_t add_bit(struct lemma_chain *chain, struct chain_bit b) {
    vec_push(&chain->bits, b);
    return (uint32_t)chain->bits.len;
}

static void value_of(const struct lemma_chain *chain, uint32_t number, struct sample *out) {
    if (number)
        *out = chain->bits.data[number - 1].value;
    else
        prove_sample_input(PLANE(PLANE_CONST, 0, 0), out);
}

#define SUM      0x96u /* of three bits */
#define MAJORITY 0xE8u

/* Adds a term: from its lowest bit on a sum and a carry for each bit.  What is negative is added
 * complemented, with a carry in of 1. */
static void add_term(struct lemma_chain *chain, unsigned k) {
    const struct chain_term *t = &chain->term[k];
    struct sample in[3];
    prove_sample_input(PLANE(PLANE_CONST, 0, t->negative), &in[2]);
    for (unsigned j = t->shift; j < chain->w; j++) {
        struct chain_bit b = {(uint8_t)k, (uint8_t)j, false, chain->sum[j], {{0}}};
        value_of(chain, chain->sum[j], &in[0]);
        addend(chain, t, j, &in[1]);
        if (t->negative)
            prove_sample_apply(0x1, &in[1], 1, &in[1]);
        prove_sample_apply(SUM, in, 3, &b.value);
        chain->sum[j] = add_bit(chain, b);
        struct chain_bit c = {(uint8_t)k, (uint8_t)(j + 1), true, b.before, {{0}}};
        prove_sample_apply(MAJORITY, in, 3, &c.value);
        add_bit(chain, c);
        in[2] = c.value;
    }
}

/* The number that the chain starts from, as a term of its own before the others. */
static void add_start(struct lemma_chain *chain) {
    for (unsigned j = 0; j < chain->w && chain->start != NO_START; j++) {
        struct chain_bit b = {MOST_TERMS, (uint8_t)j, false, 0, {{0}}};
        input_bit(chain->start, j, &b.value);
        chain->sum[j] = add_bit(chain, b);
    }
}

struct lemma_chain *prove_chain_new(const struct recipe *c, const struct insn *insn, unsigned w) {
    const struct recipe_expr *contract = recipe_computes_of(c, FIELD_RD);
    struct lemma_chain *chain = xcalloc(1, sizeof *chain);
    *chain = (struct lemma_chain){.w = w, .start = NO_START, .factor = NO_FACTOR};
    if (!contract || recipe_computes_source_width(insn) != w ||
        !read_contract(chain, c, insn, contract->args[1])) {
        prove_chain_free(chain);
        return NULL;
    }
    add_start(chain);
    for (unsigned k = 0; k < chain->terms; k++)
        add_term(chain, k);
    return chain;
}

void prove_chain_free(struct lemma_chain *chain) {
    if (chain)
        vec_free(&chain->bits);
    free(chain);
}

/* --- text --- */

bool prove_chain_reads(const struct lemma_chain *chain, unsigned reg) {
    return reg == chain->start || reg == chain->of || reg == chain->factor;
}

void prove_chain_print(const struct lemma_chain *chain, uint32_t number, struct str *out) {
    if (!number) {
        str_append(out, "false");
        return;
    }
    const struct chain_bit *b = &chain->bits.data[number - 1];
    str_printf(out, "%c%u.%u", b->carry ? 'k' : 's', b->term, b->bit);
}

void prove_chain_print_result(const struct lemma_chain *chain, unsigned j, struct str *out) {
    prove_chain_print(chain, chain->sum[j], out);
}

/* " <sum before> <addend> <carry in>" of bit j. */
static void print_inputs(const struct lemma_chain *chain, const struct chain_bit *b, unsigned j,
                         const char *names[3], char text[3][32]) {
    const struct chain_term *t = &chain->term[b->term];
    struct str before = {0}, y = {0};
    prove_chain_print(chain, b->before, &before);
    str_append(&y, t->negative ? "(not " : "");
    if (chain->factor != NO_FACTOR)
        str_printf(&y, "(and r%u.%u r%u.%u)", chain->of, j - t->shift, chain->factor, t->shift);
    else
        str_printf(&y, "r%u.%u", chain->of, j - t->shift);
    str_append(&y, t->negative ? ")" : "");
    snprintf(text[0], sizeof text[0], "%s", str_text(&before));
    snprintf(text[1], sizeof text[1], "%s", str_text(&y));
    if (j == t->shift)
        snprintf(text[2], sizeof text[2], "%s", t->negative ? "true" : "false");
    else
        snprintf(text[2], sizeof text[2], "k%u.%u", b->term, j);
    for (unsigned i = 0; i < 3; i++)
        names[i] = text[i];
    str_free(&before);
    str_free(&y);
}

static void write_function(bool majority, const char *const x[3], struct str *out) {
    if (majority)
        str_printf(out, "(or (and %s %s) (and %s %s) (and %s %s))", x[0], x[1], x[0], x[2], x[1],
                   x[2]);
    else
        str_printf(out, "(xor %s %s %s)", x[0], x[1], x[2]);
}

static void define_bit(const struct lemma_chain *chain, uint32_t number, struct str *out) {
    const struct chain_bit *b = &chain->bits.data[number - 1];
    const char *names[3];
    char text[3][32];
    str_append(out, "(define-fun ");
    prove_chain_print(chain, number, out);
    str_append(out, " () Bool ");
    if (b->term == MOST_TERMS) {
        str_printf(out, "r%u.%u", chain->start, b->bit);
    } else {
        print_inputs(chain, b, b->bit - (unsigned)b->carry, names, text);
        write_function(b->carry, names, out);
    }
    str_append(out, ")\n");
}

/* x + y + i bit by bit, as the storeys are. */
static void define_law(const struct lemma_chain *chain, struct str *out) {
    unsigned w = chain->w;
    str_printf(out, "(declare-const x (_ BitVec %u))\n(declare-const y (_ BitVec %u))\n", w, w);
    str_append(out, "(declare-const i Bool)\n(define-fun k.0 () Bool i)\n");
    for (unsigned j = 0; j < w; j++) {
        char x[32], y[32], k[32];
        const char *const in[3] = {x, y, k};
        snprintf(x, sizeof x, "x.%u", j);
        snprintf(y, sizeof y, "y.%u", j);
        snprintf(k, sizeof k, "k.%u", j);
        str_printf(out, "(define-fun %s () Bool (= ((_ extract %u %u) x) #b1))\n", x, j, j);
        str_printf(out, "(define-fun %s () Bool (= ((_ extract %u %u) y) #b1))\n", y, j, j);
        str_printf(out, "(define-fun s.%u () Bool ", j);
        write_function(false, in, out);
        str_printf(out, ")\n(define-fun k.%u () Bool ", j + 1);
        write_function(true, in, out);
        str_append(out, ")\n");
    }
    str_printf(out, "(define-fun law () (_ BitVec %u) (bvadd x y (ite i (_ bv1 %u) (_ bv0 %u))))\n",
               w, w, w);
}

void prove_chain_define(const struct lemma_chain *chain, struct str *out) {
    for (uint32_t i = 1; i <= chain->bits.len; i++)
        define_bit(chain, i, out);
    define_law(chain, out);
}

void prove_chain_doubt_law(const struct lemma_chain *chain, struct str *out) {
    for (unsigned j = 0; j < chain->w; j++)
        str_printf(out, " (xor s.%u (= ((_ extract %u %u) law) #b1))\n", j, j, j);
}

/* --- search --- */

uint32_t prove_chain_find(const struct lemma_chain *chain, const struct sample *s,
                          bool *complement) {
    if (prove_sample_is_constant(s))
        return 0;
    for (uint32_t i = 0; i < chain->bits.len; i++) {
        const struct sample *value = &chain->bits.data[i].value;
        *complement = (value->words[0] ^ s->words[0]) & 1;
        if (prove_sample_matches(value, s, *complement))
            return i + 1;
    }
    return 0;
}
