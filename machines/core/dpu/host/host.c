/* SPDX-License-Identifier: MIT
 * DPUs as a host program has them. */
#include "machines/core/dpu/host/host.h"

#include "support/alloc.h"
#include "support/pool.h"

#include <stdlib.h>

struct dpu_host {
    struct dpu_host_config config;
    struct pool *pool;
    struct dpu_host_spent spent;
    struct dpu_core *cores[]; /* NULL: nothing has been there yet */
};
struct dpu_host *dpu_host_new(const struct dpu_host_config *config) {
    struct dpu_host *h = xcalloc(1, sizeof *h + config->dpus * sizeof *h->cores);
    h->config = *config;
    h->pool = pool_new(config->threads ? config->threads : pool_processors());
    return h;
}
void dpu_host_free(struct dpu_host *h) {
    if (!h)
        return;
    for (uint32_t i = 0; i < h->config.dpus; i++)
        dpu_core_free(h->cores[i]);
    pool_free(h->pool);
    free(h);
}
struct dpu_core *dpu_host_core(struct dpu_host *h, uint32_t dpu) {
    if (!h->cores[dpu])
        h->cores[dpu] = dpu_core_new(&h->config.time);
    return h->cores[dpu];
}
void dpu_host_load(struct dpu_host *h, uint32_t first, uint32_t count,
                   const struct dpu_program *program) {
    for (uint32_t i = first; i < first + count; i++) {
        dpu_core_change(dpu_host_core(h, i), program);
        dpu_core_data(h->cores[i], program);
    }
}

/* ---- launches ---- */

struct host_launch {
    struct dpu_host *h;
    uint32_t first;
    struct one_launch {
        struct dpu_counters before, after;
        bool fine;
    } * each;
};
static void launch_one(void *context, size_t i) {
    struct host_launch *l = context;
    struct dpu_core *core = l->h->cores[l->first + i];
    dpu_core_counters(core, &l->each[i].before);
    l->each[i].fine = dpu_core_run(core, l->h->config.most_instructions);
    dpu_core_counters(core, &l->each[i].after);
}
bool dpu_host_launch(struct dpu_host *h, uint32_t first, uint32_t count, uint32_t *bad) {
    struct host_launch l = {h, first, xcalloc(count, sizeof *l.each)};
    uint64_t longest = 0;
    bool fine = true;
    pool_run(h->pool, count, launch_one, &l);
    for (uint32_t i = count; i-- > 0;) {
        uint64_t cycles = l.each[i].after.cycles - l.each[i].before.cycles;
        longest = cycles > longest ? cycles : longest;
        h->spent.cycles += cycles;
        h->spent.instructions += l.each[i].after.instructions - l.each[i].before.instructions;
        if (!l.each[i].fine) {
            fine = false;
            *bad = first + i;
        }
    }
    h->spent.launches++;
    h->spent.launch_ps += h->config.launch_ps;
    h->spent.kernel_ps += (uint64_t)((double)longest * 1e6 / h->config.mhz);
    free(l.each);
    return fine;
}

/* ---- time ---- */

void dpu_host_moved(struct dpu_host *h, enum dpu_way way, uint32_t dpus, uint64_t bytes) {
    h->spent.ways[way].transfers++;
    h->spent.ways[way].bytes += bytes;
    h->spent.ways[way].ps += dpu_link_ps(h->config.link, way, dpus, bytes);
}
const struct dpu_host_spent *dpu_host_spent(const struct dpu_host *h) {
    return &h->spent;
}
