/* How many frames a store holds and a chunk has, and how many pairs a step registers: by their pixels. */
#ifndef ENDO_MOSAIC_STORE_SIZES_H
#define ENDO_MOSAIC_STORE_SIZES_H

#include "include/endorama/status.h"
#include "geometry.h"

typedef struct store_sizes {
    mosaic_size size;
    endo_pixel type;
    int frames;     /* of the sequence */
    int processors;
    int on_device;  /* a device computes */
    int devices;    /* so many of them */
    int64_t memory; /* bytes that frames and panoramas may take of the host's */
} store_sizes;

/* Slots that the work needs, whatever there is memory for. */
#define STORE_LEAST_SLOTS 5

int store_sizes_slots(const store_sizes *s);       /* that a store should have */
int store_sizes_first_chunk(const store_sizes *s); /* frames of it, if the store holds as many */
int store_sizes_chunk(int slots);                  /* frames of a chunk, from a store of so many */
int store_sizes_pairs(int on_device, int threads); /* of a step */

/* Slots beside those. ahead: the next chunk is read while one is registered; again: frames are read again for poses that were
 * solved for. */
int store_sizes_kept(const store_sizes *s, int ahead, int again);

#endif
