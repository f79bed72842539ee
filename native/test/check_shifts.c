/* The check of shifts from spectra, as check_turns.c; with turns, scales, and both twins. */
#include "check_fourier.h"

#include "rules/fourier_levels.h"

#include <math.h>

int check_peaks(const endo_fourier_peak *a, int64_t n, const endo_fourier_peak *b, int64_t n_b, int most, char *text,
                size_t size);

int check_shifts(check_rig *rig, char *text, size_t size) {
    endo_fourier_images m = check_images(rig);
    if (m.current_width < 16 || m.current_height < 16 || rig->c->width > 720) return CHECK_NOT_FOR_CASE;
    for (int k = 0; k < 3; k++) {
        endo_shifts_setup setups[2];
        endo_shifts_request q[4];
        endo_shifts_result a[4], b[4];
        const endo_fourier_taper *tapers[2];
        if (endo_fourier_tapers_make(rig->reference, &tapers[0]) != ENDO_OK ||
            endo_fourier_tapers_make(rig->tested, &tapers[1]) != ENDO_OK)
            return 1;
        memset(setups, 0, sizeof setups);
        for (int i = 0; i < 2; i++) {
            endo_fourier_spectrum s = {check_side(rig, 64), 90, (endo_fourier_window)((rig->c->number + k) % 3),
                                       (endo_fourier_gradient)k, tapers[i]};
            setups[i].spectrum = s;
        }
        for (int i = 0; i < 4; i++) {
            double angle = i * 0.7, scale = 1 + 0.3 * (i % 2);
            int level = endo_fourier_level(m.current_width, m.current_height, setups[0].spectrum.extent);
            endo_shifts_request made = {m, level, 1 + i % 3, {cos(angle) * scale, sin(angle) * scale}};
            q[i] = made;
        }
        if (CHECK_REFERENCE(rig, rig->reference->context->kernels->batches->shifts(rig->reference->store, q, 4, &setups[0], a), a,
                            sizeof a) != ENDO_OK ||
            rig->tested->context->kernels->batches->shifts(rig->tested->store, q, 4, &setups[1], b) != ENDO_OK) {
            snprintf(text, size, "shifts: %s", endo_last_error());
            return 1;
        }
        for (int i = 0; i < 8; i++) {
            const endo_shifts_result *one = &a[i / 2], *other = &b[i / 2];
            int twin = i % 2, most = ENDO_FOURIER_SHIFTS;
            if (check_peaks(one->peaks[twin], one->n[twin], other->peaks[twin], other->n[twin], most, text, size) ||
                check_peaks(other->peaks[twin], other->n[twin], one->peaks[twin], one->n[twin], most, text, size))
                return 1;
        }
    }
    return 0;
}
