/* SPDX-License-Identifier: MIT
 * Row programs as text. */
#include "machines/slot/program/program.h"

#include <inttypes.h>

const char *const row_kind_names[ROW_KINDS] = {
    [ROW_COPY] = "row_copy",
    [ROW_NOT] = "pluto_not",
    [ROW_AND] = "pluto_and",
    [ROW_OR] = "pluto_or",
    [ROW_XOR] = "pluto_xor",
    [ROW_XNOR] = "pluto_xnor",
    [ROW_BIT_SHIFT_L] = "pluto_bit_shift_l",
    [ROW_BIT_SHIFT_R] = "pluto_bit_shift_r",
    [ROW_BYTE_SHIFT_L] = "pluto_byte_shift_l",
    [ROW_BYTE_SHIFT_R] = "pluto_byte_shift_r",
    [ROW_QUERY] = "pluto_op",
    [ROW_MOVE] = "pluto_move",
    [ROW_LAPS] = "laps",
    [ROW_END] = "end",
};
static const char laps_names[] = "ijkl";

static void row_text(uint16_t row, const struct row_pool *pool, const struct insn *insn,
                     struct str *out) {
    static const char *const roles[] = {"rs", "rt", "rd", "C", "M", "valid", "buffer"};
    const uint8_t regs[] = {insn ? insn->rs : 0, insn ? insn->rt : 0, insn ? insn->rd : 0};
    if (row >= ROW_CONSTANT && pool && (size_t)(row - ROW_CONSTANT) < pool->constants.len)
        str_printf(out, "0x%" PRIx64, pool->constants.data[row - ROW_CONSTANT]);
    else if (row >= ROW_CONSTANT)
        str_printf(out, "constant%d", row - ROW_CONSTANT);
    else if (row >= ROW_TEXT_REGISTER)
        str_printf(out, "r%d", row - ROW_TEXT_REGISTER);
    else if (row >= ROW_TEXT_C)
        str_append(out, row == ROW_TEXT_C ? "C" : "M");
    else if (row >= ROW_SCRATCH)
        str_printf(out, "t%d", row - ROW_SCRATCH);
    else if (row <= ROW_RD && insn)
        str_printf(out, "r%d", regs[row]);
    else
        str_append(out, row <= ROW_BUFFER ? roles[row] : "?");
}

static void steps_text(const int16_t step[ROW_NEST], struct str *out) {
    for (unsigned d = 0; d < ROW_NEST; d++)
        if (step[d])
            str_printf(out, "%+d*%c", step[d], laps_names[d]);
}

/* A constant that steps is named by its place: there is a row of its own for each lap. */
static void ref_text(const struct row_ref *ref, const struct row_pool *pool,
                     const struct insn *insn, struct str *out) {
    bool steps = false;
    for (unsigned d = 0; d < ROW_NEST; d++)
        steps |= ref->step[d] != 0;
    row_text(ref->row, steps ? NULL : pool, insn, out);
    steps_text(ref->step, out);
}

static void count_text(const struct row_word *w, struct str *out) {
    str_printf(out, "%" PRIu32, w->count);
    if (w->power)
        str_printf(out, "<<%c", laps_names[w->power - 1]);
    steps_text(w->count_step, out);
}

static void word_text(const struct row_word *w, const struct row_pool *pool,
                      const struct insn *insn, struct str *out) {
    str_append(out, w->kind < ROW_KINDS ? row_kind_names[w->kind] : "?");
    if (w->kind == ROW_LAPS)
        str_printf(out, " %" PRIu32, w->count);
    if (w->kind >= ROW_COMMANDS)
        return;
    str_char(out, ' ');
    ref_text(&w->dst, pool, insn, out);
    str_append(out, ", ");
    if (w->kind >= ROW_BIT_SHIFT_L && w->kind <= ROW_BYTE_SHIFT_R) {
        str_char(out, '#');
        count_text(w, out);
        return;
    }
    ref_text(&w->a, pool, insn, out);
    if (w->kind >= ROW_AND && w->kind <= ROW_XNOR) {
        str_append(out, ", ");
        ref_text(&w->b, pool, insn, out);
    }
    if (w->kind == ROW_QUERY) {
        str_printf(out, ", lut%d", w->b.row);
        steps_text(w->b.step, out);
        str_printf(out, ", %" PRIu32 ", %d", w->count, w->bits);
    }
}

void row_command_text(const struct row_command *c, const struct row_pool *pool,
                      const struct insn *insn, struct str *out) {
    const struct row_word w = {.kind = (uint8_t)c->kind,
                               .bits = c->bits,
                               .dst = {.row = c->dst},
                               .a = {.row = c->a},
                               .b = {.row = c->b},
                               .count = c->count};
    word_text(&w, pool, insn, out);
}

void row_program_text(const struct row_program *program, const struct row_pool *pool,
                      const struct insn *insn, struct str *out) {
    unsigned depth = 1;
    for (size_t i = 0; i < program->words.len; i++) {
        const struct row_word *w = &program->words.data[i];
        depth -= w->kind == ROW_END && depth > 1;
        str_printf(out, "%*s", (int)(2 * depth), "");
        word_text(w, pool, insn, out);
        if (w->kind == ROW_LAPS && depth <= ROW_NEST)
            str_printf(out, " (%c)", laps_names[depth - 1]);
        str_char(out, '\n');
        depth += w->kind == ROW_LAPS;
    }
}
