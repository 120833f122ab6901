/* SPDX-License-Identifier: MIT
 * Runs of MPU instructions in packages: W words of each, and how many lanes a near-bank unit has
 * room for. */
#include "machines/core/simt/link/simt_link.h"

#include "object/object.h"
#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>

bool simt_has(const struct machine_library *l, enum isa_op op) {
    const struct isa_info *info = isa_info(op);
    (void)l;
    return (info->flags & ISA_VECTOR) && info->golden && !(info->flags & (ISA_USER | ISA_RESERVED));
}

void simt_why_not(const struct machine_library *l, enum isa_op op, struct str *out) {
    (void)l;
    if (isa_info(op)->flags & ISA_USER)
        str_append(out, ": its recipe is micro-ops of bits, which its cores have not");
}

struct simt_banks simt_banks_of(const struct target *t) {
    const struct simt_time_keys *k = &simt_keys(t)->time;
    return (struct simt_banks){t->vrf_per_rfh, t->rfh_per_mpu * t->mpus, k->granule_bytes,
                               k->core_chunk};
}

struct simt_run_limits simt_run_limits(const struct target *t) {
    const struct simt_keys *k = simt_keys(t);
    return (struct simt_run_limits){.options = {k->registers, k->time.near_units},
                                    .code_bytes = k->icache_bytes,
                                    .banks = simt_banks_of(t)};
}

/* ---- room: half of a unit's banks; the other half is that of buffers ---- */

static uint64_t register_room(const struct target *t) {
    return simt_keys(t)->bank_bytes * simt_keys(t)->banks / 2;
}

uint32_t simt_vrf_lanes(const struct target *t, const uint8_t reg_bits[64]) {
    const struct simt_banks banks = simt_banks_of(t);
    struct simt_layout layout;
    simt_layout_make(&banks, reg_bits, &layout);
    const uint64_t records = register_room(t) / simt_layout_record_bytes(&layout),
                   lanes = (records < SIMT_RUN_RECORDS ? records : SIMT_RUN_RECORDS) *
                           SIMT_RECORD_LANES;
    return lanes < OBJECT_MAX_LANES ? (uint32_t)lanes : OBJECT_MAX_LANES;
}

bool simt_has_room(const struct target *t, const uint8_t reg_bits[64], struct str *problem) {
    if (simt_vrf_lanes(t, reg_bits))
        return true;
    str_printf(problem, "half of a near-bank unit, %" PRIu64 " bytes, does not hold %u elements",
               register_room(t), SIMT_RECORD_LANES);
    return false;
}

/* ---- code ---- */

static struct simt_code *code_of(struct machine_code *c) {
    return (struct simt_code *)(void *)c;
}

void simt_code_free(struct machine_code *c) {
    simt_runs_free(&code_of(c)->runs);
    free(c);
}

/* What is being made of a program's runs. */
struct simt_building {
    struct simt_code *code;
    const struct machine_library *library;
    const struct machine_program *program;
    struct diag *diag;
};

static bool add_run(void *context, uint32_t first, uint32_t count, bool masked) {
    const struct simt_building *b = context;
    struct simt_code *c = b->code;
    const struct machine_library *l = b->library;
    const struct machine_program *p = b->program;
    const struct scalar_run run = {.insns = &p->text->insns[first],
                                   .count = count,
                                   .masked = masked,
                                   .reg_bits = p->reg_bits,
                                   .flush = l->target->arith == ARITH_FLUSH};
    const struct simt_run_limits limits = simt_run_limits(l->target);
    struct str problem = {0};
    size_t wrong = 0;
    if (simt_runs_find(&c->runs, run.insns, count, masked))
        return true;
    const bool fine = simt_runs_add(&c->runs, &limits, &run, &wrong, &problem);
    if (!fine)
        diag_error(b->diag, machine_place(p, first + (uint32_t)wrong),
                   "%s cannot be carried out by near-bank SIMT cores: %s",
                   isa_info(run.insns[wrong].op)->name, str_text(&problem));
    str_free(&problem);
    return fine;
}

/* Of all tables, each once as elements of so many bytes. */
static uint32_t table_bytes(const struct machine_program *p) {
    simt_run_tables seen = {0};
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < p->text->len; i++) {
        const struct insn *x = &p->text->insns[i];
        if (!machine_is_taken(p, i) || !isa_has_table(x->op) || !x->table)
            continue;
        const struct simt_run_table t = {x->lut, (uint8_t)scalar_bytes(x->width),
                                         UINT32_C(1) << x->table->index_bits};
        bool known = false;
        for (size_t k = 0; k < seen.len && !known; k++)
            known = seen.data[k].lut == t.lut && seen.data[k].bytes == t.bytes;
        if (known)
            continue;
        vec_push(&seen, t);
        bytes += t.entries * t.bytes;
    }
    vec_free(&seen);
    return bytes;
}

struct machine_code *simt_build(const struct machine_library *l, const struct machine_program *p,
                                struct diag *d) {
    struct simt_code *c = xcalloc(1, sizeof *c);
    struct simt_building b = {c, l, p, d};
    c->base.machine = l->machine;
    c->runs.table_bytes = table_bytes(p);
    if (machine_each_run(p, add_run, &b))
        return &c->base;
    simt_code_free(&c->base);
    return NULL;
}

void simt_code_write(const struct machine_code *c, struct str *out) {
    simt_runs_write(&simt_code_of(c)->runs, out);
}

struct machine_code *simt_code_read(const void *bytes, size_t size, const char **problem) {
    struct simt_code *c = xcalloc(1, sizeof *c);
    c->base.machine = &simt_machine;
    if (simt_runs_read(bytes, size, &c->runs))
        return &c->base;
    *problem = "its code of near-bank SIMT cores is damaged";
    simt_code_free(&c->base);
    return NULL;
}

/* ---- for people; load ---- */

static void print_run(const struct simt_runs *r, const struct simt_run_code *run,
                      const struct isa_users *users, struct str *out) {
    const uint32_t *text = r->text.data + run->first_text;
    struct insn x;
    str_printf(out, "run of %" PRIu32 ", %s\n", run->count, run->masked ? "masked" : "unmasked");
    for (uint32_t k = 0; k < run->piece_count; k++) {
        const struct simt_run_piece *piece = &r->pieces.data[run->first_piece + k];
        const char *problem = NULL;
        struct simt_kernel *kernel =
            simt_kernel_read(str_text(&r->code) + piece->first, piece->size, &problem);
        for (uint32_t i = 0; i < piece->count; i++) {
            str_append(out, "  ");
            if (isa_decode(*text++, &x) == ISA_OK)
                isa_users_format(users, &x, NULL, out);
            str_char(out, '\n');
        }
        if (kernel)
            simt_list(kernel, NULL, out);
        simt_kernel_free(kernel);
    }
}

void simt_code_print(const struct machine_code *c, const struct machine_library *l,
                     const struct machine_program *p, struct str *out) {
    static const struct isa_users none;
    const struct simt_runs *r = &simt_code_of(c)->runs;
    if (!r->runs.len)
        str_printf(out, "target %s has no recipes, and the program no run of MPU instructions\n",
                   l->target->name);
    for (size_t i = 0; i < r->runs.len; i++)
        print_run(r, &r->runs.data[i], p->users ? p->users : &none, out);
}

/* Words of all runs, and tables, which all cores get at once. */
void simt_code_load(const struct machine_code *c, struct machine_load *out) {
    const struct simt_runs *r = &simt_code_of(c)->runs;
    out->bytes = r->table_bytes;
    for (size_t i = 0; i < r->pieces.len; i++) {
        const char *problem = NULL;
        struct simt_kernel *k = simt_kernel_read(str_text(&r->code) + r->pieces.data[i].first,
                                                 r->pieces.data[i].size, &problem);
        out->bytes += k ? UINT64_C(4) * k->word_count : 0;
        simt_kernel_free(k);
    }
}
