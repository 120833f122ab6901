/* SPDX-License-Identifier: MIT
 * Shapes of products: those that are equal are one. */
#include "linker/join/link.h"
#include "object/bytes.h"

#include <string.h>

static bool name_is_taken(const struct object *object, const char *name) {
    for (size_t i = 0; i < object->products.len; i++)
        if (strcmp(object->products.data[i].name, name) == 0)
            return true;
    return false;
}

/* The name, or with as many _ behind it as it takes to be that of no other shape. */
static const char *free_name(struct link *link, const char *name) {
    while (name_is_taken(link->out, name))
        name = arena_printf(&link->out->arena, "%s_", name);
    return arena_strdup(&link->out->arena, name);
}

static void too_many(struct link *link, const struct link_input *in,
                     const struct product_decl *decl) {
    diag_error(link->d, object_span(link->out, link_place_out(in, decl->place), link->d),
               "the program has more than %d shapes of products; '%s' of %s is one more",
               ISA_MAX_PRODUCTS, decl->name, link_input_name(in));
}

void link_merge_products(struct link *link, struct link_input *in) {
    struct object *out = link->out;
    in->products = ARENA_ARRAY(&link->arena, in->o->products.len, uint32_t);
    for (size_t i = 0; i < in->o->products.len; i++) {
        struct product_decl p = in->o->products.data[i];
        in->products[i] = object_find_product(out, &p.product);
        if (in->products[i] < out->products.len)
            continue;
        if (out->products.len == ISA_MAX_PRODUCTS) {
            too_many(link, in, &p);
            in->products[i] = 0;
            return;
        }
        p.name = free_name(link, p.name);
        p.place = link_place_out(in, p.place);
        vec_push(&out->products, p);
    }
}
