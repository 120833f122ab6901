/* SPDX-License-Identifier: MIT
 * --emit=signature: what a caller of a kernel has to know, as JSON. */
#include "ezpim/np/unit.h"
#include "support/json.h"

static void put_port(struct json *json, const struct np_port *port, bool result) {
    static const char *const places[] = {
        [NP_PLACE_LANES] = "array", [NP_PLACE_HOST] = "host", [NP_PLACE_SCALAR] = "scalar"};
    json_object_begin(json, NULL);
    json_string(json, "name", port->own.name);
    json_string(json, "type", np_type_short(port->own.type));
    json_array_begin(json, "shape");
    for (uint32_t d = 0; d < port->own.ndim; d++)
        json_u64(json, NULL, port->own.shape[d]);
    json_array_end(json);
    if (!result) {
        json_string(json, "kind", places[port->place]);
        json_bool(json, "changed", port->changed);
        json_array_begin(json, "extents"); /* constants that are extents alone */
        for (uint32_t d = 0; d < port->own.ndim; d++)
            if (port->extents[d])
                json_string(json, NULL, port->extents[d]);
            else
                json_null(json, NULL);
        json_array_end(json);
    }
    json_object_end(json);
}

static void put_constants(struct np_unit *unit, struct json *json) {
    json_object_begin(json, "constants");
    for (size_t i = 0; i < unit->file.names.len; i++) {
        const struct np_binding *b = &unit->file.names.data[i];
        if (b->value.kind == NP_INT &&
            array_range_within((struct array_range){b->value.number, b->value.number},
                               array_type_range((struct lane_type){TYPE_INT, 64})))
            json_i64(json, b->name, (int64_t)b->value.number);
    }
    json_object_end(json);
}

void np_print_signature(struct np_unit *unit, struct str *out) {
    struct json *j = json_new();
    json_object_begin(j, NULL);
    json_string(j, "entry", unit->entry->name);
    put_constants(unit, j);
    json_array_begin(j, "parameters");
    for (size_t i = 0; i < unit->params.len; i++)
        put_port(j, &unit->params.data[i], false);
    json_array_end(j);
    json_array_begin(j, "results");
    for (size_t i = 0; i < unit->results.len; i++)
        put_port(j, &unit->results.data[i], true);
    json_array_end(j);
    json_object_end(j);
    json_finish(j, out);
}
