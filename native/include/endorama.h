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
#define ENDO_ABI 2

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

/* ------------------------------------------------------------ field of view */

typedef enum endo_field_shape {
    ENDO_FIELD_WHOLE = 0, /* no dark surround: every pixel */
    ENDO_FIELD_CIRCLE = 1, /* a bright circle, perhaps cut by the borders of the image or of the
                              sensor: circle and bounding box of the bright region, intersected */
    ENDO_FIELD_OTHER = 2   /* a bright region of another shape, such as a letterbox: the region */
} endo_field_shape;

typedef struct endo_field_info {
    endo_field_shape shape;
    double x, y, radius;          /* circle; 0 if it is none */
    int left, top, right, bottom; /* bounding box of the field, inclusive */
} endo_field_info;

/* brightest[] = max(brightest[], grey of pixels[]), width x height each; start from zeros. Feed it
 * some frames of a sequence: a pixel outside the field of view stays dark in all of them.
 * Grey: RGB by ENDO grey weights (see endo_frames_put); 16 bit scaled from low..high.
 * brightest: width*height bytes, dense. */
ENDO_API ENDO_NODISCARD endo_status endo_field_accumulate(const void *pixels, endo_pixel type, int width,
                                                          int height, ptrdiff_t stride, int low, int high,
                                                          uint8_t *brightest);

/* Finds the endoscope's field of view in an accumulated image: the bright circle or cut circle, drawn
 * one or two pixels inside its rim. Marks in the surround and shadows in the field are passed over.
 * mask: width*height bytes, 255 inside, 0 outside. An image without a dark surround, or dark all over,
 * gives ENDO_FIELD_WHOLE. Errors: ARGUMENT (sides are 1..32767); MEMORY. */
ENDO_API ENDO_NODISCARD endo_status endo_field_detect(const uint8_t *brightest, int width, int height,
                                                      uint8_t *mask, endo_field_info *info);

/* The field of view of a sequence: give it some frames, spread over the sequence, then ask. What most frames
 * show decides: no dark surround, circles (which are intersected: the circle of some scopes moves a little),
 * or what the accumulated image shows. type, width, height, low and high as in endo_field_accumulate. */
typedef struct endo_field_finder endo_field_finder;

ENDO_API ENDO_NODISCARD endo_status endo_field_finder_create(endo_pixel type, int width, int height, int low,
                                                             int high, endo_field_finder **out);
ENDO_API void endo_field_finder_destroy(endo_field_finder **finder);
ENDO_API ENDO_NODISCARD endo_status endo_field_finder_add(endo_field_finder *finder, const void *pixels,
                                                          ptrdiff_t stride);
/* mask and info as in endo_field_detect. Without any frame: the whole image. */
ENDO_API ENDO_NODISCARD endo_status endo_field_finder_find(const endo_field_finder *finder, uint8_t *mask,
                                                           endo_field_info *info);

/* ------------------------------------------------------------------ frames */

/* A store of frames of one size in the memory of the context's back end. A frame is copied in once
 * and is then known by its slot, 0..capacity-1. What matching needs of it (grey, flow pyramid,
 * highlight mask) is derived during that copy. */
typedef struct endo_frames endo_frames;

typedef struct endo_frames_options {
    int width, height;    /* 1..32767 */
    endo_pixel type;
    int capacity;         /* slots, 1..65536 */
    const uint8_t *field; /* field of view, width*height bytes, 0 = outside; NULL = every pixel.
                             Copied; the caller's mask is not needed afterwards */
    int rim;              /* erode_rim: painting leaves out this many pixels along the field's rim,
                             0..1000; default 8 */
    int iir;              /* a_IIR: time constant in pixels of the recursive smoothing subtracted
                             before differencing, 0 (none) .. 255; default 4 */
    int highlights;       /* 1: specular pixels take no part in matching; default 0 */
    int flow;             /* 1 (default): keep what endo_flow needs */
    int keep_pixels;      /* 1 (default): keep the original pixels for painting */
    int low, high;        /* 16 bit: the grey values that become 0 and 255 for matching, low < high;
                             default 0, 65535 */
} endo_frames_options;

ENDO_API endo_frames_options endo_frames_options_default(void);
ENDO_API ENDO_NODISCARD endo_status endo_frames_create(endo_context *context,
                                                       const endo_frames_options *options,
                                                       endo_frames **out);
ENDO_API void endo_frames_destroy(endo_frames **frames);

/* Copies one image (the store's size and type) into a slot. stride >= width.
 * Grey of a colour pixel: (77 R + 150 G + 29 B + 128) >> 8. Grey of a 16-bit pixel v:
 * clamp(floor((v - low) * 255 / (high - low) + 1/2), 0, 255). */
ENDO_API ENDO_NODISCARD endo_status endo_frames_put(endo_frames *frames, int slot, const void *pixels,
                                                    ptrdiff_t stride);

/* Reads back the grey image that matching uses: width*height bytes, dense. */
ENDO_API ENDO_NODISCARD endo_status endo_frames_get_grey(const endo_frames *frames, int slot, uint8_t *grey);

/* ----------------------------------------------- correlation coefficients */

/* One coefficient: a square template centred at (x, y) of frame `reference` against the window
 * centred at (cx, cy) of frame `current`. */
typedef struct endo_ncc_request {
    int32_t reference, current;
    int32_t x, y, cx, cy;
} endo_ncc_request;

/* Cross-correlation coefficients, [S] eq. 2.12 / 3.1 as
 *   (n*Sxy - Sx*Sy) / sqrt((n*Sxx - Sx^2) * (n*Syy - Sy^2)),
 * integer sums, one division. coefficients[i] in -1..1, or NaN where undefined: template or window
 * leaves the field of view, or has no variance. With highlights, the sums run over the pixels that
 * are not specular in either, and fewer than half of the template's pixels are undefined too.
 * side: odd, 3..255. */
ENDO_API ENDO_NODISCARD endo_status endo_ncc(endo_frames *frames, const endo_ncc_request *requests, size_t n,
                                             int side, double *coefficients);

/* ------------------------------------------------------- logarithmic search */

typedef enum endo_landmark_state {
    ENDO_LANDMARK_FOUND = 0,
    ENDO_LANDMARK_NO_TEXTURE = 1, /* the template has no variance */
    ENDO_LANDMARK_OUTSIDE = 2,    /* the template, or every position of the first pattern, leaves the field */
    ENDO_LANDMARK_UNSETTLED = 3   /* no end after ENDO_SEARCH_LIMIT coefficients */
} endo_landmark_state;

#define ENDO_SEARCH_LIMIT 400
/* A search may start this far outside the frame, px. */
#define ENDO_SEARCH_MARGIN 8192

typedef struct endo_search_request {
    int32_t reference, current;
    int32_t x, y;             /* centre of the template in the reference */
    int32_t start_x, start_y; /* where the search starts in the current frame */
} endo_search_request;

typedef struct endo_search_params {
    int side;     /* template (log.rsiz): odd, 3..255; default 31 */
    int cross;    /* first offset of the pattern (log.cross): power of two, 1..128; default 4 */
    int subpixel; /* 1 (default): refine the peak by a quadratic through the last nine coefficients;
                     0: whole pixels, as in [S] */
} endo_search_params;

typedef struct endo_search_result {
    double x, y;        /* position found in the current frame */
    double coefficient; /* at the whole-pixel position; NaN unless found */
    int32_t state;      /* endo_landmark_state */
    int32_t computed;   /* coefficients computed */
    int32_t reused;     /* coefficients taken from this search's cache ([S] Listing 3.4) */
    int32_t reserved;
} endo_search_result;

ENDO_API endo_search_params endo_search_params_default(void);

/* Logarithmic search, [S] section 2.4 steps 1-5, each with a coefficient cache of its own. */
ENDO_API ENDO_NODISCARD endo_status endo_search(endo_frames *frames, const endo_search_request *requests,
                                                size_t n, const endo_search_params *params,
                                                endo_search_result *results);

/* ------------------------------------------------------------- optical flow */

typedef enum endo_warp {
    ENDO_WARP_TRANSLATION = 0, /* WARPCLASS 0 */
    ENDO_WARP_AFFINE = 1       /* WARPCLASS 1 */
} endo_warp;

typedef struct endo_pair {
    int32_t reference, current;
} endo_pair;

typedef struct endo_flow_result {
    double matrix[6]; /* reference -> current */
    int32_t pixels;   /* pseudo-motion vectors of the last iteration that passed the test; 0: nothing
                         could be estimated and the matrix is the identity */
    int32_t reserved;
} endo_flow_result;

/* Kourogi's global motion, [S] section 2.2 (pseudo motion, threshold 5, affine least squares,
 * compensated motion, iterated), coarse to fine. Needs a store with flow = 1. */
ENDO_API ENDO_NODISCARD endo_status endo_flow(endo_frames *frames, const endo_pair *pairs, size_t n,
                                              endo_warp warp, endo_flow_result *results);

/* ------------------------------------------------------------ affine fit */

/* Least squares matrix that takes from[i] to to[i] (x, y interleaved, n points). Affine needs three
 * points that are not on a line, translation one. *solved = 0 and matrix untouched if there is no
 * unique solution. */
ENDO_API ENDO_NODISCARD endo_status endo_affine_fit(const double *from, const double *to, size_t n,
                                                    endo_warp warp, double matrix[6], int *solved);

/* ------------------------------------------------------- pair registration */

typedef enum endo_initial {
    ENDO_INITIAL_NONE = 0,
    ENDO_INITIAL_FLOW = 1
} endo_initial;

typedef struct endo_register_params {
    endo_initial initial; /* where the searches start; default ENDO_INITIAL_FLOW */
    int side;             /* log.rsiz: odd 3..255; 0 (default): 15 up to 400 px wide, 31 up to 800, 45 above */
    int cross;            /* log.cross: power of two 1..128; default 4 */
    int landmarks;        /* log.NPTS: per dimension, 2..64; default 8 */
    double cthresh;       /* log.cthresh: -1..1; default 0.85 */
    double uthresh;       /* log.uthresh, px: > 0 .. 1000; default 2.5 */
    double guarantee;     /* log.pGuar: 0..1; default 0.2 */
    endo_warp warp;       /* WARPCLASS; default ENDO_WARP_AFFINE */
    int subpixel;         /* default 1; 0 as in [S] */
    int quality;          /* 1 (default): fill in the quality of each pair */
} endo_register_params;

typedef enum endo_pair_status {
    ENDO_PAIR_OK = 0,
    ENDO_PAIR_FEW_LANDMARKS = 1, /* fewer landmarks passed than the guarantee asks: estimate doubtful */
    ENDO_PAIR_NO_TEXTURE = 2,    /* fewer than three templates have any variance or fit into the field */
    ENDO_PAIR_JUMP = 3           /* nothing fits: another scene, or a motion beyond the search */
} endo_pair_status;

typedef struct endo_pair_result {
    double matrix[6];        /* current -> reference; the identity where status is NO_TEXTURE or JUMP */
    double mean_coefficient; /* of the landmarks used; NaN if none */
    double quality;          /* endo_quality of this pair; NaN if undefined or not asked for */
    int32_t status;          /* endo_pair_status */
    int32_t landmarks;       /* whose template lies in the field and has texture */
    int32_t found;           /* that reached cthresh */
    int32_t used;            /* in the last fit */
    int32_t computed, reused; /* coefficients, all landmarks together ([S] Tables 3.4, 3.5) */
    int32_t flow_pixels;     /* endo_flow_result.pixels */
    int32_t reserved;
} endo_pair_result;

ENDO_API endo_register_params endo_register_params_default(void);

/* The template side that 0 stands for at a frame width. */
ENDO_API int endo_register_auto_side(int width);

/* [S] section 2.5, steps 1 to 8, for every pair of a chunk in one call. */
ENDO_API ENDO_NODISCARD endo_status endo_register_pairs(endo_frames *frames, const endo_pair *pairs, size_t n,
                                                        const endo_register_params *params,
                                                        endo_pair_result *results);

/* ----------------------------------------------------------------- quality */

/* The measure of [S] section 3.3.1: frame `current` is warped onto `reference` by matrices[6*i..]
 * (current -> reference), the bounding box of what both show is divided into 5 x 5 templates, and
 * the mean of their coefficients is taken. A template counts if at least half of its pixels are in
 * both fields and both sides have variance. quality[i]: -1..1, NaN if no template counts. */
ENDO_API ENDO_NODISCARD endo_status endo_quality(endo_frames *frames, const endo_pair *pairs,
                                                 const double *matrices, size_t n, double *quality);

/* ------------------------------------------------------------------ canvas */

typedef struct endo_canvas endo_canvas;

typedef enum endo_painting {
    ENDO_PAINT_RING = 1, /* XMethod 1: only pixels that nothing has painted yet */
    ENDO_PAINT_UNION = 2 /* XMethod 2: every pixel that the frame reaches */
} endo_painting;

/* An unpainted (all zero) canvas of width x height pixels, each 1..2^20, at most 2^40 together. */
ENDO_API ENDO_NODISCARD endo_status endo_canvas_create(endo_context *context, endo_pixel type, int width,
                                                       int height, endo_canvas **out);
ENDO_API void endo_canvas_destroy(endo_canvas **canvas);

/* New size; what was at (x, y) moves to (x + dx, y + dy), what falls outside is lost, the rest is
 * unpainted. On failure the canvas is as before. */
ENDO_API ENDO_NODISCARD endo_status endo_canvas_resize(endo_canvas *canvas, int width, int height, int dx,
                                                       int dy);

ENDO_API ENDO_NODISCARD endo_status endo_canvas_clear(endo_canvas *canvas);

/* Paints frames, in order: slots[i] warped by matrices[6*i..] (frame -> panorama), bilinear, inside the
 * field eroded by the store's rim. The panorama's point (0, 0) lies at the canvas pixel (origin_x, origin_y),
 * each within +-2^21: the pixels do not depend on where the canvas happens to lie. Store and canvas must have
 * the same context and pixel type, the store keep_pixels = 1. A matrix that cannot be inverted is an ARGUMENT
 * error. */
ENDO_API ENDO_NODISCARD endo_status endo_canvas_paint(endo_canvas *canvas, const endo_frames *frames,
                                                      const int32_t *slots, const double *matrices, size_t n,
                                                      int origin_x, int origin_y, endo_painting painting);

/* Reads a rectangle that lies in the canvas. pixels: width*height of the canvas's type, dense.
 * painted: width*height bytes, 255 where painted; may be NULL. */
ENDO_API ENDO_NODISCARD endo_status endo_canvas_read(endo_canvas *canvas, int x, int y, int width, int height,
                                                     void *pixels, uint8_t *painted);

/* ----------------------------------------------------------- demo sequence */

typedef enum endo_demo_path {
    ENDO_DEMO_LOOP = 0,  /* a closed curve: the last frame meets the first again */
    ENDO_DEMO_SWEEP = 1, /* to and fro in rows */
    ENDO_DEMO_SPIRAL = 2
} endo_demo_path;

typedef struct endo_demo_params {
    int width, height;   /* 64..4096; default 720 x 576 */
    int frames;          /* 2..100000; default 60 */
    endo_demo_path path; /* default ENDO_DEMO_LOOP */
    double step;         /* mean motion from frame to frame, px, 0..64; default 6 */
    double rotation;     /* amplitude of the slow roll, degrees, 0..180; default 10 */
    double zoom;         /* amplitude of the slow change of scale, per cent, 0..50; default 8 */
    double noise;        /* standard deviation, grey levels, 0..64; default 2 */
    double flicker;      /* amplitude of brightness changes from frame to frame, per cent, 0..50; default 3 */
    int highlights;      /* specular highlights, which move with the scope, 0..1000; default 12 */
    uint64_t seed;       /* default 1 */
} endo_demo_params;

typedef struct endo_demo endo_demo;

ENDO_API endo_demo_params endo_demo_params_default(void);

/* A synthetic endoscopic sequence with known truth: tissue with fine texture and branching vessels,
 * seen by a moving scope with a circular field, vignetting, highlights and noise. The same parameters
 * give the same pixels on every machine and number of threads. */
ENDO_API ENDO_NODISCARD endo_status endo_demo_create(endo_context *context, const endo_demo_params *params,
                                                     endo_demo **out);
ENDO_API void endo_demo_destroy(endo_demo **demo);

/* Frame index (0..frames-1): width*height RGB32 pixels, dense. */
ENDO_API ENDO_NODISCARD endo_status endo_demo_render(endo_demo *demo, int index, uint32_t *pixels);

/* Its truth: the matrix that takes pixel centres of frame `index` to those of frame 0. */
ENDO_API ENDO_NODISCARD endo_status endo_demo_truth(const endo_demo *demo, int index, double matrix[6]);

/* The field of view of every frame: width*height bytes, 255 inside, 0 outside. */
ENDO_API ENDO_NODISCARD endo_status endo_demo_field(const endo_demo *demo, uint8_t *mask);

#ifdef __cplusplus
}
#endif
#endif
