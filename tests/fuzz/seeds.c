/* SPDX-License-Identifier: MIT
 * Seeds that no tool writes: what stands behind the digest of packages, and arrays with a byte in
 * front that says their format.
 *   fuzz_seeds OUT */
#include "tests/fuzz/packaged.h"

#include "linker/package.h"
#include "linker/package/package_format.h"
#include "support/file.h"

#include <string.h>

static void put(const char *folder, const char *name, const void *bytes, size_t size) {
    struct str path = {0};
    str_printf(&path, "%s/%s", folder, name);
    if (!file_write(path.text, bytes, size)) {
        perror(path.text);
        exit(3);
    }
    str_free(&path);
}

static void put_package(const char *out, enum packaged which, const char *target_name) {
    const struct size_binding n = PACKAGED_SIZES;
    const char *slash = strrchr(target_name, '/');
    struct diag *d = diag_new(NULL, NULL);
    struct object *o = packaged_program(which);
    struct target *t;
    struct machine_library *library;
    struct str bytes = {0}, name = {0};
    REQUIRE(machine_open_target(target_name, NULL, 0, d, &t, &library) == TARGET_FINE);
    struct package *p = package_build(o, t, library, &n, 1, d);
    if (!p)
        fprintf(stderr, "%s\n", diag_first(d));
    REQUIRE(p);
    package_write(p, &bytes);
    str_printf(&name, "package/%d-%s", (int)which, slash ? slash + 1 : target_name);
    bytes.text[PACKAGE_HEADER - 1] = (char)which;
    put(out, name.text, bytes.text + PACKAGE_HEADER - 1, bytes.len - PACKAGE_HEADER + 1);
    str_free(&name);
    str_free(&bytes);
    package_free(p);
    machine_library_close(library);
    target_free(t);
    object_free(o);
    diag_free(d);
}

static void put_data(const char *out) {
    static const char npy[] = "\0\x93NUMPY\1\0\x46\0{'descr': '<i2', 'fortran_order': False, "
                              "'shape': (2, 3), }            \n\1\0\2\0\3\0\4\0\5\0\6\0";
    static const char bfloat16[] = "\0\x93NUMPY\1\0\x46\0{'descr': '<V2', 'fortran_order': False, "
                                   "'shape': (3,), }            \n\x80\x3f\xc1\x7f\1\x80";
    static const char *const texts[][2] = {
        {"data/pgm", "\001P2\n# made by hand\n3 2\n255\n1 2 3\n4 5 255\n"},
        {"data/pgm5", "\001P5 3 2 255\nabcdef"},
        {"data/ppm", "\002P3 2 1 255 1 2 3 4 5 6\n"},
        {"data/csv", "\0031,2,3\n-4,5,6\n# comment\n7,8,0x9\n"},
        {"data/csv-float", "\003\"1.5\",2e3\nnan,-inf\n"},
        {"data/csv-real", "\0031.5,2e3\nnan,-inf\n0.1,65504\n1e-45,-0\n"},
        {"data/txt-real", "\0043.38e38 1.00000005960464477539062500000000000001 0x10 -1e-9\n"},
        {"data/txt", "\0041 2 3\n4\t5\n"},
        {"data/json", "\005{\"a\": [1, -2.5e3, \"\\u00e9\\n\", true, null], \"b\": {}}"}};
    put(out, "data/npy", npy, sizeof npy - 1);
    put(out, "data/npy-bfloat16", bfloat16, sizeof bfloat16 - 1);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        put(out, texts[i][0], texts[i][1], strlen(texts[i][1]));
}

int main(int argc, char **argv) {
    if (argc != 2)
        return 2;
    put_package(argv[1], PACKAGED_PLAIN, "racer");
    put_package(argv[1], PACKAGED_PLAIN, "mimdram");
    put_package(argv[1], PACKAGED_PLAIN, "pypim");
    put_package(argv[1], PACKAGED_LAUNCHES, "racer");
    put_package(argv[1], PACKAGED_LAUNCHES, MPU_SOURCE_DIR "/tests/machines/core/core.yaml");
    put_data(argv[1]);
    return 0;
}
