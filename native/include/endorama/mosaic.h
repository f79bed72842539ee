/* The panorama of a whole sequence: from frames to poses, and from these to pictures, in one object.
 *
 * A mosaic is made in three stages: *register* (frames -> edges of a pose graph), *solve* (edges -> one pose and one
 * standard deviation a frame) and *paint* (frames and poses -> panoramas). endo_mosaic_run does all of them. Frames are
 * numbered from 0 (for people from 1, or as the source says), connected components of the pose graph (each becomes a
 * panorama) from 1, the largest first; 0 is none. */
#ifndef ENDORAMA_MOSAIC_H
#define ENDORAMA_MOSAIC_H

#include "blend.h"
#include "canvas.h"
#include "light.h"
#include "registration.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- the sequence */

/* Size of the buffer for the reason why a frame cannot be read, bytes with the 0 at the end. */
#define ENDO_REASON_SIZE 512

/* A sequence of frames of one size and type that can be asked for any of its frames, again and again: most of them two
 * to four times. The source is asked by one thread at a time, which need not be the one that called. */
typedef struct endo_mosaic_source {
    int32_t frames;        /* number of frames, 2..10000000; 1.. for endo_mosaic_paint */
    int32_t width, height; /* px, 1..32767 */
    endo_pixel type;
    /* Returns a frame's pixels, width*height of them, dense, which stay as they are until they are given back. Several frames
     * are lent at a time, also the same one more than once. NULL: the frame cannot be read and is left out; `reason`
     * (ENDO_REASON_SIZE bytes, UTF-8, "" on entry) may say why. */
    const void *(*lend)(void *user, int32_t frame, char *reason);
    /* Takes pixels back. NULL: pixels stay as they are until the call that asked for them ends. */
    void (*give_back)(void *user, int32_t frame, const void *pixels);
    /* Returns the name of a frame for messages, UTF-8, which is copied; NULL or "": it has none. NULL: no frame has one. */
    const char *(*name)(void *user, int32_t frame);
    /* Returns the number of a frame in the sequence that the frames were chosen from, for messages and records; it grows from
     * frame to frame. Asked once for each frame when a run begins. NULL: frames are numbered 1, 2, 3 ... */
    int32_t (*number)(void *user, int32_t frame);
    void *user;
    /* For pixels that may move while they are lent, as in the heap of a virtual machine: lend then returns a handle, and the
     * pixels stay in place from hold until let_go, between which the thread asks nothing else of the source and waits for
     * nobody. Several threads hold frames at once. hold returns NULL where memory is short. hold NULL: lend returns pixels. */
    const void *(*hold)(void *user, const void *lent);
    void (*let_go)(void *user, const void *lent, const void *pixels);
    int32_t at_hand;  /* 1: lending a frame takes no longer than copying it, so that no copies are kept for later */
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

/* Instruments, hands, and whatever else moves before the scene. */
typedef enum endo_mosaic_instruments {
    ENDO_MOSAIC_LEAVE_OUT = 0, /* they are painted only where no frame shows the scene */
    ENDO_MOSAIC_KEEP = 1       /* they are painted as the scene is */
} endo_mosaic_instruments;

/* Scenes in depth, whose near and far parts move apart. */
typedef enum endo_mosaic_relief {
    ENDO_MOSAIC_RELIEF_AUTO = 0, /* frames are displaced smoothly so that they agree, where held-out pairs show that it helps */
    ENDO_MOSAIC_RELIEF_NONE = 1  /* frames are painted as their poses say */
} endo_mosaic_relief;

typedef enum endo_mosaic_extra {
    ENDO_MOSAIC_COVERAGE = 1,   /* how many frames reach each pixel */
    ENDO_MOSAIC_UNCERTAINTY = 2 /* standard deviation of the position of each pixel */
} endo_mosaic_extra;

/* endo_mosaic_options.lens (a NaN): where the pairs of the chained frames are sure of a lens, and not of a scene that is hollow,
 * it is taken out, and the frames are registered again; up to twice. endo_mosaic_lens says what it was. */
#define ENDO_MOSAIC_LENS_AUTO NAN

typedef struct endo_mosaic_options {
    endo_context_options context; /* the back end. ENDO_BACKEND_AUTO takes the faster for the job, and goes on with the CPU
                                     where a device fails */
    endo_pairs_options pairs;     /* default here: ENDO_INITIAL_FLOW, ENDO_METHOD_BEST, ENDO_TRANSFORM_AUTO: the simplest class
                                     that explains a pair, and homographies where all pairs together see a tilted plane */
    endo_mosaic_field field;      /* which pixels of a frame show the scene; default AUTO */
    const uint8_t *mask;          /* ENDO_MOSAIC_FIELD_MASK: width*height bytes, 0 = outside; default NULL. Borrowed until a run
                                     begins, which knows the size and copies it */
    int32_t pattern;              /* 1 (default): the fixed pattern of the sensor is found, and taken out for matching */
    int32_t iir;                  /* as endo_frames_options; default 4 */
    int32_t highlights;           /* 1: specular pixels are ignored in matching; default 0 */
    int32_t enhance;              /* 1: matching works on equalized frames (window 127 px, limit 2); default 0 */
    int32_t solve;                /* 1 (default): frames are also registered with others that show the same, and the poses
                                     follow from all edges; 0: each follows from the frame before it alone */
    double lens;                  /* distortion of the lens that is taken out of frames, percent at half of their longer
                                     side, -40..40 (below 0: a barrel); 0: none; default ENDO_MOSAIC_LENS_AUTO */
    endo_mosaic_painting painting; /* default ENDO_MOSAIC_BLEND */
    int32_t picture;              /* 1 (default); 0: poses alone are wanted */
    endo_mosaic_instruments instruments; /* default ENDO_MOSAIC_LEAVE_OUT (BLEND only) */
    endo_mosaic_relief relief;    /* default ENDO_MOSAIC_RELIEF_AUTO (BLEND only) */
    int32_t light;                /* 1 (default): vignetting and flicker are found and taken out (BLEND only) */
    endo_interpolation interpolation; /* default ENDO_INTERPOLATION_CUBIC (BLEND only) */
    double scale;                 /* pixels of the panorama along one of the first frame, 0.25..4; default 1 (BLEND only) */
    int32_t extras;               /* sum of endo_mosaic_extra; default 0 (BLEND only) */
    int32_t rim;                  /* as endo_frames_options; default 8 */
    int64_t max_canvas;           /* largest panorama, pixels, 1..4e9; default 1e9 */
    int64_t memory;               /* bytes of host memory for frames that are kept and for panoramas, 2^20..; default 2^30.
                                     Frames beyond it are read again, panoramas are written to `scratch` */
    const char *scratch;          /* folder for panoramas, and frames that were put, beyond `memory`; emptied at the end. The
                                     name is copied; NULL (default): none, and `memory` is a limit */
} endo_mosaic_options;

ENDO_API void endo_mosaic_options_init(endo_mosaic_options *options);
static inline endo_mosaic_options endo_mosaic_options_default(void) {
    endo_mosaic_options options;
    endo_mosaic_options_init(&options);
    return options;
}

/* ------------------------------------------------------------------ results of a run */

typedef enum endo_frame_status {
    ENDO_FRAME_OK = 0,            /* registered */
    ENDO_FRAME_FEW_LANDMARKS = 1, /* fewer landmarks than the guarantee asks for; registered if the quality is good enough */
    ENDO_FRAME_NO_TEXTURE = 2,    /* too little texture to register */
    ENDO_FRAME_JUMP = 3,          /* another scene, or a motion beyond the search */
    ENDO_FRAME_SKIPPED = 4,       /* unreadable */
    ENDO_FRAME_OUTLIER = 5,       /* the frames around it agree with one another, and some of its tiles with none of them */
    ENDO_FRAME_OBLIQUE = 6,       /* registered, but so far tilted in the plane of the first frame that it cannot be painted */
    ENDO_FRAME_DOUBTFUL = 7,      /* registered, but nothing sure ties it to most frames of its component: it may lie elsewhere.
                                     Set by the second stage, as OK is, in the place of FEW_LANDMARKS */
    ENDO_FRAME_NOT_PLACED = 8     /* registered, but the second stage was given none of its edges: it is not painted */
} endo_frame_status;

/* The result of one frame. */
typedef struct endo_mosaic_frame {
    endo_transform pose;    /* frame -> first frame of its component, px; predicted where it could not be registered */
    endo_transform chained; /* the pose along the chain of neighbours, before the graph was solved */
    double deviation;       /* standard deviation of the pose, px of the first frame, root mean square over the frame; NaN:
                               not known */
    double dx, dy;          /* motion of its middle against the reference, px of the reference */
    double coefficient;     /* mean of the landmarks used; NaN if none */
    double quality;         /* the 5 x 5 measure against the reference; NaN if undefined */
    double milliseconds;    /* time of its registration */
    int32_t reference;      /* the frame that it was registered against; itself for the first of a chain; -1: none */
    int32_t status;         /* endo_frame_status */
    int32_t registered;     /* 1: the pose is an estimate, and the frame belongs to a panorama; 0: a prediction */
    int32_t component;      /* 1..; 0: none */
    int32_t doubtful;       /* 1: no edges that are not doubtful, with deviations up to 1 px, tie it to most frames of its
                               component; it is painted under the others */
    int32_t key_frame;      /* 1: others were registered against it */
    int32_t chain;          /* number of the chain of neighbours that it joined, from 0 */
    int32_t order;          /* order of painting one over the other, the least first; 0: not painted */
    int32_t landmarks, found, used; /* landmarks with texture; those that reached cthresh; those of the last fit */
    int32_t computed, reused;       /* coefficients */
    int32_t backend;        /* the back end that registered it: endo_backend, CPU or CUDA; 0: none */
    int32_t solved;         /* 1: `chained` and `component` are set */
    int32_t number;         /* the source's number of the frame, for messages; 0: its place, from 1 */
    int32_t hidden_columns, hidden_rows; /* cells over all of the frame, row by row; 0: nothing moves before the scene */
    uint8_t hidden[ENDO_MOST_HIDDEN]; /* as endo_frames_hide: ENDO_HIDDEN: what is seen there moves before the scene */
} endo_mosaic_frame;

/* An edge of the pose graph: how one frame lies in another, as it was registered, or as a person says. */
typedef struct endo_mosaic_edge {
    endo_transform transform;     /* current -> reference, px */
    double deviation;             /* standard deviation, px, of where the transform takes a point of the frame; > 0 */
    double perspective[2];        /* as endo_pair_result */
    double perspective_deviation; /* 1/px; 0: perspective is not known */
    double lens, lens_deviation;  /* as endo_pair_result; deviation 0: the lens is not known */
    int32_t reference, current;   /* frames */
    int32_t doubtful;             /* 1: too few landmarks fitted to rely on it; 2: another transform explains the frames as
                                     well, or another part of them: it may be far off */
    int32_t by_hand;              /* 1: a person says so: the edge is sure, its deviation is taken as it is, and it may join a
                                     frame that could not be registered */
} endo_mosaic_edge;

/* The panorama of one component. */
typedef struct endo_mosaic_panorama {
    int32_t width, height; /* px; 0: nothing is painted */
    int32_t frames;        /* number of frames in the component */
    int32_t type;          /* endo_pixel, that of the frames */
    double origin_x, origin_y; /* where the first frame's pixel (0, 0) lies, px of the panorama */
    double scale;          /* pixels along one of the first frame */
    int32_t extras;        /* sum of endo_mosaic_extra: the pictures that belong to it */
    int32_t reserved;      /* 0 */
} endo_mosaic_panorama;

/* -------------------------------------------------------------------- events */

typedef enum endo_event_level {
    ENDO_EVENT_NOTE = 0,    /* a usual choice or finding */
    ENDO_EVENT_LOG = 1,     /* progress in detail */
    ENDO_EVENT_LOST = 2,    /* the result will be without some of the frames */
    ENDO_EVENT_WARNING = 3  /* the result as a whole is wrong; the text says what helps */
} endo_event_level;

typedef enum endo_event_kind {
    ENDO_EVENT_OTHER = 0,
    ENDO_EVENT_BACKEND = 1,     /* the back end and why it was chosen; a device that failed */
    ENDO_EVENT_MEMORY = 2,      /* memory ran out, and the run goes on with less */
    ENDO_EVENT_UNREADABLE = 3,  /* frames that could not be read */
    ENDO_EVENT_LEFT_OUT = 4,    /* frames that were not registered */
    ENDO_EVENT_CHAIN_END = 5,   /* the scope was lost after a frame */
    ENDO_EVENT_FOUND = 6,       /* the scope was found again, beside another frame */
    ENDO_EVENT_REJECTED = 7,    /* a frame may lie beside another one, but does not show the same */
    ENDO_EVENT_FIELD = 8,       /* the field of view; a fixed pattern; interlaced frames */
    ENDO_EVENT_LIGHT = 9,       /* the light of the scope */
    ENDO_EVENT_LENS = 10,       /* frames show the distortion of a lens */
    ENDO_EVENT_PERSPECTIVE = 11, /* a tilted plane */
    ENDO_EVENT_SHAPE = 12,      /* errors have added up: the panorama shrinks, grows or shears; a tear */
    ENDO_EVENT_FULL = 13,       /* the panorama has reached its largest size */
    ENDO_EVENT_UNFINISHED = 14, /* a stage was not finished */
    ENDO_EVENT_LAYERS = 15,     /* something moves before the scene */
    ENDO_EVENT_RELIEF = 16      /* a scene in depth */
} endo_event_kind;

typedef struct endo_event {
    int32_t level;        /* endo_event_level */
    int32_t kind;         /* endo_event_kind */
    int32_t first, last;  /* range of the frames concerned; -1: none */
    const char *text;     /* one line, UTF-8, frames by their numbers; valid for the call */
} endo_event;

/* Functions that a run calls, on the thread that called the library. Each may be NULL. */
typedef struct endo_mosaic_hooks {
    void (*event)(void *user, const endo_event *event);
    void (*progress)(void *user, double share); /* share of the call that is done, 0..1; never decreases */
    int (*cancelled)(void *user); /* non-zero, from then on: stop and keep what there is. Asked at least every 200 ms (frames
                                     of 8 megapixels on a single thread: every half a second); must not call the library with
                                     this mosaic */
    void (*painted)(void *user, int32_t canvas); /* more frames were painted on a canvas: endo_mosaic_snapshot may be called */
    void *user;
} endo_mosaic_hooks;

typedef struct endo_mosaic endo_mosaic;

/* ---------------------------------------------------------------------- runs */

/* Creates a mosaic. options: NULL = the defaults. hooks: copied; may be NULL. The back end starts with the first run. Errors:
 * ARGUMENT (an option out of range: the message has its name, its value and what is allowed; a program that was compiled with
 * other headers: its ENDO_ABI is compared), MEMORY. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_create_abi(const endo_mosaic_options *options, const endo_mosaic_hooks *hooks,
                                                           int abi, endo_mosaic **out);
ENDO_NODISCARD static inline endo_status endo_mosaic_create(const endo_mosaic_options *options, const endo_mosaic_hooks *hooks,
                                                            endo_mosaic **out) {
    return endo_mosaic_create_abi(options, hooks, ENDO_ABI, out);
}
ENDO_API void endo_mosaic_destroy(endo_mosaic **mosaic);

/* Runs all three stages over a sequence; once in the life of a mosaic. OK if everything was done; CANCELLED if the hook asked
 * for an end. In any case the results so far can be read. Errors: ARGUMENT (a sequence of fewer than 2 frames, a template
 * larger than the field of view ...: nothing is done), MEMORY, DEVICE, UNSUPPORTED, CANCELLED. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_run(endo_mosaic *mosaic, const endo_mosaic_source *source);

/* Adds a frame, instead of a source: width*height pixels of the type, stride apart; the first one sets size and type of all.
 * The frame is copied into memory as far as `memory` allows, else into `scratch`. Errors: ARGUMENT (another size or type than
 * the first one; a mosaic that has run), MEMORY (`memory` is used up, and there is no scratch folder). */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_put(endo_mosaic *mosaic, const void *pixels, endo_pixel type, int width,
                                                    int height, ptrdiff_t stride);
/* Runs all three stages over the frames that were put. Errors: as endo_mosaic_run. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_finish(endo_mosaic *mosaic);

/* --------------------------------------------------------------- one stage */

/* Runs the first stage alone: endo_mosaic_frames and endo_mosaic_edges then have the input of endo_mosaic_solve. Errors: as
 * endo_mosaic_run. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_register(endo_mosaic *mosaic, const endo_mosaic_source *source);

/* The records of a sequence: endo_mosaic_register leaves them, endo_mosaic_solve takes them. */
typedef struct endo_mosaic_records {
    int width, height;             /* of a frame, px, 1..32767 */
    double field_spread;           /* endo_mosaic_field_spread, px, 0..65534 */
    endo_mosaic_frame *frames;     /* n_frames of them; in: as register left them; out: solved */
    int32_t n_frames;              /* 1..10000000 */
    const endo_mosaic_edge *edges; /* n_edges of them; NULL only if there are none */
    int32_t n_edges;               /* 0 or more */
} endo_mosaic_records;

/* Runs the second stage alone: poses and deviations of frames, from edges. No source and no device are needed. What the edges
 * do not say does not count: edges may be left out, which parts frames that nothing else ties, and frames without any become
 * NOT_PLACED, with an event; edges by hand may be added. Errors:
 * ARGUMENT (an invalid frame or edge), MEMORY, UNSUPPORTED (a pose that is a homography, where no edge is one), CANCELLED;
 * frames are then as they were. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_solve(endo_mosaic *mosaic, const endo_mosaic_records *records);

/* Runs the last stage alone: paints the frames that are registered (`n` records, as many as the source has frames), each in its
 * pose into the panorama of its component. Where frames are painted one over the other, a cancel keeps those painted so far.
 * Errors: as endo_mosaic_run. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_paint(endo_mosaic *mosaic, const endo_mosaic_source *source,
                                                      const endo_mosaic_frame *frames, int32_t n);

/* ------------------------------------------------------------------- results */

/* The frames that the run has reached, or that endo_mosaic_solve solved; valid until the mosaic is destroyed, or solves. n may
 * be NULL. */
ENDO_API const endo_mosaic_frame *endo_mosaic_frames(const endo_mosaic *mosaic, int32_t *n);

/* The edges that were accepted; valid until the mosaic is destroyed. n may be NULL. */
ENDO_API const endo_mosaic_edge *endo_mosaic_edges(const endo_mosaic *mosaic, int32_t *n);

/* Number of connected components; 0 before a run. */
ENDO_API int32_t endo_mosaic_components(const endo_mosaic *mosaic);

/* Describes a panorama. component: 1..endo_mosaic_components, or 0: the last snapshot. Errors: ARGUMENT. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_describe(const endo_mosaic *mosaic, int32_t component,
                                                         endo_mosaic_panorama *panorama);

/* Copies a canvas as it is, in time proportional to its area; to be called within the hook `painted` alone. The copy can be
 * read as component 0 until the next snapshot or the end of the run. Errors: ARGUMENT (outside of the hook), MEMORY, DEVICE. */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_snapshot(endo_mosaic *mosaic, int32_t canvas);

/* Reads a rectangle of a panorama; component as in endo_mosaic_describe. Each of the planes may be NULL. Errors:
 * ARGUMENT (a rectangle that does not lie in the panorama; an extra that was not asked for), MEMORY (the scratch folder cannot
 * be read any more). */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_read(const endo_mosaic *mosaic, int32_t component,
                                                     const endo_rectangle *rectangle, const endo_panorama_planes *planes);

/* Descriptions of the back end, the field of view and the light, for people; "" where there is none. Valid until the mosaic is
 * destroyed. */
ENDO_API const char *endo_mosaic_backend(const endo_mosaic *mosaic);
ENDO_API const char *endo_mosaic_field_description(const endo_mosaic *mosaic);
ENDO_API const char *endo_mosaic_light_description(const endo_mosaic *mosaic);

/* Distortion of the lens that was taken out of the frames, percent; 0: none. Poses are those of frames without it. */
ENDO_API double endo_mosaic_lens(const endo_mosaic *mosaic);

/* How far the panoramas of a run can be used. */
typedef enum endo_mosaic_grade {
    ENDO_MOSAIC_GOOD = 0,  /* every frame is in one panorama, its position is sure and was checked, and nothing is warned of */
    ENDO_MOSAIC_LOOK = 1,  /* usable, but something has to be looked at before */
    ENDO_MOSAIC_BROKEN = 2 /* the run failed, less than half of the frames are surely in a panorama, or the largest panorama
                              holds less than a quarter of them */
} endo_mosaic_grade;

#define ENDO_VERDICT_WORDS 800 /* size of a text of a verdict, bytes with the 0 at the end */
#define ENDO_VERDICT_ADVICE 3  /* most pieces of advice */

/* A verdict for somebody who has to decide whether to use a panorama. Texts are UTF-8, and number frames from 1. */
typedef struct endo_mosaic_verdict {
    int32_t grade;                 /* endo_mosaic_grade */
    int32_t n_advice;              /* 0..ENDO_VERDICT_ADVICE */
    char word[16];                 /* the grade: "good", "look at these" or "broken" */
    char why[ENDO_VERDICT_WORDS];  /* "4 of 40 frames (frames 10-13) are missing" */
    char next[ENDO_VERDICT_WORDS]; /* what to do first; "": nothing */
    char advice[ENDO_VERDICT_ADVICE][ENDO_VERDICT_WORDS]; /* options and changes that placed more frames of such sequences,
                                                             sentences, the most helpful first */
} endo_mosaic_verdict;

/* Judges what endo_mosaic_run, _finish, _solve or _paint made, also where it failed or was cancelled. warned: number of
 * warnings that earlier stages gave and this mosaic did not repeat, 0 or more; 0 after a whole run. Errors: ARGUMENT (warned; a
 * mosaic without poses: it has not run, or has registered alone). */
ENDO_API ENDO_NODISCARD endo_status endo_mosaic_judge(const endo_mosaic *mosaic, int32_t warned, endo_mosaic_verdict *verdict);

/* The light of the scope that was taken out; NULL: none was, or not before the run ended. */
ENDO_API const endo_light_report *endo_mosaic_light(const endo_mosaic *mosaic);

/* Time of a run by activity, s. Work of a device counts where the run waits for it. */
typedef struct endo_mosaic_times {
    double start;    /* starting the back end */
    double field;    /* finding the field of view and the fixed pattern */
    double read;     /* asking the source for frames */
    double put;      /* copying frames into the store */
    double pairs;    /* registering pairs along the chains */
    double loops;    /* registering pairs beyond the chains, and solving for poses; without reading and putting */
    double light;    /* waiting for the measurement of light and sharpness, and solving for the light */
    double paint;    /* painting and blending */
    double panorama; /* taking over the finished panoramas */
} endo_mosaic_times;

/* The times of the last run; all 0 before it. */
ENDO_API endo_mosaic_times endo_mosaic_spent(const endo_mosaic *mosaic);

/* The field of view: width*height bytes, 0 = outside; NULL: every pixel. Its spread is the root mean square distance of its
 * pixels from the middle of the frame, px. */
ENDO_API const uint8_t *endo_mosaic_field_mask(const endo_mosaic *mosaic);
ENDO_API double endo_mosaic_field_spread(const endo_mosaic *mosaic);

#ifdef __cplusplus
}
#endif
#endif
