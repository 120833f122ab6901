/* SPDX-License-Identifier: MIT
 * The mesh of a processor's cores, and links between processors.
 *
 * Packets go along a row first, then along a column.  To another processor they leave and come by
 * core 0 of each.  A link carries one packet at a time, in the order in which they were sent; its
 * head goes on after a router's time.  No packet is there before network_cycles are over, so that
 * cores may go on alone for as long. */
#include "machines/core/simt/time/core_time.h"

#include <stdlib.h>

struct packet *simt_network_packet(struct core *c, uint32_t to, uint64_t sent) {
    struct times *t = c->t;
    uint32_t i = t->free_packet;
    if (i == NO_INDEX32) {
        i = (uint32_t)t->packets.len;
        vec_push(&t->packets, (struct packet){.next = NO_INDEX32});
    } else {
        t->free_packet = t->packets.data[i].next;
    }
    struct packet *p = &t->packets.data[i];
    *p = (struct packet){.sent = sent, .from = c->number, .to = to, .next = NO_INDEX32};
    vec_push(&t->outbox, ((struct sent_packet){sent, c->number, (uint32_t)t->outbox.len, i}));
    return p;
}

void simt_network_free(struct times *t, uint32_t index) {
    t->packets.data[index].next = t->free_packet;
    t->free_packet = index;
}

/* ---- a packet on its way ---- */

struct way {
    struct times *t;
    uint64_t at; /* of its head */
    uint32_t bytes;
    uint32_t hops;
};

static void over(struct way *w, uint64_t *link, uint64_t byte_ticks, uint64_t pass) {
    const uint64_t begin = *link > w->at ? *link : w->at;
    *link = begin + w->bytes * byte_ticks;
    w->at = begin + pass;
}

enum { EAST, WEST, SOUTH, NORTH, SIDES };

static void hop(struct way *w, uint32_t processor, uint32_t core, unsigned side) {
    struct times *t = w->t;
    uint64_t *link = &t->mesh[((size_t)processor * t->target->rfh_per_mpu + core) * SIDES + side];
    over(w, link, TICKS / t->k->mesh_bytes, t->k->hop_millicycles * TICKS / 1000);
    w->hops++;
}

static void cross(struct way *w, uint32_t processor, uint32_t from, uint32_t to) {
    const uint32_t width = w->t->width;
    while (from % width != to % width) {
        const bool east = from % width < to % width;
        hop(w, processor, from, east ? EAST : WEST);
        from = east ? from + 1 : from - 1;
    }
    while (from != to) {
        const bool south = from < to;
        hop(w, processor, from, south ? SOUTH : NORTH);
        from = south ? from + width : from - width;
    }
}

static void carry(struct times *t, struct packet *p) {
    const uint32_t cores = t->target->rfh_per_mpu, a = p->from / cores, b = p->to / cores;
    const struct simt_time_keys *k = t->k;
    struct simt_place_time *place = &t->x->places[p->step];
    struct way w = {.t = t, .at = p->sent};
    w.bytes = k->header_bytes;
    if (p->reply)
        w.bytes += p->results ? p->count * SIMT_SECTOR_BYTES : 0;
    else
        w.bytes += p->count * (k->command_bytes + (p->stores || p->atomic ? SIMT_SECTOR_BYTES : 0));
    t->x->sent_bytes += w.bytes;
    if (a == b) {
        cross(&w, a, p->from % cores, p->to % cores);
    } else {
        cross(&w, a, p->from % cores, 0);
        over(&w, &t->links[2 * a], TICKS / k->link_bytes, k->link_cycles * TICKS);
        over(&w, &t->links[2 * b + 1], TICKS / k->link_bytes, 0);
        cross(&w, b, 0, p->to % cores);
        place->links++;
        place->link_bytes += w.bytes;
    }
    place->hops += w.hops;
    place->hop_bytes += (uint64_t)w.hops * w.bytes;
    p->at = w.at + w.bytes * (TICKS / k->mesh_bytes) + k->network_cycles * TICKS;
    p->bytes = w.bytes;
}

static int by_time(const void *a, const void *b) {
    const struct sent_packet *p = a, *q = b;
    if (p->sent != q->sent)
        return p->sent < q->sent ? -1 : 1;
    if (p->from != q->from)
        return p->from < q->from ? -1 : 1;
    return p->serial < q->serial ? -1 : 1;
}

void simt_network_deliver(struct times *t) {
    if (t->outbox.len > 1)
        qsort(t->outbox.data, t->outbox.len, sizeof *t->outbox.data, by_time);
    for (size_t i = 0; i < t->outbox.len; i++) {
        const uint32_t index = t->outbox.data[i].index;
        struct packet *p = &t->packets.data[index];
        carry(t, p);
        simt_event_put(simt_dispatch_core(t, p->to), p->at, EVENT_PACKET, index);
        if (p->at / TICKS < t->next[p->to])
            t->next[p->to] = p->at / TICKS;
    }
    t->outbox.len = 0;
}
