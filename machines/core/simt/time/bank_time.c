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

static struct bank_request *request(struct core *c, uint32_t i) {
    return &c->requests.data[i];
}

/* ---- which bank is next ---- */

static bool has_wheel(const struct core *c) {
    return c->t->all_banks <= WHEEL;
}

/* Not before bank_from. */
static void enter(struct core *c, uint32_t bank, uint64_t cycle) {
    const uint64_t bit = UINT64_C(1) << bank;
    if (cycle - c->bank_from >= AHEAD) {
        c->bank_later |= cycle != NEVER ? bit : 0;
        c->bank_later_from = cycle < c->bank_later_from ? cycle : c->bank_later_from;
        return;
    }
    c->bank_wheel[cycle % AHEAD] |= bit;
    cycle_bits_set(&c->bank_used, cycle);
}

static void leave(struct core *c, uint32_t bank, uint64_t cycle) {
    const uint64_t bit = UINT64_C(1) << bank;
    if (cycle == NEVER || c->bank_later & bit) {
        c->bank_later &= ~bit;
        return;
    }
    c->bank_wheel[cycle % AHEAD] &= ~bit;
    if (!c->bank_wheel[cycle % AHEAD])
        cycle_bits_clear(&c->bank_used, cycle);
}

/* The first cycle of banks that come later. */
static uint64_t first_later(const struct core *c) {
    uint64_t least = NEVER;
    for (uint64_t rest = c->bank_later; rest; rest &= rest - 1) {
        const uint64_t next = c->bank_next[__builtin_ctzll(rest)];
        least = next < least ? next : least;
    }
    return least;
}

/* Banks that come within the wheel's cycles are in the wheel, so that those come before the
 * others. */
static void go_to(struct core *c, uint64_t cycle) {
    c->bank_from = cycle;
    if (c->bank_later_from - cycle >= AHEAD)
        return;
    for (uint64_t rest = c->bank_later; rest; rest &= rest - 1) {
        const uint32_t bank = (uint32_t)__builtin_ctzll(rest);
        if (c->bank_next[bank] - cycle >= AHEAD)
            continue;
        c->bank_later &= ~(UINT64_C(1) << bank);
        enter(c, bank, c->bank_next[bank]);
    }
    c->bank_later_from = first_later(c);
}

/* The first cycle in which some bank has something to do. */
static uint64_t first_of(const struct core *c) {
    const uint64_t first = cycle_bits_first(&c->bank_used, c->bank_from);
    return first == NEVER ? first_later(c) : first;
}

/* ---- requests ---- */

static void push(struct core *c, struct request_list *l, uint32_t i) {
    request(c, i)->next = NO_INDEX32;
    if (l->head == NO_INDEX32)
        l->head = i;
    else
        request(c, l->tail)->next = i;
    l->tail = i;
}

static uint32_t pop(struct core *c, struct request_list *l) {
    const uint32_t i = l->head;
    l->head = request(c, i)->next;
    return i;
}

void simt_bank_put(struct core *c, uint32_t bank, uint32_t access, uint32_t row, uint64_t arrival) {
    uint32_t i = c->free_request;
    if (i == NO_INDEX32) {
        i = (uint32_t)c->requests.len;
        vec_push(&c->requests, (struct bank_request){.next = NO_INDEX32});
    } else {
        c->free_request = request(c, i)->next;
    }
    *request(c, i) = (struct bank_request){
        .access = access, .row = row, .arrival = arrival, .order = ++c->order};
    push(c, &c->banks[bank].coming, i);
    if (arrival < c->bank_next[bank]) {
        if (has_wheel(c)) {
            leave(c, bank, c->bank_next[bank]);
            enter(c, bank, arrival);
        }
        c->bank_next[bank] = arrival;
    }
    if (arrival < c->bank_min)
        c->bank_min = arrival;
}

static bool is_idle(const struct bank *b) {
    return !b->seen && b->coming.head == NO_INDEX32;
}

/* Of all that the bank has, the one that was put first. */
static uint32_t oldest(struct core *c, const struct bank *b) {
    uint32_t first = b->closed.head != NO_INDEX32 ? b->closed.head : b->coming.head;
    for (uint32_t i = 0; i < c->t->k->rows; i++) {
        const uint32_t other = b->open[i].seen.head;
        if (other != NO_INDEX32 &&
            (first == NO_INDEX32 || request(c, other)->order < request(c, first)->order))
            first = other;
    }
    return first;
}

static uint32_t row_of(const struct core *c, const struct bank *b, uint32_t row) {
    for (uint32_t i = 0; i < c->t->k->rows; i++)
        if (b->rows[i] == row)
            return i;
    return NO_INDEX32;
}

/* Requests that have come are seen, as far as there is room. */
static void see(struct core *c, struct bank *b, uint64_t cycle) {
    while (b->coming.head != NO_INDEX32 && b->seen < c->t->k->bank_queue) {
        const struct bank_request *r = request(c, b->coming.head);
        if (r->arrival > cycle)
            break;
        const uint32_t o = row_of(c, b, r->row), i = pop(c, &b->coming);
        b->seen++;
        if (o == NO_INDEX32) {
            push(c, &b->closed, i);
            continue;
        }
        push(c, &b->open[o].seen, i);
        b->wanted |= UINT32_C(1) << o;
    }
}

/* ---- rows ---- */

/* A row closes whose requests wait for it to be open again: they are put among the others in their
 * order. */
static void close_row(struct core *c, struct bank *b, uint32_t o) {
    struct request_list merged = {NO_INDEX32, NO_INDEX32}, *from[] = {&b->closed, &b->open[o].seen};
    while (from[0]->head != NO_INDEX32 || from[1]->head != NO_INDEX32) {
        const bool second = from[0]->head == NO_INDEX32 ||
                            (from[1]->head != NO_INDEX32 &&
                             request(c, from[1]->head)->order < request(c, from[0]->head)->order);
        push(c, &merged, pop(c, from[second]));
    }
    b->closed = merged;
    b->wanted &= ~(UINT32_C(1) << o);
    b->rows[o] = NO_INDEX32;
    b->open[o] = (struct open_row){.seen = {NO_INDEX32, NO_INDEX32}};
}

/* All banks are refreshed at a time, which closes their rows; a bank hears of it when it has
 * something to do next. */
static void go_on(struct core *c, uint64_t cycle) {
    const struct simt_time_keys *k = c->t->k;
    c->epoch = cycle / k->t_refi;
    c->epoch_begin = c->epoch * k->t_refi + (c->epoch ? k->t_rfc : 0);
    c->epoch_end = (c->epoch + 1) * k->t_refi;
}

static void close_rows(struct core *c, struct bank *b) {
    const uint32_t first = oldest(c, b);
    b->epoch = c->epoch;
    for (uint32_t i = 0; i < c->t->k->rows; i++) {
        if (b->rows[i] != NO_INDEX32 && first != NO_INDEX32)
            place_of(c, request(c, first))->precharges++;
        close_row(c, b, i);
    }
}

/* A request that is in no list any more, for an open row. */
static void carry_out(struct core *c, struct bank *b, struct open_row *row, uint32_t i,
                      uint64_t cycle) {
    const struct simt_time_keys *k = c->t->k;
    const struct bank_request r = *request(c, i);
    const struct bank_access *a = &c->accesses.data[r.access];
    request(c, i)->next = c->free_request;
    c->free_request = i;
    const uint64_t busy = k->t_ccd + (a->atomic ? k->t_ccd + a->repeats : 0);
    b->column_free = cycle + busy;
    row->used = cycle;
    row->hold =
        later(row->hold, cycle + (a->stores || a->atomic ? busy + k->t_cwl + k->t_wr : k->t_rtp));
    struct simt_place_time *p = place_at(c, a->step);
    p->reads += !a->stores;
    p->writes += a->stores || a->atomic;
    p->extension++;
    p->row_hits += !r.missed;
    simt_memory_column(c, r.access, (cycle + (a->stores ? k->t_cwl : k->t_cl) + busy) * TICKS);
}

/* The place for a row; NO_INDEX32: the row there is to stay open, since it is among `wanted`. */
static uint32_t victim(const struct core *c, const struct bank *b, uint32_t row, uint32_t wanted) {
    const struct simt_time_keys *k = c->t->k;
    uint32_t oldest_row = NO_INDEX32, free_place = NO_INDEX32;
    for (uint32_t i = 0; i < k->rows; i++) {
        if (b->rows[i] == NO_INDEX32) {
            free_place = free_place == NO_INDEX32 ? i : free_place;
            continue;
        }
        if (b->rows[i] % k->subarrays == row % k->subarrays) {
            oldest_row = i;
            free_place = NO_INDEX32;
            break;
        }
        if (oldest_row == NO_INDEX32 || b->open[i].used < b->open[oldest_row].used)
            oldest_row = i;
    }
    if (free_place != NO_INDEX32)
        return free_place;
    return wanted >> oldest_row & 1 ? NO_INDEX32 : oldest_row;
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

/* All that the bank has seen for that row are the row's now. */
static void hand_over(struct core *c, struct bank *b, struct open_row *o, uint32_t row) {
    struct request_list rest = {NO_INDEX32, NO_INDEX32};
    while (b->closed.head != NO_INDEX32) {
        const uint32_t i = pop(c, &b->closed);
        push(c, request(c, i)->row == row ? &o->seen : &rest, i);
    }
    b->closed = rest;
}

/* For the first request whose row is not open. */
static void open_row(struct core *c, struct bank *b, uint32_t place, uint64_t cycle) {
    const struct simt_time_keys *k = c->t->k;
    struct bank_request *r = request(c, b->closed.head);
    struct open_row *o = &b->open[place];
    const bool closes = b->rows[place] != NO_INDEX32;
    uint64_t act = cycle;
    if (closes) {
        act = later(cycle, later(o->acted + k->t_ras, o->hold)) + k->t_rp;
        place_of(c, r)->precharges++;
        place_of(c, r)->row_conflicts++;
    }
    place_of(c, r)->activates++;
    r->missed = true;
    b->rows[place] = r->row;
    send_commands(c, r, closes ? 2 : 1, cycle);
    *o = (struct open_row){.acted = act,
                           .ready = act + k->t_rcd,
                           .used = act,
                           .hold = act + k->t_ras,
                           .seen = {NO_INDEX32, NO_INDEX32}};
    b->wanted |= UINT32_C(1) << place;
    hand_over(c, b, o, r->row);
}

/* What a bank may do. */
struct bank_choice {
    uint32_t wanted; /* as the bank has it */
    uint32_t hit;    /* a row, the first request of which is the first that may be carried out */
    uint64_t next;   /* cycle when there may be more to do */
};

static struct bank_choice look(struct core *c, struct bank *b, uint64_t cycle) {
    struct bank_choice s = {0, NO_INDEX32, NEVER};
    uint64_t order = UINT64_MAX;
    see(c, b, cycle);
    s.wanted = b->wanted;
    for (uint32_t rest = b->wanted; rest; rest &= rest - 1) {
        const uint32_t i = (uint32_t)__builtin_ctz(rest);
        const struct open_row *o = &b->open[i];
        const uint64_t at = later(o->ready, b->column_free);
        if (at > cycle) {
            s.next = at < s.next ? at : s.next;
        } else if (request(c, o->seen.head)->order < order) {
            order = request(c, o->seen.head)->order;
            s.hit = i;
        }
    }
    if (b->coming.head != NO_INDEX32 && b->seen < c->t->k->bank_queue &&
        request(c, b->coming.head)->arrival < s.next)
        s.next = request(c, b->coming.head)->arrival;
    return s;
}

/* Most often a bank has seen all that has come, and its only request is for an open row: what
 * choose() would do, at once.  False: it is not so. */
static bool is_plain(struct core *c, struct bank *b, uint64_t cycle, uint64_t *next) {
    const uint32_t i = b->coming.head;
    if (b->seen)
        return false;
    if (i == NO_INDEX32 || request(c, i)->arrival > cycle) {
        *next = i == NO_INDEX32 ? NEVER : request(c, i)->arrival;
        return true;
    }
    const uint32_t other = request(c, i)->next, o = row_of(c, b, request(c, i)->row);
    if (o == NO_INDEX32 || b->open[o].ready > cycle || b->column_free > cycle ||
        (other != NO_INDEX32 && request(c, other)->arrival <= cycle))
        return false;
    pop(c, &b->coming);
    carry_out(c, b, &b->open[o], i, cycle);
    *next = other == NO_INDEX32 ? NEVER : b->column_free;
    return true;
}

static uint64_t choose(struct core *c, struct bank *b, uint64_t cycle) {
    struct bank_choice s = look(c, b, cycle);
    if (s.hit != NO_INDEX32) {
        /* the rest is looked at when the next column may come */
        struct open_row *o = &b->open[s.hit];
        const uint32_t i = pop(c, &o->seen);
        b->seen--;
        b->wanted &= ~((UINT32_C(1) << s.hit) * (o->seen.head == NO_INDEX32));
        carry_out(c, b, o, i, cycle);
        s.next = is_idle(b) ? NEVER : b->column_free;
    }
    while (b->closed.head != NO_INDEX32) {
        const uint32_t place = victim(c, b, request(c, b->closed.head)->row, s.wanted);
        if (place == NO_INDEX32)
            break;
        open_row(c, b, place, cycle);
        s = look(c, b, cycle);
    }
    return s.next;
}

/* The cycle in which the bank has something to do next. */
static uint64_t bank_step(struct core *c, struct bank *b, uint64_t cycle) {
    uint64_t next;
    if (cycle >= c->epoch_end)
        go_on(c, cycle);
    if (c->epoch != b->epoch)
        close_rows(c, b);
    if (cycle < c->epoch_begin)
        return is_idle(b) ? NEVER : c->epoch_begin;
    return is_plain(c, b, cycle, &next) ? next : choose(c, b, cycle);
}

/* ---- all banks ---- */

void simt_bank_open(struct core *c) {
    c->epoch_end = c->t->k->t_refi;
    c->bank_min = c->bank_later_from = NEVER;
    for (uint32_t i = 0; i < c->t->all_banks; i++) {
        struct bank *b = &c->banks[i];
        c->bank_next[i] = NEVER;
        b->closed = b->coming = (struct request_list){NO_INDEX32, NO_INDEX32};
        for (unsigned r = 0; r < MOST_ROWS; r++) {
            b->rows[r] = NO_INDEX32;
            b->open[r].seen = b->closed;
        }
    }
}

static void step_each(struct core *c, uint64_t cycle) {
    uint64_t least = NEVER;
    for (uint32_t i = 0; i < c->t->all_banks; i++) {
        if (c->bank_next[i] <= cycle)
            c->bank_next[i] = bank_step(c, &c->banks[i], cycle);
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
    uint64_t rest = c->bank_wheel[cycle % AHEAD];
    c->bank_wheel[cycle % AHEAD] = 0;
    cycle_bits_clear(&c->bank_used, cycle);
    for (; rest; rest &= rest - 1) {
        const uint32_t bank = (uint32_t)__builtin_ctzll(rest);
        c->bank_next[bank] = bank_step(c, &c->banks[bank], cycle);
        enter(c, bank, c->bank_next[bank]);
    }
    c->bank_min = first_of(c);
}
