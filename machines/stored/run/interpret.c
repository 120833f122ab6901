/* SPDX-License-Identifier: MIT
 * Words of a unit one after another: what they reach, what they took, who watches. */
#include "machines/stored/run/work.h"

#include "object/bytes.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

/* ---- places ---- */

static bool fails(struct stored_core *c, enum stored_fault fault) {
    c->fault = fault;
    return false;
}

bool stored_fails(struct stored_core *c, const char *why) {
    snprintf(c->said, sizeof c->said, "%s", why);
    return fails(c, STORED_SAID);
}

bool stored_stuck(struct stored_core *c) {
    return fails(c, STORED_STUCK);
}

static bool nothing_at(struct stored_core *c, uint64_t address, uint32_t bytes) {
    c->address = address;
    c->bytes = bytes;
    return fails(c, STORED_ADDRESS);
}

/* Where 8 bytes lie in the memory itself; NULL: there are not so many, or it is a view of it. */
static unsigned char *eight_bytes(const struct stored_core *c, uint64_t address, uint32_t bytes) {
    return bytes == 8 && address % 8 == 0 && c->view->direct
               ? state_memory_at(c->view->memory, address, 8)
               : NULL;
}

bool stored_memory_get(struct stored_core *c, uint64_t address, uint32_t bytes, uint64_t *value) {
    unsigned char there[8] = {0};
    const unsigned char *at = eight_bytes(c, address, bytes);
    if (at) {
        *value = get_u64(at);
        return true;
    }
    if (address % bytes || !state_view_get(c->view, address, there, bytes))
        return nothing_at(c, address, bytes);
    *value = get_u64(there);
    return true;
}

static void set_bytes(unsigned char at[8], uint64_t value) {
    for (uint32_t i = 0; i < 8; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

bool stored_memory_put(struct stored_core *c, uint64_t address, uint32_t bytes, uint64_t value) {
    unsigned char there[8], *at = eight_bytes(c, address, bytes);
    if (at) {
        set_bytes(at, value);
        return true;
    }
    set_bytes(there, value);
    return (address % bytes == 0 && state_view_put(c->view, address, there, bytes)) ||
           nothing_at(c, address, bytes);
}

bool stored_place_fails(struct stored_core *c) {
    return fails(c, STORED_LANE);
}

/* ---- words ---- */

/* The record of an event. */
struct executed {
    uint64_t word;
    uint32_t at, who; /* lane, or worker */
};

void stored_tell(struct stored_core *c) {
    struct dp_event e = *c->event;
    const struct executed record = {c->work->places[c->at].word, c->at,
                                    c->vrf ? c->lane : c->number};
    e.kind = c->op;
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
        str_printf(out, "%u,%u,", x->who, x->at);
    else
        str_printf(out, "%3u  ", x->at);
    stored_print_word(&stored_const(dp)->engine->kind->isa, x->word, out);
}

STORED_INTERPRETER(any_step, c->machine->engine->step)

stored_interpreter *stored_interpret(const struct stored_dp *m) {
    return m->engine->interpret ? m->engine->interpret : any_step;
}

/* ---- faults ---- */

static const char *watchdog_key(const struct target *t) {
    const struct target_key_spec *k = t->kind->keys;
    while (k->type == KEY_BLOCK || k->field != (ptrdiff_t)offsetof(struct stored_keys, watchdog))
        k++;
    return k->path;
}

void stored_fault_text(const struct stored_core *c, struct str *out) {
    if (c->fault == STORED_SAID)
        str_append(out, c->said);
    else if (c->fault == STORED_LANE)
        str_append(out, "has no lane");
    else if (c->fault == STORED_STUCK)
        str_printf(out, "comes to no end (%s)", watchdog_key(stored_target(c->machine)));
    else
        str_printf(out, "finds no %" PRIu32 " bytes at 0x%" PRIx64 "%s", c->bytes, c->address,
                   c->address % c->bytes ? ", which is not aligned" : "");
}
