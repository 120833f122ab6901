/* SPDX-License-Identifier: MIT
 * Reductions that the host finishes, in packages. */
#include "linker/pack.h"

#include <string.h>

const char *package_finish_name(enum finish_choice c) {
    static const char *const names[FINISH_CHOICES] = {
        [FINISH_AUTO] = "auto", [FINISH_DEVICE] = "device", [FINISH_HOST] = "host"};
    return names[c];
}

bool package_finish_parse(const char *name, enum finish_choice *out) {
    for (unsigned c = 0; c < FINISH_CHOICES; c++)
        if (strcmp(package_finish_name((enum finish_choice)c), name) == 0) {
            *out = (enum finish_choice)c;
            return true;
        }
    return false;
}

void package_keep_finish(struct package *p, const struct object *o,
                         const struct package_finish *f) {
    uint8_t *by_host = ARENA_ARRAY(&p->arena, o->finishes.len, uint8_t);
    if (f && f->by_host && o->finishes.len)
        memcpy(by_host, f->by_host, o->finishes.len);
    p->finish_count = o->finishes.len;
    p->finish = (struct package_finish){f ? f->asked : FINISH_DEVICE, by_host};
}

void package_patch_finishes(const struct object *o, const struct package_finish *f,
                            uint32_t *text) {
    for (size_t i = 0; f->by_host && i < o->finishes.len; i++) {
        const struct finish_record *r = &o->finishes.data[i];
        struct insn jump = {.op = OP_JUMP, .imm = (int32_t)r->last};
        if (f->by_host[i])
            isa_encode(&jump, &text[r->first]);
    }
}

uint32_t package_finish_bytes(const struct finish_record *r) {
    return r->type.bits <= 8 ? 1 : r->type.bits <= 16 ? 2 : r->type.bits <= 32 ? 4 : 8;
}

uint32_t package_finish_skip(const struct object *o, const uint8_t *by_host, uint32_t index) {
    for (size_t i = 0; by_host && i < o->finishes.len; i++) {
        const struct finish_record *r = &o->finishes.data[i];
        if (by_host[i] && index >= r->first && index < r->last)
            return r->last;
    }
    return index;
}
