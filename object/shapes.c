/* SPDX-License-Identifier: MIT
 * Shapes of products, which MULPs name. */
#include "object/object.h"
#include "support/str.h"

uint32_t object_find_product(const struct object *object, const struct isa_product *product) {
    uint32_t i = 0;
    while (i < object->products.len &&
           !isa_product_same(&object->products.data[i].product, product))
        i++;
    return i;
}

void object_product_text(const struct product_decl *decl, struct str *out) {
    const struct isa_product *p = &decl->product;
    const char *signs = isa_product_signs(p);
    str_printf(out, "%s %u, %u, %u, %u%s%s", decl->name, p->a, p->b, p->lo, p->width,
               *signs ? ", " : "", signs);
}

struct product_list object_products(const struct object *object, struct arena *arena) {
    struct isa_product *list = ARENA_ARRAY(arena, object->products.len, struct isa_product);
    for (size_t i = 0; i < object->products.len; i++)
        list[i] = object->products.data[i].product;
    return (struct product_list){list, (uint32_t)object->products.len};
}
