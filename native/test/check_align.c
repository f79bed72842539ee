/* The check of the alignment on intensities: byte for byte, at every class of transforms, from near and wild maps, over
 * one level and over all. */
#include "check_fourier.h"

#include "rules/fourier_levels.h"

static endo_fourier_map random_map(check_rig *rig, const endo_fourier_images *m) {
    test_random *r = &rig->random;
    int wild = test_between(r, 0, 2) == 0;
    double scale = wild ? 0.25 + 2 * test_unit(r) : 0.95 + 0.1 * test_unit(r);
    double angle = (test_unit(r) - 0.5) * (wild ? 6.28 : 0.1), reach = wild ? 0.4 : 0.05;
    endo_fourier_map map = {cos(angle) * scale, sin(angle) * scale, 0, 0};
    double x = m->reference_width / 2.0, y = m->reference_height / 2.0;
    map.tx = m->current_width * (0.5 + reach * (test_unit(r) - 0.5)) - (map.a * x - map.b * y);
    map.ty = m->current_height * (0.5 + reach * (test_unit(r) - 0.5)) - (map.b * x + map.a * y);
    return map;
}

static int check_requests(check_rig *rig, const endo_align_request *q, size_t n, endo_transform_class model, char *text,
                          size_t size) {
    endo_align_setup setup = {model};
    endo_align_result a[8], b[8];
    CHECK_BOTH(rig->reference->context->kernels->batches->align(rig->reference->store, q, n, &setup, a),
               rig->tested->context->kernels->batches->align(rig->tested->store, q, n, &setup, b), a, b, n * sizeof *a,
               "align");
    return 0;
}

int check_align(check_rig *rig, char *text, size_t size) {
    endo_fourier_images m = check_images(rig);
    int of_reference = endo_fourier_levels(m.reference_width, m.reference_height);
    int of_current = endo_fourier_levels(m.current_width, m.current_height);
    if (m.current_width < 1 || m.current_height < 1) return CHECK_NOT_FOR_CASE;
    for (int k = 0; k < 3; k++) {
        endo_align_request q[6];
        for (int i = 0; i < 6; i++) {
            int swapped = i % 2;
            endo_fourier_images s = {1, 0, m.current_width, m.current_height, m.reference_width, m.reference_height};
            int first = test_between(&rig->random, 0, (swapped ? of_current : of_reference) - 1);
            int second = test_between(&rig->random, 0, (swapped ? of_reference : of_current) - 1);
            endo_align_request made = {swapped ? s : m, first, second, 1 + i / 2 * 5, i == 4 ? 0 : 1 + i,
                                       test_between(&rig->random, ENDO_FOURIER_LEAST_HALF, ENDO_FOURIER_MOST_HALF),
                                       i == 3 || i == 4, random_map(rig, swapped ? &s : &m)};
            q[i] = made;
        }
        if (check_requests(rig, q, 6, (endo_transform_class)k, text, size)) return 1;
    }
    return 0;
}
