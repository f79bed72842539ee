/* One run over a sequence: registered and chained, solved, painted; and what it leaves. */
#ifndef ENDO_MOSAIC_SESSION_H
#define ENDO_MOSAIC_SESSION_H

#include "edges.h"
#include "events.h"
#include "panorama_store.h"
#include "spool.h"
#include "workspace.h"

struct endo_mosaic {
    endo_mosaic_options options; /* mask and scratch point to the copies below */
    uint8_t *mask;
    char *scratch;
    mosaic_events events;
    mosaic_spool *spool; /* frames that were put; NULL: none were */
    int has_run;

    /* while it runs */
    mosaic_workspace *workspace;
    panorama_store *snapshot;

    /* what it made */
    mosaic_size size;
    endo_pixel type;
    endo_mosaic_frame *frames; /* one a frame, up to where the run came */
    int n_frames;
    mosaic_edges edges;
    panorama_store **panoramas; /* one a component, the largest first; NULL: nothing is painted */
    int n_components;
    field_of_view field;
    char backend[300];
    char light[200];
    endo_light_report light_report;
    int has_light; /* light_report is set */
    endo_mosaic_times times;
    mosaic_faults faults; /* of tests */
    struct aligned_frames *aligned; /* frames that are moved when they are asked for; NULL: none are */
};

/* What the three below do of a run. */
typedef enum mosaic_extent { MOSAIC_ALL, MOSAIC_REGISTER } mosaic_extent;

/* From frames to panoramas, or to edges alone. Arguments were checked. */
endo_status mosaic_session_run(endo_mosaic *mosaic, const endo_mosaic_source *source, mosaic_extent extent);

/* Panoramas of frames in poses that were solved for (n of them, as many as the source has). */
endo_status mosaic_session_paint(endo_mosaic *mosaic, const endo_mosaic_source *source, const endo_mosaic_frame *frames, int n);

/* Poses from edges; no frames are looked at. */
endo_status mosaic_session_solve(endo_mosaic *mosaic, mosaic_size size, double spread, endo_mosaic_frame *frames, int n,
                                 const mosaic_edges *edges);

void mosaic_session_free(endo_mosaic *mosaic); /* what a run made */

#endif
