/* SPDX-License-Identifier: MIT */
#include "emu/report/lists.h"
#include "support/saturate.h"
#include "emu/report/load.h"

#include <stdlib.h>
#include <string.h>

/* Sums over instructions. */
static void add(struct control_insn_stats *sum, const struct control_insn_stats *x) {
    sum->executed = sat_add(sum->executed, x->executed);
    sum->micro_ops = sat_add(sum->micro_ops, x->micro_ops);
    sum->energy_fj = sat_add(sum->energy_fj, x->energy_fj);
    sum->time_ps = sat_add(sum->time_ps, x->time_ps);
}

static void sums(struct figures *f, const struct control_insn_stats *s, bool known) {
    report_figures_number(f, "executed", s->executed);
    report_figures_known(f, "micro_ops", known, s->micro_ops);
    report_figures_known(f, "energy_fj", known, s->energy_fj);
    report_figures_known(f, "busy_time_ps", known, s->time_ps);
}

/* Which figures a component has; the others do not apply to it. */
enum { HAS_TIME = 1, HAS_CYCLES = 2, HAS_MICRO_OPS = 4, HAS_ENERGY = 8 };
struct component {
    const char *name, *of;
    bool known;
    unsigned has;
    uint64_t time_ps, cycles, micro_ops, energy_fj;
};

static void part(struct figures *f, const char *key, const struct component *x, unsigned has,
                 uint64_t value) {
    if (x->has & has)
        report_figures_known(f, key, x->known, value);
    else
        report_figures_none(f, key);
}

static void component(struct figures *f, const struct component *x) {
    report_figures_object(f, NULL);
    report_figures_text(f, "component", x->name);
    report_figures_text(f, "of", x->of);
    part(f, "time_ps", x, HAS_TIME, x->time_ps);
    part(f, "cycles", x, HAS_CYCLES, x->cycles);
    part(f, "micro_ops", x, HAS_MICRO_OPS, x->micro_ops);
    part(f, "energy_fj", x, HAS_ENERGY, x->energy_fj);
    report_figures_end(f);
}

static uint64_t part_micro_ops(const struct dp_tables *t, const struct control_stats *s,
                               uint32_t part) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < t->kind_count; k++)
        if (t->kinds[k].part == part)
            sum = sat_add(sum, s->uops[k]);
    return sum;
}

/* Kinds that count together are one; its class is their part, or the first one where they differ.
 */
static void micro_op(const struct dp_tables *t, const struct control_stats *s, uint32_t first,
                     struct figures *f) {
    uint64_t sum = 0, fj = 0;
    uint32_t class = t->kinds[first].part;
    for (uint32_t k = first; k < t->kind_count; k++) {
        if (t->kinds[k].first != first)
            continue;
        sum = sat_add(sum, s->uops[k]);
        fj = sat_add(fj, sat_mul(s->uops[k], t->kinds[k].energy_fj));
        class = t->kinds[k].part == class ? class : 0;
    }
    report_figures_object(f, NULL);
    report_figures_text(f, "micro_op", t->kinds[first].name);
    report_figures_text(f, "class", t->parts[class]);
    report_figures_number(f, "executed", sum);
    report_figures_number(f, "energy_fj", fj);
    report_figures_end(f);
}

/* Energy of a part: each cycle of the front end has its own; copies and messages theirs. */
static uint64_t part_energy(const struct report_run *r, const struct control_stats *s,
                            enum timing_part part) {
    uint64_t fj = sat_mul(s->part_cycles[part], r->target->front_end_fj);
    if (part == TIMING_TRANSFER)
        return sat_add(fj, s->transfer_fj);
    return part == TIMING_NETWORK ? sat_add(fj, s->network_fj) : fj;
}

/* All but the host's, which has a power of its own. */
static void time_components(const struct report_run *r, const struct control_stats *s,
                            struct figures *f) {
    for (unsigned k = 0; k < TIMING_PARTS; k++) {
        struct component x = {.name = timing_part_name((enum timing_part)k),
                              .of = "kernel",
                              .known = s->cost_known,
                              .has = HAS_TIME | HAS_CYCLES | HAS_ENERGY,
                              .time_ps = s->part_ps[k],
                              .cycles = s->part_cycles[k],
                              .energy_fj = part_energy(r, s, (enum timing_part)k)};
        if (k != TIMING_HOST)
            component(f, &x);
    }
}

static void micro_op_components(const struct report_run *r, const struct control_stats *s,
                                struct figures *f) {
    const struct dp_tables *t = control_tables(r->control);
    for (uint32_t k = 0; k < t->part_count; k++) {
        struct component x = {.name = t->parts[k],
                              .of = "kernel",
                              .known = s->cost_known,
                              .has = HAS_MICRO_OPS | HAS_ENERGY,
                              .micro_ops = part_micro_ops(t, s, k),
                              .energy_fj = s->energy_fj[k]};
        component(f, &x);
    }
}

void report_by_component(const struct report_run *r, struct figures *f) {
    const struct control_stats *s = control_stats(r->control);
    const struct dp_tables *t = control_tables(r->control);
    struct report_load load = report_load(r);
    bool known = s->cost_known;
    report_figures_array(f, "by_component");
    micro_op_components(r, s, f);
    time_components(r, s, f);
    component(f, &(struct component){"host_cpu", "kernel", known, HAS_TIME | HAS_ENERGY, s->host_ps,
                                     0, 0, s->host_fj});
    component(
        f, &(struct component){"static", "kernel", known, HAS_ENERGY, .energy_fj = s->static_fj});
    component(f, &(struct component){"load", "load", load.cost_known, HAS_TIME | HAS_ENERGY,
                                     load.time_ps, 0, 0, load.energy_fj});
    component(f, &(struct component){"host", "host", r->host.cost_known, HAS_TIME | HAS_ENERGY,
                                     r->host.time_ps, 0, 0, r->host.energy_fj});
    component(f, &(struct component){"transpose", "host", r->host.cost_known, HAS_TIME | HAS_ENERGY,
                                     r->host.transpose_ps, 0, 0, r->host.transpose_fj});
    report_figures_end(f);
    report_figures_array(f, "by_micro_op");
    for (uint32_t k = 0; known && k < t->kind_count; k++)
        if (t->kinds[k].first == k)
            micro_op(t, s, k, f);
    report_figures_end(f);
}

/* "ADD.32"; "SETMASK cond" has no width. */
static void mnemonic(const struct insn *x, const struct isa_users *users, struct str *out) {
    const struct isa_info *info = isa_info(x->op);
    str_append(out, isa_users_name(users, x->op));
    if (x->width)
        str_printf(out, ".%u", (unsigned)x->width);
    if (info->operand_count && info->operands[0] == ROLE_COND)
        str_append(out, " cond");
}

#define WIDTHS 65
static const uint32_t *words_of(const struct report_run *r) {
    return r->package->text_count == r->program->text.len ? r->package->text
                                                          : r->program->text.data;
}

void report_by_instruction(const struct report_run *r, struct figures *f) {
    struct isa_users users = {0};
    struct arena names = {0};
    struct control_insn_stats *by = xcalloc((size_t)OP_COUNT * WIDTHS, sizeof *by);
    const struct control_insn_stats *x = control_insn_stats(r->control);
    const uint32_t *words = words_of(r);
    bool known = control_stats(r->control)->cost_known;
    struct insn insn;
    object_users(r->program, &users, &names, NULL);
    for (size_t i = 0; i < r->program->text.len; i++)
        if (x[i].executed && isa_decode(words[i], &insn) == ISA_OK)
            add(&by[(size_t)insn.op * WIDTHS + insn.width], &x[i]);
    report_figures_array(f, "by_instruction");
    for (size_t i = 0; i < (size_t)OP_COUNT * WIDTHS; i++) {
        if (!by[i].executed)
            continue;
        struct str name = {0};
        mnemonic(&(struct insn){.op = (enum mpu_op)(i / WIDTHS), .width = (uint8_t)(i % WIDTHS)},
                 &users, &name);
        report_figures_object(f, NULL);
        report_figures_text(f, "instruction", str_text(&name));
        sums(f, &by[i], known);
        report_figures_end(f);
        str_free(&name);
    }
    report_figures_end(f);
    arena_free(&names);
    free(by);
}

struct line {
    uint32_t file, line;
    struct control_insn_stats sums;
};

static int by_place(const void *x, const void *y) {
    const struct line *a = x, *b = y;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

static void line_figures(const struct report_run *r, const struct line *l, struct figures *f) {
    report_figures_object(f, NULL);
    report_figures_text(f, "file", report_path(r->program->files.data[l->file]));
    report_figures_number(f, "line", l->line);
    sums(f, &l->sums, control_stats(r->control)->cost_known);
    report_figures_end(f);
}

void report_by_line(const struct report_run *r, struct figures *f) {
    VEC(struct line) lines = {0};
    const struct control_insn_stats *x = control_insn_stats(r->control);
    for (uint32_t i = 0; i < r->program->text.len; i++) {
        struct place p = object_place(r->program, i);
        struct line l = {.file = p.file, .line = p.line};
        if (!x[i].executed || p.file >= r->program->files.len)
            continue;
        add(&l.sums, &x[i]);
        vec_push(&lines, l);
    }
    if (lines.len)
        qsort(lines.data, lines.len, sizeof *lines.data, by_place);
    report_figures_array(f, "by_line");
    for (size_t i = 0; i < lines.len; i++) {
        struct line *next = i + 1 < lines.len ? &lines.data[i + 1] : NULL;
        if (next && by_place(&lines.data[i], next) == 0) {
            add(&next->sums, &lines.data[i].sums);
        } else {
            line_figures(r, &lines.data[i], f);
        }
    }
    report_figures_end(f);
    vec_free(&lines);
}

static const char *region_name(const struct report_run *r, uint32_t mark) {
    return mark < r->program->debugs.len ? r->program->debugs.data[mark].text : "(start)";
}

void report_by_region(const struct report_run *r, struct figures *f) {
    size_t count;
    const struct control_region_stats *x = control_regions(r->control, &count);
    bool known = control_stats(r->control)->cost_known;
    report_figures_array(f, "by_region");
    for (size_t i = 0; i < count; i++) {
        report_figures_object(f, NULL);
        report_figures_text(f, "region", region_name(r, x[i].mark));
        report_figures_known(f, "time_ps", known, x[i].time_ps);
        report_figures_known(f, "micro_ops", known, x[i].micro_ops);
        report_figures_known(f, "energy_fj", known, x[i].energy_fj);
        report_figures_end(f);
    }
    report_figures_end(f);
}
