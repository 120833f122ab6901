/* SPDX-License-Identifier: MIT
 * Sets of DPUs: allocated, parted, freed; what was spent on them. */
#include "runtime/dpu/dpus.h"

#include "support/json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- codes ---- */

const char *mpu_dpu_error(dpu_error_t error) {
    static const char *const texts[] = {
        [DPU_OK] = "no error",
        [DPU_ERR_INTERNAL] = "internal error",
        [DPU_ERR_SYSTEM] = "system error",
        [DPU_ERR_DRIVER] = "driver error",
        [DPU_ERR_ALLOCATION] = "allocation error",
        [DPU_ERR_INVALID_DPU_SET] = "invalid set of DPUs",
        [DPU_ERR_INVALID_THREAD_ID] = "invalid thread",
        [DPU_ERR_INVALID_NOTIFY_ID] = "invalid notification",
        [DPU_ERR_INVALID_WRAM_ACCESS] = "invalid access to WRAM",
        [DPU_ERR_INVALID_IRAM_ACCESS] = "invalid access to IRAM",
        [DPU_ERR_INVALID_MRAM_ACCESS] = "invalid access to MRAM",
        [DPU_ERR_INVALID_SYMBOL_ACCESS] = "invalid access to a symbol",
        [DPU_ERR_MRAM_BUSY] = "MRAM is busy",
        [DPU_ERR_TRANSFER_ALREADY_SET] = "the transfer is set already",
        [DPU_ERR_DIFFERENT_DPU_PROGRAMS] = "DPUs with different programs",
        [DPU_ERR_CORRUPTED_MEMORY] = "corrupted memory",
        [DPU_ERR_DPU_DISABLED] = "a disabled DPU",
        [DPU_ERR_DPU_ALREADY_RUNNING] = "the DPU is running already",
        [DPU_ERR_INVALID_MEMORY_TRANSFER] = "invalid transfer",
        [DPU_ERR_INVALID_LAUNCH_POLICY] = "invalid launch policy",
        [DPU_ERR_DPU_FAULT] = "a DPU is in fault",
        [DPU_ERR_ELF_INVALID_FILE] = "invalid ELF file",
        [DPU_ERR_ELF_NO_SUCH_FILE] = "no such ELF file",
        [DPU_ERR_ELF_NO_SUCH_SECTION] = "no such ELF section",
        [DPU_ERR_TIMEOUT] = "timeout",
        [DPU_ERR_INVALID_PROFILE] = "invalid profile",
        [DPU_ERR_UNKNOWN_SYMBOL] = "unknown symbol",
        [DPU_ERR_LOG_FORMAT] = "the log is not of a known format",
        [DPU_ERR_LOG_CONTEXT_MISSING] = "the program has no log",
        [DPU_ERR_LOG_BUFFER_TOO_SMALL] = "the log is too small"};
    return (size_t)error < sizeof texts / sizeof *texts ? texts[error] : "unknown error";
}
dpu_error_t dpus_say(mpu_dpu_say *say, dpu_error_t error, const char *format, ...) {
    struct str text = {0};
    va_list args;
    va_start(args, format);
    str_vprintf(&text, format, args);
    va_end(args);
    if (say)
        say(str_text(&text));
    str_free(&text);
    return error;
}
dpu_error_t mpu_dpu_refuse(const char *name, mpu_dpu_say *say) {
    return dpus_say(say, DPU_ERR_INTERNAL, "%s is not supported", name);
}

/* ---- allocation ---- */

static void free_all(struct mpu_dpus *all) {
    for (uint32_t i = 0; i < all->count; i++)
        free(all->each[i].fault);
    for (size_t i = 0; i < all->programs.len; i++)
        dpus_program_free(all->programs.data[i]);
    vec_free(&all->programs);
    dpus_close(all);
    free(all->each);
    free(all->stats);
    free(all);
}
static dpu_error_t open_all(struct mpu_dpus *all, uint32_t count, struct dpus_profile *profile,
                            mpu_dpu_say *say) {
    uint64_t dpus = 0;
    if (!dpus_open(all, profile, &dpus))
        return dpus_say(say, DPU_ERR_INVALID_PROFILE, "%s", str_text(&all->said));
    if (count == DPU_ALLOCATE_ALL)
        count = dpus < count ? (uint32_t)dpus : count;
    if (!count || count > dpus)
        return dpus_say(say, DPU_ERR_ALLOCATION,
                        "%" PRIu32 " DPUs are asked for; the machine has %" PRIu64, count, dpus);
    all->each = xcalloc(count, sizeof *all->each);
    all->count = count;
    all->stats = profile->stats;
    profile->stats = NULL;
    return DPU_OK;
}
dpu_error_t mpu_dpu_alloc(uint32_t count, const char *profile, const char *base,
                          struct dpu_set_t *set, mpu_dpu_say *say) {
    struct dpus_profile p = {.target = NULL};
    struct mpu_dpus *all = xcalloc(1, sizeof *all);
    dpu_error_t error = dpus_profile_take(&p, base, say);
    if (!error)
        error = dpus_profile_take(&p, profile, say);
    if (!error)
        error = open_all(all, count, &p, say);
    dpus_profile_free(&p);
    if (error)
        free_all(all);
    else
        *set = (struct dpu_set_t){all, 0, all->count};
    return error;
}
static dpu_error_t write_stats(const struct mpu_dpus *all, mpu_dpu_say *say) {
    static const char *const ways[DPUS_WAYS] = {"to_one", "from_one", "to_many", "from_many",
                                                "to_all"};
    const struct dpus_spent *s = &all->spent;
    struct json *j = json_new_line();
    struct str text = {0};
    json_object_begin(j, NULL);
    json_u64(j, "dpus", all->count);
    json_u64(j, "launches", s->launches);
    json_u64(j, "launch_ps", s->launch_ps);
    json_u64(j, "kernel_ps", s->kernel_ps);
    json_u64(j, "instructions", device_units_total(all->device, "instructions"));
    json_u64(j, "cycles", device_units_total(all->device, "dpu_cycles"));
    json_object_begin(j, "transfers");
    for (int w = 0; w < DPUS_WAYS; w++) {
        json_object_begin(j, ways[w]);
        json_u64(j, "count", s->ways[w].transfers);
        json_u64(j, "bytes", s->ways[w].bytes);
        json_u64(j, "ps", s->ways[w].ps);
        json_object_end(j);
    }
    json_object_end(j);
    json_object_end(j);
    json_finish(j, &text);
    FILE *f = fopen(all->stats, "a");
    bool fine = f && fputs(str_text(&text), f) >= 0;
    fine = f && fclose(f) == 0 && fine;
    str_free(&text);
    return fine ? DPU_OK : dpus_say(say, DPU_ERR_SYSTEM, "'%s' cannot be written", all->stats);
}
dpu_error_t mpu_dpu_free(struct dpu_set_t set, mpu_dpu_say *say) {
    if (!set.all || set.first || set.count != set.all->count)
        return dpus_say(say, DPU_ERR_INVALID_DPU_SET,
                        "DPUs are freed as they were allocated, all together");
    dpu_error_t error = set.all->stats ? write_stats(set.all, say) : DPU_OK;
    free_all(set.all);
    return error;
}
bool mpu_dpu_part(struct dpu_set_t set, bool ranks, uint32_t i, struct dpu_set_t *part) {
    const uint64_t end = (uint64_t)set.first + set.count;
    const uint64_t begin = !ranks ? (uint64_t)set.first + i
                           : i    ? (set.first / MPU_DPU_RANK + (uint64_t)i) * MPU_DPU_RANK
                                  : set.first;
    if (begin >= end)
        return false;
    const uint64_t next = ranks ? (begin / MPU_DPU_RANK + 1) * MPU_DPU_RANK : begin + 1;
    *part =
        (struct dpu_set_t){set.all, (uint32_t)begin, (uint32_t)((next < end ? next : end) - begin)};
    return true;
}
void mpu_dpu_time(struct dpu_set_t set, mpu_dpu_times *out) {
    const struct dpus_spent *s = &set.all->spent;
    *out = (mpu_dpu_times){.launches = s->launches,
                           .launch_ps = s->launch_ps,
                           .kernel_ps = s->kernel_ps,
                           .instructions = device_units_total(set.all->device, "instructions"),
                           .cycles = device_units_total(set.all->device, "dpu_cycles")};
    for (int w = 0; w < DPUS_WAYS; w++) {
        bool from = w == DPUS_FROM_ONE || w == DPUS_FROM_MANY;
        *(from ? &out->from_dpu_bytes : &out->to_dpu_bytes) += s->ways[w].bytes;
        *(from ? &out->from_dpu_ps : &out->to_dpu_ps) += s->ways[w].ps;
    }
}
