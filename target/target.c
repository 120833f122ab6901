/* SPDX-License-Identifier: MIT
 * The parts of a target file one after the other; its kind reads what is its own. */
#include "target/host.h"
#include "target/load.h"

#include "isa-spec/builtin.h"
#include "support/alloc.h"
#include "support/file.h"
#include "support/saturate.h"
#include "support/str.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *target_arith_word(enum target_arith arith) {
    static const char *const words[TARGET_ARITHS] = {"exact", "flush", "compat", "serial"};
    return words[arith];
}

static bool check_arith(struct target_text *text, const struct target *target) {
    if (target->arith == ARITH_EXACT || text->kind->ariths & ARITH_BIT(target->arith))
        return true;
    target_error(text, target_find(text->root, "arith"), "arith",
                 "%s machines have no arithmetic but %s", text->kind->name,
                 text->kind->ariths & ARITH_BIT(ARITH_FLUSH) ? "exact and flush" : "exact");
    return false;
}

/* Bandwidths of fewer VRFs ascend from 2 VRFs on, below that of the mode itself. */
static bool check_rates(struct target_text *text, const struct target *target, struct span at) {
    static const char *const modes[HOST_MODES] = {
        [HOST_SERIAL] = "serial", [HOST_PARALLEL] = "parallel", [HOST_BROADCAST] = "broadcast"};
    static const char *const names[HOST_RATES + 1] = {"few.vrfs", "some.vrfs", "vrfs"};
    for (unsigned m = 0; m < HOST_MODES; m++) {
        const struct host_mode *mode = &target->host_modes[m];
        uint32_t before = 1;
        for (unsigned i = 0; i <= HOST_RATES; i++) {
            uint32_t vrfs = i < HOST_RATES ? mode->fewer[i].vrfs : mode->vrfs;
            if (vrfs ? vrfs > before : i < HOST_RATES || before == 1) {
                before = vrfs ? vrfs : before;
                continue;
            }
            diag_error(text->diag, at,
                       "host.modes.%s.%s is %" PRIu32 ", which is not above %" PRIu32, modes[m],
                       names[i], vrfs, before);
            return false;
        }
    }
    return true;
}

static bool check_together(struct target_text *text, const struct target *target) {
    struct span at = {text->root->at.source, 0, 0};
    if (!check_arith(text, target) || !check_rates(text, target, at))
        return false;
    if (target->active_vrf_per_rfh > target->vrf_per_rfh) {
        diag_error(text->diag, at, "machine.active_vrf_per_rfh is %u, but an RFH has %u VRFs",
                   target->active_vrf_per_rfh, target->vrf_per_rfh);
        return false;
    }
    if (target->cap == CAP_POWER && (!target->limit_mw_per_cm2 || !target_area(target).known)) {
        diag_error(text->diag, at,
                   "control.cap=power needs a limit (thermal.limit_mw_per_cm2) and areas "
                   "(area.arrays_um2, front_end.area_um2)");
        return false;
    }
    if ((uint64_t)target_vrfs_per_mpu(target) * target->mpus > UINT32_MAX) {
        diag_error(text->diag, at, "more than 2^32 VRFs");
        return false;
    }
    return true;
}

static bool fill(struct target_text *text, struct target *target,
                 const struct target_override *overrides, size_t count) {
    if (!target_text_read(text, text->name))
        return false;
    const struct yaml_node *name = target_node_find(text->root, "name");
    if (name && name->kind == NODE_SCALAR)
        text->name = name->text;
    if (text->kind)
        target->own = arena_alloc(text->arena, text->kind->own_size + 1);
    target->kind = text->kind;
    target->path = text->path;
    target->builtin = text->builtin ? arena_strdup(text->arena, text->builtin) : NULL;
    struct target_iso iso;
    if (!target_text_override(text, overrides, count))
        return false;
    target_scale(text);
    if (!target_area_begin(text, &iso) || !target_schema_fill(text, target) ||
        !target_front_end_fill(text, target) || !target_area_mpus(text, target, &iso) ||
        (text->kind->fill && !text->kind->fill(text, target)) || !check_together(text, target))
        return false;
    target->name = text->name;
    target_keys_fill(text, target);
    sha256_hex(str_text(&text->hashed), text->hashed.len, target->hash);
    return true;
}

struct target *target_open(const char *name, const struct target_override *overrides, size_t count,
                           struct diag *diag) {
    struct target *t = xcalloc(1, sizeof *t);
    t->buffer_registers = TARGET_BUFFER_REGISTERS;
    t->flit_bytes = 1;
    t->fan_out = 4;
    t->lanes_unit = 1;
    struct target_text x = {.arena = &t->arena, .diag = diag, .name = name};
    uint32_t errors = diag_errors(diag);
    bool fine = fill(&x, t, overrides, count) && diag_errors(diag) == errors;
    target_text_free(&x);
    if (fine)
        return t;
    target_free(t);
    return NULL;
}

void target_free(struct target *target) {
    if (!target)
        return;
    arena_free(&target->arena);
    free(target);
}

uint64_t target_issue_ps(const struct target *target) {
    if (target->control != CONTROL_STREAM)
        return target->front_end_ps;
    uint64_t link = target_host_serial_ps(target, HOST_IN, target->word_bytes);
    return link > target->datapath_ps ? link : target->datapath_ps;
}

uint64_t target_decode_ps(const struct target *target) {
    return target->control == CONTROL_STREAM ? 0 : target_issue_ps(target);
}
