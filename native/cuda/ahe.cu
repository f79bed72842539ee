/* Adaptive equalization on a device: pads the image in device memory, chooses the kernel, brings the result home. */
#include "ahe.cuh"

#define TILE_X 32
#define TILE_Y 8
/* Bytes of an image that are copied while the piece before is on the bus. */
#define PIECE ((size_t)2 << 20)

typedef struct pad_arguments {
    const uint8_t *in8;
    const uint16_t *in16;
    int in_stride, width; /* of the image */
    int first_column;     /* image column of padded column 0 */
    int columns, rows, pitch;
    int low, high, bin_width; /* bins of 16-bit pixels; bin_width 0: they stay */
    uint8_t *pixels, *parts;
    uint16_t *pixels16;
} pad_arguments;

/* One thread a pixel of the padded image. Columns that no window reaches repeat the last. */
__global__ static void pad_kernel(pad_arguments a) {
    int k = blockIdx.x * TILE_X + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y;
    if (k >= a.pitch || y >= a.rows) return;
    int x = a.first_column + min(k, a.columns - 1);
    if (x < 0 || x >= a.width) x = endo_ahe_mirror(x, a.width);
    size_t from = (size_t)y * a.in_stride + x, to = (size_t)y * a.pitch + k;
    if (a.in8) {
        a.pixels[to] = a.in8[from];
    } else if (a.pixels16) {
        a.pixels16[to] = a.in16[from];
    } else {
        uint32_t bin, part;
        endo_ahe_bin_of_16(a.in16[from], a.low, a.high, a.bin_width, &bin, &part);
        a.pixels[to] = (uint8_t)bin;
        a.parts[to] = (uint8_t)(part - 1);
    }
}

__global__ static void row_kernel(int *row_of, int n, int first_row, int height, int stored_from) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) row_of[i] = endo_ahe_mirror(first_row + i, height) - stored_from;
}

/* The image's rows that windows reach. */
static void rows_needed(const endo_ahe_job *j, int *from, int *count) {
    int r = j->window / 2, first = j->region.y - r - 1, last = j->region.y + j->region.height - 1 + r, to = -1;
    *from = j->height;
    for (int i = first; i <= last; i++) {
        int y = endo_ahe_mirror(i, j->height);
        if (y < *from) *from = y;
        if (y > to) to = y;
    }
    *count = to - *from + 1;
}

/* Padded image and table of rows in one piece of device memory. */
static endo_status lay_out(cuda_backend *b, const endo_ahe_job *j, int stored, ahe_plane *p, pad_arguments *a) {
    int keep = j->type == ENDO_GREY16 && !j->clip, rows = j->region.height + j->window + 1;
    a->columns = j->region.width + j->window + 1;
    a->rows = stored;
    a->pitch = (a->columns + AHE_PAD + 63) & ~63;
    size_t area = (size_t)a->pitch * stored, table = ((size_t)rows * sizeof(int) + 63) & ~(size_t)63;
    ENDO_TRY(cuda_reserve(b, &b->scratch, table + 2 * area));
    uint8_t *base = (uint8_t *)b->scratch.memory;
    p->row_of = (const int *)base;
    if (keep)
        p->pixels16 = a->pixels16 = (uint16_t *)(base + table);
    else
        p->pixels = a->pixels = base + table;
    if (j->type == ENDO_GREY16 && !keep) p->parts = a->parts = base + table + area;
    p->pitch = a->pitch;
    return ENDO_OK;
}

/* in: the stored rows only, from image row stored_from on. */
static endo_status equalize(cuda_backend *b, const endo_ahe_job *j, const void *in, int in_stride, int stored_from,
                            int stored, void *out, int out_stride) {
    ahe_plane p = {};
    pad_arguments a = {};
    int rows = j->region.height + j->window + 1;
    ENDO_TRY(lay_out(b, j, stored, &p, &a));
    if (j->type == ENDO_GREY16)
        a.in16 = (const uint16_t *)in;
    else
        a.in8 = (const uint8_t *)in;
    a.in_stride = in_stride, a.width = j->width, a.first_column = j->region.x - j->window / 2 - 1;
    a.low = j->low, a.high = j->high, a.bin_width = j->bin_width;
    p.width = j->region.width, p.height = j->region.height, p.window = j->window, p.clip = j->clip;
    p.bin_width = j->bin_width, p.out = out, p.out_stride = out_stride, p.out_16bit = j->type == ENDO_GREY16;
    row_kernel<<<(rows + 255) / 256, 256, 0, b->stream>>>((int *)p.row_of, rows, j->region.y - j->window / 2 - 1,
                                                          j->height, stored_from);
    dim3 grid((a.pitch + TILE_X - 1) / TILE_X, (stored + TILE_Y - 1) / TILE_Y);
    pad_kernel<<<grid, dim3(TILE_X, TILE_Y), 0, b->stream>>>(a);
    ENDO_CUDA(b, cudaGetLastError());
    if (p.pixels16) return cuda_ahe_16bit(b, &p);
    ahe_plan plan = cuda_ahe_choose_plan(b, &p);
    return cuda_ahe_slide(b, &p, &plan);
}

endo_status cuda_ahe_device(cuda_backend *b, const endo_ahe_job *job, const void *in, int in_stride, void *out,
                            int out_stride) {
    int from, stored;
    rows_needed(job, &from, &stored);
    size_t skip = (size_t)from * in_stride * endo_pixel_size(job->type);
    return equalize(b, job, (const uint8_t *)in + skip, in_stride, from, stored, out, out_stride);
}

static endo_status cuda_ahe(void *backend, const endo_ahe_job *job) {
    cuda_backend *b = (cuda_backend *)backend;
    size_t size = endo_pixel_size(job->type), row = job->width * size, out_row = job->region.width * size;
    int from, stored;
    ENDO_TRY(cuda_enter(b));
    rows_needed(job, &from, &stored);
    ENDO_TRY(cuda_reserve(b, &b->device_in, row * stored));
    ENDO_TRY(cuda_reserve(b, &b->device_out, out_row * job->region.height));
    ENDO_TRY(cuda_upload_rows(b, b->device_in.memory, row,
                              (const uint8_t *)job->pixels + (size_t)from * job->stride * size, job->stride * size, row,
                              stored, PIECE));
    cuda_time_begin(b);
    ENDO_TRY(equalize(b, job, b->device_in.memory, job->width, from, stored, b->device_out.memory, job->region.width));
    cuda_time_end(b);
    return cuda_download_rows(b, job->out, job->out_stride * size, b->device_out.memory, out_row, out_row, job->region.height,
                              PIECE);
}

extern "C" const endo_equalization_kernels cuda_equalization = {
    .ahe = cuda_ahe,
};
