/* SPDX-License-Identifier: MIT
 * Banks: of the requests that have come, the first whose row is open, else the first (FR-FCFS).
 *
 * A bank has one to a few rows open, each in a subarray of its own (MASA: consecutive rows lie in
 * different subarrays).  A row that is to be opened takes the place of the one in its subarray, or
 * where as many are open as may be, that of the row used longest ago; not while requests that have
 * come want that one.  While a row opens, others are read.  All banks are refreshed together, which
 * closes all rows. */
#include "machines/core/simt/time/core_time.h"

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

static struct simt_place_time *place_of(struct core *c, const struct bank_request *r) {
    return place_at(c, c->accesses.data[r->access].step);
}

/* ---- which bank is next ---- */

static bool has_wheel(const struct core *c) {
    return c->t->all_banks <= WHEEL;
}

/* Not before bank_from. */
static void enter(struct core *c, uint32_t bank) {
    const uint64_t bit = UINT64_C(1) << bank, next = c->bank_next[bank];
    if (next - c->bank_from >= WHEEL) {
        c->bank_later |= bit;
        return;
    }
    c->bank_wheel[next % WHEEL] |= bit;
    c->bank_used |= UINT64_C(1) << next % WHEEL;
}
static void leave(struct core *c, uint32_t bank) {
    const uint64_t bit = UINT64_C(1) << bank, at = c->bank_next[bank] % WHEEL;
    if (c->bank_later & bit) {
        c->bank_later &= ~bit;
        return;
    }
    c->bank_wheel[at] &= ~bit;
    if (!c->bank_wheel[at])
        c->bank_used &= ~(UINT64_C(1) << at);
}

/* Whose next cycle may come before those that the wheel has: it begins there then. */
static void turn_back(struct core *c, uint64_t cycle) {
    for (uint32_t i = 0; i < c->t->all_banks; i++)
        if (c->bank_next[i] != NEVER)
            leave(c, i);
    c->bank_from = cycle;
    for (uint32_t i = 0; i < c->t->all_banks; i++)
        if (c->bank_next[i] != NEVER)
            enter(c, i);
}

static void set_next(struct core *c, uint32_t bank, uint64_t cycle) {
    if (!has_wheel(c)) {
        c->bank_next[bank] = cycle;
        return;
    }
    if (cycle < c->bank_from)
        turn_back(c, cycle);
    if (c->bank_next[bank] != NEVER)
        leave(c, bank);
    c->bank_next[bank] = cycle;
    if (cycle != NEVER)
        enter(c, bank);
}

/* The first cycle in which some bank has something to do. */
static uint64_t first_of(const struct core *c) {
    const unsigned at = (unsigned)(c->bank_from % WHEEL);
    const uint64_t turned = at ? c->bank_used >> at | c->bank_used << (WHEEL - at) : c->bank_used;
    uint64_t least = turned ? c->bank_from + (unsigned)__builtin_ctzll(turned) : NEVER;
    for (uint64_t rest = c->bank_later; rest; rest &= rest - 1) {
        const uint64_t next = c->bank_next[__builtin_ctzll(rest)];
        least = next < least ? next : least;
    }
    return least;
}

/* Those that come within the wheel's cycles are in the wheel. */
static void go_to(struct core *c, uint64_t cycle) {
    c->bank_from = cycle;
    for (uint64_t rest = c->bank_later; rest; rest &= rest - 1) {
        const uint32_t bank = (uint32_t)__builtin_ctzll(rest);
        if (c->bank_next[bank] - cycle >= WHEEL)
            continue;
        c->bank_later &= ~(UINT64_C(1) << bank);
        enter(c, bank);
    }
}

/* ---- requests ---- */

void simt_bank_put(struct core *c, uint32_t bank, const struct bank_request *r) {
    struct bank *b = &c->banks[bank];
    uint32_t i = c->free_request;
    if (i == NO_INDEX32) {
        i = (uint32_t)c->requests.len;
        vec_push(&c->requests, *r);
    } else {
        c->free_request = c->requests.data[i].next;
        c->requests.data[i] = *r;
    }
    c->requests.data[i].next = NO_INDEX32;
    if (b->head == NO_INDEX32)
        b->head = i;
    else
        c->requests.data[b->tail].next = i;
    b->tail = i;
    if (r->arrival < c->bank_next[bank])
        set_next(c, bank, r->arrival);
    if (r->arrival < c->bank_min)
        c->bank_min = r->arrival;
}

/* Whether all banks are refreshed, until when; rows that were open before are closed. */
static uint64_t refreshed(struct core *c, struct bank *b, uint64_t cycle) {
    const struct simt_time_keys *k = c->t->k;
    const uint64_t epoch = cycle / k->t_refi;
    if (epoch != b->epoch) {
        b->epoch = epoch;
        for (uint32_t i = 0; i < k->rows; i++) {
            if (b->rows[i] != NO_INDEX32 && b->head != NO_INDEX32)
                place_of(c, &c->requests.data[b->head])->precharges++;
            b->rows[i] = NO_INDEX32;
            b->open[i] = (struct open_row){.acted = 0};
        }
    }
    return epoch && cycle % k->t_refi < k->t_rfc ? epoch * k->t_refi + k->t_rfc : cycle;
}

static struct open_row *row_of(struct bank *b, uint32_t row) {
    for (uint32_t i = 0; i < MOST_ROWS; i++)
        if (b->rows[i] == row)
            return &b->open[i];
    return NULL;
}

/* Takes a request off the queue and carries it out. */
static void carry_out(struct core *c, struct bank *b, uint32_t previous, uint32_t i,
                      struct open_row *row, uint64_t cycle) {
    const struct simt_time_keys *k = c->t->k;
    const struct bank_request r = c->requests.data[i];
    if (previous == NO_INDEX32)
        b->head = r.next;
    else
        c->requests.data[previous].next = r.next;
    if (b->tail == i)
        b->tail = previous;
    c->requests.data[i].next = c->free_request;
    c->free_request = i;
    const uint64_t busy = k->t_ccd + (r.atomic ? k->t_ccd + r.repeats : 0);
    b->column_free = cycle + busy;
    row->used = cycle;
    row->hold =
        later(row->hold, cycle + (r.write || r.atomic ? busy + k->t_cwl + k->t_wr : k->t_rtp));
    struct simt_place_time *p = place_of(c, &r);
    p->reads += !r.write;
    p->writes += r.write || r.atomic;
    p->extension++;
    p->row_hits += !r.missed;
    simt_memory_column(c, &r, (cycle + (r.write ? k->t_cwl : k->t_cl) + busy) * TICKS);
}

/* The place for a row: NULL, its row is to stay open. */
static struct open_row *victim(const struct core *c, struct bank *b, uint32_t row,
                               const uint32_t *wanted, uint32_t wanted_count) {
    const struct simt_time_keys *k = c->t->k;
    struct open_row *oldest = NULL, *free_place = NULL;
    for (uint32_t i = 0; i < k->rows; i++) {
        struct open_row *o = &b->open[i];
        if (b->rows[i] == NO_INDEX32) {
            free_place = free_place ? free_place : o;
            continue;
        }
        if (b->rows[i] % k->subarrays == row % k->subarrays) {
            oldest = o;
            free_place = NULL;
            break;
        }
        if (!oldest || o->used < oldest->used)
            oldest = o;
    }
    if (free_place)
        return free_place;
    for (uint32_t i = 0; i < wanted_count; i++)
        if (b->rows[oldest - b->open] == wanted[i])
            return NULL;
    return oldest;
}

/* Without logic beside the banks the controller's commands come through the TSVs, too (section
 * IV-B of the paper has the controller near to save them).  The bank knows of a row that is to be
 * opened with the request for it, so that they take of the channel and no time of their own. */
static void send_commands(struct core *c, const struct bank_request *r, uint32_t count,
                          uint64_t cycle) {
    for (uint32_t i = 0; i < count && !c->t->k->near_units; i++)
        simt_core_send(c, c->accesses.data[r->access].step, c->t->k->command_bytes, cycle * TICKS,
                       true);
}

static void open_row(struct core *c, struct bank *b, struct bank_request *r, struct open_row *o,
                     uint64_t cycle) {
    const struct simt_time_keys *k = c->t->k;
    const bool closes = b->rows[o - b->open] != NO_INDEX32;
    uint64_t act = cycle;
    if (closes) {
        act = later(cycle, later(o->acted + k->t_ras, o->hold)) + k->t_rp;
        place_of(c, r)->precharges++;
        place_of(c, r)->row_conflicts++;
    }
    place_of(c, r)->activates++;
    r->missed = true;
    b->rows[o - b->open] = r->row;
    send_commands(c, r, closes ? 2 : 1, cycle);
    *o = (struct open_row){
        .acted = act, .ready = act + k->t_rcd, .used = act, .hold = act + k->t_ras};
}

/* What a bank sees of its queue. */
struct open_rows_seen {
    /* Rows of requests that have come and whose row is open. */
    uint32_t rows[64], count;
    uint32_t hit, before; /* the first that may be carried out; the one before it */
    uint32_t miss;        /* the first whose row is not open */
    uint64_t next;        /* cycle when there may be more to do */
};

static void look(struct core *c, struct bank *b, uint64_t cycle, struct open_rows_seen *s) {
    const struct open_row *o = NULL;
    uint32_t before = NO_INDEX32, n = 0, row = NO_INDEX32;
    s->count = 0;
    s->hit = s->before = s->miss = NO_INDEX32;
    s->next = NEVER;
    for (uint32_t i = b->head; i != NO_INDEX32 && n < c->t->k->bank_queue; n++) {
        const struct bank_request *r = &c->requests.data[i];
        if (r->arrival > cycle) {
            s->next = r->arrival < s->next ? r->arrival : s->next;
            break; /* they come in their order */
        }
        if (r->row != row) {
            row = r->row;
            o = row_of(b, row);
            if (o)
                s->rows[s->count++] = row;
        }
        if (o) {
            const uint64_t at = later(o->ready, b->column_free);
            if (at <= cycle && s->hit == NO_INDEX32) {
                s->hit = i;
                s->before = before;
            }
            s->next = at > cycle && at < s->next ? at : s->next;
        } else if (s->miss == NO_INDEX32) {
            s->miss = i;
        }
        before = i;
        i = r->next;
    }
}

static void bank_step(struct core *c, uint32_t bank, uint64_t cycle) {
    struct bank *b = &c->banks[bank];
    struct open_rows_seen s;
    const uint64_t from = refreshed(c, b, cycle);
    if (from > cycle) {
        set_next(c, bank, b->head == NO_INDEX32 ? NEVER : from);
        return;
    }
    look(c, b, cycle, &s);
    if (s.hit != NO_INDEX32) {
        /* the rest is looked at when the next column may come */
        carry_out(c, b, s.before, s.hit, row_of(b, c->requests.data[s.hit].row), cycle);
        s.next = b->head == NO_INDEX32 ? NEVER : b->column_free;
    }
    while (s.miss != NO_INDEX32) {
        struct bank_request *r = &c->requests.data[s.miss];
        struct open_row *o = victim(c, b, r->row, s.rows, s.count);
        if (!o)
            break;
        open_row(c, b, r, o, cycle);
        look(c, b, cycle, &s);
    }
    set_next(c, bank, s.next);
}

/* ---- all banks ---- */

static void step_each(struct core *c, uint64_t cycle) {
    uint64_t least = NEVER;
    for (uint32_t i = 0; i < c->t->all_banks; i++) {
        if (c->bank_next[i] <= cycle)
            bank_step(c, i, cycle);
        least = c->bank_next[i] < least ? c->bank_next[i] : least;
    }
    c->bank_min = least;
}

void simt_bank_step_all(struct core *c) {
    const uint64_t cycle = c->bank_min;
    if (!has_wheel(c)) {
        step_each(c, cycle);
        return;
    }
    go_to(c, cycle);
    for (uint64_t rest = c->bank_wheel[cycle % WHEEL]; rest; rest &= rest - 1)
        bank_step(c, (uint32_t)__builtin_ctzll(rest), cycle);
    c->bank_min = first_of(c);
}
