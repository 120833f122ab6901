/* SPDX-License-Identifier: MIT
 * A DPU's memories, loading, figures, and what its faults say. */
#include "machines/core/dpu/run/tasklets.h"
#include "support/large.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static void set_constants(struct dpu_tasklet *t) {
    const uint32_t constants[8] = {0,     1,          UINT32_MAX, 0x80000000u,
                                   t->id, 2u * t->id, 4u * t->id, 8u * t->id};
    memcpy(t->now.x + 24, constants, sizeof constants);
}
static void free_code(struct dpu_core *core) {
    free(core->steps);
    free(core->words);
    free(core->executed);
    free(core->edges);
}
/* For so many instructions, of which none is anywhere; what is not 0 in tasklets is set. */
static void reset(struct dpu_core *core, uint32_t room) {
    core->room = room;
    core->steps = xcalloc(room + 1u, sizeof *core->steps);
    core->words = xcalloc(room + 1u, sizeof *core->words);
    core->executed = xcalloc(room + 1u, sizeof *core->executed);
    core->edges = xcalloc(room + 1u, sizeof *core->edges);
    for (uint32_t i = 0; i <= room; i++)
        core->steps[i] = (struct dpu_step){.ahead = dpu_ahead_stop, .op = DPU_OPS};
    for (uint32_t i = 0; i < DPU_TASKLETS; i++) {
        core->tasklets[i].id = (uint8_t)i;
        set_constants(&core->tasklets[i]);
    }
}
struct dpu_core *dpu_core_new(const struct dpu_time *time) {
    struct dpu_core *core = xcalloc(1, sizeof *core);
    core->time = *time;
    reset(core, 0);
    return core;
}
static void free_pages(struct dpu_core *core) {
    for (uint32_t b = 0; b < DPU_BLOCKS; b++) {
        struct dpu_mram_block *block = core->blocks[b];
        for (uint32_t i = 0; block && i < DPU_BLOCK_PAGES; i++)
            if (!block->whole || block->pages[i] != block->whole + i * DPU_PAGE_BYTES)
                free(block->pages[i]);
        if (block)
            free(block->whole);
        free(block);
        core->blocks[b] = NULL;
    }
}
void dpu_core_free(struct dpu_core *core) {
    if (core) {
        free_pages(core);
        free_code(core);
    }
    free(core);
}

/* ---- memories ---- */

bool dpu_core_wram_put(struct dpu_core *core, uint32_t at, const void *bytes, uint32_t size) {
    if (at > DPU_WRAM_BYTES || size > DPU_WRAM_BYTES - at)
        return false;
    memcpy(core->wram + at, bytes, size);
    return true;
}
bool dpu_core_wram_get(const struct dpu_core *core, uint32_t at, void *bytes, uint32_t size) {
    if (at > DPU_WRAM_BYTES || size > DPU_WRAM_BYTES - at)
        return false;
    memcpy(bytes, core->wram + at, size);
    return true;
}

static bool in_mram(uint32_t at, uint32_t size) {
    return at <= DPU_MRAM_BYTES && size <= DPU_MRAM_BYTES - at;
}
static uint32_t page_number(uint32_t at) {
    return at % DPU_BLOCK_BYTES / DPU_PAGE_BYTES;
}
/* The page of an address; NULL: nothing was written there, and it is 0. */
static uint8_t *page_at(const struct dpu_core *core, uint32_t at) {
    const struct dpu_mram_block *block = core->blocks[at / DPU_BLOCK_BYTES];
    return block ? block->pages[page_number(at)] : NULL;
}
const uint8_t *dpu_core_mram_page(const struct dpu_core *core, uint32_t at) {
    return page_at(core, at);
}
/* A page of the block, with zeros unless all of it is about to be written. */
static uint8_t *new_page(struct dpu_mram_block *block, uint32_t number, bool zeros) {
    uint8_t **page = &block->pages[number];
    if (!block->whole && block->own == DPU_FEW_PAGES)
        block->whole = xmalloc_aligned_large(DPU_BLOCK_BYTES);
    if (!block->whole) {
        block->own++;
        return *page = xcalloc(1, DPU_PAGE_BYTES);
    }
    *page = block->whole + (size_t)number * DPU_PAGE_BYTES;
    return zeros ? memset(*page, 0, DPU_PAGE_BYTES) : *page;
}
/* The page of an address, of which `size` bytes from there on are to be written; `many`: so many
 * that its block is no one with few pages. */
static uint8_t *make_page(struct dpu_core *core, uint32_t at, uint32_t size, bool many) {
    struct dpu_mram_block **block = &core->blocks[at / DPU_BLOCK_BYTES];
    if (!*block)
        *block = xcalloc(1, sizeof **block);
    if (many && !(*block)->whole)
        (*block)->whole = xmalloc_aligned_large(DPU_BLOCK_BYTES);
    return new_page(*block, page_number(at), size < DPU_PAGE_BYTES);
}
bool dpu_core_mram_put(struct dpu_core *core, uint32_t at, const void *bytes, uint32_t size) {
    if (!in_mram(at, size))
        return false;
    for (const uint8_t *from = bytes; size;) {
        uint32_t in = at % DPU_PAGE_BYTES;
        uint32_t here = size < DPU_PAGE_BYTES - in ? size : DPU_PAGE_BYTES - in;
        uint32_t room = DPU_BLOCK_BYTES - at % DPU_BLOCK_BYTES;
        bool many = (size < room ? size : room) > DPU_FEW_PAGES * DPU_PAGE_BYTES;
        uint8_t *page = page_at(core, at);
        memcpy((page ? page : make_page(core, at, here, many)) + in, from, here);
        from += here;
        at += here;
        size -= here;
    }
    return true;
}
bool dpu_core_mram_get(const struct dpu_core *core, uint32_t at, void *bytes, uint32_t size) {
    if (!in_mram(at, size))
        return false;
    for (uint8_t *to = bytes; size;) {
        uint32_t in = at % DPU_PAGE_BYTES;
        uint32_t here = size < DPU_PAGE_BYTES - in ? size : DPU_PAGE_BYTES - in;
        const uint8_t *page = page_at(core, at);
        if (page)
            memcpy(to, page + in, here);
        else
            memset(to, 0, here);
        to += here;
        at += here;
        size -= here;
    }
    return true;
}
bool dpu_core_mram_copy(struct dpu_core *core, uint32_t at, void *bytes, uint32_t size, bool put) {
    return put ? dpu_core_mram_put(core, at, bytes, size)
               : dpu_core_mram_get(core, at, bytes, size);
}
uint64_t dpu_core_mram_held(const struct dpu_core *core) {
    uint64_t bytes = 0;
    for (uint32_t at = 0; at < DPU_MRAM_BYTES; at += DPU_PAGE_BYTES)
        bytes += page_at(core, at) ? DPU_PAGE_BYTES : 0;
    return bytes;
}
uint32_t dpu_core_register(const struct dpu_core *core, uint32_t tasklet, uint32_t number) {
    return core->tasklets[tasklet].now.x[number];
}
void dpu_core_set_register(struct dpu_core *core, uint32_t tasklet, uint32_t number,
                           uint32_t value) {
    core->tasklets[tasklet].now.x[number] = value;
}

/* ---- loading ---- */

static void load_section(struct dpu_core *core, const struct dpu_section *s) {
    if (!s->bytes.len)
        return;
    if (s->space == DPU_IN_WRAM)
        dpu_core_wram_put(core, s->address, s->bytes.text, s->size);
    else if (s->space == DPU_IN_MRAM)
        dpu_core_mram_put(core, s->address - DPU_AT_MRAM, s->bytes.text, s->size);
}
/* All but MRAM, time and who watches is as in a new one, whose code has room for so many
 * instructions. */
static void clear(struct dpu_core *core, uint32_t room) {
    free_code(core);
    if (core->code) { /* it is no new one */
        struct dpu_time time = core->time;
        dpu_watcher *watcher = core->watcher;
        void *context = core->context;
        memset(core, 0, offsetof(struct dpu_core, blocks));
        core->time = time;
        core->watcher = watcher;
        core->context = context;
    }
    reset(core, room);
}
static bool has_overlays(const struct dpu_program *p) {
    struct dpu_insn insn;
    struct dpu_form form;
    for (size_t i = 0; i < p->words.len; i++) {
        if (!dpu_decode(p->words.data[i], false, &insn))
            continue;
        dpu_form_get(insn.form, &form);
        if (form.op == DPU_OP_LDMAI)
            return true;
    }
    return false;
}
void dpu_core_change(struct dpu_core *core, const struct dpu_program *p) {
    const uint32_t code = p->words.len < DPU_IRAM_WORDS ? (uint32_t)p->words.len : DPU_IRAM_WORDS;
    const bool overlays = has_overlays(p);
    clear(core, overlays ? DPU_IRAM_WORDS : code);
    core->overlays = overlays;
    core->code = code;
    for (uint32_t i = 0; i < code; i++) {
        core->words[i] = p->words.data[i];
        core->steps[i] = dpu_step_of(core->words[i]);
        if (core->steps[i].after == DPU_AFTER_JUMP && core->steps[i].pc > core->room)
            core->steps[i].ahead = dpu_ahead_stop; /* nothing is there */
    }
}
void dpu_core_change_as(struct dpu_core *core, const struct dpu_core *other) {
    clear(core, other->room);
    memcpy(core->words, other->words, other->code * sizeof *core->words);
    memcpy(core->steps, other->steps, other->code * sizeof *core->steps);
    core->overlays = other->overlays;
    core->code = other->code;
}
void dpu_core_data(struct dpu_core *core, const struct dpu_program *p) {
    for (size_t i = 0; i < p->sections.len; i++)
        load_section(core, &p->sections.data[i]);
}
void dpu_core_load(struct dpu_core *core, const struct dpu_program *p) {
    free_pages(core);
    dpu_core_change(core, p);
    dpu_core_data(core, p);
}
void dpu_core_watch(struct dpu_core *core, dpu_watcher *watcher, void *context) {
    core->watcher = watcher;
    core->context = context;
}

/* ---- figures ---- */

void dpu_core_totals(const struct dpu_core *core, struct dpu_counters *out) {
    *out = core->counted;
    out->cycles = core->clock;
    out->instructions = core->instructions;
}
void dpu_core_counters(const struct dpu_core *core, struct dpu_counters *out) {
    dpu_core_totals(core, out);
    for (uint32_t i = 0; i < core->room; i++)
        if (core->executed[i] && core->steps[i].op < DPU_OPS)
            out->classes[dpu_op_class(core->steps[i].op)] += core->executed[i];
}
uint64_t dpu_core_executed(const struct dpu_core *core, uint32_t pc) {
    return pc < core->room ? core->executed[pc] : 0;
}

/* ---- faults ---- */

const struct dpu_trouble *dpu_core_trouble(const struct dpu_core *core) {
    return &core->trouble;
}
/* The last function or label before the place. */
static const struct dpu_symbol *around(const struct dpu_program *p, uint32_t pc) {
    const struct dpu_symbol *best = NULL;
    for (size_t i = 0; p && i < p->symbols.len; i++) {
        const struct dpu_symbol *s = &p->symbols.data[i];
        if (s->space == DPU_IN_TEXT && s->value <= DPU_AT_TEXT + 8 * pc &&
            (!best || s->value > best->value))
            best = s;
    }
    return best;
}
static void say_place(const struct dpu_core *core, const struct dpu_program *p, struct str *out) {
    const struct dpu_trouble *t = &core->trouble;
    const struct dpu_symbol *s = around(p, t->pc);
    str_printf(out, "tasklet %" PRIu32 " at instruction %" PRIu32, t->tasklet, t->pc);
    if (s) {
        str_append(out, " (");
        str_visible(out, s->name);
        if (s->value != DPU_AT_TEXT + 8 * t->pc)
            str_printf(out, " + %" PRIu32, t->pc - (s->value - DPU_AT_TEXT) / 8);
        str_char(out, ')');
    }
    str_append(out, p && t->pc < p->places.len && p->places.data[t->pc].line ? ", " : "");
    dpu_program_line(p, t->pc, out);
    struct dpu_insn insn;
    if (t->pc < core->room && core->steps[t->pc].op < DPU_OPS &&
        dpu_decode(core->words[t->pc], true, &insn)) {
        str_append(out, ", '");
        dpu_print(&insn, out);
        str_char(out, '\'');
    }
    str_append(out, ": ");
}
void dpu_core_explain(const struct dpu_core *core, const struct dpu_program *p, struct str *out) {
    const struct dpu_trouble *t = &core->trouble;
    if (t->fault == DPU_FINE)
        return;
    say_place(core, p, out);
    switch (t->fault) {
    case DPU_FAULT_ADDRESS:
        str_printf(out, "%" PRIu32 " byte%s at 0x%" PRIx32 " lie beyond WRAM", t->bytes,
                   t->bytes > 1 ? "s" : "", t->address);
        break;
    case DPU_FAULT_ALIGNMENT:
        str_printf(out, "0x%" PRIx32 " is no multiple of %" PRIu32, t->address, t->bytes);
        break;
    case DPU_FAULT_DMA_WRAM:
    case DPU_FAULT_DMA_IRAM:
    case DPU_FAULT_DMA_MRAM:
        str_printf(out, "a transfer of %" PRIu32 " bytes at 0x%" PRIx32 " goes beyond %s", t->bytes,
                   t->address,
                   t->fault == DPU_FAULT_DMA_WRAM   ? "WRAM"
                   : t->fault == DPU_FAULT_DMA_IRAM ? "IRAM"
                                                    : "MRAM");
        break;
    case DPU_FAULT_PC:
        str_append(out, "there is no instruction");
        break;
    case DPU_FAULT_UNKNOWN:
        str_append(out, "what this instruction does is not published");
        break;
    case DPU_FAULT_TASKLET:
        str_printf(out, "there is no tasklet %" PRIu32, t->address);
        break;
    case DPU_FAULT_PROGRAM:
        str_printf(out, "the program reports fault %" PRId32, (int32_t)t->address);
        break;
    case DPU_FAULT_BREAKPOINT:
        str_append(out, "a breakpoint");
        break;
    case DPU_FAULT_WATCHDOG:
        str_printf(out, "still running after %" PRIu64 " instructions", core->instructions);
        break;
    default:
        str_append(
            out, "waits to be resumed, and all tasklets have stopped ('end: stop true, end' is the "
                 "end)");
        break;
    }
}
