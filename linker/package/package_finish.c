/* SPDX-License-Identifier: MIT
 * Reductions that the host finishes, in packages. */
#include "linker/package/pack.h"

#include <string.h>

/* "auto", "device", "host". */
static const char *package_finish_name(enum finish_choice choice) {
    static const char *const names[FINISH_CHOICES] = {
        [FINISH_AUTO] = "auto", [FINISH_DEVICE] = "device", [FINISH_HOST] = "host"};
    return names[choice];
}

bool package_finish_parse(const char *name, enum finish_choice *out) {
    for (unsigned c = 0; c < FINISH_CHOICES; c++)
        if (strcmp(package_finish_name((enum finish_choice)c), name) == 0) {
            *out = (enum finish_choice)c;
            return true;
        }
    return false;
}

void package_keep_finish(struct package *package, const struct object *object,
                         const struct package_finish *finish) {
    uint8_t *by_host = ARENA_ARRAY(&package->arena, object->finishes.len, uint8_t);
    if (finish && finish->by_host && object->finishes.len)
        memcpy(by_host, finish->by_host, object->finishes.len);
    package->finish_count = object->finishes.len;
    package->finish = (struct package_finish){finish ? finish->asked : FINISH_DEVICE, by_host};
}

void package_patch_finishes(const struct object *object, const struct package_finish *finish,
                            uint32_t *text) {
    for (size_t i = 0; finish->by_host && i < object->finishes.len; i++) {
        const struct finish_record *r = &object->finishes.data[i];
        struct insn jump = {.op = OP_JUMP, .imm = (int32_t)r->last};
        if (finish->by_host[i])
            isa_encode(&jump, &text[r->first]);
    }
}

uint32_t package_finish_bytes(const struct finish_record *record) {
    return record->type.bits <= 8    ? 1
           : record->type.bits <= 16 ? 2
           : record->type.bits <= 32 ? 4
                                     : 8;
}

uint32_t package_finish_skip(const struct object *object, const uint8_t *by_host, uint32_t index) {
    for (size_t i = 0; by_host && i < object->finishes.len; i++) {
        const struct finish_record *r = &object->finishes.data[i];
        if (by_host[i] && index >= r->first && index < r->last)
            return r->last;
    }
    return index;
}
