/* SPDX-License-Identifier: MIT
 * The forms of one instruction: widths, constants, aliases, masked and not. */
#include "machines/verify/matrix.h"
#include "support/bits.h"
#include "support/str.h"

#include <string.h>

/* --- forms --- */

static void use_register(struct insn_form *form, unsigned field, uint8_t reg) {
    unsigned k = 0;
    while (k < form->used_count && form->used[k] != reg)
        k++;
    form->used[k] = reg;
    form->used_count += k == form->used_count;
    form->index[field] = (uint8_t)k;
}

void verify_form_fill(struct insn_form *form, const struct insn *insn, bool masked) {
    static const uint32_t reads[3] = {READS_RS, READS_RT, READS_RD};
    static const uint32_t writes[3] = {WRITES_RS, WRITES_RT, WRITES_RD};
    const uint8_t regs[3] = {insn->rs, insn->rt, insn->rd};
    *form = (struct insn_form){.insn = *insn, .masked = masked, .info = isa_info(insn->op)};
    form->w = form->info->flags & ISA_WIDTH ? insn->width : 1;
    form->rs_width = isa_operand_bits(insn, ROLE_RS);
    form->rt_width = isa_operand_bits(insn, ROLE_RT);
    memset(form->index, NO_FIELD, sizeof form->index);
    for (unsigned k = 0; k < 3; k++)
        if (form->info->flags & reads[k])
            use_register(form, k, regs[k]);
    form->read_count = form->used_count;
    for (unsigned k = 0; k < 3; k++)
        if (form->info->flags & writes[k])
            use_register(form, k, regs[k]);
}

void verify_form_print(const struct insn_form *form, struct str *out) {
    struct isa_product p;
    isa_format_insn(&form->insn, NULL, out);
    if (isa_has_shape(form->insn.op) && isa_product_of(form->insn.imm, form->insn.width, &p))
        str_printf(out, " (bits %u and up of %u x %u %s)", p.lo, p.a, p.b, isa_product_signs(&p));
    if (form->masked)
        str_append(out, ", masked");
}

/* --- constants --- */

static bool has_constant(const struct isa_info *info) {
    return isa_constant_role(info) >= 0;
}

/* Every value of a small field, else edges and then random ones. */
static int32_t pick(const int32_t *edges, unsigned count, unsigned index, int32_t least,
                    int32_t most, uint64_t *seed) {
    if (index < count)
        return edges[index];
    return least + (int32_t)(splitmix64(seed) % (uint64_t)(most - least + 1));
}

static int32_t pick_count(unsigned w, unsigned index, bool all, uint64_t *seed) {
    const int32_t n = (int32_t)w, edges[] = {0, 1, 2, n / 2, n - 1, n & 63, 63};
    return all ? (int32_t)index : pick(edges, 7, index, 0, 63, seed);
}

static int32_t pick_source(unsigned w, unsigned index, bool all, uint64_t *seed) {
    const int32_t n = (int32_t)w, edges[] = {1, n, (n + 1) / 2, n - 1, 2, n - 2};
    return all ? (int32_t)index + 1 : pick(edges, 6, index, 1, n, seed);
}

/* Both readings of a field of 12 bits, as LI takes -2048..2047 and LIKk 0..4095: those that make
 * no legal word are dropped. */
static int32_t pick_immediate(unsigned index, bool all, uint64_t *seed) {
    static const int32_t edges[] = {0, 1, -1, 0x555, -0x556, 2047, -2048, 0x800, 0xaaa, 0xfff, 2};
    return all ? (int32_t)index - 64 : pick(edges, 11, index, -2048, 4095, seed);
}

/* A drawn shape of w bits; small operands where all their values are to be tried. */
static int32_t draw_shape(unsigned w, uint64_t *seed) {
    uint64_t r = splitmix64(seed);
    unsigned most = w <= 5 ? 5 : 64;
    struct isa_product p = {.a = (uint8_t)(1 + (r >> 8) % most),
                            .b = (uint8_t)(1 + (r >> 16) % most),
                            .width = (uint8_t)w,
                            .signed_a = r & 1,
                            .signed_b = r >> 1 & 1};
    p.lo = (uint8_t)(r & 4 ? 0 : (r >> 24) % (p.a + p.b));
    return isa_product_constant(&p);
}

/* Three of those that recipes are tried with, other ones at the next width, and one that is drawn;
 * and so on. */
static int32_t pick_shape(unsigned w, unsigned index, uint64_t *seed) {
    int32_t constant = 0;
    unsigned number = index - index / 4;
    if (index % 4 == 3 || number >= ISA_PRODUCT_PICKS ||
        !isa_product_pick(w, (number + 5 * w) % ISA_PRODUCT_PICKS, &constant))
        return draw_shape(w, seed);
    return constant;
}

static unsigned shape_count(unsigned w, enum verify_effort effort, bool thin) {
    if (effort == VERIFY_LONG)
        return 72;
    if (thin)
        return 4;
    return w <= 5 ? 32 : w % 8 ? 4 : 16;
}

/* How many constants of an instruction are tried, and whether they are all there are. */
struct constants {
    unsigned count;
    bool all;
};

static struct constants constants_of(const struct isa_info *info, unsigned w,
                                     enum verify_effort effort, bool thin) {
    int role = isa_constant_role(info);
    unsigned more = effort == VERIFY_LONG ? 12 : 0, few = effort == VERIFY_LIGHT ? 3 : 2;
    bool small = w <= 5 && effort != VERIFY_LIGHT;
    if (role == ROLE_COUNT) {
        bool all = w == 8 && effort != VERIFY_LIGHT;
        return all ? (struct constants){64, true}
                   : (struct constants){thin ? few + 2 : 7 + more, false};
    }
    if (role == ROLE_SRCWIDTH) {
        bool all = small || (w == 8 && effort != VERIFY_LIGHT);
        return all ? (struct constants){w, true}
                   : (struct constants){thin ? few + 1 : 8 + more, false};
    }
    if (role == ROLE_CONVERSION)
        return (struct constants){CONVERSIONS, true};
    if (role == ROLE_SHAPE)
        return (struct constants){shape_count(w, effort, thin), false};
    if (role == ROLE_IMM)
        return small ? (struct constants){128, true}
                     : (struct constants){thin ? few + 2 : 14 + more, false};
    return (struct constants){1, true};
}

static int32_t constant_at(const struct isa_info *info, unsigned w, unsigned index, bool all,
                           uint64_t *seed) {
    int role = isa_constant_role(info);
    if (role == ROLE_COUNT)
        return pick_count(w, index, all, seed);
    if (role == ROLE_SRCWIDTH)
        return pick_source(w, index, all, seed);
    if (role == ROLE_CONVERSION)
        return (int32_t)index;
    if (role == ROLE_SHAPE)
        return pick_shape(w, index, seed);
    return role == ROLE_IMM ? pick_immediate(index, all, seed) : 0;
}

/* --- words --- */

/* rs, rt, rd: distinct, and every way that some of them are one. */
static const uint8_t aliases[][3] = {{1, 2, 3}, {1, 1, 3}, {1, 2, 1}, {1, 2, 2}, {1, 1, 1}};
#define ALIASES (sizeof aliases / sizeof aliases[0])

/* The registers of the fields that the instruction has, numbered from 1 in their order, so that
 * two aliases that do not differ for it give one word. */
static void name_registers(struct insn *insn, const uint8_t alias[3]) {
    static const uint32_t fields[3] = {READS_RS | WRITES_RS, READS_RT | WRITES_RT,
                                       READS_RD | WRITES_RD};
    uint32_t flags = isa_info(insn->op)->flags;
    uint8_t *regs[3] = {&insn->rs, &insn->rt, &insn->rd}, names[4] = {0}, next = 0;
    for (unsigned k = 0; k < 3; k++) {
        *regs[k] = 0;
        if (!(flags & fields[k]))
            continue;
        if (!names[alias[k]])
            names[alias[k]] = ++next;
        *regs[k] = names[alias[k]];
    }
}

struct encoded_words {
    uint32_t *data;
    size_t len, cap; /* works with vec_push and vec_free */
};

/* The instruction as it would be decoded; false if it is no legal word or was here before. */
static bool is_new_word(struct encoded_words *seen, struct insn *insn) {
    const struct insn whole = *insn;
    uint32_t word;
    if (isa_encode(insn, &word) != ISA_OK || isa_decode(word, insn) != ISA_OK)
        return false;
    if (whole.table)
        isa_set_table(insn, whole.table);
    if (isa_has_shape(insn->op))
        *insn = whole;
    for (size_t i = 0; i < seen->len; i++)
        if (seen->data[i] == word)
            return false;
    vec_push(seen, word);
    return true;
}

/* --- one form --- */

/* What one width asks of each form. */
struct effort {
    bool all;          /* all operand values, as far as `most_lanes` goes */
    uint64_t lanes;    /* of edges and random values else */
    unsigned log_most; /* of the lanes of all values */
    bool thin;         /* few constants, none and one of the aliases, masked or not by turns */
};

static struct value_plan plan_of(const struct insn_form *form, const struct effort *effort,
                                 uint64_t seed, uint64_t *lanes) {
    unsigned log_lanes;
    struct value_plan plan = verify_plan_fill(form, seed, &log_lanes);
    bool short_source = plan.source && !effort->thin && log_lanes <= 16;
    plan.all = short_source || (effort->all && log_lanes <= effort->log_most);
    *lanes = plan.all ? (uint64_t)1 << log_lanes : effort->lanes;
    return plan;
}

/* The code of one form, checked; NULL after reporting. */
static struct dp_code *prepare_form(struct matrix *matrix, const struct insn_form *form) {
    const struct verify_machine *x = matrix->rig->machine;
    struct dp_code *code = verify_rig_prepare(matrix->rig, &form->insn, form->masked, matrix->diag);
    bool good =
        code && (!x->check || x->check(x->context, &form->insn, form->masked, code, matrix->diag));
    return good ? code : NULL;
}

/* Unmasked and masked on the same values; of a thin effort one of them. */
static bool run_masks(struct matrix *matrix, const struct insn *insn, const struct effort *effort,
                      unsigned turn) {
    struct insn_form forms[2];
    struct rig_trial trials[2];
    unsigned count = 0;
    uint64_t lanes = 0;
    bool good = true;
    if (!verify_rig_make_room(matrix->rig, matrix->diag))
        return false;
    for (unsigned masked = 0; masked < 2 && good; masked++) {
        if (effort->thin && masked != turn % 2)
            continue;
        verify_form_fill(&forms[count], insn, masked);
        trials[count] = (struct rig_trial){&forms[count], prepare_form(matrix, &forms[count])};
        good = trials[count++].code != NULL;
    }
    struct value_plan plan = plan_of(&forms[0], effort, splitmix64(&matrix->seed), &lanes);
    good = good && verify_rig_try(matrix->rig, trials, count, &plan, lanes, matrix->diag);
    for (unsigned i = 0; i < count && good; i++) {
        uint64_t whole = (lanes + 63) / 64 * 64;
        matrix->count.forms++;
        matrix->count.lanes += whole;
        matrix->count.uop_lanes += whole * verify_rig_micro_ops(matrix->rig, trials[i].code);
    }
    return good;
}

/* One width of one instruction. */
struct width_run {
    struct matrix *matrix;
    enum isa_op op;
    unsigned w;
    const struct isa_lut *table; /* of LUT */
    struct encoded_words seen;
};

static void widen(void *context, unsigned reg, unsigned bits) {
    unsigned *widest = context;
    (void)reg;
    *widest = bits > *widest ? bits : *widest;
}

/* Whether the machine's registers are wide enough for the instruction. */
static bool has_registers(const struct verify_machine *machine, const struct insn *insn) {
    unsigned widest = 0;
    isa_visit_registers(insn, widen, &widest);
    return !machine->slot || widest <= machine->slot;
}

static bool run_form(struct width_run *run, int32_t imm, unsigned alias,
                     const struct effort *effort, unsigned turn) {
    struct insn x = {.op = run->op, .imm = imm, .table = run->table};
    x.width = isa_info(run->op)->flags & ISA_WIDTH ? (uint8_t)run->w : 0;
    name_registers(&x, aliases[alias]);
    return !has_registers(run->matrix->rig->machine, &x) || !is_new_word(&run->seen, &x) ||
           run_masks(run->matrix, &x, effort, turn);
}

/* One constant with all aliases, or by turns. */
static bool run_constant(struct width_run *run, int32_t imm, const struct effort *effort,
                         unsigned turn) {
    bool good = true;
    for (unsigned a = 0; a < (effort->thin ? 2 : ALIASES) && good; a++)
        good =
            run_form(run, imm, effort->thin ? (unsigned)(a * run->w % ALIASES) : a, effort, turn);
    return good;
}

/* At least where all 12 bits of an immediate count: LIKk takes the bits from 12k on. */
static unsigned immediate_width(const struct isa_info *info) {
    bool piece = strncmp(info->name, "LIK", 3) == 0;
    unsigned w = piece ? 12 * (unsigned)(info->name[3] - '0') + 12 : 16;
    return w < 16 ? 16 : w > 64 ? 64 : w;
}

/* The constants between which no edge lies: all that the field has. */
static bool constant_range(const struct isa_info *info, unsigned w, int32_t *least, int32_t *most) {
    int role = isa_constant_role(info);
    *least = 0;
    *most = 63;
    if (role == ROLE_COUNT)
        return true;
    *least = 1;
    *most = (int32_t)w;
    if (role == ROLE_SRCWIDTH)
        return true;
    *least = -2048;
    *most = 4095;
    return role == ROLE_IMM && w == immediate_width(info);
}

static bool run_every_constant(struct width_run *run) {
    const struct effort effort = {false, 64, 12, true};
    int32_t least, most;
    bool good = true;
    if (!constant_range(isa_info(run->op), run->w, &least, &most))
        return true;
    for (int32_t imm = least; imm <= most && good; imm++) {
        unsigned turn = (unsigned)(imm - least) + run->w;
        good = run_form(run, imm, turn / 2 % ALIASES, &effort, turn);
    }
    return good;
}

static bool run_constants(struct width_run *run, const struct effort *effort) {
    struct matrix *m = run->matrix;
    const struct isa_info *info = isa_info(run->op);
    struct constants c = constants_of(info, run->w, m->options->effort, effort->thin);
    bool good = true;
    if (m->options->imm)
        return !has_constant(info) || run_constant(run, *m->options->imm, effort, run->w);
    for (unsigned i = 0; i < c.count && good; i++) {
        if (isa_has_shape(run->op)) /* which the words do not say */
            run->seen.len = 0;
        good = run_constant(run, constant_at(info, run->w, i, c.all, &m->seed), effort, run->w + i);
    }
    return good && (!m->options->every_constant || run_every_constant(run));
}

/* The same words, with one table after the other. */
static bool run_tables(struct width_run *run, const struct effort *effort) {
    struct matrix *m = run->matrix;
    bool good = true, thorough = m->options->effort == VERIFY_LONG;
    unsigned count = verify_table_count(run->w, effort->thin, thorough);
    for (unsigned i = 0; i < count && good; i++) {
        run->seen.len = 0;
        run->table = verify_table_make(&m->rig->tables, run->w, i, thorough, &m->seed);
        good = run_constants(run, effort);
    }
    return good;
}

static bool run_width(struct matrix *matrix, enum isa_op op, unsigned w,
                      const struct effort *effort) {
    struct width_run run = {.matrix = matrix, .op = op, .w = w};
    bool good = isa_has_table(op) ? run_tables(&run, effort) : run_constants(&run, effort);
    vec_free(&run.seen);
    return good;
}

/* --- widths --- */

static bool is_listed(unsigned w) {
    static const uint8_t widths[] = {9, 13, 16, 31, 32, 33, 63, 64};
    return memchr(widths, (int)w, sizeof widths) != NULL;
}

/* False where a width is left out. */
static bool effort_full(unsigned w, struct effort *effort) {
    /* Two operands of up to 5 bits, three of up to 4; pairs and triples of 8. */
    *effort = (struct effort){w <= 5 || w == 8, 1024, w == 8 ? 24 : 12, !(w <= 5 || w == 8)};
    effort->thin &= !is_listed(w);
    effort->lanes = effort->thin ? 512 : 1024;
    return true;
}

static bool effort_light(unsigned w, struct effort *effort) {
    *effort = (struct effort){w <= 3, 256, 9, w > 3 && w != 8};
    return w <= 3 || w == 8 || w == 13 || w == 33 || w == 64;
}

static bool effort_long(unsigned w, struct effort *effort) {
    *effort = (struct effort){w <= 8, 8192, w == 8 ? 24 : 18, false};
    return true;
}

static bool effort_at(const struct verify_options *options, unsigned w, struct effort *effort) {
    switch (options->effort) {
    case VERIFY_LIGHT:
        return effort_light(w, effort);
    case VERIFY_FULL:
        return effort_full(w, effort);
    case VERIFY_LONG:
        break;
    }
    return effort_long(w, effort);
}

bool verify_matrix_instruction(struct matrix *matrix, enum isa_op op) {
    unsigned slot = matrix->rig->machine->slot, widest = slot ? slot : 64;
    bool has_width = isa_info(op)->flags & ISA_WIDTH;
    unsigned most = has_width ? widest : 1, only = matrix->options->width;
    for (unsigned w = 1; w <= most; w++) {
        struct effort e;
        bool wanted = effort_at(matrix->options, w, &e);
        if (only && has_width) { /* a width that is named is worth every form */
            wanted = w == only;
            e.thin = false;
        }
        if (wanted && !run_width(matrix, op, w, &e))
            return false;
    }
    return true;
}
