/* Where differently exposed frames lie. Each where it was measured, or else where the last aligned one lies; in a video with a
 * Kalman filter, shifts that the motion so far speaks against are not believed, and its prediction stands in for what is not
 * measured. */
#ifndef ENDO_CHAINS_EXPOSURE_PATH_H
#define ENDO_CHAINS_EXPOSURE_PATH_H

#include "chain_rows.h"

typedef struct exposure_path {
    int filters; /* there is a motion to follow */
    int whole;   /* predictions are rounded where measured shifts are whole, so that no frame is interpolated */
    endo_exposure_filter filter;
    double x, y; /* of the last aligned frame, without a filter */
} exposure_path;

/* period: exposures in a bracket, 1..1000; 0: nothing is predicted. */
endo_status exposure_path_begin(exposure_path *path, int period, int whole);

/* The row's place is certain: the path begins here. */
endo_status exposure_path_start(exposure_path *path, int frame, const endo_chain_frame *row);

/* A place by a shift from a reference that lies at `from`. *believed = 0: the shift was not, and the place is another one. */
endo_status exposure_path_measured(exposure_path *path, int frame, endo_chain_frame *row, const double from[2],
                                   const chain_pair *shift, int *believed);

/* A place without a shift. */
endo_status exposure_path_hold(exposure_path *path, int frame, endo_chain_frame *row);

#endif
