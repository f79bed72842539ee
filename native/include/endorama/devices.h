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

/* Number of CUDA devices; 0 in a build without CUDA, or where no driver answers: reason (size bytes, may be NULL) then says
 * what is missing, and else is "". */
ENDO_API int endo_device_count(char *reason, size_t size);
/* Describes a device, 0 .. endo_device_count() - 1. The calling thread's current device stays as it was. Errors: ARGUMENT
 * (info NULL); DEVICE (no such device, or no driver answers); UNSUPPORTED (a build without CUDA). */
ENDO_API ENDO_NODISCARD endo_status endo_device_describe(int device, endo_device_info *info);

/* CUDA versions as 1000 * major + 10 * minor: of this build (0: without CUDA) and of the driver (0: none). */
ENDO_API int endo_cuda_version(void);
ENDO_API int endo_cuda_driver_version(void);

/* Whether cuFFT is there, which Fourier registration opens when it first computes on a CUDA device. 1: text (size bytes, may
 * be NULL) is the name of its file; 0: text says why there is none. */
ENDO_API int endo_cuda_fourier_library(char *text, size_t size);

/* A sequence to be registered and painted. */
typedef struct endo_backend_job {
    int width, height; /* of a frame, px */
    endo_pixel type;
    int64_t frames;    /* number of frames */
    int threads;       /* as endo_context_options.threads; 0: every processor */
} endo_backend_job;

/* Chooses the faster back end for a sequence, by a model whose constants were measured (docs/benchmarks.md): the time of the
 * CPU against the start of a CUDA context, the upload and the computation. job: NULL: the CPU is chosen. choice: CPU or CUDA;
 * reason (size bytes; NULL only if that is 0): one line for the log. */
ENDO_API void endo_backend_choose(const endo_backend_job *job, endo_backend *choice, char *reason, size_t size);

/* Registrations by mutual information onto one fixed volume. */
typedef struct endo_backend_mutual_job {
    int width, height, depth; /* of the fixed volume, voxels; depth 1: an image */
    int64_t registrations;    /* number of registrations */
    int threads;              /* as endo_context_options.threads; 0: every processor */
} endo_backend_mutual_job;

/* Chooses the faster back end for registrations by mutual information, as endo_backend_choose; constants from
 * docs/benchmarks-registration.md. */
ENDO_API void endo_backend_choose_mutual(const endo_backend_mutual_job *job, endo_backend *choice, char *reason, size_t size);

/* Registers and paints a small sequence with plain C, and with the back end that the options name; the bytes must agree.
 * *agrees: 1 or 0; *seconds: time of the tested back end, its start included. Errors: ARGUMENT, and those of
 * endo_context_create with these options. */
ENDO_API ENDO_NODISCARD endo_status endo_self_test(const endo_context_options *options, int *agrees,
                                                   double *seconds);

#ifdef __cplusplus
}
#endif
#endif
