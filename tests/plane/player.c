/* SPDX-License-Identifier: MIT */
#include "player.h"

#include "support/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- words ---- */

static uint32_t *cell(const struct player *p, uint32_t crossbar, uint32_t reg, uint32_t row) {
    return &p->mem[((size_t)crossbar * REGISTERS + reg) * ROWS + row];
}

static uint32_t partitions(const struct plane_word *w) {
    uint32_t bits = 0;
    for (uint32_t at = w->start; at <= w->stop; at += w->step)
        bits |= UINT32_C(1) << at;
    return bits;
}

/* Values of an operand as they come to the output's partitions: up, or down. */
struct operand {
    const uint32_t *values;
    uint32_t up, down;
};

static struct operand operand_of(const struct player *p, const struct plane_word *w, unsigned k,
                                 uint32_t crossbar) {
    uint32_t from = w->in_partition[k], to = w->start;
    return (struct operand){cell(p, crossbar, w->in_reg[k], 0), to > from ? to - from : 0,
                            from > to ? from - to : 0};
}

static inline uint32_t at_output(struct operand o, size_t row) {
    return o.values[row] << o.up >> o.down;
}

/* Rows that lie together have a loop of their own: compilers make vectors of it. */
static void play_gate(uint32_t *d, struct operand x, struct operand y, uint32_t out,
                      struct plane_range r) {
    size_t step = r.step, end = (size_t)r.stop + 1;
    if (step == 1)
        for (size_t i = r.start; i < end; i++)
            d[i] &= ~((at_output(x, i) | at_output(y, i)) & out);
    else
        for (size_t i = r.start; i < end; i += step)
            d[i] &= ~((at_output(x, i) | at_output(y, i)) & out);
}

static void play_init(uint32_t *d, uint32_t keep, uint32_t set, struct plane_range r) {
    size_t step = r.step, end = (size_t)r.stop + 1;
    if (step == 1)
        for (size_t i = r.start; i < end; i++)
            d[i] = (d[i] & keep) | set;
    else
        for (size_t i = r.start; i < end; i += step)
            d[i] = (d[i] & keep) | set;
}

static void play_gates(const struct player *p, const struct plane_word *w, uint32_t crossbar) {
    uint32_t out = partitions(w), *d = cell(p, crossbar, w->reg, 0);
    if (w->gate == GATE_INIT0 || w->gate == GATE_INIT1)
        play_init(d, ~out, w->gate == GATE_INIT1 ? out : 0, p->selected.rows);
    else
        play_gate(d, operand_of(p, w, 0, crossbar), operand_of(p, w, 1, crossbar), out,
                  p->selected.rows);
}

static void play_data(const struct player *p, const struct plane_word *w) {
    const struct plane_range *r = &p->selected.crossbars;
    for (uint32_t x = r->start; x <= r->stop; x += r->step) {
        if (w->kind == WORD_MOVE)
            *cell(p, w->crossbar + x - r->start, w->reg, w->out_row) =
                *cell(p, x, w->in_reg[0], w->in_row);
        for (uint32_t i = p->selected.rows.start;
             w->kind == WORD_WRITE && i <= p->selected.rows.stop; i += p->selected.rows.step)
            *cell(p, x, w->reg, i) = (uint32_t)w->data;
    }
}

/* What the tree of crossbars cannot do at once, the publication's library does all the same: its
 * simulator does not look. */
static bool is_beyond_tree(const struct player *p, const struct plane_word *w) {
    uint32_t step = p->selected.crossbars.step;
    return w->kind == WORD_MOVE && (step & (step - 1)) == 0 && step & 0xaaaaaaaau;
}

static void check_word(struct player *p, const struct plane_word *w) {
    struct str why = {0};
    if (!is_beyond_tree(p, w) && !plane_word_check(&p->form, w, &p->selected, &why)) {
        struct str text = {0};
        plane_word_text(w, &text);
        fail_msg("%s: %s", str_text(&text), str_text(&why));
    }
    str_free(&why);
}

static void send(struct player *p, const struct plane_word *w) {
    vec_push(&p->sent, plane_word_encode(&p->form, w));
}

/* Every second crossbar, and then the others. */
static void send_apart(struct player *p, const struct plane_word *w) {
    struct plane_range r = p->selected.crossbars;
    struct plane_word range = {.kind = WORD_CROSSBARS}, half = *w;
    for (uint32_t i = 0; i < 2 && i < plane_range_size(r); i++) {
        range.start = r.start + i * r.step;
        range.step = 2 * r.step;
        range.stop = range.start + (r.stop - range.start) / range.step * range.step;
        range.step = range.start == range.stop ? 1 : range.step;
        half.crossbar = w->crossbar + i * r.step;
        send(p, &range);
        send(p, &half);
    }
    send(p, &(struct plane_word){
                .kind = WORD_CROSSBARS, .start = r.start, .stop = r.stop, .step = r.step});
}

/* All of a word but what it does to data. */
static void count_word(struct player *p, const struct plane_word *w) {
    if (p->before && is_beyond_tree(p, w))
        send_apart(p, w);
    else if (p->before)
        send(p, w);
    uint64_t cells = plane_word_cells(&p->form, w, &p->selected);
    struct classes *c = &p->counts;
    check_word(p, w);
    if (w->kind == WORD_CROSSBARS || w->kind == WORD_ROWS) {
        c->mask++;
    } else if (w->kind == WORD_GATES) {
        c->logic++;
        c->gates += cells;
    } else if (w->kind == WORD_MOVE) {
        c->move++;
        c->move_cells += cells;
    } else {
        c->rw++;
        c->rw_cells += cells;
    }
}

void player_play(struct player *p, const struct plane_word *w) {
    count_word(p, w);
    play_data(p, w);
}

void player_select(struct player *p, enum plane_word_kind kind, uint32_t start, uint32_t stop,
                   uint32_t step) {
    const struct plane_range *now = kind == WORD_ROWS ? &p->selected.rows : &p->selected.crossbars;
    step = start == stop ? 1 : step;
    if (now->start == start && now->stop == stop && now->step == step)
        return;
    player_play(p, &(struct plane_word){.kind = kind, .start = start, .stop = stop, .step = step});
}

void player_crossbars(struct player *p, uint32_t start, uint32_t step) {
    player_select(p, WORD_CROSSBARS, start, start + (p->crossbars - 1 - start) / step * step, step);
}

void player_lanes(struct player *p, uint32_t start, uint32_t step) {
    player_select(p, WORD_ROWS, start, start + (ROWS - 1 - start) / step * step, step);
}

void player_all(struct player *p) {
    player_crossbars(p, 0, 1);
    player_lanes(p, 0, 1);
}

void player_move(struct player *p, uint32_t from_reg, uint32_t from_row, uint32_t crossbar,
                 uint32_t to_reg, uint32_t to_row) {
    player_play(p, &(struct plane_word){.kind = WORD_MOVE,
                                        .in_reg = {from_reg},
                                        .in_row = from_row,
                                        .reg = to_reg,
                                        .out_row = to_row,
                                        .crossbar = crossbar});
}

void player_write(struct player *p, uint32_t reg, uint32_t value) {
    player_play(p, &(struct plane_word){.kind = WORD_WRITE, .reg = reg, .data = value});
}

/* ---- routines ---- */

static unsigned partition_of(uint32_t place) {
    return PLANE_CLASS(place) == PLANE_REGISTER ? (place & 63) : PLANE_SECTION(place);
}

/* Scratch rows take registers from the highest one downward. */
static uint32_t register_of(const uint32_t *registers, uint32_t place) {
    uint32_t number = PLANE_NUMBER(place);
    return PLANE_CLASS(place) == PLANE_REGISTER ? registers[(number >> 6) - 1]
                                                : REGISTERS - 1 - number;
}

static enum plane_gate gate_of(const struct player *p, uint16_t kind) {
    static const char *const names[GATE_COUNT] = {"INIT0", "INIT1", "NOT", "NOR"};
    unsigned g = 0;
    while (strcmp(plane_target(p->target)->ops[kind].name, names[g]) != 0)
        assert_true(++g < GATE_COUNT);
    return (enum plane_gate)g;
}

/* One crossbar after the other, so that its rows stay in the cache. */
static void play_uops(struct player *p, const struct uop *uops, size_t count,
                      const uint32_t *registers) {
    const struct plane_range *r = &p->selected.crossbars;
    VEC(struct plane_word) words = {0};
    for (size_t i = 0, end; i < count; i = end) {
        const struct uop *u = &uops[i];
        for (end = i + 1; end < count && uops[end].pipelined;)
            end++;
        struct plane_word w = {.kind = WORD_GATES,
                               .gate = gate_of(p, u->kind),
                               .start = partition_of(u->dst[0]),
                               .stop = partition_of(uops[end - 1].dst[0]),
                               .step = 1,
                               .reg = register_of(registers, u->dst[0])};
        if (end > i + 1)
            w.step = partition_of(u[1].dst[0]) - w.start;
        for (unsigned k = 0; k < 2; k++) {
            uint32_t in = u->nsrc ? u->src[k < u->nsrc ? k : 0] : u->dst[0];
            w.in_reg[k] = register_of(registers, in);
            w.in_partition[k] = partition_of(in);
        }
        count_word(p, &w);
        vec_push(&words, w);
    }
    for (uint32_t x = r->start; x <= r->stop; x += r->step)
        for (size_t i = 0; i < words.len; i++)
            play_gates(p, &words.data[i], x);
    vec_free(&words);
}

static void expand(const struct player *p, const char *name, struct uop_list *list) {
    struct insn insn = {
        .op = isa_find(name, strlen(name)), .width = WIDTH, .rs = 1, .rt = 2, .rd = 3};
    struct diag *d = diag_new(NULL, NULL);
    if (!recipe_expand(p->set, &insn, false, list, d))
        fail_msg("%s: %s", name, diag_first(d));
    diag_free(d);
}

void player_routine(struct player *p, const char *name, uint32_t x, uint32_t y, uint32_t z) {
    struct uop_list list = {0};
    const uint32_t registers[3] = {x, y, z};
    expand(p, name, &list);
    play_uops(p, list.data, list.len, registers);
    vec_free(&list);
}

void player_choose(struct player *p, uint32_t c, uint32_t x, uint32_t y, uint32_t z) {
    struct uop_list list = {0};
    expand(p, "SEL", &list);
    assert_true(list.len > 2 * WIDTH);
    size_t last = list.len - 2 * WIDTH;
    play_uops(p, list.data, last, (const uint32_t[]){x, y, c});
    play_uops(p, list.data + last, 2 * WIDTH, (const uint32_t[]){x, y, z});
    vec_free(&list);
}

struct player *player_open(void) {
    struct player *p = xcalloc(1, sizeof *p);
    struct diag *d = diag_new(NULL, NULL);
    struct str why = {0};
    p->target = target_open("pypim", &(struct target_override){"arith", "compat"}, 1, d);
    p->set = p->target ? recipe_set_open(p->target, d) : NULL;
    if (!p->set || !plane_crossbar_of(p->target, &p->form, &why))
        fail_msg("%s%s", diag_first(d), str_text(&why));
    str_free(&why);
    diag_free(d);
    return p;
}

void player_close(struct player *p) {
    recipe_set_free(p->set);
    target_free(p->target);
    vec_free(&p->sent);
    free(p->before);
    free(p->mem);
    free(p);
}

void player_start(struct player *p, unsigned m, unsigned bits) {
    uint64_t seed = m;
    p->crossbars = m > LOG_ROWS ? 1u << (m - LOG_ROWS) : 1;
    free(p->mem);
    p->mem = xcalloc((size_t)p->crossbars * REGISTERS * ROWS, sizeof *p->mem);
    for (uint32_t i = 0; i < p->crossbars * REGISTERS * ROWS; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        p->mem[i] = (uint32_t)(int32_t)((int64_t)seed >> (64 - bits));
    }
    p->selected.crossbars = (struct plane_range){p->crossbars - 1, p->crossbars - 1, 1};
    p->selected.rows = (struct plane_range){ROWS - 1, ROWS - 1, 1};
    p->counts = (struct classes){0};
}

void player_begin_strict(struct player *p) {
    size_t size = (size_t)p->crossbars * REGISTERS * ROWS * sizeof *p->mem;
    struct plane_range x = p->selected.crossbars, r = p->selected.rows;
    p->before = xmalloc(size);
    memcpy(p->before, p->mem, size);
    vec_clear(&p->sent);
    send(p, &(struct plane_word){
                .kind = WORD_CROSSBARS, .start = x.start, .stop = x.stop, .step = x.step});
    send(p,
         &(struct plane_word){.kind = WORD_ROWS, .start = r.start, .stop = r.stop, .step = r.step});
}

static struct datapath *open_strict(const struct target *t, struct diag *d) {
    uint8_t bits[64] = {0};
    memset(bits, WIDTH, REGISTERS);
    struct datapath *dp = plane_open_with(
        &(struct dp_setup){.target = t, .mpus = t->mpus, .reg_bits = bits}, NULL, false, d);
    assert_non_null(dp);
    return dp;
}

static void copy_strict(const struct player *p, struct datapath *dp, uint32_t *mem, bool compare) {
    uint64_t *values = xcalloc(ROWS, sizeof *values);
    for (uint32_t c = 0; c < p->crossbars; c++)
        for (uint32_t r = 0; r < REGISTERS; r++) {
            uint32_t *at = &mem[((size_t)c * REGISTERS + r) * ROWS];
            for (uint32_t i = 0; i < ROWS; i++)
                values[i] = at[i];
            if (!compare)
                dp->ops->put(dp, c, DP_REGISTER, r, WIDTH, 0, ROWS, values);
            else
                dp->ops->get(dp, c, DP_REGISTER, r, 0, ROWS, values);
            for (uint32_t i = 0; compare && i < ROWS; i++)
                assert_int_equal(values[i], at[i]);
        }
    free(values);
}

void player_end_strict(struct player *p) {
    const struct target_override set[] = {{"machine.mpus", "1"},
                                          {"machine.mpu_columns", "0"},
                                          {"machine.vrf_per_rfh", "16"},
                                          {"machine.rfh_per_mpu", "4"}};
    struct diag *d = diag_new(NULL, NULL);
    struct target *t = target_open("pypim", set, 4, d);
    assert_non_null(t);
    struct datapath *dp = open_strict(t, d);
    struct plane_stream_result result = {.done = 0};
    copy_strict(p, dp, p->before, false);
    if (!plane_stream_run(plane_of(dp),
                          &(struct plane_stream){p->sent.data, p->sent.len, 0, NULL, NULL}, &result,
                          d))
        fail_msg("%s", diag_first(d));
    copy_strict(p, dp, p->mem, true);
    vec_free(&result.reads);
    dp->ops->close(dp);
    target_free(t);
    diag_free(d);
    free(p->before);
    p->before = NULL;
}

uint32_t *player_element(const struct player *p, uint32_t reg, uint32_t i) {
    return cell(p, i / ROWS, reg, i % ROWS);
}
