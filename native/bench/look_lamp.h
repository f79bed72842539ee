/* Frames that a scope's lamp lights, rendered with truth: of a plane, whose fall-off is the sensor's alone, and of cavities,
 * in which the lamp moves with the camera and the scene's depth makes the shading. */
#ifndef ENDO_BENCH_LOOK_LAMP_H
#define ENDO_BENCH_LOOK_LAMP_H

#include "include/endorama.h"

typedef enum lamp_scene {
    LAMP_PLANE = 0,
    LAMP_BOWL = 1, /* the bottom of a hollow ball, which is nearest in the middle */
    LAMP_HILL = 2, /* a ball from outside */
    LAMP_TUBE = 3  /* along a tube, whose depth is dark */
} lamp_scene;

/* How a scope looks into a cavity; lengths in its radii. */
typedef struct lamp_view {
    double focal;           /* focal length in widths of the frame */
    double depth;           /* of what is in the middle */
    double tilt;            /* by which the camera looks to the right, degrees */
    double lamp_x, lamp_y;  /* place of the lamp beside the lens */
} lamp_view;

typedef struct lamp_options {
    lamp_scene scene;
    int texture;            /* 0: vessels, 1: fine grain, 2: patches with shades as wide as the frame, 3: a network of vessels,
                               4: round spots, 5: smooth, with slow shades */
    int width, height, frames;
    double step;            /* mean motion from frame to frame, px at the middle */
    int forward;            /* 0: the frames go round a loop, 1: to and fro along a line */
    double fall;            /* of a plane's light at the corner of the frame, 0..1 */
    double cast;            /* amplitude of the drift of red against blue, as a share */
    double exposure;        /* how much of a frame's mean the camera's control takes out of its gain, 0..1 */
    int highlights;         /* wet spots of the scene that are clipped */
    lamp_view view;         /* of cavities alone */
} lamp_options;

typedef struct lamp_frames {
    lamp_options options;
    uint8_t *field;
    uint32_t **images;
    endo_transform *poses; /* frame -> frame 0; of a cavity the affine map that fits its points best */
    double *exposures;     /* of the frames, of that of frame 0 */
    int left, top, width, height; /* of what the frames show, px of frame 0 */
    uint32_t *scene;       /* what frame 0 sees there without the light; 0: nothing */
} lamp_frames;

/* A lens of 64 degrees across the frame, and its lamp close beside it. */
lamp_view lamp_usual_view(lamp_scene scene);

/* To be freed with lamp_frames_free, also after a failure. */
endo_status lamp_frames_make(const lamp_options *options, lamp_frames *out);
/* The same, but a cavity's lamp stays where it is at frame 0, and the exposure as it is there. grain: 0 for the same grain,
 * another number for another one. */
endo_status lamp_frames_make_at_rest(const lamp_options *options, int grain, lamp_frames *out);
void lamp_frames_free(lamp_frames *frames);

/* Whether a pixel of a frame lies in the field, four pixels off its rim. */
int lamp_in_field(const lamp_options *options, double x, double y);

#endif
