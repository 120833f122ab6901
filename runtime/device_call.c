/* SPDX-License-Identifier: MIT
 * Calls of subroutines that programs bring: copies of the programs, and what is refused. */
#include "runtime/device.h"
#include "runtime/program.h"

#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- libraries ---- */

static struct object *copy_of(const struct object *object, struct diag *diag) {
    struct str bytes = {0};
    object_write(object, &bytes);
    struct object *copy = object_read("program", bytes.text, bytes.len, diag);
    str_free(&bytes);
    return copy;
}

/* It is the one that was called last. */
static struct device_library *call_last(mpu_device *device, struct device_library **link) {
    struct device_library *l = *link;
    *link = l->next;
    l->next = device->libraries;
    return device->libraries = l;
}

/* The device's copy of the program; NULL after reporting. */
static struct device_library *library_of(mpu_device *device, const mpu_program *program,
                                         struct diag *diag) {
    for (struct device_library **l = &device->libraries; *l; l = &(*l)->next)
        if (strcmp((*l)->sha256, program->sha256) == 0)
            return call_last(device, l);
    struct object *object = copy_of(program->object, diag);
    if (!object)
        return NULL;
    struct device_library *l = xcalloc(1, sizeof *l);
    l->object = object;
    l->next = device->libraries;
    memcpy(l->sha256, program->sha256, sizeof l->sha256);
    device->libraries = l;
    return l;
}

static const struct device_sub *sub_of(mpu_device *device, const struct device_library *library,
                                       const char *name) {
    for (struct device_sub *s = device->subs; s; s = s->next)
        if (s->library == library && strcmp(s->signature->name, name) == 0)
            return s;
    for (size_t i = 0; i < library->object->signatures.len; i++) {
        const struct sub_signature *signature = &library->object->signatures.data[i];
        if (strcmp(signature->name, name) != 0)
            continue;
        struct device_sub *s = xcalloc(1, sizeof *s);
        *s = (struct device_sub){library, signature, device->subs};
        device->subs = s;
        return s;
    }
    return NULL;
}

static void free_subs(mpu_device *device, const struct device_library *library) {
    for (struct device_sub **link = &device->subs; *link;) {
        struct device_sub *s = *link;
        if (s->library != library) {
            link = &s->next;
            continue;
        }
        *link = s->next;
        free(s);
    }
}

void device_libraries_trim(mpu_device *device, uint64_t most) {
    struct device_library **link = &device->libraries;
    for (uint64_t bytes = 0; *link; link = &(*link)->next) {
        bytes += sizeof **link + arena_bytes(&(*link)->object->arena);
        if (bytes > most)
            break;
    }
    while (*link) {
        struct device_library *l = *link;
        *link = l->next;
        free_subs(device, l);
        object_free(l->object);
        free(l);
    }
}

void device_libraries_free(mpu_device *device) {
    device_libraries_trim(device, 0);
}

/* ---- the public function ---- */

static bool operand_fits(mpu_device *device, const struct sub_signature *signature, uint32_t k,
                         const mpu_vector *v, uint64_t n, struct diag *diag) {
    char want[8], have[8];
    if (!v)
        return true;
    object_type_text(signature->in[k].type, want);
    object_type_text(v->type, have);
    if (v->device != device)
        diag_error(diag, NO_SPAN, "operand %" PRIu32 " of '%s' is of another device", k + 1,
                   signature->name);
    else if (v->n != n)
        diag_error(diag, NO_SPAN,
                   "operand %" PRIu32 " of '%s' has %" PRIu64 " elements, not %" PRIu64, k + 1,
                   signature->name, v->n, n);
    else if (!ir_same_type(v->type, signature->in[k].type))
        diag_error(diag, NO_SPAN, "operand %" PRIu32 " of '%s' is %s, not %s", k + 1,
                   signature->name, have, want);
    else
        return true;
    return false;
}

static const struct device_sub *find_sub(mpu_device *device, const mpu_program *program,
                                         const char *name, uint64_t n, const mpu_operand *operands,
                                         uint32_t count, struct diag *diag) {
    struct device_library *l = program->parts ? library_of(device, program, diag) : NULL;
    const struct device_sub *s = l ? sub_of(device, l, name) : NULL;
    if (!s || s->signature->out_count != 1 || s->signature->in_count != count) {
        diag_error(diag, NO_SPAN,
                   "the program has no subroutine '%s' of %" PRIu32
                   " operands and one result that other programs can call",
                   name, count);
        return NULL;
    }
    for (uint32_t k = 0; k < count; k++)
        if (!operand_fits(device, s->signature, k, operands[k].v, n, diag))
            return NULL;
    return s;
}

static __attribute__((noinline)) mpu_vector *call_sub(mpu_device *device,
                                                      const mpu_program *program, const char *sub,
                                                      uint64_t n, const mpu_operand *operands,
                                                      uint32_t count, mpu_error **error) {
    struct public_call c;
    if (!device_type_check(device, (mpu_vtype){MPU_KIND_BOOL, 1}, n, error))
        return NULL;
    for (uint32_t k = 0; k < count; k++)
        if (operands[k].v && operands[k].v->device == device &&
            operands[k].v->value->state == VALUE_FAILED) {
            device_refuse_failed(device, error, operands[k].v->value);
            return NULL;
        }
    public_call_begin(&c, device->messages, error);
    const struct device_sub *s = find_sub(device, program, sub, n, operands, count, c.d);
    public_call_end(&c, s ? MPU_OK : MPU_USAGE);
    return s ? device_record_call(device, s, n, operands, count, error) : NULL;
}

mpu_vector *mpu_call(mpu_device *device, const mpu_program *program, const char *sub, uint64_t n,
                     const mpu_operand *operands, uint32_t count, mpu_error **error) {
    PUBLIC_ENTRY_OF(device, error, NULL);
    return call_sub(device, program, sub, n, operands, count, error);
}
