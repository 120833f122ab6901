/* SPDX-License-Identifier: MIT */
#include "tests/erc/machine.h"

#include "support/bits.h"
#include "support/alloc.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is(const struct machine_line *line, const char *word) {
    return strcmp(line->word, word) == 0;
}

static int relation_of(const char *text) {
    for (int k = 0; k < 6; k++)
        if (strcmp(relation_names[k], text) == 0)
            return k;
    return -1;
}

static void read_condition(struct machine_line *line, const char *text) {
    char relation[4] = "";
    int *o = line->operand;
    if (strncmp(line->word, "elif", 4) == 0)
        sscanf(text, "%*s %d<-(%d %3s %d)", &o[1], &o[2], relation, &o[3]);
    else
        sscanf(text, "%*s %d,%d<-(%d %3s %d)", &o[0], &o[1], &o[2], relation, &o[3]);
    line->relation = relation_of(relation);
}

static struct machine_line read_line(const char *text) {
    struct machine_line line = {.relation = -1};
    int *o = line.operand;
    if (sscanf(text, "%19s", line.word) < 1)
        return line;
    if (strncmp(line.word, "JUMP", 4) == 0)
        sscanf(text, "%*s %19s", line.label);
    else
        line.count = sscanf(text, "%*s %d %d %d %d %d", &o[0], &o[1], &o[2], &o[3], &o[4]);
    if (strstr(text, "<-("))
        read_condition(&line, text);
    for (unsigned k = 0; k < operation_count; k++)
        if (is(&line, operations[k].name) && !is(&line, "GETMASK"))
            line.operation = &operations[k];
    return line;
}

/* What closes each block and where its next part begins. */
static void match_blocks(struct machine *machine) {
    size_t open[MACHINE_DEPTH][2]; /* the first line, the part */
    unsigned depth = 0;
    for (size_t i = 0; i < machine->line_count; i++) {
        struct machine_line *line = &machine->lines[i];
        bool part = is(line, "elif") || is(line, "else"), end = strncmp(line->word, "end", 3) == 0;
        if (is(line, "if") || is(line, "while"))
            open[depth][0] = i, open[depth++][1] = i;
        if (part || end)
            machine->lines[open[depth - 1][1]].part = i;
        if (part)
            open[depth - 1][1] = i;
        if (end) {
            depth--;
            machine->lines[open[depth][0]].end = i;
            line->end = open[depth][0];
        }
    }
}

static void read_text(struct machine *machine, const char *text) {
    size_t room = 0;
    for (const char *c = text; *c; c++)
        room += *c == '\n';
    machine->lines = xcalloc(room + 1, sizeof *machine->lines);
    machine->line_count = 0;
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        char line[100] = "";
        memcpy(line, text, (size_t)(end - text));
        machine->lines[machine->line_count++] = read_line(line);
    }
    match_blocks(machine);
}

/* The definition before the line, else the one behind it. */
static size_t find_label(const struct machine *machine, const char *label, size_t at) {
    char word[21];
    snprintf(word, sizeof word, "%s:", label);
    for (size_t i = at; i-- > 0;)
        if (is(&machine->lines[i], word))
            return i;
    for (size_t i = at; i < machine->line_count; i++)
        if (is(&machine->lines[i], word))
            return i;
    abort();
}

static bool is_call(const char *label) {
    return strncmp(label, "sub", 3) == 0;
}

static uint16_t lanes_of(const struct machine_vrf *vrf, int reg) {
    unsigned lanes = 0;
    for (unsigned i = 0; i < MACHINE_LANES; i++)
        lanes |= (unsigned)(vrf->r[reg][i] & 1) << i;
    return (uint16_t)lanes;
}

static uint16_t mask_of(const struct machine_vrf *vrf) {
    return vrf->pointer < 0 ? (uint16_t)((1u << MACHINE_LANES) - 1) : lanes_of(vrf, vrf->pointer);
}

static void spread(const struct machine *machine, struct machine_vrf *vrf, int reg,
                   uint16_t lanes) {
    for (unsigned i = 0; i < MACHINE_LANES; i++)
        vrf->r[reg][i] = lanes >> i & 1 ? low_bits(machine->width) : 0;
}

static void clear_t(struct machine_vrf *vrf, uint16_t lanes) {
    for (unsigned i = 0; i < MACHINE_LANES; i++)
        vrf->t[i] &= !(lanes >> i & 1);
}

/* The lanes of `among` where the condition holds. */
static uint16_t compare(const struct machine_vrf *vrf, const struct machine_line *line,
                        uint16_t among) {
    unsigned lanes = 0;
    for (unsigned i = 0; i < MACHINE_LANES; i++)
        lanes |= (unsigned)relation_holds((unsigned)line->relation, vrf->r[line->operand[2]][i],
                                          vrf->r[line->operand[3]][i])
                 << i;
    return (uint16_t)(lanes & among);
}

static void operate(const struct machine *machine, struct machine_vrf *vrf,
                    const struct machine_line *line) {
    uint16_t mask = mask_of(vrf);
    const char *letters = line->operation->operands;
    for (unsigned i = 0; i < MACHINE_LANES; i++) {
        uint64_t unused = 0, *operand[3] = {&unused, &unused, &unused};
        for (size_t k = 0; letters[k]; k++)
            operand[letters[k] - 'a'] = &vrf->r[line->operand[k]][i];
        if (mask >> i & 1)
            operation_run(line->operation, machine->width, &vrf->t[i], operand);
    }
}

static void get_mask(const struct machine *machine, struct machine_vrf *vrf, int reg) {
    uint16_t mask = mask_of(vrf);
    for (unsigned i = 0; i < MACHINE_LANES; i++)
        if (mask >> i & 1)
            vrf->r[reg][i] = vrf->t[i] ? low_bits(machine->width) : 0;
    clear_t(vrf, mask);
}

static void set_mask(const struct machine *machine, struct machine_vrf *vrf, int reg) {
    uint16_t mask = mask_of(vrf);
    for (unsigned i = 0; i < MACHINE_LANES; i++)
        if (mask >> i & 1)
            vrf->r[reg][i] = vrf->r[reg][i] & 1 ? low_bits(machine->width) : 0;
    clear_t(vrf, mask);
    vrf->pointer = reg;
}

static void name_mask(struct machine_vrf *vrf, struct machine_block *block, int m, int pointer) {
    block->own |= UINT64_C(1) << m | UINT64_C(1) << pointer;
    vrf->pointer = pointer;
}

static void open_block(const struct machine *machine, struct machine_vrf *vrf, size_t at) {
    const struct machine_line *line = &machine->lines[at];
    bool loop = is(line, "while");
    struct machine_block *b = &vrf->blocks[vrf->depth++];
    int m = line->operand[loop ? 0 : 1];
    *b = (struct machine_block){
        .line = at, .outer = mask_of(vrf), .pointer = vrf->pointer, .gm = line->operand[0]};
    uint16_t lanes = compare(vrf, line, b->outer);
    b->remaining = (uint16_t)(b->outer & ~lanes);
    spread(machine, vrf, m, lanes);
    clear_t(vrf, b->outer);
    name_mask(vrf, b, m, m);
}

static void next_part(const struct machine *machine, struct machine_vrf *vrf,
                      const struct machine_line *line) {
    struct machine_block *b = &vrf->blocks[vrf->depth - 1];
    bool last = is(line, "else");
    clear_t(vrf, b->outer);
    uint16_t lanes = last ? b->remaining : compare(vrf, line, b->remaining);
    int m = last ? b->gm : line->operand[1];
    b->remaining &= (uint16_t)~lanes;
    spread(machine, vrf, m, lanes);
    spread(machine, vrf, b->gm, lanes);
    name_mask(vrf, b, m, b->gm);
}

static void close_block(const struct machine *machine, struct machine_vrf *vrf) {
    struct machine_block b = vrf->blocks[--vrf->depth];
    if (vrf->depth)
        vrf->blocks[vrf->depth - 1].own |= b.own;
    vrf->pointer = b.pointer;
    if (b.pointer >= 0 && b.own >> b.pointer & 1)
        spread(machine, vrf, b.pointer, b.outer);
}

/* Gives the line to go on at. */
static size_t end_lap(const struct machine *machine, struct machine_vrf *vrf, size_t at) {
    struct machine_block *b = &vrf->blocks[vrf->depth - 1];
    const struct machine_line *head = &machine->lines[b->line];
    int m = head->operand[0];
    uint16_t lanes = compare(vrf, head, lanes_of(vrf, m));
    clear_t(vrf, lanes_of(vrf, m));
    spread(machine, vrf, m, lanes);
    vrf->pointer = m;
    if (lanes)
        return b->line + 1;
    clear_t(vrf, b->outer);
    close_block(machine, vrf);
    return at + 1;
}

static bool asks(const struct machine_vrf *vrf) {
    uint16_t mask = mask_of(vrf);
    for (unsigned i = 0; i < MACHINE_LANES; i++)
        if ((mask >> i & 1) && !vrf->t[i])
            return true;
    return false;
}

/* Lines that all VRFs at work go through together. */
static bool is_top(const struct machine_line *line) {
    return strncmp(line->word, "COMPUTE", 7) == 0 || strncmp(line->word, "MOVE", 4) == 0 ||
           strncmp(line->word, "MEM_", 4) == 0 || is(line, "EOF");
}

static size_t jump(const struct machine *machine, struct machine_vrf *vrf, size_t at, size_t *calls,
                   unsigned *depth) {
    const struct machine_line *line = &machine->lines[at];
    if (is(line, "JUMP_COND"))
        return asks(vrf) ? find_label(machine, line->label, at) : at + 1;
    if (is_call(line->label))
        calls[(*depth)++] = at + 1;
    return find_label(machine, line->label, at);
}

static size_t step_block(const struct machine *machine, struct machine_vrf *vrf, size_t at) {
    const struct machine_line *line = &machine->lines[at];
    if (is(line, "if") || is(line, "while")) {
        open_block(machine, vrf, at);
        if (is(line, "while") && !mask_of(vrf))
            return end_lap(machine, vrf, line->end);
    } else if (is(line, "elif") || is(line, "else")) {
        next_part(machine, vrf, line);
    } else if (is(line, "endif")) {
        close_block(machine, vrf);
    } else if (is(line, "endwhile")) {
        return end_lap(machine, vrf, at);
    }
    return at + 1;
}

static size_t step(const struct machine *machine, struct machine_vrf *vrf, size_t at, size_t *calls,
                   unsigned *depth) {
    const struct machine_line *line = &machine->lines[at];
    if (line->operation)
        operate(machine, vrf, line);
    else if (is(line, "GETMASK"))
        get_mask(machine, vrf, line->operand[0]);
    else if (is(line, "SETMASK"))
        set_mask(machine, vrf, line->operand[0]);
    else if (is(line, "UNMASK"))
        vrf->pointer = -1;
    else if (line->label[0])
        return jump(machine, vrf, at, calls, depth);
    else if (is(line, "RETURN"))
        return calls[--*depth];
    return step_block(machine, vrf, at);
}

/* A program that nobody would write (a shortened one) goes where it came from nowhere. */
static bool is_astray(const struct machine *machine, const struct machine_vrf *vrf, size_t at,
                      unsigned depth) {
    const struct machine_line *line = &machine->lines[at];
    bool inner = strncmp(line->word, "el", 2) == 0 || strncmp(line->word, "end", 3) == 0;
    return (is(line, "RETURN") && depth == 0) || depth == MACHINE_DEPTH ||
           (inner && vrf->depth == 0) || vrf->depth == MACHINE_DEPTH;
}

/* One VRF alone, up to the next line of all; its number of lines counts. */
static size_t run_vrf(struct machine *machine, struct machine_vrf *vrf, size_t at) {
    size_t calls[MACHINE_DEPTH];
    unsigned depth = 0;
    while (at < machine->line_count && machine->steps && (depth || !is_top(&machine->lines[at]))) {
        machine->steps = is_astray(machine, vrf, at, depth) ? 0 : machine->steps - 1;
        if (machine->steps)
            at = step(machine, vrf, at, calls, &depth);
    }
    return at;
}

static bool any_active(const struct machine *machine) {
    for (unsigned i = 0; i < MACHINE_VRFS; i++)
        if (machine->active[i])
            return true;
    return false;
}

static uint64_t *reg_of(struct machine *machine, int rfh, int row, int reg) {
    return machine->vrfs[rfh * MACHINE_ROWS + row].r[reg];
}

static uint64_t copied(uint64_t from, uint64_t to, unsigned width, unsigned shift) {
    uint64_t low = shift < width ? low_bits(width - shift) : 0;
    return (shift < width ? from >> shift & low : 0) | (to & ~low);
}

static void copy(struct machine *machine, const struct machine_line *line, unsigned pair) {
    const int *o = line->operand;
    bool more = !is(line, "MEM_COPY"), one = is(line, "MEM_BCAST");
    uint64_t before[MACHINE_LANES],
        *to = reg_of(machine, machine->pairs[pair][1], o[2 + more], o[3 + more]);
    memcpy(before, reg_of(machine, machine->pairs[pair][0], o[0], o[1]), sizeof before);
    for (unsigned i = 0; i < MACHINE_LANES; i++)
        to[i] = copied(before[one ? (unsigned)o[2] : i], to[i], machine->width,
                       more && !one ? (unsigned)o[2] : 0);
}

static void step_copies(struct machine *machine, const struct machine_line *line) {
    if (is(line, "MOVE")) {
        memcpy(machine->pairs[machine->pair_count++], line->operand, 2 * sizeof(int));
    } else if (is(line, "MOVE_DONE")) {
        machine->pair_count = 0;
    } else {
        for (unsigned k = 0; k < machine->pair_count; k++)
            copy(machine, line, k);
    }
}

static void step_compute(struct machine *machine, const struct machine_line *line) {
    if (is(line, "COMPUTE"))
        machine->active[line->operand[0] * MACHINE_ROWS + line->operand[1]] = true;
    for (int f = 0; f < MACHINE_RFHS && is(line, "COMPUTE_ALL"); f++)
        machine->active[f * MACHINE_ROWS + line->operand[0]] = true;
    if (!is(line, "COMPUTE_DONE"))
        return;
    memcpy(machine->last, machine->active, sizeof machine->last);
    memset(machine->active, 0, sizeof machine->active);
}

static bool last_asks(const struct machine *machine) {
    for (unsigned i = 0; i < MACHINE_VRFS; i++)
        if (machine->last[i] && asks(&machine->vrfs[i]))
            return true;
    return false;
}

/* Between ensembles: labels, jumps, and nothing else that counts. */
static size_t step_between(struct machine *machine, size_t at) {
    const struct machine_line *line = &machine->lines[at];
    bool astray =
        is(line, "RETURN") ? machine->call_depth == 0 : machine->call_depth == MACHINE_DEPTH;
    if (astray) {
        machine->steps = 0;
        return at;
    }
    if (is(line, "RETURN"))
        return machine->calls[--machine->call_depth];
    if (is(line, "JUMP") && is_call(line->label))
        machine->calls[machine->call_depth++] = at + 1;
    if (is(line, "JUMP") || (is(line, "JUMP_COND") && last_asks(machine)))
        return find_label(machine, line->label, at);
    return at + 1;
}

static size_t step_ensemble(struct machine *machine, size_t at) {
    size_t end = at;
    for (unsigned i = 0; i < MACHINE_VRFS; i++)
        if (machine->active[i])
            end = run_vrf(machine, &machine->vrfs[i], at);
    return end;
}

static size_t step_top(struct machine *machine, size_t at) {
    machine->steps--;
    const struct machine_line *line = &machine->lines[at];
    if (strncmp(line->word, "COMPUTE", 7) == 0)
        step_compute(machine, line);
    else if (is_top(line))
        step_copies(machine, line);
    else
        return any_active(machine) ? step_ensemble(machine, at) : step_between(machine, at);
    return at + 1;
}

bool machine_run(struct machine *machine, const char *text) {
    read_text(machine, text);
    size_t at = 0;
    machine->steps = 200000;
    while (machine->steps && at < machine->line_count && !is(&machine->lines[at], "EOF"))
        at = step_top(machine, at);
    free(machine->lines);
    return machine->steps > 0;
}
