/* SPDX-License-Identifier: MIT
 * Programs of DPUs: loaded, their symbols, launched. */
#include "runtime/dpu/dpus.h"

#include "support/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- loading ---- */

void dpus_program_free(struct dpu_program_t *program) {
    dpus_module_free(program);
    dpu_program_free(program->program);
    free(program->name);
    free(program->bytes);
    free(program);
}
/* One of that name and file that no DPU has any more: hosts that load in a loop get it again. */
static struct dpu_program_t *left_program(struct mpu_dpus *all, const char *name, const void *bytes,
                                          size_t size) {
    for (size_t i = 0; i < all->programs.len; i++) {
        struct dpu_program_t *p = all->programs.data[i];
        if (!p->dpus && p->size == size && strcmp(p->name, name) == 0 &&
            memcmp(p->bytes, bytes, size) == 0 && dpus_module(all, p, bytes, size))
            return p;
    }
    return NULL;
}
/* Those that neither a DPU nor the host program has. */
static void free_left(struct mpu_dpus *all) {
    size_t kept = 0;
    for (size_t i = 0; i < all->programs.len; i++) {
        struct dpu_program_t *p = all->programs.data[i];
        if (p->dpus || p->bytes)
            all->programs.data[kept++] = p;
        else
            dpus_program_free(p);
    }
    all->programs.len = kept;
}
/* NULL after saying why not. */
static struct dpu_program_t *read_program(struct mpu_dpus *all, const char *name, const void *bytes,
                                          size_t size, mpu_dpu_say *say) {
    struct diag *d = diag_new(NULL, NULL);
    struct dpu_program_t *program = xcalloc(1, sizeof *program);
    program->name = xstrdup(name);
    program->program = dpu_program_read(name, bytes, size, d);
    bool fine = program->program && dpus_module(all, program, bytes, size);
    if (!fine)
        dpus_say(say, DPU_ERR_ELF_INVALID_FILE, "'%s': %s", name,
                 program->program ? str_text(&all->said)
                 : diag_first(d)  ? diag_first(d)
                                  : "it is no program of a DPU");
    diag_free(d);
    if (fine) {
        vec_push(&all->programs, program);
        return program;
    }
    dpus_program_free(program);
    return NULL;
}
/* The DPU has it in place of the one that it had, which goes where no DPU has it any more. */
static void change(struct dpus_one *one, struct dpu_program_t *program) {
    if (one->program && --one->program->dpus == 0)
        dpus_module_free(one->program);
    program->dpus++;
    one->program = program;
    free(one->fault);
    one->fault = NULL;
}
static dpu_error_t load(struct dpu_set_t set, const char *name, const void *bytes, size_t size,
                        struct dpu_program_t **out, mpu_dpu_say *say) {
    struct dpu_program_t *program = left_program(set.all, name, bytes, size);
    program = program ? program : read_program(set.all, name, bytes, size, say);
    if (!program)
        return DPU_ERR_ELF_INVALID_FILE;
    if (out && !program->bytes) {
        program->size = size;
        program->bytes = memcpy(xmalloc(size), bytes, size);
    }
    struct device_piece *none = xcalloc(set.count + 1u, sizeof *none);
    for (uint32_t i = 0; i < set.count; i++) {
        change(&set.all->each[set.first + i], program);
        none[i] = (struct device_piece){set.first + i, none};
    }
    /* Its sections are there from now on, though nothing goes over the link that is counted. */
    dpu_error_t error = dpus_move(set.all, program, DPUS_TO_MANY, 0, 0, none, set.count, say);
    free(none);
    free_left(set.all);
    if (out)
        *out = program;
    return error;
}
dpu_error_t mpu_dpu_load_bytes(struct dpu_set_t set, const void *bytes, size_t size,
                               struct dpu_program_t **program, mpu_dpu_say *say) {
    return load(set, "program", bytes, size, program, say);
}
dpu_error_t mpu_dpu_load(struct dpu_set_t set, const char *path, struct dpu_program_t **program,
                         mpu_dpu_say *say) {
    size_t size = 0;
    char *bytes = path ? file_read_most(path, FILE_MAX_OBJECT, &size) : NULL;
    if (!bytes)
        return dpus_say(say, DPU_ERR_ELF_NO_SUCH_FILE, "'%s' cannot be read: %s", path ? path : "",
                        path ? file_problem(errno) : "it has no name");
    dpu_error_t error = load(set, path, bytes, size, program, say);
    free(bytes);
    return error;
}

/* ---- symbols ---- */

struct dpu_program_t *dpus_program(struct dpu_set_t set, dpu_error_t *error, mpu_dpu_say *say) {
    struct dpu_program_t *program = set.count ? set.all->each[set.first].program : NULL;
    for (uint32_t i = set.first; i < set.first + set.count; i++)
        if (set.all->each[i].program != program) {
            *error =
                dpus_say(say, DPU_ERR_DIFFERENT_DPU_PROGRAMS,
                         "DPUs %" PRIu32 " and %" PRIu32 " have different programs", set.first, i);
            return NULL;
        }
    if (!program)
        *error = dpus_say(say, DPU_ERR_INVALID_DPU_SET, "no program is loaded into DPU %" PRIu32,
                          set.first);
    return program;
}
dpu_error_t mpu_dpu_symbol(struct dpu_program_t *program, const char *name,
                           struct dpu_symbol_t *symbol, mpu_dpu_say *say) {
    const struct dpu_symbol *s = dpu_program_symbol(program->program, name);
    if (!s)
        return dpus_say(say, DPU_ERR_UNKNOWN_SYMBOL, "the program has no symbol '%s'", name);
    *symbol = (struct dpu_symbol_t){s->value, s->size};
    return DPU_OK;
}
dpu_error_t mpu_dpu_symbol_of(struct dpu_set_t set, const char *name, struct dpu_symbol_t *symbol,
                              mpu_dpu_say *say) {
    dpu_error_t error = DPU_OK;
    struct dpu_program_t *program = dpus_program(set, &error, say);
    return program ? mpu_dpu_symbol(program, name, symbol, say) : error;
}

/* ---- launches ---- */

dpu_error_t mpu_dpu_sync(struct dpu_set_t set, bool *fault, mpu_dpu_say *say) {
    const char *first = NULL;
    for (uint32_t i = set.first; i < set.first + set.count && !first; i++)
        first = set.all->each[i].fault;
    if (fault)
        *fault = first;
    return first ? dpus_say(say, DPU_ERR_DPU_FAULT, "%s", first) : DPU_OK;
}
/* Every DPU with a program; what an earlier launch left is forgotten. */
static dpu_error_t begin(struct dpu_set_t set, mpu_dpu_say *say) {
    for (uint32_t i = set.first; i < set.first + set.count; i++)
        if (!set.all->each[i].program)
            return dpus_say(say, DPU_ERR_INVALID_DPU_SET, "no program is loaded into DPU %" PRIu32,
                            i);
    for (uint32_t i = set.first; i < set.first + set.count; i++) {
        free(set.all->each[i].fault);
        set.all->each[i].fault = NULL;
    }
    return DPU_OK;
}
/* DPUs with one program after another, though they work at the same time. */
dpu_error_t mpu_dpu_launch(struct dpu_set_t set, dpu_launch_policy_t policy, mpu_dpu_say *say) {
    struct mpu_dpus *all = set.all;
    uint64_t longest = 0;
    bool fine = true;
    if (policy != DPU_SYNCHRONOUS && policy != DPU_ASYNCHRONOUS)
        return dpus_say(say, DPU_ERR_INVALID_LAUNCH_POLICY, "there is no launch policy %d",
                        (int)policy);
    dpu_error_t error = begin(set, say);
    if (error)
        return error;
    for (uint32_t i = set.first, end = set.first + set.count, next; i < end; i = next) {
        uint64_t ps;
        for (next = i + 1; next < end && all->each[next].program == all->each[i].program;)
            next++;
        fine &= dpus_run(all, all->each[i].program, i, next - i, &ps);
        longest = ps > longest ? ps : longest;
    }
    all->spent.launches++;
    all->spent.launch_ps += all->device->target->launch_ps;
    all->spent.kernel_ps += longest;
    bool fault = false;
    mpu_dpu_sync(set, &fault, NULL);
    if (!fine && !fault)
        return dpus_say(say, DPU_ERR_INTERNAL, "%s", str_text(&all->said));
    return policy == DPU_SYNCHRONOUS ? mpu_dpu_sync(set, NULL, say) : DPU_OK;
}
