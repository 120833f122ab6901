/* SPDX-License-Identifier: MIT
 * DPUs that come to be when they are used, their programs, and memory by address. */
#include "machines/core/dpu/run/dpu_machine.h"
#include "machines/core/dpu/link/dpu_link.h"

#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void dpu_units_open(struct stored_dp *m) {
    const struct dpu_keys *k = dpu_keys(stored_target(m));
    struct dpu_units *u = xcalloc(1, sizeof *u);
    u->time = (struct dpu_time){k->interval,   k->busy_milli,  k->busy_byte_milli,
                                k->read_milli, k->write_milli, k->byte_milli};
    u->count = m->state.vrfs;
    u->run_tasklets = dpu_run_limits(stored_target(m)).tasklets;
    u->list = xcalloc((size_t)u->count + 1, sizeof *u->list);
    m->own = u;
}

static void free_program(struct dpu_loaded *p) {
    dpu_program_free(p->program);
    dpu_core_free(p->model);
    dpu_kernel_free(&p->kernel);
    free(p->code);
    *p = (struct dpu_loaded){.decl = NULL};
}

void dpu_unit_reset(struct dpu_unit *unit) {
    for (size_t i = 0; i < unit->asides.len; i++)
        free(unit->asides.data[i].wram);
    vec_free(&unit->asides);
    dpu_core_free(unit->core);
    *unit = (struct dpu_unit){.core = NULL};
}

void dpu_units_close(struct stored_dp *m) {
    struct dpu_units *u = dpu_units_of(m);
    if (!u)
        return;
    for (uint32_t i = 0; i < u->count; i++)
        dpu_unit_reset(&u->list[i]);
    for (size_t i = 0; i < u->programs.len; i++) {
        free_program(u->programs.data[i]);
        free(u->programs.data[i]);
    }
    vec_free(&u->programs);
    vec_free(&u->blocks);
    free(u->list);
    free(u);
    m->own = NULL;
}

/* ---- programs ---- */

static bool is(const struct dpu_loaded *p, const struct dp_program *program) {
    return p->decl == program->decl && p->size == program->size &&
           memcmp(p->code, program->code, p->size) == 0;
}

static bool read_program(const struct dp_program *program, struct dpu_loaded *out) {
    struct diag *quiet = diag_new(NULL, NULL);
    out->size = program->size;
    out->code = memcpy(xmalloc(program->size + 1), program->code, program->size);
    if (dpu_kernel_read(out->code, out->size, &out->kernel))
        out->program = dpu_program_read("", out->kernel.file, out->kernel.size, quiet);
    diag_free(quiet);
    out->decl = program->decl;
    return out->program != NULL;
}

static struct dpu_core *model_of(const struct dpu_units *u, const struct dpu_program *p) {
    struct dpu_core *core = dpu_core_new(&u->time);
    dpu_core_change(core, p);
    return core;
}

/* A number that is free, or one more. */
static uint32_t new_number(struct dpu_units *u) {
    for (uint32_t i = 0; i < u->programs.len; i++)
        if (!u->programs.data[i]->decl)
            return i;
    vec_push(&u->programs, xcalloc(1, sizeof(struct dpu_loaded)));
    return (uint32_t)u->programs.len - 1;
}

uint32_t dpu_units_program(struct stored_dp *m, const struct dp_program *program, struct diag *d) {
    struct dpu_units *u = dpu_units_of(m);
    for (uint32_t i = 0; i < u->programs.len; i++)
        if (u->programs.data[i]->decl && is(u->programs.data[i], program))
            return i + 1;
    uint32_t number = new_number(u);
    struct dpu_loaded *loaded = u->programs.data[number];
    if (number + 1 < UINT32_C(1) << 15 && read_program(program, loaded)) {
        loaded->model = model_of(u, loaded->program);
        return number + 1;
    }
    free_program(loaded);
    diag_error(d, NO_SPAN, "this is no kernel of a DPU");
    return 0;
}

uint32_t dpu_units_image(struct dpu_units *u, const struct dpu_run_image *image) {
    const void *decl = image->words.data;
    for (uint32_t i = 0; i < u->programs.len; i++)
        if (u->programs.data[i]->runs && u->programs.data[i]->decl == decl)
            return i + 1;
    uint32_t number = new_number(u);
    struct dpu_loaded *p = u->programs.data[number];
    p->decl = decl;
    p->runs = true;
    p->program = xcalloc(1, sizeof *p->program);
    for (size_t i = 0; i < image->words.len; i++)
        vec_push(&p->program->words, image->words.data[i]);
    p->model = model_of(u, p->program);
    return number + 1;
}

/* WRAM that a unit keeps for a program that it does not have at the moment; NULL. */
static struct dpu_aside *aside(struct dpu_unit *unit, uint32_t program) {
    for (size_t i = 0; i < unit->asides.len; i++)
        if (unit->asides.data[i].program == program)
            return &unit->asides.data[i];
    return NULL;
}

void dpu_forget_kernel(struct datapath *dp, const struct kernel_decl *decl) {
    struct dpu_units *u = dpu_units_of(stored_of(dp));
    for (uint32_t i = 0; i < u->programs.len; i++) {
        if (u->programs.data[i]->decl != decl)
            continue;
        free_program(u->programs.data[i]);
        for (uint32_t n = 0; n < u->count; n++) {
            struct dpu_unit *unit = &u->list[n];
            struct dpu_aside *a = aside(unit, i + 1);
            unit->program = unit->program == i + 1 ? 0 : unit->program;
            if (!a)
                continue;
            free(a->wram);
            *a = vec_last(&unit->asides);
            unit->asides.len--;
        }
    }
}

/* ---- units ---- */

static void keep_wram(struct dpu_unit *unit) {
    struct dpu_aside a = {unit->program, xmalloc(DPU_WRAM_BYTES)};
    dpu_core_wram_get(unit->core, 0, a.wram, DPU_WRAM_BYTES);
    vec_push(&unit->asides, a);
}

struct dpu_core *dpu_units_with(struct dpu_units *u, uint32_t number, uint32_t program) {
    struct dpu_unit *unit = &u->list[number];
    if (!unit->core)
        unit->core = dpu_core_new(&u->time);
    if (!program || unit->program == program)
        return unit->core;
    if (unit->program && !u->programs.data[unit->program - 1]->runs)
        keep_wram(unit);
    const struct dpu_program *p = u->programs.data[program - 1]->program;
    const struct dpu_core *model = u->programs.data[program - 1]->model;
    struct dpu_aside *a = aside(unit, program);
    dpu_core_change_as(unit->core, model);
    if (a) {
        dpu_core_wram_put(unit->core, 0, a->wram, DPU_WRAM_BYTES);
        free(a->wram);
        *a = vec_last(&unit->asides);
        unit->asides.len--;
    } else {
        dpu_core_data(unit->core, p);
    }
    unit->program = program;
    return unit->core;
}

/* ---- buffers: blocks of MRAM, the same in each unit ---- */

/* The highest place that is free, below all of those before `*index`. */
static bool find_place(const struct dpu_units *u, uint64_t top, uint64_t bytes, size_t *index,
                       uint64_t *at) {
    for (*index = 0;; ++*index) {
        uint64_t below = *index < u->blocks.len
                             ? (uint64_t)u->blocks.data[*index].at + u->blocks.data[*index].bytes
                             : DPU_AT_MRAM;
        if (top - below >= bytes) {
            *at = top - bytes;
            return true;
        }
        if (*index == u->blocks.len)
            return false;
        top = u->blocks.data[*index].at;
    }
}

bool dpu_mem_alloc_slices(struct datapath *dp, uint64_t bytes, uint32_t units, uint64_t *address,
                          uint64_t *stride, struct diag *d) {
    struct stored_dp *m = stored_of(dp);
    struct dpu_units *u = dpu_units_of(m);
    const uint64_t top = DPU_AT_MRAM + dpu_keys(stored_target(m))->stored.buffer_bytes;
    uint64_t at, room = bytes ? (bytes + 7) / 8 * 8 : 8;
    size_t index;
    (void)units;
    if (bytes > DPU_MRAM_BYTES || !find_place(u, top, room, &index, &at)) {
        diag_error(d, NO_SPAN, "no MRAM for %" PRIu64 " bytes in each DPU", bytes);
        return false;
    }
    vec_push(&u->blocks, ((struct dpu_block){0, 0}));
    memmove(&u->blocks.data[index + 1], &u->blocks.data[index],
            (u->blocks.len - 1 - index) * sizeof *u->blocks.data);
    u->blocks.data[index] = (struct dpu_block){(uint32_t)at, (uint32_t)room};
    *address = at;
    *stride = UINT64_C(1) << DPU_UNIT_BIT;
    return true;
}

bool dpu_mem_alloc(struct datapath *dp, uint64_t bytes, uint64_t *address, struct diag *d) {
    (void)dp, (void)bytes, (void)address;
    diag_error(d, NO_SPAN,
               "DPUs have no memory in common: a buffer is a kernel's, or lies in each");
    return false;
}

bool dpu_mem_own(struct datapath *dp, const struct dp_program *program, uint64_t at, uint64_t bytes,
                 uint32_t units, uint64_t *address, uint64_t *stride, struct diag *d) {
    uint64_t begin = at < DPU_AT_MRAM ? 0 : DPU_AT_MRAM,
             size = at < DPU_AT_MRAM ? DPU_WRAM_BYTES : DPU_MRAM_BYTES;
    uint32_t number = dpu_units_program(stored_of(dp), program, d);
    (void)units;
    if (!number)
        return false;
    if (at - begin > size || bytes > size - (at - begin)) {
        diag_error(d, NO_SPAN, "a DPU has no %" PRIu64 " bytes at 0x%" PRIx64, bytes, at);
        return false;
    }
    if (begin && (at % 8 || bytes % 8)) {
        diag_error(d, NO_SPAN,
                   "%" PRIu64 " bytes at 0x%" PRIx64 " of each DPU: of MRAM come multiples of 8",
                   bytes, at);
        return false;
    }
    *address = (uint64_t)number << DPU_PROGRAM_BIT | at;
    *stride = UINT64_C(1) << DPU_UNIT_BIT;
    return true;
}

bool dpu_mem_free(struct datapath *dp, uint64_t address, struct diag *d) {
    struct dpu_units *u = dpu_units_of(stored_of(dp));
    if (address >> DPU_PROGRAM_BIT)
        return true;
    for (size_t i = 0; i < u->blocks.len; i++) {
        if (u->blocks.data[i].at != address)
            continue;
        memmove(&u->blocks.data[i], &u->blocks.data[i + 1],
                (u->blocks.len - 1 - i) * sizeof *u->blocks.data);
        u->blocks.len--;
        return true;
    }
    diag_error(d, NO_SPAN, "no buffer begins at 0x%" PRIx64, address);
    return false;
}

/* ---- putting and getting ---- */

/* The memory of an address: its unit, its program, where it is in WRAM or MRAM. */
struct dpu_address {
    struct dpu_unit *unit;
    uint32_t number, program, at;
    bool mram;
};

static bool find(struct dpu_units *u, uint64_t address, uint64_t size, struct dpu_address *out,
                 struct diag *d) {
    uint32_t at = (uint32_t)address;
    *out =
        (struct dpu_address){.number = (uint32_t)(address >> DPU_UNIT_BIT) & (DPU_MOST_UNITS - 1),
                             .program = (uint32_t)(address >> DPU_PROGRAM_BIT),
                             .mram = at >= DPU_AT_MRAM};
    out->at = at - (out->mram ? DPU_AT_MRAM : 0);
    uint64_t there = out->mram ? DPU_MRAM_BYTES : DPU_WRAM_BYTES;
    bool known = out->program <= u->programs.len &&
                 (out->program ? u->programs.data[out->program - 1]->decl != NULL : out->mram);
    if (out->number < u->count && known && out->at <= there && size <= there - out->at) {
        out->unit = &u->list[out->number];
        return true;
    }
    diag_error(d, NO_SPAN, "no buffer has %" PRIu64 " bytes at 0x%" PRIx64, size, address);
    return false;
}

/* Of a program that the unit does not have, while it has another: its WRAM beside; else NULL, and
 * the DPU has it. */
static uint8_t *beside(struct dpu_units *u, const struct dpu_address *s) {
    if (!s->program || s->unit->program == s->program)
        return NULL;
    struct dpu_aside *a = s->unit->program ? aside(s->unit, s->program) : NULL;
    if (!a)
        dpu_units_with(u, s->number, s->program);
    return a && !s->mram ? a->wram + s->at : NULL;
}

bool dpu_mem_put(struct datapath *dp, uint64_t address, const void *bytes, uint64_t size,
                 struct diag *d) {
    struct dpu_units *u = dpu_units_of(stored_of(dp));
    struct dpu_address s;
    if (!find(u, address, size, &s, d))
        return false;
    uint8_t *to = beside(u, &s);
    struct dpu_core *core = dpu_units_with(u, s.number, 0);
    if (to)
        memcpy(to, bytes, (size_t)size);
    else if (s.mram)
        dpu_core_mram_put(core, s.at, bytes, (uint32_t)size);
    else
        dpu_core_wram_put(core, s.at, bytes, (uint32_t)size);
    return true;
}

bool dpu_mem_get(struct datapath *dp, uint64_t address, void *bytes, uint64_t size,
                 struct diag *d) {
    struct dpu_units *u = dpu_units_of(stored_of(dp));
    struct dpu_address s;
    if (!find(u, address, size, &s, d))
        return false;
    const uint8_t *from = beside(u, &s);
    const struct dpu_core *core = dpu_units_with(u, s.number, 0);
    if (from)
        memcpy(bytes, from, (size_t)size);
    else if (s.mram)
        dpu_core_mram_get(core, s.at, bytes, (uint32_t)size);
    else
        dpu_core_wram_get(core, s.at, bytes, (uint32_t)size);
    return true;
}
