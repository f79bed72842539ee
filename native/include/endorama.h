/* Endorama: registration, mosaicing and enhancement of endoscopic images.
 *
 * The one public header of the library (C11 or C++). How it behaves everywhere:
 *
 *   Status     Every function that can fail returns an endo_status. On failure its
 *              outputs are untouched and endo_last_error() of the calling thread says
 *              what was wrong, with the value and what is allowed. The library never
 *              prints, exits or aborts.
 *   Ownership  Objects come in create/destroy pairs; destroy takes the address of the
 *              handle and clears it, and accepts NULL. Pointers to pixels are borrowed
 *              for the call. Frames and canvases belong to their context and must be
 *              destroyed before it.
 *   Threads    A context, and what was made from it, belongs to one thread at a time;
 *              several contexts may work at once.
 *   Geometry   x runs right, y down; the centre of the first pixel is (0, 0). A matrix is
 *              six doubles {m00, m01, m02, m10, m11, m12}:
 *                  x' = m00*x + m01*y + m02,   y' = m10*x + m11*y + m12.
 *   Strides    count elements (pixels), not bytes.
 *   Exactness  Coefficients, motion vectors, the optical flow and painted pixels are
 *              computed in integers up to one last division: every back end, instruction
 *              set and number of threads gives the same bytes.
 *
 * Sources: [S] E. Sewergin, Optimierung eines neuen Logarithmic-Search-Verfahrens zum
 * Image Mosaicing unter Einsatz des CUDA-Frameworks, FH Koeln 2009; section numbers are its.
 */
#ifndef ENDORAMA_H
#define ENDORAMA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ENDO_VERSION "0.1.0"
/* Grows with every change of a struct or function below; compared when Java loads the library. */
#define ENDO_ABI 3

#if defined(__GNUC__)
#define ENDO_API __attribute__((visibility("default")))
#define ENDO_NODISCARD __attribute__((warn_unused_result))
#else
#define ENDO_API
#define ENDO_NODISCARD
#endif

/* ------------------------------------------------------------------ status */

typedef enum endo_status {
    ENDO_OK = 0,
    ENDO_ERR_ARGUMENT = 1,    /* an argument is out of its documented range */
    ENDO_ERR_MEMORY = 2,      /* host or device memory ran out, or a size limit was passed */
    ENDO_ERR_DEVICE = 3,      /* the device failed or none is usable */
    ENDO_ERR_UNSUPPORTED = 4, /* this build cannot do it */
    ENDO_ERR_INTERNAL = 5     /* a defect of the library */
} endo_status;

/* Message of the calling thread's last failure; "" if it had none. Never NULL; valid until the
 * thread's next failure. */
ENDO_API const char *endo_last_error(void);

/* ENDO_VERSION and ENDO_ABI of the loaded library. */
ENDO_API const char *endo_version(void);
ENDO_API int endo_abi(void);

/* ------------------------------------------------------------------ pixels */

typedef enum endo_pixel {
    ENDO_GREY8 = 0,  /* uint8_t */
    ENDO_GREY16 = 1, /* uint16_t */
    ENDO_RGB32 = 2   /* uint32_t 0xAARRGGBB, alpha ignored on input, 255 on output where painted */
} endo_pixel;

/* Bytes of one pixel: 1, 2 or 4; 0 for an unknown type. */
ENDO_API size_t endo_pixel_size(endo_pixel type);

/* ----------------------------------------------------------------- context */

typedef enum endo_backend {
    ENDO_BACKEND_AUTO = 0, /* CUDA where a usable device is and the build has it, else CPU */
    ENDO_BACKEND_CPU = 1,
    ENDO_BACKEND_CUDA = 2
} endo_backend;

typedef enum endo_cpu {
    ENDO_CPU_BEST = 0, /* the best of this machine */
    ENDO_CPU_C = 1,
    ENDO_CPU_AVX2 = 2,
    ENDO_CPU_AVX512 = 3 /* F, BW, VL and VNNI */
} endo_cpu;

#define ENDO_MAX_DEVICES 8

typedef struct endo_context_options {
    endo_backend backend; /* default ENDO_BACKEND_AUTO */
    int threads;          /* CPU threads, 1..256; 0 (default) = every processor the process may use */
    endo_cpu cpu;         /* highest instruction set to use; default ENDO_CPU_BEST */
    int device;           /* CUDA: which device, from 0 (default); n_devices = 0 */
    int n_devices;        /* CUDA: 2..ENDO_MAX_DEVICES: several devices share the pairs of a call; 0 (default) or 1:
                             one. Every one of them holds every frame; the first one paints */
    int devices[ENDO_MAX_DEVICES]; /* which, each once */
    size_t memory_limit;  /* CUDA: bytes of device memory that this context may take; 0 (default) = all */
    int fail_after;       /* for tests: after this many calls that put, register or paint, every further
                             one fails as a broken device would; 0 (default) = never */
} endo_context_options;

typedef struct endo_context endo_context;

ENDO_API endo_context_options endo_context_options_default(void);

/* Errors: ARGUMENT; UNSUPPORTED (CUDA asked of a build without it; an instruction set this
 * machine lacks); DEVICE (CUDA asked and no usable device: no driver, one too old, no such device, compute
 * capability below 7.5); MEMORY. AUTO never fails for want of a device. */
ENDO_API ENDO_NODISCARD endo_status endo_context_create(const endo_context_options *options,
                                                        endo_context **out);
ENDO_API void endo_context_destroy(endo_context **context);

/* What computes: "cpu (avx512, 2 threads)". Valid while the context lives. */
ENDO_API const char *endo_context_description(const endo_context *context);

/* ----------------------------------------------------------------- devices */

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
ENDO_API ENDO_NODISCARD endo_status endo_device_describe(int device, endo_device_info *info);

/* CUDA versions as 1000 * major + 10 * minor: of this build (0: without CUDA) and of the driver (0: none). */
ENDO_API int endo_cuda_version(void);
ENDO_API int endo_cuda_driver_version(void);

/* Which back end is the faster for a job, by a model whose constants were measured (docs/benchmarks.md):
 * what the CPU takes for so many frames, against the start of a CUDA context, the upload and the rest.
 * choice: CPU or CUDA. reason (size bytes): one line for the log. */
ENDO_API void endo_backend_choose(int width, int height, endo_pixel type, int64_t frames, int threads,
                                  endo_backend *choice, char *reason, size_t size);

/* Registers and paints a small sequence with plain C, and with what the options name; the bytes must agree.
 * *agrees: 1 or 0; *seconds: of the tested back end, its start included. */
ENDO_API ENDO_NODISCARD endo_status endo_self_test(const endo_context_options *options, int *agrees,
                                                   double *seconds);

#ifdef __cplusplus
}
#endif

#include "endorama/field.h"
#include "endorama/frames.h"
#include "endorama/registration.h"
#include "endorama/canvas.h"
#include "endorama/ahe.h"
#include "endorama/exposures.h"
#include "endorama/demo.h"

#endif
