/* The check of rotations and scales from spectra: peaks at the same places, as far as their heights are not within the
 * tolerance of each other. */
#include "check_fourier.h"

#include <math.h>
#include <stdlib.h>

/* Heights are means of unit vectors. In float, the angle of one is wrong by the relative error of its product of spectra: a
 * transform of n numbers has log2(n) stages of 2^-24 each relative to the root mean square of the spectrum, twice (the
 * image's and the log-polar plane's), which is large only where a spectrum is small itself: those few vectors may point
 * anywhere, and what is left of them in a mean over n is below 1e-4. */
#define TOLERANCE 3e-4

static int find(const endo_fourier_peak *list, int64_t n, const endo_fourier_peak *p) {
    for (int i = 0; i < n; i++)
        if (list[i].x == p->x && list[i].y == p->y && list[i].part == p->part) return i;
    return -1;
}

/* Every peak of a that stands out from where the list ends is in b, as high. */
/* A peak beside it that is as high: which of the two is taken is a matter of rounding. */
static int find_equal(const endo_fourier_peak *peaks, int64_t n, const endo_fourier_peak *p) {
    for (int i = 0; i < n; i++)
        if (peaks[i].part == p->part && abs(peaks[i].x - p->x) <= 1 && abs(peaks[i].y - p->y) <= 1 &&
            fabs(peaks[i].height - p->height) < TOLERANCE)
            return 1;
    return 0;
}

int check_peaks(const endo_fourier_peak *a, int64_t n, const endo_fourier_peak *b, int64_t n_b, int most, char *text,
                size_t size) {
    for (int i = 0; i < n; i++) {
        float last = n_b == most ? b[n_b - 1].height : 0;
        int at = find(b, n_b, &a[i]), neighbour = 0;
        for (int k = 0; k < 4; k++) neighbour |= a[i].height - a[i].around[k] < 2 * TOLERANCE;
        if (at < 0 && (neighbour || a[i].height < last + 2 * TOLERANCE || find_equal(b, n_b, &a[i]))) continue;
        if (at >= 0 && fabs(a[i].height - b[at].height) < TOLERANCE) continue;
        snprintf(text, size, "peak %d at %d, %d of part %d: %.6f, should be %.6f", i, a[i].x, a[i].y, a[i].part,
                 at < 0 ? NAN : b[at].height, a[i].height);
        return 1;
    }
    return 0;
}

static endo_turns_setup make_setup(check_rig *rig, int paper, int gradient, const endo_fourier_taper *tapers) {
    endo_turns_setup s;
    memset(&s, 0, sizeof s);
    s.spectrum.extent = check_side(rig, 64);
    s.spectrum.side = paper ? 72 : 90;
    s.spectrum.window = (endo_fourier_window)(rig->c->number % 3);
    s.spectrum.gradient = (endo_fourier_gradient)gradient;
    s.spectrum.tapers = tapers;
    s.angles = 60, s.radii = paper ? 72 : 40;
    s.paper = paper;
    s.first_radius = paper ? 1 : 5;
    s.radius_step = paper ? log(72) / 72 : log(8) / 40;
    s.peaks = 6;
    s.max_angle = rig->c->number % 2 ? 180 : 30, s.max_log_scale = rig->c->number % 5 ? log(4) : 0;
    return s;
}

int check_turns(check_rig *rig, char *text, size_t size) {
    endo_fourier_images m = check_images(rig);
    endo_turns_request q[3] = {{m, 0}, {m, 1}, {m, -1}};
    if (m.current_width < 16 || m.current_height < 16 || rig->c->width > 720) return CHECK_NOT_FOR_CASE;
    for (int k = 0; k < 4; k++) {
        const endo_fourier_taper *tapers[2];
        endo_turns_result a[3], b[3];
        if (endo_fourier_tapers_make(rig->reference, &tapers[0]) != ENDO_OK ||
            endo_fourier_tapers_make(rig->tested, &tapers[1]) != ENDO_OK)
            return 1;
        endo_turns_setup one = make_setup(rig, k == 3, k % 3, tapers[0]), other = make_setup(rig, k == 3, k % 3, tapers[1]);
        size_t n = k == 3 ? 1 : 3;
        if (CHECK_REFERENCE(rig, rig->reference->context->kernels->batches->turns(rig->reference->store, q, n, &one, a), a,
                            n * sizeof *a) != ENDO_OK ||
            rig->tested->context->kernels->batches->turns(rig->tested->store, q, n, &other, b) != ENDO_OK) {
            snprintf(text, size, "turns: %s", endo_last_error());
            return 1;
        }
        for (size_t i = 0; i < n; i++)
            if (check_peaks(a[i].peaks, a[i].n, b[i].peaks, b[i].n, 6, text, size) ||
                check_peaks(b[i].peaks, b[i].n, a[i].peaks, a[i].n, 6, text, size))
                return 1;
    }
    return 0;
}
