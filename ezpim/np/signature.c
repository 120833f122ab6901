/* SPDX-License-Identifier: MIT
 * --emit=signature: what whoever calls a kernel has to know, as JSON. */
#include "ezpim/np/unit.h"
#include "support/json.h"

static void put_port(struct json *j, const struct np_port *x, bool result) {
    static const char *const places[] = {
        [NP_PLACE_LANES] = "array", [NP_PLACE_HOST] = "host", [NP_PLACE_SCALAR] = "scalar"};
    json_object_begin(j, NULL);
    json_string(j, "name", x->own.name);
    json_string(j, "type", np_type_short(x->own.type));
    json_array_begin(j, "shape");
    for (uint32_t d = 0; d < x->own.ndim; d++)
        json_u64(j, NULL, x->own.shape[d]);
    json_array_end(j);
    if (!result) {
        json_string(j, "kind", places[x->place]);
        json_bool(j, "changed", x->changed);
        json_array_begin(j, "extents"); /* constants that are extents alone */
        for (uint32_t d = 0; d < x->own.ndim; d++)
            if (x->extents[d])
                json_string(j, NULL, x->extents[d]);
            else
                json_null(j, NULL);
        json_array_end(j);
    }
    json_object_end(j);
}

static void put_constants(struct np_unit *u, struct json *j) {
    json_object_begin(j, "constants");
    for (size_t i = 0; i < u->file.names.len; i++) {
        const struct np_binding *b = &u->file.names.data[i];
        if (b->value.kind == NP_INT &&
            array_range_within((struct array_range){b->value.number, b->value.number},
                               array_type_range((struct mpu_type){TYPE_INT, 64})))
            json_i64(j, b->name, (int64_t)b->value.number);
    }
    json_object_end(j);
}

void np_print_signature(struct np_unit *u, struct str *out) {
    struct json *j = json_new();
    json_object_begin(j, NULL);
    json_string(j, "entry", u->entry->name);
    put_constants(u, j);
    json_array_begin(j, "parameters");
    for (size_t i = 0; i < u->params.len; i++)
        put_port(j, &u->params.data[i], false);
    json_array_end(j);
    json_array_begin(j, "results");
    for (size_t i = 0; i < u->results.len; i++)
        put_port(j, &u->results.data[i], true);
    json_array_end(j);
    json_object_end(j);
    json_finish(j, out);
}
