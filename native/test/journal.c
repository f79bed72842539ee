/* The reference's results in a check: computed once a case, read again for every back end after the first. */
#include "endo_check.h"

int check_recall(check_rig *rig, void *out, size_t bytes) {
    check_journal *j = rig->journal;
    if (j->at + bytes > j->used) return 0;
    memcpy(out, j->bytes + j->at, bytes);
    j->at += bytes;
    return 1;
}

endo_status check_keep(check_rig *rig, endo_status status, const void *out, size_t bytes) {
    check_journal *j = rig->journal;
    if (status != ENDO_OK) return status;
    if (j->used + bytes > j->room) {
        size_t room = 2 * (j->used + bytes);
        uint8_t *larger = endo_alloc(room, 1);
        if (!larger) return endo_fail(ENDO_ERR_MEMORY, "no memory for %zu bytes of the reference", room);
        if (j->used) memcpy(larger, j->bytes, j->used);
        endo_free(j->bytes);
        j->bytes = larger, j->room = room;
    }
    memcpy(j->bytes + j->used, out, bytes);
    j->at = j->used += bytes;
    return ENDO_OK;
}
