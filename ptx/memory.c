/* SPDX-License-Identifier: MIT
 * Loads, stores, atomics: addresses of all spaces. */
#include "ptx/alu.h"
#include "ptx/run.h"

#include "support/bits.h"

#include <inttypes.h>
#include <string.h>

static uint64_t address_of(const struct ptx_run *run, uint32_t thread, const struct ptx_step *s) {
    uint64_t base = ptx_source_value(run, thread, &s->source[0]);
    return (base + s->added) & low_bits(s->address_bits);
}

static bool lies_beyond(struct ptx_run *run, uint32_t thread, const struct ptx_step *s,
                        uint64_t address, uint64_t size, const char *where) {
    return ptx_fault(run, thread, s, "%" PRIu64 " bytes at 0x%" PRIx64 " %s", size, address, where);
}

unsigned char *ptx_param(struct ptx_run *run, uint32_t thread, const struct ptx_step *s,
                         uint64_t address, uint64_t size, bool writes) {
    uint64_t own = run->program->parameter_bytes;
    if (address > run->program->param_bytes || size > run->program->param_bytes - address)
        return lies_beyond(run, thread, s, address, size, "lie beyond the parameters"), NULL;
    if (address >= own)
        return run->thread[thread].param + (address - own);
    if (writes)
        return ptx_fault(run, thread, s, "a kernel's parameters are only read"), NULL;
    if (address + size > own)
        return lies_beyond(run, thread, s, address, size, "lie beyond the parameters"), NULL;
    return (unsigned char *)(uintptr_t)run->launch->parameters + address;
}

static unsigned char *within(struct ptx_run *run, uint32_t thread, const struct ptx_step *s,
                             unsigned char *bytes, uint64_t room, uint64_t address, uint64_t size,
                             const char *where) {
    if (address <= room && size <= room - address)
        return bytes + address;
    lies_beyond(run, thread, s, address, size, where);
    return NULL;
}

/* Shared memory hands on that what it holds depends on the order of threads. */
static void settle(struct ptx_run *run, uint32_t thread, uint64_t address, uint64_t size,
                   uint32_t access) {
    unsigned char *of = run->unsettled + address;
    bool *own = &run->thread[thread].unsettled;
    if (access == PORTABLE_READS)
        *own |= memchr(of, 1, (size_t)size) != NULL;
    else if (access == PORTABLE_WRITES || *own)
        memset(of, *own, (size_t)size);
}

/* The bytes at an address of a space, touched in that way (portable.h); NULL after a fault. */
static unsigned char *at(struct ptx_run *run, uint32_t thread, const struct ptx_step *s,
                         uint64_t address, uint64_t size, uint32_t access) {
    enum ptx_space space = s->space == PTX_GENERIC ? ptx_space_of(&address) : s->space;
    if (address % size) {
        ptx_fault(run, thread, s, "0x%" PRIx64 " is no multiple of %" PRIu64 " bytes", address,
                  size);
        return NULL;
    }
    if (space == PTX_SHARED) {
        unsigned char *shared = within(run, thread, s, run->shared, run->shared_bytes, address,
                                       size, "lie beyond the block's shared memory");
        if (shared)
            settle(run, thread, address, size, access);
        return shared;
    }
    if (space == PTX_LOCAL)
        return within(run, thread, s, run->thread[thread].local, run->program->local_bytes, address,
                      size, "lie beyond the thread's local memory");
    if (space == PTX_PARAM)
        return ptx_param(run, thread, s, address, size, access != PORTABLE_READS);
    if (space == PTX_CONST && access != PORTABLE_READS) {
        ptx_fault(run, thread, s, "constants are only read");
        return NULL;
    }
    if (access != PORTABLE_READS && run->thread[thread].unsettled)
        access = PORTABLE_UNSETTLED;
    unsigned char *bytes = run->launch->at(run->launch->context, address, size, access,
                                           run->first_thread + thread, s->insn->line);
    if (!bytes)
        lies_beyond(run, thread, s, address, size, "lie in no buffer");
    return bytes;
}

static uint64_t get(const unsigned char *from, unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

static void put(struct ptx_run *run, unsigned char *to, uint64_t value, unsigned bytes) {
    bool other = get(to, bytes) != (value & low_bits(8 * bytes));
    run->changed |= other;
    run->touched |= other;
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

bool ptx_load(struct ptx_run *run, uint32_t thread, const struct ptx_step *s) {
    enum ptx_type type = (enum ptx_type)s->insn->m.type[0];
    unsigned bytes = ptx_type_bytes(type);
    const unsigned char *from = at(run, thread, s, address_of(run, thread, s),
                                   (uint64_t)bytes * s->insn->m.vector, PORTABLE_READS);
    for (unsigned i = 0; from && i < s->result_count; i++)
        ptx_result_put(&run->thread[thread], &s->result[i], type, get(from + i * bytes, bytes));
    return from != NULL;
}

bool ptx_store(struct ptx_run *run, uint32_t thread, const struct ptx_step *s) {
    unsigned bytes = ptx_type_bytes((enum ptx_type)s->insn->m.type[0]);
    unsigned char *to = at(run, thread, s, address_of(run, thread, s),
                           (uint64_t)bytes * s->insn->m.vector, PORTABLE_WRITES);
    for (unsigned i = 1; to && i < s->source_count; i++)
        put(run, to + (i - 1) * bytes, ptx_source_value(run, thread, &s->source[i]), bytes);
    return to != NULL;
}

static bool no_atomics(enum ptx_space space) {
    return space == PTX_LOCAL || space == PTX_PARAM || space == PTX_CONST;
}

static bool commutes(const struct ptx_step *s) {
    if (ptx_type_float((enum ptx_type)s->insn->m.type[0]))
        return false;
    switch (s->insn->m.operation) {
    case PTX_AND:
    case PTX_OR:
    case PTX_XOR:
    case PTX_ADD_OP:
    case PTX_MIN_OP:
    case PTX_MAX_OP:
        return true;
    default:
        return false;
    }
}

/* Operations and types that are another's number do not commute with it. */
static uint32_t touch_of(const struct ptx_step *s) {
    return commutes(s) ? PORTABLE_COMMUTES + s->insn->m.operation * 256u + s->insn->m.type[0]
                       : PORTABLE_WRITES;
}

bool ptx_atomic_access(struct ptx_run *run, uint32_t thread, const struct ptx_step *s) {
    enum ptx_type type = (enum ptx_type)s->insn->m.type[0];
    unsigned bytes = ptx_type_bytes(type);
    uint64_t address = address_of(run, thread, s), ignored = address;
    if (no_atomics(s->space == PTX_GENERIC ? ptx_space_of(&ignored) : s->space))
        return ptx_fault(run, thread, s, "atomics are of global and shared memory");
    unsigned char *place = at(run, thread, s, address, bytes, touch_of(s));
    if (!place)
        return false;
    if (place >= run->shared && place < run->shared + run->shared_bytes && !commutes(s))
        memset(run->unsettled + (place - run->shared), 1, bytes);
    run->thread[thread].unsettled |= s->wanted;
    uint64_t old = get(place, bytes), b = ptx_source_value(run, thread, &s->source[1]);
    uint64_t c = s->source_count > 2 ? ptx_source_value(run, thread, &s->source[2]) : 0;
    put(run, place, ptx_atomic((enum ptx_operation)s->insn->m.operation, type, old, b, c), bytes);
    if (s->result_count)
        ptx_result_put(&run->thread[thread], &s->result[0], type, old);
    return true;
}
