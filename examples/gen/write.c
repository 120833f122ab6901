/* SPDX-License-Identifier: MIT */
#include "examples/gen/write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void fail(const char *path) {
    perror(path);
    exit(3);
}

void enter_folder(const char *folder) {
    if (chdir(folder) != 0)
        fail(folder);
}

static void write_file(const char *path, const char *header, size_t header_size, const void *data,
                       size_t size) {
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(header, 1, header_size, f) != header_size ||
        fwrite(data, 1, size, f) != size || fclose(f) != 0)
        fail(path);
}

static void npy(const char *path, const char *type, const char *shape, const void *data,
                size_t size) {
    char header[128];
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10); /* 118 bytes follow these 10 */
    int n = snprintf(header + 10, sizeof header - 10,
                     "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    header[10 + n] = ' ';
    header[sizeof header - 1] = '\n';
    write_file(path, header, sizeof header, data, size);
}

void write_npy(const char *path, const char *type, size_t rows, size_t columns, const void *data,
               size_t size) {
    const size_t shape[] = {rows, columns};
    write_npy_shape(path, type, shape, rows && columns ? 2 : rows ? 1 : 0, data, size);
}

void write_npy_shape(const char *path, const char *type, const size_t *shape, size_t dims,
                     const void *data, size_t size) {
    char text[48] = "(";
    for (size_t i = 0; i < dims; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, i ? ", %zu" : "%zu", shape[i]);
    }
    strcat(text, dims == 1 ? ",)" : ")");
    npy(path, type, text, data, size);
}

void write_pgm(const char *path, unsigned width, unsigned height, const uint8_t *pixels) {
    char header[40];
    int n = snprintf(header, sizeof header, "P5\n%u %u\n255\n", width, height);
    write_file(path, header, (size_t)n, pixels, (size_t)width * height);
}

void read_picture(uint8_t *pixels) {
    const size_t size = (size_t)PICTURE_WIDTH * PICTURE_HEIGHT;
    unsigned w, h, top;
    FILE *f = fopen("landscape.pgm", "rb");
    if (!f || fscanf(f, "P5 %u %u %u", &w, &h, &top) != 3 || w != PICTURE_WIDTH ||
        h != PICTURE_HEIGHT || fgetc(f) != '\n' || fread(pixels, 1, size, f) != size) {
        fprintf(stderr, "landscape.pgm is not there; run example-picture first\n");
        exit(3);
    }
    fclose(f);
}

uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
