/* SPDX-License-Identifier: MIT
 * The keys of targets of kind `slot`. */
#include "machines/slot/target/target.h"
#include "support/saturate.h"
#include "target/load.h"

#define AT(member) ((ptrdiff_t)offsetof(struct slot_target, member))
#define U32(path, min, max, member, help)                                                          \
    { path, KEY_U32, NEED_ALL, min, max, 1, AT(member), NULL, help }
#define U64(path, need, max, member, help)                                                         \
    { path, KEY_U64, need, 0, max, 1, AT(member), NULL, help }
#define FLAG(path, member, help)                                                                   \
    { path, KEY_BOOL, NEED_ALL, 0, 0, 0, AT(member), NULL, help }
#define CHOICE(path, member, choices, help)                                                        \
    { path, KEY_CHOICE, NEED_NONE, 0, 0, 0, AT(member), choices, help }

static const struct target_key_spec keys[] = {
    {"pluto", KEY_BLOCK, NEED_ALL, 0, 0, 0, -1, NULL, "rows, tables and designs"},
    U32("pluto.row_bits", 64, 1u << 24, row_bits, "bits of a row"),
    U32("pluto.rows", 16, 1u << 16, rows, "rows of a VRF's data subarray"),
    U32("pluto.table_rows", 2, 1u << 16, table_rows, "rows of the subarray that holds its tables"),
    U32("pluto.match_bits", 0, 64, match_bits,
        "the one width that match logic compares, bits; 0: any that slots have"),
    FLAG("pluto.buffer", buffer, "flip-flops beside the sense amplifiers keep what matched"),
    FLAG("pluto.destructive", destructive, "a sweep destroys what did not match"),
    FLAG("pluto.precharge", precharge, "rows of a sweep are closed one by one"),
    CHOICE("pluto.reload", reload, "aap rbm risc ap none",
           "a row of a destroyed table: an AAP and an RBM; an RBM alone; LISA's copy; an ACT and a "
           "PRE; none: it stays destroyed"),
    CHOICE("pluto.logic", logic, "all table2", "all: XOR and XNOR of rows are commands, too"),
    CHOICE("pluto.load", load, "generate memory storage resident",
           "where tables come from: computed; from memory; from storage; they are there"),
    U64("pluto.bus_bytes_per_s", NEED_ALL, (uint64_t)1 << 50, bus_bytes_per_s,
        "channel of an MPU that brings tables, bytes per second"),
    U64("pluto.storage_bytes_per_s", NEED_ALL, (uint64_t)1 << 50, storage_bytes_per_s,
        "load: storage: where they come from, bytes per second"),
    U64("pluto.element_ps", NEED_ALL, MAX_PS, element_ps,
        "load: generate: an element of a table, ps"),
    U32("pluto.energy_bits", 0, 1u << 24, energy_bits,
        "energies are of a row of so many bits, and go by it; 0: of any row"),
    {"strict", KEY_BLOCK, NEED_NONE, 0, 0, 0, -1, NULL, "what stops a program"},
    CHOICE("strict.nomatch", no_match, "count stop", "a slot of a query that is no index"),
    U64("time.t_act", NEED_ALL, MAX_PS, act_ps, "ACT until the row is there (tRCD), ps"),
    U64("time.t_pre", NEED_ALL, MAX_PS, pre_ps, "PRE (tRP), ps"),
    U64("time.t_rbm", NEED_ALL, MAX_PS, rbm_ps, "a row buffer to the next subarray's, ps"),
    U64("time.t_risc", NEED_ALL, MAX_PS, risc_ps, "reload: risc: a row, ps"),
    U64("time.t_faw", NEED_NONE, MAX_PS, faw_ps,
        "four activations of an MPU in it at most, ps; 0: no limit"),
    U64("time.t_rfc", NEED_NONE, MAX_PS, rfc_ps, "a refresh, ps"),
    U64("time.t_refi", NEED_NONE, MAX_PS, refi_ps, "from refresh to refresh, ps; 0: there is none"),
    U64("energy.e_act", NEED_ALL, MAX_FJ, act_fj, "ACT, fJ"),
    U64("energy.e_pre", NEED_ALL, MAX_FJ, pre_fj, "PRE, fJ"),
    U64("energy.e_ap", NEED_ALL, MAX_FJ, ap_fj, "ACT and PRE, fJ"),
    U64("energy.e_aap", NEED_ALL, MAX_FJ, aap_fj, "ACT, ACT and PRE, fJ"),
    U64("energy.e_rbm", NEED_ALL, MAX_FJ, rbm_fj, "RBM, fJ"),
    U64("energy.e_rd", NEED_ALL, MAX_FJ, rd_fj, "RD of a row, fJ"),
    U64("energy.e_wr", NEED_ALL, MAX_FJ, wr_fj, "WR of a row, fJ"),
};

static bool says(struct target_text *x, const char *path, const char *text) {
    struct yaml_node *n = target_find(x->root, path);
    target_error(x, n ? n : x->root, path, "%s", text);
    return false;
}

/* Energies of the target's own rows. */
static void scale(struct slot_target *s) {
    uint64_t *const all[] = {&s->act_fj, &s->pre_fj, &s->ap_fj, &s->aap_fj,
                             &s->rbm_fj, &s->rd_fj,  &s->wr_fj};
    for (size_t i = 0; s->energy_bits && i < sizeof all / sizeof *all; i++)
        *all[i] = sat_scale(*all[i], s->row_bits, s->energy_bits);
}

/* What numbers alone do not say. */
static bool fill(struct target_text *x, struct target *t) {
    struct slot_target *s = t->own;
    bool fine = true;
    if (s->row_bits & (s->row_bits - 1))
        fine = says(x, "pluto.row_bits", "must be a power of two");
    if (s->table_rows & (s->table_rows - 1))
        fine = says(x, "pluto.table_rows", "must be a power of two");
    if (s->match_bits & (s->match_bits - 1))
        fine = says(x, "pluto.match_bits", "must be a power of two, or 0");
    if (s->buffer && s->destructive)
        fine = says(x, "pluto.destructive", "a row that a buffer reads is not destroyed");
    if (t->lanes != s->row_bits / 64)
        fine = says(x, "array.lanes", "must be pluto.row_bits / 64, lanes of the widest slot");
    if (s->refi_ps && s->refi_ps <= s->rfc_ps)
        fine = says(x, "time.t_refi", "must be more than time.t_rfc");
    if (!s->bus_bytes_per_s || !s->storage_bytes_per_s)
        fine = says(x, "pluto.bus_bytes_per_s", "no bandwidth is 0");
    if (s->ap_fj < s->act_fj || s->aap_fj < 2 * s->act_fj)
        fine = says(x, "energy.e_ap", "AP and AAP take at least what their ACTs take");
    scale(s);
    return fine;
}

const struct target_kind slot_kind_of_target = {
    .name = "slot",
    .costs = true,
    .scales_energies = true, /* pluto.energy_bits */
    .keys = keys,
    .key_count = sizeof keys / sizeof *keys,
    .own_size = sizeof(struct slot_target),
    .fill = fill,
};
