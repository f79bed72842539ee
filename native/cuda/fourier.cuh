/* What Fourier registration keeps of the frames of a store on the device, and the steps that turns and shifts share. */
#ifndef ENDO_CUDA_FOURIER_CUH
#define ENDO_CUDA_FOURIER_CUH

#include "fft.h"

#include "rules/fourier_levels.h"

/* Where the levels of an image lie: int16 values, ENDO_FOURIER_INVALID or grey, high-passed or not. The same for all
 * slots of a store: that of its largest image. */
typedef struct cuda_fourier_layout {
    size_t elements;
    size_t offset[ENDO_FOURIER_LEVELS];
    int stride[ENDO_FOURIER_LEVELS];
} cuda_fourier_layout;

/* A weighted spectrum, and sums of its squares, by block: it is divided by their root when it is multiplied. */
typedef struct cuda_fourier_weighted {
    float2 *numbers;
    double *squares;
} cuda_fourier_weighted;

/* A weighted spectrum with what it was made for. */
typedef struct cuda_fourier_kept {
    int is_there;
    endo_turns_setup setup; /* of a shift's spectrum: only the part `spectrum` */
    cuda_buffer values;     /* of the spectrum, and its squares after them */
} cuda_fourier_kept;

/* Data derived from the frame in a slot for Fourier registration; the memory stays when another frame is put there. */
typedef struct cuda_fourier_frame {
    int width, height; /* of the image; 0: nothing was asked of it yet */
    cuda_buffer levels;
    /* High-passed values, indexed by half the side of their local means, made when first needed; highpassed: bit l says that
     * level l is there. */
    cuda_buffer highpass[ENDO_FOURIER_MOST_HALF + 1];
    uint32_t highpassed[ENDO_FOURIER_MOST_HALF + 1];
    cuda_fourier_kept turns, shifts;
} cuda_fourier_frame;

typedef struct cuda_fourier {
    cuda_fourier_layout layout;
    cuda_fourier_frame *frames; /* by slot */
    int has_tapers;
    size_t taper_offset[ENDO_FOURIER_LEVELS];
    cuda_buffer tapers; /* of all levels, dense */
    endo_turns_setup places_of; /* the setup that `places` were made for */
    cuda_buffer places;         /* of log-polar planes (turns.cu) */
} cuda_fourier;

/* Levels of all images that the requests name, made where they lack. requests: begin with endo_fourier_images. */
endo_status cuda_fourier_prepare(cuda_store *s, const void *requests, size_t n, size_t size);
void cuda_fourier_free(cuda_store *s);

/* A high-passed level of a slot. */
typedef struct cuda_fourier_wanted {
    int32_t slot, level, half;
} cuda_fourier_wanted;

/* Makes high-passed values of levels that were prepared; a level may be named twice. stream: the context's, or, for up to
 * CUDA_FOURIER_ASIDE levels, another one. */
#define CUDA_FOURIER_ASIDE 32
endo_status cuda_fourier_highpass(cuda_store *s, const cuda_fourier_wanted *wanted, size_t n, cudaStream_t stream);

/* half: of the local means that were taken off; 0: grey. */
static inline int16_t *cuda_fourier_level(const cuda_store *s, int slot, int level, int half) {
    const cuda_fourier_frame *f = &s->fourier->frames[slot];
    return (int16_t *)(half ? f->highpass[half].memory : f->levels.memory) + s->fourier->layout.offset[level];
}

/* Cuts `bytes` off memory at *at, aligned; from NULL on it only counts. */
static inline void *cuda_carve(uint8_t **at, size_t bytes) {
    void *part = *at;
    *at += (bytes + 255) & ~(size_t)255;
    return part;
}

/* ------------------------------------------------------------------- parts */

/* A part of an image on its way to a plane: value less the mean of the part, times the weights of window and field. */
typedef struct cuda_fourier_source {
    const int16_t *values; /* of its level, high-passed if that is the gradient */
    const uint8_t *taper;   /* of its level, or NULL */
    float *out;            /* out_width * out_height numbers, 0 outside the part */
    endo_fourier_part part;
    int stride, taper_stride;
    int width, height; /* of the level */
    int out_width, out_height;
} cuda_fourier_source;

/* The field's weights go to the device with the first call that has some. */
endo_status cuda_fourier_tapers(cuda_store *s, const endo_fourier_spectrum *spectrum);

/* With ENDO_GRADIENT_HIGHPASS the level was high-passed before. */
cuda_fourier_source cuda_fourier_source_of(const cuda_store *s, int slot, const endo_fourier_part *part,
                                           const endo_fourier_spectrum *spectrum, float *out, int out_width, int out_height);

/* At most CUDA_GRID_LIMIT sources. sums: room for two numbers each. */
endo_status cuda_fourier_fill(cuda_backend *b, const cuda_fourier_source *sources, size_t n,
                              const endo_fourier_spectrum *spectrum, int64_t *sums);

/* ----------------------------------------------------------------- weights */

/* endo_shift_weight() and endo_turn_weight(): 1 / (magnitude + least), or its root times the low pass. */
typedef struct cuda_fourier_weights {
    float least;
    const float *low_pass; /* on the device: by column, then by row, from frequency 0 up to the highest; or NULL */
} cuda_fourier_weights;

/* Sums of squares of one spectrum. */
size_t cuda_fourier_squares(const cuda_fft *f);

/* Weighs n spectra, at most CUDA_GRID_LIMIT, which follow each other; `to` says where each goes, which may be its place. */
endo_status cuda_fourier_weigh(cuda_backend *b, const cuda_fft *f, const cuda_fourier_weights *w, const float2 *spectra,
                               size_t n, const cuda_fourier_weighted *to);

/* ----------------------------------------------------------- whole images */

/* Transforms of whole images that are kept from call to call: a list of those that lack. */
typedef struct cuda_fourier_whole {
    cuda_store *store;
    cuda_fourier_kept *(*kept)(cuda_fourier_frame *frame);
    const endo_turns_setup *setup; /* what they must have been made for */
    const cuda_fft *fft;
    size_t count;
    int32_t *slots;
} cuda_fourier_whole;

/* Begins a list of up to `most` images; to be ended in any case. */
endo_status cuda_fourier_whole_begin(cuda_fourier_whole *w, size_t most);

/* A slot whose transform is wanted: with memory for it where it lacks, and from now on taken to have it. */
endo_status cuda_fourier_whole_want(cuda_fourier_whole *w, int32_t slot);

/* Where the transform of a slot lies that is wanted. */
cuda_fourier_weighted cuda_fourier_whole_of(const cuda_fourier_whole *w, int32_t slot);

/* status: of all of it; after a failure those that lacked still do. */
void cuda_fourier_whole_end(cuda_fourier_whole *w, endo_status status);

/* ------------------------------------------------------------- correlation */

/* The reference's spectrum times the current one's, or its conjugate (sign -1). */
typedef struct cuda_correlation {
    cuda_fourier_weighted reference, current;
    double extra; /* turns: endo_turn_level_scale() */
    float sign;
    int32_t part;
    uint32_t list, first_of_list, of_list; /* its list, and which correlations of the call are in it */
} cuda_correlation;

/* How they are made, and where their peaks go. */
typedef struct cuda_correlator {
    cuda_backend *backend;
    cuda_fft fft;
    int most;                      /* peaks asked for, at most ENDO_FOURIER_PEAKS */
    const endo_turns_setup *turns; /* which places count; NULL: all */
    endo_fourier_peak *found;      /* by correlation and tile: `most` each */
    endo_fourier_peak *peaks;      /* of each list: `most` */
    int32_t *counts;
    unsigned *arrived;
} cuda_correlator;

/* Scratch memory of one correlation. */
size_t cuda_correlator_bytes(const cuda_correlator *c);

/* Memory for what n correlations find, and for the results of so many lists of them. */
endo_status cuda_correlator_begin(cuda_correlator *c, size_t n, size_t lists);

/* n correlations; they are numbers first .. first + n - 1 of the call. At most CUDA_GRID_LIMIT. */
endo_status cuda_correlate(const cuda_correlator *c, const cuda_correlation *correlations, size_t first, size_t n,
                           void *scratch);

/* Waits for the highest peaks of each list, `most` a list; after them how many there are, which a list without correlations
 * lacks. */
endo_status cuda_correlator_end(const cuda_correlator *c, size_t lists, endo_fourier_peak *peaks);

/* After a failure in between: lists may have counted some of their blocks, and count anew from here on. */
void cuda_correlator_drop(const cuda_correlator *c);

#endif
