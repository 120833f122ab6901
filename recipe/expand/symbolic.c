/* SPDX-License-Identifier: MIT
 * Values and places of an expansion: what each is, and the row class and section where it lies. */
#include "recipe/expand/walk.h"

bool expand_place_is_written(const struct expansion *expansion, uint8_t field) {
    static const uint32_t flags[] = {WRITES_RS, WRITES_RT, WRITES_RD, WRITES_C, WRITES_M};
    return expansion->info->flags & flags[field];
}

uint32_t expand_new_scratch(struct expansion *expansion, unsigned section, const void *owner,
                            uint32_t name, int position) {
    struct uop_value v = {
        .section = (uint16_t)section, .owner = owner, .name = name, .position = (int16_t)position};
    vec_push(&expansion->list.values, v);
    return (uint32_t)expansion->list.values.len - 1;
}

void expand_sym_list_free(struct sym_list *list) {
    vec_free(&list->uops);
    vec_free(&list->values);
}

int expand_constant_class(const struct target *target, int value) {
    for (uint32_t i = 0; i < plane_target(target)->row_class_count; i++)
        if (plane_target(target)->row_classes[i].value == value)
            return (int)i;
    return -1;
}

int expand_plain_scratch_class(const struct target *target) {
    int any = -1;
    for (uint32_t i = plane_target(target)->row_class_count; i-- > 0;)
        if (plane_target(target)->row_classes[i].scratch_rows &&
            (any < 0 || plane_target(target)->row_classes[any].compute ||
             !plane_target(target)->row_classes[i].compute))
            any = (int)i;
    return any;
}

bool expand_classes_are_plain(const struct target *target) {
    unsigned n = 0;
    for (uint32_t i = 0; i < plane_target(target)->row_class_count; i++)
        n += plane_target(target)->row_classes[i].scratch_rows > 0;
    return n <= 1;
}

/* C, M and valid: where they are rows, in the first section; else they belong to none. */
static struct where_place place_of_latch(int class) {
    return (struct where_place){class, class < CLASS_BUFFER ? 0 : -1};
}

struct where_place expand_place_of(const struct expansion *expansion, uint32_t place, int here) {
    const struct target *t = expansion->set->target;
    uint32_t payload = PLACE_PAYLOAD(place);
    const struct uop_value *v;
    switch (PLANE_CLASS(place)) {
    case PLANE_REGISTER:
        return (struct where_place){(int)plane_target(t)->register_class,
                                    (int)((payload & 63) % plane_target(t)->sections)};
    case PLANE_SCRATCH:
        v = &expansion->list.values.data[payload];
        return (struct where_place){v->class ? v->class - 1 : expand_plain_scratch_class(t),
                                    v->section};
    case PLANE_CONST:
        return (struct where_place){expand_constant_class(t, (int)payload), here};
    case PLANE_BUFFER:
        return (struct where_place){CLASS_BUFFER, (int)(payload >> 16)};
    case PLANE_C:
        return place_of_latch(plane_target(t)->class_of_c);
    case PLANE_M:
        return place_of_latch(plane_target(t)->class_of_m);
    default:
        return place_of_latch(plane_target(t)->class_of_valid);
    }
}
