/* SPDX-License-Identifier: MIT
 * Where something stands in an input, and in the text that is joined. */
#include "linker/join/link.h"
#include "linker/where.h"

struct place link_place_out(const struct link_input *in, struct place place) {
    if (place.file != NO_INDEX)
        place.file = in->files[place.file];
    return place;
}

const char *link_input_name(const struct link_input *in) {
    return in->o->source ? in->o->source : "an object without a name";
}

struct span link_span_of(const struct link *link, uint32_t index) {
    return link_text_span(link->out, index, link->d);
}
