/* SPDX-License-Identifier: MIT
 * Where an instruction of a package's text stands. */
#include "linker/package/pack.h"
#include "linker/where.h"

struct span package_pack_span(const struct pack *pack, uint32_t index) {
    return link_text_span(pack->program, index, pack->d);
}
