/* Local bitmaps of the frames, and of the shrunken ones, under small shifts, large ones, and such that leave no overlap. */
#include "endo_check.h"

#define N_SHIFTS 24

static void make_requests(check_rig *rig, int width, int height, endo_bitmap_request *requests) {
    for (int i = 0; i < N_SHIFTS; i++) {
        int far_x = i % 3 ? 3 : width;
        int far_y = i % 4 ? 2 : height;
        requests[i] = (endo_bitmap_request){
            .reference = i / 8 & 1,
            .current = i / 8 == 1,
            .dx = test_between(&rig->random, -far_x, far_x),
            .dy = test_between(&rig->random, -far_y, far_y),
        };
    }
}

int check_bitmaps(check_rig *rig, char *text, size_t size) {
    endo_bitmap_request requests[N_SHIFTS];
    endo_bitmap_overlap a[N_SHIFTS];
    endo_bitmap_overlap b[N_SHIFTS];
    for (int scale = 0; scale < ENDO_BITMAP_SCALES; scale++) {
        endo_bitmap_setup setup = {(endo_bitmap_scale)scale};
        endo_bitmap_layout l = endo_bitmap_layout_of(rig->c->width, rig->c->height, setup.scale);
        make_requests(rig, l.width, l.height, requests);
        CHECK_BOTH(rig->reference->context->kernels->batches->bitmaps(rig->reference->store, requests, N_SHIFTS, &setup, a),
                   rig->tested->context->kernels->batches->bitmaps(rig->tested->store, requests, N_SHIFTS, &setup, b), a, b,
                   sizeof a, "bitmaps");
    }
    return 0;
}
