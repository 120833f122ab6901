/* SPDX-License-Identifier: MIT
 * Memory and kernels on both sides: after each launch all memory is compared.  Where a form's
 * threads have an order that its text does not settle, golden carries them out in two orders: bytes
 * that come out differently depend on it, and so do, where strict has neither, those that several
 * threads write, unless by one operation that commutes, or one that has seen what another writes;
 * they are counted, not compared, and golden goes on with strict's. */
#include "machines/check/check.h"
#include "machines/golden/run/golden.h"
#include "support/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ---- */

/* The same addresses, for arguments are addresses. */
static bool same(uint64_t strict, uint64_t golden, struct diag *diag) {
    if (strict != golden)
        diag_error(diag, NO_SPAN,
                   "buffers of strict and golden lie at different addresses: 0x%" PRIx64
                   " and 0x%" PRIx64,
                   strict, golden);
    return strict == golden;
}

/* Both have it, at the same place, or neither. */
static bool both(struct check_machine *machine, bool fine, uint64_t address) {
    struct diag *quiet = fine ? NULL : diag_new(NULL, NULL);
    if (quiet)
        machine->strict->ops->mem_free(machine->strict, address, quiet);
    diag_free(quiet);
    return fine;
}

bool check_mem_alloc(struct datapath *dp, uint64_t bytes, uint64_t *address, struct diag *diag) {
    struct check_machine *x = check_of(dp);
    uint64_t golden;
    return x->strict->ops->mem_alloc(x->strict, bytes, address, diag) &&
           both(x, golden_mem_alloc(x->golden, bytes, &golden, diag), *address) &&
           same(*address, golden, diag);
}

bool check_mem_alloc_slices(struct datapath *dp, uint64_t bytes, uint32_t units, uint64_t *address,
                            uint64_t *stride, struct diag *diag) {
    struct check_machine *x = check_of(dp);
    uint64_t golden, step;
    if (!x->strict->ops->mem_alloc_slices(x->strict, bytes, units, address, stride, diag))
        return false;
    if (x->apart)
        return true;
    if (!both(x, golden_mem_alloc_slices(x->golden, bytes, units, &golden, &step, diag), *address))
        return false;
    x->apart = (*address != golden || *stride != step) && !x->alike;
    if (x->apart)
        return golden_mem_free(x->golden, golden, diag);
    x->alike = true;
    return same(*address, golden, diag) && same(*stride, step, diag);
}

bool check_mem_free(struct datapath *dp, uint64_t address, struct diag *diag) {
    struct check_machine *x = check_of(dp);
    return x->strict->ops->mem_free(x->strict, address, diag) &&
           (x->apart || golden_mem_free(x->golden, address, diag));
}

bool check_mem_put(struct datapath *dp, uint64_t address, const void *bytes, uint64_t size,
                   struct diag *diag) {
    struct check_machine *x = check_of(dp);
    return x->strict->ops->mem_put(x->strict, address, bytes, size, diag) &&
           (x->apart || golden_mem_put(x->golden, address, bytes, size, diag));
}

bool check_mem_get(struct datapath *dp, uint64_t address, void *bytes, uint64_t size,
                   struct diag *diag) {
    struct check_machine *x = check_of(dp);
    return x->strict->ops->mem_get(x->strict, address, bytes, size, diag);
}

/* ---- comparing ---- */

/* What all arrays of golden hold, one slice behind the other. */
static unsigned char *copy_memory(const struct state_memory *memory) {
    size_t all = 0, at = 0;
    for (size_t i = 0; i < memory->arrays.len; i++)
        all += (size_t)(memory->arrays.data[i].slices * memory->arrays.data[i].pitch);
    unsigned char *copy = xmalloc(all + 1);
    for (size_t i = 0; i < memory->arrays.len; i++) {
        const struct state_array *a = &memory->arrays.data[i];
        memcpy(copy + at, a->bytes, (size_t)(a->slices * a->pitch));
        at += (size_t)(a->slices * a->pitch);
    }
    return copy;
}

static void set_memory(struct state_memory *memory, const unsigned char *copy) {
    for (size_t i = 0; i < memory->arrays.len; i++) {
        struct state_array *a = &memory->arrays.data[i];
        memcpy(a->bytes, copy, (size_t)(a->slices * a->pitch));
        copy += a->slices * a->pitch;
    }
}

/* One launch: golden before it, and after it in both orders (`descending` is NULL where there is
 * one), and who wrote which byte. */
struct checked_launch {
    struct check_machine *machine;
    const struct dp_launch *launch;
    unsigned char *before, *ascending, *descending;
    uint32_t *writers; /* of each byte of golden's slices: a thread, from 1; NULL: not asked yet */
    VEC(uint8_t) depend; /* by thread: it has read what another one writes */
    uint64_t address;    /* the byte of which `line` is asked */
    uint32_t line;       /* that wrote it last; 0: none did */
};
/* What the byte holds depends on the order of threads, or on one of a number that no word holds. */
#define UNSETTLED UINT32_MAX
/* Threads that are told apart; the rest depend.  From there on: what several have changed in a way
 * of that number, which commutes. */
enum { MOST_THREADS = 1 << 28 };

static struct state_memory *memory_of(const struct checked_launch *launch) {
    return &golden_of(launch->machine->golden)->memory;
}

/* The writers of the bytes at an address. */
static uint32_t *writers_at(const struct checked_launch *launch, uint64_t address) {
    const struct state_memory *memory = memory_of(launch);
    uint32_t *writer = launch->writers;
    for (size_t i = 0; i < memory->arrays.len; i++) {
        const struct state_array *a = &memory->arrays.data[i];
        uint64_t from = address - a->address;
        if (address >= a->address && from < a->slices * a->stride)
            return writer + from / a->stride * a->pitch + from % a->stride;
        writer += a->slices * a->pitch;
    }
    return writer;
}

static uint32_t number_of(uint64_t thread) {
    return thread < MOST_THREADS ? (uint32_t)thread + 1 : UNSETTLED;
}

/* First, who writes. */
static void note_writer(void *context, const struct golden_access *access) {
    struct checked_launch *x = context;
    uint32_t me = access->touch < PORTABLE_COMMUTES ? number_of(access->thread)
                                                    : MOST_THREADS + access->touch,
             *writer = writers_at(x, access->address);
    if (access->touch == PORTABLE_READS)
        return;
    if (access->address <= x->address && x->address - access->address < access->size)
        x->line = access->line;
    for (uint64_t b = 0; b < access->size; b++)
        writer[b] =
            access->touch != PORTABLE_UNSETTLED && (!writer[b] || writer[b] == me) ? me : UNSETTLED;
}

/* Then, who reads what another thread writes, whenever that is: what it writes from there on
 * depends on the order, too. */
static void note_dependence(void *context, const struct golden_access *access) {
    struct checked_launch *x = context;
    uint32_t me = number_of(access->thread), *writer = writers_at(x, access->address);
    while (me != UNSETTLED && x->depend.len <= me)
        vec_push(&x->depend, 0);
    for (uint64_t b = 0; b < access->size; b++) {
        if (access->touch == PORTABLE_READS && me != UNSETTLED)
            x->depend.data[me] |= writer[b] && writer[b] != me;
        else if (access->touch != PORTABLE_READS && (me == UNSETTLED || x->depend.data[me]))
            writer[b] = UNSETTLED;
    }
}

/* The launch once more, from where it began.  Golden is left as it is. */
static void repeat(struct checked_launch *launch,
                   void (*touched)(void *context, const struct golden_access *access)) {
    struct state_memory *memory = memory_of(launch);
    struct golden_watch watch = {.touched = touched, .context = launch};
    struct diag *quiet = diag_new(NULL, NULL);
    unsigned char *now = copy_memory(memory);
    set_memory(memory, launch->before);
    golden_carry_out(golden_of(launch->machine->golden), launch->launch, false, &watch, quiet);
    set_memory(memory, now);
    free(now);
    diag_free(quiet);
}

static void find_writers(struct checked_launch *launch) {
    const struct state_memory *memory = memory_of(launch);
    size_t bytes = 1;
    for (size_t i = 0; i < memory->arrays.len; i++)
        bytes += (size_t)(memory->arrays.data[i].slices * memory->arrays.data[i].pitch);
    free(launch->writers);
    launch->writers = xcalloc(bytes, sizeof *launch->writers);
    repeat(launch, note_writer);
    repeat(launch, note_dependence);
}

/* Of a byte at `place` among golden's slices. */
static bool is_unsettled(struct checked_launch *launch, uint64_t place) {
    if (!golden_is_ordered(golden_of(launch->machine->golden), launch->launch))
        return false;
    if (!launch->writers)
        find_writers(launch);
    return launch->writers[place] == UNSETTLED;
}

static void note_difference(struct checked_launch *launch, uint64_t address, uint64_t at,
                            uint64_t size, uint64_t byte, const unsigned char *golden,
                            const unsigned char *strict) {
    struct check_memory *d = &launch->machine->memory;
    uint64_t from = byte - byte % 8;
    d->address = address + from;
    d->size = (uint32_t)(size - from < 8 ? size - from : 8);
    d->byte = (uint32_t)(byte - from);
    memcpy(d->golden, golden + from, d->size);
    memcpy(d->strict, strict + from, d->size);
    launch->address = at + byte;
    find_writers(launch);
    d->line = launch->line;
}

/* A slice at `address`, of golden's memory at `at`, which begins at `place` among golden's:
 * strict's bytes take the place of those that depend on the order of threads; true if another byte
 * differs. */
static bool slice_differs(struct checked_launch *launch, uint64_t address, uint64_t at,
                          uint64_t size, uint64_t place, unsigned char *golden,
                          const unsigned char *strict) {
    const unsigned char *up = launch->ascending + place,
                        *down = launch->descending ? launch->descending + place : up;
    uint64_t unsettled = 0;
    for (uint64_t i = 0; i < size; i++) {
        if (up[i] == down[i] && up[i] == strict[i])
            continue;
        if (up[i] == down[i] && !is_unsettled(launch, place + i)) {
            note_difference(launch, address, at, size, i, golden, strict);
            return true;
        }
        unsettled++;
        golden[i] = strict[i];
    }
    launch->machine->counts.unsettled += unsettled;
    launch->machine->counts.bytes += size - unsettled;
    return false;
}

/* False after reporting that strict has no such memory. */
static bool compare(struct checked_launch *launch, struct diag *diag) {
    struct check_machine *machine = launch->machine;
    struct state_memory *memory = memory_of(launch);
    uint64_t place = 0;
    bool fine = true;
    for (size_t i = 0; i < memory->arrays.len && fine && !machine->memory_differs; i++) {
        const struct state_array *a = &memory->arrays.data[i];
        unsigned char *strict = xmalloc((size_t)a->size + 1);
        for (uint64_t s = 0; s < a->slices && fine && !machine->memory_differs; s++) {
            uint64_t address = a->address + s * a->stride, within = s * a->pitch;
            fine = machine->strict->ops->mem_get(machine->strict, address, strict, a->size, diag);
            if (fine)
                machine->memory_differs = slice_differs(launch, address, address, a->size,
                                                        place + within, a->bytes + within, strict);
        }
        place += a->slices * a->pitch;
        free(strict);
    }
    return fine;
}

/* Strict's memory on golden, whatever the two hold: what is launched later is compared on its
 * own. */
static void go_on_with_strict(struct check_machine *machine) {
    struct state_memory *memory = &golden_of(machine->golden)->memory;
    struct diag *quiet = diag_new(NULL, NULL);
    for (size_t i = 0; i < memory->arrays.len; i++) {
        const struct state_array *a = &memory->arrays.data[i];
        for (uint64_t s = 0; s < a->slices; s++)
            machine->strict->ops->mem_get(machine->strict, a->address + s * a->stride,
                                          a->bytes + s * a->pitch, a->size, quiet);
    }
    diag_free(quiet);
}

/* ---- launches ---- */

static bool carry_out(struct checked_launch *launch, struct diag *diag) {
    struct golden_machine *g = golden_of(launch->machine->golden);
    struct golden_watch watch = {.touched = NULL};
    launch->before = copy_memory(&g->memory);
    if (golden_is_ordered(g, launch->launch)) {
        if (!golden_carry_out(g, launch->launch, true, &watch, diag))
            return false;
        launch->descending = copy_memory(&g->memory);
        set_memory(&g->memory, launch->before);
    }
    if (!golden_carry_out(g, launch->launch, false, &watch, diag))
        return false;
    launch->ascending = copy_memory(&g->memory);
    return true;
}

/* ---- memory in each unit ---- */

/* A buffer of a launch: its bytes as units have them, and where golden has them in one piece. */
static uint64_t piece_of(const struct dp_argument *a, uint64_t byte) {
    return a->own ? a->own - byte % a->own : a->total;
}
static uint64_t address_at(const struct dp_launch *launch, size_t i, uint64_t byte) {
    const struct dp_argument *a = &launch->arguments[i];
    uint64_t address = datapath_argument(launch, i);
    return a->own ? address + byte / a->own * a->stride + byte % a->own : address + byte;
}
static bool take_bytes(struct check_machine *machine, const struct dp_launch *launch, size_t i,
                       unsigned char *out, struct diag *diag) {
    const uint64_t total = launch->arguments[i].total;
    bool fine = true;
    for (uint64_t at = 0, n; at < total && fine; at += n) {
        n = piece_of(&launch->arguments[i], at);
        n = n < total - at ? n : total - at;
        fine = machine->strict->ops->mem_get(machine->strict, address_at(launch, i, at), out + at,
                                             n, diag);
    }
    return fine;
}

/* Golden's buffers, one for each address, in the order of the arguments; the parameters with their
 * addresses in `parameters`. */
static bool lend_buffers(struct check_machine *machine, const struct dp_launch *launch,
                         unsigned char *parameters, uint64_t *addresses, struct diag *diag) {
    bool fine = true;
    memcpy(parameters, launch->parameters, launch->parameter_bytes);
    for (size_t i = 0; i < launch->argument_count && fine; i++) {
        const struct dp_argument *a = &launch->arguments[i];
        size_t twin = 0;
        if (!a->total)
            continue;
        while (datapath_argument(launch, twin) != datapath_argument(launch, i) ||
               !launch->arguments[twin].total)
            twin++;
        unsigned char *bytes = xmalloc((size_t)a->total);
        if (twin < i)
            addresses[i] = addresses[twin];
        else
            fine = golden_mem_alloc(machine->golden, a->total, &addresses[i], diag) &&
                   take_bytes(machine, launch, i, bytes, diag) &&
                   golden_mem_put(machine->golden, addresses[i], bytes, a->total, diag);
        for (unsigned k = 0; k < 8; k++)
            parameters[a->offset + k] = (unsigned char)(addresses[i] >> 8 * k);
        free(bytes);
    }
    return fine;
}
static void return_buffers(struct check_machine *machine, const struct dp_launch *launch,
                           const uint64_t *addresses) {
    struct diag *quiet = diag_new(NULL, NULL);
    for (size_t i = 0; i < launch->argument_count; i++)
        if (addresses[i])
            golden_mem_free(machine->golden, addresses[i], quiet);
    diag_free(quiet);
}

/* Where golden's buffer at that address begins among its slices. */
static uint64_t place_of(const struct state_memory *memory, uint64_t address,
                         unsigned char **bytes) {
    uint64_t place = 0;
    for (size_t i = 0; i < memory->arrays.len; i++) {
        *bytes = memory->arrays.data[i].bytes;
        if (memory->arrays.data[i].address == address)
            break;
        place += memory->arrays.data[i].slices * memory->arrays.data[i].pitch;
    }
    return place;
}
static bool compare_buffers(struct checked_launch *x, const struct dp_launch *launch,
                            const uint64_t *addresses, struct diag *diag) {
    struct check_machine *machine = x->machine;
    bool fine = true;
    for (size_t i = 0; i < launch->argument_count && fine && !machine->memory_differs; i++) {
        const struct dp_argument *a = &launch->arguments[i];
        unsigned char *golden = NULL, *strict;
        if (!a->total)
            continue;
        uint64_t place = place_of(memory_of(x), addresses[i], &golden);
        strict = xmalloc((size_t)a->total);
        fine = take_bytes(machine, launch, i, strict, diag);
        for (uint64_t at = 0, n; at < a->total && fine && !machine->memory_differs; at += n) {
            n = piece_of(a, at);
            n = n < a->total - at ? n : a->total - at;
            machine->memory_differs = slice_differs(x, address_at(launch, i, at), addresses[i] + at,
                                                    n, place + at, golden + at, strict + at);
        }
        free(strict);
    }
    return fine;
}

/* As check_launch. */
static bool launch_apart(struct check_machine *x, const struct dp_launch *launch,
                         struct dp_cost *cost, struct diag *diag) {
    unsigned char *parameters = xcalloc(launch->parameter_bytes + 1, 1);
    uint64_t *addresses = xcalloc(launch->argument_count + 1, sizeof *addresses);
    struct dp_launch golden = *launch;
    struct checked_launch checked = {.machine = x, .launch = &golden, .address = UINT64_MAX};
    golden.parameters = parameters;
    golden.go_on = NULL;
    golden.stopped = NULL;
    golden.bar = NULL;
    x->memory_differs = false;
    bool fine = lend_buffers(x, launch, parameters, addresses, diag) &&
                x->strict->ops->launch(x->strict, launch, cost, diag);
    if (fine) {
        x->counts.launches++;
        fine = carry_out(&checked, diag) && compare_buffers(&checked, launch, addresses, diag);
    }
    return_buffers(x, launch, addresses);
    free(checked.before);
    free(checked.ascending);
    free(checked.descending);
    free(checked.writers);
    vec_free(&checked.depend);
    free(addresses);
    free(parameters);
    return fine;
}

bool check_launch(struct datapath *dp, const struct dp_launch *launch, struct dp_cost *cost,
                  struct diag *diag) {
    struct check_machine *x = check_of(dp);
    if (x->apart)
        return launch_apart(x, launch, cost, diag);
    struct dp_launch golden = *launch;
    struct checked_launch checked = {.machine = x, .launch = &golden, .address = UINT64_MAX};
    golden.go_on = NULL;   /* its steps are no cycles; strict came to an end */
    golden.stopped = NULL; /* its faults have lines */
    golden.bar = NULL;
    x->memory_differs = false;
    if (!x->strict->ops->launch(x->strict, launch, cost, diag)) {
        go_on_with_strict(x);
        return false;
    }
    x->counts.launches++;
    bool fine = carry_out(&checked, diag) && compare(&checked, diag);
    if (!fine || x->memory_differs)
        go_on_with_strict(x);
    free(checked.before);
    free(checked.ascending);
    free(checked.descending);
    free(checked.writers);
    vec_free(&checked.depend);
    return fine;
}

void check_forget_kernel(struct datapath *dp, const struct kernel_decl *decl) {
    struct check_machine *x = check_of(dp);
    if (x->strict->ops->forget_kernel)
        x->strict->ops->forget_kernel(x->strict, decl);
    golden_forget_kernel(x->golden, decl);
}

bool check_memory_differs(struct datapath *dp, struct check_memory *out) {
    const struct check_machine *x = check_of(dp);
    *out = x->memory;
    out->engine = x->strict->ops->name;
    return x->memory_differs;
}
