/* SPDX-License-Identifier: MIT
 * Words of a host, carried out: gates and writes become steps of kernels, which are collected as
 * long as the selection is the same and then pass over the crossbars tile by tile. */
#include "machines/plane/run/host_stream.h"

#include "machines/plane/run/translate.h"
#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const plane_stream_names[STREAM_COUNTS] = {
    "kernel_mask_words",  "kernel_read_words", "kernel_write_words", "kernel_init0_words",
    "kernel_init1_words", "kernel_not_words",  "kernel_nor_words",   "kernel_vertical_words",
    "kernel_move_words",  "kernel_cells"};

/* Steps that are kept before they are carried out. */
#define MOST_STEPS 4096

enum { SLOT_ROWS = SLOT_FIRST, STREAM_SLOTS }; /* the mask of rows, and how many slots */

struct vrf_list {
    uint32_t *data;
    size_t len, cap; /* works with vec_push and vec_free */
};

struct player {
    struct plane_machine *m;
    struct plane_crossbar x;
    struct plane_selected selected;
    struct plane_stream_result *result;
    uint64_t begin_ps;                       /* of the first word */
    const struct target_op *ops[GATE_COUNT]; /* what the target's gates take */
    struct step_list steps;
    struct plane_scratch *scratch;
    uint64_t *row_words;  /* [words_per_vrf]: of the selected rows */
    bool all_rows;        /* no mask is needed */
    struct vrf_list vrfs; /* of the selected crossbars, ascending; known when `listed` */
    bool listed;
    struct str why;
};

static bool find_gates(struct player *player, struct diag *diag) {
    for (unsigned g = 0; g < GATE_COUNT; g++) {
        player->ops[g] = plane_gate_op(player->m->target, (enum plane_gate)g);
        if (!player->ops[g])
            diag_error(diag, NO_SPAN, "target '%s' has no gate that does what words of %s do",
                       player->m->target->name, plane_gate_name((enum plane_gate)g));
        if (!player->ops[g])
            return false;
    }
    return true;
}

/* ---- what is selected ---- */

static void list_vrfs(struct player *player) {
    const struct plane_range *r = &player->selected.crossbars;
    vec_clear(&player->vrfs);
    for (uint32_t i = 0; i < plane_range_size(*r); i++)
        vec_push(&player->vrfs, r->start + i * r->step);
    player->listed = true;
}

static void select_rows(struct player *player) {
    const struct plane_range *r = &player->selected.rows;
    memset(player->row_words, 0, player->m->words_per_vrf * sizeof *player->row_words);
    for (uint32_t i = 0; i < plane_range_size(*r); i++) {
        uint32_t row = r->start + i * r->step;
        player->row_words[row / 64] |= UINT64_C(1) << row % 64;
    }
    player->all_rows =
        plane_range_size(*r) == player->m->target->lanes && player->m->target->lanes % 64 == 0;
}

/* ---- steps ---- */

/* Words of the mask beside those of a piece that begins with word `first` of the machine. */
static void put_row_mask(const struct player *player, uint64_t first, size_t words) {
    uint64_t *mask =
        (uint64_t *)(void *)(player->scratch->planes + (size_t)SLOT_ROWS * PLANE_STRIDE);
    uint32_t at = (uint32_t)(first % player->m->words_per_vrf);
    for (size_t i = 0; i < words; i++) {
        mask[i] = player->row_words[at];
        at = at + 1 < player->m->words_per_vrf ? at + 1 : 0;
    }
}

static void run_piece(struct player *player, uint64_t first, struct plane_piece piece) {
    struct plane_frame f = {{piece.at, player->scratch->planes - 1}, piece.words};
    if (!piece.at)
        return;
    if (!player->all_rows)
        put_row_mask(player, first, piece.words);
    struct plane_turn t = plane_choice_turn(&player->m->choice, player->steps.len, f.words);
    for (size_t i = 0; i < player->steps.len; i++)
        t.kernels->run[player->steps.data[i].kernel](&player->steps.data[i], &f);
    if (t.trial)
        plane_choice_record(player->m, &t);
}

/* VRFs that follow one another, in pieces that lie in one tile. */
static void run_vrfs(struct player *player, uint32_t first, uint32_t count) {
    uint64_t word = (uint64_t)first * player->m->words_per_vrf;
    uint64_t end = word + (uint64_t)count * player->m->words_per_vrf;
    while (word < end) {
        struct plane_piece p = plane_piece(player->m, word, end - word);
        run_piece(player, word, p);
        word += p.words;
    }
}

/* Carries out what was collected. */
static void flush(struct player *player) {
    if (!player->steps.len)
        return;
    if (!player->listed)
        list_vrfs(player);
    const uint32_t *v = player->vrfs.data;
    for (size_t i = 0, k; i < player->vrfs.len; i = k) {
        for (k = i + 1; k < player->vrfs.len && v[k] == v[k - 1] + 1; k++) {
        }
        run_vrfs(player, v[i], (uint32_t)(k - i));
    }
    vec_clear(&player->steps);
}

static uint32_t cell(const struct player *player, uint32_t reg, uint32_t partition) {
    return tile_operand(player->m->reg_slot[reg] + partition);
}

static void add_step(struct player *player, enum plane_gate gate, const uint32_t *operands,
                     uint32_t result) {
    uint32_t inputs[3], n = player->ops[gate]->nsrc;
    for (uint32_t i = 0; i < n; i++)
        inputs[i] = operands[i];
    if (player->ops[gate]->reads_old)
        inputs[n++] = result;
    plane_emit(&player->steps, player->ops[gate]->truth[0], inputs, n, result, !player->all_rows,
               scratch_operand(SLOT_ROWS));
}

static void add_gates(struct player *player, const struct plane_word *word) {
    for (uint32_t p = word->start; p <= word->stop; p += word->step) {
        uint32_t on = p - word->start, operands[2];
        for (unsigned i = 0; i < player->ops[word->gate]->nsrc; i++)
            operands[i] = cell(player, word->in_reg[i], word->in_partition[i] + on);
        add_step(player, word->gate, operands, cell(player, word->reg, p));
    }
}

static void add_write(struct player *player, const struct plane_word *word) {
    for (uint32_t p = 0; p < player->x.partitions; p++)
        add_step(player, word->data >> p & 1 ? GATE_INIT1 : GATE_INIT0, NULL,
                 cell(player, word->reg, p));
}

/* ---- rows one by one ---- */

/* The words that hold a row of a VRF; at is NULL without state. */
static struct plane_piece row_of(const struct player *player, uint32_t vrf, uint32_t row) {
    return plane_piece(player->m, (uint64_t)vrf * player->m->words_per_vrf + row / 64, 1);
}

static uint64_t read_row(const struct player *player, uint32_t vrf, uint32_t reg, uint32_t row) {
    struct plane_piece at = row_of(player, vrf, row);
    uint64_t value = 0;
    for (uint32_t p = 0; at.at && p < player->x.partitions; p++)
        value |= (*plane_words(at, player->m->reg_slot[reg] + p) >> row % 64 & 1) << p;
    return value;
}

static void write_row(const struct player *player, uint32_t vrf, uint32_t reg, uint32_t row,
                      uint64_t value) {
    struct plane_piece at = row_of(player, vrf, row);
    for (uint32_t p = 0; at.at && p < player->x.partitions; p++) {
        uint64_t *plane = plane_words(at, player->m->reg_slot[reg] + p);
        *plane = (*plane & ~(UINT64_C(1) << row % 64)) | (value >> p & 1) << row % 64;
    }
}

static void vertical(struct player *player, const struct plane_word *word) {
    const struct plane_range *r = &player->selected.crossbars;
    uint64_t all =
        player->x.partitions < 64 ? (UINT64_C(1) << player->x.partitions) - 1 : UINT64_MAX;
    for (uint32_t i = 0; i < plane_range_size(*r); i++) {
        uint32_t vrf = r->start + i * r->step;
        uint64_t value = word->gate == GATE_INIT1 ? all : 0;
        if (word->gate == GATE_NOT)
            value = read_row(player, vrf, word->reg, word->out_row) &
                    ~read_row(player, vrf, word->reg, word->in_row);
        write_row(player, vrf, word->reg, word->out_row, value);
    }
}

/* All are read before one is written. */
static void move(struct player *player, const struct plane_word *word) {
    const struct plane_range *r = &player->selected.crossbars;
    uint32_t count = plane_range_size(*r);
    uint64_t *values = xcalloc(count, sizeof *values);
    for (uint32_t i = 0; i < count; i++)
        values[i] = read_row(player, r->start + i * r->step, word->in_reg[0], word->in_row);
    for (uint32_t i = 0; i < count; i++)
        write_row(player, word->crossbar + i * r->step, word->reg, word->out_row, values[i]);
    free(values);
}

static void read(struct player *player, const struct plane_word *word) {
    uint32_t vrf = player->selected.crossbars.start;
    uint64_t value = player->m->setup.costs_only
                         ? 0
                         : read_row(player, vrf, word->reg, player->selected.rows.start);
    vec_push(&player->result->reads, value);
}

/* ---- cost ---- */

uint64_t plane_word_ps(const struct target *target) {
    uint64_t link = target->host_bytes_per_s
                        ? sat_scale(target->word_bytes ? target->word_bytes : 8,
                                    UINT64_C(1000000000000), target->host_bytes_per_s)
                        : 0;
    return link > target->datapath_ps ? link : target->datapath_ps;
}

/* Energy of one gate in one row, or in a crossbar where the target says so. */
static void charge(struct player *player, const struct target_op *op, uint64_t cells,
                   uint64_t gates) {
    const struct plane_target *p = plane_target(player->m->target);
    uint64_t fj = sat_scale(op->energy, p->energy_per_lane ? cells : gates, p->energy_parts);
    uint64_t *sum = &player->result->energy_fj[op->class];
    uint64_t *of_kind = player->result->kind_fj ? &player->result->kind_fj[op - p->ops] : &fj;
    *sum = sat_add(*sum, fj);
    if (of_kind != &fj)
        *of_kind = sat_add(*of_kind, fj);
}

/* What goes over wires of the tree. */
static void charge_bits(struct player *player, uint64_t cells) {
    uint64_t *sum = &player->result->energy_fj[OPCLASS_CROSSING];
    *sum = sat_add(*sum, sat_mul(cells, player->m->target->network_fj_per_bit));
}

static void count_uops(struct player *player, const struct target_op *op, uint64_t gates) {
    uint64_t *sum = player->result->uops;
    if (sum)
        sum[op - plane_target(player->m->target)->ops] =
            sat_add(sum[op - plane_target(player->m->target)->ops], gates);
}

static void count_gates(struct player *player, const struct plane_word *word, uint64_t cells) {
    uint64_t crossbars = plane_range_size(player->selected.crossbars);
    uint64_t gates = word->kind == WORD_GATES ? (word->stop - word->start) / word->step + 1
                                              : player->x.partitions;
    const struct target_op *op = player->ops[word->gate];
    charge(player, op, cells, sat_mul(gates, crossbars));
    count_uops(player, op, sat_mul(gates, crossbars));
}

static void count_word(struct player *player, const struct plane_word *word) {
    static const enum plane_stream_count kinds[WORD_KINDS] = {
        [WORD_CROSSBARS] = STREAM_MASKS, [WORD_ROWS] = STREAM_MASKS,
        [WORD_READ] = STREAM_READS,      [WORD_WRITE] = STREAM_WRITES,
        [WORD_GATES] = STREAM_GATES,     [WORD_VERTICAL] = STREAM_VERTICAL,
        [WORD_MOVE] = STREAM_MOVES};
    uint64_t cells = plane_word_cells(&player->x, word, &player->selected);
    uint64_t *counts = player->result->counts;
    counts[kinds[word->kind] + (word->kind == WORD_GATES ? (unsigned)word->gate : 0)]++;
    counts[STREAM_CELLS] = sat_add(counts[STREAM_CELLS], cells);
    if (word->kind == WORD_GATES || word->kind == WORD_VERTICAL)
        count_gates(player, word, cells);
    else if (word->kind == WORD_WRITE)
        charge(player, player->ops[GATE_INIT1], cells,
               sat_mul(plane_range_size(player->selected.crossbars), player->x.partitions));
    else
        charge_bits(player, cells);
}

/* ---- for those who watch ---- */

/* The bits of the word are there.  Of masks, the first VRFs that are selected from now on. */
static void tell(struct player *player, const struct plane_word *word) {
    struct plane_machine *m = player->m;
    uint64_t after = sat_mul(player->result->done, plane_word_ps(m->target));
    struct dp_event e = {.start_ps = sat_add(player->begin_ps, after),
                         .kind = plane_kinds(m->target),
                         .record = word};
    flush(player);
    if (!player->listed)
        list_vrfs(player);
    const uint32_t *v = player->vrfs.data;
    bool mask = word->kind == WORD_CROSSBARS || word->kind == WORD_ROWS;
    for (size_t i = 0, k; i < player->vrfs.len; i = mask ? player->vrfs.len : k) {
        for (k = i + 1; k < player->vrfs.len && v[k] == v[k - 1] + 1; k++) {
        }
        e.vrf_first = v[i];
        e.vrf_count = (uint32_t)(k - i);
        m->observer(m->observer_context, &e);
    }
}

/* ---- a word ---- */

/* False, with why, if a register of the word has not a cell in each partition: the machine was made
 * for other words. */
static bool has_cells(struct player *player, const struct plane_word *word) {
    const uint8_t *bits = player->m->reg_bits;
    uint32_t regs[3] = {word->reg, word->reg, word->reg};
    unsigned n = word->kind == WORD_GATES ? player->ops[word->gate]->nsrc : word->kind == WORD_MOVE;
    if (word->kind == WORD_CROSSBARS || word->kind == WORD_ROWS)
        return true;
    for (unsigned i = 0; i < n; i++)
        regs[i] = word->in_reg[i];
    for (unsigned i = 0; i < 3; i++)
        if (regs[i] >= 64 || bits[regs[i]] < player->x.partitions) {
            str_printf(&player->why, "register %" PRIu32 " has no cell in each partition", regs[i]);
            return false;
        }
    return true;
}

/* Crossbars of MPUs that the machine was not opened with do not take part. */
static bool has_crossbars(struct player *player, const struct plane_word *word) {
    const struct plane_range *r = &player->selected.crossbars;
    uint32_t last = r->stop;
    if (word->kind == WORD_CROSSBARS || word->kind == WORD_ROWS)
        return true;
    if (word->kind == WORD_MOVE && word->crossbar + (r->stop - r->start) > last)
        last = word->crossbar + (r->stop - r->start);
    if (last < player->m->vrfs)
        return true;
    str_printf(&player->why, "crossbar %" PRIu32 " is in no MPU of the program", last);
    return false;
}

/* Masks take effect when what was selected before has been dealt with. */
static void change_selection(struct player *player, enum plane_word_kind kind,
                             const struct plane_selected *now) {
    flush(player);
    player->selected = *now;
    if (kind == WORD_ROWS)
        select_rows(player);
    else
        player->listed = false;
}

static void carry_out(struct player *player, const struct plane_word *word) {
    if (word->kind == WORD_READ) {
        flush(player);
        read(player, word);
        return;
    }
    if (player->m->setup.costs_only)
        return;
    if (word->kind == WORD_GATES) {
        add_gates(player, word);
    } else if (word->kind == WORD_WRITE) {
        add_write(player, word);
    } else {
        flush(player);
        if (word->kind == WORD_MOVE)
            move(player, word);
        else
            vertical(player, word);
    }
    if (player->steps.len > MOST_STEPS)
        flush(player);
}

static bool one_word(struct player *player, uint64_t bits) {
    struct plane_word word;
    struct plane_selected now = player->selected;
    if (!plane_word_decode(&player->x, bits, &word, &player->why) ||
        !plane_word_check(&player->x, &word, &now, &player->why) || !has_cells(player, &word) ||
        !has_crossbars(player, &word))
        return false;
    if (word.kind == WORD_CROSSBARS || word.kind == WORD_ROWS)
        change_selection(player, word.kind, &now);
    else
        carry_out(player, &word);
    count_word(player, &word);
    if (player->m->observer)
        tell(player, &word);
    return true;
}

/* ---- a stream ---- */

/* How often the user's limits are asked for. */
#define WORDS_AT_ONCE 4096

static bool play(struct player *player, const struct plane_stream *stream, struct diag *diag) {
    size_t *done = &player->result->done;
    for (; *done < stream->count; ++*done) {
        if (*done % WORDS_AT_ONCE == 0 && stream->go_on && !stream->go_on(stream->context, *done))
            return false;
        if (!one_word(player, stream->words[*done])) {
            diag_error(diag, NO_SPAN, "word %zu: %s", *done, str_text(&player->why));
            return false;
        }
    }
    return true;
}

bool plane_stream_run(struct plane_machine *machine, const struct plane_stream *stream,
                      struct plane_stream_result *result, struct diag *diag) {
    struct player p = {.m = machine, .result = result, .begin_ps = stream->begin_ps};
    if (!plane_crossbar_of(machine->target, &p.x, &p.why)) {
        diag_error(diag, NO_SPAN, "%s", str_text(&p.why));
        str_free(&p.why);
        return false;
    }
    if (!find_gates(&p, diag))
        return false;
    p.selected = plane_selected_all(&p.x);
    p.row_words = xcalloc(machine->words_per_vrf, sizeof *p.row_words);
    p.scratch = plane_scratch_take(machine, STREAM_SLOTS);
    select_rows(&p);
    bool fine = play(&p, stream, diag);
    flush(&p);
    plane_scratch_give(machine, p.scratch);
    vec_free(&p.steps);
    vec_free(&p.vrfs);
    free(p.row_words);
    str_free(&p.why);
    return fine;
}
