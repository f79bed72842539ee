/* The shift: the phase correlation of the reference with the current image turned back ([F] sections 2.1 and 2.4). */
#include "ref_fourier.h"

#include "rules/fourier_spectra.h"

#include <string.h>

/* A value between pixels; what lies outside is 0. */
static double value_between(const double *values, int width, int height, double x, double y) {
    int x0 = (int)floor(x), y0 = (int)floor(y);
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        int u = x0 + i % 2, v = y0 + i / 2;
        double weight = (i % 2 ? x - x0 : 1 - (x - x0)) * (i / 2 ? y - y0 : 1 - (y - y0));
        if (u >= 0 && v >= 0 && u < width && v < height) sum += weight * values[(size_t)v * width + u];
    }
    return sum;
}

/* The current image about the middle of the plane. */
static endo_status turn(const ref_store *s, const endo_shifts_request *q, const endo_fourier_spectrum *spectrum,
                        ref_complex *plane) {
    int level = q->current_level, side = spectrum->side, width = q->images.current_width, height = q->images.current_height;
    endo_fourier_part all = {level, 0, 0, width >> level, height >> level};
    double *values = endo_alloc((size_t)all.width * all.height, sizeof *values);
    if (!values) return endo_fail(ENDO_ERR_MEMORY, "no memory for an image of %d x %d", all.width, all.height);
    endo_status status = ref_part_make(s, q->images.current, width, height, &all, spectrum, values);
    for (int y = 0; y < side && status == ENDO_OK; y++)
        for (int x = 0; x < side; x++) {
            double u = x - (side - 1) / 2.0, v = y - (side - 1) / 2.0, a = q->linear[0], b = q->linear[1];
            double at_x = a * u - b * v + (all.width - 1) / 2.0, at_y = b * u + a * v + (all.height - 1) / 2.0;
            ref_complex value = {value_between(values, all.width, all.height, at_x, at_y), 0};
            plane[(size_t)y * side + x] = value;
        }
    endo_free(values);
    return status == ENDO_OK ? ref_fft_plane(plane, side, side, -1) : status;
}

static void weight(ref_complex *plane, int side) {
    for (size_t i = 0; i < (size_t)side * side; i++) {
        double w = endo_shift_weight(sqrt(plane[i].re * plane[i].re + plane[i].im * plane[i].im), side);
        plane[i].re *= w, plane[i].im *= w;
    }
    ref_normalise(plane, (size_t)side * side);
}

static endo_status find(const ref_store *s, const endo_shifts_request *q, const endo_fourier_spectrum *spectrum,
                        ref_complex *planes, double *heights, endo_shifts_result *out) {
    int side = spectrum->side;
    size_t n = (size_t)side * side;
    const endo_fourier_images *m = &q->images;
    endo_fourier_part all = endo_fourier_tile(m->reference_width, m->reference_height, 0, 0, spectrum->extent);
    endo_status status =
        ref_part_spectrum(s, m->reference, m->reference_width, m->reference_height, &all, spectrum, planes);
    if (status == ENDO_OK) status = turn(s, q, spectrum, planes + n);
    if (status == ENDO_OK) weight(planes, side), weight(planes + n, side);
    for (int twin = 0; twin < 2 && status == ENDO_OK; twin++) {
        if (!(q->twins >> twin & 1)) continue;
        status = ref_correlate(planes, planes + n, twin == 0, side, side, planes + 2 * n, heights);
        if (status != ENDO_OK) break;
        out->n[twin] = ref_peaks(heights, side, side, NULL, 0, out->peaks[twin], 0, ENDO_FOURIER_SHIFTS);
        for (int i = 0; i < out->n[twin] && twin; i++) {
            out->peaks[twin][i].x = endo_twin_position(out->peaks[twin][i].x, side);
            out->peaks[twin][i].y = endo_twin_position(out->peaks[twin][i].y, side);
        }
    }
    return status;
}

endo_status ref_shifts(void *store, const endo_shifts_request *requests, size_t n, const endo_shifts_setup *setup,
                       endo_shifts_result *results) {
    size_t plane = (size_t)setup->spectrum.side * setup->spectrum.side;
    ref_complex *planes = endo_alloc(3 * plane, sizeof *planes);
    double *heights = endo_alloc(plane, sizeof *heights);
    endo_status status = planes && heights ? ENDO_OK : endo_fail(ENDO_ERR_MEMORY, "no memory for spectra");
    for (size_t i = 0; i < n && status == ENDO_OK; i++) {
        endo_shifts_result found;
        memset(&found, 0, sizeof found);
        status = find(store, &requests[i], &setup->spectrum, planes, heights, &found);
        if (status == ENDO_OK) results[i] = found;
    }
    endo_free(planes);
    endo_free(heights);
    return status;
}
