/* The tables of inner loops, and which of them this machine can run. A newer instruction set takes over an
 * older one's loop where its own would gain nothing. */
#include "variants.h"

void ncc_prepare_c(cpu_template *t);
void ncc_window_c(const cpu_template *t, const uint8_t *window, ptrdiff_t stride, cpu_window_sums *out);
void ncc_masked_c(const cpu_masked_window *w, endo_sums *out);
void grey_rgb_c(const uint32_t *rgb, int n, uint8_t *grey);
void halve_row_c(const uint8_t *top, const uint8_t *bottom, int n, uint8_t *out);
void smooth_columns_c(int16_t *image, ptrdiff_t stride, int width, int height, int k);
void transpose_c(const int16_t *in, ptrdiff_t in_stride, int width, int height, int16_t *out, ptrdiff_t out_stride);
void shift_row_c(const int16_t *reference, const int16_t *current, int n, endo_shift_sums *sums);
void flow_row_c(const cpu_flow_row *row, cpu_flow_row_sums sums[2]);
void warp_row_c(const cpu_warp_row *row, uint8_t *warped, uint8_t *valid);
void paint_row_c(const cpu_warp_row *row, endo_pixel type, int ring, void *pixels, uint8_t *painted);
void exposure_rows_c(const cpu_exposure_rows *r);
void exposure_count_c(const uint64_t *above, const uint64_t *used, int words, int counts[2]);
int32_t exposure_not_above_c(const uint8_t *grey, const uint8_t *field, int level, int n);
int32_t exposure_dot_c(const int16_t *a, const int16_t *b, int n);
int64_t exposure_differ_c(const cpu_exposure_overlap *o);
endo_exposure_overlap exposure_masked_c(const cpu_exposure_overlap *o);

const cpu_variant cpu_variant_c = {
    .name = "plain C",
    .cpu = ENDO_CPU_C,
    .ahe = &cpu_ahe_c,
    .ncc_prepare = ncc_prepare_c,
    .ncc_window = ncc_window_c,
    .ncc_masked = ncc_masked_c,
    .grey_rgb = grey_rgb_c,
    .halve_row = halve_row_c,
    .smooth_columns = smooth_columns_c,
    .transpose = transpose_c,
    .shift_row = shift_row_c,
    .flow_row = flow_row_c,
    .warp_row = warp_row_c,
    .paint_row = paint_row_c,
    .exposure_rows = exposure_rows_c,
    .exposure_count = exposure_count_c,
    .exposure_not_above = exposure_not_above_c,
    .exposure_dot = exposure_dot_c,
    .exposure_differ = exposure_differ_c,
    .exposure_masked = exposure_masked_c,
};

#ifdef ENDO_X86
void ncc_prepare_avx2(cpu_template *t);
void ncc_window_avx2(const cpu_template *t, const uint8_t *window, ptrdiff_t stride, cpu_window_sums *out);
void ncc_masked_avx2(const cpu_masked_window *w, endo_sums *out);
void grey_rgb_avx2(const uint32_t *rgb, int n, uint8_t *grey);
void halve_row_avx2(const uint8_t *top, const uint8_t *bottom, int n, uint8_t *out);
void smooth_columns_avx2(int16_t *image, ptrdiff_t stride, int width, int height, int k);
void transpose_avx2(const int16_t *in, ptrdiff_t in_stride, int width, int height, int16_t *out,
                    ptrdiff_t out_stride);
void shift_row_avx2(const int16_t *reference, const int16_t *current, int n, endo_shift_sums *sums);
void flow_row_avx2(const cpu_flow_row *row, cpu_flow_row_sums sums[2]);
void warp_row_avx2(const cpu_warp_row *row, uint8_t *warped, uint8_t *valid);
void paint_row_avx2(const cpu_warp_row *row, endo_pixel type, int ring, void *pixels, uint8_t *painted);
void exposure_rows_avx2(const cpu_exposure_rows *r);
void exposure_count_avx2(const uint64_t *above, const uint64_t *used, int words, int counts[2]);
int32_t exposure_not_above_avx2(const uint8_t *grey, const uint8_t *field, int level, int n);
int32_t exposure_dot_avx2(const int16_t *a, const int16_t *b, int n);
int64_t exposure_differ_avx2(const cpu_exposure_overlap *o);
endo_exposure_overlap exposure_masked_avx2(const cpu_exposure_overlap *o);

const cpu_variant cpu_variant_avx2 = {
    .name = "AVX2",
    .cpu = ENDO_CPU_AVX2,
    .ahe = &cpu_ahe_avx2,
    .ncc_prepare = ncc_prepare_avx2,
    .ncc_window = ncc_window_avx2,
    .ncc_masked = ncc_masked_avx2,
    .grey_rgb = grey_rgb_avx2,
    .halve_row = halve_row_avx2,
    .smooth_columns = smooth_columns_avx2,
    .transpose = transpose_avx2,
    .shift_row = shift_row_avx2,
    .flow_row = flow_row_avx2,
    .warp_row = warp_row_avx2,
    .paint_row = paint_row_avx2,
    .exposure_rows = exposure_rows_avx2,
    .exposure_count = exposure_count_avx2,
    .exposure_not_above = exposure_not_above_avx2,
    .exposure_dot = exposure_dot_avx2,
    .exposure_differ = exposure_differ_avx2,
    .exposure_masked = exposure_masked_avx2,
};

void ncc_prepare_avx512(cpu_template *t);
void ncc_window_avx512(const cpu_template *t, const uint8_t *window, ptrdiff_t stride, cpu_window_sums *out);
void ncc_masked_avx512(const cpu_masked_window *w, endo_sums *out);
void flow_row_avx512(const cpu_flow_row *row, cpu_flow_row_sums sums[2]);
void exposure_rows_avx512(const cpu_exposure_rows *r);
void exposure_count_avx512(const uint64_t *above, const uint64_t *used, int words, int counts[2]);
int32_t exposure_not_above_avx512(const uint8_t *grey, const uint8_t *field, int level, int n);
int32_t exposure_dot_avx512(const int16_t *a, const int16_t *b, int n);
int64_t exposure_differ_avx512(const cpu_exposure_overlap *o);
endo_exposure_overlap exposure_masked_avx512(const cpu_exposure_overlap *o);

const cpu_variant cpu_variant_avx512 = {
    .name = "AVX-512 VNNI",
    .cpu = ENDO_CPU_AVX512,
    .ahe = &cpu_ahe_avx512,
    .ncc_prepare = ncc_prepare_avx512,
    .ncc_window = ncc_window_avx512,
    .ncc_masked = ncc_masked_avx512,
    .grey_rgb = grey_rgb_avx2,
    .halve_row = halve_row_avx2,
    .smooth_columns = smooth_columns_avx2,
    .transpose = transpose_avx2,
    .shift_row = shift_row_avx2,
    .flow_row = flow_row_avx512,
    .warp_row = warp_row_avx2,
    .paint_row = paint_row_avx2,
    .exposure_rows = exposure_rows_avx512,
    .exposure_count = exposure_count_avx512,
    .exposure_not_above = exposure_not_above_avx512,
    .exposure_dot = exposure_dot_avx512,
    .exposure_differ = exposure_differ_avx512,
    .exposure_masked = exposure_masked_avx512,
};
#endif

#ifdef ENDO_X86
static int has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

static int has_avx512(void) {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vnni");
}

const cpu_variant *cpu_variant_choose(endo_cpu limit) {
    switch (limit) {
    case ENDO_CPU_C: return &cpu_variant_c;
    case ENDO_CPU_AVX2: return has_avx2() ? &cpu_variant_avx2 : NULL;
    case ENDO_CPU_AVX512: return has_avx512() ? &cpu_variant_avx512 : NULL;
    case ENDO_CPU_BEST: break;
    }
    return has_avx512() ? &cpu_variant_avx512 : has_avx2() ? &cpu_variant_avx2 : &cpu_variant_c;
}
#else
const cpu_variant *cpu_variant_choose(endo_cpu limit) {
    return limit == ENDO_CPU_BEST || limit == ENDO_CPU_C ? &cpu_variant_c : NULL;
}
#endif
