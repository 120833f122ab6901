/* SPDX-License-Identifier: MIT
 * Components, instructions, lines and regions of a run. */
#include "emu/report/lists.h"
#include "support/saturate.h"
#include "emu/report/load.h"

#include <stdlib.h>
#include <string.h>

/* Sums over instructions. */
static void add(struct control_insn_stats *sum, const struct control_insn_stats *stats) {
    sum->executed = sat_add(sum->executed, stats->executed);
    sum->micro_ops = sat_add(sum->micro_ops, stats->micro_ops);
    sum->energy_fj = sat_add(sum->energy_fj, stats->energy_fj);
    sum->time_ps = sat_add(sum->time_ps, stats->time_ps);
}

static void sums(struct figures *figures, const struct control_insn_stats *stats, bool known) {
    report_figures_number(figures, "executed", stats->executed);
    report_figures_known(figures, "micro_ops", known, stats->micro_ops);
    report_figures_known(figures, "energy_fj", known, stats->energy_fj);
    report_figures_known(figures, "busy_time_ps", known, stats->time_ps);
}

/* Which figures a component has; the others do not apply to it. */
enum { HAS_TIME = 1, HAS_CYCLES = 2, HAS_MICRO_OPS = 4, HAS_ENERGY = 8 };
struct component {
    const char *name, *of;
    bool known;
    unsigned has;
    uint64_t time_ps, cycles, micro_ops, energy_fj;
};

static void part(struct figures *figures, const char *key, const struct component *component,
                 unsigned has, uint64_t value) {
    if (component->has & has)
        report_figures_known(figures, key, component->known, value);
    else
        report_figures_none(figures, key);
}

static void component(struct figures *figures, const struct component *component) {
    report_figures_object(figures, NULL);
    report_figures_text(figures, "component", component->name);
    report_figures_text(figures, "of", component->of);
    part(figures, "time_ps", component, HAS_TIME, component->time_ps);
    part(figures, "cycles", component, HAS_CYCLES, component->cycles);
    part(figures, "micro_ops", component, HAS_MICRO_OPS, component->micro_ops);
    part(figures, "energy_fj", component, HAS_ENERGY, component->energy_fj);
    report_figures_end(figures);
}

static uint64_t part_micro_ops(const struct dp_tables *tables, const struct control_stats *stats,
                               uint32_t part) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < tables->kind_count; k++)
        if (tables->kinds[k].part == part)
            sum = sat_add(sum, stats->uops[k]);
    return sum;
}

/* Kinds that count together are one; its class is their part, or the first one where they differ.
 */
static void micro_op(const struct dp_tables *tables, const struct control_stats *stats,
                     uint32_t first, struct figures *figures) {
    uint64_t sum = 0, fj = 0;
    uint32_t class = tables->kinds[first].part;
    for (uint32_t k = first; k < tables->kind_count; k++) {
        if (tables->kinds[k].first != first)
            continue;
        sum = sat_add(sum, stats->uops[k]);
        fj = sat_add(fj, stats->kind_fj[k]);
        class = tables->kinds[k].part == class ? class : 0;
    }
    report_figures_object(figures, NULL);
    report_figures_text(figures, "micro_op", tables->kinds[first].name);
    report_figures_text(figures, "class", tables->parts[class]);
    report_figures_number(figures, "executed", sum);
    report_figures_number(figures, "energy_fj", fj);
    report_figures_end(figures);
}

/* Energy of a part: each cycle of the front end has its own; copies and messages theirs. */
static uint64_t part_energy(const struct report_run *run, const struct control_stats *stats,
                            enum timing_part part) {
    uint64_t fj = sat_mul(stats->part_cycles[part], run->target->front_end_fj);
    if (part == TIMING_TRANSFER)
        return sat_add(fj, stats->transfer_fj);
    return part == TIMING_NETWORK ? sat_add(fj, stats->network_fj) : fj;
}

/* All but the host's, which has a power of its own. */
static void time_components(const struct report_run *run, const struct control_stats *stats,
                            struct figures *figures) {
    for (unsigned k = 0; k < TIMING_PARTS; k++) {
        struct component x = {.name = timing_part_name((enum timing_part)k),
                              .of = "kernel",
                              .known = stats->cost_known,
                              .has = HAS_TIME | HAS_CYCLES | HAS_ENERGY,
                              .time_ps = stats->part_ps[k],
                              .cycles = stats->part_cycles[k],
                              .energy_fj = part_energy(run, stats, (enum timing_part)k)};
        if (k != TIMING_HOST)
            component(figures, &x);
    }
}

static void micro_op_components(const struct report_run *run, const struct control_stats *stats,
                                struct figures *figures) {
    const struct dp_tables *t = control_tables(run->control);
    for (uint32_t k = 0; k < t->part_count; k++) {
        struct component x = {.name = t->parts[k],
                              .of = "kernel",
                              .known = stats->cost_known,
                              .has = HAS_MICRO_OPS | HAS_ENERGY,
                              .micro_ops = part_micro_ops(t, stats, k),
                              .energy_fj = stats->energy_fj[k]};
        component(figures, &x);
    }
}

void report_by_component(const struct report_run *run, struct figures *figures) {
    const struct control_stats *s = control_stats(run->control);
    const struct dp_tables *t = control_tables(run->control);
    struct report_load load = report_load(run);
    bool known = s->cost_known;
    report_figures_array(figures, "by_component");
    micro_op_components(run, s, figures);
    time_components(run, s, figures);
    component(figures, &(struct component){"host_cpu", "kernel", known, HAS_TIME | HAS_ENERGY,
                                           s->host_ps, 0, 0, s->host_fj});
    component(figures, &(struct component){"static", "kernel", known, HAS_ENERGY,
                                           .energy_fj = s->static_fj});
    component(figures,
              &(struct component){"load", "load", load.cost_known,
                                  HAS_TIME | HAS_ENERGY | (t->establishes ? HAS_MICRO_OPS : 0),
                                  load.time_ps, 0, load.established.micro_ops, load.energy_fj});
    component(figures,
              &(struct component){"host", "host", run->host.cost_known, HAS_TIME | HAS_ENERGY,
                                  run->host.time_ps, 0, 0, run->host.energy_fj});
    component(figures,
              &(struct component){"transpose", "host", run->host.cost_known, HAS_TIME | HAS_ENERGY,
                                  run->host.transpose_ps, 0, 0, run->host.transpose_fj});
    report_figures_end(figures);
    report_figures_array(figures, "by_micro_op");
    for (uint32_t k = 0; known && k < t->kind_count; k++)
        if (t->kinds[k].first == k)
            micro_op(t, s, k, figures);
    report_figures_end(figures);
}

/* "ADD.32"; "SETMASK cond" has no width. */
static void mnemonic(const struct insn *insn, const struct isa_users *users, struct str *out) {
    const struct isa_info *info = isa_info(insn->op);
    str_append(out, isa_users_name(users, insn->op));
    if (insn->width)
        str_printf(out, ".%u", (unsigned)insn->width);
    if (info->operand_count && info->operands[0] == ROLE_COND)
        str_append(out, " cond");
}

#define WIDTHS 65
static const uint32_t *words_of(const struct report_run *run) {
    return run->package->text_count == run->program->text.len ? run->package->text
                                                              : run->program->text.data;
}

void report_by_instruction(const struct report_run *run, struct figures *figures) {
    struct isa_users users = {0};
    struct arena names = {0};
    struct control_insn_stats *by = xcalloc((size_t)OP_COUNT * WIDTHS, sizeof *by);
    const struct control_insn_stats *x = control_insn_stats(run->control);
    const uint32_t *words = words_of(run);
    bool known = control_stats(run->control)->cost_known;
    struct insn insn;
    object_users(run->program, &users, &names, NULL);
    for (size_t i = 0; i < run->program->text.len; i++)
        if (x[i].executed && object_decode(run->program, words[i], &insn) == ISA_OK)
            add(&by[(size_t)insn.op * WIDTHS + insn.width], &x[i]);
    report_figures_array(figures, "by_instruction");
    for (size_t i = 0; i < (size_t)OP_COUNT * WIDTHS; i++) {
        if (!by[i].executed)
            continue;
        struct str name = {0};
        mnemonic(&(struct insn){.op = (enum isa_op)(i / WIDTHS), .width = (uint8_t)(i % WIDTHS)},
                 &users, &name);
        report_figures_object(figures, NULL);
        report_figures_text(figures, "instruction", str_text(&name));
        sums(figures, &by[i], known);
        report_figures_end(figures);
        str_free(&name);
    }
    report_figures_end(figures);
    arena_free(&names);
    free(by);
}

struct line {
    uint32_t file, line;
    struct control_insn_stats sums;
};

static int by_place(const void *left, const void *right) {
    const struct line *a = left, *b = right;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

/* Bytes of a source line that a table shows. */
#define MOST_OF_LINE 60

void report_source_line(const char *file, uint32_t line, struct diag *sources, struct str *out) {
    size_t size, n = 0;
    struct span at = diag_line(sources, file, line, 0);
    const char *text = diag_source_text(sources, at.source, &size);
    if (text)
        text += at.begin;
    while (text && at.begin + n < size && text[n] != '\n' && text[n] != '\r')
        n++;
    while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
        n--;
    if (n > MOST_OF_LINE)
        str_printf(out, "%.*s...", MOST_OF_LINE, text);
    else if (n)
        str_append_n(out, text, n);
    for (size_t i = 0; i < out->len; i++)
        out->text[i] = (unsigned char)out->text[i] < ' ' ? ' ' : out->text[i];
}

static void line_figures(const struct report_run *run, const struct line *line,
                         struct diag *sources, struct figures *figures) {
    struct str text = {0};
    report_figures_object(figures, NULL);
    report_figures_text(figures, "file", report_path(run->program->files.data[line->file]));
    report_figures_number(figures, "line", line->line);
    sums(figures, &line->sums, control_stats(run->control)->cost_known);
    report_source_line(run->program->files.data[line->file], line->line, sources, &text);
    report_figures_note(figures, "source", str_text(&text));
    report_figures_end(figures);
    str_free(&text);
}

typedef VEC(struct line) line_list;

static uint64_t less(uint64_t value, uint64_t part) {
    return value > part ? value - part : 0;
}

/* A kernel's lines, each with its part of the time in which MPUs waited for the kernel: as much of
 * it as of the time in which units were busy.  *recipe keeps the rest. */
static void kernel_lines(const struct report_run *run, const struct control_kernel_stats *kernel,
                         line_list *lines, struct control_insn_stats *recipe) {
    const struct kernel_decl *decl = &run->program->kernels.data[kernel->kernel];
    const uint32_t *numbers = run->package->kernels[kernel->kernel].lines;
    struct dp_place_cost all = report_all_places(kernel);
    uint64_t ps = all.unit_ps ? kernel->mpu_time_ps : 0, before = 0;
    for (uint32_t i = 0; i < kernel->place_count; i++) {
        const struct dp_place_cost *x = &kernel->places[i];
        struct place at = object_kernel_line(run->program, decl, numbers[i]);
        uint64_t behind = sat_add(before, x->unit_ps);
        struct line l = {at.file, at.line, {x->executed, x->micro_ops, x->energy_fj, 0}};
        if (at.file == NO_INDEX)
            return;
        if (ps)
            l.sums.time_ps =
                sat_scale(ps, behind, all.unit_ps) - sat_scale(ps, before, all.unit_ps);
        before = behind;
        if (x->executed)
            vec_push(lines, l);
    }
    recipe->micro_ops = less(recipe->micro_ops, all.micro_ops);
    recipe->energy_fj = less(recipe->energy_fj, all.energy_fj);
    recipe->time_ps = less(recipe->time_ps, ps);
}

/* Instruction i launches it, or nothing. */
static const struct control_kernel_stats *kernel_of(const struct report_run *run, uint32_t i) {
    size_t count;
    const struct control_kernel_stats *k = control_kernels(run->control, &count);
    for (size_t n = 0; n < count; n++)
        if (k[n].index == i)
            return &k[n];
    return NULL;
}

void report_by_line(const struct report_run *run, struct figures *figures) {
    line_list lines = {0};
    struct diag *sources = diag_new(NULL, NULL);
    const struct control_insn_stats *x = control_insn_stats(run->control);
    for (uint32_t i = 0; i < run->program->text.len; i++) {
        struct place p = object_place(run->program, i);
        struct line l = {.file = p.file, .line = p.line, .sums = x[i]};
        const struct control_kernel_stats *k = kernel_of(run, i);
        if (!x[i].executed || p.file >= run->program->files.len)
            continue;
        if (k)
            kernel_lines(run, k, &lines, &l.sums);
        vec_push(&lines, l);
    }
    if (lines.len)
        qsort(lines.data, lines.len, sizeof *lines.data, by_place);
    report_figures_array(figures, "by_line");
    for (size_t i = 0; i < lines.len; i++) {
        struct line *next = i + 1 < lines.len ? &lines.data[i + 1] : NULL;
        if (next && by_place(&lines.data[i], next) == 0) {
            add(&next->sums, &lines.data[i].sums);
        } else {
            line_figures(run, &lines.data[i], sources, figures);
        }
    }
    report_figures_end(figures);
    vec_free(&lines);
    diag_free(sources);
}

static const char *region_name(const struct report_run *run, uint32_t mark) {
    return mark < run->program->debugs.len ? run->program->debugs.data[mark].text : "(start)";
}

void report_by_region(const struct report_run *run, struct figures *figures) {
    size_t count;
    const struct control_region_stats *x = control_regions(run->control, &count);
    bool known = control_stats(run->control)->cost_known;
    report_figures_array(figures, "by_region");
    for (size_t i = 0; i < count; i++) {
        report_figures_object(figures, NULL);
        report_figures_text(figures, "region", region_name(run, x[i].mark));
        report_figures_known(figures, "time_ps", known, x[i].time_ps);
        report_figures_known(figures, "micro_ops", known, x[i].micro_ops);
        report_figures_known(figures, "energy_fj", known, x[i].energy_fj);
        report_figures_end(figures);
    }
    report_figures_end(figures);
}
