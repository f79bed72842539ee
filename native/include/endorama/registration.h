/* Coefficients, motion vectors, optical flow, and the registration of pairs. [S] is named in endorama.h. */
#ifndef ENDORAMA_REGISTRATION_H
#define ENDORAMA_REGISTRATION_H

#include "frames.h"
#include "transform.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ----------------------------------------------- correlation coefficients */

/* A request for one coefficient: a square template centred at (x, y) of frame `reference` against the window centred at
 * (cx, cy) of frame `current`, px. */
typedef struct endo_ncc_request {
    int32_t reference, current;
    int32_t x, y, cx, cy;
} endo_ncc_request;

/* Computes cross-correlation coefficients, [S] eq. 2.12 / 3.1, as
 *   (n*Sxy - Sx*Sy) / sqrt((n*Sxx - Sx^2) * (n*Syy - Sy^2)),
 * integer sums, one division. coefficients[i] in -1..1, or NaN where undefined: template or window
 * leaves the field of view, or has no variance. With highlights, the sums run over the pixels that
 * are not specular in either, and fewer than half of the template's pixels are undefined too.
 * template_side: odd, 3..255. Errors: ARGUMENT (template_side; a slot without a frame); MEMORY; DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_ncc_compute(endo_frames *frames, const endo_ncc_request *requests, size_t n,
                                             int template_side, double *coefficients);

/* ------------------------------------------------------- logarithmic search */

typedef enum endo_landmark_state {
    ENDO_LANDMARK_FOUND = 0,
    ENDO_LANDMARK_NO_TEXTURE = 1, /* the template has no variance */
    ENDO_LANDMARK_OUTSIDE = 2,    /* the template, or every position of the first pattern, leaves the field */
    ENDO_LANDMARK_UNSETTLED = 3   /* the search had not converged after ENDO_SEARCH_LIMIT coefficients */
} endo_landmark_state;

#define ENDO_SEARCH_LIMIT 400
/* A search may start this far outside the frame, px. */
#define ENDO_SEARCH_MARGIN 8192

typedef struct endo_search_request {
    int32_t reference, current;
    int32_t x, y;             /* centre of the template in the reference */
    int32_t start_x, start_y; /* where the search starts in the current frame */
} endo_search_request;

typedef struct endo_search_options {
    int template_side; /* log.rsiz: px, odd, 3..255; default 31 */
    int cross;         /* log.cross: first offset of the pattern, px, power of two, 1..128; default 4 */
    int subpixel;      /* 1 (default): refine the peak by a quadratic through the last nine coefficients;
                          0: whole pixels, as in [S] */
} endo_search_options;

typedef struct endo_search_result {
    double x, y;        /* position found in the current frame, px */
    double coefficient; /* at the whole-pixel position; NaN unless found */
    int64_t state;      /* endo_landmark_state */
    int32_t computed;   /* coefficients computed */
    int32_t reused;     /* coefficients taken from this search's cache ([S] Listing 3.4) */
} endo_search_result;

ENDO_API void endo_search_options_init(endo_search_options *options);
static inline endo_search_options endo_search_options_default(void) {
    endo_search_options options;
    endo_search_options_init(&options);
    return options;
}

/* Runs logarithmic searches, [S] section 2.4 steps 1-5, each with a separate coefficient cache. Errors: ARGUMENT (an option
 * out of range; a slot without a frame; a start beyond ENDO_SEARCH_MARGIN); MEMORY; DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_search_run(endo_frames *frames, const endo_search_request *requests,
                                                size_t n, const endo_search_options *options,
                                                endo_search_result *results);

/* ------------------------------------------------------------- optical flow */

typedef struct endo_pair {
    int32_t reference, current;
} endo_pair;

typedef struct endo_flow_result {
    endo_transform transform; /* current -> reference, px; of the class asked for, or the identity as a translation */
    int64_t pixels;           /* pseudo-motion vectors that passed the test of the last iteration; 0: nothing
                                 could be estimated and the transform is the identity */
} endo_flow_result;

/* Estimates Kourogi's global motion, [S] section 2.2 (pseudo motion, threshold 5, affine least squares,
 * compensated motion, iterated), coarse to fine. Needs a store with flow = 1. kind: TRANSLATION ([S] WARPCLASS 0) or
 * AFFINE (WARPCLASS 1). Errors: ARGUMENT, UNSUPPORTED (another class), MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_flow_estimate(endo_frames *frames, const endo_pair *pairs, size_t n,
                                                       endo_transform_class kind, endo_flow_result *results);

/* ------------------------------------------------------- pair registration */

typedef enum endo_initial {
    ENDO_INITIAL_NONE = 0,
    ENDO_INITIAL_FLOW = 1,      /* needs a store with flow = 1 */
    ENDO_INITIAL_EXPOSURES = 2, /* the shift of endo_exposures_register, up to an eighth of the longer side (64 px at
                                   least): for jumps of brightness; as NONE where the shift is not certain */
    ENDO_INITIAL_FOURIER = 3    /* the transform of endo_fourier_register with its defaults, of the class that is fitted
                                   up to a similarity: for large rotations and zooms; as NONE where its status is not ok.
                                   Templates do not turn with the image: a pair that is not OK but has such a transform
                                   gets it, with FEW_LANDMARKS and no landmark found or used; its quality shows whether
                                   it is right */
} endo_initial;

typedef enum endo_pairs_method {
    ENDO_METHOD_PAPER = 0, /* [S] section 2.5: landmarks found by logarithmic search, and a fit to them */
    ENDO_METHOD_BEST = 1   /* the result of PAPER, refined on the intensities of the overlap, and judged by them. A pair that
                              is not OK then starts once more from the places where both frames may overlap, turned by up to
                              16 degrees, and else from its spectra (scales up to 2 either way), where the context has Fourier
                              transforms (FFTW on the CPU, cuFFT on a GPU) */
} endo_pairs_method;

/* Used instead of a class, with ENDO_METHOD_BEST: the simplest of TRANSLATION, RIGID, SIMILARITY and AFFINE that explains
 * the pair. */
#define ENDO_TRANSFORM_AUTO ((endo_transform_class)-1)

typedef struct endo_pairs_options {
    endo_initial initial; /* where the searches start; default ENDO_INITIAL_FLOW */
    int template_side;    /* log.rsiz: odd 3..255; 0 (default): 15 up to 400 px wide, 31 up to 800, 45 above */
    int cross;            /* log.cross: power of two 1..128; default 4 */
    int landmarks;        /* log.NPTS: landmarks along each side, 2..64; default 8 */
    double cthresh;       /* log.cthresh: -1..1; default 0.85 */
    double uthresh;       /* log.uthresh, px: > 0 .. 1000; default 2.5 */
    double guarantee;     /* log.pGuar: 0..1; default 0.2 */
    endo_transform_class transform; /* class that is fitted: TRANSLATION (WARPCLASS 0), RIGID, SIMILARITY or AFFINE (default;
                             WARPCLASS 1); with the method BEST also ENDO_TRANSFORM_AUTO and HOMOGRAPHY (landmarks are fitted
                             by AFFINE; a result has m[8] = 1, denominators above 0 over both frames, and its enlargement
                             varies by a factor of four at most). The flow that a search starts from is a translation for
                             TRANSLATION and affine for the others */
    int subpixel;         /* default 1; 0 as in [S] */
    int quality;          /* 1 (default): fill in the quality of each pair */
    endo_pairs_method method; /* default PAPER */
} endo_pairs_options;

typedef enum endo_pair_status {
    ENDO_PAIR_OK = 0,
    ENDO_PAIR_FEW_LANDMARKS = 1, /* fewer landmarks passed than the guarantee asks for: the estimate is doubtful */
    ENDO_PAIR_NO_TEXTURE = 2,    /* fewer than three templates have any variance or fit into the field */
    ENDO_PAIR_JUMP = 3           /* nothing fits: another scene, or a motion beyond the search */
} endo_pair_status;

/* Most selections and fits of one pair. */
#define ENDO_PAIR_ROUNDS 32

typedef struct endo_pair_result {
    endo_transform transform; /* current -> reference, px, of the class asked for; a translation where the landmarks
                                used have no best one of that class; the identity where status is NO_TEXTURE or JUMP */
    double mean_coefficient; /* mean over the landmarks used, -1..1; NaN if none */
    double quality;          /* endo_quality_measure of this pair; NaN if undefined or not asked for */
    double deviation;        /* standard deviation of where the transform takes a point of the frame, px, root mean square
                                over the frame and both axes, by the residuals and positions of the landmarks used; NaN
                                where nothing was fitted */

    /* Perspective and distortion, estimated from the pixels whatever the class of the transform, with the method BEST; NaN
     * where they were not estimated. Both are fitted together with an affine transform that is not reported: what either of
     * them explains as well as the other is in both deviations. c is the middle of the frame,
     * ((width - 1) / 2, (height - 1) / 2). */
    double perspective[2];   /* g, x then y, 1/px: the perspective that a homography adds. A point c + q of the current frame
                                lies where the transform takes c + q / (1 + g . q); 0 for a plane seen straight on */
    double perspective_deviation; /* standard deviation of one of the two, root mean square of both, 1/px; > 0 */
    double lens;             /* lambda of the division model (A. W. Fitzgibbon, Simultaneous linear estimation of multiple
                                view geometry and lens distortion, CVPR 2001), without a unit. With r the distance of a
                                pixel p from c over half of the frame's longer side, a camera without distortion would see
                                it at c + (p - c) / (1 + lambda r^2): below 0 for a barrel, above for a pincushion. Only
                                motion shows a lens: with little motion the deviation is large, without any both are NaN */
    double lens_deviation;   /* standard deviation of lens; > 0 */
    int32_t status;          /* endo_pair_status */
    int32_t landmarks;       /* landmarks whose template lies in the field and has texture */
    int32_t found;           /* landmarks that reached cthresh */
    int32_t used;            /* landmarks, found or added by the guarantee, that lie within uthresh of the fitted matrix;
                                where the guarantee asks for more, as many as it asks for, the nearest */
    int32_t computed, reused; /* coefficients, all landmarks together ([S] Tables 3.4, 3.5) */
    int32_t flow_pixels;     /* endo_flow_result.pixels of the flow that the first attempt started from; 0: none */
    int32_t rounds;          /* rounds of selection and fit, until the fit selects the landmarks that it was made from;
                                ENDO_PAIR_ROUNDS: perhaps never (landmarks on a line); 0: nothing to fit */
} endo_pair_result;

ENDO_API void endo_pairs_options_init(endo_pairs_options *options);
static inline endo_pairs_options endo_pairs_options_default(void) {
    endo_pairs_options options;
    endo_pairs_options_init(&options);
    return options;
}

/* The default template side (endo_pairs_options.template_side = 0) at a frame width, px. */
ENDO_API int endo_pairs_template_side(int width);

/* Registers every pair of a chunk in one call, [S] section 2.5, steps 1 to 8. n results. Errors: ARGUMENT (an option out of
 * range; a slot without a frame; a flow that the store cannot be asked for), UNSUPPORTED (homographies with the method PAPER),
 * MEMORY, DEVICE, CANCELLED. */
ENDO_API ENDO_NODISCARD endo_status endo_pairs_register(endo_frames *frames, const endo_pair *pairs, size_t n,
                                                        const endo_pairs_options *options,
                                                        endo_pair_result *results);

/* Registers pairs whose transforms are roughly known: the searches of pair i start from starts[i] (current -> reference, px;
 * from no motion where it cannot be inverted), and options->initial is ignored; a pair that is not OK is searched once more
 * from no motion. n starts. Errors: as endo_pairs_register; ARGUMENT also for a start without a class, UNSUPPORTED also for a
 * start that is a homography where the class asked for is another. */
ENDO_API ENDO_NODISCARD endo_status endo_pairs_register_from(endo_frames *frames, const endo_pair *pairs,
                                                             const endo_transform *starts, size_t n,
                                                             const endo_pairs_options *options,
                                                             endo_pair_result *results);

/* One landmark of a pair: a motion vector and its use in the pair's fit. The transform takes its position in the current frame
 * to its position in the reference. */
typedef struct endo_landmark {
    double reference_x, reference_y; /* centre of its template, px */
    double current_x, current_y;     /* position that the search found, px */
    double coefficient;              /* coefficient at the whole-pixel position, -1..1 */
    double weight;                   /* weight in the last fit: 1 if used, else 0 */
    int32_t accepted;                /* 1: it reached cthresh, or the guarantee added it; else 0 */
    int32_t used;                    /* 1: it is one of endo_pair_result.used; else 0 */
} endo_landmark;

/* Registers pairs like endo_pairs_register, with the same results, and also returns the landmarks of every pair, for a fit over
 * many pairs: those whose search converged in the current frame, row by row from the top left, of the attempt that gave the
 * result. Pair i has counts[i] of them (0..k) at landmarks[i * k], k = options->landmarks^2; the rest of the k are zeros.
 * landmarks: n * k, counts: n elements. Errors: as endo_pairs_register. */
ENDO_API ENDO_NODISCARD endo_status endo_pairs_register_landmarks(endo_frames *frames, const endo_pair *pairs, size_t n,
                                                                  const endo_pairs_options *options,
                                                                  endo_pair_result *results, endo_landmark *landmarks,
                                                                  int32_t *counts);

/* ------------------------------------------------------------------ layers */

/* Cells of a frame at most: 16 along each side. */
#define ENDO_LAYER_CELLS 256

/* What moves apart from one another in a pair: an instrument before tissue, say. */
typedef struct endo_pair_layers {
    int32_t count;           /* motions: 1, or 2 where a second one explains what the first does not */
    int32_t columns, rows;   /* cells that divide the reference evenly; 0 where nothing was registered */
    uint8_t cells[ENDO_LAYER_CELLS]; /* row by row: 1: what is seen there moves as the pair's transform says; 2: as `second`
                                        does; 0: not known, or what both explain */
    endo_pair_result second; /* transform, deviation and status of the second motion alone; count 2 */
} endo_pair_layers;

/* Whether pairs that were registered with ENDO_METHOD_BEST show two motions. Where they do, both are refined once more, each
 * on what moves with it alone: results[i] (in and out) is the one that was registered, layers[i].second the other. Nothing says
 * yet which of them is the scene. options: those that the pairs were registered with. n results and layers. Errors: as
 * endo_pairs_register. */
ENDO_API ENDO_NODISCARD endo_status endo_pairs_separate(endo_frames *frames, const endo_pair *pairs, size_t n,
                                                        const endo_pairs_options *options, endo_pair_result *results,
                                                        endo_pair_layers *layers);

/* Pairs of which it is known where a motion is seen: each is refined from starts[i] (current -> reference, px, a similarity at
 * the most) on the cells of layers[i] that are 2 alone. results[i]: on entry what is known of the pair (its counts stay), then
 * transform, deviation and status of that motion; JUMP: there is none. Errors: as endo_pairs_register. */
ENDO_API ENDO_NODISCARD endo_status endo_pairs_register_layer(endo_frames *frames, const endo_pair *pairs,
                                                              const endo_transform *starts, const endo_pair_layers *layers,
                                                              size_t n, const endo_pairs_options *options,
                                                              endo_pair_result *results);

/* Whether the scene of pairs repeats itself, as a grid or a weave does, so that a pair could as well lie a period away. repeats[i]
 * is 1 where the reference resembles itself shifted by 4 to 56 px; results[i] (in and out) is then the best of the pair and of
 * its rivals at such shifts, OK only where it explains clearly more of the pixels than every other one. It takes several times
 * as long as the registration of a pair. n results and answers. Errors: as endo_pairs_separate. */
ENDO_API ENDO_NODISCARD endo_status endo_pairs_try_rivals(endo_frames *frames, const endo_pair *pairs, size_t n,
                                                          const endo_pairs_options *options, endo_pair_result *results,
                                                          int32_t *repeats);

/* ----------------------------------------------------------------- patches */

/* Patches of a pair at most. */
#define ENDO_PATCH_PLACES 256

/* Where the current frame shows a patch of the reference. */
typedef struct endo_patch_place {
    float x, y;                 /* the patch's middle, px of the reference */
    float current_x, current_y; /* what is seen there, px of the current frame */
    float deviation;            /* standard deviation of that, px */
} endo_patch_place;

/* Finds where patches of the reference lie in frame `current`, each by itself, from where transforms[i] (current -> reference)
 * takes it, at most some 1 % of the longer side away. Patches that are off the field, on highlights, without texture or with
 * another content are left out. Pair i has counts[i] (0..ENDO_PATCH_PLACES) of them from places[i * ENDO_PATCH_PLACES] on.
 * Errors: ARGUMENT (as endo_quality_measure), MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_pairs_locate(endo_frames *frames, const endo_pair *pairs,
                                                      const endo_transform *transforms, size_t n, endo_patch_place *places,
                                                      int32_t *counts);

/* ----------------------------------------------------------------- quality */

/* Measures the quality of [S] section 3.3.1: frame `current` is warped onto `reference` by transforms[i]
 * (current -> reference), the bounding box of the overlap is divided into 5 x 5 templates, and
 * the mean of their coefficients is taken. A template counts if at least half of its pixels are in
 * both fields and both sides have variance. quality[i]: -1..1, NaN if no template counts, or if the
 * transform cannot be inverted. A homography is replaced by the affine map nearest to it over the frame, where they differ by
 * at most half a pixel. Else each template is assembled from squares of up to 32 px, each compared by the affine map nearest at
 * its middle, on smoothed values ((1 2 1) / 4 along and down), which noise lowers less, without highlights; the box is then
 * known to 4 px, and an overlap narrower than 40 px is undefined. Errors: ARGUMENT (a slot without a frame; a
 * transform whose last row is not of its class; a homography whose denominator is not above 0 over the whole frame
 * `current`), MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_quality_measure(endo_frames *frames, const endo_pair *pairs,
                                                         const endo_transform *transforms, size_t n,
                                                         double *quality);

/* --------------------------------------------------------------- agreement */

/* Side of a tile, px. */
#define ENDO_AGREEMENT_TILE 32

typedef struct endo_agreement {
    int32_t tiles;     /* tiles of the reference that both frames show */
    int32_t differing; /* tiles in which they differ */
} endo_agreement;

/* Compares two frames tile by tile: some tiles of a torn, combed, noisy or partly blank frame differ from the frames around
 * it. Frame `current` is warped onto `reference` by transforms[i] (current -> reference), the reference is divided into tiles
 * from its top left, and every fourth row of pixels is compared. A tile counts if 128 of its pixels (half of those that are
 * compared in a whole tile) are in both fields. It differs if
 *   - one of the frames has contrast there (a standard deviation of 8 grey levels), and the coefficient of the two is
 *     below 0.5: a change of brightness alone is no difference. Where both have noise its variance is subtracted from
 *     theirs before, up to three quarters of each, and the covariance must be too low by 1.5 of its standard deviations; or
 *   - only one of the frames is combed there: its rows alternate as if every other row were of another time.
 * A homography is replaced by an affine map as in endo_quality_measure; where none is near enough, all rows of smoothed values
 * are compared, half of the pixels of a tile must count, tiles that the frame cuts are taken whole at its edge, and combs are
 * not detected. agreement[i]: zeros if no tile counts, or if the transform cannot be inverted. Errors: as
 * endo_quality_measure. */
ENDO_API ENDO_NODISCARD endo_status endo_agreement_measure(endo_frames *frames, const endo_pair *pairs,
                                                           const endo_transform *transforms, size_t n,
                                                           endo_agreement *agreement);

#ifdef __cplusplus
}
#endif
#endif
