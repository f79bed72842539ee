/* Positions of differently exposed frames: as measured, or else that of the last aligned frame. In a video a Kalman filter
 * rejects shifts that contradict the motion so far, and its prediction replaces what is not measured. */
#ifndef ENDO_CHAINS_EXPOSURE_PATH_H
#define ENDO_CHAINS_EXPOSURE_PATH_H

#include "chain_rows.h"

typedef struct exposure_path {
    int filters; /* 1: a video; positions are filtered */
    int whole;   /* predictions are rounded where measured shifts are whole, so that no frame is interpolated */
    endo_exposure_filter filter;
    double x; /* position of the last aligned frame, without a filter */
    double y;
} exposure_path;

/* period: exposures in a bracket, 1..1000; 0: nothing is predicted. */
endo_status exposure_path_begin(exposure_path *path, int period, int whole);

/* Begins the path at the position of the row, which is certain. */
endo_status exposure_path_start(exposure_path *path, int frame, const endo_chain_frame *row);

/* Sets the position by a shift from a reference at `from`. *accepted = 0: the filter predicted the position instead. */
endo_status exposure_path_measured(exposure_path *path, int frame, endo_chain_frame *row, const double from[2],
                                   const chain_pair *shift, int *accepted);

/* Sets the position without a shift. */
endo_status exposure_path_hold(exposure_path *path, int frame, endo_chain_frame *row);

#endif
