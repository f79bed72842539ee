/* A list of key frames, and the overlap of poses with them (key_frames.h). */
#include "key_frames.h"

#include "base/memory.h"
#include "edges.h"

/* Least overlap with the last key frame; a frame with less is the next key frame. */
#define LEAST_OVERLAP 0.6

endo_status key_frames_add(key_frames *keys, int frame, int chain, const endo_transform *pose, int *index) {
    const key_frame key = {.frame = frame, .chain = chain, .pose = *pose, .end = frame};
    ENDO_TRY(ARRAY_RESERVE(keys->items, keys->capacity, keys->n + 1));
    *index = keys->n;
    keys->items[keys->n++] = key;
    return ENDO_OK;
}

void key_frames_free(key_frames *keys) {
    endo_free(keys->items);
    keys->items = NULL;
    keys->n = 0;
    keys->capacity = 0;
}

double key_frames_overlap(const key_frames *keys, const endo_transform *reference, const endo_transform *current) {
    endo_transform between = pose_between(reference, current);
    return rect_covered_by(keys->field, &between);
}

int key_frame_is_tile(const key_frame *key) { return key->end - key->frame <= 1; }

int key_frames_is_beyond(const key_frames *keys, int index, const endo_transform *pose) {
    return key_frames_overlap(keys, &keys->items[index].pose, pose) < LEAST_OVERLAP;
}
