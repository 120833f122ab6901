/* SPDX-License-Identifier: MIT */
#include "target/host.h"
#include "target/load.h"

#include "isa-spec/builtin.h"
#include "support/alloc.h"
#include "support/file.h"
#include "support/saturate.h"
#include "support/str.h"

#include <stdlib.h>
#include <string.h>

static bool check_together(struct target_text *x, const struct target *t) {
    struct span at = {x->root->at.source, 0, 0};
    if (t->active_vrf_per_rfh > t->vrf_per_rfh) {
        diag_error(x->diag, at, "machine.active_vrf_per_rfh is %u, but an RFH has %u VRFs",
                   t->active_vrf_per_rfh, t->vrf_per_rfh);
        return false;
    }
    if (t->cap == CAP_POWER && (!t->limit_mw_per_cm2 || !target_area(t).known)) {
        diag_error(x->diag, at,
                   "control.cap=power needs a limit (thermal.limit_mw_per_cm2) and areas "
                   "(area.arrays_um2, front_end.area_um2)");
        return false;
    }
    if ((uint64_t)target_vrfs_per_mpu(t) * t->mpus > UINT32_MAX) {
        diag_error(x->diag, at, "more than 2^32 VRFs");
        return false;
    }
    return true;
}

static bool fill(struct target_text *x, struct target *t, const struct target_override *overrides,
                 size_t count) {
    if (!target_text_read(x, x->name))
        return false;
    const struct yaml_node *name = target_node_find(x->root, "name");
    if (name && name->kind == NODE_SCALAR)
        x->name = name->text;
    if (x->kind)
        t->own = arena_alloc(x->arena, x->kind->own_size + 1);
    t->kind = x->kind;
    if (!target_text_override(x, overrides, count) || !target_area_mpus(x) ||
        !target_schema_fill(x, t) || (x->kind->fill && !x->kind->fill(x, t)) ||
        !check_together(x, t))
        return false;
    t->name = x->name;
    t->path = x->path;
    target_keys_fill(x, t);
    sha256_hex(str_text(&x->hashed), x->hashed.len, t->hash);
    return true;
}

struct target *target_open(const char *name, const struct target_override *overrides, size_t count,
                           struct diag *d) {
    struct target *t = xcalloc(1, sizeof *t);
    t->buffer_registers = TARGET_BUFFER_REGISTERS;
    t->flit_bytes = 1;
    t->lanes_unit = 1;
    struct target_text x = {.arena = &t->arena, .diag = d, .name = name};
    uint32_t errors = diag_errors(d);
    bool fine = fill(&x, t, overrides, count) && diag_errors(d) == errors;
    target_text_free(&x);
    if (fine)
        return t;
    target_free(t);
    return NULL;
}

void target_free(struct target *t) {
    if (!t)
        return;
    arena_free(&t->arena);
    free(t);
}

uint64_t target_issue_ps(const struct target *t) {
    uint64_t link =
        t->control == CONTROL_STREAM ? target_host_serial_ps(t, HOST_IN, t->word_bytes) : 0;
    return link > t->front_end_ps ? link : t->front_end_ps;
}
