/* Contexts: where the library computes, and with what. */
#ifndef ENDORAMA_CONTEXT_H
#define ENDORAMA_CONTEXT_H

#include "status.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    int threads;          /* CPU threads, 1..256; 0 (default): every processor the process may use, with a device at most 8.
                             Fewer run where the system refuses more (endo_context_threads, endo_context_note) */
    endo_cpu cpu;         /* highest instruction set to use; default ENDO_CPU_BEST */
    int device;           /* CUDA: which device, from 0 (default); n_devices = 0 */
    int n_devices;        /* CUDA: 2..ENDO_MAX_DEVICES: several devices share the pairs of a call; 0 (default) or 1: one.
                             Each frame is put on one of them, and copied to another that registers a pair with it; each
                             device needs memory for all frames of a store. The first one paints. Where one fails in a
                             call, results of the others may have been written */
    int devices[ENDO_MAX_DEVICES]; /* the numbers of these devices, each once */
    size_t memory_limit;  /* CUDA: bytes of device memory that this context may take; 0 (default) = all */
} endo_context_options;

typedef struct endo_context endo_context;

ENDO_API void endo_context_options_init(endo_context_options *options);
static inline endo_context_options endo_context_options_default(void) {
    endo_context_options options;
    endo_context_options_init(&options);
    return options;
}

/* Creates a context. options: NULL = the defaults. Errors: ARGUMENT (an option out of range; a program that was compiled with
 * other headers: its ENDO_ABI is compared); UNSUPPORTED (CUDA asked of a build without it; an instruction set this
 * machine lacks); DEVICE (CUDA asked and no usable device: no driver, one too old, no such device, compute
 * capability below 7.5); MEMORY. AUTO never fails for want of a device: endo_context_note then has the reason.
 * A call on a CUDA context leaves its device as the calling thread's current one. */
ENDO_API ENDO_NODISCARD endo_status endo_context_create_abi(const endo_context_options *options, int abi,
                                                            endo_context **out);
static inline ENDO_NODISCARD endo_status endo_context_create(const endo_context_options *options, endo_context **out) {
    return endo_context_create_abi(options, ENDO_ABI, out);
}
ENDO_API void endo_context_destroy(endo_context **context);

/* A hook that long calls ask between two steps of their work, on the thread that called: non-zero ends the call with
 * ENDO_CANCELLED, its outputs untouched (but for endo_canvas_paint, which has then painted some of the frames). It is asked by
 * endo_pairs_register, endo_exposures_register, endo_fourier_register, endo_quality_measure (every 16 megapixels of
 * frames, or every pair of larger ones), endo_canvas_paint (every frame), endo_pattern_finder_add and _find; results do not
 * depend on it. hook NULL (default): never asked. The hook must not call the library with this context. */
typedef int (*endo_cancel_hook)(void *user);
ENDO_API void endo_context_set_cancel(endo_context *context, endo_cancel_hook hook, void *user);

/* The back end, for people: "cpu (avx512, 2 threads)". Valid until the context is destroyed. */
ENDO_API const char *endo_context_description(const endo_context *context);

/* CPU threads of the context, 1..256; 0 for NULL. */
ENDO_API int endo_context_threads(const endo_context *context);

/* One line for a log: why a context that was created with AUTO computes on the CPU ("CUDA: no NVIDIA driver", or the message of
 * what failed), or why it has fewer threads than were asked for; else "". Valid until the context is destroyed. */
ENDO_API const char *endo_context_note(const endo_context *context);

#ifdef __cplusplus
}
#endif
#endif
