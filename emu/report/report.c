/* SPDX-License-Identifier: MIT */
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

/* "--in=x=/data/x.npy" and "x=/data/x.npy" hold a path behind their last '=', "json:/data/s.json"
 * behind the name of a format. */
static const char *path_in_word(const char *word) {
    const char *equals = strrchr(word, '='), *value = equals ? equals + 1 : word;
    size_t format = strspn(value, "abcdefghijklmnopqrstuvwxyz");
    return value[format] == ':' ? value + format + 1 : value;
}

static void command_word(struct figures *f, const char *word) {
    const char *value = path_in_word(word);
    struct str s = {0};
    str_append_n(&s, word, (size_t)(value - word));
    str_append(&s, report_path(value));
    report_figures_text(f, NULL, str_text(&s));
    str_free(&s);
}

void report_command(const char *const *words, size_t count, struct figures *f) {
    report_figures_array(f, "command");
    for (size_t i = 0; i < count; i++)
        command_word(f, words[i]);
    report_figures_end(f);
}

static void inputs(const struct report_provenance *p, struct figures *f) {
    report_figures_array(f, "inputs");
    for (size_t i = 0; i < p->input_count; i++) {
        report_figures_object(f, NULL);
        report_figures_text(f, "name", p->inputs[i].name);
        report_figures_text(f, "source", report_path(p->inputs[i].source));
        if (p->inputs[i].sha256[0])
            report_figures_text(f, "sha256", p->inputs[i].sha256);
        else
            report_figures_null(f, "sha256");
        report_figures_end(f);
    }
    report_figures_end(f);
}

static void overrides(const struct target *t, struct figures *f) {
    report_figures_array(f, "overrides");
    for (size_t i = 0; i < t->key_count; i++) {
        if (!t->keys[i].overridden)
            continue;
        report_figures_object(f, NULL);
        report_figures_text(f, "key", t->keys[i].path);
        report_figures_text(f, "value", t->keys[i].value);
        report_figures_end(f);
    }
    report_figures_end(f);
}

static void provenance(const struct report_run *r, struct figures *f) {
    const struct report_provenance *p = &r->provenance;
    report_figures_object(f, "provenance");
    report_figures_text(f, "version", p->version);
    report_command(p->command, p->command_count, f);
    report_figures_text(f, "program", report_path(p->program));
    report_figures_text(f, "program_sha256", p->program_sha256);
    report_figures_text(f, "target", r->target->name);
    report_figures_text(f, "target_file", report_path(r->target->path));
    report_figures_text(f, "target_sha256", r->target->hash);
    if (p->recipes_sha256)
        report_figures_text(f, "recipes_sha256", p->recipes_sha256);
    else
        report_figures_null(f, "recipes_sha256");
    report_figures_text(f, "engine", p->engine);
    report_figures_number(f, "check", p->check);
    report_figures_text(f, "batch", p->batch);
    report_figures_text(f, "init", p->init);
    inputs(p, f);
    overrides(r->target, f);
    report_figures_number(f, "assumed_parameters", r->target->assumed);
    report_figures_end(f);
}

/* Those that are given: derived ones follow from them. */
static void sizes(const struct report_run *r, struct figures *f) {
    report_figures_object(f, "size");
    for (size_t i = 0; i < r->program->sizes.len; i++)
        if (r->program->sizes.data[i].op == SIZE_GIVEN)
            report_figures_number(f, r->program->sizes.data[i].name,
                                  (uint64_t)r->package->sizes[i]);
    report_figures_end(f);
}

uint64_t report_kernel_energy_fj(const struct report_run *r) {
    const struct control_stats *s = control_stats(r->control);
    uint64_t sum =
        sat_add(sat_add(s->front_end_fj, s->static_fj), sat_add(s->host_fj, s->network_fj));
    for (uint32_t k = 0; k < control_tables(r->control)->part_count; k++)
        sum = sat_add(sum, s->energy_fj[k]);
    return sat_add(sum, s->transfer_fj);
}

uint64_t report_kernel_micro_ops(const struct report_run *r) {
    const struct control_stats *s = control_stats(r->control);
    uint64_t sum = 0;
    for (uint32_t k = 0; k < control_tables(r->control)->kind_count; k++)
        sum = sat_add(sum, s->uops[k]);
    return sum;
}

struct report_sum report_end_to_end(const struct report_run *r) {
    const struct control_stats *s = control_stats(r->control);
    struct report_load load = report_load(r);
    struct report_sum sum = {.known = s->cost_known && load.cost_known && r->host.cost_known};
    sum.time_ps = sat_add(sat_add(load.time_ps, s->time_ps), r->host.time_ps);
    sum.energy_fj = sat_add(sat_add(load.energy_fj, report_kernel_energy_fj(r)), r->host.energy_fj);
    sum.time_ps = sat_add(sum.time_ps, r->host.transpose_ps);
    sum.energy_fj = sat_add(sum.energy_fj, r->host.transpose_fj);
    return sum;
}

static void total(const struct report_run *r, const struct control_stats *s, struct figures *f) {
    bool known = s->cost_known;
    struct report_sum all = report_end_to_end(r);
    report_figures_object(f, "total");
    report_figures_known(f, "time_ps", known, s->time_ps);
    report_figures_known(f, "energy_fj", known, report_kernel_energy_fj(r));
    report_figures_known(f, "end_to_end_time_ps", all.known, all.time_ps);
    report_figures_known(f, "end_to_end_energy_fj", all.known, all.energy_fj);
    report_figures_known(f, "datapath_cycles", known, s->datapath_cycles);
    report_figures_known(f, "host_cpu_time_ps", known, s->host_ps);
    report_figures_known(f, "host_cpu_energy_fj", known, s->host_fj);
    report_figures_known(f, "issue_slots", known, s->issue_slots);
    report_figures_number(f, "instructions", s->instructions);
    report_figures_known(f, "micro_ops", known, report_kernel_micro_ops(r));
    report_figures_number(f, "rounds", s->rounds);
    report_figures_number(f, "ensembles", s->ensembles);
    report_figures_number(f, "batches", s->batches);
    report_figures_number(f, "register_transfers", s->transfers);
    report_figures_end(f);
}

static void place(const struct package *p, struct figures *f) {
    const struct package_place *x = &p->place;
    report_figures_object(f, "place");
    report_figures_text(f, "asked", package_place_name(x->asked));
    report_figures_text(f, "chosen", package_place_name(x->chosen));
    report_figures_number(f, "rows_per_mpu", package_most_rows(p));
    report_figures_number(f, "laps_counted", x->laps);
    report_figures_number(f, "counted_in_part", x->in_part);
    report_figures_end(f);
}

static void utilisation(const struct report_run *r, const struct control_stats *s,
                        struct figures *f) {
    const struct target *t = r->target;
    uint64_t vrfs = sat_mul(t->mpus, target_vrfs_per_mpu(t));
    bool finite = t->kind->costs;
    report_figures_object(f, "utilisation");
    report_figures_number(f, "mpus_used", s->mpus_used);
    report_figures_known(f, "mpus", finite, t->mpus);
    report_figures_number(f, "vrfs_used", s->vrfs_used);
    report_figures_known(f, "vrfs", finite, vrfs);
    report_figures_number(f, "lanes_used", s->lanes_valid);
    report_figures_number(f, "elements", s->elements);
    report_figures_known(f, "lanes", finite, sat_mul(vrfs, r->package->lanes));
    report_figures_end(f);
}

static void peak(const struct report_run *r, const struct control_peak *p, struct figures *f) {
    struct place at = object_place(r->program, p->first);
    if (!p->time_ps) {
        report_figures_null(f, "peak");
        return;
    }
    report_figures_object(f, "peak");
    report_figures_number(f, "energy_fj", p->energy_fj);
    report_figures_number(f, "time_ps", p->time_ps);
    report_figures_number(f, "vrfs", p->vrfs);
    report_figures_number(f, "first_instruction", p->first);
    report_figures_number(f, "instructions", p->count);
    if (at.file < r->program->files.len) {
        report_figures_text(f, "file", report_path(r->program->files.data[at.file]));
        report_figures_number(f, "line", at.line);
    } else {
        report_figures_null(f, "file");
        report_figures_null(f, "line");
    }
    report_figures_end(f);
}

static void messages(const struct control_stats *s, struct figures *f) {
    report_figures_object(f, "messages");
    report_figures_number(f, "sent", s->messages);
    report_figures_number(f, "bytes", s->message_bytes);
    report_figures_number(f, "hops", s->message_hops);
    report_figures_number(f, "through_data_buffer", s->messages_passed);
    report_figures_number(f, "never_received", s->messages_left);
    report_figures_end(f);
}

static void masks(const struct control_masks *m, struct figures *f) {
    report_figures_object(f, "masks");
    report_figures_known(f, "micro_ops", m->known, m->micro_ops);
    report_figures_known(f, "energy_fj", m->known, m->energy_fj);
    report_figures_known(f, "instructions_micro_ops", m->known, m->instruction_micro_ops);
    report_figures_known(f, "instructions_energy_fj", m->known, m->instruction_energy_fj);
    report_figures_end(f);
}

/* Only where there are several. */
static void host_modes(const struct target *t, const struct report_host *h, struct figures *f) {
    static const char *const names[HOST_MODES] = {"serial", "parallel", "broadcast"};
    if (!target_has_host_modes(t))
        return;
    report_figures_array(f, "modes");
    for (unsigned k = 0; k < HOST_MODES; k++) {
        const struct report_host_mode *m = &h->modes[k];
        if (!target_host_mode(t, (enum host_mode_kind)k).in_bytes_per_s)
            continue;
        report_figures_object(f, NULL);
        report_figures_text(f, "mode", names[k]);
        report_figures_number(f, "transfers", m->transfers);
        report_figures_number(f, "bytes_in", m->bytes_in);
        report_figures_number(f, "bytes_out", m->bytes_out);
        report_figures_number(f, "padding_bytes", m->padding_bytes);
        report_figures_known(f, "time_ps", h->cost_known, m->time_ps);
        report_figures_end(f);
    }
    report_figures_end(f);
}

/* Reductions that the host finishes; nothing where there are none. */
static void finished(const struct report_run *r, struct figures *f) {
    const struct object *o = r->program;
    const uint8_t *by_host = r->package->finish.by_host;
    if (!by_host || !memchr(by_host, 1, r->package->finish_count))
        return;
    report_figures_array(f, "finished");
    for (size_t i = 0; i < r->package->finish_count; i++) {
        const struct finish_record *x = &o->finishes.data[i];
        uint64_t elements = package_group_elements(r->package, o, x->group);
        if (!by_host[i])
            continue;
        report_figures_object(f, NULL);
        report_figures_text(f, "output", o->vars.data[x->variable].name);
        report_figures_number(f, "element", x->element);
        report_figures_text(f, "kind", object_finish_kind_text(x->kind));
        report_figures_number(f, "elements", elements);
        report_figures_number(f, "bytes", sat_mul(elements, package_finish_bytes(x)));
        report_figures_end(f);
    }
    report_figures_end(f);
}

static void host(const struct report_run *r, struct figures *f) {
    const struct target *t = r->target;
    const struct report_host *h = &r->host;
    report_figures_object(f, "host");
    report_figures_number(f, "puts", h->puts);
    report_figures_number(f, "gets", h->gets);
    report_figures_number(f, "bytes_in", h->bytes_in);
    report_figures_number(f, "bytes_out", h->bytes_out);
    report_figures_known(f, "time_ps", h->cost_known, h->time_ps);
    report_figures_known(f, "energy_fj", h->cost_known, h->energy_fj);
    report_figures_known(f, "transpose_time_ps", h->cost_known, h->transpose_ps);
    report_figures_known(f, "transpose_energy_fj", h->cost_known, h->transpose_fj);
    host_modes(t, h, f);
    finished(r, f);
    report_figures_end(f);
}

static void load(const struct report_run *r, struct figures *f) {
    struct report_load l = report_load(r);
    report_figures_object(f, "load");
    report_figures_number(f, "text_bytes", l.text_bytes);
    report_figures_number(f, "recipe_table_bytes", l.recipe_table_bytes);
    report_figures_known(f, "time_ps", l.cost_known, l.time_ps);
    report_figures_known(f, "energy_fj", l.cost_known, l.energy_fj);
    report_figures_end(f);
}

/* What the machine counts beside micro-ops; only where it does. */
static void counters(const struct report_run *r, const struct control_stats *s, struct figures *f) {
    const struct dp_tables *t = control_tables(r->control);
    if (t->counter_count == 0)
        return;
    report_figures_object(f, "machine");
    for (uint32_t i = 0; i < t->counter_count; i++)
        report_figures_known(f, t->counters[i], s->cost_known, s->counters[i]);
    report_figures_end(f);
}

void report_fill(const struct report_run *r, struct figures *f) {
    const struct control_stats *s = control_stats(r->control);
    report_figures_object(f, NULL);
    report_figures_text(f, "schema", REPORT_SCHEMA);
    report_figures_text(f, "end", r->end);
    provenance(r, f);
    sizes(r, f);
    total(r, s, f);
    report_derived(r, f);
    peak(r, &s->peak, f);
    place(r->package, f);
    utilisation(r, s, f);
    messages(s, f);
    masks(&s->masks, f);
    load(r, f);
    host(r, f);
    report_by_component(r, f);
    report_by_instruction(r, f);
    report_by_line(r, f);
    report_by_region(r, f);
    report_area(r, f);
    report_wear(r, f);
    counters(r, s, f);
    report_figures_end(f);
}
