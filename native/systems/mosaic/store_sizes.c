/* Sizes that were measured (store_sizes.h). */
#include "store_sizes.h"

/* Pixels of frames in a chunk at most; DEVICE_PIXELS for each device, where a call costs more and a pixel less. In longer ones
 * frames of the next chunk would wait for the kernels of this one. */
#define CHUNK_PIXELS 16000000
#define DEVICE_PIXELS 64000000
#define LARGEST_CHUNK 256
/* Pixels of the first chunk, whose duration is not known. */
#define FIRST_PIXELS 2000000
/* Frames from before a chunk that a chain may hold. */
#define HELD (STORE_LEAST_SLOTS - 1)
/* Frames kept on a device to be asked for again take at most one part in this many of its free memory, or what leaves LEFT of
 * it, bytes, to the panorama and to others. */
#define KEPT_SHARE 2
#define LEFT 16000000000
/* Bytes a pixel of a frame that a store derives. */
#define DERIVED_BYTES 5
/* Pairs of a step, after which a cancel is answered: for one thread, for several, and for a device, which registers many pairs
 * in little more time than few. */
#define FEW_PAIRS 8
#define SHARED_PAIRS 16
#define DEVICE_PAIRS 256

static int64_t within(int64_t value, int64_t least, int64_t most) {
    if (value > most) value = most;
    return value < least ? least : value;
}

static int64_t area(const store_sizes *s) { return (int64_t)s->size.width * s->size.height; }

int store_sizes_first_chunk(const store_sizes *s) {
    return (int)within((s->on_device ? CHUNK_PIXELS : FIRST_PIXELS) / area(s), 1, LARGEST_CHUNK);
}

int store_sizes_chunk(int slots) { return slots - HELD; }

int store_sizes_pairs(int on_device, int threads) {
    if (on_device) return DEVICE_PAIRS;
    return threads == 1 ? FEW_PAIRS : SHARED_PAIRS;
}

int store_sizes_slots(const store_sizes *s) {
    /* Threads share pairs, so that with many processors a chunk of large frames holds more of them. */
    int64_t lanes = within(s->processors / 4, 1, 4);
    int64_t pixels = s->on_device ? (int64_t)DEVICE_PIXELS * (s->devices < 1 ? 1 : s->devices) : CHUNK_PIXELS * lanes;
    int64_t most = s->frames < LARGEST_CHUNK ? s->frames : LARGEST_CHUNK;
    return HELD + (int)within(pixels / area(s), 1, most);
}

int store_sizes_kept(const store_sizes *s, int ahead, int again) {
    int slots = store_sizes_slots(s);
    int64_t both = 2 * (int64_t)slots < s->frames ? 2 * (int64_t)slots : s->frames;
    int64_t next = ahead && both > slots ? both - slots : 0;
    if (!s->on_device || !again) return (int)next;
    int64_t share = s->device_memory / KEPT_SHARE;
    int64_t bytes = area(s) * ((int64_t)endo_pixel_size(s->type) + DERIVED_BYTES);
    int64_t most = (share > s->device_memory - LEFT ? share : s->device_memory - LEFT) / bytes;
    int64_t kept = (most < s->frames ? most : s->frames) - slots;
    return (int)(kept > next ? kept : next);
}
