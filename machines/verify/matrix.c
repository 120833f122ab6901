/* SPDX-License-Identifier: MIT
 * The forms of one instruction: widths, constants, aliases, masked and not. */
#include "machines/verify/matrix.h"
#include "support/bits.h"
#include "support/str.h"

#include <string.h>

/* --- forms --- */

static bool has_role(const struct isa_info *info, enum operand_role role) {
    for (unsigned i = 0; i < info->operand_count; i++)
        if (info->operands[i] == role)
            return true;
    return false;
}

static void use_register(struct insn_form *f, unsigned field, uint8_t reg) {
    unsigned k = 0;
    while (k < f->used_count && f->used[k] != reg)
        k++;
    f->used[k] = reg;
    f->used_count += k == f->used_count;
    f->index[field] = (uint8_t)k;
}

void verify_form_fill(struct insn_form *f, const struct insn *insn, bool masked) {
    static const uint32_t reads[3] = {READS_RS, READS_RT, READS_RD};
    static const uint32_t writes[3] = {WRITES_RS, WRITES_RT, WRITES_RD};
    const uint8_t regs[3] = {insn->rs, insn->rt, insn->rd};
    *f = (struct insn_form){.insn = *insn, .masked = masked, .info = isa_info(insn->op)};
    f->w = f->info->flags & ISA_WIDTH ? insn->width : 1;
    f->rs_width = has_role(f->info, ROLE_SRCWIDTH) ? (unsigned)insn->imm : f->w;
    memset(f->index, NO_FIELD, sizeof f->index);
    for (unsigned k = 0; k < 3; k++)
        if (f->info->flags & reads[k])
            use_register(f, k, regs[k]);
    f->read_count = f->used_count;
    for (unsigned k = 0; k < 3; k++)
        if (f->info->flags & writes[k])
            use_register(f, k, regs[k]);
}

void verify_form_print(const struct insn_form *f, struct str *out) {
    isa_format_insn(&f->insn, NULL, out);
    if (f->masked)
        str_append(out, ", masked");
}

/* --- constants --- */

/* Every value of a small field, else edges and then random ones. */
static int32_t pick(const int32_t *edges, unsigned count, unsigned i, int32_t least, int32_t most,
                    uint64_t *seed) {
    if (i < count)
        return edges[i];
    return least + (int32_t)(splitmix64(seed) % (uint64_t)(most - least + 1));
}

static int32_t pick_count(unsigned w, unsigned i, bool all, uint64_t *seed) {
    const int32_t n = (int32_t)w, edges[] = {0, 1, 2, n / 2, n - 1, n & 63, 63};
    return all ? (int32_t)i : pick(edges, 7, i, 0, 63, seed);
}

static int32_t pick_source(unsigned w, unsigned i, bool all, uint64_t *seed) {
    const int32_t n = (int32_t)w, edges[] = {1, n, (n + 1) / 2, n - 1, 2, n - 2};
    return all ? (int32_t)i + 1 : pick(edges, 6, i, 1, n, seed);
}

/* Both readings of a field of 12 bits, as LI takes -2048..2047 and LIKk 0..4095: those that make
 * no legal word are dropped. */
static int32_t pick_immediate(unsigned i, bool all, uint64_t *seed) {
    static const int32_t edges[] = {0, 1, -1, 0x555, -0x556, 2047, -2048, 0x800, 0xaaa, 0xfff, 2};
    return all ? (int32_t)i - 64 : pick(edges, 11, i, -2048, 4095, seed);
}

/* How many constants of an instruction are tried, and whether they are all there are. */
struct constants {
    unsigned count;
    bool all;
};

static struct constants constants_of(const struct isa_info *info, unsigned w,
                                     enum verify_effort effort, bool thin) {
    unsigned more = effort == VERIFY_LONG ? 12 : 0, few = effort == VERIFY_LIGHT ? 3 : 2;
    bool small = w <= 5 && effort != VERIFY_LIGHT;
    if (has_role(info, ROLE_COUNT)) {
        bool all = w == 8 && effort != VERIFY_LIGHT;
        return all ? (struct constants){64, true}
                   : (struct constants){thin ? few + 2 : 7 + more, false};
    }
    if (has_role(info, ROLE_SRCWIDTH)) {
        bool all = small || (w == 8 && effort != VERIFY_LIGHT);
        return all ? (struct constants){w, true}
                   : (struct constants){thin ? few + 1 : 8 + more, false};
    }
    if (has_role(info, ROLE_IMM))
        return small ? (struct constants){128, true}
                     : (struct constants){thin ? few + 2 : 14 + more, false};
    return (struct constants){1, true};
}

static int32_t constant_at(const struct isa_info *info, unsigned w, unsigned i, bool all,
                           uint64_t *seed) {
    if (has_role(info, ROLE_COUNT))
        return pick_count(w, i, all, seed);
    if (has_role(info, ROLE_SRCWIDTH))
        return pick_source(w, i, all, seed);
    return has_role(info, ROLE_IMM) ? pick_immediate(i, all, seed) : 0;
}

/* --- words --- */

/* rs, rt, rd: distinct, and every way that some of them are one. */
static const uint8_t aliases[][3] = {{1, 2, 3}, {1, 1, 3}, {1, 2, 1}, {1, 2, 2}, {1, 1, 1}};
#define ALIASES (sizeof aliases / sizeof aliases[0])

/* The registers of the fields that the instruction has, numbered from 1 in their order, so that
 * two aliases that do not differ for it give one word. */
static void name_registers(struct insn *x, const uint8_t alias[3]) {
    static const uint32_t fields[3] = {READS_RS | WRITES_RS, READS_RT | WRITES_RT,
                                       READS_RD | WRITES_RD};
    uint32_t flags = isa_info(x->op)->flags;
    uint8_t *regs[3] = {&x->rs, &x->rt, &x->rd}, names[4] = {0}, next = 0;
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
static bool is_new_word(struct encoded_words *seen, struct insn *x) {
    uint32_t word;
    if (isa_encode(x, &word) != ISA_OK || isa_decode(word, x) != ISA_OK)
        return false;
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

static struct value_plan plan_of(const struct insn_form *f, const struct effort *e, uint64_t seed,
                                 uint64_t *lanes) {
    unsigned log_lanes = f->w * f->read_count;
    bool all = e->all && log_lanes <= e->log_most;
    *lanes = all ? (uint64_t)1 << log_lanes : e->lanes;
    return (struct value_plan){all, f->w, f->read_count, seed};
}

/* The code of one form, checked; NULL after reporting. */
static struct dp_code *prepare_form(struct matrix *m, const struct insn_form *f) {
    const struct verify_machine *x = m->rig->machine;
    struct dp_code *code = verify_rig_prepare(m->rig, &f->insn, f->masked, m->diag);
    bool good = code && (!x->check || x->check(x->context, &f->insn, f->masked, code, m->diag));
    return good ? code : NULL;
}

/* Unmasked and masked on the same values; of a thin effort one of them. */
static bool run_masks(struct matrix *m, const struct insn *insn, const struct effort *e,
                      unsigned turn) {
    struct insn_form forms[2];
    struct rig_trial trials[2];
    unsigned count = 0;
    uint64_t lanes = 0;
    bool good = true;
    if (!verify_rig_make_room(m->rig, m->diag))
        return false;
    for (unsigned masked = 0; masked < 2 && good; masked++) {
        if (e->thin && masked != turn % 2)
            continue;
        verify_form_fill(&forms[count], insn, masked);
        trials[count] = (struct rig_trial){&forms[count], prepare_form(m, &forms[count])};
        good = trials[count++].code != NULL;
    }
    struct value_plan plan = plan_of(&forms[0], e, splitmix64(&m->seed), &lanes);
    good = good && verify_rig_try(m->rig, trials, count, &plan, lanes, m->diag);
    for (unsigned i = 0; i < count && good; i++) {
        uint64_t whole = (lanes + 63) / 64 * 64;
        m->count.forms++;
        m->count.lanes += whole;
        m->count.uop_lanes += whole * verify_rig_micro_ops(m->rig, trials[i].code);
    }
    return good;
}

static bool run_width(struct matrix *m, enum mpu_op op, unsigned w, const struct effort *e) {
    const struct isa_info *info = isa_info(op);
    struct constants c = constants_of(info, w, m->options->effort, e->thin);
    struct encoded_words seen = {0};
    bool good = true;
    for (unsigned i = 0; i < c.count && good; i++) {
        int32_t imm = constant_at(info, w, i, c.all, &m->seed);
        for (size_t a = 0; a < (e->thin ? 2 : ALIASES) && good; a++) {
            struct insn x = {.op = op, .imm = imm};
            x.width = info->flags & ISA_WIDTH ? (uint8_t)w : 0;
            name_registers(&x, aliases[e->thin ? a * w % ALIASES : a]);
            if (is_new_word(&seen, &x))
                good = run_masks(m, &x, e, w + i);
        }
    }
    vec_free(&seen);
    return good;
}

/* --- widths --- */

static bool is_listed(unsigned w) {
    static const uint8_t widths[] = {9, 13, 16, 31, 32, 33, 63, 64};
    return memchr(widths, (int)w, sizeof widths) != NULL;
}

/* False where a width is left out. */
static bool effort_full(unsigned w, struct effort *e) {
    /* Two operands of up to 5 bits, three of up to 4; pairs and triples of 8. */
    *e = (struct effort){w <= 5 || w == 8, 1024, w == 8 ? 24 : 12, !(w <= 5 || w == 8)};
    e->thin &= !is_listed(w);
    e->lanes = e->thin ? 512 : 1024;
    return true;
}

static bool effort_light(unsigned w, struct effort *e) {
    *e = (struct effort){w <= 3, 256, 9, w > 3 && w != 8};
    return w <= 3 || w == 8 || w == 13 || w == 33 || w == 64;
}

static bool effort_long(unsigned w, struct effort *e) {
    *e = (struct effort){w <= 8, 8192, w == 8 ? 24 : 18, false};
    return true;
}

static bool effort_at(const struct verify_options *o, unsigned w, struct effort *e) {
    switch (o->effort) {
    case VERIFY_LIGHT:
        return effort_light(w, e);
    case VERIFY_FULL:
        return effort_full(w, e);
    case VERIFY_LONG:
        break;
    }
    return effort_long(w, e);
}

bool verify_matrix_instruction(struct matrix *m, enum mpu_op op) {
    unsigned most = isa_info(op)->flags & ISA_WIDTH ? 64 : 1, only = m->options->width;
    for (unsigned w = 1; w <= most; w++) {
        struct effort e;
        bool wanted = effort_at(m->options, w, &e);
        if (only && most > 1)
            wanted = w == only;
        if (wanted && !run_width(m, op, w, &e))
            return false;
    }
    return true;
}
