/* Number of frames of a store and of a chunk, and number of pairs of a step, by the pixels of a frame. */
#ifndef ENDO_MOSAIC_STORE_SIZES_H
#define ENDO_MOSAIC_STORE_SIZES_H

#include "include/endorama/status.h"
#include "geometry.h"

typedef struct store_sizes {
    mosaic_size size;
    endo_pixel type;
    int frames; /* frames of the sequence */
    int processors;
    int on_device;         /* a device computes */
    int devices;           /* number of devices */
    int64_t device_memory; /* free memory of a device, of several the least, bytes */
} store_sizes;

/* Slots that the work needs, however little memory there is. */
#define STORE_LEAST_SLOTS 5

int store_sizes_slots(const store_sizes *s);       /* of a store */
int store_sizes_first_chunk(const store_sizes *s); /* frames, if the store holds as many */
int store_sizes_chunk(int slots);                  /* frames of a chunk with a store of this many slots */
int store_sizes_pairs(int on_device, int threads); /* pairs of a step */

/* Additional slots of a store. ahead: the next chunk is read while one is registered; again: frames are read again when their
 * poses are solved for. */
int store_sizes_kept(const store_sizes *s, int ahead, int again);

#endif
