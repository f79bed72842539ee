/* Registration by mutual information ([B]), around the kernels that count. */
#ifndef ENDO_SYSTEMS_MUTUAL_H
#define ENDO_SYSTEMS_MUTUAL_H

#include "backend/objects.h"
#include "affine3.h"
#include "base/math/powell.h"

/* A volume at one level. */
typedef struct endo_mutual_space {
    int size[3];
    double world[16]; /* voxels -> mm */
} endo_mutual_space;

struct endo_mutual {
    endo_context *context;
    void *pair;
    endo_mutual_options options; /* bins, levels and ranges resolved */
    int planar;                  /* both volumes have one slice: maps stay in the plane */
    int constant;                /* an image has one grey value */
    int parameters;
    endo_mutual_plan plan[ENDO_MUTUAL_MAX_LEVELS];
    endo_mutual_space fixed[ENDO_MUTUAL_MAX_LEVELS], moving[ENDO_MUTUAL_MAX_LEVELS];
    double to_moving[ENDO_MUTUAL_MAX_LEVELS][16]; /* mm -> voxels of the moving volume */
    double initial[16];          /* initial map, mm -> mm */
    double centre[3], radius;    /* of the fixed volume, mm: the centre of turns, and the factor from an angle to a length */
    double counted;              /* fixed voxels of the mask, full size */
    double least[ENDO_MUTUAL_MAX_LEVELS]; /* fewest voxels that must overlap */
    uint8_t *rim[2];             /* rims of the fixed and the moving volume (mutual_rim.h); NULL: none */
    double rim_share[2];
    endo_volume kept[2];         /* copies, where there is a rim */
};

/* Arguments are checked by the caller; strides are set. */
endo_status endo_mutual_make(endo_context *context, const endo_volume *fixed, const endo_volume *moving,
                             const endo_mutual_options *options, endo_mutual **out);
/* endo_mutual_make without finding rims. */
endo_status endo_mutual_make_plain(endo_context *context, const endo_volume *fixed, const endo_volume *moving,
                                   const endo_mutual_options *options, endo_mutual **out);
void endo_mutual_free(endo_mutual *m);

endo_status endo_mutual_run(endo_mutual *m, endo_mutual_result *result);

/* Measures and overlaps under n affine maps, mm -> mm. */
endo_status endo_mutual_values(endo_mutual *m, const double *worlds, size_t n, double *values, double *overlaps);

endo_status endo_mutual_counts(endo_mutual *m, const double *world, uint32_t *counts);

/* The sums at full size; from them the measure (NaN without voxels), and the share of fixed voxels that count. */
endo_status endo_mutual_measure_world(endo_mutual *m, const double *world, endo_mutual_sums *sums);
double endo_mutual_value(const endo_mutual *m, const endo_mutual_sums *sums);
double endo_mutual_overlap(const endo_mutual *m, const endo_mutual_sums *sums);

endo_status endo_mutual_redraw(endo_context *context, const endo_volume *fixed, const endo_volume *moving,
                               const double *world, int nearest, const endo_volume_output *out);

#endif
