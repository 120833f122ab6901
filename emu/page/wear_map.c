/* SPDX-License-Identifier: MIT
 * A map of the writes of one VRF's rows: of those VRFs that have the row which was written most. */
#include "emu/page/page_parts.h"

#include "support/map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 9, MOST_ROWS = 48, MOST_COLUMNS = 64, CELL = 100, LEFT = 1000, TOP = 300 };

/* Fields of a line of MPU_WEAR: mpu,mpus,rfh,rfhs,vrf,vrfs,row,section,writes. */
enum { F_MPU, F_RFH = 2, F_VRF = 4, F_ROW = 6, F_SECTION, F_WRITES };

struct wear_line {
    char row[64];
    uint64_t number[FIELDS]; /* 0 where a field is text */
};

/* The line at `at`, false at the end or where it is no such line; `*next` is behind it. */
static bool read_line(const char *at, struct wear_line *line, const char **next) {
    *line = (struct wear_line){.row = ""};
    for (unsigned i = 0; i < FIELDS; i++) {
        size_t n = strcspn(at, ",\n");
        if (i == F_ROW && n < sizeof line->row)
            memcpy(line->row, at, n);
        else if (!number_parse_u64(at, n, &line->number[i]) && i != F_ROW)
            return false;
        at += n;
        if (*at != (i + 1 < FIELDS ? ',' : '\n'))
            return false;
        at++;
    }
    *next = at;
    return true;
}

static const char *first_line(const char *text) {
    return text && strchr(text, '\n') ? strchr(text, '\n') + 1 : "";
}

/* "r3[5]" stands in row "r3", column 5; "scratch 2" of section 7 in column 7. */
static uint64_t column_of(struct wear_line *line) {
    char *bracket = strchr(line->row, '[');
    uint64_t column = line->number[F_SECTION];
    if (bracket) {
        number_parse_u64(bracket + 1, strcspn(bracket + 1, "]"), &column);
        *bracket = '\0';
    }
    return column;
}

static struct wear_line find_most(const char *text) {
    struct wear_line most = {.row = ""}, line;
    for (const char *at = first_line(text); read_line(at, &line, &at);)
        if (line.number[F_WRITES] > most.number[F_WRITES])
            most = line;
    return most;
}

static bool same_vrf(const struct wear_line *left, const struct wear_line *right) {
    return left->number[F_MPU] == right->number[F_MPU] &&
           left->number[F_RFH] == right->number[F_RFH] &&
           left->number[F_VRF] == right->number[F_VRF];
}

static void put_cells(const char *text, const struct wear_line *most, struct map *names,
                      struct str *out) {
    struct wear_line line;
    struct str tip = {0};
    for (const char *at = first_line(text); read_line(at, &line, &at);) {
        if (!same_vrf(&line, most))
            continue;
        str_clear(&tip);
        str_printf(&tip, "%s: %" PRIu64, line.row, line.number[F_WRITES]);
        uint64_t column = column_of(&line);
        bool is_new = !map_get(names, line.row);
        if (column >= MOST_COLUMNS || (is_new && names->len == MOST_ROWS))
            continue;
        int y = TOP + (int)map_number(names, line.row, strlen(line.row)) * CELL;
        if (is_new)
            svg_label(out, (struct svg_point){LEFT - 60, y + 80}, SVG_END, line.row);
        uint64_t dark = line.number[F_WRITES] * 255 / most->number[F_WRITES];
        svg_shade(out, (struct svg_point){LEFT + (int)column * CELL, y}, CELL - 10, CELL - 10,
                  dark < 24 ? 24 : (unsigned)dark, str_text(&tip));
    }
    str_free(&tip);
}

bool page_draw_wear(const struct page_input *input, struct str *out) {
    struct wear_line most = find_most(input->wear);
    struct map names = {0};
    struct str cells = {0}, label = {0};
    if (!most.number[F_WRITES] || most.number[F_WRITES] > UINT64_MAX / 255)
        return false;
    put_cells(input->wear, &most, &names, &cells);
    const struct svg_about about = {
        "wear", 760, (unsigned)(TOP + (int)names.len * CELL) / 10 + 20, "Writes of rows",
        "Rows by register, and bits or sections across, of the VRF with the row that was written "
        "most; the darker, the more"};
    svg_begin(out, &about);
    str_printf(&label,
               "MPU %" PRIu64 ", RFH %" PRIu64 ", VRF %" PRIu64 "; most: %" PRIu64 " writes of %s",
               most.number[F_MPU], most.number[F_RFH], most.number[F_VRF], most.number[F_WRITES],
               most.row);
    svg_label(out, (struct svg_point){LEFT, TOP - 120}, SVG_START, str_text(&label));
    str_append_n(out, str_text(&cells), cells.len);
    svg_end(out);
    map_free(&names);
    str_free(&cells);
    str_free(&label);
    return true;
}
