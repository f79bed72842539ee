/* Grey images of the store. */
#include "endo_check.h"

int check_store(check_rig *rig, char *text, size_t size) {
    size_t area = (size_t)rig->c->width * rig->c->height;
    uint8_t *a = endo_alloc(area, 1), *b = endo_alloc(area, 1);
    for (int slot = 0; slot < 2; slot++)
        CHECK_BOTH(endo_frames_get_grey(rig->reference, slot, a), endo_frames_get_grey(rig->tested, slot, b), a, b, area,
             "grey");
    endo_free(a);
    endo_free(b);
    return 0;
}
