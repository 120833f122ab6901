/* SPDX-License-Identifier: MIT
 * DPUs as units of libmpu's device: opened, reached, launched. */
#include "runtime/dpu/dpus.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

static void keep_first(void *context, const mpu_message *m) {
    struct str *said = context;
    if (mpu_message_severity(m) == MPU_ERROR && !said->len)
        str_append(said, mpu_message_text(m));
}
/* Before a call of libmpu, and behind one that failed. */
static void begin(struct mpu_dpus *all) {
    all->said.len = 0;
}
static bool failed(struct mpu_dpus *all) {
    mpu_messages_flush(all->messages);
    return false;
}

bool dpus_open(struct mpu_dpus *all, const struct dpus_profile *profile, uint64_t *dpus) {
    const char **set = xcalloc(profile->set.len + 1, sizeof *set);
    mpu_config config = {.size = sizeof config, .threads = profile->threads};
    uint64_t in_rank = 0, ranks = 0, mpus = 0;
    for (size_t i = 0; i < profile->set.len; i++)
        set[i] = profile->set.data[i];
    all->messages = config.messages = mpu_messages_new(keep_first, &all->said);
    begin(all);
    all->target =
        mpu_target_open_with(profile->target ? profile->target : "upmem", set, all->messages, NULL);
    if (all->target)
        all->device = mpu_device_open(all->target, &config, NULL);
    free(set);
    if (!all->device)
        return failed(all);
    mpu_target_number(all->target, "vrf_per_rfh", &in_rank);
    mpu_target_number(all->target, "rfh_per_mpu", &ranks);
    mpu_target_number(all->target, "mpus", &mpus);
    *dpus = in_rank * ranks * mpus;
    return true;
}

void dpus_close(struct mpu_dpus *all) {
    mpu_device_close(all->device);
    mpu_target_close(all->target);
    mpu_messages_free(all->messages);
    str_free(&all->said);
}

/* ---- programs ---- */

bool dpus_module(struct mpu_dpus *all, struct dpu_program_t *program, const void *bytes,
                 size_t size) {
    begin(all);
    program->module = mpu_module_load(all->device, "dpu", program->name, bytes, size, NULL);
    if (program->module)
        program->kernel = mpu_module_kernel(program->module, "main", NULL);
    return program->kernel || failed(all);
}

void dpus_module_free(struct dpu_program_t *program) {
    mpu_module_free(program->module);
    program->module = NULL;
    program->kernel = NULL;
}

/* ---- transfers ---- */

dpu_error_t dpus_move(struct mpu_dpus *all, struct dpu_program_t *program, enum dpus_way way,
                      uint32_t at, size_t bytes, const struct device_piece *pieces, size_t count,
                      mpu_dpu_say *say) {
    static const enum host_way ways[DPUS_WAYS] = {[DPUS_TO_ONE] = HOST_IN,
                                                  [DPUS_FROM_ONE] = HOST_OUT,
                                                  [DPUS_TO_MANY] = HOST_IN,
                                                  [DPUS_FROM_MANY] = HOST_OUT,
                                                  [DPUS_TO_ALL] = HOST_SAME};
    struct diag *d = diag_new(NULL, NULL);
    dpu_error_t error = DPU_OK;
    uint64_t before = all->device->counts.host.time_ps;
    if (!device_units_move(program->kernel, ways[way], at, bytes, pieces, count, d))
        error = dpus_say(say, DPU_ERR_INTERNAL, "%s", diag_first(d));
    diag_free(d);
    if (error || !bytes || !count)
        return error;
    all->spent.ways[way].transfers++;
    all->spent.ways[way].bytes += (uint64_t)bytes * count;
    all->spent.ways[way].ps += all->device->counts.host.time_ps - before;
    return DPU_OK;
}

/* ---- launches ---- */

static void keep_faults(struct mpu_dpus *all, const struct dpu_program_t *program, uint32_t first,
                        uint32_t count) {
    for (uint32_t i = first; i < first + count; i++) {
        struct str text = {0};
        str_printf(&text, "'%s', ", program->name);
        if (device_unit_stopped(all->device, i, &text)) {
            free(all->each[i].fault);
            all->each[i].fault = xstrdup(str_text(&text));
        }
        str_free(&text);
    }
}

bool dpus_run(struct mpu_dpus *all, struct dpu_program_t *program, uint32_t first, uint32_t count,
              uint64_t *ps) {
    uint64_t before = all->device->counts.kernel_ps;
    begin(all);
    mpu_result r = mpu_launch_on(program->kernel, NULL, NULL, 0, count, first, NULL, 0, NULL);
    *ps = all->device->counts.kernel_ps - before;
    if (r == MPU_OK)
        return true;
    keep_faults(all, program, first, count);
    return failed(all);
}
