/* SPDX-License-Identifier: MIT
 * Elements of SVG, appended one by one; what styles a series is one table. */
#include "support/svg.h"

#include <stdint.h>

/* Colours that differ in lightness, too; the hatch stands over them. */
static const struct style {
    const char *colour, *hatch, *dash;
} styles[SVG_SERIES] = {
    {"#1b4f8a", "", ""},
    {"#e08a3c", "M0 8L8 0", "6 3"},
    {"#7fb685", "M0 4H8", "2 2"},
    {"#b8405e", "M0 0L8 8M0 8L8 0", "8 3 2 3"},
    {"#a5c8e4", "M4 0V8", "1 3"},
    {"#6b4c9a", "M0 0L8 8", "10 4"},
    {"#d9c76a", "M2 2h1M6 6h1", "4 2 1 2"},
    {"#8a8a8a", "M0 4H8M4 0V8", "1 1"},
};

/* ---- text ---- */

/* Bytes of the character at text, which XML may have; 0: it may not. */
static size_t character(const unsigned char *text) {
    if (text[0] < 0x80)
        return text[0] >= 0x20 || text[0] == '\t' || text[0] == '\n' ? 1 : 0;
    size_t n = text[0] >= 0xF0 ? 4 : text[0] >= 0xE0 ? 3 : 2;
    uint32_t code = text[0] & (0xFFu >> (n + 1));
    if (text[0] < 0xC2 || text[0] > 0xF4)
        return 0;
    for (size_t i = 1; i < n; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3F);
    }
    bool is_long = code < (n == 3 ? 0x800u : n == 4 ? 0x10000u : 0x80u);
    bool is_none = code < 0xA0 || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF ||
                   (code & 0xFFFE) == 0xFFFE;
    return is_long || is_none ? 0 : n;
}

void svg_escape(struct str *out, const char *text) {
    for (; *text;) {
        size_t n = character((const unsigned char *)text);
        if (n == 0)
            str_append(out, "\xEF\xBF\xBD");
        else if (*text == '&')
            str_append(out, "&amp;");
        else if (*text == '<')
            str_append(out, "&lt;");
        else if (*text == '>')
            str_append(out, "&gt;");
        else if (*text == '"')
            str_append(out, "&quot;");
        else if (*text == '\'')
            str_append(out, "&#39;");
        else
            str_append_n(out, text, n);
        text += n ? n : 1;
    }
}

static void put_number(struct str *out, int tenths) {
    unsigned size = tenths < 0 ? 0u - (unsigned)tenths : (unsigned)tenths;
    if (tenths < 0)
        str_char(out, '-');
    str_u64(out, size / 10);
    if (size % 10) {
        str_char(out, '.');
        str_u64(out, size % 10);
    }
}

static void put_attribute(struct str *out, const char *name, int tenths) {
    str_printf(out, " %s=\"", name);
    put_number(out, tenths);
    str_char(out, '"');
}

static void end_element(struct str *out, const char *name, const char *tip) {
    if (!tip) {
        str_append(out, "/>\n");
        return;
    }
    str_append(out, "><title>");
    svg_escape(out, tip);
    str_printf(out, "</title></%s>\n", name);
}

/* ---- the picture ---- */

static void put_patterns(struct str *out, const char *id) {
    str_append(out, "<defs>\n");
    for (unsigned i = 0; i < SVG_SERIES; i++)
        str_printf(out,
                   "<pattern id=\"%s-s%u\" width=\"8\" height=\"8\" "
                   "patternUnits=\"userSpaceOnUse\"><path d=\"M0 0H8V8H0Z\" fill=\"%s\"/>"
                   "<path d=\"%s\" stroke=\"#fff\" stroke-width=\"1\" fill=\"none\"/>"
                   "</pattern>\n",
                   id, i, styles[i].colour, styles[i].hatch[0] ? styles[i].hatch : "M0 0");
    str_append(out, "</defs>\n");
}

void svg_begin(struct str *out, const struct svg_about *about) {
    str_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
               "viewBox=\"0 0 %u %u\" role=\"img\" aria-labelledby=\"%s-t %s-d\" "
               "font-family=\"sans-serif\" font-size=\"11\">\n<title id=\"%s-t\">",
               about->width, about->height, about->width, about->height, about->id, about->id,
               about->id);
    svg_escape(out, about->title);
    str_printf(out, "</title>\n<desc id=\"%s-d\">", about->id);
    svg_escape(out, about->description);
    str_append(out, "</desc>\n");
    put_patterns(out, about->id);
    str_append(out, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
}

void svg_end(struct str *out) {
    str_append(out, "</svg>\n");
}

void svg_group(struct str *out, int x, int y) {
    str_append(out, "<g transform=\"translate(");
    put_number(out, x);
    str_char(out, ' ');
    put_number(out, y);
    str_append(out, ")\">\n");
}

void svg_group_end(struct str *out) {
    str_append(out, "</g>\n");
}

static void put_box(struct str *out, struct svg_point corner, int width, int height) {
    str_append(out, "<rect");
    put_attribute(out, "x", corner.x);
    put_attribute(out, "y", corner.y);
    put_attribute(out, "width", width);
    put_attribute(out, "height", height);
}

void svg_bar(struct str *out, const char *id, struct svg_point corner, int width, int height,
             unsigned series, const char *tip) {
    put_box(out, corner, width, height);
    str_printf(out, " fill=\"url(#%s-s%u)\"", id, series % SVG_SERIES);
    end_element(out, "rect", tip);
}

void svg_shade(struct str *out, struct svg_point corner, int width, int height, unsigned dark,
               const char *tip) {
    unsigned light = 255 - (dark > 255 ? 255 : dark);
    put_box(out, corner, width, height);
    str_printf(out, " fill=\"#%02x%02x%02x\"", light, light, light);
    end_element(out, "rect", tip);
}

static void put_path(struct str *out, struct svg_point from, struct svg_point to,
                     const char *stroke) {
    str_append(out, "<path d=\"M");
    put_number(out, from.x);
    str_char(out, ' ');
    put_number(out, from.y);
    str_char(out, 'L');
    put_number(out, to.x);
    str_char(out, ' ');
    put_number(out, to.y);
    str_printf(out, "\" stroke=%s/>\n", stroke);
}

void svg_line(struct str *out, struct svg_point from, struct svg_point to, bool strong) {
    put_path(out, from, to, strong ? "\"#333\"" : "\"#ddd\"");
}

void svg_level(struct str *out, struct svg_point from, struct svg_point to) {
    put_path(out, from, to, "\"#555\" stroke-dasharray=\"3 3\"");
}

void svg_curve(struct str *out, const struct svg_point *points, size_t count, unsigned series) {
    const struct style *style = &styles[series % SVG_SERIES];
    str_append(out, "<polyline fill=\"none\" stroke-width=\"1.5\"");
    str_printf(out, " stroke=\"%s\"", style->colour);
    if (style->dash[0])
        str_printf(out, " stroke-dasharray=\"%s\"", style->dash);
    str_append(out, " points=\"");
    for (size_t i = 0; i < count; i++) {
        str_append(out, i ? " " : "");
        put_number(out, points[i].x);
        str_char(out, ',');
        put_number(out, points[i].y);
    }
    str_append(out, "\"/>\n");
}

void svg_mark(struct str *out, struct svg_point at, unsigned series, const char *tip) {
    static const char *const shapes[SVG_SERIES] = {
        "M-4-4h8v8h-8Z",   "M0-5L5 4H-5Z", "M-5 0L0-5L5 0L0 5Z", "M-4-4L4 4M-4 4L4-4",
        "M-5 0h10M0-5v10", "M0 5L5-4H-5Z", "M-5-2h10v4h-10Z",    "M-2-5h4v10h-4Z",
    };
    const struct style *style = &styles[series % SVG_SERIES];
    str_append(out, "<path transform=\"translate(");
    put_number(out, at.x);
    str_char(out, ' ');
    put_number(out, at.y);
    str_printf(out, ")\" d=\"%s\" fill=\"%s\" stroke=\"%s\"", shapes[series % SVG_SERIES],
               style->colour, style->colour);
    end_element(out, "path", tip);
}

void svg_label(struct str *out, struct svg_point at, enum svg_anchor anchor, const char *text) {
    static const char *const places[] = {"start", "middle", "end"};
    str_append(out, "<text");
    put_attribute(out, "x", at.x);
    put_attribute(out, "y", at.y);
    str_printf(out, " text-anchor=\"%s\">", places[anchor]);
    svg_escape(out, text);
    str_append(out, "</text>\n");
}

int svg_logarithm(uint64_t value) {
    int whole = 0, part = 0;
    for (value = value ? value : 1; value >= UINT64_C(1) << 31; value >>= 1)
        whole++;
    for (value <<= 20; value >= UINT64_C(2) << 20; value >>= 1)
        whole++;
    for (int i = 0, step = 512; i < 10; i++, step /= 2) { /* squares tell bit by bit */
        value = value * value >> 20;
        if (value >= UINT64_C(2) << 20) {
            value >>= 1;
            part += step;
        }
    }
    return 1000 * whole + part * 1000 / 1024;
}
