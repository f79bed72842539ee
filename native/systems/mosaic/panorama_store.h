/* The pixels of a panorama in progress: in memory as far as that is allowed, else in a file of the scratch folder, of which
 * nothing is left when it is closed or the process ends. */
#ifndef ENDO_MOSAIC_PANORAMA_STORE_H
#define ENDO_MOSAIC_PANORAMA_STORE_H

#include "base/status.h"
#include "include/endorama/mosaic.h"
#include "geometry.h"

typedef struct panorama_store panorama_store;

/* Largest area of a panorama that can be stored, pixels. */
int64_t panorama_store_limit(const endo_mosaic_options *options, endo_pixel type);

/* Creates a panorama of zeros. rect: in pixels of the panorama, whose (0, 0) is that of the first frame; with_extras: with the
 * additional pictures that the options ask for. MEMORY: it does not fit; the message has its size and what is free. */
endo_status panorama_store_create(const endo_mosaic_options *options, endo_pixel type, mosaic_rect rect, double scale,
                                  int with_extras, panorama_store **out);
void panorama_store_destroy(panorama_store **store);

mosaic_rect panorama_store_rect(const panorama_store *store);
double panorama_store_scale(const panorama_store *store);
int panorama_store_extras(const panorama_store *store); /* sum of endo_mosaic_extra */

/* Rows that are copied at once for best speed. */
int panorama_store_band(const panorama_store *store);

/* Writes whole rows; each of the pictures may be NULL. */
endo_status panorama_store_put(panorama_store *store, int first, int n, const void *pixels, const uint8_t *painted,
                               const uint16_t *coverage, const uint16_t *uncertainty);

/* Gives the memory of the rows from `first` on, which may be written in place; NULL: there is no such picture. Returns 0 where
 * rows are in a file, which panorama_store_put writes. */
int panorama_store_rows(panorama_store *store, int first, endo_panorama_planes *planes);

/* Reads a rectangle, which lies in the panorama; each of the planes may be NULL. ARGUMENT: an extra that is not there. */
endo_status panorama_store_read(const panorama_store *store, const endo_rectangle *rectangle,
                                const endo_panorama_planes *planes);

#endif
