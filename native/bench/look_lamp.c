#include "look_lamp.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/transform.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
/* Radius of the field in shorter sides of the frame, as the demo has it. */
#define FIELD (0.49 * 1.15)

/* ------------------------------------------------------------------ texture */

static double hashed(int x, int y, int z) {
    uint32_t h = (uint32_t)x * 0x8da6b343u ^ (uint32_t)y * 0xd8163841u ^ (uint32_t)z * 0xcb1ab31fu;
    h = (h ^ h >> 15) * 0x2c1b3c6du;
    h = (h ^ h >> 12) * 0x297a2d39u;
    return (h ^ h >> 15) / 4294967296.0 - 0.5;
}

static double mix(double a, double b, double f) { return a + f * f * (3 - 2 * f) * (b - a); }

/* Smooth noise, -0.5..0.5, one wave a unit. */
static double noise(double x, double y, double z) {
    int i = (int)floor(x);
    int j = (int)floor(y);
    int k = (int)floor(z);
    double plane[2];
    for (int d = 0; d < 2; d++) {
        double above = mix(hashed(i, j, k + d), hashed(i + 1, j, k + d), x - i);
        double below = mix(hashed(i, j + 1, k + d), hashed(i + 1, j + 1, k + d), x - i);
        plane[d] = mix(above, below, y - j);
    }
    return mix(plane[0], plane[1], z - k);
}

/* Albedo of a point in units of a frame's width. */
static void albedo(int texture, const double p[3], double out[3]) {
    double x = p[0] + 50;
    double y = p[1] + 50;
    double z = p[2] + 50;
    double fine = noise(40 * x, 40 * y, 40 * z);
    double middle = noise(13 * x, 13 * y, 13 * z);
    double wide = noise(2.3 * x, 2.3 * y, 2.3 * z);
    double vessel = fabs(noise(6 * x + 9, 6 * y, 6 * z));
    double blood = 0;
    double bright = 0;
    if (texture == 0) blood = vessel < 0.05 ? 0.5 * (1 - vessel / 0.05) : 0, bright = 0.25 * middle + 0.15 * fine + 0.2 * wide;
    if (texture == 1) bright = 0.35 * fine + 0.3 * noise(90 * x, 90 * y, 90 * z) + 0.1 * middle;
    if (texture == 2) bright = 1.1 * wide + 0.3 * (middle > 0.1) + 0.1 * fine, blood = 0.3 * (wide < -0.1);
    if (texture == 3) blood = 0.6 * (fabs(noise(17 * x, 17 * y, 17 * z)) < 0.03) + 0.4 * (vessel < 0.04), bright = 0.1 * fine;
    if (texture == 4) bright = 0.2 * noise(25 * x, 25 * y, 25 * z), blood = 0.9 * (noise(9 * x, 9 * y + 4, 9 * z) > 0.22);
    if (texture == 5) bright = 0.5 * noise(1.1 * x, 1.1 * y + 3, 1.1 * z) + 0.12 * middle + 0.04 * fine;
    out[0] = 0.62 * exp(bright - 0.15 * blood);
    out[1] = 0.40 * exp(bright - 1.1 * blood);
    out[2] = 0.36 * exp(bright - 0.8 * blood + 0.2 * wide);
}

/* How much a wet spot of a plane shines at a point, px of frame 0. */
static double shine(const lamp_options *o, double x, double y) {
    double most = 0;
    for (int i = 0; i < o->highlights; i++) {
        double cx = (0.5 + 1.2 * hashed(i, 7, 1)) * o->width;
        double cy = (0.5 + 1.2 * hashed(i, 7, 2)) * o->height;
        double away = hypot(x - cx, y - cy) / (0.012 * o->width);
        most = fmax(most, away < 1 ? 6 : away < 1.5 ? 12 * (1.5 - away) : 0);
    }
    return most;
}

/* ---------------------------------------------------------------------- way */

int lamp_in_field(const lamp_options *o, double x, double y) {
    double radius = FIELD * (o->width < o->height ? o->width : o->height) - 4;
    if (x < 4 || y < 4 || x > o->width - 5 || y > o->height - 5) return 0;
    return hypot(x - (o->width - 1) / 2.0, y - (o->height - 1) / 2.0) < radius;
}

/* Where the scope has gone by a frame, px at the middle. */
static void way(const lamp_options *o, int frame, double *x, double *y) {
    double turn = 2 * PI * frame / o->frames;
    double radius = o->step * o->frames / (2 * PI);
    *x = o->forward ? o->step * (frame < o->frames / 2 ? frame : o->frames - frame) : radius * sin(turn);
    *y = o->forward ? 0.2 * *x : radius * (1 - cos(turn));
}

/* The light at a pixel that a plane's frame shows. The lamp is beside the lens. */
static double fall_off(const lamp_options *o, double x, double y) {
    double corner = hypot(0.5 * o->width, 0.5 * o->height);
    double away = hypot(x - 0.56 * o->width, y - 0.46 * o->height) / corner;
    double lies = 1 / sqrt(1 - o->fall) - 1; /* cos^4: 1 / (1 + r^2)^2 */
    return 1 / ((1 + lies * away * away) * (1 + lies * away * away));
}

/* ------------------------------------------------------------------- cavity */

/* The camera of a frame; units of the cavity's radius. It looks along z, but for its tilt. */
typedef struct camera {
    double at[3];
} camera;

/* Focal length, px. */
static double focal_of(const lamp_options *o) { return o->view.focal * o->width; }

static camera camera_of(const lamp_options *o, int frame) {
    double x;
    double y;
    way(o, frame, &x, &y);
    double scale = o->view.depth / focal_of(o);
    camera c = {{x * scale, y * scale, 0}};
    if (o->scene == LAMP_TUBE) c = (camera){{0.35 + 0.4 * x * scale, 0.1 + 0.4 * y * scale, 0.5 * x * scale}};
    return c;
}

/* Where a ray from the camera meets the cavity; the normal looks at the camera. 0: nowhere. */
static int meet(const lamp_options *o, const camera *c, const double ray[3], double point[3], double normal[3]) {
    double middle[3] = {0, 0, o->view.depth + (o->scene == LAMP_BOWL ? -1 : 1)}; /* of the balls */
    double from[3];
    int axes = o->scene == LAMP_TUBE ? 2 : 3;
    double a = 0;
    double b = 0;
    double d = -1;
    for (int i = 0; i < axes; i++) {
        from[i] = c->at[i] - (axes == 3 ? middle[i] : 0);
        a += ray[i] * ray[i];
        b += ray[i] * from[i];
        d += from[i] * from[i];
    }
    double root = b * b - a * d;
    if (root < 0 || a < 1e-9) return 0;
    double t = (-b + (o->scene == LAMP_HILL ? -sqrt(root) : sqrt(root))) / a;
    if (!(t > 0)) return 0;
    double inwards = o->scene == LAMP_HILL ? 1 : -1;
    for (int i = 0; i < 3; i++) {
        point[i] = c->at[i] + t * ray[i];
        normal[i] = i < axes ? inwards * (from[i] + t * ray[i]) : 0;
    }
    return 1;
}

static void ray_of(const lamp_options *o, double x, double y, double ray[3]) {
    double angle = o->view.tilt * PI / 180;
    double across = (x - (o->width - 1) / 2.0) / focal_of(o);
    ray[0] = across * cos(angle) + sin(angle);
    ray[1] = (y - (o->height - 1) / 2.0) / focal_of(o);
    ray[2] = cos(angle) - across * sin(angle);
}

/* Irradiance from the lamp, and gloss. */
static void light_point(const lamp_options *o, const camera *c, const double p[3], const double n[3], double *light,
                        double *gloss) {
    const double lamp[3] = {o->view.lamp_x, o->view.lamp_y, 0};
    double to[3];
    double square = 0;
    double along = 0;
    for (int i = 0; i < 3; i++) {
        to[i] = c->at[i] + lamp[i] - p[i];
        square += to[i] * to[i];
        along += to[i] * n[i];
    }
    along = fmax(along / sqrt(square), 0);
    *light = along / (square + 0.02);
    *gloss = along > 0.9985 ? 1.5 * (along - 0.9985) / 0.0015 : 0;
}

/* Where a point of the cavity lies in frame 0, px. */
static int in_first(const lamp_options *o, const double p[3], double *x, double *y) {
    camera c = camera_of(o, 0);
    double angle = o->view.tilt * PI / 180;
    double across = (p[0] - c.at[0]) * cos(angle) - (p[2] - c.at[2]) * sin(angle);
    double depth = (p[0] - c.at[0]) * sin(angle) + (p[2] - c.at[2]) * cos(angle);
    if (depth < 0.02) return 0;
    *x = across / depth * focal_of(o) + (o->width - 1) / 2.0;
    *y = (p[1] - c.at[1]) / depth * focal_of(o) + (o->height - 1) / 2.0;
    return 1;
}

/* ------------------------------------------------------------------- frames */

/* Brightness of a frame's pixel before its gain. lit: where the camera is that the lamp is beside. */
static void see(const lamp_options *o, const camera *c, const camera *lit, const endo_transform *pose, int x, int y,
                double out[3]) {
    double p[3] = {x, y, 0};
    double n[3];
    double ray[3];
    double light = 0;
    double gloss = 0;
    out[0] = out[1] = out[2] = 0;
    if (o->scene == LAMP_PLANE) {
        endo_affine_apply(pose->matrix, x, y, &p[0], &p[1]);
        light = fall_off(o, x, y);
        gloss = shine(o, p[0], p[1]);
        p[0] /= o->width, p[1] /= o->width;
    } else {
        ray_of(o, x, y, ray);
        if (!meet(o, c, ray, p, n)) return;
        light_point(o, lit, p, n, &light, &gloss);
        if (!o->highlights) gloss = 0;
    }
    albedo(o->texture, p, out);
    int is_plane = o->scene == LAMP_PLANE; /* whose wet spots are scattered light, too */
    for (int k = 0; k < 3; k++) out[k] = is_plane ? light * (out[k] + gloss) : light * out[k] + gloss;
}

static uint32_t level(double v) { return v <= 0 ? 0 : v >= 255 ? 255 : (uint32_t)(v + 0.5); }

/* Level of a brightness in frame 0 and every frame of a plane without control. */
static double scale_of(const lamp_options *o, const double *values) {
    size_t area = (size_t)o->width * o->height;
    double sum = 0;
    double n = 0;
    for (size_t i = 0; i < area; i++) {
        if (!lamp_in_field(o, (double)(i % o->width), (double)(i / o->width))) continue;
        sum += fmin(values[3 * i + 1], 4);
        n++;
    }
    return 92 * n / fmax(sum, 1e-9);
}

/* Sets the frame's image and exposure. grain: another number, another grain. */
static void expose(const lamp_options *o, int frame, int grain, const double *values, double first, lamp_frames *f) {
    size_t area = (size_t)o->width * o->height;
    uint32_t *image = f->images[frame];
    f->exposures[frame] = pow(scale_of(o, values) / first, o->exposure);
    double scale = first * f->exposures[frame];
    double drift = o->cast * sin(2 * PI * 1.3 * frame / o->frames);
    double gain[3] = {scale * (1 + drift), scale, scale * (1 - drift)};
    for (size_t i = 0; i < area; i++) {
        uint32_t rgb = 0;
        for (int c = 0; c < 3; c++) {
            double noise = 2 * hashed((int)i, frame, 11 + c + 12 * grain) + 2 * hashed((int)i, frame, 17 + c + 12 * grain);
            rgb = rgb << 8 | level(gain[c] * values[3 * i + (size_t)c] + noise);
        }
        image[i] = 0xff000000u | rgb;
    }
}

/* The affine map of a frame's points to frame 0 that fits best. */
static int fit_pose(const lamp_options *o, int frame, endo_transform *out) {
    enum { SIDE = 24 };
    double from[2 * SIDE * SIDE];
    double to[2 * SIDE * SIDE];
    double ray[3];
    double p[3];
    double n[3];
    camera c = camera_of(o, frame);
    size_t count = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        double *a = from + 2 * count;
        a[0] = (i % SIDE + 0.5) / SIDE * o->width;
        a[1] = (i / SIDE + 0.5) / SIDE * o->height;
        if (!lamp_in_field(o, a[0], a[1])) continue;
        ray_of(o, a[0], a[1], ray);
        if (!meet(o, &c, ray, p, n) || !in_first(o, p, to + 2 * count, to + 2 * count + 1)) continue;
        count++;
    }
    return endo_transform_solve(from, to, NULL, count, ENDO_TRANSFORM_AFFINE, out);
}

static int place(const lamp_options *o, int frame, endo_transform *out) {
    double m[6] = {1, 0, 0, 0, 1, 0};
    if (o->scene != LAMP_PLANE) return fit_pose(o, frame, out);
    way(o, frame, &m[2], &m[5]);
    *out = endo_transform_of_affine(m);
    return 1;
}

static void find_bounds(lamp_frames *f) {
    const lamp_options *o = &f->options;
    double low[2] = {0, 0};
    double high[2] = {0, 0};
    for (int i = 0; i < 4 * o->frames; i++) {
        double p[2];
        endo_affine_apply(f->poses[i / 4].matrix, i & 1 ? o->width - 1 : 0, i & 2 ? o->height - 1 : 0, &p[0], &p[1]);
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], p[k]);
            high[k] = fmax(high[k], p[k]);
        }
    }
    f->left = (int)floor(low[0]);
    f->top = (int)floor(low[1]);
    f->width = (int)ceil(high[0]) - f->left + 1;
    f->height = (int)ceil(high[1]) - f->top + 1;
}

/* Albedo of what frame 0 sees at a pixel, and shine. 0: nothing is there. */
static int see_bare(const lamp_options *o, double x, double y, double rgb[3], double *gloss) {
    double p[3] = {x / o->width, y / o->width, 0};
    double n[3];
    double ray[3];
    camera c = camera_of(o, 0);
    *gloss = o->scene == LAMP_PLANE ? shine(o, x, y) : 0;
    ray_of(o, x, y, ray);
    if (o->scene != LAMP_PLANE && !meet(o, &c, ray, p, n)) return 0;
    albedo(o->texture, p, rgb);
    return 1;
}

/* Albedo of the scene, the colours of frames without the lamp's light; a plane's wet spots are white. */
static void draw_scene(lamp_frames *f, double scale) {
    for (int y = 0; y < f->height; y++)
        for (int x = 0; x < f->width; x++) {
            double rgb[3];
            double gloss;
            uint32_t *out = &f->scene[(size_t)y * f->width + x];
            *out = 0;
            if (!see_bare(&f->options, x + f->left, y + f->top, rgb, &gloss)) continue;
            *out = 0xff;
            for (int c = 0; c < 3; c++) *out = *out << 8 | level(scale * (rgb[c] + gloss));
        }
}

static endo_status take_memory(lamp_frames *f) {
    const lamp_options *o = &f->options;
    size_t area = (size_t)o->width * o->height;
    f->field = endo_alloc(area, 1);
    f->images = endo_alloc_zeroed((size_t)o->frames, sizeof *f->images);
    f->poses = endo_alloc((size_t)o->frames, sizeof *f->poses);
    f->exposures = endo_alloc((size_t)o->frames, sizeof *f->exposures);
    int made = f->field && f->images && f->poses && f->exposures;
    for (int i = 0; made && i < o->frames; i++) {
        f->images[i] = endo_alloc(area, sizeof **f->images);
        made = f->images[i] != NULL;
    }
    return made ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for lit frames");
}

static void draw_field(lamp_frames *f) {
    const lamp_options *o = &f->options;
    double radius = FIELD * (o->width < o->height ? o->width : o->height);
    for (int i = 0; i < o->width * o->height; i++)
        f->field[i] = hypot(i % o->width - (o->width - 1) / 2.0, i / o->width - (o->height - 1) / 2.0) < radius ? 255 : 0;
}

lamp_view lamp_usual_view(lamp_scene scene) {
    return (lamp_view){.focal = 0.8, .depth = scene == LAMP_TUBE ? 1.6 : 0.7, .lamp_x = 0.06, .lamp_y = -0.03};
}

static endo_status make(const lamp_options *o, int rests, int grain, lamp_frames *f) {
    size_t area = (size_t)o->width * o->height;
    double first = 0;
    *f = (lamp_frames){.options = *o};
    ENDO_TRY(take_memory(f));
    double *values = endo_alloc(area, 3 * sizeof *values);
    if (!values) return endo_fail(ENDO_ERR_MEMORY, "no memory for lit frames");
    int placed = 1;
    for (int i = 0; i < o->frames && placed; i++) {
        camera c = camera_of(o, i);
        camera lit = camera_of(o, rests ? 0 : i);
        placed = place(o, i, &f->poses[i]);
        for (int k = 0; k < (int)area && placed; k++)
            see(o, &c, &lit, &f->poses[i], k % o->width, k / o->width, values + 3 * (size_t)k);
        if (i == 0) first = scale_of(o, values);
        if (placed) expose(o, i, grain, values, first, f);
    }
    endo_free(values);
    if (!placed) return endo_fail(ENDO_ERR_INTERNAL, "no map fits a lit frame");
    draw_field(f);
    find_bounds(f);
    f->scene = endo_alloc((size_t)f->width * f->height, sizeof *f->scene);
    if (!f->scene) return endo_fail(ENDO_ERR_MEMORY, "no memory for a lit scene");
    draw_scene(f, o->scene == LAMP_PLANE ? first * 0.85 : 200);
    return ENDO_OK;
}

endo_status lamp_frames_make(const lamp_options *options, lamp_frames *out) { return make(options, 0, 0, out); }

endo_status lamp_frames_make_at_rest(const lamp_options *options, int grain, lamp_frames *out) {
    lamp_options o = *options;
    o.exposure = o.cast = 0;
    return make(&o, 1, grain, out);
}

void lamp_frames_free(lamp_frames *f) {
    for (int i = 0; f->images && i < f->options.frames; i++) endo_free(f->images[i]);
    endo_free(f->images);
    endo_free(f->field);
    endo_free(f->poses);
    endo_free(f->exposures);
    endo_free(f->scene);
}
