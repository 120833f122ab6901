/* SPDX-License-Identifier: MIT
 * What DPUs hold between launches, in snapshots: of each its program, WRAM of that and of others
 * that it has had, and the pages of MRAM that are not 0. */
#include "machines/core/dpu/run/dpu_machine.h"
#include "machines/core/dpu/run/tasklets.h"

#include <string.h>

struct unit_head {
    uint32_t unit, program, asides, pages;
};
struct block_tail {
    uint64_t bytes, units; /* of the block without its tail */
};

/* WRAM of runs' images is of no use between runs. */
static uint32_t kept_program(const struct dpu_units *u, uint32_t program) {
    return program && !u->programs.data[program - 1]->runs ? program : 0;
}
static uint32_t pages_of(const struct dpu_core *core) {
    return (uint32_t)(dpu_core_mram_held(core) / DPU_PAGE_BYTES);
}
static void save_wram(const struct dpu_core *core, struct str *state) {
    dpu_core_wram_get(core, 0, str_extend(state, DPU_WRAM_BYTES), DPU_WRAM_BYTES);
}
static void save_unit(const struct dpu_units *u, uint32_t number, struct str *state) {
    const struct dpu_unit *unit = &u->list[number];
    const struct unit_head head = {number, kept_program(u, unit->program),
                                   (uint32_t)unit->asides.len, pages_of(unit->core)};
    str_append_n(state, (const char *)&head, sizeof head);
    if (head.program)
        save_wram(unit->core, state);
    for (size_t i = 0; i < unit->asides.len; i++) {
        const struct dpu_aside *a = &unit->asides.data[i];
        str_append_n(state, (const char *)&a->program, sizeof a->program);
        str_append_n(state, (const char *)a->wram, DPU_WRAM_BYTES);
    }
    for (uint32_t at = 0; at < DPU_MRAM_BYTES; at += DPU_PAGE_BYTES) {
        const uint8_t *page = dpu_core_mram_page(unit->core, at);
        if (!page)
            continue;
        str_append_n(state, (const char *)&at, sizeof at);
        str_append_n(state, (const char *)page, DPU_PAGE_BYTES);
    }
}
void dpu_memories_save(const struct dpu_units *u, struct str *state) {
    const size_t begin = state->len;
    struct block_tail tail = {0};
    for (uint32_t i = 0; i < u->count; i++)
        if (u->list[i].core) {
            save_unit(u, i, state);
            tail.units++;
        }
    tail.bytes = state->len - begin;
    str_append_n(state, (const char *)&tail, sizeof tail);
}

/* ---- back ---- */

static bool take(const char **at, const char *end, void *out, size_t bytes) {
    if ((size_t)(end - *at) < bytes)
        return false;
    memcpy(out, *at, bytes);
    *at += bytes;
    return true;
}
static bool is_program(const struct dpu_units *u, uint32_t program) {
    return program && program <= u->programs.len && u->programs.data[program - 1]->decl &&
           !u->programs.data[program - 1]->runs;
}
static bool take_aside(const struct dpu_units *u, struct dpu_unit *unit, const char **at,
                       const char *end) {
    struct dpu_aside a;
    if (!take(at, end, &a.program, sizeof a.program) || !is_program(u, a.program))
        return false;
    a.wram = xmalloc(DPU_WRAM_BYTES);
    vec_push(&unit->asides, a);
    return take(at, end, a.wram, DPU_WRAM_BYTES);
}
static bool take_page(struct dpu_core *core, const char **at, const char *end) {
    uint32_t address;
    if (!take(at, end, &address, sizeof address) || end - *at < (ptrdiff_t)DPU_PAGE_BYTES ||
        !dpu_core_mram_put(core, address, *at, DPU_PAGE_BYTES))
        return false;
    *at += DPU_PAGE_BYTES;
    return true;
}
static bool take_unit(struct dpu_units *u, const char **at, const char *end) {
    static const uint8_t zeros[DPU_WRAM_BYTES];
    struct unit_head head;
    if (!take(at, end, &head, sizeof head) || head.unit >= u->count ||
        (head.program && !is_program(u, head.program)))
        return false;
    struct dpu_core *core = dpu_units_with(u, head.unit, head.program);
    if (head.program && end - *at < (ptrdiff_t)DPU_WRAM_BYTES)
        return false;
    dpu_core_wram_put(core, 0, head.program ? (const void *)*at : zeros, DPU_WRAM_BYTES);
    *at += head.program ? DPU_WRAM_BYTES : 0;
    bool fine = true;
    for (uint32_t i = 0; fine && i < head.asides; i++)
        fine = take_aside(u, &u->list[head.unit], at, end);
    for (uint32_t i = 0; fine && i < head.pages; i++)
        fine = take_page(core, at, end);
    return fine;
}
bool dpu_memories_restore(struct dpu_units *u, struct str *state) {
    struct block_tail tail;
    if (state->len < sizeof tail)
        return false;
    const size_t last = state->len - sizeof tail;
    memcpy(&tail, state->text + last, sizeof tail);
    if (tail.bytes > last || tail.units > u->count)
        return false;
    for (uint32_t i = 0; i < u->count; i++)
        dpu_unit_reset(&u->list[i]);
    const char *at = state->text + (last - tail.bytes), *end = state->text + last;
    bool fine = true;
    for (uint64_t i = 0; fine && i < tail.units; i++)
        fine = take_unit(u, &at, end);
    state->len = last - (size_t)tail.bytes;
    state->text[state->len] = '\0';
    return fine && at == end;
}
