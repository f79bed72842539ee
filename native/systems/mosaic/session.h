/* One run over a sequence: frames are registered and chained, poses solved, panoramas painted; and its results. */
#ifndef ENDO_MOSAIC_SESSION_H
#define ENDO_MOSAIC_SESSION_H

#include "edges.h"
#include "events.h"
#include "panorama_store.h"
#include "spool.h"
#include "workspace.h"

struct endo_mosaic {
    endo_mosaic_options options; /* mask and scratch point to the copies below; lens: what is taken out */
    int finds_lens;              /* a run begins without a lens, and takes out the one that it finds */
    uint8_t *mask;
    char *scratch;
    mosaic_events events;
    mosaic_spool *spool; /* frames that were put; NULL: none */
    int has_run;

    /* during a run */
    mosaic_workspace *workspace;
    panorama_store *snapshot;

    /* results */
    mosaic_size size;
    endo_pixel type;
    endo_mosaic_frame *frames; /* one a frame, up to where the run came */
    int n_frames;
    mosaic_edges edges;
    panorama_store **panoramas; /* one a component, the largest first; NULL: nothing is painted */
    int n_components;
    field_of_view field;
    char backend[300];
    char light[240];
    endo_light_report light_report;
    int has_light; /* light_report is set */
    endo_mosaic_times times;
    mosaic_faults faults; /* for tests */
    struct aligned_frames *aligned; /* for reading frames in their poses; NULL: none */
};

/* Last stage of mosaic_session_run. */
typedef enum mosaic_extent { MOSAIC_ALL, MOSAIC_REGISTER } mosaic_extent;

/* Computes panoramas from frames, or edges alone. Arguments were checked. */
endo_status mosaic_session_run(endo_mosaic *mosaic, const endo_mosaic_source *source, mosaic_extent extent);

/* Paints panoramas of frames in solved poses (n records, one for each frame of the source). */
endo_status mosaic_session_paint(endo_mosaic *mosaic, const endo_mosaic_source *source, const endo_mosaic_frame *frames, int n);

/* Solves for poses from edges; no frames are read. */
endo_status mosaic_session_solve(endo_mosaic *mosaic, mosaic_size size, double spread, endo_mosaic_frame *frames, int n,
                                 const mosaic_edges *edges);

void mosaic_session_free(endo_mosaic *mosaic); /* frees the results */

#endif
