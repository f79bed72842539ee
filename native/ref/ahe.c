/* Adaptive equalization by counting: every window pixel of every pixel, as the definition reads
 * (endorama/ahe.h; [P] section 1.2). */
#include "ref.h"

#include "rules/ahe.h"

static int value_at(const endo_ahe_job *j, int x, int y) {
    size_t i = (size_t)endo_ahe_mirror(y, j->height) * j->stride + endo_ahe_mirror(x, j->width);
    return j->type == ENDO_GREY16 ? ((const uint16_t *)j->pixels)[i] : ((const uint8_t *)j->pixels)[i];
}

static uint32_t plain_at(const endo_ahe_job *j, int x, int y, uint32_t top) {
    int r = j->window / 2, centre = value_at(j, x, y);
    uint32_t rank = 0;
    for (int v = y - r; v <= y + r; v++)
        for (int u = x - r; u <= x + r; u++) rank += value_at(j, u, v) <= centre;
    return endo_ahe_plain(rank, (uint32_t)(j->window * j->window), top);
}

static void bin_of(const endo_ahe_job *j, int value, uint32_t *bin, uint32_t *part) {
    *bin = (uint32_t)value, *part = 1;
    if (j->type == ENDO_GREY16) endo_ahe_bin_of_16(value, j->low, j->high, j->bin_width, bin, part);
}

static uint32_t limited_at(const endo_ahe_job *j, int x, int y, uint32_t top) {
    int r = j->window / 2;
    uint32_t histogram[ENDO_AHE_BINS] = {0}, bin, part;
    endo_ahe_bin b = {.width = (uint32_t)j->bin_width};
    for (int v = y - r; v <= y + r; v++)
        for (int u = x - r; u <= x + r; u++) {
            bin_of(j, value_at(j, u, v), &bin, &part);
            histogram[bin]++;
        }
    bin_of(j, value_at(j, x, y), &b.bin, &b.part);
    for (uint32_t i = 0; i < ENDO_AHE_BINS; i++) {
        uint32_t kept = histogram[i] < (uint32_t)j->clip ? histogram[i] : (uint32_t)j->clip;
        b.cut += histogram[i] - kept;
        if (i < b.bin) b.below += kept;
        if (i == b.bin) b.count = kept;
    }
    return endo_ahe_limited(&b, (uint64_t)j->window * j->window, top);
}

endo_status ref_ahe(void *backend, const endo_ahe_job *j) {
    (void)backend;
    uint32_t top = j->type == ENDO_GREY16 ? 65535 : 255;
    for (int y = 0; y < j->region.height; y++)
        for (int x = 0; x < j->region.width; x++) {
            int u = j->region.x + x, v = j->region.y + y;
            uint32_t value = j->clip ? limited_at(j, u, v, top) : plain_at(j, u, v, top);
            size_t to = (size_t)y * j->out_stride + x;
            if (j->type == ENDO_GREY16) ((uint16_t *)j->out)[to] = (uint16_t)value;
            else ((uint8_t *)j->out)[to] = (uint8_t)value;
        }
    return ENDO_OK;
}
