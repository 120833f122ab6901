/* SPDX-License-Identifier: MIT
 * A package to bytes. */
#include "linker/package/package_format.h"
#include "linker/package/pack.h"
#include "object/bytes.h"
#include "support/file.h"

#include <string.h>

static void put_sizes(const struct package *package, size_t count, struct str *str) {
    put_u32(str, (uint32_t)count);
    for (size_t i = 0; i < count; i++)
        put_u64(str, (uint64_t)package->sizes[i]);
}

static void put_values(const struct package *package, struct str *str) {
    put_u32(str, (uint32_t)package->value_count);
    for (size_t i = 0; i < package->value_count; i++)
        put_u64(str, package->values[i]);
}

static void put_group_lanes(const struct package *package, struct str *str) {
    put_u32(str, package->group_count);
    for (uint32_t g = 0; g < package->group_count; g++)
        put_u32(str, package->group_lanes[g]);
}

static void put_rounds(const struct package *package, struct str *str) {
    uint32_t groups = package->slices ? package->group_count : 0;
    put_u64(str, package->rounds);
    put_u32(str, groups);
    for (uint32_t g = 0; g < groups; g++)
        put_u64(str, package->slices[g]);
}

static void put_finish(const struct package *package, struct str *str) {
    put_u32(str, package->finish.asked);
    put_u32(str, (uint32_t)package->finish_count);
    str_append_n(str, (const char *)package->finish.by_host, package->finish_count);
}

static void put_place(const struct package *package, struct str *str) {
    const uint32_t words[] = {package->place.asked, package->place.chosen, package->place.mpus,
                              package->place.laps, package->place.in_part};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        put_u32(str, words[i]);
}

static void put_text(const char *text, size_t size, struct str *str) {
    put_u32(str, (uint32_t)size);
    str_append_n(str, text, size);
}

static void put_module(const struct package_module *module, struct str *str) {
    put_text(module->size ? module->data : "", module->size, str);
    put_u32(str, (uint32_t)module->address_count);
    for (size_t i = 0; i < module->address_count; i++)
        put_u64(str, module->addresses[i]);
}

static void put_code(const struct package *package, struct str *str) {
    const struct machine *m = package->code->machine;
    struct str code = {0};
    machine_code_write(package->code, &code);
    put_text(m->kind->name, strlen(m->kind->name), str);
    put_u32(str, m->code_version);
    put_text(str_text(&code), code.len, str);
    str_free(&code);
}

static void put_patches(const struct package *package, struct str *str) {
    put_u32(str, (uint32_t)package->patch_count);
    for (size_t i = 0; i < package->patch_count; i++) {
        put_u32(str, package->patches[i]);
        put_u32(str, package->text[package->patches[i]]);
    }
}

static void put_piece(const struct move_piece *piece, struct str *str) {
    put_u32(str, piece->fill);
    put_u32(str, piece->axes);
    put_u64(str, piece->dst);
    put_u64(str, piece->src);
    put_u32(str, piece->dst_reg);
    put_u32(str, piece->src_reg);
    for (uint32_t i = 0; i < piece->axes; i++) {
        put_u64(str, piece->axis[i].count);
        put_u64(str, (uint64_t)piece->axis[i].dst);
        put_u64(str, (uint64_t)piece->axis[i].src);
        put_u32(str, (uint32_t)piece->axis[i].dst_reg);
        put_u32(str, (uint32_t)piece->axis[i].src_reg);
    }
}

static void put_moves(const struct package *package, struct str *str) {
    put_u32(str, (uint32_t)package->plan_count);
    for (size_t i = 0; i < package->plan_count; i++) {
        put_u32(str, (uint32_t)package->plans[i].piece_count);
        for (size_t k = 0; k < package->plans[i].piece_count; k++)
            put_piece(&package->plans[i].pieces[k], str);
    }
}

static void put_fixed(const struct package *package, struct str *str) {
    put_u32(str, (uint32_t)package->fixed_count);
    for (size_t i = 0; i < package->fixed_count; i++) {
        const struct fixed_vrf *f = &package->fixed[i];
        const uint32_t words[] = {f->rfh, f->vrf, f->mpu_offset, f->phys_rfh, f->phys_vrf};
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            put_u32(str, words[w]);
    }
}

/* True if placement lies in the VRF behind a's `vrfs`-th and goes on with its elements. */
static bool joins(const struct package *package, const struct vrf_run *run,
                  const struct placement *placement) {
    uint64_t at = (uint64_t)run->vrf * package->rfh_per_mpu + run->rfh + run->vrfs;
    return run->group == placement->group && run->mpu == placement->mpu &&
           placement->first == run->first + run->count &&
           run->count == (uint64_t)run->vrfs * run->lanes && placement->count <= run->lanes &&
           at == (uint64_t)placement->vrf * package->rfh_per_mpu + placement->rfh;
}

static void put_run(const struct vrf_run *run, struct str *str) {
    const uint32_t words[] = {run->group, run->mpu, run->rfh, run->vrf, run->vrfs, run->lanes};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
        put_u32(str, words[w]);
    put_u64(str, run->first);
    put_u64(str, run->count);
}

static uint32_t put_runs_only(const struct package *package, struct str *str) {
    uint32_t n = 0;
    struct vrf_run run = {0};
    for (size_t i = 0; i < package->placement_count; i++) {
        const struct placement *b = &package->placements[i];
        if (n && joins(package, &run, b)) {
            run.vrfs++;
            run.count += b->count;
            continue;
        }
        if (n)
            put_run(&run, str);
        run = (struct vrf_run){b->group, b->mpu, b->rfh, b->vrf, 1, b->count, b->first, b->count};
        n++;
    }
    if (n)
        put_run(&run, str);
    return n;
}

static void put_runs(const struct package *package, struct str *str) {
    struct str runs = {0};
    uint32_t n = put_runs_only(package, &runs);
    put_u32(str, n);
    str_append_n(str, str_text(&runs), runs.len);
    str_free(&runs);
}

static void put_kernel(const struct package_kernel *kernel, struct str *str) {
    put_text(kernel->size ? kernel->code : "", kernel->size, str);
    put_u32(str, kernel->line_count);
    for (uint32_t i = 0; i < kernel->line_count; i++)
        put_u32(str, kernel->lines[i]);
    str_append_n(str, (const char *)kernel->reg_bits, sizeof kernel->reg_bits);
    put_u32(str, kernel->mpus);
}

static void put_buffers(const struct package *package, struct str *str) {
    for (size_t i = 0; package->buffers && i < package->buffer_count; i++) {
        put_u32(str, package->buffers[i].layout);
        put_u64(str, package->buffers[i].unit);
        put_u64(str, package->buffers[i].halo);
    }
}

static void put_payload(const struct package *package, struct str *str) {
    const uint32_t words[] = {package->lanes, package->vrf_per_rfh, package->rfh_per_mpu,
                              package->mpus,  package->image_first, package->image_count};
    put_u32(str, (uint32_t)strlen(package->target));
    str_append(str, package->target);
    str_append_n(str, package->target_hash, 64);
    str_append_n(str, package->program_hash, 64);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        put_u32(str, words[i]);
    put_sizes(package, package->size_count, str);
    put_values(package, str);
    put_group_lanes(package, str);
    put_finish(package, str);
    put_rounds(package, str);
    put_place(package, str);
    put_u32(str, (uint32_t)package->call_count);
    str_append_n(str, (const char *)package->calls, package->call_count);
    for (size_t i = 0; i < package->kernel_count; i++)
        put_kernel(&package->kernels[i], str);
    for (size_t i = 0; i < package->module_count; i++)
        put_module(&package->modules[i], str);
    put_buffers(package, str);
    str_append_n(str, (const char *)package->reg_bits, sizeof package->reg_bits);
    put_code(package, str);
    put_patches(package, str);
    put_fixed(package, str);
    put_moves(package, str);
    put_runs(package, str);
}

void package_write(const struct package *package, struct str *out) {
    struct str payload = {0};
    char digest[65];
    put_payload(package, &payload);
    sha256_hex(payload.text, payload.len, digest);
    put_u32(out, PACKAGE_MAGIC);
    put_u32(out, PACKAGE_VERSION);
    str_append_n(out, digest, PACKAGE_DIGEST);
    str_append_n(out, payload.text, payload.len);
    str_free(&payload);
}
