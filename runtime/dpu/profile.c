/* SPDX-License-Identifier: MIT
 * Profiles: "name=value,..", what the machine is and what is wanted of it. */
#include "runtime/dpu/dpus.h"

#include "support/pool.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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
                                        "nrDpusPerCI",
                                        "disableSafeChecks",
                                        "mramAccessByDpuOnly",
                                        "cmdsBufferSize",
                                        "tryRepairIram",
                                        "tryRepairWram",
                                        "usbSerial",
                                        "chipSelect",
                                        "nrThreadsPerRank",
                                        "nrJobsPerRank",
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
static void set(struct dpus_profile *p, const char *key, const char *value) {
    struct str text = {0};
    str_printf(&text, "%s=%s", key, value);
    vec_push(&p->set, xstrdup(str_text(&text)));
    str_free(&text);
}
static void replace(char **text, const char *value) {
    free(*text);
    *text = xstrdup(value);
}
/* Millions of cycles a second as a period. */
static bool take_clock(struct dpus_profile *p, const char *value) {
    uint64_t mhz;
    char text[24];
    if (!take_number(value, 100000, &mhz))
        return false;
    snprintf(text, sizeof text, "%" PRIu64, (2000000 + mhz) / (2 * mhz));
    set(p, "clocks.datapath_ps", text);
    return true;
}
static bool take_threads(struct dpus_profile *p, const char *value) {
    uint64_t n;
    if (!take_number(value, POOL_MAX_THREADS, &n))
        return false;
    p->threads = (uint32_t)n;
    return true;
}
static bool take_watchdog(struct dpus_profile *p, const char *value) {
    uint64_t n;
    if (!take_number(value, UINT64_C(1) << 50, &n))
        return false;
    set(p, "dpu.watchdog", value);
    return true;
}
/* The target's own rates are silicon's. */
static bool take_link(struct dpus_profile *p, const char *value) {
    if (strcmp(value, "recalled") == 0)
        set(p, "set", "prim-link");
    return strcmp(value, "silicon") == 0 || strcmp(value, "recalled") == 0;
}
static bool take_target(struct dpus_profile *p, const char *value) {
    replace(&p->target, value);
    return *value;
}
static bool take_stats(struct dpus_profile *p, const char *value) {
    replace(&p->stats, value);
    return *value;
}
static const struct {
    const char *name;
    bool (*take)(struct dpus_profile *p, const char *value);
} names[] = {{"target", take_target},     {"mhz", take_clock},   {"link", take_link},
             {"watchdog", take_watchdog}, {"stats", take_stats}, {"threads", take_threads}};

static dpu_error_t take_one(struct dpus_profile *p, const char *name, const char *value,
                            mpu_dpu_say *say) {
    size_t i = 0, count = sizeof names / sizeof *names;
    while (i < count && strcmp(names[i].name, name) != 0)
        i++;
    if (i == count && strchr(name, '.')) {
        set(p, name, value);
        return DPU_OK;
    }
    if (i == count && !is_known(name))
        return dpus_say(say, DPU_ERR_INVALID_PROFILE,
                        "the profile has no '%s'; it has target, mhz, link, threads, watchdog, "
                        "stats, and keys of targets with a point in them",
                        name);
    if (i < count && !names[i].take(p, value))
        return dpus_say(say, DPU_ERR_INVALID_PROFILE, "in the profile '%s' cannot be '%s'", name,
                        value);
    return DPU_OK;
}

dpu_error_t dpus_profile_take(struct dpus_profile *p, const char *profile, mpu_dpu_say *say) {
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
        error = equals ? take_one(p, one, equals + 1, say)
                       : dpus_say(say, DPU_ERR_INVALID_PROFILE,
                                  "the profile has '%s', which is no name=value", one);
    }
    free(text);
    return error;
}

void dpus_profile_free(struct dpus_profile *p) {
    for (size_t i = 0; i < p->set.len; i++)
        free(p->set.data[i]);
    vec_free(&p->set);
    free(p->target);
    free(p->stats);
}
