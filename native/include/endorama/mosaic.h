/* The panorama of a whole sequence: from frames to poses, and from these to pictures, in one object.
 *
 * A mosaic is made in three stages: *register* (frames -> edges of a pose graph), *solve* (edges -> one pose and one
 * standard deviation a frame) and *paint* (frames and poses -> panoramas). endo_mosaic_run does all of them. Frames are
 * numbered from 0, connected components (panoramas of their own: parts of the sequence that no edge ties together) from
 * 1, the largest first; 0 is none. */
#ifndef ENDORAMA_MOSAIC_H
#define ENDORAMA_MOSAIC_H

#include "blend.h"
#include "canvas.h"
#include "light.h"
#include "registration.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- the sequence */

/* Room for the words of a source that says why a frame cannot be read, bytes with the 0 at the end. */
#define ENDO_REASON_SIZE 512

/* A sequence of frames of one size and type that can be asked for any of its frames, again and again: most of them two
 * to four times. It is asked by one thread at a time, which need not be the one that called. */
typedef struct endo_mosaic_source {
    int32_t frames;        /* how many, 2..10000000; 1.. for endo_mosaic_paint */
    int32_t width, height; /* px, 1..32767 */
    endo_pixel type;
    /* A frame's pixels, width*height of them, dense; they stay as they are until they are given back. Several frames are
     * lent at a time, the same one more than once, too. NULL: it cannot be read, and `reason` (ENDO_REASON_SIZE bytes, UTF-8,
     * "" on entry) may say why: the frame is left out, and named. */
    const void *(*lend)(void *user, int32_t frame, char *reason);
    /* NULL: pixels stay as they are until the call that asked for them ends. */
    void (*give_back)(void *user, int32_t frame, const void *pixels);
    /* Name of a frame, for messages, UTF-8; NULL or "": it has none. It is copied. NULL: no frame has one. */
    const char *(*name)(void *user, int32_t frame);
    void *user;
    /* Where pixels move about while they are lent, as in the heap of a virtual machine: what lend returns is then a name for
     * them. They stay in place from hold until let_go, in which time that thread asks nothing else of the source and waits for
     * nobody. Several threads hold frames at once; NULL from hold: there is no memory for it. hold NULL: what was lent are the
     * pixels. */
    const void *(*hold)(void *user, const void *lent);
    void (*let_go)(void *user, const void *lent, const void *pixels);
    int32_t at_hand;  /* 1: lending a frame takes no longer than copying it, so that none is kept to be asked for again */
    int32_t reserved; /* 0 */
} endo_mosaic_source;

/* ------------------------------------------------------------------ options */

typedef enum endo_mosaic_field {
    ENDO_MOSAIC_FIELD_AUTO = 0, /* what endo_field_finder finds in 16 frames */
    ENDO_MOSAIC_FIELD_MASK = 1, /* endo_mosaic_options.mask */
    ENDO_MOSAIC_FIELD_WHOLE = 2 /* every pixel */
} endo_mosaic_field;

typedef enum endo_mosaic_painting {
    ENDO_MOSAIC_BLEND = 0, /* all frames together, without seams (blend.h) */
    ENDO_MOSAIC_RING = ENDO_PAINT_RING,
    ENDO_MOSAIC_UNION = ENDO_PAINT_UNION
} endo_mosaic_painting;

typedef enum endo_mosaic_extra {
    ENDO_MOSAIC_COVERAGE = 1,   /* how many frames reach each pixel */
    ENDO_MOSAIC_UNCERTAINTY = 2 /* how well the place of each pixel is known */
} endo_mosaic_extra;

typedef struct endo_mosaic_options {
    endo_context_options context; /* what computes. ENDO_BACKEND_AUTO takes the faster for the job, and goes on with the CPU
                                     where a device fails */
    endo_pairs_options pairs;     /* default here: ENDO_INITIAL_FLOW, ENDO_METHOD_BEST, ENDO_TRANSFORM_AUTO: the simplest class
                                     that explains a pair, and homographies where all pairs together see a tilted plane */
    endo_mosaic_field field;      /* which pixels of a frame show the scene; default AUTO */
    const uint8_t *mask;          /* ENDO_MOSAIC_FIELD_MASK: width*height bytes, 0 = outside. Copied; default NULL */
    int32_t pattern;              /* 1 (default): what stands still on the sensor is looked for, and taken out for matching */
    int32_t iir;                  /* as endo_frames_options; default 4 */
    int32_t highlights;           /* 1: specular pixels take no part in matching; default 0 */
    int32_t enhance;              /* 1: matching works on equalized frames (window 127 px, limit 2); default 0 */
    int32_t solve;                /* 1 (default): frames are also registered with others that show the same, and the poses
                                     follow from all edges; 0: each follows from the frame before it alone */
    double lens;                  /* distortion of the lens that is taken out of frames, percent at half of their longer
                                     side, -40..40 (below 0: a barrel); default 0: none */
    endo_mosaic_painting painting; /* default ENDO_MOSAIC_BLEND */
    int32_t picture;              /* 1 (default); 0: poses alone are wanted */
    int32_t light;                /* 1 (default): fall-off and flicker are found and taken out (BLEND only) */
    endo_interpolation interpolation; /* default ENDO_INTERPOLATION_CUBIC (BLEND only) */
    double scale;                 /* pixels of the panorama along one of the first frame, 0.25..4; default 1 (BLEND only) */
    int32_t extras;               /* sum of endo_mosaic_extra; default 0 (BLEND only) */
    int32_t rim;                  /* as endo_frames_options; default 8 */
    int64_t max_canvas;           /* largest panorama, pixels, 1..4e9; default 1e9 */
    int64_t memory;               /* bytes of host memory for frames that are kept and for panoramas, 2^20..; default 2^30.
                                     What does not fit is read again, or lies in `scratch` */
    const char *scratch;          /* folder for panoramas, and frames that were put, beyond `memory`; nothing is left there.
                                     Copied; NULL (default): there is none, and `memory` is a limit */
} endo_mosaic_options;

ENDO_API void endo_mosaic_options_init(endo_mosaic_options *options);
static inline endo_mosaic_options endo_mosaic_options_default(void) {
    endo_mosaic_options options;
    endo_mosaic_options_init(&options);
    return options;
}

/* ------------------------------------------------------------- what it made */

typedef enum endo_frame_status {
    ENDO_FRAME_OK = 0,            /* registered */
    ENDO_FRAME_FEW_LANDMARKS = 1, /* fewer landmarks than the guarantee asks for; registered if the quality is good enough */
    ENDO_FRAME_NO_TEXTURE = 2,    /* nothing to follow */
    ENDO_FRAME_JUMP = 3,          /* another scene, or a motion beyond the search */
    ENDO_FRAME_SKIPPED = 4,       /* unreadable */
    ENDO_FRAME_OUTLIER = 5,       /* the frames around it agree with one another, and a part of it with none of them */
    ENDO_FRAME_OBLIQUE = 6        /* registered, but so far tilted in the plane of the first frame that it cannot be painted */
} endo_frame_status;

/* What is known of one frame. */
typedef struct endo_mosaic_frame {
    endo_transform pose;    /* frame -> first frame of its component, px; predicted where it could not be registered */
    endo_transform chained; /* the same along the chain of neighbours, before the graph was solved */
    double deviation;       /* standard deviation of the pose, px of the first frame, root mean square over the frame; NaN:
                               not known */
    double dx, dy;          /* motion of its middle against the reference, px of the reference */
    double coefficient;     /* mean of the landmarks used; NaN if none */
    double quality;         /* the 5 x 5 measure against the reference; NaN if undefined */
    double milliseconds;    /* time of its registration */
    int32_t reference;      /* the frame that it was registered against; itself: the first of its chain; -1: none */
    int32_t status;         /* endo_frame_status */
    int32_t registered;     /* 1: the pose is an estimate, and the frame belongs to a panorama; 0: a prediction */
    int32_t component;      /* 1..; 0: none */
    int32_t doubtful;       /* 1: no edge says well where it lies; it is painted under the others */
    int32_t key_frame;      /* 1: others were registered against it */
    int32_t chain;          /* number of the chain of neighbours that it joined, from 0 */
    int32_t order;          /* where frames are painted one over the other: by this number, the least first; 0: never */
    int32_t landmarks, found, used; /* with texture; that reached cthresh; in the last fit */
    int32_t computed, reused;       /* coefficients */
    int32_t backend;        /* what registered it: endo_backend, CPU or CUDA; 0: nothing did */
    int32_t solved;         /* 1: `chained` and `component` are set */
} endo_mosaic_frame;

/* An edge of the pose graph: how one frame lies in another, as it was registered. */
typedef struct endo_mosaic_edge {
    endo_transform transform;     /* current -> reference, px */
    double deviation;             /* standard deviation, px, of where it takes a point of the frame; > 0 */
    double perspective[2];        /* as endo_pair_result */
    double perspective_deviation; /* 1/px; 0: nothing is said of perspective */
    double lens, lens_deviation;  /* as endo_pair_result; deviation 0: nothing is said of the lens */
    int32_t reference, current;   /* frames */
    int32_t doubtful;             /* 1: too few landmarks fitted to rely on it; 2: another transform explains the frames as
                                     well, or another part of them: it may be far off */
    int32_t reserved;             /* 0 */
} endo_mosaic_edge;

/* A panorama: what one component of the sequence shows. */
typedef struct endo_mosaic_panorama {
    int32_t width, height; /* px; 0: nothing is painted */
    int32_t frames;        /* in the component */
    int32_t type;          /* endo_pixel, that of the frames */
    double origin_x, origin_y; /* where the first frame's pixel (0, 0) lies, px of the panorama */
    double scale;          /* pixels along one of the first frame */
    int32_t extras;        /* sum of endo_mosaic_extra: the pictures that there are beside it */
    int32_t reserved;      /* 0 */
} endo_mosaic_panorama;

/* -------------------------------------------------------------------- events */

typedef enum endo_event_level {
    ENDO_EVENT_NOTE = 0,    /* what was found or chosen, as usual */
    ENDO_EVENT_LOG = 1,     /* what happened on the way */
    ENDO_EVENT_LOST = 2,    /* the result will be without some of the frames */
    ENDO_EVENT_WARNING = 3  /* what is wrong with the result as a whole, and what helps */
} endo_event_level;

typedef enum endo_event_kind {
    ENDO_EVENT_OTHER = 0,
    ENDO_EVENT_BACKEND = 1,     /* what computes, and why; a device that failed */
    ENDO_EVENT_MEMORY = 2,      /* memory ran out, and what goes on with less */
    ENDO_EVENT_UNREADABLE = 3,  /* frames that could not be read */
    ENDO_EVENT_LEFT_OUT = 4,    /* frames that were not registered */
    ENDO_EVENT_CHAIN_END = 5,   /* the scope was lost after a frame */
    ENDO_EVENT_FOUND = 6,       /* the scope was found again, beside another frame */
    ENDO_EVENT_REJECTED = 7,    /* a frame may lie beside another one, but does not show the same */
    ENDO_EVENT_FIELD = 8,       /* the field of view; what stands still on the sensor; interlaced frames */
    ENDO_EVENT_LIGHT = 9,       /* the light of the scope */
    ENDO_EVENT_LENS = 10,       /* frames are bent as through a lens */
    ENDO_EVENT_PERSPECTIVE = 11, /* a tilted plane */
    ENDO_EVENT_SHAPE = 12,      /* errors have added up: the panorama shrinks, grows or shears; a tear */
    ENDO_EVENT_FULL = 13,       /* no room for more of the panorama */
    ENDO_EVENT_UNFINISHED = 14, /* a stage was not done to its end */
    ENDO_EVENT_LAYERS = 15      /* something moves before the scene */
} endo_event_kind;

typedef struct endo_event {
    int32_t level;        /* endo_event_level */
    int32_t kind;         /* endo_event_kind */
    int32_t first, last;  /* frames that it is about; -1: none */
    const char *text;     /* one line, UTF-8, frames numbered from 1 as people do; valid for the call */
} endo_event;

/* All may be NULL. Called on the thread that called the library. */
typedef struct endo_mosaic_hooks {
    void (*event)(void *user, const endo_event *event);
    void (*progress)(void *user, double share); /* 0..1 of the call; never falls */
    int (*cancelled)(void *user); /* non-zero: stop and keep what there is. Asked at least every 200 ms; it must not call the
                                     library with this mosaic */
    void (*painted)(void *user, int32_t canvas); /* more frames were painted on a canvas: endo_mosaic_snapshot may be called */
    void *user;
} endo_mosaic_hooks;

typedef struct endo_mosaic endo_mosaic;

/* ---------------------------------------------------------------------- runs */

/* options: NULL = the defaults. hooks: copied; may be NULL. The back end starts with the first run. Errors: ARGUMENT (an
 * option out of range: the message has its name, its value and what is allowed; a program that was compiled with other
 * headers: its ENDO_ABI is compared), MEMORY. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_create_abi(const endo_mosaic_options *options, const endo_mosaic_hooks *hooks,
                                                           int abi, endo_mosaic **out);
ENDO_NODISCARD static inline endo_status endo_mosaic_create(const endo_mosaic_options *options, const endo_mosaic_hooks *hooks,
                                                            endo_mosaic **out) {
    return endo_mosaic_create_abi(options, hooks, ENDO_ABI, out);
}
ENDO_API void endo_mosaic_destroy(endo_mosaic **mosaic);

/* All three stages over a sequence. Once a mosaic. OK if everything was done; CANCELLED if the hook asked for an end; else
 * what went wrong. Whatever ended it: what was computed until then can be read. Errors: ARGUMENT (a sequence of fewer than
 * 2 frames, a template larger than the field of view ...: nothing is done), MEMORY, DEVICE, UNSUPPORTED, CANCELLED. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_run(endo_mosaic *mosaic, const endo_mosaic_source *source);

/* One frame more, in the place of a source: width*height pixels of the type, stride apart; the first one says what all are
 * like. It is copied: into memory as far as `memory` allows, else into `scratch`. Errors: ARGUMENT (another size or type than
 * the first one; a mosaic that has run), MEMORY (no room, and no scratch). */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_put(endo_mosaic *mosaic, const void *pixels, endo_pixel type, int width,
                                                    int height, ptrdiff_t stride);
/* A run over all frames that were put. Errors: as endo_mosaic_run. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_finish(endo_mosaic *mosaic);

/* --------------------------------------------------------------- one stage */

/* The first stage alone: endo_mosaic_frames and endo_mosaic_edges then have what solve takes. Errors: as endo_mosaic_run. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_register(endo_mosaic *mosaic, const endo_mosaic_source *source);

/* The second: poses and deviations of frames (in: as register left them; out: solved), from edges. field_spread: of
 * endo_mosaic_field_spread, px. Needs no frames and no device. Errors: ARGUMENT (a frame or an edge that is not whole), MEMORY,
 * UNSUPPORTED (a pose that is a homography, where no edge is one), CANCELLED; frames are then as they were. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_solve(endo_mosaic *mosaic, int width, int height, double field_spread,
                                                      endo_mosaic_frame *frames, int32_t n, const endo_mosaic_edge *edges,
                                                      int32_t n_edges);

/* The last: panoramas of frames in the poses that are given (`n` of them, as many as the source has): those that are registered,
 * each in that of its component. Where frames are painted one over the other, what was painted before a cancel is kept. Errors:
 * as endo_mosaic_run. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_paint(endo_mosaic *mosaic, const endo_mosaic_source *source,
                                                      const endo_mosaic_frame *frames, int32_t n);

/* ------------------------------------------------------------------- results */

/* One a frame, up to where the run came; valid until the mosaic is destroyed. n may be NULL. */
ENDO_API const endo_mosaic_frame *endo_mosaic_frames(const endo_mosaic *mosaic, int32_t *n);

/* Every edge that was accepted. */
ENDO_API const endo_mosaic_edge *endo_mosaic_edges(const endo_mosaic *mosaic, int32_t *n);

/* How many components there are; 0 before a run. */
ENDO_API int32_t endo_mosaic_components(const endo_mosaic *mosaic);

/* component: 1..endo_mosaic_components, or 0: the last snapshot. Errors: ARGUMENT. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_describe(const endo_mosaic *mosaic, int32_t component,
                                                         endo_mosaic_panorama *panorama);

/* Within the hook `painted` alone: the canvas as it is, which takes time in proportion to its area, becomes readable as the
 * component 0 until the next snapshot or the end of the run. Errors: ARGUMENT (outside of the hook), MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_snapshot(endo_mosaic *mosaic, int32_t canvas);

/* A rectangle of a panorama; what is NULL is not read. pixels: width*height of the sequence's type, dense, 0 where nothing is
 * painted; painted: as many bytes, 255 where painted; coverage: numbers of frames; uncertainty: in 1/100 px of the first frame,
 * 1..65534, 65535 where it is not known, 0 where nothing is painted. Errors: ARGUMENT (a rectangle that does not lie in the
 * panorama; an extra that was not asked for), MEMORY (it cannot be read from the scratch folder any more). */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_read(const endo_mosaic *mosaic, int32_t component, int x, int y, int width,
                                                     int height, void *pixels, uint8_t *painted, uint16_t *coverage,
                                                     uint16_t *uncertainty);

/* Bytes that describe what computed, the field of view and the light, for people; valid until the mosaic is destroyed. "" where
 * there is nothing to say. */
ENDO_API const char *endo_mosaic_backend(const endo_mosaic *mosaic);
ENDO_API const char *endo_mosaic_field_description(const endo_mosaic *mosaic);
ENDO_API const char *endo_mosaic_light_description(const endo_mosaic *mosaic);

/* The light of the scope as it was found and taken out; NULL: it stayed as it was, or was not found before the run ended. */
ENDO_API const endo_light_report *endo_mosaic_light(const endo_mosaic *mosaic);

/* Where the time of a run went, s. What a device does meanwhile counts where it is waited for. */
typedef struct endo_mosaic_times {
    double start;    /* starting the back end */
    double field;    /* finding the field of view, and what stands still on the sensor */
    double read;     /* asking the source for frames */
    double put;      /* copying them into the store */
    double pairs;    /* registering pairs along the chains */
    double loops;    /* registering pairs beyond them, and solving for poses; without reading and putting */
    double light;    /* waiting for what judges light and sharpness, and solving for the light */
    double paint;    /* painting and blending */
    double panorama; /* taking over the finished panoramas */
} endo_mosaic_times;
ENDO_API endo_mosaic_times endo_mosaic_spent(const endo_mosaic *mosaic);

/* The field of view: width*height bytes, 0 = outside; NULL: every pixel. And the root mean square distance of its pixels from
 * the middle of the frame, px. */
ENDO_API const uint8_t *endo_mosaic_field_mask(const endo_mosaic *mosaic);
ENDO_API double endo_mosaic_field_spread(const endo_mosaic *mosaic);

#ifdef __cplusplus
}
#endif
#endif
