/* SPDX-License-Identifier: MIT
 * Code in pages: written, then made executable, never both at once; and calls of it. */
#include "machines/plane/run/native.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Pages that can be executed and hold the bytes; NULL if the system does not give any. */
static void *pages_of(const unsigned char *bytes, size_t count, size_t *size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *size = (count + page - 1) / page * page;
    void *at = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return NULL;
    memcpy(at, bytes, count);
    if (mprotect(at, *size, PROT_READ | PROT_EXEC) == 0)
        return at;
    munmap(at, *size);
    return NULL;
}

typedef void code_function(const struct plane_code_call *call);

static code_function *function_at(void *pages, size_t offset) {
    unsigned char *at = (unsigned char *)pages + offset;
    code_function *function;
    _Static_assert(sizeof function == sizeof at, "code is called by its address");
    memcpy(&function, &at, sizeof function);
    return function;
}

struct plane_routine *plane_routine_make(const struct plane_emission *emission,
                                         enum plane_vectors vectors) {
    size_t size;
    void *pages = pages_of(emission->code.bytes.data, emission->code.bytes.len, &size);
    if (!pages)
        return NULL;
    struct plane_routine *code = xcalloc(1, sizeof *code);
    *code = (struct plane_routine){
        .whole = function_at(pages, emission->whole),
        .part = function_at(pages, emission->part),
        .several = emission->several ? function_at(pages, emission->several) : NULL,
        .vectors = vectors,
        .spill_bytes = emission->spill_bytes,
        .ops = emission->ops,
        .pages = pages,
        .size = size};
    return code;
}

void plane_routine_free(struct plane_routine *code) {
    if (!code)
        return;
    munmap(code->pages, code->size);
    free(code);
}

#if defined(__x86_64__)
enum plane_vectors plane_code_vectors(void) {
    static const unsigned char back = 0xc3;
    size_t size;
    void *page = NULL;
    if (__builtin_cpu_supports("avx2"))
        page = pages_of(&back, 1, &size);
    if (!page)
        return PLANE_VECTORS_NONE;
    munmap(page, size);
    return __builtin_cpu_supports("avx512f") ? PLANE_VECTORS_AVX512 : PLANE_VECTORS_AVX2;
}
#else
enum plane_vectors plane_code_vectors(void) {
    return PLANE_VECTORS_NONE;
}
#endif

/* The mask of so many words in the spill area. */
static void put_mask(unsigned char *spill, size_t words) {
    uint64_t mask[4];
    for (size_t k = 0; k < 4; k++)
        mask[k] = k < words ? UINT64_MAX : 0;
    memcpy(spill + PLANE_SPILL_MASK, mask, sizeof mask);
}

void plane_spill_begin(unsigned char *spill) {
    memset(spill + PLANE_SPILL_ONES, 0xff, 32);
}

static void move_bases(struct plane_code_call *call, size_t bytes) {
    for (unsigned k = 0; k < PLANE_CODE_BASES; k++)
        call->base[k] = call->base[k] ? call->base[k] + bytes : NULL;
}

#if defined(__clang__)
__attribute__((no_sanitize("undefined"))) /* it looks for a type in front of the function */
#endif
void plane_routine_run(const struct plane_routine *code, struct plane_code_call *call, size_t words) {
    const bool wide = code->vectors == PLANE_VECTORS_AVX512;
    const size_t vector = wide ? 8 : 4, rest = words % vector;
    size_t whole = words / vector, turns = code->several ? words / PLANE_TILE_WORDS : 0;
    call->mask = 0xff;
    if (turns > 0) {
        call->columns = turns;
        code->several(call);
        move_bases(call, PLANE_STRIDE * turns);
        whole -= PLANE_TILE_WORDS / vector * turns;
    }
    if (whole > 0) {
        call->columns = whole;
        code->whole(call);
    }
    if (rest == 0)
        return;
    move_bases(call, 8 * vector * whole);
    call->columns = 1;
    call->mask = ((uint64_t)1 << rest) - 1;
    if (!wide)
        put_mask(call->spill, rest);
    code->part(call);
}
