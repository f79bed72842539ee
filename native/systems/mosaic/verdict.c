/* A verdict for somebody who has to decide whether to use a panorama (verdict.h): no panorama is good while a frame is missing,
 * uncertain or unchecked. Advice is only what placed many more frames of hard sequences with a known truth
 * (docs/user-guide.md, Verdict and report). */
#include "verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Least share of the frames that must be surely placed, and that the largest panorama must hold, percent. */
#define SURE_PERCENT 50
#define LARGEST_PERCENT 25
/* Mean quality of the pairs below which frames that fail are noisy or blurred. */
#define POOR_MATCH 0.5
/* Shorter side of frames of which half is enough, px. */
#define LEAST_SIDE 256
/* Stretches of frames that a sentence names. */
#define NAMED 4

typedef int (*meaning)(const endo_mosaic_frame *frame);

static int is_registered(const endo_mosaic_frame *f) { return f->registered; }
static int is_missing(const endo_mosaic_frame *f) { return !f->registered; }
static int is_sure(const endo_mosaic_frame *f) { return f->registered && !f->doubtful; }
static int is_uncertain(const endo_mosaic_frame *f) { return f->registered && f->doubtful; }
static int is_unread(const endo_mosaic_frame *f) { return !f->registered && f->status == ENDO_FRAME_SKIPPED; }
static int is_blank(const endo_mosaic_frame *f) { return !f->registered && f->status == ENDO_FRAME_NO_TEXTURE; }
static int is_unchecked(const endo_mosaic_frame *f) { return f->registered && isnan(f->deviation); }
static int is_in_largest(const endo_mosaic_frame *f) { return f->registered && f->component == 1; }

static int64_t count(const endo_mosaic *m, meaning is_meant) {
    int64_t n = 0;
    for (int i = 0; i < m->n_frames; i++) n += is_meant(&m->frames[i]);
    return n;
}

static int count_panoramas(const endo_mosaic *m) {
    int most = 0;
    for (int i = 0; i < m->n_frames; i++)
        if (m->frames[i].registered && m->frames[i].component > most) most = m->frames[i].component;
    return most;
}

/* ----------------------------------------------------------------------- words */

static EVENTS_FORMAT(2, 3) void append(char text[ENDO_VERDICT_WORDS], const char *format, ...) {
    size_t length = strlen(text);
    va_list values;
    va_start(values, format);
    vsnprintf(text + length, ENDO_VERDICT_WORDS - length, format, values);
    va_end(values);
}

/* Says one thing that is not as it should be, and what to do about it. */
static void say(endo_mosaic_verdict *v, const char *what, const char *todo) {
    append(v->why, "%s%s", v->why[0] ? "; " : "", what);
    if (!v->next[0]) append(v->next, "%s", todo);
}

/* Says "4 of 40 frames (frames 10-13) are missing", if any is. */
static void say_frames(const endo_mosaic *m, meaning is_meant, const char *how, const char *todo, endo_mosaic_verdict *v) {
    char text[ENDO_VERDICT_WORDS] = "";
    int n = (int)count(m, is_meant);
    int stretches = 0;
    int end;
    if (!n) return;
    append(text, "%d of %d frames (", n, m->n_frames);
    for (int i = 0; i < m->n_frames; i = end) {
        char range[MOSAIC_RANGE];
        for (end = i + 1; end < m->n_frames && is_meant(&m->frames[end]) == is_meant(&m->frames[i]);) end++;
        if (is_meant(&m->frames[i]) && stretches++ < NAMED)
            append(text, "%s%s", stretches > 1 ? ", " : "", record_range(m->frames, i, end - 1, range));
    }
    if (stretches > NAMED) append(text, " and %d more", stretches - NAMED);
    append(text, ") %s %s", n == 1 ? "is" : "are", how);
    say(v, text, todo);
}

/* --------------------------------------------------------------------- verdict */

static void say_run(const endo_mosaic *m, int warnings, endo_mosaic_verdict *v) {
    char text[ENDO_VERDICT_WORDS] = "";
    if (m->ended != ENDO_OK && m->ended != ENDO_CANCELLED) say(v, "the run failed", "see the error, and run it again");
    append(text, "it was stopped after %d frames", m->n_frames);
    if (m->ended == ENDO_CANCELLED) say(v, text, "run it to its end");
    if (count(m, is_registered) < 2)
        say(v, "no frame could be matched with another", m->n_frames && count(m, is_blank) == m->n_frames
            ? "see whether these are the right frames: they are black or blank"
            : "see whether the frames follow each other and overlap, and whether the field of view is right");
    text[0] = 0;
    append(text, "there are %d warnings", warnings);
    if (warnings == 1) say(v, "there is a warning", "do what the warning says");
    if (warnings > 1) say(v, text, "do what the first warning says");
    if (m->is_full)
        say(v, "the panorama reached its largest size", "raise max_canvas, or look for frames that lie far off");
}

static const char *what_of_missing(const endo_mosaic *m) {
    int64_t missing = count(m, is_missing);
    if (count(m, is_unread) == missing) return "see in the messages why these frames were skipped";
    if (count(m, is_blank) == missing) return "look at the missing frames: if they are black or blank, nothing is lost";
    return "look at the missing frames: what they alone show is not in the panorama";
}

static void say_poses(const endo_mosaic *m, endo_mosaic_verdict *v) {
    char text[ENDO_VERDICT_WORDS] = "";
    int panoramas = count_panoramas(m);
    append(text, "the frames make %d panoramas, the largest of %d frames", panoramas, (int)count(m, is_in_largest));
    if (panoramas > 1) say(v, text, "look at each panorama; nothing was found that ties them together");
    say_frames(m, is_uncertain, "of uncertain position", "compare the panorama with these frames", v);
    say_frames(m, is_missing, "missing", what_of_missing(m), v);
    if (count(m, is_registered) > 1 && count(m, is_unchecked))
        say(v, "positions were not checked against each other", "compare the panorama with the frames, or take solve=Global");
}

static int is_broken(const endo_mosaic *m) {
    int is_failed = m->ended != ENDO_OK && m->ended != ENDO_CANCELLED;
    return is_failed || count(m, is_registered) < 2 || 100 * count(m, is_sure) < SURE_PERCENT * (int64_t)m->n_frames ||
           100 * count(m, is_in_largest) < LARGEST_PERCENT * (int64_t)m->n_frames;
}

/* ---------------------------------------------------------------------- advice */

static void advise(endo_mosaic_verdict *v, const char *advice) {
    if (v->n_advice < ENDO_VERDICT_ADVICE) append(v->advice[v->n_advice++], "%s", advice);
}

/* Whether neighbouring frames match poorly, or none does. */
static int match_poorly(const endo_mosaic *m) {
    double sum = 0;
    int n = 0;
    for (int i = 0; i < m->n_frames; i++) {
        if (!m->frames[i].registered || isnan(m->frames[i].quality)) continue;
        sum += m->frames[i].quality;
        n++;
    }
    return !n || sum / n < POOR_MATCH;
}

/* A warning that names what helps, as a sentence. */
static void advise_remedy(const char *warning, endo_mosaic_verdict *v) {
    char text[ENDO_VERDICT_WORDS] = "";
    append(text, "%s.", warning);
    if (text[0] >= 'a' && text[0] <= 'z') text[0] = (char)(text[0] - 'a' + 'A');
    advise(v, text);
}

static void advise_on(const endo_mosaic *m, endo_mosaic_verdict *v) {
    const endo_pairs_options *pairs = &m->options.pairs;
    int is_large = m->size.width >= LEAST_SIDE && m->size.height >= LEAST_SIDE;
    for (int i = 0; i < m->events.n_remedies; i++) advise_remedy(m->events.remedies[i], v);
    if (count(m, is_sure) == m->n_frames && count_panoramas(m) < 2) return;
    if (pairs->transform == ENDO_TRANSFORM_TRANSLATION || pairs->transform == ENDO_TRANSFORM_RIGID) {
        char text[ENDO_VERDICT_WORDS] = "";
        append(text, "The frames were matched with warp=%s alone. Take warp=Auto: where the scope comes nearer or turns as"
               " well, far more frames are found.", pairs->transform == ENDO_TRANSFORM_RIGID ? "Rigid" : "Translation");
        advise(v, text);
    }
    if (pairs->method == ENDO_METHOD_PAPER) advise(v, "Take method=Best: it finds motions that landmarks alone miss.");
    if (is_large && match_poorly(m))
        advise(v, "Neighbouring frames match poorly. If they are noisy or blurred, make them half as large first (ImageJ:"
               " Image > Scale...; a video: ffmpeg -i IN -vf scale=iw/2:-2 -c:v ffv1 OUT.mkv).");
}

void verdict_of(const endo_mosaic *m, int warned, endo_mosaic_verdict *out) {
    static const char *const words[] = {"good", "look at these", "broken"};
    *out = (endo_mosaic_verdict){.grade = ENDO_MOSAIC_GOOD};
    say_run(m, warned + m->events.warnings, out);
    say_poses(m, out);
    if (out->why[0])
        out->grade = is_broken(m) ? ENDO_MOSAIC_BROKEN : ENDO_MOSAIC_LOOK;
    else
        append(out->why, "all %d frames are in one panorama", m->n_frames);
    snprintf(out->word, sizeof out->word, "%s", words[out->grade]);
    advise_on(m, out);
}
