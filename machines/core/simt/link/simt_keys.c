/* SPDX-License-Identifier: MIT
 * The keys of targets of kind `simt`. */
#include "machines/core/simt/link/simt_link.h"
#include "support/saturate.h"
#include "target/load.h"

#include <string.h>

#define WARP_BYTES 128u /* bytes of a register of 32 bits in a warp */

#define AT(member) ((ptrdiff_t)offsetof(struct simt_keys, member))
#define U32(path, min, max, member, help)                                                          \
    { path, KEY_U32, NEED_ALL, min, max, 1, AT(member), NULL, help }
#define U64(path, min, max, member, help)                                                          \
    { path, KEY_U64, NEED_ALL, min, max, 1, AT(member), NULL, help }

#define CHOICE(path, choices, member, help)                                                        \
    { path, KEY_CHOICE, NEED_ALL, 0, 0, 0, AT(member), choices, help }
#define FLAG(path, member, help)                                                                   \
    { path, KEY_CHOICE, NEED_ALL, 0, 0, 0, AT(member), "false true", help }
#define CYCLES(name, least, help)      U32("simt." #name, least, 1 << 20, time.name, help)
#define BYTES(name, least, most, help) U32("simt." #name, least, most, time.name, help)
#define AREA(name, help)               U64("area." #name, 0, MAX_UM2, area.name, help)
#define ENERGY(path, member, help)     U64("energy." path, 0, MAX_FJ, time.member, help)
#define SHARE(path, member, help)      U32("energy." path, 0, 1000000, time.member, help)

static const struct target_key_spec keys[] = {
    {"simt", KEY_BLOCK, NEED_ALL, 0, 0, 0, -1, NULL, "one core"},
    U32("simt.dies", 1, 64, dies, "DRAM dies of a cube, over which its cores are spread"),
    U32("simt.banks", 1, 64, banks, "banks of a near-bank unit"),
    U64("simt.bank_bytes", 32768, UINT64_C(1) << 30, bank_bytes, "a bank, bytes"),
    U32("simt.far_rf_bytes", 128, 1 << 24, far_rf_bytes, "registers of a subcore, bytes"),
    U32("simt.near_rf", 128, 1 << 24, near_rf_bytes, "registers of a near-bank unit, bytes"),
    U32("simt.shared_bytes", 0, 1 << 24, shared_bytes, "shared memory of a core, bytes"),
    U32("simt.icache_bytes", 4, 1 << 24, icache_bytes, "instructions of a core, bytes"),
    U32("simt.warps", 1, 64, warps, "warps of a subcore at most"),
    U32("simt.block_threads", 32, 1024, block_threads, "threads of a block at most"),
    U32("simt.registers", 8, 63, registers,
        "registers of 32 bits of a thread; what is beyond lies in local memory"),
    CHOICE("simt.shared", "near far", shared, "where shared memory lies"),
    U64("simt.watchdog", 1, UINT64_C(1) << 50, watchdog,
        "instructions of a warp until it is stopped"),
    FLAG("simt.timing", time.on, "whether time and energy of kernels are worked out"),
    CHOICE("simt.policy", "annotated hardware near far", time.policy,
           "where instructions are carried out that neither side has to"),
    CHOICE("simt.coalesce", "span aligned", time.coalesce,
           "what loads and stores go to a near-bank unit as one: lanes in a line, or from a "
           "multiple of 128 bytes on"),
    CHOICE("simt.placement", "data round chunk", time.placement, "which core gets a block"),
    CHOICE("simt.cores", "all one", time.cores,
           "the whole machine, or one core that has all blocks and their data"),
    FLAG("simt.near_units", time.near_units, "whether registers and ALUs lie beside the banks"),
    FLAG("simt.uniform_compress", time.uniform_compress,
         "whether a value that all lanes load goes up once"),
    CYCLES(alu_cycles, 1, "an operation, cycles"),
    CYCLES(slow_cycles, 1, "until an ALU takes the next one behind a division or a root, cycles"),
    CYCLES(opc_cycles, 0, "collecting operands, cycles"),
    U32("simt.collectors", 1, 64, time.collectors, "operand collectors of an ALU"),
    CYCLES(lsu_cycles, 0, "checking ranges and coalescing, cycles"),
    U32("simt.lsu_queue", 1, 1024, time.lsu_queue, "accesses of a subcore that are under way"),
    CYCLES(shared_cycles, 1, "shared memory, cycles"),
    BYTES(icache_line, 4, 1 << 16, "a line of the instruction cache, bytes"),
    CYCLES(icache_miss_cycles, 0, "until a line is there, cycles"),
    U32("simt.dispatch_queue", 1, 1024, time.dispatch_queue,
        "blocks that wait for a core at most, in the mean of the cores"),
    BYTES(tsv_bytes, 1, 64, "that the TSVs of a core carry a cycle"),
    CYCLES(tsv_cycles, 0, "through the TSVs, cycles"),
    BYTES(packet_bytes, 1, 4096, "of an instruction that goes to a near-bank unit"),
    BYTES(ack_bytes, 0, 4096, "of what says that it is done"),
    BYTES(access_bytes, 1, 4096, "of a load or store that goes to a near-bank unit"),
    BYTES(command_bytes, 1, 4096, "of a command for one column"),
    U32("simt.rows", 1, 4, time.rows, "rows of a bank that are open at a time"),
    U32("simt.subarrays", 1, 1 << 16, time.subarrays, "subarrays of a bank"),
    BYTES(row_bytes, 32, 1 << 20, "a row"),
    BYTES(granule_bytes, 32, 1 << 20, "that lie in one near-bank unit, then in the next"),
    U32("simt.bank_queue", 1, 64, time.bank_queue, "requests among which a bank chooses"),
    U64("simt.core_chunk", 32, UINT64_C(1) << 32, time.core_chunk,
        "bytes that lie in one core, then in the next"),
    CYCLES(t_rcd, 1, "cycles"),
    CYCLES(t_ccd, 1, "cycles"),
    CYCLES(t_rtp, 0, "cycles"),
    CYCLES(t_rp, 1, "cycles"),
    CYCLES(t_ras, 1, "cycles"),
    CYCLES(t_rfc, 0, "cycles"),
    CYCLES(t_refi, 1, "cycles"),
    CYCLES(t_cl, 0, "cycles"),
    CYCLES(t_cwl, 0, "cycles"),
    CYCLES(t_wr, 0, "cycles"),
    CYCLES(network_cycles, 1, "through the network's interfaces at both ends, cycles"),
    BYTES(mesh_bytes, 1, 64, "that a link of the mesh carries a cycle"),
    CYCLES(hop_millicycles, 0, "through a router, cycles / 1000"),
    BYTES(link_bytes, 1, 64, "that a link between processors carries a cycle"),
    CYCLES(link_cycles, 0, "through a link between processors, cycles"),
    BYTES(header_bytes, 0, 4096, "of a packet in the network"),
    AREA(die_um2, "a die without what is added"),
    AREA(shared_um2, "of a die: shared memory"),
    AREA(registers_um2, "of a die: registers of near-bank units, of area.registers_of bytes each"),
    U32("area.registers_of", 1, 1 << 24, area.registers_of, "registers of a unit, bytes"),
    AREA(controllers_um2, "of a die: memory controllers"),
    AREA(collectors_um2, "of a die: operand collectors"),
    AREA(alus_um2, "of a die: ALUs"),
    AREA(extensions_um2, "of a die: LSU extensions"),
    AREA(rows_um2, "of a die: what several open rows take"),
    ENERGY("column_fj", column_fj, "a read or write of a column, fJ"),
    ENERGY("row_fj", row_fj, "activating or precharging a row, fJ"),
    ENERGY("refresh_fj", refresh_fj, "a refresh of a bank, fJ"),
    ENERGY("rf_fj", rf_fj, "a register of a warp read or written, fJ"),
    ENERGY("shared_fj", shared_fj, "a pass through the shared memory, fJ"),
    ENERGY("collector_fj", collector_fj, "an operand collector, fJ"),
    ENERGY("extension_fj", extension_fj, "a column through the LSU extension, fJ"),
    ENERGY("tsv_bit_fj", tsv_bit_fj, "a bit through the TSVs, fJ"),
    ENERGY("mesh_bit_fj", mesh_bit_fj, "a bit from a core to the next, fJ"),
    ENERGY("link_bit_fj", link_bit_fj, "a bit from a processor to the next, fJ"),
    ENERGY("alu_fj", alu_fj, "an operation of a warp, fJ"),
    SHARE("product_permille", product_permille, "of it, a product"),
    SHARE("slow_permille", slow_permille, "of it, a division or a root"),
};

uint32_t simt_resident_warps(const struct simt_keys *k, uint32_t near, uint32_t both,
                             uint32_t far) {
    const uint32_t low = k->time.near_units ? near + both : 0,
                   high = far + both + (k->time.near_units ? 0 : near);
    uint32_t most = k->warps;
    if (low && k->near_rf_bytes / WARP_BYTES / low < most)
        most = k->near_rf_bytes / WARP_BYTES / low;
    if (high && k->far_rf_bytes / WARP_BYTES / high < most)
        most = k->far_rf_bytes / WARP_BYTES / high;
    return most;
}

void simt_inventory(const struct target *t, struct simt_part_area out[SIMT_INVENTORY]) {
    const struct simt_keys *k = simt_keys(t);
    const struct simt_area_keys *a = &k->area;
    const uint32_t cores = t->rfh_per_mpu / k->dies + (t->rfh_per_mpu % k->dies > 0),
                   units = cores * t->vrf_per_rfh, banks = units * k->banks;
    const struct simt_part_area parts[SIMT_INVENTORY] = {
        {"Shared Memory", cores, a->shared_um2},
        {"Register File", units, sat_scale(a->registers_um2, k->near_rf_bytes, a->registers_of)},
        {"Memory Controller", units, a->controllers_um2},
        {"Operand Collector", units * k->time.collectors, a->collectors_um2},
        {"Vector ALU", units, a->alus_um2},
        {"LSU-extension", units, a->extensions_um2},
        {"Multi-row-buffer Support", banks, a->rows_um2}};
    memcpy(out, parts, sizeof parts);
}

/* A die and what is added to it, which is nothing where all logic is below. */
static uint64_t cube_um2(const struct target *t) {
    struct simt_part_area parts[SIMT_INVENTORY];
    uint64_t um2 = simt_keys(t)->area.die_um2;
    simt_inventory(t, parts);
    for (unsigned i = 0; i < SIMT_INVENTORY && simt_keys(t)->time.near_units; i++)
        um2 = sat_add(um2, parts[i].um2);
    return um2;
}

static bool says(struct target_text *x, const char *path, const char *text) {
    struct yaml_node *n = target_find(x->root, path);
    target_error(x, n ? n : x->root, path, "%s", text);
    return false;
}

static bool is_power(uint64_t n) {
    return n && !(n & (n - 1));
}

/* What numbers alone do not say. */
static bool fill(struct target_text *x, struct target *t) {
    const struct simt_keys *k = t->own;
    const struct simt_time_keys *m = &k->time;
    const struct {
        const char *path;
        uint64_t value;
    } powers[] = {{"simt.banks", k->banks},
                  {"simt.bank_bytes", k->bank_bytes},
                  {"simt.rows", m->rows},
                  {"simt.row_bytes", m->row_bytes},
                  {"simt.granule_bytes", m->granule_bytes},
                  {"simt.core_chunk", m->core_chunk},
                  {"simt.icache_line", m->icache_line},
                  {"simt.tsv_bytes", m->tsv_bytes},
                  {"simt.mesh_bytes", m->mesh_bytes},
                  {"simt.link_bytes", m->link_bytes}};
    bool fine = true;
    for (size_t i = 0; i < sizeof powers / sizeof *powers && fine; i++)
        if (!is_power(powers[i].value))
            fine = says(x, powers[i].path, "must be a power of two");
    if (fine && m->core_chunk < m->granule_bytes)
        fine = says(x, "simt.core_chunk", "must be simt.granule_bytes at least");
    if (fine && m->t_refi <= m->t_rfc)
        fine = says(x, "simt.t_refi", "must be more than simt.t_rfc");
    if (fine && m->rows > m->subarrays)
        fine = says(x, "simt.rows", "must be simt.subarrays at most: each has one row open");
    if (fine && !m->near_units && m->policy != SIMT_POLICY_FAR)
        fine = says(x, "simt.policy", "must be far where there are no near-bank units");
    if (fine && !m->near_units && simt_near_shared(k))
        fine = says(x, "simt.shared", "must be far where there are no near-bank units");
    return fine;
}

const struct target_kind simt_target_kind = {
    .name = "simt",
    .costs = true,
    .measured = true,
    .fill = fill,
    .area = cube_um2,
    .ariths = ARITH_BIT(ARITH_FLUSH),
    .keys = keys,
    .key_count = sizeof keys / sizeof *keys,
    .own_size = sizeof(struct simt_keys),
};
