/* cuFFT behind fft.h. It is looked for when the first transform is asked for, since most work needs none, and many
 * machines have a driver and no toolkit. Its header is not needed: its C interface is stable, and what of it is used stands
 * here. */
#include "fft.h"

#include "devices.h"

#include <dlfcn.h>
#include <stdio.h>

/* Names it goes by, the newest first. */
static const char *const NAMES[] = {"libcufft.so.12", "libcufft.so.11", "libcufft.so"};
#define N_NAMES (sizeof NAMES / sizeof *NAMES)

/* Values of cufftResult and cufftType. */
#define ALLOCATION_FAILED 2
#define REAL_TO_COMPLEX 0x2a
#define COMPLEX_TO_REAL 0x2c

/* Few planes are transformed at once, more of them 2^k at a time, so that few plans serve every number; at most so many. */
#define FEW 16
#define LARGEST_BATCH 256

typedef struct fft_plan {
    int columns, rows, type, batch;
    int handle;
    size_t work; /* bytes */
    void *area;  /* the work area that it knows of */
    struct fft_plan *next;
} fft_plan;

typedef struct cuda_fft_library {
    void *file;
    int (*create)(int *handle);
    int (*destroy)(int handle);
    int (*set_auto_allocation)(int handle, int on);
    int (*make_plan)(int handle, int rank, int *n, int *in_embed, int in_stride, int in_distance, int *out_embed,
                     int out_stride, int out_distance, int type, int batch, size_t *work);
    int (*set_work_area)(int handle, void *memory);
    int (*set_stream)(int handle, cudaStream_t stream);
    int (*forward)(int handle, float *in, float2 *out);
    int (*back)(int handle, float2 *in, float *out);
    fft_plan *plans;
} cuda_fft_library;

/* RTLD_NODELETE: what it has registered with the driver must not go before the process does. */
static void *open_file(const char **name, char *reason, size_t size) {
    for (size_t i = 0; i < N_NAMES; i++) {
        void *file = dlopen(NAMES[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
        const char *why = file ? NULL : dlerror();
        *name = NAMES[i];
        if (file) return file;
        /* The reason that the newest version could not be loaded is the one to show. */
        if (i == 0) snprintf(reason, size, "%s", why ? why : NAMES[i]);
    }
    return NULL;
}

int cuda_devices_fourier_library(char *text, size_t size) {
    const char *name = "";
    char reason[200] = "";
    void *file = open_file(&name, reason, sizeof reason);
    if (text && size) snprintf(text, size, "%s", file ? name : reason);
    if (file) dlclose(file);
    return file != NULL;
}

static int find(void *file, const char *name, void *function) {
    void *found = dlsym(file, name);
    *(void **)function = found;
    return found != NULL;
}

static int find_all(cuda_fft_library *l) {
    return find(l->file, "cufftCreate", &l->create) && find(l->file, "cufftDestroy", &l->destroy) &&
           find(l->file, "cufftSetAutoAllocation", &l->set_auto_allocation) &&
           find(l->file, "cufftMakePlanMany", &l->make_plan) && find(l->file, "cufftSetWorkArea", &l->set_work_area) &&
           find(l->file, "cufftSetStream", &l->set_stream) && find(l->file, "cufftExecR2C", &l->forward) &&
           find(l->file, "cufftExecC2R", &l->back);
}

endo_status cuda_fft_open(cuda_backend *b) {
    const char *name = "";
    char reason[200] = "";
    if (b->fft) return ENDO_OK;
    cuda_fft_library *l = (cuda_fft_library *)endo_alloc_zeroed(1, sizeof *l);
    if (!l) return endo_fail(ENDO_ERR_MEMORY, "no memory for transforms");
    l->file = open_file(&name, reason, sizeof reason);
    if (l->file && find_all(l)) {
        b->fft = l;
        return ENDO_OK;
    }
    int missing = !l->file;
    if (l->file) dlclose(l->file);
    endo_free(l);
    if (missing)
        return endo_fail(ENDO_ERR_UNSUPPORTED, "Fourier registration on CUDA needs cuFFT: looked for %s, %s and %s: %s",
                         NAMES[0], NAMES[1], NAMES[2], reason);
    return endo_fail(ENDO_ERR_UNSUPPORTED, "Fourier registration on CUDA: %s lacks functions of cuFFT", name);
}

void cuda_fft_close(cuda_backend *b) {
    cuda_fft_library *l = b->fft;
    if (!l) return;
    while (l->plans) {
        fft_plan *next = l->plans->next;
        l->destroy(l->plans->handle);
        endo_free(l->plans);
        l->plans = next;
    }
    dlclose(l->file);
    endo_free(l);
    b->fft = NULL;
}

static endo_status fail(cuda_backend *b, int result, int columns, int rows, int batch) {
    if (result == ALLOCATION_FAILED)
        return endo_fail(ENDO_ERR_MEMORY, "device %d: no memory for %d transforms of %d x %d", b->device, batch, columns, rows);
    cudaError_t error = cudaPeekAtLastError();
    if (error != cudaSuccess) return cuda_fail(b, error, __FILE__, __LINE__);
    return endo_fail(ENDO_ERR_DEVICE, "device %d: cuFFT error %d at %d transforms of %d x %d", b->device, result, batch,
                     columns, rows);
}

/* p->handle: 0, or to be destroyed, on failure. */
static int make(const cuda_fft_library *l, cudaStream_t stream, fft_plan *p) {
    int sizes[2] = {p->rows, p->columns}, result = l->create(&p->handle);
    if (result == 0) result = l->set_auto_allocation(p->handle, 0);
    if (result == 0) result = l->make_plan(p->handle, 2, sizes, NULL, 1, 0, NULL, 1, 0, p->type, p->batch, &p->work);
    return result ? result : l->set_stream(p->handle, stream);
}

static endo_status get_plan(cuda_backend *b, const cuda_fft *f, int type, int batch, fft_plan **out) {
    cuda_fft_library *l = b->fft;
    for (fft_plan *p = l->plans; p; p = p->next)
        if (p->columns == f->columns && p->rows == f->rows && p->type == type && p->batch == batch) {
            *out = p;
            return ENDO_OK;
        }
    fft_plan *p = (fft_plan *)endo_alloc_zeroed(1, sizeof *p);
    if (!p) return endo_fail(ENDO_ERR_MEMORY, "no memory for transforms");
    p->columns = f->columns, p->rows = f->rows, p->type = type, p->batch = batch;
    int result = make(l, b->stream, p);
    if (result) {
        if (p->handle) l->destroy(p->handle);
        endo_free(p);
        return fail(b, result, f->columns, f->rows, batch);
    }
    p->next = l->plans;
    l->plans = p;
    *out = p;
    return ENDO_OK;
}

/* One batch; the work area is the same for all plans, since they run one after the other. */
static endo_status run(cuda_backend *b, const cuda_fft *f, int type, int batch, float *plane, float2 *spectrum) {
    fft_plan *p = NULL;
    ENDO_TRY(get_plan(b, f, type, batch, &p));
    ENDO_TRY(cuda_reserve(b, &b->fft_work, p->work ? p->work : 1));
    int result = p->area == b->fft_work.memory ? 0 : b->fft->set_work_area(p->handle, b->fft_work.memory);
    if (result == 0) {
        p->area = b->fft_work.memory;
        result = type == REAL_TO_COMPLEX ? b->fft->forward(p->handle, plane, spectrum)
                                         : b->fft->back(p->handle, spectrum, plane);
    }
    return result ? fail(b, result, f->columns, f->rows, batch) : ENDO_OK;
}

static endo_status run_all(cuda_backend *b, const cuda_fft *f, int type, size_t n, float *planes, float2 *spectra) {
    ENDO_TRY(cuda_fft_open(b));
    for (size_t at = 0, batch = LARGEST_BATCH; at < n; at += batch) {
        while (batch > n - at) batch /= 2;
        if (n - at <= FEW) batch = n - at;
        ENDO_TRY(run(b, f, type, (int)batch, planes + at * cuda_fft_plane(f), spectra + at * cuda_fft_spectrum(f)));
    }
    return ENDO_OK;
}

endo_status cuda_fft_forward(cuda_backend *b, const cuda_fft *f, size_t n, float *planes, float2 *spectra) {
    return run_all(b, f, REAL_TO_COMPLEX, n, planes, spectra);
}

endo_status cuda_fft_back(cuda_backend *b, const cuda_fft *f, size_t n, float2 *spectra, float *planes) {
    return run_all(b, f, COMPLEX_TO_REAL, n, planes, spectra);
}
