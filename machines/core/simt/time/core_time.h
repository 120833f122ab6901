/* SPDX-License-Identifier: MIT
 * Cores in time.
 *
 * Times are ticks, 64 of a core's cycle, so that bytes of the TSVs and of links take whole ones;
 * `cycle` says that it is cycles.  A core goes from event to event: a subcore issues, an access
 * leaves the LSU, a bank takes a request, data of a column is there, a packet comes.  What it sends
 * through the TSVs it sends in the order of these, so that the channel is first come, first served;
 * what says that an instruction is done is booked with the instruction, since it is known when it
 * will come. */
#ifndef MACHINES_CORE_SIMT_TIME_CORE_TIME_H
#define MACHINES_CORE_SIMT_TIME_CORE_TIME_H

#include "machines/core/simt/time/step_plans.h"
#include "machines/core/simt/time/launch_time.h"

#define TICKS        UINT64_C(64)
#define NEVER        UINT64_MAX
#define LANES        32u
#define WHEEL        64u  /* slots of a subcore; cycles for which it is known who issues */
#define AHEAD        256u /* cycles for which it is known which banks are at work; a power of 2 */
#define MOST_ROWS    4u
#define NO_INDEX32   UINT32_MAX
#define BARRIERS     16u
#define PREDICATE_AT SIMT_PREDICATES_AT
static inline uint64_t cycle_of(uint64_t tick) {
    return (tick + TICKS - 1) / TICKS;
}

/* A bit for each of the AHEAD cycles from some cycle on, at its number modulo AHEAD. */
struct cycle_bits {
    uint64_t words[AHEAD / 64];
};
static inline void cycle_bits_set(struct cycle_bits *b, uint64_t cycle) {
    b->words[cycle % AHEAD / 64] |= UINT64_C(1) << cycle % 64;
}
static inline void cycle_bits_clear(struct cycle_bits *b, uint64_t cycle) {
    b->words[cycle % AHEAD / 64] &= ~(UINT64_C(1) << cycle % 64);
}
/* The first that is set, from that cycle on; NEVER: none is.  The last word that is looked at is
 * the first one again, whose bits before `from` stand for the latest cycles. */
static inline uint64_t cycle_bits_first(const struct cycle_bits *b, uint64_t from) {
    const unsigned word = (unsigned)(from % AHEAD / 64);
    uint64_t bits = b->words[word] >> from % 64 << from % 64;
    for (unsigned i = 0;; bits = b->words[(word + ++i) % (AHEAD / 64)])
        if (bits)
            return from - from % 64 + 64 * i + (unsigned)__builtin_ctzll(bits);
        else if (i == AHEAD / 64)
            return NEVER;
}

enum warp_state {
    WARP_FREE,
    WARP_GOES,    /* it issues at a cycle that is known */
    WARP_WAITS,   /* for a register that nobody knows when it is there, */
    WARP_FENCED,  /* for all of its accesses, */
    WARP_STOPPED, /* at a barrier */
    WARP_ENDED,   /* all is issued */
};
struct warp {
    const struct simt_warp_trace *trace;
    uint32_t stretch, left, word; /* where it is in its trace */
    uint32_t step, mask;          /* the next instruction */
    uint32_t live;                /* lanes that have not ended */
    uint32_t sub, slot, number;   /* in its subcore; in its block */
    uint32_t block;               /* index of core.blocks */
    uint32_t outstanding;         /* accesses */
    uint32_t barrier;
    uint8_t state, cause; /* enum warp_state; enum simt_stall, of operands of the next */
    /* Cycles from which on it is there; a barrier has let it go; its operands are there; the next
     * instruction is. */
    uint64_t begin, released, operands, fetched;
    struct simt_set near, far; /* the track table: where registers are valid */
    struct simt_set written;
    struct simt_set pending; /* nobody knows when they are there */
    struct simt_set busy;    /* perhaps not there yet */
    /* The tick when each is there, and in the lowest LATE_BITS bits enum simt_stall, of who waits
     * for it. */
    uint64_t ready[PREDICATE_AT + SIMT_PREDICATES];
};
#define LATE_BITS 4u
#define LATE_MASK ((UINT64_C(1) << LATE_BITS) - 1)
struct timed_block {
    struct simt_trace *trace;                     /* NULL: free */
    uint32_t live, held;                          /* warps that have not ended; that are not done */
    uint32_t arrived[BARRIERS], wanted[BARRIERS]; /* wanted 0: all that have not ended */
    uint32_t *warps;                              /* [warps of a block] */
    uint64_t begin_cycle;
};
struct subcore {
    uint64_t slots;     /* taken */
    uint64_t lsu_wait;  /* slots that wait for room */
    uint32_t last;      /* that issued */
    uint32_t accesses;  /* under way */
    uint64_t from;      /* cycles: since when it has warps; */
    uint64_t counted;   /* up to when its cycles are an issue's or a stall's */
    uint64_t slow_free; /* far ALU, near ALU */
    uint64_t near_slow_free;
    uint64_t *collectors; /* [collectors]: when each is free, near */
    uint32_t collector;
    struct simt_span issue_span, near_span; /* for who draws */
};

/* ---- memory ---- */

/* A load, store or atomic of a warp, or what another core asks for. */
struct bank_access {
    uint32_t warp, step;          /* NO_INDEX32: another core's */
    uint32_t left;                /* columns */
    uint32_t bytes;               /* of the registers' rows that go to the near-bank unit */
    uint32_t core, remote_access; /* who asked */
    uint32_t count;               /* columns, of another core's */
    uint32_t repeats;             /* of an atomic, as in its record */
    bool offloaded, stores, atomic, results, same;
    uint64_t latest;
    uint64_t issued, in_tsvs; /* ticks: when; how long it was in the TSVs, or before them */
    uint32_t first_word;      /* of the record, in the warp's words; for when it leaves the LSU */
    uint32_t next;            /* free list */
};
struct bank_request {
    uint64_t arrival; /* cycle */
    uint64_t order;   /* among those of the core */
    uint32_t access, row, next;
    bool missed; /* its row was opened for it */
};
struct request_list { /* in their order; NO_INDEX32: none */
    uint32_t head, tail;
};
struct open_row {
    uint64_t acted, ready, used, hold; /* cycles: ACT, columns from, last column, PRE from */
    struct request_list seen;          /* requests for it */
};
/* A bank chooses among the requests that it has seen, simt.bank_queue at most: those whose row is
 * open are in that row's list, the others in `closed`; the rest, and those that have not come yet,
 * are in `coming`. */
struct bank {
    uint32_t rows[MOST_ROWS]; /* of `open`; NO_INDEX32: none */
    struct request_list closed, coming;
    uint32_t seen;
    uint32_t wanted;      /* bits: rows of `open` that have requests */
    uint64_t column_free; /* cycles */
    uint64_t epoch;       /* refreshes that it has had */
    struct open_row open[MOST_ROWS];
};

enum time_event_kind {
    EVENT_DATA,     /* of a column, are there */
    EVENT_LSU,      /* an access leaves it, lsu_cycles from now on, */
    EVENT_LSU_LATE, /* or later */
    EVENT_GATHER,
    EVENT_WAKE,
    EVENT_DONE, /* a warp is */
    EVENT_PACKET
};
/* Where events wait: most of a kind come in the order of time and lie in a ring, the others in a
 * heap. */
enum time_queue { QUEUE_DATA, QUEUE_LSU, QUEUE_GATHER, QUEUE_HEAP, QUEUES };
struct event {
    uint64_t at, order;
    uint32_t kind, index;
};
struct event_ring {
    struct event *data; /* [size], a power of 2 */
    uint32_t head, len, size;
    uint64_t last; /* when the last one comes */
};
/* Between cores: columns that are asked for, or what became of them. */
struct packet {
    uint64_t sent, at;
    uint32_t from, to, access, step, count, repeats, next;
    uint32_t bytes; /* in the network */
    bool reply, stores, atomic, results;
    uint32_t sectors[2 * LANES];
};

struct sent_packet { /* in the order of time, core and sending */
    uint64_t sent;
    uint32_t from, serial, index;
};

struct times;
struct core {
    struct times *t;
    struct simt_place_time *places; /* the launch's */
    const struct simt_plan *plans;
    uint32_t number;
    bool drawn, watched; /* somebody watches spans; these or what issues */
    uint64_t cycle;      /* the next in which something may issue */
    uint64_t tsv_free;
    uint64_t sent_bytes[2];    /* down, up */
    uint64_t flight, tsv_byte; /* the machine's */
    uint64_t shared_free;
    struct simt_span tsv_span, bank_span;
    struct subcore *subs;
    uint64_t *ready;            /* [subcores]: slots that may issue now */
    uint32_t any_ready;         /* bits: subcores that have some; the last bit for all from 31 on */
    uint64_t *wheel;            /* [WHEEL][subcores]: slots that may issue from that cycle on */
    uint64_t wheel_used;        /* bits: cycles */
    struct warp *warps;         /* [subcores * WHEEL] */
    struct timed_block *blocks; /* [block_count] */
    uint32_t resident, resident_warps;
    uint64_t shared_bytes; /* taken */
    struct bank *banks;    /* [units * banks] */
    uint64_t *bank_next;   /* cycles, NEVER: it has nothing to do */
    uint64_t bank_min;
    /* Refreshes so far; cycles: when the last one is over, when the next one begins. */
    uint64_t epoch, epoch_begin, epoch_end;
    /* Banks of which bank_next is one of the AHEAD cycles from bank_from on, by cycle; those that
     * come later.  Where a core has more than WHEEL banks all are looked at instead. */
    uint64_t bank_wheel[AHEAD], bank_later, bank_from;
    uint64_t bank_later_from; /* cycle: none of them comes before it */
    struct cycle_bits bank_used;
    uint64_t *lines; /* cycle when a line of code is there; NEVER: not fetched */
    VEC(struct bank_request) requests;
    VEC(struct bank_access) accesses;
    VEC(struct event) events; /* a heap */
    struct event_ring rings[QUEUE_HEAP];
    uint64_t head_at[QUEUES], head_order[QUEUES]; /* of the first of each; NEVER: none */
    unsigned first;                               /* enum time_queue: whose is the first of all */
    uint32_t free_request, free_access;
    uint64_t order;           /* events and requests so far */
    struct simt_trace *queue; /* blocks that wait for room, in order */
    uint32_t queued;
    bool starved; /* it has room for a block, and none is there */
    uint64_t end; /* cycle */
};

struct divisor {
    uint32_t number;
    bool power; /* it is one of 2: 1 << shift */
    uint8_t shift;
};
struct times {
    struct simt_launch_time *x;
    const struct target *target;
    const struct simt_keys *keys;
    const struct simt_time_keys *k;
    struct simt_plan *plans;
    struct core *cores;
    /* [core_count], of the cores, side by side: the cycle in which each does something next;
     * whether it has a block that waits, or wants one. */
    uint64_t *next;
    bool *wants;
    uint32_t core_count, subs, banks, all_banks; /* cores; of a core; of a unit; of a core */
    uint32_t slots, block_slots, line_count;
    uint32_t width;                                 /* cores of a row of the mesh */
    uint64_t flight, tsv_byte;                      /* ticks */
    unsigned chunk_shift, granule_shift, row_shift; /* of sectors */
    struct divisor by_cores, by_subs, by_banks;     /* core_count, subs, banks */
    struct simt_trace *spare;
    VEC(struct packet) packets;
    VEC(struct sent_packet) outbox; /* that were sent in this stretch of time */
    uint32_t free_packet;
    uint64_t *mesh, *links; /* ticks when each link is free */
    uint64_t next_block;
    struct simt_trace *held; /* carried out, for a core that has no room in its queue */
    bool done;               /* all blocks are handed out */
};

/* ---- event_time.c ---- */
void simt_event_open(struct core *c);
void simt_event_close(struct core *c);
/* Of which there is room, or there is none; by time and order in the heap. */
void simt_event_grow(struct event_ring *r);
void simt_event_put_heap(struct core *c, const struct event *e);
struct event simt_event_take_heap(struct core *c);

/* The first of a queue is another one, or there is none any more. */
static inline void simt_event_set_head(struct core *c, unsigned queue, const struct event *e) {
    unsigned first = QUEUE_DATA;
    c->head_at[queue] = e ? e->at : NEVER;
    c->head_order[queue] = e ? e->order : UINT64_MAX;
    for (unsigned i = 1; i < QUEUES; i++)
        if (c->head_at[i] < c->head_at[first] ||
            (c->head_at[i] == c->head_at[first] && c->head_order[i] < c->head_order[first]))
            first = i;
    c->first = first;
}

/* Events of one time are in the order in which they were made, but data come first. */
static inline void simt_event_put(struct core *c, uint64_t at, enum time_event_kind kind,
                                  uint32_t index) {
    const unsigned queue = kind == EVENT_DATA     ? QUEUE_DATA
                           : kind == EVENT_LSU    ? QUEUE_LSU
                           : kind == EVENT_GATHER ? QUEUE_GATHER
                                                  : QUEUE_HEAP;
    struct event e = {at, ++c->order, (uint32_t)kind, index};
    struct event_ring *r = &c->rings[queue % QUEUE_HEAP];
    if (queue == QUEUE_HEAP || (r->len && r->last > at)) {
        simt_event_put_heap(c, &e);
        return;
    }
    if (kind == EVENT_DATA)
        e.order = 0;
    if (r->len == r->size)
        simt_event_grow(r);
    r->data[(r->head + r->len) & (r->size - 1)] = e;
    r->last = at;
    if (!r->len++)
        simt_event_set_head(c, queue, &e);
}

/* The next one, which is of queue c->first. */
static inline struct event simt_event_take(struct core *c) {
    if (c->first == QUEUE_HEAP)
        return simt_event_take_heap(c);
    struct event_ring *r = &c->rings[c->first];
    const struct event first = r->data[r->head];
    r->head = (r->head + 1) & (r->size - 1);
    r->len--;
    simt_event_set_head(c, c->first, r->len ? &r->data[r->head] : NULL);
    return first;
}

/* ---- core_time.c ---- */
void simt_core_advance(struct core *c, uint64_t until);
/* Tells what is still to be drawn. */
void simt_core_close_spans(struct times *t);
/* Cycle of what it does next; NEVER: nothing. */
uint64_t simt_core_next(const struct core *c);
/* A register's time is known. */
void simt_core_ready(struct core *c, struct warp *w, const struct simt_set *set, uint64_t tick,
                     enum simt_stall late);
/* An access of the warp is over. */
void simt_core_access_over(struct core *c, struct warp *w, uint64_t tick);
/* The slot of the subcore may issue now. */
static inline void simt_core_is_ready(struct core *c, uint32_t sub, uint64_t slots) {
    c->ready[sub] |= slots;
    c->any_ready |= UINT32_C(1) << (sub < 31 ? sub : 31);
}
/* When the warp may issue its next instruction, from that cycle on. */
void simt_core_consider(struct core *c, struct warp *w, uint64_t from);
void simt_core_draw_tsv(struct core *c, uint64_t begin);
/* Bytes through the TSVs for an instruction, not before `from`; when the last one is at the other
 * end. */
static inline uint64_t simt_core_send(struct core *c, uint32_t step, uint32_t bytes, uint64_t from,
                                      bool up) {
    struct simt_place_time *p = &c->places[step];
    const uint64_t begin = c->tsv_free > from ? c->tsv_free : from;
    p->messages++;
    p->tsv_bytes += bytes;
    c->sent_bytes[up] += bytes;
    c->tsv_free = begin + bytes * c->tsv_byte;
    if (c->drawn)
        simt_core_draw_tsv(c, begin);
    return c->tsv_free + c->flight;
}

/* ---- memory_time.c ---- */
void simt_memory_issue(struct core *c, struct warp *w, const struct simt_plan *p);
void simt_memory_leaves_lsu(struct core *c, uint32_t access, uint64_t tick);
void simt_memory_gather(struct core *c, uint32_t access, uint64_t tick);
void simt_memory_packet(struct core *c, uint32_t packet, uint64_t tick);
/* A bank has carried out a request: data at `tick`, or it is written. */
void simt_memory_column(struct core *c, uint32_t access, uint64_t tick);
void simt_memory_data(struct core *c, uint32_t access, uint64_t tick);
/* Of a sector in its core. */
uint32_t simt_memory_unit_of(const struct times *t, uint32_t sector);
uint32_t simt_memory_core_of(const struct times *t, uint32_t sector);

/* ---- bank_time.c ---- */
void simt_bank_open(struct core *c);
/* Requests come in the order of their arrivals, which are cycles. */
void simt_bank_put(struct core *c, uint32_t bank, uint32_t access, uint32_t row, uint64_t arrival);
/* What banks have to do in the cycle bank_min, which is the first in which there is something. */
void simt_bank_step_all(struct core *c);

/* ---- offload.c ---- */
/* Registers that are not on a side come there; the tick when all are there. */
uint64_t simt_issue_move(struct core *c, struct warp *w, const struct simt_set *set, bool near,
                         uint64_t from);
static inline uint64_t simt_issue_bring(struct core *c, struct warp *w, const struct simt_set *set,
                                        bool near, uint64_t from) {
    const struct simt_set *valid = near ? &w->near : &w->far;
    return (set->units & ~valid->units) || (set->predicates & ~valid->predicates)
               ? simt_issue_move(c, w, set, near, from)
               : from;
}
/* Likewise results of which lanes that are not at work keep what they have. */
uint64_t simt_issue_results(struct core *c, struct warp *w, const struct simt_set *results,
                            bool near, uint64_t from);
/* When the subcore knows of what is done at `done`. */
uint64_t simt_issue_acknowledged(const struct core *c, uint64_t done);
void simt_issue_shared(struct core *c, struct warp *w, const struct simt_plan *p);
void simt_issue_wrote(struct warp *w, const struct simt_set *set, bool near);
void simt_issue_instruction(struct core *c, struct warp *w, const struct simt_plan *p);

/* ---- awaited.c ---- */
/* The warp has issued all of its trace: what it awaits then. */
void simt_awaited_note(const struct core *c, const struct warp *w);

/* ---- mesh.c ---- */
/* A packet from a core, to be filled in; it is sent when the stretch of time is over. */
struct packet *simt_network_packet(struct core *c, uint32_t to, uint64_t sent);
void simt_network_free(struct times *t, uint32_t index);
void simt_network_deliver(struct times *t);

/* ---- dispatch_time.c ---- */
void simt_dispatch_block_over(struct core *c, uint32_t block, uint64_t cycle);
/* A core, which has memory from when it is first asked for: most have nothing to do in a small
 * launch. */
struct core *simt_dispatch_core(struct times *t, uint32_t number);

static inline struct simt_place_time *place_at(struct core *c, uint32_t step) {
    return &c->places[step];
}

#endif
