/* The volumes of the benches of mutual information. */
#include "mutual_rig.h"

#include "base/memory.h"
#include "base/openmp.h"
#include "systems/mutual/affine3.h"
#include "test/phantom.h"

#include <string.h>

const int mutual_bins[MUTUAL_BINS] = {16, 32, 64, 128, 240, 256};

void mutual_rig_free(mutual_rig *r) {
    endo_free(r->pixels[0]);
    endo_free(r->pixels[1]);
}

int mutual_rig_make(mutual_rig *r, bench *b) {
    phantom head;
    phantom_appearance looks[2] = {{.gamma = 1, .noise = 0.02, .seed = 1},
                             {.modality = 1, .invert = 1, .gamma = 0.8, .bias = 0.1, .noise = 0.03, .seed = 2}};
    test_random random = {11};
    double back[16], little[16];
    memset(r, 0, sizeof *r);
    r->b = b, r->all = omp_get_num_procs() < 2 ? 1 : 2;
    for (int k = 0; k < 2; k++) r->pixels[k] = endo_alloc(MUTUAL_VOXELS, 1);
    if (!r->pixels[0] || !r->pixels[1]) return 0;
    phantom_init(&head, 1);
    phantom_motion(&random, 9, 12, r->truth);
    phantom_motion(&random, 2, 2, little);
    endo_affine3_product(r->truth, little, r->near);
    phantom_invert_motion(r->truth, back);
    r->fixed = endo_volume_default();
    r->fixed.width = MUTUAL_WIDTH, r->fixed.height = MUTUAL_HEIGHT, r->fixed.depth = MUTUAL_DEPTH;
    r->fixed.spacing[0] = r->fixed.spacing[1] = 0.9, r->fixed.spacing[2] = 3;
    r->moving = r->fixed;
    r->fixed.pixels = r->pixels[0], r->moving.pixels = r->pixels[1];
    phantom_render(&head, &looks[0], &r->fixed, NULL, r->pixels[0]);
    phantom_render(&head, &looks[1], &r->moving, back, r->pixels[1]);
    return 1;
}
