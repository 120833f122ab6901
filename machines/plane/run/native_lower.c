/* SPDX-License-Identifier: MIT
 * Steps to operations that the processor has.  Variables are the tile's planes, planes of scratch,
 * and values between; they are written in the order of the steps, so a plane of the tile always
 * holds its variable. */
#include "machines/plane/run/native.h"

#include <string.h>

static const uint8_t leaf_truth[3] = {0xaa, 0xcc, 0xf0};

/* Values that were made lately, of which one that is made again is taken: the halves of an adder
 * share theirs. */
#define KNOWN 256

struct made_value {
    uint32_t kind, left, right; /* versions of variables; kind 0: none */
    uint32_t variable, version;
};

struct native_lowering {
    struct code_ops *ops;
    uint32_t slots; /* of the tile */
    bool wide;
    VEC(uint32_t) versions; /* of variables: which of all writes the last one was */
    uint32_t writes;
    struct made_value known[KNOWN];
};

static uint32_t variable(const struct native_lowering *low, uint32_t operand) {
    return operand / PLANE_STRIDE + (operand & 1 ? low->slots : 0);
}

static uint32_t new_variable(struct native_lowering *low) {
    vec_push(&low->versions, 0);
    return low->ops->variables++;
}

static void push(struct native_lowering *low, const struct plane_cut *cut, uint32_t to) {
    struct code_op op = {.to = to, .truth = cut->truth, .count = cut->count};
    memcpy(op.from, cut->leaf, sizeof op.from);
    vec_push(&low->ops->list, op);
    low->versions.data[to] = ++low->writes;
}

/* --- functions of steps --- */

static bool is_constant(const struct native_lowering *low, uint32_t of, unsigned slot) {
    return of == low->slots + slot;
}

/* f(in[0], in[1], in[2]) of variables, each of them once, without constants. */
static struct plane_cut cut_of(const struct native_lowering *low, uint8_t f, const uint32_t in[3]) {
    struct plane_cut cut = {.count = 0};
    uint8_t at[3] = {0};
    for (unsigned k = 0; k < 3; k++) {
        unsigned i = 0;
        if (is_constant(low, in[k], SLOT_ZERO) || is_constant(low, in[k], SLOT_ONE)) {
            at[k] = is_constant(low, in[k], SLOT_ONE) ? 0xff : 0;
            continue;
        }
        while (i < cut.count && cut.leaf[i] != in[k])
            i++;
        if (i == cut.count)
            cut.leaf[cut.count++] = in[k];
        at[k] = leaf_truth[i];
    }
    cut.truth = plane_truth_apply(f, at[0], at[1], at[2]);
    plane_cut_shrink(&cut);
    return cut;
}

/* `mask ? value : old`, of variables all three; false where the value has no room in it. */
static bool under_mask(const struct native_lowering *low, const struct plane_cut *value,
                       uint32_t old, uint32_t mask, struct plane_cut *out) {
    uint32_t in[3] = {value->leaf[0], value->leaf[1], value->leaf[2]};
    const uint32_t more[2] = {old, mask};
    uint8_t at[2];
    unsigned count = value->count;
    for (unsigned k = 0; k < 2; k++) {
        unsigned i = 0;
        while (i < count && in[i] != more[k])
            i++;
        if (i == 3)
            return false;
        if (i == count)
            in[count++] = more[k];
        at[k] = leaf_truth[i];
    }
    for (unsigned k = count; k < 3; k++)
        in[k] = in[0];
    *out = cut_of(low, (uint8_t)((value->truth & at[1]) | (at[0] & ~at[1])), in);
    return true;
}

/* --- narrow vectors: functions of two --- */

static uint32_t expand(struct native_lowering *low, const struct plane_cut *cut, uint8_t truth,
                       uint32_t to);

static struct made_value *known_place(struct native_lowering *low, const struct made_value *value) {
    uint64_t hash = hash_bytes(value, offsetof(struct made_value, variable));
    return &low->known[hash >> 56];
}

/* left OP right in `to`, or in a variable that has it (to == CODE_NEVER: in any). */
static uint32_t operate(struct native_lowering *low, enum plane_formula_kind form, uint32_t left,
                        uint32_t right, uint32_t to) {
    static const uint8_t truths[] = {[PLANE_FORM_NOT] = 0x55,
                                     [PLANE_FORM_AND] = 0x88,
                                     [PLANE_FORM_OR] = 0xee,
                                     [PLANE_FORM_XOR] = 0x66,
                                     [PLANE_FORM_ANDNOT] = 0x44};
    const uint32_t *versions = low->versions.data;
    if (form != PLANE_FORM_NOT && form != PLANE_FORM_ANDNOT && left > right) {
        uint32_t swap = left;
        left = right;
        right = swap;
    }
    struct plane_cut cut = {{left, right}, truths[form], form == PLANE_FORM_NOT ? 1 : 2};
    struct made_value value = {.kind = form, .left = left, .right = right};
    struct made_value *known = NULL;
    value.left = versions[left] ? versions[left] : UINT32_MAX - left;
    value.right = versions[right] ? versions[right] : UINT32_MAX - right;
    known = known_place(low, &value);
    bool have = memcmp(known, &value, offsetof(struct made_value, variable)) == 0 &&
                versions[known->variable] == known->version;
    if (have && to == CODE_NEVER)
        return known->variable;
    if (have)
        cut = (struct plane_cut){{known->variable}, 0xaa, 1};
    else if (to == CODE_NEVER)
        to = new_variable(low);
    push(low, &cut, to);
    if (!have) {
        value.variable = to;
        value.version = low->versions.data[to];
        *known = value;
    }
    return to;
}

/* The variable that gets function `truth` of the cut's leaves by its formula. */
static uint32_t expand(struct native_lowering *low, const struct plane_cut *cut, uint8_t truth,
                       uint32_t to) {
    const struct plane_formula *f = &plane_formulas[truth];
    if (f->form == PLANE_FORM_LEAF)
        return cut->leaf[truth == leaf_truth[0] ? 0 : truth == leaf_truth[1] ? 1 : 2];
    uint32_t left = expand(low, cut, f->left, CODE_NEVER);
    uint32_t right = f->form == PLANE_FORM_NOT ? left : expand(low, cut, f->right, CODE_NEVER);
    return operate(low, f->form, left, right, to);
}

/* --- steps --- */

static void emit_cut(struct native_lowering *low, const struct plane_cut *cut, uint32_t to) {
    if (low->wide || cut->count == 0 || (cut->count == 1 && cut->truth == 0xaa))
        push(low, cut, to);
    else
        expand(low, cut, cut->truth, to);
}

static void lower_step(struct native_lowering *low, const struct plane_step *step) {
    uint8_t f = (uint8_t)step->kernel;
    uint32_t in[3] = {0}, to = variable(low, step->dst), mask = variable(low, step->mask);
    for (unsigned k = 0; k < 3; k++)
        in[plane_order[f][k]] = variable(low, step->src[k]);
    struct plane_cut cut = cut_of(low, f, in);
    if (step->kernel & PLANE_MASKED) {
        struct plane_cut whole;
        if (!under_mask(low, &cut, to, mask, &whole)) {
            uint32_t value = new_variable(low);
            emit_cut(low, &cut, value);
            const uint32_t choice[3] = {to, value, mask};
            whole = cut_of(low, 0xca, choice);
        }
        cut = whole;
    }
    if (cut.count == 1 && cut.truth == 0xaa && cut.leaf[0] == to)
        return;
    emit_cut(low, &cut, to);
}

/* --- who reads what next --- */

static void find_next_uses(const struct native_lowering *low) {
    struct code_ops *ops = low->ops;
    uint32_t *next = xreallocarray(NULL, (size_t)ops->variables + 1, sizeof *next);
    memset(next, 0xff, ((size_t)ops->variables + 1) * sizeof *next);
    for (size_t i = ops->list.len; i-- > 0;) {
        struct code_op *op = &ops->list.data[i];
        op->to_next = next[op->to];
        op->dead = op->to >= low->slots && op->to_next == CODE_NEVER;
        if (op->dead)
            continue;
        next[op->to] = CODE_NEVER;
        for (unsigned k = 0; k < op->count; k++)
            op->from_next[k] = next[op->from[k]];
        for (unsigned k = 0; k < op->count; k++)
            next[op->from[k]] = (uint32_t)i;
    }
    free(next);
}

static void touch(struct code_ops *ops, uint32_t variable, uint32_t slots, uint8_t *seen) {
    if (variable >= slots || seen[variable])
        return;
    seen[variable] = 1;
    vec_push(&ops->touched, variable);
}

static void find_touched(struct code_ops *ops, uint32_t slots) {
    uint8_t *seen = xcalloc((size_t)slots + 1, 1);
    vec_clear(&ops->touched);
    for (size_t i = 0; i < ops->list.len; i++) {
        const struct code_op *op = &ops->list.data[i];
        for (unsigned k = 0; k < op->count && !op->dead; k++)
            touch(ops, op->from[k], slots, seen);
        touch(ops, op->to, slots, seen);
    }
    free(seen);
}

void plane_code_slots(const struct plane_code_source *source, uint32_t *slots, uint32_t *scratch) {
    *slots = 0;
    *scratch = SLOT_FIRST;
    for (size_t i = 0; i < source->count; i++) {
        const struct plane_step *s = &source->steps[i];
        const uint32_t operands[] = {s->dst, s->mask, s->src[0], s->src[1], s->src[2]};
        for (size_t k = 0; k < sizeof operands / sizeof *operands; k++) {
            uint32_t *most = operands[k] & 1 ? scratch : slots;
            if (operands[k] / PLANE_STRIDE >= *most)
                *most = operands[k] / PLANE_STRIDE + 1;
        }
    }
}

bool plane_code_lower(const struct plane_code_source *source, struct code_ops *ops) {
    struct native_lowering low = {
        .ops = ops, .slots = source->slots, .wide = source->vectors == PLANE_VECTORS_AVX512};
    uint32_t slots, scratch;
    plane_code_slots(source, &slots, &scratch);
    if (slots > source->slots)
        return false;
    vec_clear(&ops->list);
    ops->variables = 0;
    for (uint32_t i = 0; i < source->slots + scratch; i++)
        new_variable(&low);
    for (size_t i = 0; i < source->count; i++)
        lower_step(&low, &source->steps[i]);
    find_next_uses(&low);
    find_touched(ops, source->slots);
    vec_free(&low.versions);
    return true;
}
