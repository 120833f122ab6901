/* SPDX-License-Identifier: MIT
 * Micro-ops as Boolean definitions, plane by plane, against the contract. */
#include "recipe/prove/smt.h"

#include "recipe/prove/chain.h"
#include "recipe/computes.h"
#include "recipe/prove/smt_term.h"

#include "support/bits.h"
#include "support/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
    str_printf(smt->out, "(define-fun r%u.%u () Bool (= ((_ extract %u %u) r%u) #b1))\n", n >> 6,
               n & 63, n & 63, n & 63, n >> 6);
}

static void print_input(struct smt *smt, uint32_t plane) {
    uint32_t n = PLANE_NUMBER(plane);
    switch (PLANE_CLASS(plane)) {
    case PLANE_REGISTER:
        str_printf(smt->out, "r%u.%u", n >> 6, n & 63);
        break;
    case PLANE_C:
        str_append(smt->out, "c");
        break;
    case PLANE_M:
        str_append(smt->out, "m");
        break;
    default:
        str_append(smt->out, "v");
    }
}

static void print_definition(struct smt *smt, uint32_t n) {
    const struct traced *t = smt->chain ? &smt->traced.data[n] : NULL;
    if (!t || !t->lemma) {
        str_printf(smt->out, "n%u", n);
        return;
    }
    str_append(smt->out, t->complement ? "(not " : "");
    prove_chain_print(smt->chain, t->lemma, smt->out);
    str_append(smt->out, t->complement ? ")" : "");
}

/* The value of a plane, as it stands in the list's order. */
static void print_plane(struct smt *smt, uint32_t plane) {
    const uint32_t *slot = slot_of(smt, plane);
    if (PLANE_CLASS(plane) == PLANE_CONST)
        str_append(smt->out, PLANE_NUMBER(plane) ? "true" : "false");
    else if (!slot || *slot == INPUT)
        print_input(smt, plane);
    else
        print_definition(smt, *slot - DEFINITION);
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

static void value_of(struct smt *smt, uint32_t plane, struct sample *out) {
    const uint32_t *slot = slot_of(smt, plane);
    if (slot && *slot >= DEFINITION)
        *out = smt->traced.data[*slot - DEFINITION].value;
    else
        prove_sample_input(plane, out);
}

/* Notes the value of the definition that was just written, and which bit of the chain it is. */
static void trace(struct smt *smt, const struct uop *uop, const struct source_planes *all,
                  unsigned index) {
    struct sample in[UOP_MAX + 1], held, old;
    struct traced t = {.lemma = 0};
    for (unsigned i = 0; i < all->count; i++)
        value_of(smt, all->planes[i], &in[i]);
    prove_sample_apply(plane_target(smt->set->target)->ops[uop->kind].truth[index], in, all->count,
                       &t.value);
    if (is_held_back(uop, index)) {
        value_of(smt, uop->predicate, &held);
        value_of(smt, uop->dst[index], &old);
        prove_sample_choose(&held, &t.value, &old, &t.value);
    }
    t.lemma = prove_chain_find(smt->chain, &t.value, &t.complement);
    vec_push(&smt->traced, t);
}

/* n<i> for one destination; under a predicate the old value where it is 0. */
static void define(struct smt *smt, const struct uop *uop, const struct source_planes *in,
                   unsigned index) {
    const struct target_op *op = &plane_target(smt->set->target)->ops[uop->kind];
    struct source_planes all = *in;
    bool predicated = is_held_back(uop, index);
    if (op->reads_old)
        all.planes[all.count++] = uop->dst[index];
    if (predicated)
        name_input(smt, uop->dst[index]);
    str_printf(smt->out, "(define-fun n%u () Bool ", smt->definitions + index);
    if (predicated) {
        str_append(smt->out, "(ite ");
        print_plane(smt, uop->predicate);
        str_char(smt->out, ' ');
    }
    print_function(smt, &all, op->truth[index]);
    if (predicated) {
        str_char(smt->out, ' ');
        print_plane(smt, uop->dst[index]);
        str_char(smt->out, ')');
    }
    str_append(smt->out, ")\n");
    if (smt->chain)
        trace(smt, uop, &all, index);
}

static bool check_planes(struct smt *smt, const struct uop *uop, size_t index) {
    const struct target_op *op = &plane_target(smt->set->target)->ops[uop->kind];
    for (unsigned k = 0; k < uop->nsrc; k++)
        if (!is_readable(smt, uop->src[k]))
            return fail(smt, "reads a plane that nothing has written", index);
    for (unsigned k = 0; k < uop->ndst; k++) {
        if (!slot_of(smt, uop->dst[k]))
            return fail(smt, "writes a plane that cannot be written", index);
        if ((op->reads_old || is_held_back(uop, k)) && !is_readable(smt, uop->dst[k]))
            return fail(smt, "keeps a plane that nothing has written", index);
    }
    return true;
}

/* All destinations take the values that the sources had before. */
static bool write_uop(struct smt *smt, const struct uop *uop, size_t index) {
    struct source_planes in = {.count = uop->nsrc};
    if (!check_planes(smt, uop, index))
        return false;
    for (unsigned k = 0; k < uop->nsrc; k++) {
        in.planes[k] = uop->src[k];
        name_input(smt, uop->src[k]);
    }
    for (unsigned k = 0; k < uop->ndst && plane_target(smt->set->target)->ops[uop->kind].reads_old;
         k++)
        name_input(smt, uop->dst[k]);
    for (unsigned k = 0; k < uop->ndst; k++)
        define(smt, uop, &in, k);
    for (unsigned k = 0; k < uop->ndst; k++)
        *slot_of(smt, uop->dst[k]) = DEFINITION + smt->definitions++;
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
        v = recipe_computes_source_width(smt->insn);
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
    const struct golden_lane lane = {.w = smt->w, .imm = smt->insn->imm};
    bool bit = field == FIELD_C || field == FIELD_M;
    str_printf(smt->out, "(define-fun want.%s () (_ BitVec %u) ", prove_smt_operand_name(field),
               bit ? 1 : smt->w);
    str_append(smt->out, bit ? "((_ extract 0 0) " : "");
    prove_smt_term(smt->c, recipe_computes_of(smt->c, field)->args[1], &lane, smt->out);
    str_append(smt->out, bit ? "))\n" : ")\n");
}

static void print_wanted(struct smt *smt, uint8_t field, unsigned j) {
    if (smt->chain && field == FIELD_RD)
        prove_chain_print_result(smt->chain, j, smt->out);
    else
        str_printf(smt->out, "(= ((_ extract %u %u) want.%s) #b1)", j, j,
                   prove_smt_operand_name(field));
}

/* The plane has not the bit j of the contract; under a mask, where M is 0, not its old one. */
static void write_difference(struct smt *smt, uint32_t plane, uint8_t field, unsigned j,
                             bool masked) {
    str_append(smt->out, " (xor ");
    print_plane(smt, plane);
    str_append(smt->out, masked ? " (ite m " : " ");
    print_wanted(smt, field, j);
    if (masked) {
        str_char(smt->out, ' ');
        print_input(smt, plane);
        str_char(smt->out, ')');
    }
    str_append(smt->out, ")\n");
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

/* A plane that is no result has changed. */
static void write_change(struct smt *smt, uint32_t plane) {
    str_append(smt->out, " (xor ");
    print_plane(smt, plane);
    str_char(smt->out, ' ');
    print_input(smt, plane);
    str_append(smt->out, ")\n");
}

static void write_plane_check(struct smt *smt, uint32_t plane, bool masked) {
    uint8_t field = result_in(smt, plane);
    if (field != FIELD_NONE)
        write_difference(smt, plane, field,
                         PLANE_CLASS(plane) == PLANE_REGISTER ? PLANE_NUMBER(plane) & 63 : 0,
                         masked);
    else if (*slot_of(smt, plane) != INPUT)
        write_change(smt, plane);
}

/* Every visible plane, in order. */
static void visit_planes(struct smt *smt, void (*visit)(struct smt *, uint32_t, bool),
                         bool masked) {
    for (uint32_t n = 0; n < REGISTER_PLANES; n++)
        if (smt->registers[n] != INPUT || result_in(smt, PLANE(PLANE_REGISTER, 0, n)) != FIELD_NONE)
            visit(smt, PLANE(PLANE_REGISTER, 0, n), masked);
    visit(smt, PLANE(PLANE_C, 0, 0), masked);
    visit(smt, PLANE(PLANE_M, 0, 0), masked);
}

static void name_plane(struct smt *smt, uint32_t plane, bool masked) {
    (void)masked;
    name_input(smt, plane);
}

/* A definition is not the bit of the chain that was read in its place. */
static void doubt_lemmas(struct smt *smt) {
    for (uint32_t n = 0; n < smt->traced.len; n++)
        if (smt->traced.data[n].lemma) {
            str_printf(smt->out, " (xor n%u ", n);
            print_definition(smt, n);
            str_append(smt->out, ")\n");
        }
    prove_chain_doubt_law(smt->chain, smt->out);
}

static void write_question(struct smt *smt, bool masked) {
    struct signature sig;
    notation_signature(smt->insn->op, &sig);
    define_operands(smt);
    for (unsigned i = 0; i < sig.out_count; i++)
        define_want(smt, sig.out[i]);
    visit_planes(smt, name_plane, masked);
    str_append(smt->out, "(assert (or false\n");
    if (smt->chain)
        doubt_lemmas(smt);
    visit_planes(smt, write_plane_check, masked);
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
            str_printf(smt->out, "(declare-const r%u (_ BitVec 64))\n", r);
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

static void write_chain(struct smt *smt) {
    for (unsigned r = 0; r < 64; r++)
        for (unsigned j = 0; j < smt->w && prove_chain_reads(smt->chain, r); j++)
            name_input(smt, PLANE(PLANE_REGISTER, 0, r << 6 | j));
    prove_chain_define(smt->chain, smt->out);
}

static bool write_list(struct smt *smt, const struct uop_list *list, bool masked) {
    for (size_t i = 0; i < REGISTER_PLANES; i++)
        smt->registers[i] = INPUT;
    smt->cond = smt->mask = INPUT;
    if (!check_registers(smt, list) || !check_buffers(smt, list))
        return false;
    measure(smt, list);
    write_head(smt, masked);
    if (smt->chain)
        write_chain(smt);
    bool fine = true;
    for (size_t i = 0; i < list->len && fine; i++)
        fine = write_uop(smt, &list->data[i], i);
    if (fine)
        write_question(smt, masked);
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
    recipe_error(diag, recipe->unit.file, recipe->unit.at,
                 "%s: arithmetic on floats is tested, not proved: logic has no term for it",
                 isa_info(insn->op)->name);
    return false;
}

static unsigned width_of(const struct insn *insn) {
    return isa_info(insn->op)->flags & ISA_WIDTH ? insn->width : 1;
}

bool prove_smt_write_list(const struct recipe_set *set, const struct recipe *recipe,
                          const struct insn *insn, enum smt_form form, const struct uop_list *list,
                          struct str *out, struct diag *diag) {
    if (!check_contract(recipe, insn, diag))
        return false;
    struct smt *s = xcalloc(1, sizeof *s);
    *s = (struct smt){.set = set,
                      .c = recipe,
                      .insn = insn,
                      .info = isa_info(insn->op),
                      .out = out,
                      .diag = diag};
    s->w = width_of(insn);
    s->chain = form & SMT_PLAIN ? NULL : prove_chain_new(recipe, insn, s->w);
    bool fine = write_list(s, list, form & SMT_MASKED && !(s->info->flags & ISA_UNMASKED));
    prove_chain_free(s->chain);
    vec_free(&s->traced);
    free(s);
    return fine;
}

/* What says what the instruction computes: of a user's its declaration. */
static const struct recipe *contract_of(const struct recipe_set *set, enum mpu_op op) {
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

bool prove_smt_is_sayable(const struct recipe_set *set, enum mpu_op op) {
    const struct recipe *recipe = contract_of(set, op);
    return recipe && is_sayable(recipe);
}

bool prove_smt_has_floats(const char *file) {
    return strstr(file, "(set-logic QF_BVFP)") != NULL;
}

bool prove_smt_has_lemmas(const struct recipe_set *set, const struct insn *insn) {
    struct lemma_chain *chain = prove_chain_new(contract_of(set, insn->op), insn, width_of(insn));
    bool has = chain != NULL;
    prove_chain_free(chain);
    return has;
}
