#include "look_light.h"

#include "colour_difference.h"
#include "look_lamp.h"
#include "look_paint.h"
#include "look_score.h"

#include "base/math/median.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/transform.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct light_sequence {
    const char *name;
    lamp_options options;
    double most; /* wanted: of planes the mean absolute error, levels; 0: none */
} light_sequence;

#define NO_CAVITY {0, 0, 0, 0, 0}

/* scene, texture, width, height, frames, step, forward, fall, cast, exposure, highlights; of cavities focal length, depth,
 * tilt, lamp. Numbers of the light were chosen by those before the line, and by others that are not here. */
static const light_sequence sequences[] = {
    {"small loop, vessels", {LAMP_PLANE, 0, 480, 270, 52, 6, 0, 0.55, 0, 0, 0, NO_CAVITY}, 4},
    {"small loop, grain", {LAMP_PLANE, 1, 480, 270, 52, 6, 0, 0.55, 0, 0, 0, NO_CAVITY}, 4},
    {"small loop, patches", {LAMP_PLANE, 2, 480, 270, 52, 6, 0, 0.55, 0, 0, 0, NO_CAVITY}, 4},
    {"even light, patches", {LAMP_PLANE, 2, 480, 270, 52, 6, 0, 0, 0, 0, 0, NO_CAVITY}, 4},
    {"colour cast", {LAMP_PLANE, 0, 320, 240, 40, 12, 0, 0.5, 0.04, 0, 0, NO_CAVITY}, 4},
    {"auto-exposure", {LAMP_PLANE, 2, 320, 240, 40, 12, 0, 0.5, 0, 1, 0, NO_CAVITY}, 5},
    {"highlights", {LAMP_PLANE, 0, 320, 240, 40, 12, 0, 0.5, 0, 0, 40, NO_CAVITY}, 4},
    {"tight loop, vessels", {LAMP_PLANE, 0, 480, 270, 52, 2.25, 0, 0.55, 0, 0, 0, NO_CAVITY}, 4},
    {"tight loop, patches", {LAMP_PLANE, 2, 480, 270, 52, 2.25, 0, 0.55, 0, 0, 0, NO_CAVITY}, 4},
    {"still plane", {LAMP_PLANE, 0, 320, 240, 35, 0.1, 1, 0.5, 0, 0, 0, NO_CAVITY}, 0},
    {"bowl", {LAMP_BOWL, 0, 320, 240, 35, 1.2, 1, 0, 0, 0, 0, {0.8, 0.7, 0, 0.06, -0.03}}, 0},
    {"bowl, small loop", {LAMP_BOWL, 2, 320, 240, 35, 1, 0, 0, 0, 0, 0, {0.8, 0.7, 0, 0.06, -0.03}}, 0},
    {"bowl, wider loop", {LAMP_BOWL, 2, 320, 240, 52, 2, 0, 0, 0, 0, 0, {0.8, 0.7, 0, 0.06, -0.03}}, 0},
    {"hill", {LAMP_HILL, 0, 320, 240, 35, 1.2, 1, 0, 0, 0, 1, {0.8, 0.7, 0, 0.06, -0.03}}, 0},
    {"hill, small loop", {LAMP_HILL, 2, 320, 240, 35, 1, 0, 0, 0, 0, 0, {0.8, 0.7, 0, 0.06, -0.03}}, 0},
    {"hill, exposure", {LAMP_HILL, 2, 320, 240, 35, 3, 1, 0, 0.01, 1, 1, {0.8, 0.7, 0, 0.06, -0.03}}, 0},
    {"tube", {LAMP_TUBE, 2, 320, 240, 35, 1.2, 1, 0, 0, 0, 0, {0.8, 1.6, 0, 0.06, -0.03}}, 0},
    {"bowl, long way", {LAMP_BOWL, 4, 320, 240, 20, 12, 0, 0, 0, 0, 0, {0.8, 0.7, 0, 0.06, -0.03}}, 0},
    {"bowl, six frames", {LAMP_BOWL, 5, 320, 240, 6, 40, 0, 0, 0.02, 0, 0, {0.8, 0.8, 0, 0.1, 0.05}}, 0},
    {"tube, loop", {LAMP_TUBE, 2, 320, 240, 35, 4, 0, 0, 0, 0, 0, {0.8, 1.6, 0, 0.06, -0.03}}, 0},
    {"bowl, twelve frames", {LAMP_BOWL, 1, 320, 240, 12, 29.3, 0, 0, 0, 0, 0, {0.76, 0.48, 20, 0.06, 0.02}}, 0},
    /* ------------------------------------------------------------------ */
    {"small loop, network", {LAMP_PLANE, 3, 480, 270, 52, 6, 0, 0.55, 0, 0, 0, NO_CAVITY}, 4},
    {"small loop, spots", {LAMP_PLANE, 4, 480, 270, 52, 6, 0, 0.55, 0, 0, 0, NO_CAVITY}, 4},
    {"small loop, smooth", {LAMP_PLANE, 5, 480, 270, 52, 6, 0, 0.55, 0, 0, 0, NO_CAVITY}, 4},
    {"little fall-off", {LAMP_PLANE, 4, 320, 240, 40, 8, 0, 0.2, 0, 0, 0, NO_CAVITY}, 4},
    {"strong cast", {LAMP_PLANE, 3, 320, 240, 40, 9, 0, 0.45, 0.06, 0, 0, NO_CAVITY}, 4},
    {"exposure, spots", {LAMP_PLANE, 4, 320, 240, 40, 9, 0, 0.45, 0, 1, 0, NO_CAVITY}, 5},
    {"many highlights", {LAMP_PLANE, 3, 320, 240, 40, 9, 0, 0.45, 0, 0, 80, NO_CAVITY}, 4},
    {"to and fro", {LAMP_PLANE, 5, 320, 240, 40, 9, 1, 0.45, 0, 0, 0, NO_CAVITY}, 0},
    {"deep bowl", {LAMP_BOWL, 4, 320, 240, 40, 1.5, 0, 0, 0, 0, 0, {0.8, 1.1, 0, 0.1, 0.05}}, 0},
    {"shallow bowl", {LAMP_BOWL, 3, 320, 240, 40, 2, 0, 0, 0, 0, 0, {0.8, 0.4, 0, 0.06, -0.03}}, 0},
    {"bowl, wide view", {LAMP_BOWL, 5, 320, 240, 40, 2.5, 0, 0, 0, 0, 0, {0.55, 0.7, 0, 0.06, -0.03}}, 0},
    {"bowl, tilted", {LAMP_BOWL, 4, 320, 240, 40, 1.5, 0, 0, 0, 0, 0, {0.8, 0.7, 20, 0.06, -0.03}}, 0},
    {"bowl, highlights", {LAMP_BOWL, 3, 320, 240, 40, 1.2, 0, 0, 0, 0, 1, {0.8, 0.7, 0, -0.08, 0.02}}, 0},
    {"bowl, cast", {LAMP_BOWL, 5, 320, 240, 40, 2, 0, 0, 0.03, 0, 0, {0.8, 0.9, 0, 0.06, -0.03}}, 0},
    {"bowl, exposure", {LAMP_BOWL, 4, 320, 240, 40, 3, 0, 0, 0, 1, 0, {0.8, 0.8, 0, 0.06, -0.03}}, 0},
    {"bowl, long loop", {LAMP_BOWL, 1, 320, 240, 25, 9, 0, 0, 0, 0, 0, {0.7, 0.6, 0, -0.06, 0.06}}, 0},
    {"bowl, long line", {LAMP_BOWL, 0, 320, 240, 24, 6, 1, 0, 0, 0.5, 0, {0.9, 0.9, 0, 0.06, -0.03}}, 0},
    {"bowl, long and tilted", {LAMP_BOWL, 5, 320, 240, 30, 7, 0, 0, 0.02, 0, 0, {0.8, 0.8, 15, 0.05, 0.05}}, 0},
    {"shallow bowl, long loop", {LAMP_BOWL, 2, 320, 240, 30, 8, 0, 0, 0, 1, 0, {0.7, 0.4, 0, 0.06, -0.03}}, 0},
    {"bowl, six wide frames", {LAMP_BOWL, 3, 320, 240, 6, 54, 0, 0, 0.02, 0, 0, {0.72, 0.57, 10, -0.03, -0.02}}, 0},
    {"bowl, fine grain", {LAMP_BOWL, 1, 320, 240, 40, 3.5, 0, 0, 0, 0, 0, {0.89, 0.54, 20, -0.01, 0.04}}, 0},
    {"bowl, eight near frames", {LAMP_BOWL, 3, 320, 240, 8, 29.83, 0, 0, 0, 0, 0, {0.64, 0.38, 20, -0.08, -0.06}}, 0},
    {"bowl, to and fro", {LAMP_BOWL, 3, 320, 240, 8, 23.77, 1, 0, 0, 0, 0, {0.93, 0.82, 20, -0.08, -0.01}}, 0},
    {"tube, long line", {LAMP_TUBE, 1, 320, 240, 20, 5, 1, 0, 0, 0, 0, {0.8, 1.4, 20, 0.06, -0.03}}, 0},
    {"tube, other lamp", {LAMP_TUBE, 3, 320, 240, 40, 3, 0, 0, 0, 0, 0, {0.8, 1.2, 0, 0.15, 0.1}}, 0},
    {"tube, tilted", {LAMP_TUBE, 5, 320, 240, 40, 1.5, 1, 0, 0, 0, 0, {0.8, 1.6, 25, 0.06, -0.03}}, 0},
    {"tube, exposure", {LAMP_TUBE, 4, 320, 240, 40, 3, 0, 0, 0, 1, 1, {0.8, 1.6, 0, 0.06, -0.03}}, 0},
    {"hill, other lamp", {LAMP_HILL, 4, 320, 240, 40, 2, 0, 0, 0, 0, 0, {0.8, 0.7, 0, -0.1, 0.08}}, 0},
    {"hill, wide view", {LAMP_HILL, 3, 320, 240, 40, 1.5, 0, 0, 0, 0, 1, {0.6, 0.5, 0, 0.06, -0.03}}, 0},
};

/* A panorama with what it is compared with. */
typedef struct light_look {
    lamp_frames f;
    endo_frames *store;
    uint32_t *own;   /* mean of the frames, of a cavity all at their mean exposure, weighted by the distance to the field's
                        edge; 0: no frame */
    uint8_t *single; /* one frame sees the pixel, and no other one */
    look_panorama panorama;
} light_look;

static void light_look_free(light_look *l) {
    endo_frames_destroy(&l->store);
    lamp_frames_free(&l->f);
    endo_free(l->own);
    endo_free(l->single);
    endo_free(l->panorama.pixels);
    endo_free(l->panorama.painted);
}

static endo_status no_memory(void) { return endo_fail(ENDO_ERR_MEMORY, "no memory for a panorama and its colours"); }

/* ---------------------------------------------------------------- own colours */

/* What takes a frame to the geometric mean of the exposures. */
static double to_mean_exposure(const lamp_frames *f, int frame) {
    double sum = 0;
    for (int i = 0; i < f->options.frames; i++) sum += log(f->exposures[i]);
    return f->options.scene == LAMP_PLANE ? 1 : exp(sum / f->options.frames) / f->exposures[frame];
}

/* Adds a frame to the sums of three channels, weight and number. */
static void add_frame(const lamp_frames *f, int frame, float *sums) {
    const lamp_options *o = &f->options;
    double exposure = to_mean_exposure(f, frame);
    double inverse[6];
    if (!endo_affine_invert(f->poses[frame].matrix, inverse)) return;
    for (int y = 0; y < f->height; y++)
        for (int x = 0; x < f->width; x++) {
            double u;
            double v;
            endo_affine_apply(inverse, x + f->left, y + f->top, &u, &v);
            if (!lamp_in_field(o, u, v)) continue;
            float weight = (float)(0.6 * o->width - hypot(u - (o->width - 1) / 2.0, v - (o->height - 1) / 2.0));
            uint32_t rgb = f->images[frame][(size_t)(v + 0.5) * o->width + (size_t)(u + 0.5)];
            float *sum = sums + 5 * ((size_t)y * f->width + x);
            for (int c = 0; c < 3; c++) sum[c] += weight * (float)fmin(exposure * (rgb >> (16 - 8 * c) & 255), 255);
            sum[3] += weight;
            sum[4] += 1;
        }
}

static endo_status find_own(light_look *l) {
    size_t area = (size_t)l->f.width * l->f.height;
    float *sums = endo_alloc_zeroed(area, 5 * sizeof *sums);
    if (!sums) return no_memory();
    for (int i = 0; i < l->f.options.frames; i++) add_frame(&l->f, i, sums);
    for (size_t i = 0; i < area; i++) {
        const float *sum = sums + 5 * i;
        l->single[i] = sum[4] == 1;
        l->own[i] = 0;
        if (sum[4] < 1) continue;
        l->own[i] = 0xff;
        for (int c = 0; c < 3; c++) l->own[i] = l->own[i] << 8 | (uint32_t)(sum[c] / sum[3] + 0.5f);
    }
    endo_free(sums);
    return ENDO_OK;
}

/* Which frames of a sequence are looked at. */
typedef enum light_lamp {
    LAMP_MOVES = 0,
    LAMP_RESTS = 1,          /* the lamp of a cavity stays where it is */
    LAMP_RESTS_IN_GRAIN = 2  /* the same with another grain */
} light_lamp;

static endo_status light_look_make(endo_context *context, const lamp_options *o, light_lamp lamp, light_look *l) {
    ENDO_TRY(lamp == LAMP_MOVES ? lamp_frames_make(o, &l->f) : lamp_frames_make_at_rest(o, lamp == LAMP_RESTS_IN_GRAIN, &l->f));
    const look_frames frames = {o->width, o->height, o->frames, l->f.field, l->f.images, l->f.poses};
    ENDO_TRY(look_store(context, &frames, &l->store));
    size_t area = (size_t)l->f.width * l->f.height;
    l->own = endo_alloc(area, sizeof *l->own);
    l->single = endo_alloc(area, 1);
    l->panorama = (look_panorama){
        .left = l->f.left,
        .top = l->f.top,
        .width = l->f.width,
        .height = l->f.height,
        .pixels = endo_alloc(area, sizeof(uint32_t)),
        .painted = endo_alloc(area, 1),
    };
    if (!l->own || !l->single || !l->panorama.pixels || !l->panorama.painted) return no_memory();
    return find_own(l);
}

/* ------------------------------------------------------------------- measures */

typedef struct light_score {
    double mae;        /* against a plane's scene, grey levels, one gain a channel fitted */
    double mean, most; /* CIEDE2000 against the scene (one gain of all channels fitted) or the frames: mean, 95 % quantile */
    double hue;        /* mean shift where one frame sees, degrees */
    double shades;     /* deviation of the panorama's brightness over the scene's, per cent: what light is left in it */
    double seam;       /* mean step of that at the frames' rims, less the slope beside it, per cent */
    double lamp;       /* the same of a cavity's panorama over that with the lamp at rest: what the lamp's motion makes of it, and
                          grain */
    double white;      /* mean lightness L* of what is white in the scene; 100: none is grey */
} light_score;

static double grey_of(uint32_t rgb) { return 0.3 * (rgb >> 16 & 255) + 0.59 * (rgb >> 8 & 255) + 0.11 * (rgb & 255); }

/* The gain of all channels that takes the panorama to the scene. */
static double common_gain(const light_look *l, const uint32_t *truth) {
    double product = 0;
    double square = 0;
    for (size_t i = 0; i < (size_t)l->f.width * l->f.height; i++) {
        if (!l->panorama.painted[i] || !truth[i]) continue;
        for (int c = 0; c < 3; c++) {
            double a = l->panorama.pixels[i] >> 8 * c & 255;
            product += a * (truth[i] >> 8 * c & 255);
            square += a * a;
        }
    }
    return square > 0 ? product / square : 1;
}

static colour_lab lab_of(uint32_t rgb, double gain) {
    double v[3];
    for (int c = 0; c < 3; c++) v[c] = fmin(gain * (rgb >> (16 - 8 * c) & 255), 255);
    return colour_lab_of(v[0], v[1], v[2]);
}

static endo_status compare_colours(const light_look *l, light_score *s) {
    int is_plane = l->f.options.scene == LAMP_PLANE;
    const uint32_t *truth = is_plane ? l->f.scene : l->own;
    const look_panorama *p = &l->panorama;
    size_t area = (size_t)p->width * p->height;
    float *differences = endo_alloc(2 * area, sizeof *differences);
    if (!differences) return no_memory();
    double gain = is_plane ? common_gain(l, truth) : 1;
    double sum = 0;
    double hues = 0;
    double white = 0;
    double ratio = 0;
    double ratios = 0;
    size_t n = 0;
    size_t singles = 0;
    size_t whites = 0;
    for (size_t i = 0; i < area; i++) {
        if (!p->painted[i] || !l->f.scene[i] || !l->own[i]) continue;
        colour_lab lab = lab_of(p->pixels[i], gain);
        double light = log((grey_of(p->pixels[i]) + 2) / (grey_of(l->f.scene[i]) + 2));
        ratio += light;
        ratios += light * light;
        differences[n] = (float)colour_difference(lab, lab_of(truth[i], 1));
        sum += differences[n++];
        if (l->single[i]) {
            hues += colour_hue_shift(colour_lab_of_rgb(p->pixels[i]), colour_lab_of_rgb(l->own[i]), 5);
            singles++;
        }
        if (is_plane && (truth[i] & 0xffffff) == 0xffffff) white += colour_lab_of_rgb(p->pixels[i]).l, whites++;
    }
    s->mean = n ? sum / (double)n : 0;
    s->most = n ? endo_select(differences, n, n - 1 - n / 20, 1, differences + area) : 0;
    s->shades = n ? 100 * sqrt(fmax(ratios / (double)n - ratio / (double)n * (ratio / (double)n), 0)) : 0;
    s->hue = singles ? hues / (double)singles : 0;
    s->white = whites ? white / (double)whites : 0;
    endo_free(differences);
    return ENDO_OK;
}

/* Brightest channel that counts as not clipped, and the darkest grey level whose rounding is no step: half a level is 2.5 %. */
#define NOT_CLIPPED 245
#define NOT_BLACK 20

static int is_exposed(uint32_t rgb) {
    int is_clipped = (rgb >> 16 & 255) > NOT_CLIPPED || (rgb >> 8 & 255) > NOT_CLIPPED || (rgb & 255) > NOT_CLIPPED;
    return !is_clipped && grey_of(rgb) >= NOT_BLACK;
}

/* Adds the logarithm of the panorama over `truth`, of its size, at a place of a frame; 0: nothing is known there. */
static int add_ratio(const light_look *l, const uint32_t *truth, int frame, double distance, double angle, double *out) {
    const lamp_options *o = &l->f.options;
    const look_panorama *p = &l->panorama;
    double x = (o->width - 1) / 2.0 + distance * cos(angle);
    double y = (o->height - 1) / 2.0 + distance * sin(angle);
    double u;
    double v;
    endo_affine_apply(l->f.poses[frame].matrix, x, y, &u, &v);
    int column = (int)floor(u - p->left + 0.5);
    int row = (int)floor(v - p->top + 0.5);
    if (column < 0 || row < 0 || column >= p->width || row >= p->height) return 0;
    size_t i = (size_t)row * p->width + column;
    if (!p->painted[i] || !truth[i] || !is_exposed(l->own[i])) return 0;
    *out += log((grey_of(p->pixels[i]) + 2) / (grey_of(truth[i]) + 2));
    return 1;
}

/* How far the field of a frame reaches along an angle, px; what is painted ends a little before. */
static double reach_at(const lamp_options *o, double angle) {
    double reach = 0;
    double x = (o->width - 1) / 2.0;
    double y = (o->height - 1) / 2.0;
    while (lamp_in_field(o, x + (reach + 1) * cos(angle), y + (reach + 1) * sin(angle))) reach++;
    return reach;
}

/* Mean over arcs of the frames' rims, 10 degrees long, of the step across them: between means over 4 px inside and outside,
 * less what it is from these to the 4 px beyond. */
static double mean_seam(const light_look *l, const uint32_t *truth) {
    enum { ARCS = 36, ALONG = 20, DEEP = 4 };
    double sum = 0;
    double n = 0;
    for (int frame = 0; frame < l->f.options.frames; frame += 2)
        for (int arc = 0; arc < ARCS; arc++) {
            double step = 0;
            int whole = 0;
            for (int i = 0; i < ALONG * DEEP; i++) {
                double angle = (arc + (i / DEEP + 0.5) / ALONG) * 2 * 3.14159265358979 / ARCS;
                double rim = reach_at(&l->f.options, angle);
                double along[4] = {0, 0, 0, 0}; /* from inside to outside */
                int away = 1 + i % DEEP;
                int known = 1;
                const int at[4] = {-away - DEEP, -away, away, away + DEEP};
                for (int k = 0; k < 4; k++) known &= add_ratio(l, truth, frame, rim + at[k], angle, &along[k]);
                if (!known) break;
                step += 1.5 * (along[1] - along[2]) - 0.5 * (along[0] - along[3]);
                whole++;
            }
            if (whole < ALONG * DEEP) continue;
            sum += fabs(step / whole);
            n++;
        }
    return n > 0 ? 100 * sum / n : 0;
}

static endo_status score(const light_look *l, light_score *s) {
    const look_panorama *p = &l->panorama;
    *s = (light_score){0};
    if (l->f.options.scene == LAMP_PLANE) {
        look_images images = {p->width, p->height, p->pixels, l->f.scene, p->painted};
        look_score all;
        if (!look_score_make(&images, &all)) return no_memory();
        s->mae = all.mae;
        endo_free(all.error);
    }
    s->seam = mean_seam(l, l->f.scene);
    return compare_colours(l, s);
}

/* --------------------------------------------------------------------- report */

static void add_row(bench *b, const light_sequence *of, const char *painting, const char *what, const char *unit,
                    double value) {
    char name[80];
    snprintf(name, sizeof name, "look: %s, %s", of->name, what);
    report_row row = {.kernel = name, .backend = painting, .threads = 0, .median = value, .p90 = value, .unit = unit,
                      .baseline = ""};
    snprintf(row.size, sizeof row.size, "%dx%d", of->options.width, of->options.height);
    report_add(&b->report, &row);
}

static void add_rows(bench *b, const light_sequence *of, const char *painting, const light_score *s) {
    const struct {
        const char *what, *unit;
        double value;
        int is_plane; /* 1: of planes alone, 2: of those with wet spots, 3: of cavities alone */
    } rows[] = {
        {"MAE", "levels", s->mae, 1},
        {"dE2000", "", s->mean, 0},
        {"dE2000 p95", "", s->most, 0},
        {"hue where one sees", "degrees", s->hue, 0},
        {"light left", "%", s->shades, 0},
        {"step at rims", "%", s->seam, 0},
        {"lightness of white", "L*", s->white, 2},
        {"the lamp's step at rims", "%", s->lamp, 3},
    };
    for (int i = 0; i < 8; i++) {
        int is_plane = of->options.scene == LAMP_PLANE;
        if (rows[i].is_plane == 3 ? is_plane : rows[i].is_plane && !is_plane) continue;
        if (rows[i].is_plane == 2 && !of->options.highlights) continue;
        add_row(b, of, painting, rows[i].what, rows[i].unit, rows[i].value);
    }
}

/* rest: the same with the lamp at rest, painted; NULL: of a plane. */
static endo_status paint(endo_context *context, light_look *l, const light_look *rest, int even, light_score *s) {
    const lamp_options *o = &l->f.options;
    const look_frames frames = {o->width, o->height, o->frames, l->f.field, l->f.images, l->f.poses};
    look_times times = {0, 0, 0};
    endo_light_report report;
    ENDO_TRY(look_paint(context, l->store, &frames, even, &l->panorama, &times, &report));
    ENDO_TRY(score(l, s));
    if (rest) s->lamp = mean_seam(l, rest->panorama.pixels);
    return ENDO_OK;
}

/* Paints the frames as they are, one over the other. */
static endo_status paint_over(endo_context *context, light_look *l) {
    const look_panorama *p = &l->panorama;
    int32_t *slots = endo_alloc((size_t)l->f.options.frames, sizeof *slots);
    if (!slots) return no_memory();
    for (int i = 0; i < l->f.options.frames; i++) slots[i] = i;
    const endo_posed_frames posed = {
        .slots = slots,
        .transforms = l->f.poses,
        .n = (size_t)l->f.options.frames,
        .origin_x = -p->left,
        .origin_y = -p->top,
    };
    endo_canvas *canvas = NULL;
    endo_status status = endo_canvas_create(context, ENDO_RGB32, p->width, p->height, &canvas);
    if (status == ENDO_OK) status = endo_canvas_paint(canvas, l->store, &posed, ENDO_PAINT_UNION);
    if (status == ENDO_OK) status = endo_canvas_read(canvas, 0, 0, p->width, p->height, p->pixels, p->painted);
    endo_canvas_destroy(&canvas);
    endo_free(slots);
    return status;
}

/* Measures steps at the rims of frames, as shares of the brightness: the lamp's, by panoramas without a blend under a lamp that
 * moves and one at rest; and the grain's, by two blends under the lamp at rest that differ in grain alone, below which a step of
 * the lamp cannot be told. rest receives the look at the blend under the lamp at rest. */
static endo_status look_at_rest(bench *b, endo_context *context, const light_sequence *of, light_look *l, light_look *rest,
                                double *grain) {
    light_look other;
    light_score scored = {0};
    ENDO_TRY(light_look_make(context, &of->options, LAMP_RESTS, rest));
    ENDO_TRY(paint_over(context, rest));
    ENDO_TRY(paint_over(context, l));
    add_row(b, of, "Union", "the lamp's step at rims", "%", mean_seam(l, rest->panorama.pixels));
    ENDO_TRY(paint(context, rest, NULL, 0, &scored));
    memset(&other, 0, sizeof other);
    endo_status status = light_look_make(context, &of->options, LAMP_RESTS_IN_GRAIN, &other);
    if (status == ENDO_OK) status = paint(context, &other, rest, 0, &scored);
    if (status == ENDO_OK) add_row(b, of, "grain", "the lamp's step at rims", "%", scored.lamp);
    *grain = scored.lamp;
    light_look_free(&other);
    return status;
}

/* Colours of cavities are to stay the frames' own; a hill's, which the lamp leaves dark around, are to come nearer to the
 * scene's. */
static void judge(bench *b, const light_sequence *of, const light_score *none, const light_score *even, double grain) {
    report *r = &b->report;
    if (of->most > 0)
        report_target(r, "colours, mean absolute error", of->name, even->mae, of->most, "levels", 0);
    else if (of->options.scene == LAMP_HILL)
        report_target(r, "light left, beyond light=None", of->name, even->shades - none->shades, 0, "%", 0);
    else
        report_target(r, "colours, dE2000 beyond light=None", of->name, even->mean - none->mean, 0.5, "", 0);
    if (none->white > 0)
        report_target(r, "lightness of white, less than light=None", of->name, none->white - even->white, 0.5, "L*", 0);
    if (of->options.scene == LAMP_PLANE)
        report_target(r, "step at rims, beyond light=None", of->name, even->seam - none->seam, 0.01, "%", 0);
    else
        report_target(r, "the lamp's step at rims", of->name, even->lamp, 0.6, "%", 0);
    if (of->options.scene == LAMP_BOWL || of->options.scene == LAMP_TUBE)
        report_target(r, "the lamp's step at rims, beyond light=None", of->name, even->lamp - none->lamp, grain, "%", 0);
}

static endo_status look_at(bench *b, endo_context *context, const light_sequence *of) {
    int is_plane = of->options.scene == LAMP_PLANE;
    light_look l;
    light_look rest;
    light_score none;
    light_score even;
    double grain = 0; /* the lamp's step where it rests, per cent */
    memset(&l, 0, sizeof l);
    memset(&rest, 0, sizeof rest);
    endo_status status = light_look_make(context, &of->options, LAMP_MOVES, &l);
    if (status == ENDO_OK && !is_plane) status = look_at_rest(b, context, of, &l, &rest, &grain);
    if (status == ENDO_OK) status = paint(context, &l, is_plane ? NULL : &rest, 0, &none);
    if (status == ENDO_OK) status = paint(context, &l, is_plane ? NULL : &rest, 1, &even);
    if (status == ENDO_OK) {
        add_rows(b, of, "light=None", &none);
        add_rows(b, of, "light=Even", &even);
        judge(b, of, &none, &even, grain);
    }
    light_look_free(&l);
    light_look_free(&rest);
    return status;
}

endo_status look_light(bench *b, endo_context *context) {
    size_t n = sizeof sequences / sizeof *sequences;
    endo_status status = ENDO_OK;
    for (size_t i = 0; i < (b->quick ? 1 : n) && status == ENDO_OK; i++) status = look_at(b, context, &sequences[i]);
    return status;
}
