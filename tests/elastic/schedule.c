/* SPDX-License-Identifier: MIT
 * An instruction's micro-ops are a graph: what each has to wait for is written down as edges, and
 * its start is asked for through them.  Slots are given in the order of the list.  Whoever asks for
 * the start of a micro-op that waits for itself, or a slot for one that waits for what stands
 * behind the slot in the list, has found that there is no order. */
#include "tests/elastic/schedule.h"

#include "recipe/timing/timing.h"

#include <string.h>

#define UNKNOWN UINT64_MAX
#define NONE    UINT32_MAX

static uint64_t later(uint64_t left, uint64_t right) {
    return left > right ? left : right;
}

/* ---- the port ---- */

static size_t first_not_over(const struct ref_port *port, uint64_t ps) {
    size_t low = 0, high = port->busy.len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (port->busy.data[middle].end_ps <= ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void take(struct ref_port *port, size_t at, struct ref_busy slot) {
    struct ref_busy *list;
    vec_push(&port->busy, slot);
    list = port->busy.data;
    memmove(list + at + 1, list + at, (port->busy.len - 1 - at) * sizeof *list);
    list[at] = slot;
    if (at + 1 < port->busy.len && list[at + 1].start_ps == slot.end_ps) {
        list[at].end_ps = list[at + 1].end_ps;
        memmove(list + at + 1, list + at + 2, (port->busy.len - 2 - at) * sizeof *list);
        port->busy.len--;
    }
    if (at && list[at - 1].end_ps == slot.start_ps) {
        list[at - 1].end_ps = list[at].end_ps;
        memmove(list + at, list + at + 1, (port->busy.len - 1 - at) * sizeof *list);
        port->busy.len--;
    }
}

uint64_t ref_port_take(struct ref_port *port, uint64_t ready_ps, uint64_t slot_ps) {
    size_t i = first_not_over(port, ready_ps);
    uint64_t at = ready_ps;
    while (i < port->busy.len && port->busy.data[i].start_ps < at + slot_ps)
        at = port->busy.data[i++].end_ps;
    if (slot_ps)
        take(port, i, (struct ref_busy){at, at + slot_ps});
    return at;
}

/* ---- the batch ---- */

/* A place as the list has it: who wrote the value that stands there, and who wrote each carry
 * variable of a buffer last; NONE: an instruction before. */
struct ref_place {
    uint32_t writer, readers; /* readers: of the value from before, or NONE */
    uint32_t carry[256];
    uint32_t used; /* carry[0 .. used) are set */
};

void ref_schedule_open(struct ref_schedule *s, const struct target *target, uint32_t issue_queue,
                       struct ref_port *port, uint64_t begin_ps) {
    *s = (struct ref_schedule){
        .target = target, .issue_queue = issue_queue, .port = port, .begin_ps = begin_ps};
    s->places = xcalloc(REF_PLACES, sizeof *s->places);
}

void ref_schedule_close(struct ref_schedule *s) {
    for (size_t i = 0; i < REF_SECTIONS; i++) {
        vec_free(&s->queued[i]);
        vec_free(&s->starts[i]);
    }
    free(s->places);
    s->places = NULL;
}

uint64_t ref_schedule_slot(struct ref_schedule *s, uint64_t ready_ps) {
    s->slots++;
    if (!s->port)
        return ready_ps;
    return ref_port_take(s->port, s->begin_ps + ready_ps, target_issue_ps(s->target)) - s->begin_ps;
}

/* ---- an instruction ---- */

/* `to` begins when `from` has ended. */
struct edge {
    uint32_t from, next; /* next: of the same `to` */
};
struct node {
    uint64_t slot_end_ps, start_ps; /* UNKNOWN until then */
    uint64_t ready_ps;              /* as far as it is known from instructions before */
    uint32_t edges;                 /* the first, or NONE */
    uint32_t before;                /* in its section, or NONE */
    uint32_t section, readers;      /* readers: the first of its value, or NONE */
    bool forwarded, asked;
};
/* One who reads the value that `writer` wrote. */
struct reader {
    uint32_t who, next;
};
struct insn_graph {
    struct ref_schedule *s;
    const struct uop *uops;
    uint32_t count;
    bool pipelined;
    struct node *nodes;
    VEC(struct edge) edges;
    VEC(struct reader) readers;
    uint32_t known; /* a slot may wait for what stands before this one in the list */
};

static int place_of(uint32_t plane) {
    switch (PLANE_CLASS(plane)) {
    case PLANE_BUFFER:
        return (int)(2 * (PLANE_SECTION(plane) % REF_SECTIONS) + (PLANE_NUMBER(plane) >> 8 & 1));
    case PLANE_C:
        return REF_PLACE_C;
    case PLANE_M:
        return REF_PLACE_M;
    default:
        return -1;
    }
}

static bool is_buffer(int place) {
    return place < REF_PLACE_C;
}

static uint32_t carry_of(const struct ref_place *place, uint32_t plane) {
    uint32_t number = PLANE_NUMBER(plane) & 0xff;
    return number < place->used ? place->carry[number] : NONE;
}

static void add_edge(struct insn_graph *g, uint32_t from, uint32_t to) {
    const struct edge e = {from, g->nodes[to].edges};
    if (from == to)
        return;
    g->nodes[to].edges = (uint32_t)g->edges.len;
    vec_push(&g->edges, e);
}

static void add_reader(struct insn_graph *g, uint32_t *list, uint32_t who) {
    const struct reader r = {who, *list};
    *list = (uint32_t)g->readers.len;
    vec_push(&g->readers, r);
}

/* Reads see the latest write before them of their carry variable, or of C or M. */
static void note_read(struct insn_graph *g, uint32_t who, uint32_t plane) {
    int number = place_of(plane);
    if (number < 0)
        return;
    struct ref_place *p = &g->s->places[number];
    uint32_t writer = is_buffer(number) ? carry_of(p, plane) : p->writer;
    if (writer == NONE) {
        struct node *n = &g->nodes[who];
        n->ready_ps = later(n->ready_ps, g->s->values[number].written_ps);
        add_reader(g, &p->readers, who);
        return;
    }
    add_edge(g, writer, who);
    add_reader(g, &g->nodes[writer].readers, who);
}

static void set_carry(struct ref_place *place, uint32_t plane, uint32_t writer) {
    uint32_t number = PLANE_NUMBER(plane) & 0xff;
    while (place->used <= number)
        place->carry[place->used++] = NONE;
    place->carry[number] = writer;
}

static void note_write(struct insn_graph *g, uint32_t who, uint32_t plane) {
    int number = place_of(plane);
    if (number < 0)
        return;
    struct ref_place *p = &g->s->places[number];
    p->writer = who;
    if (is_buffer(number))
        set_carry(p, plane, who);
}

static void wait_for_readers(struct insn_graph *g, uint32_t list, uint32_t who) {
    for (uint32_t r = list; r != NONE; r = g->readers.data[r].next)
        add_edge(g, g->readers.data[r].who, who);
}

/* A write waits for the value that stands there, and for all who read it, wherever in the list.
 * `writers` runs through the list a second time. */
static void wait_for_value(struct insn_graph *g, uint32_t who, uint32_t plane, uint32_t *writers) {
    int number = place_of(plane);
    if (number < 0)
        return;
    uint32_t writer = writers[number];
    struct node *n = &g->nodes[who];
    if (writer == NONE) {
        const struct ref_value *v = &g->s->values[number];
        n->ready_ps = later(n->ready_ps, later(v->written_ps, v->read_ps));
        wait_for_readers(g, g->s->places[number].readers, who);
    } else {
        add_edge(g, writer, who);
        wait_for_readers(g, g->nodes[writer].readers, who);
    }
    writers[number] = who;
}

static void note_values(struct insn_graph *g) {
    uint32_t writers[REF_PLACES];
    memset(writers, 0xff, sizeof writers);
    for (uint32_t i = 0; i < g->count; i++) {
        const struct uop *u = &g->uops[i];
        for (unsigned k = 0; k < u->nsrc; k++)
            note_read(g, i, u->src[k]);
        note_read(g, i, u->predicate);
        for (unsigned k = 0; k < u->ndst; k++)
            note_write(g, i, u->dst[k]);
    }
    for (uint32_t i = 0; i < g->count; i++)
        for (unsigned k = 0; k < g->uops[i].ndst; k++)
            wait_for_value(g, i, g->uops[i].dst[k], writers);
}

static void open_graph(struct insn_graph *g) {
    uint32_t last[REF_SECTIONS];
    memset(last, 0xff, sizeof last);
    g->nodes = xcalloc((size_t)g->count + 1, sizeof *g->nodes);
    for (size_t i = 0; i < REF_PLACES; i++) {
        struct ref_place *p = &g->s->places[i];
        p->writer = p->readers = NONE;
        p->used = 0;
    }
    for (uint32_t i = 0; i < g->count; i++) {
        uint32_t section = g->pipelined ? g->uops[i].section : 0;
        g->nodes[i] = (struct node){.slot_end_ps = UNKNOWN,
                                    .start_ps = UNKNOWN,
                                    .edges = NONE,
                                    .before = last[section],
                                    .section = section,
                                    .readers = NONE,
                                    .forwarded = g->pipelined && g->uops[i].forwarded};
        last[section] = i;
    }
    if (g->pipelined)
        note_values(g);
}

static void close_graph(struct insn_graph *g) {
    free(g->nodes);
    vec_free(&g->edges);
    vec_free(&g->readers);
}

static uint64_t end_of(const struct insn_graph *g, uint32_t i) {
    return g->nodes[i].start_ps + recipe_timing_duration(g->s->target, &g->uops[i]);
}

/* When micro-op i begins, in its node; false: it waits for itself, or for one that is not known
 * yet. */
static bool ask(struct insn_graph *g, uint32_t i) {
    struct node *n = &g->nodes[i];
    if (n->start_ps != UNKNOWN)
        return true;
    if (n->asked || i >= g->known)
        return false;
    n->asked = true;
    uint64_t start = later(n->ready_ps, n->forwarded ? 0 : n->slot_end_ps);
    if (n->before == NONE)
        start = later(start, g->s->end_ps[n->section]);
    else if (ask(g, n->before))
        start = later(start, end_of(g, n->before));
    else
        return false;
    if (n->forwarded) {
        uint32_t from = i - g->uops[i].forwarded;
        if (!ask(g, from))
            return false;
        start = later(start, g->nodes[from].start_ps + g->s->target->datapath_ps);
    }
    for (uint32_t e = n->edges; e != NONE; e = g->edges.data[e].next) {
        if (!ask(g, g->edges.data[e].from))
            return false;
        start = later(start, end_of(g, g->edges.data[e].from));
    }
    n->start_ps = start;
    return true;
}

/* Micro-ops that were issued to each section, those of this instruction by their number behind the
 * starts of those before. */
struct sequence {
    VEC(uint32_t) list[REF_SECTIONS];
};

/* When the queue of the section has room for the next micro-op: when the one that was issued to it
 * issue_queue + 1 before has begun.  False: it does not. */
static bool queue_room(struct insn_graph *g, const struct sequence *q, uint32_t section,
                       uint64_t *ps) {
    size_t before = g->s->queued[section].len, place = before + q->list[section].len;
    if (place < (size_t)g->s->issue_queue + 1)
        return true;
    place -= (size_t)g->s->issue_queue + 1;
    if (place < before) {
        *ps = later(*ps, g->s->queued[section].data[place]);
        return true;
    }
    uint32_t who = q->list[section].data[place - before];
    if (!ask(g, who))
        return false;
    *ps = later(*ps, g->nodes[who].start_ps);
    return true;
}

static bool give_slots(struct insn_graph *g, struct sequence *q, uint64_t *issued_ps) {
    for (uint32_t i = 0; i < g->count; i++) {
        struct node *n = &g->nodes[i];
        uint64_t begin = *issued_ps;
        g->known = i;
        if (!n->forwarded) {
            if (!queue_room(g, q, n->section, &begin))
                return false;
            begin = ref_schedule_slot(g->s, begin);
            n->slot_end_ps = *issued_ps = begin + target_issue_ps(g->s->target);
            vec_push(&q->list[n->section], i);
        }
    }
    return true;
}

/* What the next instruction finds. */
static void leave_values(struct insn_graph *g) {
    for (size_t p = 0; p < REF_PLACES; p++) {
        uint32_t writer = g->s->places[p].writer;
        uint32_t list = writer == NONE ? g->s->places[p].readers : g->nodes[writer].readers;
        struct ref_value *v = &g->s->values[p];
        if (writer != NONE)
            *v = (struct ref_value){end_of(g, writer), 0};
        for (uint32_t r = list; r != NONE; r = g->readers.data[r].next)
            v->read_ps = later(v->read_ps, end_of(g, g->readers.data[r].who));
    }
}

static void leave(struct insn_graph *g, uint64_t *done_ps) {
    for (uint32_t i = 0; i < g->count; i++) {
        const struct node *n = &g->nodes[i];
        vec_push(&g->s->starts[n->section], n->start_ps);
        if (!n->forwarded)
            vec_push(&g->s->queued[n->section], n->start_ps);
        g->s->end_ps[n->section] = later(g->s->end_ps[n->section], end_of(g, i));
        *done_ps = later(*done_ps, end_of(g, i));
    }
    if (g->pipelined)
        leave_values(g);
}

bool ref_schedule_issue(struct ref_schedule *s, const struct uop *uops, size_t count,
                        uint64_t *issued_ps, uint64_t *done_ps) {
    struct insn_graph g = {.s = s,
                           .uops = uops,
                           .count = (uint32_t)count,
                           .pipelined = plane_target(s->target)->bit_pipelined};
    struct sequence *q = xcalloc(1, sizeof *q);
    open_graph(&g);
    bool fine = give_slots(&g, q, issued_ps);
    g.known = g.count;
    for (uint32_t i = 0; fine && i < g.count; i++)
        fine = ask(&g, i);
    if (fine)
        leave(&g, done_ps);
    for (size_t i = 0; i < REF_SECTIONS; i++)
        vec_free(&q->list[i]);
    free(q);
    close_graph(&g);
    return fine;
}
