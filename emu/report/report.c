/* SPDX-License-Identifier: MIT
 * All figures of a run, in the order of docs/statistics.md. */
#include "emu/report/report.h"
#include "support/saturate.h"
#include "emu/report/derived.h"
#include "emu/report/lists.h"
#include "emu/report/load.h"
#include "target/host.h"

#include <string.h>

const char *report_path(const char *path) {
    const char *slash = strrchr(path, '/');
    bool outside = path[0] == '/' || strncmp(path, "../", 3) == 0 || strstr(path, "/../");
    return outside && slash ? slash + 1 : path;
}

void report_command(const char *const *words, size_t count, struct figures *figures) {
    report_figures_array(figures, "command");
    for (size_t i = 0; i < count; i++)
        report_figures_text(figures, NULL, words[i]);
    report_figures_end(figures);
}

static void inputs(const struct report_provenance *provenance, struct figures *figures) {
    report_figures_array(figures, "inputs");
    for (size_t i = 0; i < provenance->input_count; i++) {
        report_figures_object(figures, NULL);
        report_figures_text(figures, "name", provenance->inputs[i].name);
        report_figures_text(figures, "source", provenance->inputs[i].source);
        if (provenance->inputs[i].sha256[0])
            report_figures_text(figures, "sha256", provenance->inputs[i].sha256);
        else
            report_figures_null(figures, "sha256");
        report_figures_end(figures);
    }
    report_figures_end(figures);
}

static void overrides(const struct target *target, struct figures *figures) {
    report_figures_array(figures, "overrides");
    for (size_t i = 0; i < target->key_count; i++) {
        if (!target->keys[i].overridden)
            continue;
        report_figures_object(figures, NULL);
        report_figures_text(figures, "key", target->keys[i].path);
        report_figures_text(figures, "value", target->keys[i].value);
        report_figures_end(figures);
    }
    report_figures_end(figures);
}

static void provenance(const struct report_run *run, struct figures *figures) {
    const struct report_provenance *p = &run->provenance;
    report_figures_object(figures, "provenance");
    report_figures_text(figures, "version", p->version);
    report_command(p->command, p->command_count, figures);
    report_figures_text(figures, "program", report_path(p->program));
    report_figures_text(figures, "program_sha256", p->program_sha256);
    report_figures_text(figures, "target", run->target->name);
    report_figures_text(figures, "target_file", report_path(run->target->path));
    report_figures_text(figures, "target_sha256", run->target->hash);
    if (p->recipes_sha256)
        report_figures_text(figures, "recipes_sha256", p->recipes_sha256);
    else
        report_figures_null(figures, "recipes_sha256");
    report_figures_text(figures, "engine", p->engine);
    report_figures_number(figures, "check", p->check);
    report_figures_text(figures, "batch", p->batch);
    report_figures_text(figures, "init", p->init);
    inputs(p, figures);
    overrides(run->target, figures);
    report_figures_number(figures, "assumed_parameters", run->target->assumed);
    report_figures_end(figures);
}

/* Those that are given: derived ones follow from them. */
static void sizes(const struct report_run *run, struct figures *figures) {
    report_figures_object(figures, "size");
    for (size_t i = 0; i < run->program->sizes.len; i++)
        if (run->program->sizes.data[i].op == SIZE_GIVEN)
            report_figures_number(figures, run->program->sizes.data[i].name,
                                  (uint64_t)run->package->sizes[i]);
    report_figures_end(figures);
}

uint64_t report_kernel_energy_fj(const struct report_run *run) {
    const struct control_stats *s = control_stats(run->control);
    uint64_t sum =
        sat_add(sat_add(s->front_end_fj, s->static_fj), sat_add(s->host_fj, s->network_fj));
    for (uint32_t k = 0; k < control_tables(run->control)->part_count; k++)
        sum = sat_add(sum, s->energy_fj[k]);
    return sat_add(sum, s->transfer_fj);
}

uint64_t report_kernel_micro_ops(const struct report_run *run) {
    const struct control_stats *s = control_stats(run->control);
    uint64_t sum = 0;
    for (uint32_t k = 0; k < control_tables(run->control)->kind_count; k++)
        sum = sat_add(sum, s->uops[k]);
    return sum;
}

struct report_sum report_end_to_end(const struct report_run *run) {
    const struct control_stats *s = control_stats(run->control);
    struct report_load load = report_load(run);
    struct report_sum sum = {.known = s->cost_known && load.cost_known && run->host.cost_known};
    sum.time_ps = sat_add(sat_add(load.time_ps, s->time_ps), run->host.time_ps);
    sum.energy_fj =
        sat_add(sat_add(load.energy_fj, report_kernel_energy_fj(run)), run->host.energy_fj);
    sum.time_ps = sat_add(sum.time_ps, run->host.transpose_ps);
    sum.energy_fj = sat_add(sum.energy_fj, run->host.transpose_fj);
    return sum;
}

static void total(const struct report_run *run, const struct control_stats *stats,
                  struct figures *figures) {
    bool known = stats->cost_known;
    struct report_sum all = report_end_to_end(run);
    report_figures_object(figures, "total");
    report_figures_known(figures, "time_ps", known, stats->time_ps);
    report_figures_known(figures, "energy_fj", known, report_kernel_energy_fj(run));
    report_figures_known(figures, "end_to_end_time_ps", all.known, all.time_ps);
    report_figures_known(figures, "end_to_end_energy_fj", all.known, all.energy_fj);
    report_figures_known(figures, "datapath_cycles", known, stats->datapath_cycles);
    report_figures_known(figures, "host_cpu_time_ps", known, stats->host_ps);
    report_figures_known(figures, "host_cpu_energy_fj", known, stats->host_fj);
    report_figures_known(figures, "issue_slots", known, stats->issue_slots);
    report_figures_number(figures, "instructions", stats->instructions);
    report_figures_known(figures, "element_instructions", stats->element_instructions_known,
                         stats->element_instructions);
    report_figures_known(figures, "micro_ops", known, report_kernel_micro_ops(run));
    report_figures_number(figures, "rounds", stats->rounds);
    report_figures_number(figures, "ensembles", stats->ensembles);
    report_figures_number(figures, "batches", stats->batches);
    if (stats->cut_batches)
        report_figures_number(figures, "cut_batches", stats->cut_batches);
    report_figures_number(figures, "register_transfers", stats->transfers);
    report_figures_end(figures);
}

/* What variables in VRFs of their own cost. */
static void spills(const struct control_stats *stats, bool known, struct figures *figures) {
    if (!stats->spill_transfers)
        return;
    report_figures_object(figures, "spills");
    report_figures_number(figures, "register_transfers", stats->spill_transfers);
    report_figures_known(figures, "time_ps", known, stats->spill_ps);
    report_figures_known(figures, "energy_fj", known, stats->spill_fj);
    report_figures_end(figures);
}

static void place(const struct package *package, struct figures *figures) {
    const struct package_place *x = &package->place;
    report_figures_object(figures, "place");
    report_figures_text(figures, "asked", package_place_name(x->asked));
    report_figures_text(figures, "chosen", package_place_name(x->chosen));
    report_figures_number(figures, "rows_per_mpu", package_most_rows(package));
    report_figures_number(figures, "laps_counted", x->laps);
    report_figures_number(figures, "counted_in_part", x->in_part);
    report_figures_end(figures);
}

static void utilisation(const struct report_run *run, const struct control_stats *stats,
                        struct figures *figures) {
    const struct target *t = run->target;
    uint64_t vrfs = sat_mul(t->mpus, target_vrfs_per_mpu(t));
    bool finite = t->kind->costs;
    report_figures_object(figures, "utilisation");
    report_figures_number(figures, "mpus_used", stats->mpus_used);
    report_figures_known(figures, "mpus", finite, t->mpus);
    report_figures_number(figures, "vrfs_used", stats->vrfs_used);
    report_figures_known(figures, "vrfs", finite, vrfs);
    report_figures_number(figures, "lanes_used", stats->lanes_valid);
    report_figures_number(figures, "elements", stats->elements);
    report_figures_known(figures, "lanes", finite, sat_mul(vrfs, run->package->lanes));
    report_figures_end(figures);
}

static void peak(const struct report_run *run, const struct control_peak *peak,
                 struct figures *figures) {
    struct place at = object_place(run->program, peak->first);
    if (!peak->time_ps) {
        report_figures_null(figures, "peak");
        return;
    }
    report_figures_object(figures, "peak");
    report_figures_number(figures, "energy_fj", peak->energy_fj);
    report_figures_number(figures, "time_ps", peak->time_ps);
    report_figures_number(figures, "vrfs", peak->vrfs);
    report_figures_number(figures, "first_instruction", peak->first);
    report_figures_number(figures, "instructions", peak->count);
    if (at.file < run->program->files.len) {
        report_figures_text(figures, "file", report_path(run->program->files.data[at.file]));
        report_figures_number(figures, "line", at.line);
    } else {
        report_figures_null(figures, "file");
        report_figures_null(figures, "line");
    }
    report_figures_end(figures);
}

static void messages(const struct control_stats *stats, struct figures *figures) {
    report_figures_object(figures, "messages");
    report_figures_number(figures, "sent", stats->messages);
    report_figures_number(figures, "bytes", stats->message_bytes);
    report_figures_number(figures, "hops", stats->message_hops);
    report_figures_number(figures, "through_data_buffer", stats->messages_passed);
    report_figures_number(figures, "never_received", stats->messages_left);
    report_figures_end(figures);
}

static void masks(const struct control_masks *masks, struct figures *figures) {
    report_figures_object(figures, "masks");
    report_figures_known(figures, "micro_ops", masks->known, masks->micro_ops);
    report_figures_known(figures, "energy_fj", masks->known, masks->energy_fj);
    report_figures_known(figures, "instructions_micro_ops", masks->known,
                         masks->instruction_micro_ops);
    report_figures_known(figures, "instructions_energy_fj", masks->known,
                         masks->instruction_energy_fj);
    report_figures_end(figures);
}

/* Only where there are several. */
static void host_modes(const struct target *target, const struct report_host *host,
                       struct figures *figures) {
    static const char *const names[HOST_MODES] = {"serial", "parallel", "broadcast"};
    if (!target_has_host_modes(target))
        return;
    report_figures_array(figures, "modes");
    for (unsigned k = 0; k < HOST_MODES; k++) {
        const struct report_host_mode *m = &host->modes[k];
        if (!target_host_mode(target, (enum host_mode_kind)k).in_bytes_per_s)
            continue;
        report_figures_object(figures, NULL);
        report_figures_text(figures, "mode", names[k]);
        report_figures_number(figures, "transfers", m->transfers);
        report_figures_number(figures, "bytes_in", m->bytes_in);
        report_figures_number(figures, "bytes_out", m->bytes_out);
        report_figures_number(figures, "padding_bytes", m->padding_bytes);
        report_figures_known(figures, "time_ps", host->cost_known, m->time_ps);
        report_figures_end(figures);
    }
    report_figures_end(figures);
}

/* Reductions that the host finishes; nothing where there are none. */
static void finished(const struct report_run *run, struct figures *figures) {
    const struct object *o = run->program;
    const uint8_t *by_host = run->package->finish.by_host;
    if (!by_host || !memchr(by_host, 1, run->package->finish_count))
        return;
    report_figures_array(figures, "finished");
    for (size_t i = 0; i < run->package->finish_count; i++) {
        const struct finish_record *x = &o->finishes.data[i];
        uint64_t elements = package_group_elements(run->package, o, x->group);
        if (!by_host[i])
            continue;
        report_figures_object(figures, NULL);
        report_figures_text(figures, "output", o->vars.data[x->variable].name);
        report_figures_number(figures, "element", x->element);
        report_figures_text(figures, "kind", object_finish_kind_text(x->kind));
        report_figures_number(figures, "elements", elements);
        report_figures_number(figures, "bytes", sat_mul(elements, package_finish_bytes(x)));
        report_figures_end(figures);
    }
    report_figures_end(figures);
}

/* Nothing where there are none. */
static void residents(const struct report_run *run, struct figures *figures) {
    if (run->resident_count == 0)
        return;
    report_figures_array(figures, "resident");
    for (size_t i = 0; i < run->resident_count; i++) {
        report_figures_object(figures, NULL);
        report_figures_text(figures, "name", run->residents[i].name);
        report_figures_number(figures, "bytes_in", run->residents[i].bytes_in);
        report_figures_number(figures, "bytes_out", run->residents[i].bytes_out);
        report_figures_end(figures);
    }
    report_figures_end(figures);
}

/* Outputs whose way to the host is in no figure. */
static void unread(const struct report_run *run, struct figures *figures) {
    struct str names = {0};
    for (size_t i = 0; i < run->unread_count; i++)
        str_printf(&names, "%s%s", i ? ", " : "", run->unread[i]);
    if (run->unread_count)
        report_figures_note(figures, "not_read", str_text(&names));
    str_free(&names);
}

static void host(const struct report_run *run, struct figures *figures) {
    const struct target *t = run->target;
    const struct report_host *h = &run->host;
    report_figures_object(figures, "host");
    report_figures_number(figures, "puts", h->puts);
    report_figures_number(figures, "gets", h->gets);
    report_figures_number(figures, "bytes_in", h->bytes_in);
    report_figures_number(figures, "bytes_out", h->bytes_out);
    report_figures_known(figures, "time_ps", h->cost_known, h->time_ps);
    report_figures_known(figures, "energy_fj", h->cost_known, h->energy_fj);
    report_figures_known(figures, "transpose_time_ps", h->cost_known, h->transpose_ps);
    report_figures_known(figures, "transpose_energy_fj", h->cost_known, h->transpose_fj);
    host_modes(t, h, figures);
    finished(run, figures);
    residents(run, figures);
    unread(run, figures);
    report_figures_end(figures);
}

/* Nothing where nothing was expected of floating point. */
static void expected(const struct report_run *run, struct figures *figures) {
    if (run->expected_count == 0)
        return;
    report_figures_array(figures, "expected");
    for (size_t i = 0; i < run->expected_count; i++) {
        const struct report_expected *x = &run->expected[i];
        report_figures_object(figures, NULL);
        report_figures_text(figures, "name", x->name);
        report_figures_number(figures, "elements", x->elements);
        report_figures_number(figures, "different", x->different);
        if (x->near)
            report_figures_number(figures, "ulps", x->ulps);
        else
            report_figures_none(figures, "ulps");
        report_figures_known(figures, "distance", x->number, x->distance);
        report_figures_end(figures);
    }
    report_figures_end(figures);
}

static void load(const struct report_run *run, struct figures *figures) {
    struct report_load l = report_load(run);
    report_figures_object(figures, "load");
    report_figures_number(figures, "text_bytes", l.text_bytes);
    report_figures_number(figures, "recipe_table_bytes", l.recipe_table_bytes);
    report_figures_known(figures, "time_ps", l.cost_known, l.time_ps);
    report_figures_known(figures, "energy_fj", l.cost_known, l.energy_fj);
    if (control_tables(run->control)->establishes) {
        report_figures_number(figures, "established_vrfs", l.established.vrfs);
        report_figures_number(figures, "established_micro_ops", l.established.micro_ops);
        report_figures_known(figures, "established_time_ps", l.cost_known, l.established.time_ps);
        report_figures_known(figures, "established_energy_fj", l.cost_known,
                             l.established.energy_fj);
    }
    report_figures_end(figures);
}

static void unit_counter(const char *name, const struct control_unit_counter *counter, bool known,
                         struct figures *figures) {
    const struct {
        const char *suffix;
        uint64_t value;
    } all[] = {{"", counter->sum}, {"_least", counter->least}, {"_most", counter->most}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct str key = {0};
        str_printf(&key, "%s%s", name, all[i].suffix);
        report_figures_known(figures, str_text(&key), known, all[i].value);
        str_free(&key);
    }
}

/* What the machine counts beside micro-ops; only where it does. */
static void counters(const struct report_run *run, const struct control_stats *stats,
                     struct figures *figures) {
    const struct dp_tables *t = control_tables(run->control);
    bool kernels = run->program->kernels.len != 0;
    if (t->counter_count == 0 && t->unit_counter_count == 0 && !kernels)
        return;
    report_figures_object(figures, "machine");
    if (kernels)
        report_figures_number(figures, "launches", stats->launches);
    for (uint32_t i = 0; i < t->counter_count; i++)
        report_figures_known(figures, t->counters[i], stats->cost_known, stats->counters[i]);
    for (uint32_t i = 0; i < t->unit_counter_count; i++)
        unit_counter(t->unit_counters[i], &stats->unit_counters[i], stats->cost_known, figures);
    report_figures_end(figures);
}

void report_fill_head(const struct report_run *run, const char *schema, struct figures *figures) {
    report_figures_object(figures, NULL);
    report_figures_text(figures, "schema", schema);
    report_figures_text(figures, "end", run->end);
    provenance(run, figures);
    sizes(run, figures);
}

void report_fill(const struct report_run *run, struct figures *figures) {
    const struct control_stats *s = control_stats(run->control);
    report_fill_head(run, REPORT_SCHEMA, figures);
    total(run, s, figures);
    spills(s, s->cost_known, figures);
    report_derived(run, figures);
    peak(run, &s->peak, figures);
    place(run->package, figures);
    utilisation(run, s, figures);
    messages(s, figures);
    masks(&s->masks, figures);
    load(run, figures);
    host(run, figures);
    expected(run, figures);
    report_by_component(run, figures);
    report_by_instruction(run, figures);
    report_by_line(run, figures);
    report_by_kernel(run, figures);
    report_by_region(run, figures);
    report_area(run, figures);
    report_front_end(run, figures);
    report_wear(run, figures);
    counters(run, s, figures);
    report_figures_end(figures);
}
