/* SPDX-License-Identifier: MIT */
#include "release.h"

#include "support/vec.h"

#include <math.h>
#include <string.h>

const char *const release_memories[RELEASE_MEMORIES] = {"DDR4", "3DS"};

bool release_memory_of(const char *name, enum release_memory *out) {
    for (unsigned i = 0; i < RELEASE_MEMORIES; i++)
        if (strcmp(release_memories[i], name) == 0) {
            *out = (enum release_memory)i;
            return true;
        }
    return false;
}

/* ---- memories ---- */

struct memory {
    unsigned row_bytes, subarrays;
    double act, pre;      /* ns */
    double cpu_hz, cpu_w; /* what carries out reductions: 4 bytes a cycle */
};
static const struct memory memories[RELEASE_MEMORIES] = {
    {8192, 2048, 14.16, 14.16, 2.3e9, 105.0 / 12}, {256, 65536, 10.2, 9.9, 1.25e9, 10}};

/* ---- operations ---- */

enum op { COPY, SHIFT, AND, OR, XOR, QUERY, REDUCTION };
#define OPS 7

/* Of a row.  The energies are the release's, of AAP, 2 AAP, 4 AAP, and 5 AAP and 2 AP, rounded. */
static const struct {
    const char *name;
    unsigned acts, pres;
    double nj;
} ops[OPS] = {[COPY] = {"AAP", 2, 1, 0.871},       [SHIFT] = {"SHIFT", 2, 1, 1.74},
              [AND] = {"AND", 8, 4, 3.48},         [OR] = {"OR", 8, 4, 3.48},
              [XOR] = {"XOR", 12, 7, 5.68},        [QUERY] = {"query", 0, 0, 0},
              [REDUCTION] = {"reduction", 0, 0, 0}};

struct step {
    enum op op;
    unsigned entries; /* rows of a query's table */
    unsigned steps;   /* of a shift */
    double bytes;
};

/* ---- workloads ---- */

struct program {
    VEC(struct step) steps;
    unsigned mended;
    double bytes; /* of the steps to come */
};

static void put(struct program *p, enum op op, unsigned times) {
    for (unsigned i = 0; i < times; i++)
        vec_push(&p->steps, ((struct step){.op = op, .steps = 1, .bytes = p->bytes}));
}

static void put_queries(struct program *p, unsigned entries, unsigned times) {
    for (unsigned i = 0; i < times; i++)
        vec_push(&p->steps, ((struct step){.op = QUERY, .entries = entries, .bytes = p->bytes}));
}

/* Bytes, and bits back or forth. */
static unsigned steps_of(unsigned distance) {
    unsigned bytes = distance / 8, bits = distance % 8;
    return bytes + (bits <= 1 + 8 - bits ? bits : 1 + 8 - bits);
}

static void put_shifts(struct program *p, unsigned distance, unsigned times) {
    for (unsigned i = 0; i < times; i++) {
        put(p, SHIFT, 1);
        if (p->mended & RELEASE_DISTANCE)
            vec_last(&p->steps).steps = steps_of(distance);
    }
}

/* Kogge and Stone's adder: a level for each doubling of the distance. */
static void put_sum_levels(struct program *p, unsigned bits) {
    put(p, XOR, 1);
    put(p, AND, 1);
    for (unsigned distance = 1; distance < bits; distance *= 2) {
        put_shifts(p, distance, 2);
        put(p, AND, 1);
        put(p, OR, 1);
        put(p, AND, 1);
    }
}

static void put_sum_end(struct program *p) {
    put_shifts(p, 1, 1);
    put(p, XOR, 1);
}

static void put_sum(struct program *p, unsigned bits) {
    put_sum_levels(p, bits);
    put_sum_end(p);
}

static void put_table_sum(struct program *p) {
    put_shifts(p, 4, 1);
    put(p, OR, 1);
    put_queries(p, 256, 1);
}

/* Products of halves of 4 bits, four a part; then two sums of twice the bits. */
static void put_product(struct program *p, unsigned parts, unsigned bits) {
    for (unsigned i = 0; i < parts; i++) {
        put(p, COPY, 4);
        put(p, AND, 4);
        put(p, OR, 2);
        put_shifts(p, 4, 2);
        put(p, OR, 2);
        put_queries(p, 256, 4);
        put(p, OR, 1);
    }
    put_sum_levels(p, bits);
    if (p->mended & RELEASE_LAST_STEP)
        put_sum_end(p);
    put_sum_levels(p, bits);
    put_sum_end(p);
}

static void put_checksum(struct program *p, unsigned entries, unsigned bytes) {
    put_queries(p, entries, p->mended & RELEASE_CRC_BYTES ? bytes : 1);
    put(p, REDUCTION, 1);
}

#define FEW  (16.0 * 8192)
#define MEBI 1048576.0

static void put_vmpc(struct program *p, unsigned entries, unsigned before) {
    put_queries(p, entries, before);
    double all = p->bytes;
    p->bytes = p->mended & RELEASE_VMPC_SUM ? all : FEW;
    put_sum(p, 8);
    p->bytes = all;
    put_queries(p, entries, 1);
}

static double image_bytes(unsigned mended) {
    const double pixels = 936000;
    return mended & RELEASE_CHANNELS ? 3 * pixels : mended & RELEASE_IMAGE ? 115.0 * 8192 : FEW;
}

/* LeNet-5's layers: maps, their pixels, those of a kernel, stride. */
static void put_lenet(struct program *p, unsigned bits, unsigned entries) {
    static const struct {
        unsigned maps, pixels, kernel, stride;
    } layers[] = {{6, 28 * 28, 25, 1}, {6, 14 * 14, 4, 2}, {16, 10 * 10, 25, 1}, {16, 5 * 5, 4, 2},
                  {120, 1, 25, 1},     {84, 1, 1, 1},      {10, 1, 1, 1}};
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        double elements = layers[i].maps * layers[i].pixels * layers[i].kernel;
        p->bytes = elements / layers[i].stride / (8 / bits);
        put_queries(p, entries, 2);
        put(p, REDUCTION, 1);
    }
}

static void put_salsa20(struct program *p, unsigned entries, unsigned times) {
    put(p, REDUCTION, 1);
    put_queries(p, entries, times);
    put(p, XOR, 1);
}

static void put_logic(struct program *p, unsigned released, unsigned needed) {
    put(p, OR, 1);
    put_queries(p, p->mended & RELEASE_LOGIC ? needed : released, 1);
}

/* ---- the workloads, by name ---- */

static void put_add4(struct program *p, unsigned bits, unsigned none) {
    (void)none;
    if (p->mended & RELEASE_ADD_TABLE)
        put_table_sum(p);
    else
        put_sum(p, bits);
}

static void put_add8(struct program *p, unsigned bits, unsigned none) {
    (void)none;
    put_sum(p, bits);
}

static void put_image(struct program *p, unsigned entries, unsigned times) {
    p->bytes = image_bytes(p->mended);
    put_queries(p, entries, times);
}

static const struct workload {
    const char *name;
    double bytes;
    void (*put)(struct program *, unsigned a, unsigned b);
    unsigned a, b;
} workloads[RELEASE_WORKLOADS] = {
    [RELEASE_ADD4] = {"VecAdd4_KSA", FEW, put_add4, 4, 0},
    [RELEASE_ADD8] = {"VecAdd8", FEW, put_add8, 8, 0},
    [RELEASE_MUL8] = {"VecMulQ8", FEW, put_product, 1, 16},
    [RELEASE_MUL16] = {"VecMulQ16", FEW, put_product, 4, 32},
    [RELEASE_CRC8] = {"CRC8", 128 * MEBI, put_checksum, 256, 1},
    [RELEASE_CRC16] = {"CRC16", 128 * MEBI, put_checksum, 256, 2},
    [RELEASE_CRC32] = {"CRC32", 128 * MEBI, put_checksum, 256, 4},
    [RELEASE_SALSA20] = {"Salsa20", 512 * MEBI, put_salsa20, 256, 1},
    [RELEASE_VMPC] = {"VMPC", 512 * MEBI, put_vmpc, 256, 3},
    [RELEASE_BITWISE] = {"BitWiseOps", FEW, put_logic, 256, 4},
    [RELEASE_BITCOUNT] = {"BitCount", FEW, put_queries, 256, 1},
    [RELEASE_BITCOUNT_SHORT] = {"BitCount_short", FEW, put_queries, 16, 1},
    [RELEASE_IMGBIN] = {"ImgBin", FEW, put_image, 256, 1},
    [RELEASE_COLORGRADE] = {"ColorGrade", FEW, put_image, 256, 1},
    [RELEASE_LENET4] = {"LeNet4", 0, put_lenet, 4, 256},
    [RELEASE_LENET1] = {"LeNet1", 0, put_lenet, 1, 256}};

const char *release_workload_name(enum release_workload w) {
    return workloads[w].name;
}

bool release_workload_of(const char *name, enum release_workload *out) {
    for (unsigned i = 0; i < RELEASE_WORKLOADS; i++)
        if (strcmp(workloads[i].name, name) == 0) {
            *out = (enum release_workload)i;
            return true;
        }
    return false;
}

static void put_workload(struct program *p, enum release_workload w) {
    p->bytes = workloads[w].bytes;
    workloads[w].put(p, workloads[w].a, workloads[w].b);
}

/* ---- commands of an operation ---- */

struct commands {
    unsigned acts, pres;
    double ns; /* beyond them */
};

static struct commands query_commands(enum formula_design d, unsigned n, unsigned mended) {
    struct commands c = {n, d == FORMULA_BSA ? n : 1, 0};
    if (d == FORMULA_GSA)
        c = mended & RELEASE_GSA_ONCE ? (struct commands){2 * n, n + 1, 0}
                                      : (struct commands){2 * n, 2 * n, 0};
    if (mended & RELEASE_ENDS)
        c = (struct commands){c.acts + 2, c.pres + 1, formula_rbm_ns};
    return c;
}

static struct commands commands_of(const struct step *s, enum formula_design d, unsigned mended) {
    if (s->op == QUERY)
        return query_commands(d, s->entries, mended);
    return (struct commands){ops[s->op].acts * s->steps, ops[s->op].pres * s->steps, 0};
}

/* ---- time ---- */

struct turns {
    double slots;   /* of all turns of rows, one after the other */
    double at_once; /* rows in a turn */
};

/* The release shares slots among subarrays, parts of rows and all, and cuts off what is less than
 * a slot. */
static struct turns turns_of(double bytes, unsigned slots, const struct memory *m,
                             const struct release_run *r) {
    double rows = bytes / m->row_bytes, at_once = fmin(r->parallel, ceil(rows));
    if (r->mended & RELEASE_WHOLE)
        return (struct turns){slots * ceil(ceil(rows) / at_once), at_once};
    return (struct turns){trunc(slots * rows / at_once), at_once};
}

static double reduction_s(double bytes, const struct memory *m) {
    return bytes / m->cpu_hz / 4;
}

/* Of the commands alone, and what tFAW adds. */
static double step_ns(const struct step *s, const struct memory *m, const struct release_run *r,
                      double *waiting) {
    struct commands c = commands_of(s, r->design, r->mended);
    struct turns t = turns_of(s->bytes, c.acts + c.pres, m, r);
    double turns = t.slots / (c.acts + c.pres);
    double ns = r->mended & RELEASE_PRECHARGE ? turns * (c.acts * m->act + c.pres * m->pre)
                                              : m->act * t.slots;
    ns += turns * c.ns;
    if (r->mended & RELEASE_WINDOW)
        *waiting += fmax(0, turns * c.acts * t.at_once * r->tfaw / 4 - ns);
    else if (r->parallel > 4 && m->subarrays > 4)
        *waiting += r->tfaw * floor(t.slots / 4);
    return ns;
}

static double program_ns(const struct program *p, const struct release_run *r) {
    const struct memory *m = &memories[r->memory];
    double ns = 0, waiting = 0, cpu_s = 0;
    for (size_t i = 0; i < p->steps.len; i++) {
        const struct step *s = &p->steps.data[i];
        if (s->op == REDUCTION)
            cpu_s += reduction_s(s->bytes, m);
        else
            ns += step_ns(s, m, r, &waiting);
    }
    return ns + waiting + (r->mended & RELEASE_SECONDS ? cpu_s * 1e9 : cpu_s);
}

/* ---- energy ---- */

/* Of a row of 8 kB. */
static double query_nj(enum formula_design d, unsigned n, unsigned mended) {
    double reload = d == FORMULA_GSA ? formula_ap_nj : 0;
    double nj = d == FORMULA_GSA && !(mended & RELEASE_GSA_ONCE) ? 2 * n * formula_ap_nj
                                                                 : formula_query_nj(d, n, reload);
    return nj + (mended & RELEASE_ENDS ? formula_aap_nj : 0);
}

static double row_nj(const struct step *s, const struct release_run *r) {
    if (s->op == QUERY)
        return query_nj(r->design, s->entries, r->mended);
    if (s->op == SHIFT && r->mended & RELEASE_SHIFT_NJ)
        return formula_aap_nj * s->steps;
    return ops[s->op].nj * s->steps;
}

static double step_nj(const struct step *s, const struct memory *m, const struct release_run *r) {
    if (s->op == REDUCTION)
        return reduction_s(s->bytes, m) * m->cpu_w * 1e9;
    double rows = s->bytes / m->row_bytes;
    if (r->mended & RELEASE_WHOLE)
        rows = ceil(rows);
    double nj = row_nj(s, r) * rows;
    return r->mended & RELEASE_ROW_NJ ? nj * m->row_bytes / formula_row_bytes : nj;
}

static double program_nj(const struct program *p, const struct release_run *r) {
    double nj = 0;
    for (size_t i = 0; i < p->steps.len; i++)
        nj += step_nj(&p->steps.data[i], &memories[r->memory], r);
    return nj;
}

/* ---- what is asked ---- */

static double run(const struct release_run *r,
                  double ask(const struct program *, const struct release_run *)) {
    struct program p = {.mended = r->mended};
    put_workload(&p, r->workload);
    double answer = ask(&p, r);
    vec_free(&p.steps);
    return answer;
}

double release_ns(const struct release_run *r) {
    return run(r, program_ns);
}

double release_nj(const struct release_run *r) {
    return run(r, program_nj);
}

double release_query_ns(enum formula_design d, enum release_memory m, unsigned entries) {
    struct commands c = query_commands(d, entries, RELEASE_NOTHING);
    return (c.acts + c.pres) * memories[m].act;
}

void release_describe(enum release_workload w, struct str *out) {
    struct program p = {0};
    unsigned counts[OPS] = {0}, entries = 0;
    double least = INFINITY, most = 0;
    put_workload(&p, w);
    for (size_t i = 0; i < p.steps.len; i++) {
        const struct step *s = &p.steps.data[i];
        counts[s->op]++;
        entries = s->entries ? s->entries : entries;
        least = fmin(least, s->bytes);
        most = fmax(most, s->bytes);
    }
    vec_free(&p.steps);
    if (least < most)
        str_printf(out, "| %s | %.6g to %.6g |", release_workload_name(w),
                   least / formula_row_bytes, most / formula_row_bytes);
    else
        str_printf(out, "| %s | %.6g |", release_workload_name(w), most / formula_row_bytes);
    for (unsigned o = 0; o < OPS; o++)
        if (o == QUERY && counts[o])
            str_printf(out, " %u of %u rows |", counts[o], entries);
        else
            str_printf(out, counts[o] ? " %u |" : " |", counts[o]);
    str_char(out, '\n');
}

void release_operations(struct str *out) {
    for (unsigned o = 0; o < QUERY; o++)
        str_printf(out, "| %s | %u | %u | %u | %.3f |\n", ops[o].name, ops[o].acts, ops[o].pres,
                   ops[o].acts + ops[o].pres, ops[o].nj);
}
