/* SPDX-License-Identifier: MIT
 * Micro-ops to words. */
#include "machines/plane/run/words_out.h"
#include "machines/plane/run/insn_forms.h"

#include "machines/plane/link/formats.h"
#include "machines/plane/link/host_words.h"
#include "machines/plane/run/dram.h"
#include "recipe/set/words.h"
#include "support/alloc.h"
#include "support/bits.h"

#include <inttypes.h>
#include <stdlib.h>

struct plane_writer {
    struct plane_writer *next;
    unsigned format;
    dp_sink *sink;
    void *context;
    struct plane_crossbar crossbar;
    struct plane_selected selected; /* by the words so far */
    struct plane_word gates;        /* that are not written yet, where `open` */
    bool open;
    struct str line, why; /* why nothing more is written */
};

/* ---- words ---- */

static void fail(struct plane_writer *writer, const char *why) {
    if (!writer->why.len)
        str_append(&writer->why, why);
}

static void put_bits(struct plane_writer *writer, uint64_t bits) {
    str_clear(&writer->line);
    if (writer->format == PLANE_FORMAT_HEX)
        str_printf(&writer->line, "%016" PRIx64 "\n", bits);
    for (unsigned i = 0; writer->format != PLANE_FORMAT_HEX && i < 64; i += 8)
        str_char(&writer->line, (char)(unsigned char)(bits >> i));
    writer->sink(writer->context, writer->line.text, writer->line.len);
}

/* Of a word that cannot be, its text and why. */
static void put_word(struct plane_writer *writer, const struct plane_word *word) {
    struct str why = {0};
    if (!writer->why.len && plane_word_check(&writer->crossbar, word, &writer->selected, &why)) {
        put_bits(writer, plane_word_encode(&writer->crossbar, word));
    } else if (!writer->why.len) {
        plane_word_text(word, &writer->why);
        str_printf(&writer->why, " is no word: %s", str_text(&why));
    }
    str_free(&why);
}

static void flush(struct plane_writer *writer) {
    if (writer->open)
        put_word(writer, &writer->gates);
    writer->open = false;
}

static void put_range(struct plane_writer *writer, enum plane_word_kind kind,
                      struct dtc_range range) {
    const struct plane_range *now =
        kind == WORD_ROWS ? &writer->selected.rows : &writer->selected.crossbars;
    const struct plane_word word = {.kind = kind,
                                    .start = range.first,
                                    .stop = range.last,
                                    .step = range.first == range.last ? 1 : range.step};
    if (range.step == 0) {
        fail(writer, "nobody knows which crossbars or rows are selected");
        return;
    }
    if (now->start == word.start && now->stop == word.stop && now->step == word.step)
        return;
    flush(writer);
    put_word(writer, &word);
}

static void select_all_of(struct plane_writer *writer, const struct plane_selection *at) {
    put_range(writer, WORD_CROSSBARS, at->crossbars);
    put_range(writer, WORD_ROWS, at->rows);
}

/* ---- cells ---- */

struct cell {
    uint32_t reg, partition; /* the column is `reg` of its partition */
};

static const uint32_t first_partition = 0; /* of C, M and valid */

static struct cell state_cell(struct plane_machine *m, struct plane_writer *writer,
                              enum plane_class class) {
    struct cell c = {0, first_partition};
    if (!plane_row_number(m->target, m->reg_bits, PLANE(class, 0, 0), &c.reg))
        fail(writer, "C, M or valid has no column");
    return c;
}

/* Columns behind valid, the last of those that are not scratch. */
static uint32_t columns_taken(struct plane_machine *m, struct plane_writer *writer) {
    return state_cell(m, writer, PLANE_VALID).reg + 1;
}

/* Scratch rows have columns from the end on.  Those that instructions of the machine's own take
 * for whole registers (sent.h), the last ones by number, lie behind valid: a program has rows for
 * one register of up to 64 bits, or for two of a word each. */
static uint32_t scratch_column(struct plane_machine *m, struct plane_writer *writer, uint32_t plane,
                               bool sent) {
    const struct plane_target *p = plane_target(m->target);
    uint32_t taken = columns_taken(m, writer), column = 0;
    uint32_t from_last = p->scratch_rows - 1 - PLANE_NUMBER(plane);
    uint32_t rows = (uint32_t)ceil_div(64, p->sections);
    if (sent && from_last < 2 * rows)
        return taken + (from_last < rows ? from_last : 1 + from_last - rows);
    if (!plane_row_number(m->target, m->reg_bits, plane, &column) || column < taken + 2 * sent)
        fail(writer, "registers and scratch need the same column");
    return column;
}

static struct cell cell_of(struct plane_machine *m, struct plane_writer *writer, uint32_t plane,
                           uint32_t section, bool sent) {
    struct cell c = {0, PLANE_SECTION(plane)};
    switch (PLANE_CLASS(plane)) {
    case PLANE_C:
    case PLANE_M:
    case PLANE_VALID:
        return state_cell(m, writer, PLANE_CLASS(plane));
    case PLANE_SCRATCH:
        c.reg = scratch_column(m, writer, plane, sent);
        return c;
    case PLANE_REGISTER:
        c.partition = (PLANE_NUMBER(plane) & 63) % plane_target(m->target)->sections;
        break;
    default: /* a constant is there in all of them */
        c.partition = section;
        break;
    }
    if (!plane_row_number(m->target, m->reg_bits, plane, &c.reg))
        fail(writer, "a plane has no column");
    return c;
}

/* ---- gates ---- */

static bool gate_of(const struct target *target, unsigned kind, enum plane_gate *gate) {
    for (*gate = GATE_INIT0; *gate < GATE_COUNT; ++*gate)
        if (plane_gate_op(target, *gate) == &plane_target(target)->ops[kind])
            return true;
    return false;
}

static void set_operand(struct plane_word *word, unsigned i, struct cell cell) {
    word->in_reg[i] = cell.reg;
    word->in_partition[i] = cell.partition;
}

/* Operands in the order of their partitions, whichever comes first in the micro-op. */
static void set_operands(struct plane_word *word, struct cell left, struct cell right) {
    bool swap = left.partition > right.partition;
    set_operand(word, 0, swap ? right : left);
    set_operand(word, 1, swap ? left : right);
}

static void begin_gates(struct plane_machine *m, struct plane_writer *writer, const struct uop *uop,
                        bool sent) {
    enum plane_gate gate;
    struct cell in[2], out = {0, 0};
    flush(writer);
    if (!gate_of(m->target, uop->kind, &gate) || PLANE_CLASS(uop->predicate) != PLANE_NONE) {
        fail(writer, "a micro-op is none of the words' gates: INIT0, INIT1, NOT, NOR");
        return;
    }
    out = cell_of(m, writer, uop->dst[0], uop->section, sent);
    in[0] = in[1] = out;
    for (unsigned i = 0; i < uop->nsrc; i++)
        in[i] = cell_of(m, writer, uop->src[i], out.partition, sent);
    if (uop->nsrc == 1)
        in[1] = in[0];
    if (gate == GATE_NOR && in[0].reg == in[1].reg && in[0].partition == in[1].partition)
        gate = GATE_NOT;
    writer->gates = (struct plane_word){.kind = WORD_GATES,
                                        .gate = gate,
                                        .reg = out.reg,
                                        .start = out.partition,
                                        .stop = out.partition,
                                        .step = 1};
    set_operands(&writer->gates, in[0], in[1]);
    writer->open = true;
}

/* One more gate of the word: as far on as the ones before it. */
static void add_gate(struct plane_machine *m, struct plane_writer *writer, const struct uop *uop,
                     bool sent) {
    struct plane_word *word = &writer->gates;
    uint32_t partition = cell_of(m, writer, uop->dst[0], uop->section, sent).partition;
    uint32_t step = partition - word->stop;
    if (!writer->open || partition <= word->stop ||
        (word->stop > word->start && step != word->step)) {
        fail(writer, "the gates of a word do not lie equally far apart");
        return;
    }
    word->step = step;
    word->stop = partition;
}

static void put_gate(struct plane_machine *m, struct plane_writer *writer, const struct uop *uop,
                     bool sent) {
    if (writer->why.len)
        return;
    if (recipe_word_goes_on(m->target, uop))
        add_gate(m, writer, uop, sent);
    else
        begin_gates(m, writer, uop, sent);
}

void plane_write_gate(struct plane_machine *machine, const struct plane_selection *at,
                      const struct uop *uop) {
    for (struct plane_writer *w = machine->writers; w; w = w->next) {
        select_all_of(w, at);
        put_gate(machine, w, uop, true);
    }
}

/* All lanes, unless the machine has been told which of these VRFs work. */
static struct plane_selection selection_for(struct plane_machine *machine,
                                            struct dtc_range crossbars) {
    const struct plane_selection *now = plane_selection_of(machine, crossbars.first);
    struct plane_selection at = {crossbars, {0, machine->target->lanes - 1, 1}};
    if (dtc_same_range(now->crossbars, crossbars) && now->rows.step)
        at.rows = now->rows;
    return at;
}

static void put_form(struct plane_machine *machine, struct plane_writer *writer,
                     const struct plane_form *form, const struct plane_registers *registers) {
    for (size_t k = 0; k < form->uop_count; k++) {
        const struct uop uop = plane_uop_in_place(registers, &form->uops[k]);
        put_gate(machine, writer, &uop, false);
    }
}

void plane_write_code(struct plane_machine *machine, const struct dp_code *code,
                      struct vrf_set set) {
    size_t count;
    uint32_t *vrfs = machine->writers ? plane_numbers(set, &count) : NULL;
    dtc_ranges ranges = {0};
    struct plane_anew anew = {.form = NULL};
    if (vrfs)
        dtc_cover(vrfs, count, &ranges);
    for (size_t i = 0; i < ranges.len; i++) {
        const struct plane_selection at = selection_for(machine, ranges.data[i]);
        for (struct plane_writer *w = machine->writers; w; w = w->next) {
            select_all_of(w, &at);
            for (size_t n = 0; n < code->insn_count; n++)
                put_form(machine, w, plane_anew_form(machine, &anew, code, n), &code->registers[n]);
        }
    }
    plane_anew_free(&anew);
    vec_free(&ranges);
    free(vrfs);
}

/* ---- other words ---- */

/* The column of a register's word, or of scratch rows that hold one. */
static uint32_t word_column(struct plane_machine *m, struct plane_writer *writer, uint32_t plane) {
    struct cell c = cell_of(m, writer, plane, 0, true);
    if (c.partition)
        fail(writer, "a word begins inside of a register");
    return c.reg;
}

static void put_side(struct plane_machine *m, struct plane_writer *writer,
                     const struct plane_side_word *side) {
    static const enum plane_word_kind kinds[PLANE_SIDES] = {
        [SIDE_CROSSBARS] = WORD_CROSSBARS, [SIDE_ROWS] = WORD_ROWS, [SIDE_READ] = WORD_READ,
        [SIDE_WRITE] = WORD_WRITE,         [SIDE_MOVE] = WORD_MOVE,
    };
    struct plane_word word = {.kind = kinds[side->side],
                              .data = side->data,
                              .in_row = side->from_row,
                              .out_row = side->to_row,
                              .crossbar = side->crossbar};
    if (side->side == SIDE_READ)
        word.reg = word_column(m, writer, side->from);
    else
        word.reg = word_column(m, writer, side->to);
    if (side->side == SIDE_MOVE)
        word.in_reg[0] = word_column(m, writer, side->from);
    flush(writer);
    put_word(writer, &word);
}

/* Ranges are written where something else needs them. */
void plane_write_side(struct plane_machine *machine, const struct plane_selection *at,
                      const struct plane_side_word *word) {
    if (word->side == SIDE_CROSSBARS || word->side == SIDE_ROWS)
        return;
    for (struct plane_writer *w = machine->writers; w; w = w->next) {
        put_range(w, WORD_CROSSBARS, at->crossbars);
        if (word->side != SIDE_MOVE)
            put_range(w, WORD_ROWS, at->rows);
        put_side(machine, w, word);
    }
}

static void put_init(struct plane_writer *writer, bool value, struct cell first, uint32_t last) {
    struct plane_word word = {.kind = WORD_GATES,
                              .gate = value ? GATE_INIT1 : GATE_INIT0,
                              .reg = first.reg,
                              .start = first.partition,
                              .stop = last,
                              .step = 1};
    set_operands(&word, first, first);
    flush(writer);
    put_word(writer, &word);
}

/* ---- M and valid ---- */

static int by_lanes(const void *left, const void *right) {
    const struct dp_binding *l = left, *r = right;
    if (l->valid_lanes != r->valid_lanes)
        return l->valid_lanes < r->valid_lanes ? -1 : 1;
    return (l->vrf > r->vrf) - (l->vrf < r->vrf);
}

/* 0 in all lanes of these VRFs, then 1 in those with an element. */
static void bind_range(struct plane_machine *m, struct plane_writer *writer,
                       struct dtc_range crossbars, uint32_t lanes) {
    const struct cell mask = state_cell(m, writer, PLANE_M);
    const struct cell valid = state_cell(m, writer, PLANE_VALID);
    put_range(writer, WORD_CROSSBARS, crossbars);
    for (unsigned value = 0; value < 2; value++) {
        uint32_t rows = value && lanes < m->target->lanes ? lanes : m->target->lanes;
        if (rows == 0 || (!value && lanes >= m->target->lanes))
            continue;
        put_range(writer, WORD_ROWS, (struct dtc_range){0, rows - 1, 1});
        put_init(writer, value, mask, first_partition);
        put_init(writer, value, valid, first_partition);
    }
}

/* VRFs with as many elements. */
static void bind_alike(struct plane_machine *machine, const struct dp_binding *bindings,
                       size_t count) {
    uint32_t *vrfs = xcalloc(count + 1, sizeof *vrfs);
    dtc_ranges ranges = {0};
    for (size_t i = 0; i < count; i++)
        vrfs[i] = bindings[i].vrf;
    dtc_cover(vrfs, count, &ranges);
    for (size_t i = 0; i < ranges.len; i++)
        for (struct plane_writer *w = machine->writers; w; w = w->next)
            bind_range(machine, w, ranges.data[i], bindings->valid_lanes);
    vec_free(&ranges);
    free(vrfs);
}

void plane_write_bound(struct plane_machine *machine, const struct dp_binding *bindings,
                       size_t count) {
    if (!machine->writers || !count)
        return;
    struct dp_binding *sorted = xcalloc(count, sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = bindings[i];
    qsort(sorted, count, sizeof *sorted, by_lanes);
    for (size_t i = 0, n; i < count; i += n) {
        for (n = 1; i + n < count && sorted[i + n].valid_lanes == sorted[i].valid_lanes; n++) {
        }
        bind_alike(machine, &sorted[i], n);
    }
    free(sorted);
}

/* ---- begin and end ---- */

/* Constants are rows of all crossbars, which nothing writes to. */
static void put_constants(struct plane_machine *m, struct plane_writer *writer) {
    const struct plane_target *p = plane_target(m->target);
    for (uint32_t i = 0; i < p->row_class_count; i++) {
        const struct row_class *c = &p->row_classes[i];
        if (c->value == 0 || c->value == 1)
            put_init(writer, c->value, (struct cell){c->first, 0}, p->sections - 1);
    }
}

static void free_writer(struct plane_writer *writer) {
    str_free(&writer->line);
    str_free(&writer->why);
    free(writer);
}

bool plane_write(struct datapath *dp, unsigned format, dp_sink *sink, void *context,
                 struct diag *diag) {
    struct plane_machine *m = plane_of(dp);
    struct plane_writer *w = xcalloc(1, sizeof *w);
    *w = (struct plane_writer){
        .next = m->writers, .format = format, .sink = sink, .context = context};
    bool fine = plane_crossbar_of(m->target, &w->crossbar, &w->why);
    if (fine && (m->setup.bits || m->setup.costs_only)) {
        fail(w, "the machine keeps no bits, or moves registers as it runs");
        fine = false;
    }
    if (!fine) {
        diag_error(diag, NO_SPAN, "words cannot be written: %s", str_text(&w->why));
        free_writer(w);
        return false;
    }
    w->selected = plane_selected_all(&w->crossbar);
    put_constants(m, w);
    m->writers = w;
    m->base.observed = true;
    return true;
}

bool plane_write_end(struct datapath *dp, const void *context, struct diag *diag) {
    struct plane_machine *m = plane_of(dp);
    struct plane_writer **at = &m->writers, *w;
    while (*at && (*at)->context != context)
        at = &(*at)->next;
    w = *at;
    if (!w)
        return true;
    flush(w);
    bool fine = !w->why.len;
    if (!fine)
        diag_error(diag, NO_SPAN, "what was carried out is no stream of words: %s",
                   str_text(&w->why));
    *at = w->next;
    free_writer(w);
    m->base.observed = plane_is_told(m);
    return fine;
}

void plane_write_close(struct plane_machine *machine) {
    while (machine->writers) {
        struct plane_writer *next = machine->writers->next;
        free_writer(machine->writers);
        machine->writers = next;
    }
}
