/* SPDX-License-Identifier: MIT
 * Loads, stores, atomics: addresses of all spaces, lane 0 to lane 31.
 *
 * Where all lanes reach one array, its bounds are looked at once; else each lane is looked at by
 * itself, and the first that is wrong stops the kernel. */
#include "machines/core/simt/run/core.h"
#include "ptx/program.h"

#include "support/bits.h"

#include <inttypes.h>
#include <string.h>

struct access {
    struct simt_run *run;
    struct simt_warp *w;
    const struct simt_step *s;
    uint32_t mask;
    bool writes;
    unsigned bytes, size;         /* of an element; of all */
    bool whole;                   /* all 32 lanes are at work, each behind the one before */
    uint64_t address[SIMT_LANES]; /* as the instruction gives them */
    bool together;                /* base: where bytes of address 0 would be, for all lanes; */
    uintptr_t base;
    unsigned char *place[SIMT_LANES]; /* else those of each */
};

static unsigned char *by_base(const struct access *x, unsigned lane) {
    return (unsigned char *)(x->base + (uintptr_t)x->address[lane]);
}
static unsigned char *place_of(const struct access *x, unsigned lane) {
    return x->together ? by_base(x, lane) : x->place[lane];
}

/* ---- where an address is ---- */

static bool wrong(struct access *x, unsigned lane, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool wrong(struct access *x, unsigned lane, const char *format, ...) {
    struct str what = {0};
    va_list args;
    va_start(args, format);
    str_vprintf(&what, format, args);
    va_end(args);
    simt_fault(x->run, x->w, lane, simt_step_of(x->run, x->s), "%s", str_text(&what));
    str_free(&what);
    return false;
}

static bool beyond(struct access *x, unsigned lane, uint64_t address, const char *where) {
    return wrong(x, lane, "%u bytes at 0x%" PRIx64 " %s", x->size, address, where);
}

static bool lies_within(const struct access *x, uint64_t address, uint64_t room) {
    return address <= room && x->size <= room - address;
}

static bool in_param(struct access *x, unsigned lane, uint64_t address) {
    const struct simt_kernel *k = x->run->program->kernel;
    const uint32_t thread = x->w->number * SIMT_LANES + lane;
    if (!lies_within(x, address, k->param_bytes))
        return beyond(x, lane, address, "lie beyond the parameters");
    if (address >= k->parameter_bytes) {
        x->place[lane] = x->run->own + thread * x->run->own_bytes + (address - k->parameter_bytes);
        return true;
    }
    if (x->writes)
        return wrong(x, lane, "a kernel's parameters are only read");
    if (address + x->size > k->parameter_bytes)
        return beyond(x, lane, address, "lie beyond the parameters");
    x->place[lane] = (unsigned char *)(uintptr_t)x->run->launch->parameters + address;
    return true;
}

static bool in_memory(struct access *x, unsigned lane, uint64_t address) {
    x->place[lane] = state_memory_at(x->run->memory, address, x->size);
    return x->place[lane] || beyond(x, lane, address, "lie in no buffer");
}

static bool in_space(struct access *x, unsigned lane, enum ptx_space space, uint64_t address) {
    struct simt_run *run = x->run;
    const uint32_t local = run->program->kernel->local_bytes;
    if (address % x->size)
        return wrong(x, lane, "0x%" PRIx64 " is no multiple of %u bytes", address, x->size);
    switch (space) {
    case PTX_SHARED:
        x->place[lane] = run->shared + address;
        return lies_within(x, address, run->shared_bytes) ||
               beyond(x, lane, address, "lie beyond the block's shared memory");
    case PTX_LOCAL:
        x->place[lane] =
            run->local + (uint64_t)(x->w->number * SIMT_LANES + lane) * local + address;
        return lies_within(x, address, local) ||
               beyond(x, lane, address, "lie beyond the thread's local memory");
    case PTX_PARAM:
        return in_param(x, lane, address);
    case PTX_CONST:
        if (x->writes)
            return wrong(x, lane, "constants are only read");
        return in_memory(x, lane, address);
    default:
        return in_memory(x, lane, address);
    }
}

static bool each_lane(struct access *x) {
    const enum ptx_space said = (enum ptx_space)x->s->insn->m.space;
    x->together = false;
    for (uint32_t rest = x->mask; rest; rest &= rest - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(rest);
        uint64_t address = x->address[lane];
        enum ptx_space space = said == PTX_GENERIC ? ptx_space_of(&address) : said;
        if (!in_space(x, lane, space, address))
            return false;
    }
    return true;
}

/* All lanes lie within so many bytes from an address on. */
static bool all_within(const struct access *x, uint64_t first, uint64_t room) {
    const uint64_t all = (uint64_t)SIMT_LANES * x->size;
    if (x->whole)
        return room >= all && x->address[0] - first <= room - all &&
               !(x->address[0] & (x->size - 1));
    return room >= x->size &&
           !x->run->program->rows->outside(x->address, first, room - x->size, x->size - 1, x->mask);
}

static bool find_array(struct access *x) {
    x->run->last = state_memory_before(x->run->memory, x->address[__builtin_ctz(x->mask)]);
    return x->run->last && x->run->last->slices == 1;
}

static bool in_one_array(struct access *x) {
    const struct state_array *a = x->run->last;
    const uint64_t first = x->address[__builtin_ctz(x->mask)];
    if ((!a || first - a->address >= a->size || !all_within(x, a->address, a->size)) &&
        (!find_array(x) || !all_within(x, x->run->last->address, x->run->last->size)))
        return false;
    x->base = (uintptr_t)x->run->last->bytes - (uintptr_t)x->run->last->address;
    return true;
}

/* The mask is not empty. */
static bool find(struct access *x) {
    const struct simt_insn *insn = x->s->insn;
    const bool wide =
        x->s->source[0].base == SIMT_FROM_CONSTANTS || insn->source_kind[0] == SIMT_OPERAND_PAIR;
    x->bytes = ptx_type_bytes((enum ptx_type)insn->m.type[0]);
    x->size = x->bytes * (insn->m.vector ? insn->m.vector : 1);
    x->run->program->rows->address(x->address, simt_row_at(x->w, x->s->source[0]), wide,
                                   (uint64_t)(int64_t)insn->offset, low_bits(insn->address_bits));
    x->whole = x->mask == UINT32_MAX && x->address[1] - x->address[0] == x->size &&
               x->run->program->rows->in_a_row(x->address, x->size);
    x->together = true;
    switch (insn->m.space) {
    case PTX_SHARED:
        x->base = (uintptr_t)x->run->shared;
        return all_within(x, 0, x->run->shared_bytes) || each_lane(x);
    case PTX_GLOBAL:
    case PTX_GENERIC:
        return in_one_array(x) || each_lane(x);
    case PTX_CONST:
        return (!x->writes && in_one_array(x)) || each_lane(x);
    default:
        return each_lane(x);
    }
}

/* ---- what it reaches, for its time ---- */

static void record(const struct access *x) {
    const struct simt_insn *insn = x->s->insn;
    const struct simt_reached reached = {.warp = x->w->number,
                                         .mask = x->mask,
                                         .size = x->size,
                                         .atomic = insn->op == SIMT_ATOM,
                                         .in_line = x->whole,
                                         .together = x->together,
                                         .address = x->address};
    uint64_t address = x->address[__builtin_ctz(x->mask)];
    enum ptx_space space = (enum ptx_space)insn->m.space;
    if (space == PTX_GENERIC)
        space = ptx_space_of(&address);
    if (space == PTX_SHARED)
        simt_trace_shared(x->run->trace, &reached);
    else if (space == PTX_LOCAL)
        simt_trace_local(x->run->trace, &reached);
    else if (space != PTX_PARAM && space != PTX_CONST)
        simt_trace_global(x->run->trace, &reached, x->run->memory, x->run->last);
    else if (insn->source_kind[0] != SIMT_OPERAND_NUMBER && insn->source[0] != SIMT_RZ)
        simt_trace_const(x->run->trace, &reached);
}

/* ---- elements ---- */

static uint64_t get(const unsigned char *from, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

static void put(struct simt_run *run, unsigned char *to, uint64_t value, unsigned bytes) {
    if (run->watched && get(to, bytes) != (value & low_bits(8 * bytes)))
        run->changed = run->touched = true;
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

static void *register_row(const struct access *x, uint8_t kind, uint8_t number) {
    const bool pair = kind == SIMT_OPERAND_PAIR;
    return x->w->base[pair ? SIMT_FROM_PAIRS : SIMT_FROM_UNITS] + number * SIMT_ROW_BYTES;
}

/* Whether register operand is a row of elements of `bytes` bytes. */
static bool is_plain(enum simt_operand kind, uint8_t number, unsigned bytes) {
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && number != SIMT_RZ &&
           ((kind == SIMT_OPERAND_UNIT && bytes == 4) || (kind == SIMT_OPERAND_PAIR && bytes == 8));
}

#define EACH(lane)                                                                                 \
    for (uint32_t rest = x->mask, lane; rest && (lane = (uint32_t)__builtin_ctz(rest), true);      \
         rest &= rest - 1)

/* Elements as wide as the register: a copy, or lane by lane. */
static void load_plain(struct access *x, unsigned part) {
    const unsigned bytes = x->bytes, at = part * bytes;
    const struct simt_insn *insn = x->s->insn;
    unsigned char *to = register_row(x, insn->result_kind[part], insn->result[part]);
    if (x->size == bytes && x->together && x->whole) {
        memcpy(to, by_base(x, 0), (size_t)SIMT_LANES * bytes);
    } else if (bytes == 4 && x->together && x->mask == UINT32_MAX) {
        for (unsigned lane = 0; lane < SIMT_LANES; lane++)
            memcpy(to + lane * 4, by_base(x, lane) + at, 4);
    } else if (bytes == 4) {
        EACH(lane)
        memcpy(to + lane * 4, place_of(x, lane) + at, 4);
    } else {
        EACH(lane)
        memcpy(to + lane * 8, place_of(x, lane) + at, 8);
    }
}

static void load_part(struct access *x, unsigned part) {
    const struct simt_insn *insn = x->s->insn;
    if (is_plain((enum simt_operand)insn->result_kind[part], insn->result[part], x->bytes)) {
        load_plain(x, part);
        return;
    }
    EACH(lane)
    simt_put_typed(x->w, insn, part, lane, (enum ptx_type)insn->m.type[0],
                   get(place_of(x, lane) + part * x->bytes, x->bytes));
}

bool simt_load(struct simt_run *run, struct simt_warp *w, const struct simt_step *s,
               uint32_t mask) {
    struct access x;
    x.run = run;
    x.w = w;
    x.s = s;
    x.mask = mask;
    x.writes = false;
    if (!find(&x))
        return false;
    if (run->trace)
        record(&x);
    /* The address may lie where a part goes to; it is known by now. */
    for (unsigned i = 0; i < s->insn->result_count; i++)
        load_part(&x, i);
    return true;
}

static void store_plain(struct access *x, unsigned part) {
    const unsigned bytes = x->bytes, at = part * bytes;
    const struct simt_insn *insn = x->s->insn;
    const unsigned char *from =
        register_row(x, insn->source_kind[1 + part], insn->source[1 + part]);
    if (x->size == bytes && x->together && x->whole) {
        memcpy(by_base(x, 0), from, (size_t)SIMT_LANES * bytes);
    } else if (bytes == 4) {
        EACH(lane)
        memcpy(place_of(x, lane) + at, from + lane * 4, 4);
    } else {
        EACH(lane)
        memcpy(place_of(x, lane) + at, from + lane * 8, 8);
    }
}

static void store_part(struct access *x, unsigned part) {
    const struct simt_insn *insn = x->s->insn;
    if (!x->run->watched && is_plain((enum simt_operand)insn->source_kind[1 + part],
                                     insn->source[1 + part], x->bytes)) {
        store_plain(x, part);
        return;
    }
    EACH(lane)
    put(x->run, place_of(x, lane) + part * x->bytes, simt_value(x->run, x->w, insn, 1 + part, lane),
        x->bytes);
}

/* A vector's parts are stored lane by lane, so that lanes that meet leave all of the last one's. */
static void store_lanes(struct access *x) {
    const struct simt_insn *insn = x->s->insn;
    EACH(lane)
    for (unsigned i = 1; i < insn->source_count; i++)
        put(x->run, place_of(x, lane) + (i - 1) * x->bytes, simt_value(x->run, x->w, insn, i, lane),
            x->bytes);
}

bool simt_store(struct simt_run *run, struct simt_warp *w, const struct simt_step *s,
                uint32_t mask) {
    struct access x;
    x.run = run;
    x.w = w;
    x.s = s;
    x.mask = mask;
    x.writes = true;
    if (!find(&x))
        return false;
    if (run->trace)
        record(&x);
    if (s->insn->source_count == 2)
        store_part(&x, 0);
    else
        store_lanes(&x);
    return true;
}

/* ---- atomics ---- */

static bool no_atomics(enum ptx_space space) {
    return space == PTX_LOCAL || space == PTX_PARAM || space == PTX_CONST;
}

static bool reaches_memory(struct access *x) {
    const enum ptx_space said = (enum ptx_space)x->s->insn->m.space;
    EACH(lane) {
        uint64_t address = x->address[lane];
        if (no_atomics(said == PTX_GENERIC ? ptx_space_of(&address) : said))
            return wrong(x, lane, "atomics are of global and shared memory");
    }
    return true;
}

bool simt_atomic(struct simt_run *run, struct simt_warp *w, const struct simt_step *s,
                 uint32_t mask) {
    const struct simt_insn *insn = s->insn;
    const enum ptx_type type = (enum ptx_type)insn->m.type[0];
    struct access access = {.run = run, .w = w, .s = s, .mask = mask, .writes = true}, *x = &access;
    if (!find(x) || !reaches_memory(x))
        return false;
    if (run->trace)
        record(x);
    const bool adds = insn->m.operation == PTX_ADD_OP && (type == PTX_U32 || type == PTX_S32);
    EACH(lane) {
        unsigned char *place = place_of(x, lane);
        uint64_t old = get(place, x->bytes), b = simt_value(run, w, insn, 1, lane);
        uint64_t c = insn->source_count > 2 ? simt_value(run, w, insn, 2, lane) : 0;
        uint64_t value = adds ? (old + b) & UINT32_MAX
                              : ptx_atomic((enum ptx_operation)insn->m.operation, type, old, b, c);
        put(run, place, value, x->bytes);
        if (insn->result_count)
            simt_put(w, insn, 0, lane, old);
    }
    return true;
}
