#include "fuzz_input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNTOUCHED 0xa5
/* Bytes on each side of a guarded output; keeps its alignment. */
#define GUARD 64

unsigned fuzz_byte(fuzz_input *in) {
    if (in->left == 0) return 0;
    in->left--;
    return *in->bytes++;
}

int fuzz_between(fuzz_input *in, int low, int high) {
    unsigned range = (unsigned)high - (unsigned)low + 1, v = fuzz_byte(in);
    if (range > 256) v = v << 8 | fuzz_byte(in);
    return low + (int)(range ? v % range : v);
}

int fuzz_one_in(fuzz_input *in, int n) { return fuzz_byte(in) % (unsigned)n == 1; }

int fuzz_wild(fuzz_input *in, int low, int high) {
    static const int far[] = {0, -1, 1, INT32_MAX, INT32_MIN, 1 << 16, -(1 << 16), 32768};
    if (!fuzz_one_in(in, 24)) return fuzz_between(in, low, high);
    switch (fuzz_byte(in) % 4) {
    case 0: return low - 1;
    case 1: return high + 1;
    default: return far[fuzz_byte(in) % 8];
    }
}

double fuzz_real(fuzz_input *in, double low, double high) {
    static const double far[] = {0, -0.0, 1e300, -1e300, 1e-300, 1e9, -1e9};
    if (!fuzz_one_in(in, 24)) return low + (high - low) * fuzz_between(in, 0, 65535) / 65535;
    unsigned which = fuzz_byte(in) % 10;
    return which == 7 ? NAN : which == 8 ? INFINITY : which == 9 ? -INFINITY : far[which];
}

endo_transform fuzz_transform(fuzz_input *in, int size) {
    double away = fuzz_one_in(in, 4) ? 2 : 0.1, m[6];
    m[0] = 1 + fuzz_real(in, -away, away), m[1] = fuzz_real(in, -away, away);
    m[3] = fuzz_real(in, -away, away), m[4] = 1 + fuzz_real(in, -away, away);
    m[2] = fuzz_real(in, -size, size), m[5] = fuzz_real(in, -size, size);
    endo_transform made = endo_transform_of_affine(m);
    if (fuzz_one_in(in, 16)) made.kind = fuzz_wild(in, 0, 4);
    if (fuzz_one_in(in, 8)) {
        made.kind = ENDO_TRANSFORM_HOMOGRAPHY;
        made.matrix[6] = fuzz_real(in, -0.01, 0.01), made.matrix[7] = fuzz_real(in, -0.01, 0.01);
    }
    if (fuzz_one_in(in, 24)) made.matrix[6 + fuzz_between(in, 0, 2)] = fuzz_real(in, -1, 1);
    return made;
}

void *fuzz_image(fuzz_input *in, int width, int height, ptrdiff_t stride, size_t pixel_size) {
    size_t bytes = ((size_t)(height - 1) * (size_t)stride + (size_t)width) * pixel_size;
    uint8_t *pixels = malloc(bytes);
    unsigned kind = fuzz_byte(in) % 4, state = fuzz_byte(in) + 1;
    fuzz_require(pixels != NULL, "memory for an image");
    for (size_t i = 0; i < bytes; i++) {
        state = state * 1664525 + 1013904223;
        switch (kind) {
        case 0: pixels[i] = (uint8_t)(i * 5 + i / 97); break;
        case 1: pixels[i] = (uint8_t)(state >> 24); break;
        case 2: pixels[i] = state >> 31 ? 255 : 0; break;
        default: pixels[i] = (uint8_t)fuzz_byte(in); break;
        }
    }
    return pixels;
}

void *fuzz_output(size_t bytes) {
    void *output = malloc(bytes ? bytes : 1);
    fuzz_require(output != NULL, "memory for an output");
    memset(output, UNTOUCHED, bytes);
    return output;
}

int fuzz_is_untouched(const void *output, size_t bytes) {
    const uint8_t *p = output;
    for (size_t i = 0; i < bytes; i++)
        if (p[i] != UNTOUCHED) return 0;
    return 1;
}

void *fuzz_guarded(size_t bytes) { return (uint8_t *)fuzz_output(bytes + 2 * GUARD) + GUARD; }

void fuzz_release(void *output, size_t bytes) {
    uint8_t *p = output;
    fuzz_require(fuzz_is_untouched(p - GUARD, GUARD), "a call wrote before its output");
    fuzz_require(fuzz_is_untouched(p + bytes, GUARD), "a call wrote behind its output");
    free(p - GUARD);
}

void fuzz_require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "fuzz_api: %s (last error: %s)\n", what, endo_last_error());
    abort();
}

static int may_be_cancelled;

void fuzz_allow_cancel(int allowed) { may_be_cancelled = allowed; }

endo_status fuzz_checked(endo_status status, const void *output, size_t bytes, const char *function) {
    if (status == ENDO_OK) return status;
    int known = status >= ENDO_ERR_ARGUMENT && status <= ENDO_ERR_UNSUPPORTED;
    fuzz_require(known || (may_be_cancelled && status == ENDO_CANCELLED), function);
    fuzz_require(endo_last_error()[0] != 0, "a failure without a message");
    fuzz_require(!output || fuzz_is_untouched(output, bytes), "a failure touched its output");
    return status;
}
