/* SPDX-License-Identifier: MIT
 * Packages of two programs, each with a digest that is right: what is read is what its writer
 * writes, and stays within the machine.  The first byte says which program it is. */
#include "tests/fuzz/launched.h"
#include "tests/fuzz/packaged.h"

#include "linker/package.h"
#include "linker/package/package_format.h"
#include "support/alloc.h"
#include "support/file.h"

#include <string.h>

/* Made once and kept to the end. */
static const struct object *program(enum packaged which) {
    static struct object *kept[PACKAGED];
    if (!kept[which])
        kept[which] = packaged_program(which);
    return kept[which];
}

static void check_placements(const struct object *program, const struct package *p) {
    for (size_t i = 0; i < p->placement_count; i++) {
        const struct placement *x = &p->placements[i];
        REQUIRE(x->mpu < p->mpus && x->rfh < p->rfh_per_mpu && x->vrf < p->vrf_per_rfh);
        REQUIRE(x->count >= 1 && x->count <= p->lanes);
        REQUIRE(x->first + x->count <= package_group_elements(p, program, x->group));
    }
}

/* Says where the two part. */
static bool same(const struct str *written, const char *read, size_t size) {
    size_t i = PACKAGE_HEADER, n = written->len < size ? written->len : size;
    while (i < n && written->text[i] == read[i])
        i++;
    if (i < n || written->len != size)
        fprintf(stderr, "%zu bytes read, %zu written; they part at byte %zu behind the digest\n",
                size, written->len, i - PACKAGE_HEADER);
    return i == n && written->len == size;
}

/* What may be used on the core launches what that can carry out. */
static void check_launches(const struct object *program, const struct package *p) {
    static const struct size_binding sizes[] = {PACKAGED_SIZES};
    const struct machine_library *l = launched_library();
    if (package_fresh(p, program, l->target, l, sizes, sizeof sizes / sizeof *sizes))
        launched_check_package(program, p);
}

static void check(const struct object *program, const char *bytes, size_t size) {
    struct diag *d = diag_new(NULL, NULL);
    struct str again = {0};
    struct package *p = package_read(program, bytes, size, d);
    diag_flush(d);
    REQUIRE((p != NULL) == (diag_errors(d) + diag_warnings(d) == 0));
    if (p) {
        check_placements(program, p);
        check_launches(program, p);
        package_write(p, &again);
        REQUIRE(same(&again, bytes, size));
    }
    str_free(&again);
    package_free(p);
    diag_free(d);
}

/* The input is that byte, and what stands behind the digest. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    enum packaged which = size && bytes[0] < PACKAGED ? (enum packaged)bytes[0] : PACKAGED_PLAIN;
    size -= size != 0;
    char *package = xcalloc(PACKAGE_HEADER + size + 1, 1), digest[65];
    const uint32_t head[] = {PACKAGE_MAGIC, PACKAGE_VERSION};
    memcpy(package, head, sizeof head);
    if (size)
        memcpy(package + PACKAGE_HEADER, bytes + 1, size);
    sha256_hex(package + PACKAGE_HEADER, size, digest);
    memcpy(package + sizeof head, digest, PACKAGE_DIGEST);
    check(program(which), package, PACKAGE_HEADER + size);
    free(package);
    return 0;
}
