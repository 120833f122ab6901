/* SPDX-License-Identifier: MIT
 * Sets of DPUs: allocated, loaded, launched. */
#include "runtime/dpu/dpus.h"

#include "support/alloc.h"
#include "support/file.h"
#include "support/json.h"

#include <inttypes.h>
#include <stdarg.h>
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

/* ---- profiles ---- */

/* Names of the SDK that say nothing here. */
static bool is_known(const char *name) {
    static const char *const names[] = {"backend",
                                        "cycleAccurate",
                                        "regionMode",
                                        "rankPath",
                                        "chipId",
                                        "nrThreadPerRank",
                                        "nrThreadsPerPool",
                                        "nrJobPerRank",
                                        "ignoreVersion",
                                        "ignoreVcc",
                                        "disableMuxSwitch",
                                        "disableResetOnAlloc",
                                        "disableSafeRuntime",
                                        "enableProfiling",
                                        "nrDpusPerCi",
                                        "nrCis"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}
/* False: what stands there is no number from 1 on, or more than most. */
static bool take_number(const char *value, uint64_t most, uint64_t *out) {
    char *end;
    if (*value < '0' || *value > '9')
        return false;
    *out = strtoull(value, &end, 10);
    return !*end && *out && *out <= most;
}
static dpu_error_t take_one(const char *name, const char *value, struct dpu_host_config *c,
                            char **stats, mpu_dpu_say *say) {
    uint64_t n = 0;
    bool fine = true;
    if (strcmp(name, "mhz") == 0) {
        fine = take_number(value, 100000, &n);
        c->mhz = (uint32_t)n;
    } else if (strcmp(name, "threads") == 0) {
        fine = take_number(value, 256, &n);
        c->threads = (unsigned)n;
    } else if (strcmp(name, "watchdog") == 0) {
        fine = take_number(value, UINT64_MAX / 2, &c->most_instructions);
    } else if (strcmp(name, "link") == 0) {
        fine = strcmp(value, "silicon") == 0 || strcmp(value, "recalled") == 0;
        c->link = *value == 's' ? DPU_LINK_SILICON : DPU_LINK_RECALLED;
    } else if (strcmp(name, "stats") == 0) {
        fine = *value;
        free(*stats);
        *stats = xstrdup(value);
    } else if (!is_known(name)) {
        return dpus_say(say, DPU_ERR_INVALID_PROFILE,
                        "the profile has no '%s'; it has mhz, link, threads, watchdog and stats",
                        name);
    }
    if (!fine)
        return dpus_say(say, DPU_ERR_INVALID_PROFILE, "in the profile '%s' cannot be '%s'", name,
                        value);
    return DPU_OK;
}
static dpu_error_t take_profile(const char *profile, struct dpu_host_config *c, char **stats,
                                mpu_dpu_say *say) {
    char *text = xstrdup(profile ? profile : "");
    dpu_error_t error = DPU_OK;
    for (char *next = text; next && *next && !error;) {
        char *one = next, *end = strchr(one, ',');
        next = end ? end + 1 : NULL;
        if (end)
            *end = 0;
        char *equals = strchr(one, '=');
        if (equals)
            *equals = 0;
        error = equals ? take_one(one, equals + 1, c, stats, say)
                       : dpus_say(say, DPU_ERR_INVALID_PROFILE,
                                  "the profile has '%s', which is no name=value", one);
    }
    free(text);
    return error;
}

/* ---- allocation ---- */

dpu_error_t mpu_dpu_alloc(uint32_t count, const char *profile, const char *base,
                          struct dpu_set_t *set, mpu_dpu_say *say) {
    struct dpu_host_config c = DPU_HOST_DEFAULT;
    char *stats = NULL;
    if (count == DPU_ALLOCATE_ALL)
        count = DPU_MOST_DPUS;
    if (count == 0 || count > DPU_MOST_DPUS)
        return dpus_say(say, DPU_ERR_ALLOCATION,
                        "%" PRIu32 " DPUs are asked for; the machine has %u", count, DPU_MOST_DPUS);
    dpu_error_t error = take_profile(base, &c, &stats, say);
    if (!error)
        error = take_profile(profile, &c, &stats, say);
    if (error) {
        free(stats);
        return error;
    }
    c.dpus = count;
    struct mpu_dpus *all = xcalloc(1, sizeof *all);
    all->host = dpu_host_new(&c);
    all->count = count;
    all->stats = stats;
    all->each = xcalloc(count, sizeof *all->each);
    *set = (struct dpu_set_t){all, 0, count};
    return DPU_OK;
}
static dpu_error_t write_stats(const struct mpu_dpus *all, mpu_dpu_say *say) {
    const struct dpu_host_spent *s = dpu_host_spent(all->host);
    struct json *j = json_new_line();
    struct str text = {0};
    json_object_begin(j, NULL);
    json_u64(j, "dpus", all->count);
    json_u64(j, "launches", s->launches);
    json_u64(j, "launch_ps", s->launch_ps);
    json_u64(j, "kernel_ps", s->kernel_ps);
    json_u64(j, "instructions", s->instructions);
    json_u64(j, "cycles", s->cycles);
    json_object_begin(j, "transfers");
    for (int w = 0; w < DPU_WAYS; w++) {
        json_object_begin(j, dpu_way_name((enum dpu_way)w));
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
static void free_all(struct mpu_dpus *all) {
    for (uint32_t i = 0; i < all->count; i++)
        free(all->each[i].fault);
    for (size_t i = 0; i < all->programs.len; i++) {
        dpu_program_free(all->programs.data[i]->program);
        free(all->programs.data[i]);
    }
    vec_free(&all->programs);
    dpu_host_free(all->host);
    free(all->each);
    free(all->stats);
    free(all);
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
    uint32_t end = set.first + set.count;
    uint32_t begin = !ranks ? set.first + i
                     : i    ? (set.first / DPU_RANK_DPUS + i) * DPU_RANK_DPUS
                            : set.first;
    if (begin >= end)
        return false;
    uint32_t next = ranks ? (begin / DPU_RANK_DPUS + 1) * DPU_RANK_DPUS : begin + 1;
    *part = (struct dpu_set_t){set.all, begin, (next < end ? next : end) - begin};
    return true;
}
void mpu_dpu_time(struct dpu_set_t set, mpu_dpu_times *out) {
    const struct dpu_host_spent *s = dpu_host_spent(set.all->host);
    *out = (mpu_dpu_times){.launches = s->launches,
                           .launch_ps = s->launch_ps,
                           .kernel_ps = s->kernel_ps,
                           .instructions = s->instructions,
                           .cycles = s->cycles};
    for (int w = 0; w < DPU_WAYS; w++) {
        bool from = w == DPU_FROM_ONE || w == DPU_FROM_MANY;
        *(from ? &out->from_dpu_bytes : &out->to_dpu_bytes) += s->ways[w].bytes;
        *(from ? &out->from_dpu_ps : &out->to_dpu_ps) += s->ways[w].ps;
    }
}

/* ---- programs ---- */

static dpu_error_t load(struct dpu_set_t set, const char *name, const void *bytes, size_t size,
                        struct dpu_program_t **out, mpu_dpu_say *say) {
    struct diag *d = diag_new(NULL, NULL);
    struct dpu_program *p = dpu_program_read(name, bytes, size, d);
    dpu_error_t error = DPU_OK;
    if (!p)
        error = dpus_say(say, DPU_ERR_ELF_INVALID_FILE, "%s",
                         diag_first(d) ? diag_first(d) : "it is no program of a DPU");
    diag_free(d);
    if (error)
        return error;
    struct dpu_program_t *program = xcalloc(1, sizeof *program);
    program->program = p;
    vec_push(&set.all->programs, program);
    dpu_host_load(set.all->host, set.first, set.count, p);
    for (uint32_t i = set.first; i < set.first + set.count; i++)
        set.all->each[i].program = program;
    if (out)
        *out = program;
    return DPU_OK;
}
dpu_error_t mpu_dpu_load_bytes(struct dpu_set_t set, const void *bytes, size_t size,
                               struct dpu_program_t **program, mpu_dpu_say *say) {
    return load(set, "the program", bytes, size, program, say);
}
dpu_error_t mpu_dpu_load(struct dpu_set_t set, const char *path, struct dpu_program_t **program,
                         mpu_dpu_say *say) {
    struct str bytes = {0};
    FILE *f = path ? fopen(path, "rb") : NULL;
    char part[65536];
    if (!f)
        return dpus_say(say, DPU_ERR_ELF_NO_SUCH_FILE, "'%s' cannot be read", path ? path : "");
    for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
        str_append_n(&bytes, part, n);
    fclose(f);
    dpu_error_t error = load(set, path, bytes.text, bytes.len, program, say);
    str_free(&bytes);
    return error;
}
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

static void keep_faults(struct dpu_set_t set) {
    for (uint32_t i = set.first; i < set.first + set.count; i++) {
        struct dpu_core *core = dpu_host_core(set.all->host, i);
        struct str text = {0};
        if (dpu_core_trouble(core)->fault == DPU_FINE)
            continue;
        str_printf(&text, "DPU %" PRIu32 ": ", i);
        dpu_core_explain(core, set.all->each[i].program->program, &text);
        free(set.all->each[i].fault);
        set.all->each[i].fault = xstrdup(str_text(&text));
        str_free(&text);
    }
}
dpu_error_t mpu_dpu_sync(struct dpu_set_t set, bool *fault, mpu_dpu_say *say) {
    const char *first = NULL;
    for (uint32_t i = set.first; i < set.first + set.count && !first; i++)
        first = set.all->each[i].fault;
    if (fault)
        *fault = first;
    return first ? dpus_say(say, DPU_ERR_DPU_FAULT, "%s", first) : DPU_OK;
}
dpu_error_t mpu_dpu_launch(struct dpu_set_t set, dpu_launch_policy_t policy, mpu_dpu_say *say) {
    uint32_t bad;
    if (policy != DPU_SYNCHRONOUS && policy != DPU_ASYNCHRONOUS)
        return dpus_say(say, DPU_ERR_INVALID_LAUNCH_POLICY, "there is no launch policy %d",
                        (int)policy);
    for (uint32_t i = set.first; i < set.first + set.count; i++) {
        if (!set.all->each[i].program)
            return dpus_say(say, DPU_ERR_INVALID_DPU_SET, "no program is loaded into DPU %" PRIu32,
                            i);
        free(set.all->each[i].fault);
        set.all->each[i].fault = NULL;
    }
    if (!dpu_host_launch(set.all->host, set.first, set.count, &bad))
        keep_faults(set);
    return policy == DPU_SYNCHRONOUS ? mpu_dpu_sync(set, NULL, say) : DPU_OK;
}
