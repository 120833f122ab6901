/* SPDX-License-Identifier: MIT
 * What a device has done (docs/arrays.md, "Statistics"). */
#include "runtime/device.h"

#include "support/alloc.h"
#include "support/saturate.h"

#include <stdlib.h>
#include <string.h>

static void add(uint64_t *sum, uint64_t more) {
    *sum = sat_add(*sum, more);
}

static void add_stats(struct control_stats *sum, const struct control_stats *x) {
    add(&sum->time_ps, x->time_ps);
    add(&sum->instructions, x->instructions);
    add(&sum->element_instructions, x->element_instructions);
    add(&sum->ensembles, x->ensembles);
    add(&sum->batches, x->batches);
    add(&sum->transfers, x->transfers);
    add(&sum->messages, x->messages);
    add(&sum->message_bytes, x->message_bytes);
    add(&sum->issue_slots, x->issue_slots);
    add(&sum->part_cycles[TIMING_RECIPE], x->part_cycles[TIMING_RECIPE]);
    add(&sum->datapath_cycles, x->datapath_cycles);
    add(&sum->compute_ps, x->compute_ps);
    add(&sum->transfer_ps, x->transfer_ps);
    add(&sum->host_ps, x->host_ps);
    add(&sum->control_ps, x->control_ps);
    add(&sum->transfer_fj, x->transfer_fj);
    add(&sum->network_fj, x->network_fj);
    add(&sum->front_end_fj, x->front_end_fj);
    add(&sum->static_fj, x->static_fj);
    add(&sum->host_fj, x->host_fj);
    add(&sum->launches, x->launches);
}

/* The machine knows which VRFs have what they need: of those it takes nothing. */
static void count_established(struct device_counts *counts, const struct control_established *x,
                              bool costs_known) {
    add(&counts->established.micro_ops, x->micro_ops);
    if (!costs_known)
        return;
    add(&counts->established.time_ps, x->time_ps);
    add(&counts->established.energy_fj, x->energy_fj);
    add(&counts->load_ps, x->time_ps);
    add(&counts->load_fj, x->energy_fj);
}

/* Lines of a program: one for each node, and those of subroutines. */
static void share(struct device_shares *shares, const struct object *program,
                  const struct control *control) {
    const struct control_insn_stats *insns = control_insn_stats(control);
    const struct line_entry *entry = NULL, *next = program->lines.data,
                            *end = next + program->lines.len;
    for (uint32_t i = 0; i < program->text.len; i++) {
        while (next < end && next->index <= i)
            entry = next++;
        if (!entry || !entry->place.line || entry->place.file >= program->files.len)
            continue;
        const struct place *p = &entry->place;
        const bool own = strcmp(program->files.data[p->file], DEVICE_LINES) == 0;
        if (own && p->line > shares->count)
            continue;
        add(own ? &shares->time_ps[p->line - 1] : &shares->called_ps, insns[i].time_ps);
        add(own ? &shares->energy_fj[p->line - 1] : &shares->called_fj, insns[i].energy_fj);
    }
}

void device_count_run(mpu_device *device, const struct object *program,
                      const struct control *control) {
    const struct control_stats *s = control_stats(control);
    const struct dp_tables *tables = &device->dp->tables;
    struct device_counts *c = &device->counts;
    c->runs++;
    add_stats(&c->kernel, s);
    count_established(c, &s->established, device->costs_known);
    size_t kernels;
    const struct control_kernel_stats *list = control_kernels(control, &kernels);
    for (size_t k = 0; k < kernels; k++)
        add(&c->kernel_ps, list[k].time_ps);
    for (uint32_t k = 0; s->uops && k < tables->kind_count; k++)
        add(&c->uops[k], s->uops[k]);
    for (uint32_t k = 0; s->energy_fj && k < tables->part_count; k++)
        add(&c->energy_fj[k], s->energy_fj[k]);
    for (uint32_t k = 0; s->counters && k < tables->counter_count; k++)
        add(&c->counters[k], s->counters[k]);
    if (device->shares)
        share(device->shares, program, control);
}

/* ---- figures ---- */

static uint64_t sum_of(const uint64_t *list, uint32_t count) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        add(&sum, list[i]);
    return sum;
}

static uint64_t kernel_fj(const mpu_device *device) {
    const struct control_stats *s = &device->counts.kernel;
    uint64_t sum = sum_of(device->counts.energy_fj, device->dp->tables.part_count);
    add(&sum, s->transfer_fj);
    add(&sum, s->network_fj);
    add(&sum, s->front_end_fj);
    add(&sum, s->static_fj);
    add(&sum, s->host_fj);
    return sum;
}

struct device_bill device_bill(const mpu_device *device) {
    const struct device_counts *c = &device->counts;
    const uint64_t time_ps = c->kernel.time_ps, energy_fj = kernel_fj(device);
    uint64_t ps = sat_add(sat_add(c->load_ps, time_ps), sat_add(c->launch_ps, c->host.time_ps));
    uint64_t fj = sat_add(sat_add(c->load_fj, energy_fj), c->host.energy_fj);
    return (struct device_bill){.time_ps = time_ps,
                                .energy_fj = energy_fj,
                                .end_ps = sat_add(ps, c->host.transpose_ps),
                                .end_fj = sat_add(fj, c->host.transpose_fj),
                                .bytes_in = c->host.bytes_in,
                                .bytes_out = c->host.bytes_out};
}

static void total(const mpu_device *device, struct figures *figures) {
    const struct control_stats *s = &device->counts.kernel;
    const struct device_bill bill = device_bill(device);
    bool known = !device->golden, all = device->costs_known;
    report_figures_object(figures, "total");
    report_figures_known(figures, "time_ps", known, bill.time_ps);
    report_figures_known(figures, "energy_fj", known, bill.energy_fj);
    report_figures_known(figures, "end_to_end_time_ps", all, bill.end_ps);
    report_figures_known(figures, "end_to_end_energy_fj", all, bill.end_fj);
    report_figures_known(figures, "datapath_cycles", known, s->datapath_cycles);
    report_figures_known(figures, "issue_slots", known, s->issue_slots);
    report_figures_known(figures, "template_loads", known, s->part_cycles[TIMING_RECIPE]);
    report_figures_number(figures, "instructions", s->instructions);
    report_figures_known(figures, "micro_ops", known,
                         sum_of(device->counts.uops, device->dp->tables.kind_count));
    report_figures_number(figures, "ensembles", s->ensembles);
    report_figures_number(figures, "batches", s->batches);
    report_figures_number(figures, "register_transfers", s->transfers);
    report_figures_end(figures);
}

static void times(const mpu_device *device, struct figures *figures) {
    const struct control_stats *s = &device->counts.kernel;
    bool known = !device->golden;
    report_figures_object(figures, "time_ps");
    report_figures_known(figures, "compute", known, s->compute_ps);
    report_figures_known(figures, "transfer", known, s->transfer_ps);
    report_figures_known(figures, "host", known, s->host_ps);
    report_figures_known(figures, "control", known, s->control_ps);
    report_figures_end(figures);
}

static void energies(const mpu_device *device, struct figures *figures) {
    const struct device_counts *c = &device->counts;
    bool known = !device->golden;
    report_figures_object(figures, "energy_fj");
    for (uint32_t k = 0; k < device->dp->tables.part_count; k++)
        report_figures_known(figures, device->dp->tables.parts[k], known, c->energy_fj[k]);
    report_figures_known(figures, "transfer", known, c->kernel.transfer_fj);
    report_figures_known(figures, "network", known, c->kernel.network_fj);
    report_figures_known(figures, "front_end", known, c->kernel.front_end_fj);
    report_figures_known(figures, "static", known, c->kernel.static_fj);
    report_figures_known(figures, "host", known, c->kernel.host_fj);
    report_figures_end(figures);
}

static void graph(const struct device_counts *counts, struct figures *figures) {
    report_figures_object(figures, "graph");
    report_figures_number(figures, "flushes", counts->flushes);
    report_figures_number(figures, "operations", counts->operations);
    report_figures_number(figures, "dropped", counts->dropped);
    report_figures_number(figures, "runs", counts->runs);
    report_figures_number(figures, "programs", counts->programs);
    report_figures_number(figures, "hits", counts->hits);
    report_figures_number(figures, "slab_copies", counts->slab_copies);
    report_figures_end(figures);
}

static void load(const mpu_device *device, struct figures *figures) {
    const struct device_counts *c = &device->counts;
    report_figures_object(figures, "load");
    report_figures_number(figures, "programs", c->loads);
    report_figures_number(figures, "text_bytes", 4 * c->text_words);
    report_figures_number(figures, "patched_bytes", 4 * c->patched_words);
    report_figures_number(figures, "recipe_table_bytes", c->table_bytes);
    report_figures_known(figures, "time_ps", device->costs_known, c->load_ps);
    report_figures_known(figures, "energy_fj", device->costs_known, c->load_fj);
    if (device->dp->tables.establishes) {
        const struct control_established *e = &c->established;
        report_figures_number(figures, "established_micro_ops", e->micro_ops);
        report_figures_known(figures, "established_time_ps", device->costs_known, e->time_ps);
        report_figures_known(figures, "established_energy_fj", device->costs_known, e->energy_fj);
    }
    report_figures_end(figures);
}

static void launch(const mpu_device *device, struct figures *figures) {
    const struct device_counts *c = &device->counts;
    report_figures_object(figures, "launch");
    report_figures_number(figures, "count", c->launches);
    report_figures_known(figures, "time_ps", !device->golden, c->launch_ps);
    report_figures_end(figures);
}

static void link(const mpu_device *device, struct figures *figures) {
    const struct report_host *h = &device->counts.host;
    bool known = device->costs_known;
    report_figures_object(figures, "host");
    report_figures_number(figures, "puts", h->puts);
    report_figures_number(figures, "gets", h->gets);
    report_figures_number(figures, "bytes_in", h->bytes_in);
    report_figures_number(figures, "bytes_out", h->bytes_out);
    report_figures_known(figures, "time_ps", known, h->time_ps);
    report_figures_known(figures, "energy_fj", known, h->energy_fj);
    report_figures_known(figures, "transpose_time_ps", known, h->transpose_ps);
    report_figures_known(figures, "transpose_energy_fj", known, h->transpose_fj);
    report_figures_number(figures, "spills", device->counts.spills);
    report_figures_number(figures, "restores", device->counts.restores);
    report_figures_end(figures);
}

/* Launches of kernels, and what the machine counts beside micro-ops, as in those of a session. */
static void machine(const mpu_device *device, struct figures *figures) {
    const struct dp_tables *t = &device->dp->tables;
    if (!device->launches)
        return;
    report_figures_object(figures, "machine");
    report_figures_number(figures, "launches", device->counts.kernel.launches);
    for (uint32_t i = 0; i < t->counter_count; i++)
        report_figures_known(figures, t->counters[i], !device->golden, device->counts.counters[i]);
    report_figures_end(figures);
}

/* Where folds and the like were carried out. */
static void ways(const struct device_counts *counts, struct figures *figures) {
    static const char *const kinds[NODE_KINDS] = {
        [NODE_MOVE] = "move", [NODE_FOLD] = "fold", [NODE_SCAN] = "scan",
        [NODE_TAKE] = "take", [NODE_SORT] = "sort", [NODE_MATMUL] = "matmul"};
    static const char *const names[WAYS] = {
        [WAY_MACHINE] = "machine", [WAY_PARTIAL] = "partial", [WAY_HOST] = "host"};
    report_figures_object(figures, "ways");
    for (unsigned k = 0; k < NODE_KINDS; k++) {
        if (!kinds[k])
            continue;
        report_figures_object(figures, kinds[k]);
        for (unsigned w = 0; w < WAYS; w++)
            if (w != WAY_PARTIAL || k == NODE_FOLD)
                report_figures_number(figures, names[w], counts->alone[k][w]);
        report_figures_end(figures);
    }
    report_figures_end(figures);
}

/* Of each slab with values: what there is of them now. */
static void slabs(const mpu_device *device, struct figures *figures) {
    report_figures_array(figures, "slabs");
    for (size_t i = 0; i < device->slabs.len; i++) {
        const struct device_slab *s = device->slabs.data[i];
        if (!s->values)
            continue;
        report_figures_object(figures, NULL);
        report_figures_number(figures, "elements", s->n);
        report_figures_number(figures, "chunks", s->chunks);
        report_figures_number(figures, "vrf_rows", s->row_count);
        report_figures_number(figures, "vectors", s->values);
        report_figures_number(figures, "rows", s->bank->rows);
        report_figures_number(figures, "rows_there", s->bank->room->rows);
        if (device->machine->slots)
            report_figures_number(figures, "slot_bits", s->slot);
        report_figures_end(figures);
    }
    report_figures_end(figures);
}

static void device_figures(mpu_device *device, struct figures *out) {
    report_figures_object(out, NULL);
    report_figures_text(out, "schema", "mpu-device-1");
    report_figures_text(out, "target", device->target->name);
    report_figures_text(out, "engine", device->engine_name);
    total(device, out);
    times(device, out);
    energies(device, out);
    link(device, out);
    load(device, out);
    launch(device, out);
    machine(device, out);
    graph(&device->counts, out);
    ways(&device->counts, out);
    device_label_report(device, out);
    slabs(device, out);
    report_figures_end(out);
}

/* ---- text ---- */

/* A line a figure, by its path. */
static void print_text(const struct figures *figures, struct str *out) {
    struct str csv = {0};
    report_figures_csv(figures, &csv);
    for (const char *line = str_text(&csv); *line;) {
        size_t length = strcspn(line, "\n"), path = strcspn(line, ",\n");
        str_printf(out, "%-32.*s", (int)path, line);
        str_append_n(out, line + path + (path < length), length - path - (path < length));
        str_char(out, '\n');
        line += length + (line[length] != 0);
    }
    str_free(&csv);
}

static mpu_result stats(mpu_device *device, const char *format, struct str *out,
                        struct diag *diag) {
    struct figures f = {0};
    bool json = format && strcmp(format, "json") == 0;
    if (!json && (!format || strcmp(format, "text") != 0)) {
        diag_error(diag, NO_SPAN, "statistics of a device are \"text\" or \"json\"");
        return MPU_USAGE;
    }
    device_figures(device, &f);
    if (json)
        report_figures_json(&f, out);
    else
        print_text(&f, out);
    report_figures_free(&f);
    return MPU_OK;
}

char *mpu_device_stats(mpu_device *device, const char *format, mpu_error **error) {
    PUBLIC_ENTRY_OF(device, error, NULL);
    struct public_call c;
    struct str text = {0};
    public_call_begin(&c, device->messages, error);
    mpu_result r = public_call_end(&c, stats(device, format, &text, c.d));
    return r == MPU_OK ? public_text_out(&text) : NULL;
}

mpu_result mpu_device_figure(mpu_device *device, const char *path, uint64_t *value) {
    PUBLIC_ENTRY_OF(device, NULL, MPU_CAPACITY);
    struct figures f = {0};
    device_figures(device, &f);
    bool found = report_figures_find(&f, path, value);
    report_figures_free(&f);
    return found ? MPU_OK : MPU_USAGE;
}

void mpu_device_reset_stats(mpu_device *device) {
    struct device_counts *c = &device->counts;
    const struct dp_tables *tables = &device->dp->tables;
    uint64_t *uops = c->uops, *energy_fj = c->energy_fj, *counters = c->counters;
    *c = (struct device_counts){.uops = uops, .energy_fj = energy_fj, .counters = counters};
    memset(uops, 0, tables->kind_count * sizeof *uops);
    memset(energy_fj, 0, tables->part_count * sizeof *energy_fj);
    memset(counters, 0, tables->counter_count * sizeof *counters);
    device_label_reset(device);
}
