/* SPDX-License-Identifier: MIT
 * Micro-ops as Boolean definitions, plane by plane, against the contract. */
#include "recipe/prove/smt.h"

#include "recipe/prove/chain.h"
#include "recipe/verify/computes.h"
#include "recipe/prove/smt_term.h"

#include "support/bits.h"
#include "support/vec.h"

#include <stdlib.h>
#include <string.h>

/* What stands for a plane's value at a time: an input, a definition, or nothing yet. */
#define NOTHING    0u
#define INPUT      1u /* the plane's value before the instruction */
#define DEFINITION 2u /* DEFINITION + i: the definition n<i>, or with a fold its bit i */

#define REGISTER_PLANES (64 * 64)

/* The lanes of which a run through the list speaks.  A fold speaks of those with M = 1 and those
 * with M = 0 one after the other, with M and what follows from it as constants: where lanes that
 * nobody sees compute something else, the others still meet the reference. */
enum lanes { LANES_ALL, LANES_EITHER, LANES_ON, LANES_OFF };

/* A visible plane that may be left with another value than its due: the contract's bit of a field,
 * or (FIELD_NONE) the old value. */
struct doubt {
    uint32_t plane, slot;
    uint8_t field, bit;
    enum lanes lanes;
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
    struct fold *fold;   /* NULL: a definition for each micro-op */
    struct chain *chain; /* NULL: none */
    unsigned attempt;    /* at the chain */
    enum lanes lanes;
    VEC(struct doubt) doubts;
};

static bool fail(struct smt *smt, const char *what, size_t index) {
    if (smt->diag)
        diag_error(smt->diag, NO_SPAN, "%s: micro-op %zu %s", smt->info->name, index, what);
    return false;
}

/* --- planes --- */

/* Where the value of a plane that can be written is noted; NULL for others. */
static uint32_t *slot_of(struct smt *smt, uint32_t plane) {
    uint32_t n = PLANE_NUMBER(plane), section = PLANE_SECTION(plane);
    switch (PLANE_CLASS(plane)) {
    case PLANE_REGISTER:
        return n < REGISTER_PLANES ? &smt->registers[n] : NULL;
    case PLANE_C:
        return &smt->cond;
    case PLANE_M:
        return &smt->mask;
    case PLANE_SCRATCH:
        return section < plane_target(smt->set->target)->sections && n < smt->rows
                   ? &smt->scratch[section * smt->rows + n]
                   : NULL;
    case PLANE_BUFFER:
        return section < plane_target(smt->set->target)->sections && n < smt->carries
                   ? &smt->buffers[section * smt->carries + n]
                   : NULL;
    default:
        return NULL;
    }
}

/* Rows of scratch and numbers of carries that the list uses, for the size of the tables. */
static void measure(struct smt *smt, const struct uop_list *list) {
    for (size_t i = 0; i < list->len; i++)
        for (unsigned k = 0; k < list->data[i].ndst; k++) {
            uint32_t plane = list->data[i].dst[k];
            size_t n = (size_t)PLANE_NUMBER(plane) + 1;
            if (PLANE_CLASS(plane) == PLANE_SCRATCH && n > smt->rows)
                smt->rows = n;
            if (PLANE_CLASS(plane) == PLANE_BUFFER && n > smt->carries)
                smt->carries = n;
        }
    smt->scratch =
        xcalloc(smt->rows * plane_target(smt->set->target)->sections + 1, sizeof *smt->scratch);
    smt->buffers =
        xcalloc(smt->carries * plane_target(smt->set->target)->sections + 1, sizeof *smt->buffers);
}

/* Gives the bits that the micro-ops read of registers names. */
static void name_input(struct smt *smt, uint32_t plane) {
    uint32_t n = PLANE_NUMBER(plane);
    if (PLANE_CLASS(plane) != PLANE_REGISTER || n >= REGISTER_PLANES || smt->named[n])
        return;
    smt->named[n] = true;
    prove_smt_define_input(plane, smt->out);
}

static void print_definition(struct smt *smt, uint32_t n) {
    if (smt->fold)
        prove_fold_print(smt->fold, n, smt->out);
    else
        str_printf(smt->out, "n%u", n);
}

/* What a slot of a plane stands for. */
static void print_slot(struct smt *smt, uint32_t plane, uint32_t slot) {
    if (slot == INPUT)
        prove_smt_print_input(plane, smt->out);
    else
        print_definition(smt, slot - DEFINITION);
}

/* The value of a plane, as it stands in the list's order. */
static void print_plane(struct smt *smt, uint32_t plane) {
    const uint32_t *slot = slot_of(smt, plane);
    if (PLANE_CLASS(plane) == PLANE_CONST)
        str_append(smt->out, PLANE_NUMBER(plane) ? "true" : "false");
    else
        print_slot(smt, plane, slot ? *slot : INPUT);
}

static bool is_readable(struct smt *smt, uint32_t plane) {
    const uint32_t *slot = slot_of(smt, plane);
    if (slot)
        return *slot != NOTHING;
    return PLANE_CLASS(plane) == PLANE_CONST || PLANE_CLASS(plane) == PLANE_VALID;
}

/* --- micro-ops --- */

struct source_planes {
    uint32_t planes[UOP_MAX + 1];
    unsigned count;
};

static void print_sources(struct smt *smt, const struct source_planes *in, const char *before) {
    str_append(smt->out, before);
    for (unsigned k = 0; k < in->count; k++) {
        str_append(smt->out, *before ? " " : "");
        print_plane(smt, in->planes[k]);
    }
}

/* One row of the table: the product of the sources or their complements. */
static void print_product(struct smt *smt, const struct source_planes *in, unsigned row) {
    str_append(smt->out, " (and");
    for (unsigned k = 0; k < in->count; k++) {
        str_append(smt->out, row >> k & 1 ? " " : " (not ");
        print_plane(smt, in->planes[k]);
        str_append(smt->out, row >> k & 1 ? "" : ")");
    }
    str_char(smt->out, ')');
}

/* The function as one connective, where the table is that of one. */
static bool print_simple(struct smt *smt, const struct source_planes *in, uint32_t truth) {
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
                print_sources(smt, in, forms[i].open);
            str_append(smt->out, forms[i].close);
            return true;
        }
    return false;
}

static void print_function(struct smt *smt, const struct source_planes *in, uint32_t truth) {
    truth &= (uint32_t)low_bits(1u << in->count);
    if (print_simple(smt, in, truth))
        return;
    str_append(smt->out, "(or");
    for (unsigned row = 0; row < 1u << in->count; row++)
        if (truth >> row & 1)
            print_product(smt, in, row);
    str_char(smt->out, ')');
}

/* The predicate holds back what a visible plane gets. */
static bool is_held_back(const struct uop *uop, unsigned index) {
    enum plane_class c = PLANE_CLASS(uop->dst[index]);
    return PLANE_CLASS(uop->predicate) != PLANE_NONE && c != PLANE_SCRATCH && c != PLANE_BUFFER;
}

/* n<i> for one destination; under a predicate the old value where it is 0. */
static void define(struct smt *smt, const struct uop *uop, const struct source_planes *in,
                   unsigned index) {
    const struct target_op *op = &plane_target(smt->set->target)->ops[uop->kind];
    bool predicated = is_held_back(uop, index);
    str_printf(smt->out, "(define-fun n%u () Bool ", smt->definitions + index);
    if (predicated) {
        str_append(smt->out, "(ite ");
        print_plane(smt, uop->predicate);
        str_char(smt->out, ' ');
    }
    print_function(smt, in, op->truth[index]);
    if (predicated) {
        str_char(smt->out, ' ');
        print_plane(smt, uop->dst[index]);
        str_char(smt->out, ')');
    }
    str_append(smt->out, ")\n");
}

/* The fold's bit of a plane before the instruction.  M is 1 in valid lanes alone. */
static uint32_t input_bit(struct smt *smt, uint32_t plane) {
    enum plane_class class = PLANE_CLASS(plane);
    if (class == PLANE_CONST)
        return PLANE_NUMBER(plane) ? FOLD_TRUE : FOLD_FALSE;
    if (smt->lanes == LANES_ON && (class == PLANE_M || class == PLANE_VALID))
        return FOLD_TRUE;
    if (smt->lanes == LANES_OFF && class == PLANE_M)
        return FOLD_FALSE;
    return prove_fold_input(smt->fold, plane);
}

/* As it stands in the list's order. */
static uint32_t bit_of(struct smt *smt, uint32_t plane) {
    const uint32_t *slot = slot_of(smt, plane);
    return slot && *slot >= DEFINITION ? *slot - DEFINITION : input_bit(smt, plane);
}

/* The same as define, in the fold. */
static uint32_t fold_one(struct smt *smt, const struct uop *uop, const struct source_planes *in,
                         unsigned index) {
    const struct target_op *op = &plane_target(smt->set->target)->ops[uop->kind];
    uint32_t bits[UOP_MAX + 1];
    for (unsigned k = 0; k < in->count; k++)
        bits[k] = bit_of(smt, in->planes[k]);
    uint32_t bit = prove_fold_apply(smt->fold, op->truth[index], bits, in->count);
    return is_held_back(uop, index) ? prove_fold_choose(smt->fold, bit_of(smt, uop->predicate), bit,
                                                        bit_of(smt, uop->dst[index]))
                                    : bit;
}

static bool check_planes(struct smt *smt, const struct uop *uop, size_t index) {
    const struct target_op *op = &plane_target(smt->set->target)->ops[uop->kind];
    for (unsigned k = 0; k < uop->nsrc; k++)
        if (!is_readable(smt, uop->src[k]))
            return fail(smt, "reads a plane that nothing has written", index);
    for (unsigned k = 0; k < uop->ndst; k++) {
        if (!slot_of(smt, uop->dst[k]))
            return fail(smt, "writes a plane that cannot be written", index);
        if ((plane_op_uses_old(op, k) || is_held_back(uop, k)) && !is_readable(smt, uop->dst[k]))
            return fail(smt, "keeps a plane that nothing has written", index);
    }
    return true;
}

/* Sources of a destination, with its old value where that counts. */
static struct source_planes sources_of(struct smt *smt, const struct uop *uop, unsigned index) {
    struct source_planes in = {.count = uop->nsrc};
    for (unsigned k = 0; k < uop->nsrc; k++)
        in.planes[k] = uop->src[k];
    if (plane_target(smt->set->target)->ops[uop->kind].reads_old)
        in.planes[in.count++] = uop->dst[index];
    for (unsigned k = 0; k < in.count; k++)
        name_input(smt, in.planes[k]);
    if (is_held_back(uop, index))
        name_input(smt, uop->dst[index]);
    return in;
}

/* All destinations take the values that the sources had before. */
static bool write_uop(struct smt *smt, const struct uop *uop, size_t index) {
    uint32_t bits[UOP_MAX];
    if (!check_planes(smt, uop, index))
        return false;
    for (unsigned k = 0; k < uop->ndst; k++) {
        struct source_planes in = sources_of(smt, uop, k);
        if (smt->fold)
            bits[k] = fold_one(smt, uop, &in, k);
        else
            define(smt, uop, &in, k);
    }
    for (unsigned k = 0; k < uop->ndst; k++)
        *slot_of(smt, uop->dst[k]) = DEFINITION + (smt->fold ? bits[k] : smt->definitions++);
    return true;
}

/* --- the contract --- */

static uint8_t register_of(const struct insn *insn, uint8_t field) {
    return field == FIELD_RS ? insn->rs : field == FIELD_RT ? insn->rt : insn->rd;
}

/* rs, rt and rd as the contract reads them: w bits of the old value, or those of the source's
 * width. */
static void define_operand(struct smt *smt, uint8_t field) {
    unsigned reg = register_of(smt->insn, field), v = smt->w;
    if (field == FIELD_RS)
        v = recipe_computes_bits(smt->insn, ROLE_RS);
    str_printf(smt->out,
               "(define-fun %s () (_ BitVec %u) ((_ zero_extend %u) ((_ extract %u 0) r%u)))\n",
               prove_smt_operand_name(field), smt->w, smt->w - v, v - 1, reg);
}

static void define_bit(struct smt *smt, const char *name, const char *bit) {
    str_printf(smt->out, "(define-fun %s () (_ BitVec %u) (ite %s (_ bv1 %u) (_ bv0 %u)))\n", name,
               smt->w, bit, smt->w, smt->w);
}

static void define_operands(struct smt *smt) {
    for (uint8_t field = FIELD_RS; field <= FIELD_RD; field++)
        if (smt->info->flags & (READS_RS << field))
            define_operand(smt, field);
    define_bit(smt, "C", "c");
    define_bit(smt, "M", "m");
    define_bit(smt, "valid", "v");
}

/* want.<result>: what the contract says, a bit for C and M. */
static void define_want(struct smt *smt, uint8_t field) {
    const struct golden_lane lane = {
        .w = smt->w, .imm = smt->insn->imm, .flush = smt->set->target->arith == ARITH_FLUSH};
    bool bit = field == FIELD_C || field == FIELD_M;
    str_printf(smt->out, "(define-fun want.%s () (_ BitVec %u) ", prove_smt_operand_name(field),
               bit ? 1 : smt->w);
    str_append(smt->out, bit ? "((_ extract 0 0) " : "");
    prove_smt_term(smt->c, recipe_computes_of(smt->c, field)->args[1], &lane, smt->out);
    str_append(smt->out, bit ? "))\n" : ")\n");
}

static void print_wanted(struct smt *smt, uint8_t field, unsigned j) {
    uint32_t bit;
    if (smt->chain && prove_chain_result(smt->chain, field, j, &bit))
        prove_fold_print(smt->fold, bit, smt->out);
    else
        str_printf(smt->out, "(= ((_ extract %u %u) want.%s) #b1)", j, j,
                   prove_smt_operand_name(field));
}

/* Which field's result a plane holds, or FIELD_NONE. */
static uint8_t result_in(const struct smt *smt, uint32_t plane) {
    struct signature sig;
    enum plane_class class = PLANE_CLASS(plane);
    notation_signature(smt->insn->op, &sig);
    for (unsigned i = 0; i < sig.out_count; i++) {
        uint8_t field = sig.out[i];
        if ((class == PLANE_C && field == FIELD_C) || (class == PLANE_M && field == FIELD_M))
            return field;
        if (class == PLANE_REGISTER && field <= FIELD_RD &&
            PLANE_NUMBER(plane) >> 6 == register_of(smt->insn, field) &&
            (PLANE_NUMBER(plane) & 63) < smt->w)
            return field;
    }
    return FIELD_NONE;
}

/* The plane is, without a question, what it must be: their bits are one. */
static bool is_settled(struct smt *smt, const struct doubt *doubt) {
    uint32_t bit;
    if (!smt->fold)
        return false;
    if (doubt->field == FIELD_NONE)
        return bit_of(smt, doubt->plane) == input_bit(smt, doubt->plane);
    return smt->chain && prove_chain_result(smt->chain, doubt->field, doubt->bit, &bit) &&
           bit_of(smt, doubt->plane) == bit;
}

/* Notes what the list may have left wrong in a plane. */
static void doubt_plane(struct smt *smt, uint32_t plane) {
    struct doubt d = {.plane = plane, .slot = *slot_of(smt, plane), .lanes = smt->lanes};
    d.field = smt->lanes == LANES_OFF ? FIELD_NONE : result_in(smt, plane);
    d.bit = PLANE_CLASS(plane) == PLANE_REGISTER ? PLANE_NUMBER(plane) & 63 : 0;
    bool is_other = d.field == FIELD_NONE && d.slot == INPUT;
    if (!is_other && !is_settled(smt, &d))
        vec_push(&smt->doubts, d);
}

/* Every visible plane, in order. */
static void doubt_planes(struct smt *smt) {
    for (uint32_t n = 0; n < REGISTER_PLANES; n++)
        if (smt->registers[n] != INPUT || result_in(smt, PLANE(PLANE_REGISTER, 0, n)) != FIELD_NONE)
            doubt_plane(smt, PLANE(PLANE_REGISTER, 0, n));
    doubt_plane(smt, PLANE(PLANE_C, 0, 0));
    doubt_plane(smt, PLANE(PLANE_M, 0, 0));
}

/* --- the question --- */

/* Definitions of what the doubts name. */
static void write_fold(struct smt *smt) {
    struct fold_bits bits = {0};
    uint32_t bit;
    for (size_t i = 0; i < smt->doubts.len; i++) {
        const struct doubt *d = &smt->doubts.data[i];
        if (d->slot >= DEFINITION)
            vec_push(&bits, d->slot - DEFINITION);
        if (smt->chain && prove_chain_result(smt->chain, d->field, d->bit, &bit))
            vec_push(&bits, bit);
    }
    if (smt->chain)
        prove_chain_names(smt->chain, &bits);
    prove_fold_write(smt->fold, bits.data, bits.len, smt->out);
    vec_free(&bits);
}

static void write_wants(struct smt *smt) {
    struct signature sig;
    notation_signature(smt->insn->op, &sig);
    if (smt->chain)
        prove_chain_define(smt->chain, smt->fold, smt->out);
    for (unsigned i = 0; i < sig.out_count && !smt->chain; i++)
        define_want(smt, sig.out[i]);
}

/* What a plane must hold; with LANES_EITHER, where M is 0, its old value. */
static void print_due(struct smt *smt, const struct doubt *doubt) {
    bool both = doubt->lanes == LANES_EITHER && doubt->field != FIELD_NONE;
    str_append(smt->out, both ? "(ite m " : "");
    if (doubt->field != FIELD_NONE)
        print_wanted(smt, doubt->field, doubt->bit);
    str_append(smt->out, both ? " " : "");
    if (doubt->field == FIELD_NONE || both)
        prove_smt_print_input(doubt->plane, smt->out);
    str_append(smt->out, both ? ")" : "");
}

static void write_doubt(struct smt *smt, const struct doubt *doubt) {
    bool one = doubt->lanes == LANES_ON || doubt->lanes == LANES_OFF;
    str_append(smt->out, !one ? "" : doubt->lanes == LANES_ON ? " (and m" : " (and (not m)");
    str_append(smt->out, " (xor ");
    print_slot(smt, doubt->plane, doubt->slot);
    str_char(smt->out, ' ');
    print_due(smt, doubt);
    str_append(smt->out, one ? "))\n" : ")\n");
}

static void write_question(struct smt *smt) {
    define_operands(smt);
    for (size_t i = 0; i < smt->doubts.len; i++)
        name_input(smt, smt->doubts.data[i].plane);
    if (smt->fold)
        write_fold(smt);
    write_wants(smt);
    str_append(smt->out, "(assert (or false\n");
    for (size_t i = 0; i < smt->doubts.len; i++)
        write_doubt(smt, &smt->doubts.data[i]);
    str_append(smt->out, "))\n(check-sat)\n");
}

/* --- the file --- */

static bool compares_floats(const struct recipe *recipe) {
    for (unsigned i = 0; i < recipe->computes_count; i++)
        if (prove_smt_term_is_float(recipe->computes[i]->args[1]))
            return true;
    return false;
}

static void write_head(struct smt *smt, bool masked) {
    struct str text = {0};
    isa_users_format(&smt->set->users, smt->insn, NULL, &text);
    str_printf(smt->out,
               "; %s%s on target %s: the micro-ops keep the contract if this is unsatisfiable%s\n"
               "(set-logic %s)\n",
               str_text(&text), masked ? " under a mask" : "", smt->set->target->name,
               smt->chain ? "" : ", and only then", compares_floats(smt->c) ? "QF_BVFP" : "QF_BV");
    str_free(&text);
    bool declared[64] = {false};
    const uint8_t registers[] = {smt->insn->rs, smt->insn->rt, smt->insn->rd};
    for (unsigned i = 0; i < 3; i++)
        declared[registers[i]] = true;
    for (unsigned r = 0; r < 64; r++)
        if (declared[r])
            prove_smt_declare_register(r, smt->out);
    str_append(smt->out, "(declare-const c Bool)\n(declare-const m Bool)\n(declare-const v Bool)\n"
                         "(assert (=> m v))\n");
}

/* Only registers of the instruction have names. */
static bool check_registers(struct smt *smt, const struct uop_list *list) {
    for (size_t i = 0; i < list->len; i++)
        for (unsigned k = 0; k < 2 * UOP_MAX; k++) {
            const struct uop *u = &list->data[i];
            uint32_t plane = k < UOP_MAX ? u->src[k] : u->dst[k - UOP_MAX];
            uint32_t reg = PLANE_NUMBER(plane) >> 6;
            if (PLANE_CLASS(plane) == PLANE_REGISTER && reg != smt->insn->rs &&
                reg != smt->insn->rt && reg != smt->insn->rd)
                return fail(smt, "names a register that is no operand", i);
        }
    return true;
}

/* Definitions follow the list; the machine's one buffer per direction must give the same. */
static bool check_buffers(struct smt *smt, const struct uop_list *list) {
    const char *problem = NULL;
    if (recipe_buffers_suffice(smt->set->target, list, &problem))
        return true;
    if (smt->diag)
        diag_error(smt->diag, NO_SPAN, "%s: %s", smt->info->name, problem);
    return false;
}

/* Where sections can be joined, carries go by trees: the last attempts come first. */
static bool by_trees(const struct recipe_set *set) {
    return plane_target(set->target)->partitioned;
}

static void build_chain(struct smt *smt) {
    for (unsigned r = 0; r < 64; r++)
        for (unsigned j = 0; j < smt->w && prove_chain_reads(smt->chain, r); j++)
            name_input(smt, PLANE(PLANE_REGISTER, 0, r << 6 | j));
    unsigned last = prove_chain_attempts(smt->chain) - 1;
    prove_chain_build(smt->chain, smt->fold,
                      by_trees(smt->set) ? last - smt->attempt : smt->attempt);
}

/* Runs through the list from the planes before the instruction on, and notes what is in doubt. */
static bool run_list(struct smt *smt, const struct uop_list *list, enum lanes lanes) {
    unsigned sections = plane_target(smt->set->target)->sections;
    for (size_t i = 0; i < REGISTER_PLANES; i++)
        smt->registers[i] = INPUT;
    smt->cond = smt->mask = INPUT;
    memset(smt->scratch, 0, smt->rows * sections * sizeof *smt->scratch);
    memset(smt->buffers, 0, smt->carries * sections * sizeof *smt->buffers);
    smt->lanes = lanes;
    for (size_t i = 0; i < list->len; i++)
        if (!write_uop(smt, &list->data[i], i))
            return false;
    doubt_planes(smt);
    return true;
}

static bool run_lanes(struct smt *smt, const struct uop_list *list, bool masked) {
    if (!masked)
        return run_list(smt, list, LANES_ALL);
    if (!smt->fold)
        return run_list(smt, list, LANES_EITHER);
    return run_list(smt, list, LANES_ON) && run_list(smt, list, LANES_OFF);
}

static bool write_list(struct smt *smt, const struct uop_list *list, bool masked) {
    if (!check_registers(smt, list) || !check_buffers(smt, list))
        return false;
    measure(smt, list);
    write_head(smt, masked);
    if (smt->chain)
        build_chain(smt);
    bool fine = run_lanes(smt, list, masked);
    if (fine)
        write_question(smt);
    free(smt->scratch);
    free(smt->buffers);
    return fine;
}

static bool has_contract(const struct recipe *recipe, const struct insn *insn, struct diag *diag) {
    const char *missing = recipe_computes_missing(recipe);
    if (!missing)
        return true;
    recipe_error(diag, recipe->unit.file, recipe->unit.at,
                 "%s: no 'computes' says what '%s' is, so there is "
                 "nothing to prove",
                 isa_info(insn->op)->name, missing);
    return false;
}

static bool is_sayable(const struct recipe *recipe) {
    if (recipe->unlike_count)
        return false;
    for (unsigned i = 0; i < recipe->computes_count; i++)
        if (!prove_smt_term_exists(recipe->computes[i]->args[1]))
            return false;
    return true;
}

static bool check_contract(const struct recipe *recipe, const struct insn *insn,
                           struct diag *diag) {
    if (!has_contract(recipe, insn, diag))
        return false;
    if (is_sayable(recipe))
        return true;
    recipe_error(diag, recipe->unit.file, recipe->unit.at, "%s: %s", isa_info(insn->op)->name,
                 recipe->unlike_count
                     ? "what differs from the ISA is tested, not proved"
                     : "arithmetic on floats is tested, not proved: logic has no term for it");
    return false;
}

static unsigned width_of(const struct insn *insn) {
    return isa_info(insn->op)->flags & ISA_WIDTH ? insn->width : 1;
}

/* How an attempt at a reference (chain.h) went. */
struct chain_attempt {
    unsigned count; /* of attempts that there are */
    bool wider;     /* prove_chain_is_wider */
    size_t left; /* doubts that another one might settle; of what is wider, bytes of the question:
                    what meets its reference has nothing below it */
};

static bool write_attempt(const struct smt *start, const struct uop_list *list, enum smt_form form,
                          struct chain_attempt *attempt) {
    struct smt *s = xcalloc(1, sizeof *s);
    *s = *start;
    s->w = width_of(s->insn);
    s->fold = form & SMT_PLAIN ? NULL : prove_fold_new();
    s->chain = s->fold ? prove_chain_new(s->c, s->insn, s->w) : NULL;
    bool fine = write_list(s, list, form & SMT_MASKED && !(s->info->flags & ISA_UNMASKED));
    bool settled = !s->chain || s->doubts.len == 0;
    attempt->count = s->chain ? prove_chain_attempts(s->chain) : 1;
    attempt->wider = s->chain && prove_chain_is_wider(s->chain);
    attempt->left = settled ? 0 : attempt->wider ? s->out->len : s->doubts.len;
    vec_free(&s->doubts);
    prove_chain_free(s->chain);
    prove_fold_free(s->fold);
    free(s);
    return fine;
}

bool prove_smt_write_list(const struct recipe_set *set, const struct recipe *recipe,
                          const struct insn *insn, enum smt_form form, const struct uop_list *list,
                          struct str *out, struct diag *diag) {
    if (!check_contract(recipe, insn, diag))
        return false;
    struct smt *start = xcalloc(1, sizeof *start);
    *start = (struct smt){.set = set,
                          .c = recipe,
                          .insn = insn,
                          .info = isa_info(insn->op),
                          .out = out,
                          .diag = diag};
    size_t before = out->len, least = SIZE_MAX;
    struct chain_attempt attempt = {.count = 1, .left = 1};
    unsigned best = 0;
    bool fine = true;
    for (; fine && attempt.left && start->attempt < attempt.count; start->attempt++) {
        out->len = before;
        fine = write_attempt(start, list, form, &attempt);
        /* The first two at a product are alike but for some doubts. */
        bool alike = start->attempt == 1 && !attempt.wider && !by_trees(set);
        if (attempt.left >= least && !alike)
            continue;
        best = start->attempt;
        least = attempt.left;
    }
    if (fine && best + 1 < start->attempt) {
        out->len = before;
        start->attempt = best;
        fine = write_attempt(start, list, form, &attempt);
    }
    free(start);
    return fine;
}

/* What says what the instruction computes: of a user's its declaration. */
static const struct recipe *contract_of(const struct recipe_set *set, enum isa_op op) {
    return isa_info(op)->flags & ISA_USER ? set->contracts[op - OP_USER_C0]
                                          : recipe_of(set, op, NULL);
}

bool prove_smt_write(const struct recipe_set *set, const struct insn *insn, enum smt_form form,
                     struct str *out, struct diag *diag) {
    struct uop_list list = {0};
    bool fine = recipe_expand(set, insn, form & SMT_MASKED, &list, diag) &&
                prove_smt_write_list(set, contract_of(set, insn->op), insn, form, &list, out, diag);
    vec_free(&list);
    return fine;
}

bool prove_smt_is_sayable(const struct recipe_set *set, enum isa_op op) {
    const struct recipe *recipe = contract_of(set, op);
    return recipe && is_sayable(recipe);
}

bool prove_smt_has_floats(const char *file) {
    return strstr(file, "(set-logic QF_BVFP)") != NULL;
}

static struct chain *chain_of(const struct recipe_set *set, const struct insn *insn) {
    return prove_chain_new(contract_of(set, insn->op), insn, width_of(insn));
}

bool prove_smt_law(const struct recipe_set *set, const struct insn *insn, unsigned index,
                   struct str *out) {
    struct chain *chain = chain_of(set, insn);
    bool is_there = chain && prove_chain_law(chain, index, out);
    prove_chain_free(chain);
    return is_there;
}

bool prove_smt_is_wider(const struct recipe_set *set, const struct insn *insn) {
    struct chain *chain = chain_of(set, insn);
    bool wider = chain && prove_chain_is_wider(chain);
    prove_chain_free(chain);
    return wider;
}
