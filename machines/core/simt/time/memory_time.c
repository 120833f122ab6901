/* SPDX-License-Identifier: MIT
 * Loads, stores and atomics of memory: the LSU of a subcore, that for other cores, and the
 * extensions beside the banks.
 *
 * An access goes to the warp's near-bank unit as one where all lanes are at work, one behind the
 * other, and all of its columns lie in that unit: the unit then has the data in its registers. Else
 * each column is asked for by itself; what comes back is gathered, and goes up again as a write of
 * registers.  Columns of other cores are asked for there (Fig. 4 of the paper). */
#include "machines/core/simt/time/core_time.h"

#include <string.h>

#define LOCAL_ROWS    (UINT32_C(1) << 24) /* rows of local memory, apart from those of buffers */
#define LOCAL_SECTORS 4u                  /* of a word of all lanes */

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* ---- where a sector lies ---- */

/* Most numbers of units and cores are powers of 2. */
static uint32_t quotient(uint32_t n, struct divisor by) {
    return by.power ? n >> by.shift : n / by.number;
}
static uint32_t rest(uint32_t n, struct divisor by) {
    return by.power ? n & (by.number - 1) : n % by.number;
}

uint32_t simt_memory_core_of(const struct times *t, uint32_t sector) {
    return rest(sector >> t->chunk_shift, t->by_cores);
}

struct bank_spot {
    uint32_t unit, bank, row; /* bank: of the core */
    uint32_t granule;
};
/* Granules go round the units, and in a unit rows go round the banks, so that what is read in a row
 * opens a row once. */
static struct bank_spot spot_of(const struct times *t, uint32_t sector) {
    const uint32_t chunk = sector >> t->chunk_shift,
                   inner = (quotient(chunk, t->by_cores) << t->chunk_shift) +
                           (sector & ((UINT32_C(1) << t->chunk_shift) - 1)),
                   granule = inner >> t->granule_shift, unit = rest(granule, t->by_subs),
                   within = inner & ((UINT32_C(1) << t->granule_shift) - 1),
                   row = ((quotient(granule, t->by_subs) << t->granule_shift) + within) >>
                         t->row_shift;
    return (struct bank_spot){.unit = unit,
                              .bank = unit * t->banks + rest(row, t->by_banks),
                              .row = quotient(row, t->by_banks),
                              .granule = granule};
}

uint32_t simt_memory_unit_of(const struct times *t, uint32_t sector) {
    return spot_of(t, sector).unit;
}

/* ---- records ---- */

struct sectors {
    struct simt_record record;
    const uint32_t *words; /* behind it */
};
static struct sectors sectors_at(const struct warp *w, uint32_t word) {
    struct sectors s;
    memcpy(&s.record, &w->trace->words.data[word], sizeof s.record);
    s.words = &w->trace->words.data[word + 1];
    return s;
}
static uint32_t sector_number(const struct sectors *s, uint32_t i) {
    return s->record.range ? s->words[0] + i : s->words[i];
}
static uint32_t words_of(const struct simt_record *r) {
    return r->reach == SIMT_REACH_GLOBAL  ? 1 + (r->range ? 1 : r->count)
           : r->reach == SIMT_REACH_LOCAL ? 2
                                          : 1;
}

/* Whether the access goes to the near-bank unit as one. */
static bool is_offloaded(const struct core *c, const struct warp *w, const struct simt_plan *p,
                         const struct sectors *s) {
    const struct times *t = c->t;
    if (!t->k->near_units || p->atomic || w->mask != UINT32_MAX)
        return false;
    if (s->record.reach == SIMT_REACH_LOCAL)
        return s->record.same;
    if (s->record.reach != SIMT_REACH_GLOBAL || !s->record.in_line ||
        (t->k->coalesce == SIMT_COALESCE_ALIGNED && !s->record.aligned))
        return false;
    const uint32_t first = s->words[0], last = first + s->record.count - 1;
    if (simt_memory_core_of(t, first) != c->number || simt_memory_core_of(t, last) != c->number)
        return false;
    const bool one = first >> t->granule_shift == last >> t->granule_shift;
    const struct bank_spot a = spot_of(t, first);
    return a.unit == w->sub && (one || a.granule == spot_of(t, last).granule || t->subs == 1);
}

/* ---- accesses ---- */

static uint32_t new_access(struct core *c) {
    uint32_t i = c->free_access;
    if (i == NO_INDEX32) {
        i = (uint32_t)c->accesses.len;
        vec_push(&c->accesses, (struct bank_access){.next = NO_INDEX32});
    } else {
        c->free_access = c->accesses.data[i].next;
    }
    return i;
}

static void free_access(struct core *c, uint32_t i) {
    c->accesses.data[i].next = c->free_access;
    c->free_access = i;
}

/* What comes of a load is known. */
static void is_there(struct core *c, uint32_t i, uint64_t tick) {
    const struct bank_access a = c->accesses.data[i];
    struct warp *w = &c->warps[a.warp];
    free_access(c, i);
    if (a.results)
        simt_core_ready(c, w, &c->t->plans[a.step].results, tick,
                        2 * a.in_tsvs > tick - a.issued ? SIMT_STALL_TSV : SIMT_STALL_MEMORY);
    simt_core_access_over(c, w, tick);
}

/* Generic addresses of other memory. */
static bool is_elsewhere(struct core *c, struct warp *w, const struct simt_plan *p,
                         const struct simt_record *r) {
    struct simt_plan other = *p;
    if (r->reach == SIMT_REACH_GLOBAL || r->reach == SIMT_REACH_LOCAL)
        return false;
    if (r->reach == SIMT_REACH_SHARED) {
        other.location = c->t->keys->shared == SIMT_SIDE_NEAR ? SIMT_NEAR : SIMT_FAR;
        simt_issue_shared(c, w, &other);
        return true;
    }
    w->word++;
    simt_issue_wrote(w, &p->results, false);
    simt_core_ready(c, w, &p->results,
                    (c->cycle + c->t->k->opc_cycles + c->t->k->alu_cycles) * TICKS,
                    SIMT_STALL_RESULT);
    return true;
}

void simt_memory_issue(struct core *c, struct warp *w, const struct simt_plan *p) {
    const struct sectors s = sectors_at(w, w->word);
    const uint64_t now = c->cycle * TICKS;
    if (is_elsewhere(c, w, p, &s.record))
        return;
    const bool near = c->t->k->near_units, one = is_offloaded(c, w, p, &s);
    uint64_t at = later(now, simt_issue_bring(c, w, &p->guard, false, now));
    at = later(at, simt_issue_bring(c, w, &p->address, false, now));
    at = later(at, simt_issue_bring(c, w, &p->sources, one, now));
    at = later(at, simt_issue_results(c, w, &p->results, near, now));
    const uint32_t i = new_access(c);
    const uint32_t lanes = w->mask == UINT32_MAX ? LANES : (uint32_t)__builtin_popcount(w->mask);
    c->accesses.data[i] = (struct bank_access){.warp = (uint32_t)(w - c->warps),
                                               .step = w->step,
                                               .core = c->number,
                                               .offloaded = one,
                                               .stores = p->stores,
                                               .atomic = p->atomic,
                                               .results = p->results.units || p->results.predicates,
                                               .same = s.record.same,
                                               .repeats = s.record.repeats,
                                               .bytes = 4 * lanes * p->result_units,
                                               .issued = now,
                                               .in_tsvs = at - now,
                                               .first_word = w->word,
                                               .next = NO_INDEX32};
    w->word += words_of(&s.record);
    w->outstanding++;
    c->subs[w->sub].accesses++;
    w->pending.units |= p->results.units;
    w->pending.predicates |= p->results.predicates;
    simt_issue_wrote(w, &p->results, near);
    if (one)
        place_at(c, w->step)->near++;
    simt_event_put(c, at + c->t->k->lsu_cycles * TICKS, at == now ? EVENT_LSU : EVENT_LSU_LATE, i);
}

/* ---- commands ---- */

/* A column, by a command of its own. */
static uint64_t command(struct core *c, uint32_t access, uint64_t tick) {
    const struct bank_access *a = &c->accesses.data[access];
    return simt_core_send(c, a->step,
                          c->t->k->command_bytes + (a->stores || a->atomic ? SIMT_SECTOR_BYTES : 0),
                          tick, true);
}

static void local_sectors(struct core *c, uint32_t access, const struct sectors *s, uint64_t tick) {
    const struct times *t = c->t;
    struct bank_access *a = &c->accesses.data[access];
    const struct warp *w = &c->warps[a->warp];
    const uint32_t each = s->record.same ? 4 : 1, count = s->record.count * each;
    const uint32_t place = w->slot * 64 + s->words[0];
    uint64_t there = tick;
    a->left = count;
    if (a->offloaded)
        there = simt_core_send(c, a->step, t->k->access_bytes, tick, true);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t row = (place + i / each) * LOCAL_SECTORS >> t->row_shift;
        if (!a->offloaded)
            there = command(c, access, tick);
        simt_bank_put(c, w->sub * t->banks + row % t->banks, access, LOCAL_ROWS + row / t->banks,
                      cycle_of(there));
    }
}

/* Columns that lie in another core, of those from sector i on that have not been asked for. */
static void ask_core(struct core *c, uint32_t access, const struct sectors *s, uint32_t core,
                     uint64_t tick) {
    const struct bank_access *a = &c->accesses.data[access];
    struct packet *p = simt_network_packet(c, core, tick);
    p->access = access;
    p->step = a->step;
    p->stores = a->stores;
    p->atomic = a->atomic;
    p->results = a->results;
    p->repeats = s->record.repeats;
    for (uint32_t i = 0; i < s->record.count; i++) {
        const uint32_t sector = sector_number(s, i);
        if (simt_memory_core_of(c->t, sector) == core)
            p->sectors[p->count++] = sector;
    }
    place_at(c, a->step)->remote += p->count;
}

/* Sectors that follow one another lie in one row as long as their numbers, less so many bits, are
 * the same. */
static void global_sectors(struct core *c, uint32_t access, const struct sectors *s,
                           uint64_t tick) {
    const struct times *t = c->t;
    const unsigned shift = t->granule_shift < t->row_shift ? t->granule_shift : t->row_shift;
    const bool offloaded = c->accesses.data[access].offloaded;
    uint64_t there = tick;
    uint32_t asked[2 * LANES], asked_count = 0, core = NO_INDEX32, last = NO_INDEX32;
    struct bank_spot at = {.bank = 0};
    c->accesses.data[access].left = s->record.count;
    if (offloaded)
        there = simt_core_send(c, c->accesses.data[access].step, t->k->access_bytes, tick, true);
    for (uint32_t i = 0; i < s->record.count; i++) {
        const uint32_t sector = sector_number(s, i);
        bool known = false;
        if (!i || sector >> shift != last >> shift) {
            core = simt_memory_core_of(t, sector);
            at = spot_of(t, sector);
        }
        last = sector;
        if (core == c->number) {
            if (!offloaded)
                there = command(c, access, tick);
            simt_bank_put(c, at.bank, access, at.row, cycle_of(there));
            continue;
        }
        for (uint32_t k = 0; k < asked_count && !known; k++)
            known = asked[k] == core;
        if (known)
            continue;
        asked[asked_count++] = core;
        ask_core(c, access, s, core, tick);
    }
}

void simt_memory_leaves_lsu(struct core *c, uint32_t access, uint64_t tick) {
    const struct bank_access a = c->accesses.data[access];
    const struct sectors s = sectors_at(&c->warps[a.warp], a.first_word);
    c->accesses.data[access].in_tsvs += c->tsv_free > tick ? c->tsv_free - tick : 0;
    if (s.record.reach == SIMT_REACH_LOCAL)
        local_sectors(c, access, &s, tick);
    else
        global_sectors(c, access, &s, tick);
    if (a.offloaded && c->t->k->ack_bytes)
        simt_core_send(c, a.step, c->t->k->ack_bytes, tick, false);
}

/* ---- answers ---- */

void simt_memory_column(struct core *c, uint32_t access, uint64_t tick) {
    struct bank_access *a = &c->accesses.data[access];
    const bool brings = !a->stores && (!a->atomic || a->results);
    if (brings && !a->offloaded) {
        simt_event_put(c, tick, EVENT_DATA, access);
        return;
    }
    a->latest = later(a->latest, tick);
    if (--a->left)
        return;
    if (a->warp == NO_INDEX32)
        simt_event_put(c, a->latest, EVENT_GATHER, access);
    else
        is_there(c, access,
                 a->offloaded ? simt_issue_acknowledged(c, a->latest + (brings ? TICKS : 0))
                              : a->latest);
}

void simt_memory_data(struct core *c, uint32_t access, uint64_t tick) {
    struct bank_access *a = &c->accesses.data[access];
    a->latest = later(a->latest, simt_core_send(c, a->step, SIMT_SECTOR_BYTES, tick, false));
    if (--a->left)
        return;
    a->in_tsvs += c->tsv_free - tick;
    simt_event_put(c, a->latest, EVENT_GATHER, access);
}

void simt_memory_gather(struct core *c, uint32_t access, uint64_t tick) {
    const struct bank_access a = c->accesses.data[access];
    const struct simt_time_keys *k = c->t->k;
    if (a.warp == NO_INDEX32) {
        struct packet *p = simt_network_packet(c, a.core, tick);
        p->reply = true;
        p->access = a.remote_access;
        p->step = a.step;
        p->count = a.count;
        p->results = a.results;
        free_access(c, access);
        return;
    }
    uint64_t at = tick;
    if (a.results && k->near_units) {
        at = simt_core_send(c, a.step, a.same && k->uniform_compress ? 8 : a.bytes, tick, true);
        c->accesses.data[access].in_tsvs += c->tsv_free - tick;
    }
    is_there(c, access, at + TICKS);
}

/* ---- other cores ---- */

static void serve(struct core *c, const struct packet *p, uint64_t tick) {
    const uint32_t i = new_access(c);
    c->accesses.data[i] = (struct bank_access){.warp = NO_INDEX32,
                                               .step = p->step,
                                               .left = p->count,
                                               .count = p->count,
                                               .core = p->from,
                                               .remote_access = p->access,
                                               .stores = p->stores,
                                               .atomic = p->atomic,
                                               .results = p->results,
                                               .repeats = p->repeats,
                                               .next = NO_INDEX32};
    for (uint32_t n = 0; n < p->count; n++) {
        const struct bank_spot at = spot_of(c->t, p->sectors[n]);
        simt_bank_put(c, at.bank, i, at.row, cycle_of(command(c, i, tick)));
    }
}

void simt_memory_packet(struct core *c, uint32_t packet, uint64_t tick) {
    const struct packet p = c->t->packets.data[packet];
    c->t->x->received_bytes += p.bytes;
    simt_network_free(c->t, packet);
    if (!p.reply) {
        serve(c, &p, tick);
        return;
    }
    struct bank_access *a = &c->accesses.data[p.access];
    a->left -= p.count;
    if (a->left == 0)
        simt_event_put(c, later(tick, a->latest), EVENT_GATHER, p.access);
}
