/* Static patterns: frames of noise, some of them the same again. */
#include "fuzz_stores.h"

#include <stdlib.h>

static void check_pattern(const int16_t *pattern, size_t area, const endo_pattern_info *info) {
    int64_t used = 0;
    for (size_t i = 0; i < area; i++) {
        fuzz_require(pattern[i] >= -255 && pattern[i] <= 255, "a pattern beyond grey values");
        used += pattern[i] != 0;
    }
    fuzz_require(info->found == (used > 0 && info->rms > 0), "a pattern and what is said of it disagree");
    fuzz_require(info->independent >= 0 && info->independent <= (double)info->frames + 1e-9, "more frames than there are");
    fuzz_require(info->share <= 1, "a share above 1");
}

void fuzz_pattern(fuzz_session *s) {
    fuzz_input *in = &s->in;
    int width = fuzz_wild(in, 1, 200), height = fuzz_between(in, 1, 150), stride = width + fuzz_between(in, 0, 5);
    if (width > 400) width = 0; /* large is slow, too large is refused */
    const endo_pattern_options options = {
        .width = width,
        .height = height,
        .type = (endo_pixel)fuzz_wild(in, 0, 2),
        .low = fuzz_wild(in, 0, 30000),
        .high = fuzz_wild(in, 30001, 65535),
    };
    endo_pattern_finder *finder = NULL;
    endo_status status = fuzz_checked(endo_pattern_finder_create(s->context, fuzz_one_in(in, 40) ? NULL : &options, &finder),
                                      NULL, 0, "endo_pattern_finder_create");
    if (status != ENDO_OK) return;
    size_t area = (size_t)width * (size_t)height, size = endo_pixel_size(options.type);
    int16_t *pattern = fuzz_output(area * sizeof *pattern);
    endo_pattern_info info;
    for (int i = fuzz_between(in, 0, 14); i > 0; i--) {
        void *pixels = fuzz_image(in, width, height, stride, size);
        fuzz_checked(endo_pattern_finder_add(finder, pixels, stride), NULL, 0, "endo_pattern_finder_add");
        free(pixels);
    }
    status = fuzz_checked(endo_pattern_finder_find(finder, pattern, &info), pattern, area * sizeof *pattern,
                          "endo_pattern_finder_find");
    if (status == ENDO_OK) check_pattern(pattern, area, &info);
    endo_pattern_finder_destroy(&finder);
    free(pattern);
}
