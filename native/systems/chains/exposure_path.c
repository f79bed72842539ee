/* Positions by shifts alone, or with the filter of a video (exposure_path.h). */
#include "exposure_path.h"

#include <math.h>

static double x_of(const endo_transform *t) { return t->matrix[2]; }
static double y_of(const endo_transform *t) { return t->matrix[5]; }

static void put(endo_chain_frame *row, double x, double y) {
    row->pose.matrix[2] = x;
    row->pose.matrix[5] = y;
}

endo_status exposure_path_begin(exposure_path *path, int period, int whole) {
    *path = (exposure_path){.filters = period > 0, .whole = whole};
    return endo_exposure_filter_begin(&path->filter, period);
}

endo_status exposure_path_start(exposure_path *path, int frame, const endo_chain_frame *row) {
    path->x = x_of(&row->pose);
    path->y = y_of(&row->pose);
    return path->filters ? endo_exposure_filter_start(&path->filter, frame, path->x, path->y) : ENDO_OK;
}

static endo_status step(exposure_path *path, int frame, endo_chain_frame *row, const double from[2],
                        const endo_exposure_result *shift) {
    endo_exposure_position filtered;
    ENDO_TRY(endo_exposure_filter_step(&path->filter, frame, from[0], from[1], shift, &filtered));
    row->predicted = filtered.predicted;
    put(row, path->whole ? rint(filtered.x) : filtered.x, path->whole ? rint(filtered.y) : filtered.y);
    return ENDO_OK;
}

static endo_exposure_result measurement(const chain_pair *shift) {
    return (endo_exposure_result){
        .dx = x_of(&shift->transform),
        .dy = y_of(&shift->transform),
        .certainty = shift->scores.certainty,
        .deviation_x = shift->deviation[0],
        .deviation_y = shift->deviation[1],
        .status = ENDO_EXPOSURE_OK,
    };
}

endo_status exposure_path_measured(exposure_path *path, int frame, endo_chain_frame *row, const double from[2],
                                   const chain_pair *shift, int *accepted) {
    endo_exposure_result measured = measurement(shift);
    *accepted = 1;
    if (path->filters && path->filter.started) {
        ENDO_TRY(step(path, frame, row, from, &measured));
        *accepted = !row->predicted;
        return ENDO_OK;
    }
    put(row, from[0] + measured.dx, from[1] + measured.dy);
    return exposure_path_start(path, frame, row);
}

endo_status exposure_path_hold(exposure_path *path, int frame, endo_chain_frame *row) {
    static const double nowhere[2];
    if (!path->filters)
        put(row, path->x, path->y);
    else if (path->filter.started)
        return step(path, frame, row, nowhere, NULL);
    return ENDO_OK;
}
