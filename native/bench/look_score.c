/* Scores of a panorama: mean error, PSNR, SSIM (Wang and others 2004), and the energy of its details. */
#include "look_score.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { EDGE = 7 };

typedef struct score_work {
    const look_images *images;
    size_t area;
    uint8_t *inside;
    float *grey[2], *mean[2];      /* of panorama and scene */
    float *other, *third, *rows;   /* planes to work with */
    double gain[3];
} score_work;

static int channel(uint32_t rgb, int c) { return (int)(rgb >> 8 * c & 255); }

static double clamp(double v) { return v < 0 ? 0 : v > 255 ? 255 : v; }

/* Painted in the whole square around a pixel, and in the scene. */
static void find_inside(score_work *w) {
    const look_images *m = w->images;
    for (int y = 0; y < m->height; y++)
        for (int x = 0; x < m->width; x++) {
            int all = x >= EDGE && y >= EDGE && x + EDGE < m->width && y + EDGE < m->height;
            for (int v = -EDGE; v <= EDGE && all; v++)
                for (int u = -EDGE; u <= EDGE && all; u++) {
                    size_t i = (size_t)(y + v) * m->width + (x + u);
                    all = m->painted[i] && m->scene[i];
                }
            w->inside[(size_t)y * m->width + x] = (uint8_t)all;
        }
}

static void fit_gains(score_work *w) {
    const look_images *m = w->images;
    for (int c = 0; c < 3; c++) {
        double product = 0, square = 0;
        for (size_t i = 0; i < w->area; i++) {
            if (!w->inside[i]) continue;
            double a = channel(m->panorama[i], c), b = channel(m->scene[i], c);
            product += a * b, square += a * a;
        }
        w->gain[c] = square > 0 ? product / square : 1;
    }
}

static void compare(score_work *w, look_score *out) {
    const look_images *m = w->images;
    double sum = 0, squares = 0;
    size_t n = 0;
    const double grey[3] = {29 / 256.0, 150 / 256.0, 77 / 256.0};
    for (size_t i = 0; i < w->area; i++) {
        w->grey[0][i] = w->grey[1][i] = 0;
        for (int c = 0; c < 3; c++) {
            double a = clamp(w->gain[c] * channel(m->panorama[i], c)), b = channel(m->scene[i], c);
            w->grey[0][i] += (float)(grey[c] * a), w->grey[1][i] += (float)(grey[c] * b);
            if (w->inside[i]) sum += fabs(a - b), squares += (a - b) * (a - b), n++;
        }
        out->error[i] = w->inside[i] ? w->grey[0][i] - w->grey[1][i] : 1e9f;
    }
    out->mae = n ? sum / n : 0;
    out->psnr = squares > 0 ? 10 * log10(255.0 * 255.0 * n / squares) : 99;
    out->share = n / 3.0 / w->area;
}

/* The Gaussian mean, edges repeated. out may not be the image. */
static void smooth(const score_work *w, const float *image, double sigma, float *out) {
    enum { MOST = 16 };
    int width = w->images->width, height = w->images->height, reach = (int)(3.4 * sigma + 0.5);
    float kernel[MOST + 1], sum = 0;
    for (int k = 0; k <= reach; k++) kernel[k] = (float)exp(-0.5 * k * k / (sigma * sigma)), sum += k ? 2 * kernel[k] : kernel[k];
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float total = 0;
            for (int k = -reach; k <= reach; k++) {
                int u = x + k < 0 ? 0 : x + k >= width ? width - 1 : x + k;
                total += kernel[k < 0 ? -k : k] * image[(size_t)y * width + u];
            }
            w->rows[(size_t)y * width + x] = total / sum;
        }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float total = 0;
            for (int k = -reach; k <= reach; k++) {
                int v = y + k < 0 ? 0 : y + k >= height ? height - 1 : y + k;
                total += kernel[k < 0 ? -k : k] * w->rows[(size_t)v * width + x];
            }
            out[(size_t)y * width + x] = total / sum;
        }
}

/* Mean of the products of two images, less that of their means. */
static void covariance(score_work *w, int a, int b, float *out) {
    for (size_t i = 0; i < w->area; i++) w->other[i] = w->grey[a][i] * w->grey[b][i];
    smooth(w, w->other, 1.5, out);
    for (size_t i = 0; i < w->area; i++) out[i] -= w->mean[a][i] * w->mean[b][i];
}

static double ssim_of(score_work *w, float *variances[2]) {
    const double c1 = 0.01 * 255 * 0.01 * 255, c2 = 0.03 * 255 * 0.03 * 255;
    double sum = 0;
    size_t n = 0;
    for (int k = 0; k < 2; k++) smooth(w, w->grey[k], 1.5, w->mean[k]);
    for (int k = 0; k < 2; k++) covariance(w, k, k, variances[k]);
    covariance(w, 0, 1, w->third);
    for (size_t i = 0; i < w->area; i++) {
        if (!w->inside[i]) continue;
        double a = w->mean[0][i], b = w->mean[1][i];
        sum += (2 * a * b + c1) * (2 * w->third[i] + c2) /
               ((a * a + b * b + c1) * (variances[0][i] + variances[1][i] + c2));
        n++;
    }
    return n ? sum / n : 0;
}

static double sharpness_of(score_work *w) {
    double energy[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        smooth(w, w->grey[k], 2.5, w->mean[k]);
        for (size_t i = 0; i < w->area; i++) {
            double d = w->grey[k][i] - w->mean[k][i];
            if (w->inside[i]) energy[k] += d * d;
        }
    }
    return energy[1] > 0 ? energy[0] / energy[1] : 0;
}

int look_score_make(const look_images *images, look_score *out) {
    score_work w = {.images = images, .area = (size_t)images->width * images->height};
    float *planes = endo_alloc(w.area, 9 * sizeof *planes), *error = endo_alloc(w.area, sizeof *error);
    w.inside = endo_alloc(w.area, 1);
    int ready = planes && error && w.inside;
    if (ready) {
        float *variances[2] = {planes + 7 * w.area, planes + 8 * w.area};
        memset(out, 0, sizeof *out);
        out->error = error;
        for (int k = 0; k < 2; k++) w.grey[k] = planes + k * w.area, w.mean[k] = planes + (2 + k) * w.area;
        w.other = planes + 4 * w.area, w.third = planes + 5 * w.area, w.rows = planes + 6 * w.area;
        find_inside(&w);
        fit_gains(&w);
        compare(&w, out);
        out->ssim = ssim_of(&w, variances);
        out->sharpness = sharpness_of(&w);
    } else {
        endo_free(error);
    }
    endo_free(planes);
    endo_free(w.inside);
    return ready;
}
