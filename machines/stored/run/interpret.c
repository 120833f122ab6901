/* SPDX-License-Identifier: MIT
 * Words of a unit one after another: what they reach, what they took, who watches. */
#include "machines/stored/run/work.h"

#include "support/bits.h"

#include <inttypes.h>
#include <stddef.h>

/* ---- places ---- */

static uint64_t read_lane(const struct stored_core *c, uint32_t reg) {
    const struct state_bits *b = &c->vrf->bits[c->lane];
    return reg == STORED_C       ? b->c
           : reg == STORED_M     ? b->m
           : reg == STORED_VALID ? b->valid
                                 : state_read(&c->machine->state, c->vrf, c->lane, reg);
}

static void write_lane(const struct stored_core *c, uint32_t reg, unsigned width, uint64_t value) {
    struct state_bits *b = &c->vrf->bits[c->lane];
    if (reg == STORED_C)
        b->c = value & 1;
    else if (reg == STORED_M)
        b->m = value & 1;
    else if (reg != STORED_VALID)
        state_write(&c->machine->state, c->vrf, c->lane, reg, width, value);
}

static bool fails(struct stored_core *c, enum stored_fault fault) {
    c->fault = fault;
    return false;
}

static bool nothing_at(struct stored_core *c, uint64_t address, uint32_t bytes) {
    c->address = address;
    c->bytes = bytes;
    return fails(c, STORED_ADDRESS);
}

static bool memory_get(struct stored_core *c, uint64_t address, uint32_t bytes, uint64_t *value) {
    unsigned char there[8];
    if (address % bytes || !state_view_get(c->view, address, there, bytes))
        return nothing_at(c, address, bytes);
    *value = 0;
    for (uint32_t i = 0; i < bytes; i++)
        *value |= (uint64_t)there[i] << 8 * i;
    return true;
}

static bool memory_put(struct stored_core *c, uint64_t address, uint32_t bytes, uint64_t value) {
    unsigned char there[8];
    for (uint32_t i = 0; i < bytes; i++)
        there[i] = (unsigned char)(value >> 8 * i);
    return (address % bytes == 0 && state_view_put(c->view, address, there, bytes)) ||
           nothing_at(c, address, bytes);
}

static uint32_t bytes_of(uint32_t place) {
    return STORED_PLACE_WIDTH(place) / 8;
}

bool stored_place_get(struct stored_core *c, uint32_t place, uint64_t address, uint64_t *value) {
    unsigned width = STORED_PLACE_WIDTH(place);
    uint64_t v;
    if (!STORED_PLACE_MEMORY(place) && !c->vrf)
        return fails(c, STORED_LANE);
    if (!STORED_PLACE_MEMORY(place))
        v = read_lane(c, STORED_PLACE_REG(place)) & low_bits(width);
    else if (!memory_get(c, address, bytes_of(place), &v))
        return false;
    *value = STORED_PLACE_SIGNED(place) ? (uint64_t)sign_extend(v, width) : v;
    return true;
}

bool stored_place_put(struct stored_core *c, uint32_t place, uint64_t address, uint64_t value) {
    if (STORED_PLACE_MEMORY(place))
        return memory_put(c, address, bytes_of(place), value);
    if (!c->vrf)
        return fails(c, STORED_LANE);
    write_lane(c, STORED_PLACE_REG(place), STORED_PLACE_WIDTH(place), value);
    return true;
}

/* ---- words ---- */

/* The record of an event. */
struct executed {
    uint32_t word, at, lane;
};

static void tell(struct stored_core *c) {
    struct dp_event e = *c->event;
    const struct executed record = {c->words[c->at], c->at, c->lane};
    e.kind = stored_op(&c->machine->engine->kind->isa, record.word);
    e.unit = c->lane;
    e.start_ps += c->work->cycles * stored_target(c->machine)->datapath_ps;
    e.record = &record;
    c->machine->observer(c->machine->context, &e);
}

void stored_observe(struct datapath *dp, dp_observer *observer, void *context) {
    stored_of(dp)->observer = observer;
    stored_of(dp)->context = context;
    dp->observed = observer != NULL;
}

void stored_format(const struct datapath *dp, const struct dp_event *e, unsigned format,
                   struct str *out) {
    const struct executed *x = e->record;
    if (format == STORED_FORMAT_CSV)
        str_printf(out, "%u,%u,", x->lane, x->at);
    else
        str_printf(out, "%3u  ", x->at);
    stored_print_word(&stored_const(dp)->engine->kind->isa, x->word, out);
}

static void count(struct stored_core *c, uint32_t op, uint32_t at) {
    c->work->executed[op]++;
    c->work->cycles += c->cycles;
    c->work->shared += c->shared;
    if (c->work->places) {
        c->work->places[at].executed++;
        c->work->places[at].cycles += c->cycles;
    }
}

uint32_t stored_interpret(struct stored_core *c) {
    const struct stored_engine *engine = c->machine->engine;
    uint64_t limit = stored_keys(stored_target(c->machine))->watchdog;
    c->counts = c->work->counts;
    for (c->at = 0;; limit--) {
        uint32_t at = c->at, word = c->words[at], op = stored_op(&engine->kind->isa, word);
        if (c->event)
            tell(c);
        c->at = at + 1;
        c->cycles = 1;
        c->shared = 0;
        if (!limit)
            c->fault = STORED_STUCK;
        if (!limit || !engine->step(c, word))
            return at;
        count(c, op, at);
        if (op == 0)
            return STORED_NO_STOP;
    }
}

/* ---- faults ---- */

static const char *watchdog_key(const struct target *t) {
    const struct target_key_spec *k = t->kind->keys;
    while (k->type == KEY_BLOCK || k->field != (ptrdiff_t)offsetof(struct stored_keys, watchdog))
        k++;
    return k->path;
}

void stored_fault_text(const struct stored_core *c, struct str *out) {
    if (c->fault == STORED_LANE)
        str_append(out, "has no lane");
    else if (c->fault == STORED_STUCK)
        str_printf(out, "comes to no end (%s)", watchdog_key(stored_target(c->machine)));
    else
        str_printf(out, "finds no %" PRIu32 " bytes at 0x%" PRIx64 "%s", c->bytes, c->address,
                   c->address % c->bytes ? ", which is not aligned" : "");
}
