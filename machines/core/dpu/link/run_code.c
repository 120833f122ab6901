/* SPDX-License-Identifier: MIT
 * Runs of MPU instructions in packages: code of DPUs, and how many elements a DPU holds. */
#include "machines/core/dpu/dpu.h"
#include "machines/core/dpu/link/dpu_link.h"

#include "object/object.h"
#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- which instructions ---- */

bool dpu_has(const struct machine_library *l, enum isa_op op) {
    const struct isa_info *info = isa_info(op);
    (void)l;
    return (info->flags & ISA_VECTOR) && info->golden && !(info->flags & (ISA_USER | ISA_RESERVED));
}

void dpu_why_not(const struct machine_library *l, enum isa_op op, struct str *out) {
    (void)l;
    if (isa_info(op)->flags & ISA_USER)
        str_append(out, ": its recipe is micro-ops of bits, which a DPU has not");
}

/* ---- room: registers, C, M and valid are arrays in MRAM ---- */

/* The other half is that of buffers and of what kernels have themselves. */
static uint64_t register_room(const struct target *t) {
    return dpu_keys(t)->stored.buffer_bytes / 2;
}

uint32_t dpu_lanes(const struct target *t, const uint8_t reg_bits[64]) {
    uint64_t bytes = 3, piece = dpu_loop_round(1);
    for (unsigned r = 0; r < 64; r++)
        bytes += reg_bits[r] ? scalar_bytes(reg_bits[r]) : 0;
    uint64_t lanes = register_room(t) / bytes / piece * piece;
    return lanes < OBJECT_MAX_LANES ? (uint32_t)lanes : OBJECT_MAX_LANES;
}

bool dpu_has_room(const struct target *t, const uint8_t reg_bits[64], struct str *problem) {
    if (dpu_lanes(t, reg_bits))
        return true;
    str_printf(problem, "half of the MRAM, %" PRIu64 " bytes, does not hold %" PRIu32 " elements",
               register_room(t), dpu_loop_round(1));
    return false;
}

/* ---- code ---- */

struct dpu_run_limits dpu_run_limits(const struct target *t) {
    const struct dpu_keys *k = dpu_keys(t);
    const uint32_t wanted = k->run_tasklets ? k->run_tasklets : 16,
                   tasklets = wanted < k->tasklets ? wanted : k->tasklets;
    return (struct dpu_run_limits){.iram_words = k->iram_instructions,
                                   .wram_bytes = k->wram_bytes,
                                   .tasklets = tasklets,
                                   .table_bytes = k->wram_bytes / 2,
                                   .far_bytes = (uint32_t)(register_room(t) / 2)};
}

static struct dpu_code *code_of(struct machine_code *c) {
    return (struct dpu_code *)(void *)c;
}

void dpu_code_free(struct machine_code *c) {
    dpu_runs_free(&code_of(c)->runs);
    free(c);
}

static void complain(const struct machine_program *p, uint32_t index, const struct str *problem,
                     struct diag *d) {
    const struct insn *x = &p->text->insns[index];
    diag_error(d, machine_place(p, index), "%s cannot be carried out by DPUs: %s",
               isa_info(x->op)->name, str_text(problem));
}

/* What is being made of a program's runs. */
struct dpu_building {
    struct dpu_code *code;
    const struct machine_library *library;
    const struct machine_program *program;
    struct diag *diag;
};

static bool add_run(void *context, uint32_t first, uint32_t count, bool masked) {
    const struct dpu_building *b = context;
    struct dpu_code *c = b->code;
    const struct machine_library *l = b->library;
    const struct machine_program *p = b->program;
    const struct scalar_run run = {.insns = &p->text->insns[first],
                                   .count = count,
                                   .masked = masked,
                                   .reg_bits = p->reg_bits,
                                   .flush = l->target->arith == ARITH_FLUSH};
    struct dpu_run_limits limits = dpu_run_limits(l->target);
    struct str problem = {0};
    size_t wrong = 0;
    if (dpu_runs_find(&c->runs, run.insns, count, masked))
        return true;
    bool fine = dpu_runs_add(&c->runs, &limits, &run, &wrong, &problem);
    if (!fine)
        complain(p, first + (uint32_t)wrong, &problem, b->diag);
    str_free(&problem);
    return fine;
}

static bool place_tables(struct dpu_code *c, const struct machine_library *l,
                         const struct machine_program *p, struct diag *d) {
    struct dpu_run_limits limits = dpu_run_limits(l->target);
    struct str problem = {0};
    size_t wrong = 0;
    bool fine = dpu_runs_place_tables(&c->runs, &limits, p->text->insns, p->taken, p->text->len,
                                      &wrong, &problem);
    if (!fine)
        complain(p, (uint32_t)wrong, &problem, d);
    str_free(&problem);
    return fine;
}

struct machine_code *dpu_build(const struct machine_library *l, const struct machine_program *p,
                               struct diag *d) {
    struct dpu_code *c = xcalloc(1, sizeof *c);
    struct dpu_building b = {c, l, p, d};
    c->base.machine = l->machine;
    if (place_tables(c, l, p, d) && machine_each_run(p, add_run, &b))
        return &c->base;
    dpu_code_free(&c->base);
    return NULL;
}

void dpu_code_write(const struct machine_code *c, struct str *out) {
    dpu_runs_write(&dpu_code_of(c)->runs, out);
}

struct machine_code *dpu_code_read(const void *bytes, size_t size, const char **problem) {
    struct dpu_code *c = xcalloc(1, sizeof *c);
    c->base.machine = &dpu_machine;
    if (dpu_runs_read(bytes, size, &c->runs))
        return &c->base;
    *problem = "its code of DPUs is damaged";
    dpu_code_free(&c->base);
    return NULL;
}

/* ---- for people; load ---- */

static void print_words(const struct dpu_runs *r, const struct dpu_run_piece *piece,
                        struct str *out) {
    const struct dpu_run_image *image = &r->images.data[piece->image];
    for (uint32_t i = piece->entry; i < piece->entry + piece->words; i++) {
        struct dpu_insn insn;
        str_printf(out, "%6" PRIu32 "  %012" PRIx64 "  ", i, image->words.data[i]);
        if (dpu_decode(image->words.data[i], true, &insn))
            dpu_print(&insn, out);
        str_char(out, '\n');
    }
}

static void print_run(const struct dpu_runs *r, const struct dpu_run *run,
                      const struct isa_users *users, struct str *out) {
    const uint32_t *text = r->text.data + run->first_text;
    struct insn x;
    str_printf(out, "run of %" PRIu32 ", %s\n", run->count, run->masked ? "masked" : "unmasked");
    for (uint32_t k = 0; k < run->piece_count; k++) {
        const struct dpu_run_piece *piece = &r->pieces.data[run->first_piece + k];
        for (uint32_t i = 0; i < piece->count; i++) {
            str_append(out, "  ");
            if (isa_decode(*text++, &x) == ISA_OK)
                isa_users_format(users, &x, NULL, out);
            str_char(out, '\n');
        }
        str_printf(out,
                   "  %" PRIu32 " words in image %" PRIu32 ", blocks of %" PRIu32 " elements\n",
                   piece->words, piece->image, piece->block);
        print_words(r, piece, out);
    }
}

void dpu_code_print(const struct machine_code *c, const struct machine_library *l,
                    const struct machine_program *p, struct str *out) {
    static const struct isa_users none;
    const struct dpu_runs *r = &dpu_code_of(c)->runs;
    (void)l;
    for (size_t i = 0; i < r->runs.len; i++)
        print_run(r, &r->runs.data[i], p->users ? p->users : &none, out);
}

/* The first image, and tables; what others take is part of the launches that bring them. */
void dpu_code_load(const struct machine_code *c, struct machine_load *out) {
    const struct dpu_runs *r = &dpu_code_of(c)->runs;
    if (r->images.len)
        out->bytes = 8 * r->images.data[0].words.len;
    for (size_t i = 0; i < r->tables.len; i++)
        out->bytes += r->tables.data[i].size;
}
