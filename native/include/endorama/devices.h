/* CUDA devices, the choice of a back end, and whether it computes what it should. */
#ifndef ENDORAMA_DEVICES_H
#define ENDORAMA_DEVICES_H

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct endo_device_info {
    char name[64];
    int major, minor; /* compute capability */
    int multiprocessors;
    uint64_t memory, free_memory; /* bytes */
    int usable;                   /* compute capability 7.5 or newer */
} endo_device_info;

/* How many CUDA devices there are; 0 in a build without CUDA, or where no driver answers: reason (size
 * bytes, may be NULL) then says what is missing, and else is "". */
ENDO_API int endo_device_count(char *reason, size_t size);
/* Device 0 .. endo_device_count() - 1. The calling thread's current device stays what it was. Errors: ARGUMENT (info
 * NULL); DEVICE (no such device, or no driver answers); UNSUPPORTED (a build without CUDA). */
ENDO_API ENDO_NODISCARD endo_status endo_device_describe(int device, endo_device_info *info);

/* CUDA versions as 1000 * major + 10 * minor: of this build (0: without CUDA) and of the driver (0: none). */
ENDO_API int endo_cuda_version(void);
ENDO_API int endo_cuda_driver_version(void);

/* Is there a cuFFT, which Fourier registration on CUDA devices opens when it is first asked for? 1: text (size bytes, may
 * be NULL) is the name of its file; 0: text is why there is none. */
ENDO_API int endo_cuda_fourier_library(char *text, size_t size);

/* Which back end is the faster for a job, by a model whose constants were measured (docs/benchmarks.md):
 * what the CPU takes for so many frames, against the start of a CUDA context, the upload and the rest.
 * width, height: px of a frame; threads: as endo_context_options.threads; choice: CPU or CUDA; reason (size bytes):
 * one line for the log. */
ENDO_API void endo_backend_choose(int width, int height, endo_pixel type, int64_t frames, int threads,
                                  endo_backend *choice, char *reason, size_t size);

/* The same for registrations by mutual information of volumes (depth 1: images) onto a fixed one of width x height x depth
 * voxels; constants from docs/benchmarks-registration.md. */
ENDO_API void endo_backend_choose_mutual(int width, int height, int depth, int64_t registrations, int threads,
                                         endo_backend *choice, char *reason, size_t size);

/* Registers and paints a small sequence with plain C, and with what the options name; the bytes must agree.
 * *agrees: 1 or 0; *seconds: of the tested back end, its start included. Errors: ARGUMENT, and those of
 * endo_context_create with these options. */
ENDO_API ENDO_NODISCARD endo_status endo_self_test(const endo_context_options *options, int *agrees,
                                                   double *seconds);

#ifdef __cplusplus
}
#endif
#endif
