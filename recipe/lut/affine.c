/* SPDX-License-Identifier: MIT
 * Which permutations of bytes are inversion between affine maps.
 *
 * Let T(x) = out(inverse(in(x))) with in(x) = B x + b and out(y) = A y + a.  Where in(x0) = 0, T is
 * a, so x0 settles a and b, and T(x + x0) + a = A inverse(B x).  For each x0 linear maps are sought
 * (Biryukov, De Canniere, Braeken, Preneel: A toolbox for cryptanalysis): what is known of B on a
 * space gives what A is on the values there, whose sums give more of B.  As inverse(c z) =
 * inverse(c) inverse(z), one value of B is free, and after one that is guessed all the others
 * follow or contradict. */
#include "recipe/lut/field.h"

#include <string.h>

/* A linear map as far as it is known: on a space, whose members are listed. */
struct partial_map {
    uint8_t value[256], list[256];
    bool known[256], taken[256]; /* by argument; by value */
    unsigned count;
};

struct inversion_search {
    const struct lut_field *f;
    uint8_t values[256], arguments[256]; /* of the permutation that has 0 at 0, and back */
    struct partial_map in, out;          /* B; the inverse of A */
    unsigned looked_in, looked_out;      /* members that have been followed */
};

uint8_t lut_affine_apply(const struct lut_affine *map, uint8_t value) {
    uint8_t sum = map->added;
    for (unsigned i = 0; i < 8; i++)
        sum ^= value >> i & 1 ? map->columns[i] : 0;
    return sum;
}

static void start_map(struct partial_map *map) {
    memset(map, 0, sizeof *map);
    map->known[0] = map->taken[0] = true;
    map->count = 1;
}

/* False if two arguments would have one value, or the argument has another one. */
static bool extend(struct partial_map *map, uint8_t argument, uint8_t value) {
    if (map->known[argument])
        return map->value[argument] == value;
    if (map->taken[value])
        return false;
    for (unsigned i = 0, count = map->count; i < count; i++) {
        uint8_t at = map->list[i] ^ argument, here = map->value[map->list[i]] ^ value;
        map->value[at] = here;
        map->known[at] = map->taken[here] = true;
        map->list[map->count++] = at;
    }
    return true;
}

static bool follow(struct inversion_search *search) {
    bool more = true;
    while (more) {
        more = false;
        for (; search->looked_in < search->in.count; search->looked_in++, more = true) {
            uint8_t x = search->in.list[search->looked_in];
            if (!extend(&search->out, search->values[x],
                        lut_field_inverse(search->f, search->in.value[x])))
                return false;
        }
        for (; search->looked_out < search->out.count; search->looked_out++, more = true) {
            uint8_t y = search->out.list[search->looked_out];
            if (!extend(&search->in, search->arguments[y],
                        lut_field_inverse(search->f, search->out.value[y])))
                return false;
        }
    }
    return search->in.count == 256 && search->out.count == 256;
}

/* With B(1) = 1 and B of the next argument that does not follow as guessed. */
static bool guess(struct inversion_search *search, unsigned value) {
    start_map(&search->in);
    start_map(&search->out);
    search->looked_in = search->looked_out = 0;
    extend(&search->in, 1, 1);
    extend(&search->in, 2, (uint8_t)value);
    return follow(search);
}

static bool find_linear(struct inversion_search *search) {
    for (unsigned value = 2; value < 256; value++)
        if (guess(search, value))
            return true;
    return false;
}

static void fill_maps(const struct inversion_search *search, uint8_t origin, uint8_t added,
                      struct lut_affine *in, struct lut_affine *out) {
    for (unsigned i = 0; i < 8; i++)
        in->columns[i] = search->in.value[1u << i];
    in->added = search->in.value[origin];
    for (unsigned y = 0; y < 256; y++)
        for (unsigned i = 0; i < 8; i++)
            if (search->out.value[y] == 1u << i)
                out->columns[i] = (uint8_t)y;
    out->added = added;
}

/* Differences of the inputs lead to each difference of the outputs at most four times, as in all
 * such permutations: few others get past this. */
static bool is_even(const uint8_t table[256]) {
    for (unsigned difference = 1; difference < 8; difference++) {
        uint8_t counts[256] = {0};
        for (unsigned x = 0; x < 256; x++)
            if (++counts[table[x] ^ table[x ^ difference]] > 4)
                return false;
    }
    return true;
}

static bool is_permutation(const uint8_t table[256]) {
    bool seen[256] = {false};
    for (unsigned x = 0; x < 256; x++)
        seen[table[x]] = true;
    return memchr(seen, false, sizeof seen) == NULL;
}

bool lut_find_inversion(const struct lut_field *field, const uint8_t table[256],
                        struct lut_affine *in, struct lut_affine *out) {
    struct inversion_search s = {.f = field};
    if (!is_permutation(table) || !is_even(table))
        return false;
    for (unsigned origin = 0; origin < 256; origin++) {
        for (unsigned x = 0; x < 256; x++) {
            s.values[x] = table[x ^ origin] ^ table[origin];
            s.arguments[s.values[x]] = (uint8_t)x;
        }
        if (find_linear(&s)) {
            fill_maps(&s, (uint8_t)origin, table[origin], in, out);
            return true;
        }
    }
    return false;
}
