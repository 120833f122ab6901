/* SPDX-License-Identifier: MIT
 * SourceMgr draws carets by bytes and gives up on lines with a byte outside ASCII.  So it draws
 * for a stand-in line, which has one ASCII character for each terminal column of the real one,
 * and the real line is put in its place. */
#include <llvm/ADT/SmallVector.h>
#include <llvm/Support/ConvertUTF.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/Unicode.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <string>
#include <vector>

extern "C" {
#include "support/llvm/render.h"
}

using namespace llvm;

/* Of a longer line only this many bytes are shown, CONTEXT of them before the caret. */
static constexpr size_t WINDOW = 240, CONTEXT = 80, TAB_STOP = 8;

namespace {
/* A string stream that takes part in colouring when asked to. */
class text_stream : public raw_string_ostream {
    bool color;

  public:
    text_stream(std::string &text, bool wanted) : raw_string_ostream(text), color(wanted) {
        enable_colors(wanted);
    }
    bool is_displayed() const override {
        return color;
    }
    bool has_colors() const override {
        return color;
    }
};

struct shown_line {
    std::string shown;           /* what the terminal gets, tabs expanded */
    std::string stand_in;        /* one ASCII byte per column, but tabs stay tabs */
    std::vector<size_t> columns; /* per byte of the window, and its end: index into stand_in */
    size_t begin, end;           /* the window: bytes of the real line */
    size_t width = 0;            /* terminal columns of `shown` */

    size_t column(size_t byte) const {
        return columns[std::clamp(byte, begin, end) - begin];
    }
};
} // namespace

static bool continues(char c) {
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/* Moves a cut off the middle of a code point, at most over its three further bytes. */
static size_t on_boundary(StringRef line, size_t at) {
    for (int i = 0; i < 3 && at < line.size() && at > 0 && continues(line[at]); i++)
        at--;
    return at;
}

static void choose_window(StringRef line, size_t caret, shown_line &s) {
    s.begin = 0;
    s.end = line.size();
    if (line.size() <= WINDOW)
        return;
    s.begin = on_boundary(line, caret > CONTEXT ? caret - CONTEXT : 0);
    s.end = on_boundary(line, std::min(line.size(), s.begin + WINDOW));
}

static void put_text(shown_line &s, StringRef text, size_t width) {
    s.shown.append(text.data(), text.size());
    s.stand_in.append(width, 'x');
    s.width += width;
}

static void put_tab(shown_line &s) {
    size_t spaces = TAB_STOP - s.width % TAB_STOP;
    s.shown.append(spaces, ' ');
    s.stand_in += '\t';
    s.width += spaces;
}

/* Length of the printable character at the start of text, its columns in *width; 0 if there is
 * none, as with control characters and bytes that are not UTF-8. */
static size_t printable(StringRef text, size_t *width) {
    size_t n = getNumBytesForUTF8(static_cast<UTF8>(text[0]));
    if (n > text.size())
        return 0;
    int columns = sys::unicode::columnWidthUTF8(text.take_front(n));
    *width = columns < 0 ? 0 : static_cast<size_t>(columns);
    return columns < 0 ? 0 : n;
}

/* Puts one character; returns its bytes. */
static size_t put_character(shown_line &s, StringRef rest) {
    if (rest[0] == '\t') {
        put_tab(s);
        return 1;
    }
    size_t width, n = printable(rest, &width);
    if (n)
        put_text(s, rest.take_front(n), width);
    else
        put_text(s, "\xef\xbf\xbd", 1); /* U+FFFD */
    return n ? n : 1;
}

static shown_line prepare(StringRef line, size_t caret) {
    shown_line s;
    choose_window(line, caret, s);
    if (s.begin > 0)
        put_text(s, "...", 3);
    for (size_t i = s.begin; i < s.end;) {
        size_t column = s.stand_in.size();
        size_t n = put_character(s, line.slice(i, s.end));
        s.columns.insert(s.columns.end(), n, column);
        i += n;
    }
    s.columns.push_back(s.stand_in.size());
    if (s.end < line.size())
        put_text(s, "...", 3);
    return s;
}

static SourceMgr::DiagKind kind_of(enum severity severity) {
    switch (severity) {
    case SEVERITY_ERROR:
        return SourceMgr::DK_Error;
    case SEVERITY_WARNING:
        return SourceMgr::DK_Warning;
    default:
        return SourceMgr::DK_Note;
    }
}

static std::string print(const SMDiagnostic &d, const char *head, bool color) {
    std::string text;
    text_stream stream(text, color);
    d.print(head, stream, color);
    stream.flush();
    return text;
}

static SmallVector<SMFixIt, 4> fixits_in(const rendering *r, const shown_line &s) {
    SmallVector<SMFixIt, 4> list;
    const char *base = s.stand_in.c_str();
    for (size_t i = 0; i < r->fixit_count; i++) {
        const render_fixit &f = r->fixits[i];
        if (f.begin < s.begin || f.begin > s.end || f.end < f.begin)
            continue;
        auto from = SMLoc::getFromPointer(base + s.column(f.begin));
        auto to = SMLoc::getFromPointer(base + s.column(f.end));
        list.push_back(SMFixIt(SMRange(from, to), f.text));
    }
    return list;
}

/* The caret line and perhaps a line of fix-its: what SourceMgr prints from its third line on. */
static std::string caret_lines(const rendering *r, const shown_line &s) {
    SourceMgr manager;
    size_t begin = s.column(r->begin), end = s.column(r->end);
    std::pair<unsigned, unsigned> range(begin, end);
    ArrayRef<std::pair<unsigned, unsigned>> ranges(range);
    SMDiagnostic d(manager, SMLoc::getFromPointer(s.stand_in.c_str() + begin), "", 1,
                   static_cast<int>(begin), kind_of(r->severity), "", s.stand_in,
                   end > begin ? ranges : ArrayRef<std::pair<unsigned, unsigned>>(),
                   fixits_in(r, s));
    std::string text = print(d, "", r->color);
    size_t source_line = text.find('\n') + 1;
    return text.substr(text.find('\n', source_line) + 1);
}

extern "C" void diag_render(const struct rendering *r, struct str *out) {
    SMDiagnostic head("", kind_of(r->severity), r->text);
    std::string text = print(head, r->head, r->color);
    if (r->line) {
        shown_line s = prepare(StringRef(r->line, r->line_size), r->begin);
        text += s.shown + '\n' + caret_lines(r, s);
    }
    str_append_n(out, text.data(), text.size());
}
