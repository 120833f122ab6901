/* SPDX-License-Identifier: MIT
 * Micro-ops as Boolean definitions, plane by plane, against the contract. */
#include "recipe/prove/smt.h"

#include "recipe/prove/chain.h"
#include "recipe/prove/smt_term.h"

#include "support/bits.h"
#include "support/vec.h"

#include <inttypes.h>
#include <stdlib.h>

/* What stands for a plane's value at a time: an input, a definition, or nothing yet. */
#define NOTHING    0u
#define INPUT      1u /* the plane's value before the instruction */
#define DEFINITION 2u /* DEFINITION + i: the definition n<i> */

#define REGISTER_PLANES (64 * 64)

/* What is known of a definition besides its text, where there is a chain. */
struct traced {
    struct sample value;
    uint32_t lemma; /* the bit of the chain that is read in its place, 0: none */
    bool complement;
};

struct smt {
    const struct recipe_set *set;
    const struct recipe *c;
    const struct insn *insn;
    const struct isa_info *info;
    struct str *out;
    struct diag *diag;
    unsigned w;
    uint32_t registers[REGISTER_PLANES], cond, mask;
    bool named[REGISTER_PLANES]; /* the input has a name of its own already */
    uint32_t *scratch, *buffers;
    size_t rows, carries; /* of one section */
    uint32_t definitions;
    struct lemma_chain *chain; /* NULL: none */
    VEC(struct traced) traced; /* of each definition, with a chain */
};

static bool fail(struct smt *s, const char *what, size_t index) {
    if (s->diag)
        diag_error(s->diag, NO_SPAN, "%s: micro-op %zu %s", s->info->name, index, what);
    return false;
}

/* --- planes --- */

/* Where the value of a plane that can be written is noted; NULL for others. */
static uint32_t *slot_of(struct smt *s, uint32_t plane) {
    uint32_t n = PLANE_NUMBER(plane), section = PLANE_SECTION(plane);
    switch (PLANE_CLASS(plane)) {
    case PLANE_REGISTER:
        return n < REGISTER_PLANES ? &s->registers[n] : NULL;
    case PLANE_C:
        return &s->cond;
    case PLANE_M:
        return &s->mask;
    case PLANE_SCRATCH:
        return section < plane_target(s->set->target)->sections && n < s->rows
                   ? &s->scratch[section * s->rows + n]
                   : NULL;
    case PLANE_BUFFER:
        return section < plane_target(s->set->target)->sections && n < s->carries
                   ? &s->buffers[section * s->carries + n]
                   : NULL;
    default:
        return NULL;
    }
}

/* Rows of scratch and numbers of carries that the list uses, for the size of the tables. */
static void measure(struct smt *s, const struct uop_list *list) {
    for (size_t i = 0; i < list->len; i++)
        for (unsigned k = 0; k < list->data[i].ndst; k++) {
            uint32_t plane = list->data[i].dst[k];
            size_t n = (size_t)PLANE_NUMBER(plane) + 1;
            if (PLANE_CLASS(plane) == PLANE_SCRATCH && n > s->rows)
                s->rows = n;
            if (PLANE_CLASS(plane) == PLANE_BUFFER && n > s->carries)
                s->carries = n;
        }
    s->scratch = xcalloc(s->rows * plane_target(s->set->target)->sections + 1, sizeof *s->scratch);
    s->buffers =
        xcalloc(s->carries * plane_target(s->set->target)->sections + 1, sizeof *s->buffers);
}

/* Gives the bits that the micro-ops read of registers names. */
static void name_input(struct smt *s, uint32_t plane) {
    uint32_t n = PLANE_NUMBER(plane);
    if (PLANE_CLASS(plane) != PLANE_REGISTER || n >= REGISTER_PLANES || s->named[n])
        return;
    s->named[n] = true;
    str_printf(s->out, "(define-fun r%u.%u () Bool (= ((_ extract %u %u) r%u) #b1))\n", n >> 6,
               n & 63, n & 63, n & 63, n >> 6);
}

static void print_input(struct smt *s, uint32_t plane) {
    uint32_t n = PLANE_NUMBER(plane);
    switch (PLANE_CLASS(plane)) {
    case PLANE_REGISTER:
        str_printf(s->out, "r%u.%u", n >> 6, n & 63);
        break;
    case PLANE_C:
        str_append(s->out, "c");
        break;
    case PLANE_M:
        str_append(s->out, "m");
        break;
    default:
        str_append(s->out, "v");
    }
}

static void print_definition(struct smt *s, uint32_t n) {
    const struct traced *t = s->chain ? &s->traced.data[n] : NULL;
    if (!t || !t->lemma) {
        str_printf(s->out, "n%u", n);
        return;
    }
    str_append(s->out, t->complement ? "(not " : "");
    prove_chain_print(s->chain, t->lemma, s->out);
    str_append(s->out, t->complement ? ")" : "");
}

/* The value of a plane, as it stands in the list's order. */
static void print_plane(struct smt *s, uint32_t plane) {
    const uint32_t *slot = slot_of(s, plane);
    if (PLANE_CLASS(plane) == PLANE_CONST)
        str_append(s->out, PLANE_NUMBER(plane) ? "true" : "false");
    else if (!slot || *slot == INPUT)
        print_input(s, plane);
    else
        print_definition(s, *slot - DEFINITION);
}

static bool is_readable(struct smt *s, uint32_t plane) {
    const uint32_t *slot = slot_of(s, plane);
    if (slot)
        return *slot != NOTHING;
    return PLANE_CLASS(plane) == PLANE_CONST || PLANE_CLASS(plane) == PLANE_VALID;
}

/* --- micro-ops --- */

struct source_planes {
    uint32_t planes[UOP_MAX + 1];
    unsigned count;
};

static void print_sources(struct smt *s, const struct source_planes *in, const char *before) {
    str_append(s->out, before);
    for (unsigned k = 0; k < in->count; k++) {
        str_append(s->out, *before ? " " : "");
        print_plane(s, in->planes[k]);
    }
}

/* One row of the table: the product of the sources or their complements. */
static void print_product(struct smt *s, const struct source_planes *in, unsigned row) {
    str_append(s->out, " (and");
    for (unsigned k = 0; k < in->count; k++) {
        str_append(s->out, row >> k & 1 ? " " : " (not ");
        print_plane(s, in->planes[k]);
        str_append(s->out, row >> k & 1 ? "" : ")");
    }
    str_char(s->out, ')');
}

/* The function as one connective, where the table is that of one. */
static bool print_simple(struct smt *s, const struct source_planes *in, uint32_t truth) {
    uint32_t rows = 1u << in->count, full = (uint32_t)low_bits(rows), top = 1u << (rows - 1);
    bool pair = in->count == 2;
    const struct {
        bool fits;
        const char *open, *close;
    } forms[] = {
        {truth == 0, NULL, "false"},
        {truth == full, NULL, "true"},
        {in->count == 1 && truth == 2, "", ""},
        {in->count == 1 && truth == 1, "(not", ")"},
        {in->count > 1 && truth == top, "(and", ")"},
        {in->count > 1 && truth == (full ^ top), "(not (and", "))"},
        {in->count > 1 && truth == (full ^ 1), "(or", ")"},
        {in->count > 1 && truth == 1, "(not (or", "))"},
        {pair && truth == 6, "(xor", ")"},
        {pair && truth == 9, "(=", ")"},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (forms[i].fits) {
            if (forms[i].open)
                print_sources(s, in, forms[i].open);
            str_append(s->out, forms[i].close);
            return true;
        }
    return false;
}

static void print_function(struct smt *s, const struct source_planes *in, uint32_t truth) {
    truth &= (uint32_t)low_bits(1u << in->count);
    if (print_simple(s, in, truth))
        return;
    str_append(s->out, "(or");
    for (unsigned row = 0; row < 1u << in->count; row++)
        if (truth >> row & 1)
            print_product(s, in, row);
    str_char(s->out, ')');
}

/* The predicate holds back what a visible plane gets. */
static bool is_held_back(const struct uop *u, unsigned k) {
    enum plane_class c = PLANE_CLASS(u->dst[k]);
    return PLANE_CLASS(u->predicate) != PLANE_NONE && c != PLANE_SCRATCH && c != PLANE_BUFFER;
}

static void value_of(struct smt *s, uint32_t plane, struct sample *out) {
    const uint32_t *slot = slot_of(s, plane);
    if (slot && *slot >= DEFINITION)
        *out = s->traced.data[*slot - DEFINITION].value;
    else
        prove_sample_input(plane, out);
}

/* Notes the value of the definition that was just written, and which bit of the chain it is. */
static void trace(struct smt *s, const struct uop *u, const struct source_planes *all, unsigned k) {
    struct sample in[UOP_MAX + 1], held, old;
    struct traced t = {.lemma = 0};
    for (unsigned i = 0; i < all->count; i++)
        value_of(s, all->planes[i], &in[i]);
    prove_sample_apply(plane_target(s->set->target)->ops[u->kind].truth[k], in, all->count,
                       &t.value);
    if (is_held_back(u, k)) {
        value_of(s, u->predicate, &held);
        value_of(s, u->dst[k], &old);
        prove_sample_choose(&held, &t.value, &old, &t.value);
    }
    t.lemma = prove_chain_find(s->chain, &t.value, &t.complement);
    vec_push(&s->traced, t);
}

/* n<i> for one destination; under a predicate the old value where it is 0. */
static void define(struct smt *s, const struct uop *u, const struct source_planes *in, unsigned k) {
    const struct target_op *op = &plane_target(s->set->target)->ops[u->kind];
    struct source_planes all = *in;
    bool predicated = is_held_back(u, k);
    if (op->reads_old)
        all.planes[all.count++] = u->dst[k];
    if (predicated)
        name_input(s, u->dst[k]);
    str_printf(s->out, "(define-fun n%u () Bool ", s->definitions + k);
    if (predicated) {
        str_append(s->out, "(ite ");
        print_plane(s, u->predicate);
        str_char(s->out, ' ');
    }
    print_function(s, &all, op->truth[k]);
    if (predicated) {
        str_char(s->out, ' ');
        print_plane(s, u->dst[k]);
        str_char(s->out, ')');
    }
    str_append(s->out, ")\n");
    if (s->chain)
        trace(s, u, &all, k);
}

static bool check_planes(struct smt *s, const struct uop *u, size_t index) {
    const struct target_op *op = &plane_target(s->set->target)->ops[u->kind];
    for (unsigned k = 0; k < u->nsrc; k++)
        if (!is_readable(s, u->src[k]))
            return fail(s, "reads a plane that nothing has written", index);
    for (unsigned k = 0; k < u->ndst; k++) {
        if (!slot_of(s, u->dst[k]))
            return fail(s, "writes a plane that cannot be written", index);
        if ((op->reads_old || is_held_back(u, k)) && !is_readable(s, u->dst[k]))
            return fail(s, "keeps a plane that nothing has written", index);
    }
    return true;
}

/* All destinations take the values that the sources had before. */
static bool write_uop(struct smt *s, const struct uop *u, size_t index) {
    struct source_planes in = {.count = u->nsrc};
    if (!check_planes(s, u, index))
        return false;
    for (unsigned k = 0; k < u->nsrc; k++) {
        in.planes[k] = u->src[k];
        name_input(s, u->src[k]);
    }
    for (unsigned k = 0; k < u->ndst && plane_target(s->set->target)->ops[u->kind].reads_old; k++)
        name_input(s, u->dst[k]);
    for (unsigned k = 0; k < u->ndst; k++)
        define(s, u, &in, k);
    for (unsigned k = 0; k < u->ndst; k++)
        *slot_of(s, u->dst[k]) = DEFINITION + s->definitions++;
    return true;
}

static uint32_t moved(uint32_t plane, uint32_t by) {
    return PLANE_CLASS(plane) == PLANE_NONE ? plane : plane + by;
}

static bool write_repeated(struct smt *s, const struct uop *u, size_t index) {
    for (uint32_t i = 0; i < u->count; i++) {
        struct uop one = *u;
        for (unsigned k = 0; k < UOP_MAX; k++) {
            one.src[k] = moved(u->src[k], i * (uint32_t)u->stride);
            one.dst[k] = moved(u->dst[k], i * (uint32_t)u->stride);
        }
        if (!write_uop(s, &one, index))
            return false;
    }
    return true;
}

/* --- the contract --- */

static uint8_t register_of(const struct insn *insn, uint8_t field) {
    return field == FIELD_RS ? insn->rs : field == FIELD_RT ? insn->rt : insn->rd;
}

/* rs, rt and rd as the contract reads them: w bits of the old value, or those of the source's
 * width. */
static void define_operand(struct smt *s, uint8_t field) {
    unsigned reg = register_of(s->insn, field), v = s->w;
    if (field == FIELD_RS)
        v = recipe_computes_source_width(s->insn);
    str_printf(s->out,
               "(define-fun %s () (_ BitVec %u) ((_ zero_extend %u) ((_ extract %u 0) r%u)))\n",
               prove_smt_operand_name(field), s->w, s->w - v, v - 1, reg);
}

static void define_bit(struct smt *s, const char *name, const char *bit) {
    str_printf(s->out, "(define-fun %s () (_ BitVec %u) (ite %s (_ bv1 %u) (_ bv0 %u)))\n", name,
               s->w, bit, s->w, s->w);
}

static void define_operands(struct smt *s) {
    for (uint8_t field = FIELD_RS; field <= FIELD_RD; field++)
        if (s->info->flags & (READS_RS << field))
            define_operand(s, field);
    define_bit(s, "C", "c");
    define_bit(s, "M", "m");
    define_bit(s, "valid", "v");
}

/* want.<result>: what the contract says, a bit for C and M. */
static void define_want(struct smt *s, uint8_t field) {
    const struct golden_lane lane = {.w = s->w, .imm = s->insn->imm};
    bool bit = field == FIELD_C || field == FIELD_M;
    str_printf(s->out, "(define-fun want.%s () (_ BitVec %u) ", prove_smt_operand_name(field),
               bit ? 1 : s->w);
    str_append(s->out, bit ? "((_ extract 0 0) " : "");
    prove_smt_term(s->c, recipe_computes_of(s->c, field)->args[1], &lane, s->out);
    str_append(s->out, bit ? "))\n" : ")\n");
}

static void print_wanted(struct smt *s, uint8_t field, unsigned j) {
    if (s->chain && field == FIELD_RD)
        prove_chain_print_result(s->chain, j, s->out);
    else
        str_printf(s->out, "(= ((_ extract %u %u) want.%s) #b1)", j, j,
                   prove_smt_operand_name(field));
}

/* The plane has not the bit j of the contract; under a mask, where M is 0, not its old one. */
static void write_difference(struct smt *s, uint32_t plane, uint8_t field, unsigned j,
                             bool masked) {
    str_append(s->out, " (xor ");
    print_plane(s, plane);
    str_append(s->out, masked ? " (ite m " : " ");
    print_wanted(s, field, j);
    if (masked) {
        str_char(s->out, ' ');
        print_input(s, plane);
        str_char(s->out, ')');
    }
    str_append(s->out, ")\n");
}

/* Which field's result a plane holds, or FIELD_NONE. */
static uint8_t result_in(const struct smt *s, uint32_t plane) {
    struct signature sig;
    enum plane_class class = PLANE_CLASS(plane);
    notation_signature(s->insn->op, &sig);
    for (unsigned i = 0; i < sig.out_count; i++) {
        uint8_t field = sig.out[i];
        if ((class == PLANE_C && field == FIELD_C) || (class == PLANE_M && field == FIELD_M))
            return field;
        if (class == PLANE_REGISTER && field <= FIELD_RD &&
            PLANE_NUMBER(plane) >> 6 == register_of(s->insn, field) &&
            (PLANE_NUMBER(plane) & 63) < s->w)
            return field;
    }
    return FIELD_NONE;
}

/* A plane that is no result has changed. */
static void write_change(struct smt *s, uint32_t plane) {
    str_append(s->out, " (xor ");
    print_plane(s, plane);
    str_char(s->out, ' ');
    print_input(s, plane);
    str_append(s->out, ")\n");
}

static void write_plane_check(struct smt *s, uint32_t plane, bool masked) {
    uint8_t field = result_in(s, plane);
    if (field != FIELD_NONE)
        write_difference(s, plane, field,
                         PLANE_CLASS(plane) == PLANE_REGISTER ? PLANE_NUMBER(plane) & 63 : 0,
                         masked);
    else if (*slot_of(s, plane) != INPUT)
        write_change(s, plane);
}

/* Every visible plane, in order. */
static void visit_planes(struct smt *s, void (*visit)(struct smt *, uint32_t, bool), bool masked) {
    for (uint32_t n = 0; n < REGISTER_PLANES; n++)
        if (s->registers[n] != INPUT || result_in(s, PLANE(PLANE_REGISTER, 0, n)) != FIELD_NONE)
            visit(s, PLANE(PLANE_REGISTER, 0, n), masked);
    visit(s, PLANE(PLANE_C, 0, 0), masked);
    visit(s, PLANE(PLANE_M, 0, 0), masked);
}

static void name_plane(struct smt *s, uint32_t plane, bool masked) {
    (void)masked;
    name_input(s, plane);
}

/* A definition is not the bit of the chain that was read in its place. */
static void doubt_lemmas(struct smt *s) {
    for (uint32_t n = 0; n < s->traced.len; n++)
        if (s->traced.data[n].lemma) {
            str_printf(s->out, " (xor n%u ", n);
            print_definition(s, n);
            str_append(s->out, ")\n");
        }
    prove_chain_doubt_law(s->chain, s->out);
}

static void write_question(struct smt *s, bool masked) {
    struct signature sig;
    notation_signature(s->insn->op, &sig);
    define_operands(s);
    for (unsigned i = 0; i < sig.out_count; i++)
        define_want(s, sig.out[i]);
    visit_planes(s, name_plane, masked);
    str_append(s->out, "(assert (or false\n");
    if (s->chain)
        doubt_lemmas(s);
    visit_planes(s, write_plane_check, masked);
    str_append(s->out, "))\n(check-sat)\n");
}

/* --- the file --- */

static void write_head(struct smt *s, bool masked) {
    struct str text = {0};
    isa_users_format(&s->set->users, s->insn, NULL, &text);
    str_printf(s->out,
               "; %s%s on target %s: the micro-ops keep the contract if this is unsatisfiable%s\n"
               "(set-logic QF_BV)\n",
               str_text(&text), masked ? " under a mask" : "", s->set->target->name,
               s->chain ? "" : ", and only then");
    str_free(&text);
    bool declared[64] = {false};
    const uint8_t registers[] = {s->insn->rs, s->insn->rt, s->insn->rd};
    for (unsigned i = 0; i < 3; i++)
        declared[registers[i]] = true;
    for (unsigned r = 0; r < 64; r++)
        if (declared[r])
            str_printf(s->out, "(declare-const r%u (_ BitVec 64))\n", r);
    str_append(s->out, "(declare-const c Bool)\n(declare-const m Bool)\n(declare-const v Bool)\n"
                       "(assert (=> m v))\n");
}

/* Only registers of the instruction have names. */
static bool check_registers(struct smt *s, const struct uop_list *list) {
    for (size_t i = 0; i < list->len; i++)
        for (unsigned k = 0; k < 2 * UOP_MAX; k++) {
            const struct uop *u = &list->data[i];
            uint32_t plane = k < UOP_MAX ? u->src[k] : u->dst[k - UOP_MAX];
            uint32_t reg = PLANE_NUMBER(plane) >> 6;
            if (PLANE_CLASS(plane) == PLANE_REGISTER && reg != s->insn->rs && reg != s->insn->rt &&
                reg != s->insn->rd)
                return fail(s, "names a register that is no operand", i);
        }
    return true;
}

static void write_chain(struct smt *s) {
    for (unsigned r = 0; r < 64; r++)
        for (unsigned j = 0; j < s->w && prove_chain_reads(s->chain, r); j++)
            name_input(s, PLANE(PLANE_REGISTER, 0, r << 6 | j));
    prove_chain_define(s->chain, s->out);
}

static bool write_list(struct smt *s, const struct uop_list *list, bool masked) {
    for (size_t i = 0; i < REGISTER_PLANES; i++)
        s->registers[i] = INPUT;
    s->cond = s->mask = INPUT;
    if (!check_registers(s, list))
        return false;
    measure(s, list);
    write_head(s, masked);
    if (s->chain)
        write_chain(s);
    bool fine = true;
    for (size_t i = 0; i < list->len && fine; i++)
        fine = write_repeated(s, &list->data[i], i);
    if (fine)
        write_question(s, masked);
    free(s->scratch);
    free(s->buffers);
    return fine;
}

static bool has_contract(const struct recipe *c, const struct insn *insn, struct diag *d) {
    const char *missing = recipe_computes_missing(c);
    if (!missing)
        return true;
    recipe_error(d, c->unit.file, c->unit.at,
                 "%s: no 'computes' says what '%s' is, so there is "
                 "nothing to prove",
                 isa_info(insn->op)->name, missing);
    return false;
}

static unsigned width_of(const struct insn *insn) {
    return isa_info(insn->op)->flags & ISA_WIDTH ? insn->width : 1;
}

bool prove_smt_write_list(const struct recipe_set *set, const struct recipe *c,
                          const struct insn *insn, enum smt_form form, const struct uop_list *list,
                          struct str *out, struct diag *d) {
    if (!has_contract(c, insn, d))
        return false;
    struct smt *s = xcalloc(1, sizeof *s);
    *s = (struct smt){
        .set = set, .c = c, .insn = insn, .info = isa_info(insn->op), .out = out, .diag = d};
    s->w = width_of(insn);
    s->chain = form & SMT_PLAIN ? NULL : prove_chain_new(c, insn, s->w);
    bool fine = write_list(s, list, form & SMT_MASKED && !(s->info->flags & ISA_UNMASKED));
    prove_chain_free(s->chain);
    vec_free(&s->traced);
    free(s);
    return fine;
}

/* What says what the instruction computes: of a user's its declaration. */
static const struct recipe *contract_of(const struct recipe_set *s, enum mpu_op op) {
    return isa_info(op)->flags & ISA_USER ? s->contracts[op - OP_USER_C0] : recipe_of(s, op, NULL);
}

bool prove_smt_write(const struct recipe_set *s, const struct insn *insn, enum smt_form form,
                     struct str *out, struct diag *d) {
    struct uop_list list = {0};
    bool fine = recipe_expand(s, insn, form & SMT_MASKED, &list, d) &&
                prove_smt_write_list(s, contract_of(s, insn->op), insn, form, &list, out, d);
    vec_free(&list);
    return fine;
}

bool prove_smt_has_lemmas(const struct recipe_set *s, const struct insn *insn) {
    struct lemma_chain *chain = prove_chain_new(contract_of(s, insn->op), insn, width_of(insn));
    bool has = chain != NULL;
    prove_chain_free(chain);
    return has;
}
