/* SPDX-License-Identifier: MIT
 * Pictures of what was kept of a run over time: units at work, and messages between MPUs. */
#include "emu/page/page_parts.h"

#include "emu/report/units.h"
#include "support/saturate.h"

#include <inttypes.h>
#include <string.h>

enum {
    MOST_ROWS = 20, /* with 100 intervals at most: 2,000 bars */
    ROW_HIGH = 150,
    ROW_STEP = 190,
    LEFT = 1900,
    TOP = 100,
    WIDE = 5000,
    MOST_MPUS = 64 /* of the map of messages */
};

static size_t count_rows(const struct json_value *list) {
    size_t n = 0;
    for (const struct json_value *r = list ? list->first : NULL; r && n < MOST_ROWS; r = r->next)
        n++;
    return n;
}

/* The busier, the darker; a little is seen, too. */
static unsigned darkness(uint64_t busy, uint64_t whole) {
    uint64_t dark = whole ? sat_scale(busy, 255, whole) : 0;
    return dark > 255 ? 255 : dark < 24 && busy ? 24 : (unsigned)dark;
}

static void put_row(const struct json_value *row, int y, uint64_t interval, uint64_t end,
                    struct str *out) {
    const struct json_value *busy = json_member(row, "busy_ps"), *mpu = json_member(row, "mpu");
    uint64_t units = page_value(row, "units"), i = 0;
    struct str s = {0};
    if (page_is_known(mpu))
        str_printf(&s, "MPU %s: %s", mpu->text, json_member_text(row, "unit"));
    else
        str_printf(&s, "all: %s (%" PRIu64 ")", json_member_text(row, "unit"), units);
    svg_label(out, (struct svg_point){LEFT - 60, y + 110}, SVG_END, str_text(&s));
    for (const struct json_value *b = busy ? busy->first : NULL; b; b = b->next, i++) {
        uint64_t from = sat_mul(i, interval), to = sat_add(from, interval);
        to = to < end ? to : end;
        if (!page_is_known(b) || !b->number || to <= from)
            continue;
        int x = (int)sat_scale(from, WIDE, end), wide = (int)sat_scale(to, WIDE, end) - x;
        svg_shade(out, (struct svg_point){LEFT + x, y}, wide ? wide : 1, ROW_HIGH,
                  darkness(b->number, sat_mul(to - from, units ? units : 1)), NULL);
    }
    str_free(&s);
}

bool page_draw_timeline(const struct page_input *input, struct str *out) {
    const struct json_value *rows = json_member(input->timeline, "rows");
    uint64_t interval = page_value(input->timeline, "interval_ps"),
             end = page_value(input->timeline, "end_ps");
    size_t count = count_rows(rows), i = 0;
    struct str s = {0};
    if (!count || !interval || !end)
        return false;
    const struct svg_about about = {
        "timeline", 720, (unsigned)(TOP * 3 + (int)count * ROW_STEP) / 10, "Units over time",
        "A row for each unit of all MPUs and of the first ones; the darker, the more of the "
        "interval it was at work"};
    svg_begin(out, &about);
    for (const struct json_value *r = rows->first; r && i < count; r = r->next, i++)
        put_row(r, TOP + (int)i * ROW_STEP, interval, end, out);
    int bottom = TOP + (int)count * ROW_STEP;
    svg_line(out, (struct svg_point){LEFT, bottom}, (struct svg_point){LEFT + WIDE, bottom}, true);
    svg_label(out, (struct svg_point){LEFT, bottom + 130}, SVG_START, "0");
    report_unit_text("end_ps", end, &s);
    svg_label(out, (struct svg_point){LEFT + WIDE, bottom + 130}, SVG_END, str_text(&s));
    svg_end(out);
    str_free(&s);
    return true;
}

/* A matrix: from the row's MPU to the column's. */
bool page_draw_network(const struct page_input *input, struct str *out) {
    const struct json_value *messages = json_member(input->timeline, "messages");
    uint64_t most = 0, mpus = 0;
    for (const struct json_value *m = messages ? messages->first : NULL; m; m = m->next) {
        uint64_t from = page_value(m, "from"), to = page_value(m, "to"),
                 last = from > to ? from : to;
        most = page_value(m, "sent") > most ? page_value(m, "sent") : most;
        mpus = last + 1 > mpus ? last + 1 : mpus;
    }
    if (!most)
        return false;
    mpus = mpus < MOST_MPUS ? mpus : MOST_MPUS;
    const int cell = 3200 / (int)mpus;
    const struct svg_about about = {
        "network", 480, 400, "Messages between MPUs",
        "From the MPU of the row to that of the column, of the first 64; the darker, the more"};
    struct str s = {0};
    svg_begin(out, &about);
    for (const struct json_value *m = messages->first; m; m = m->next) {
        uint64_t from = page_value(m, "from"), to = page_value(m, "to"),
                 sent = page_value(m, "sent");
        if (from >= mpus || to >= mpus)
            continue;
        str_clear(&s);
        str_printf(&s, "%" PRIu64 " to %" PRIu64 ": %" PRIu64, from, to, sent);
        svg_shade(out, (struct svg_point){600 + (int)to * cell, 500 + (int)from * cell}, cell, cell,
                  darkness(sent, most), str_text(&s));
    }
    int end = cell * (int)mpus;
    svg_line(out, (struct svg_point){600, 500}, (struct svg_point){600 + end, 500}, true);
    svg_line(out, (struct svg_point){600, 500}, (struct svg_point){600, 500 + end}, true);
    svg_label(out, (struct svg_point){600, 420}, SVG_START, "to MPU 0 ..");
    svg_label(out, (struct svg_point){560, 640}, SVG_END, "from 0");
    svg_end(out);
    str_free(&s);
    return true;
}
