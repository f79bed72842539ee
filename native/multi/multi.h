/* Several devices behind one context: a table over that of one device, so that nobody above knows.
 *
 * Each frame is put on one device, its home, over its own link; the pairs of a call are shared out (share.h) and worked
 * on at once. A frame that a device lacks is fetched from its home, from device to device, when it is first needed
 * there, and stays until another one is put into its slot. Pixels are painted and blended, images equalized and freed from
 * distortion, and volumes registered on the first device. What comes back is the same bytes as from one device: a result
 * depends on its own pair alone. Every device has memory for all slots, as one alone would.
 *
 * Where a device fails the call fails with its message; results of the others may have been written by then. */
#ifndef ENDO_MULTI_H
#define ENDO_MULTI_H

#include "backend/kernels.h"

/* Opens the devices that the options name, each by the table of one, which has the operations `fetch` and `put_list`. */
ENDO_NODISCARD endo_status endo_multi_open(const endo_kernels *one, const endo_context_options *options, void **backend);
void endo_multi_close(void *backend);
void endo_multi_describe(const void *backend, char *text, size_t size);

/* Each is filled where its functions are. */
extern const endo_planes_kernels multi_planes;
extern const endo_frames_kernels multi_frames;
extern const endo_batch_kernels multi_batches;
extern const endo_canvas_kernels multi_canvas;
extern const endo_blend_kernels multi_blend;
extern const endo_equalization_kernels multi_equalization;
extern const endo_mutual_kernels multi_mutual;
extern const endo_lens_kernels multi_lens;

/* A table of several devices; the operations of contexts, an endo_context_kernels, call those above. */
#define ENDO_MULTI_TABLE(name_, context_)                                                                             \
    {                                                                                                                 \
        .name = (name_), .takes_many = 1, .context = (context_), .planes = &multi_planes, .frames = &multi_frames,    \
        .batches = &multi_batches, .canvas = &multi_canvas, .blend = &multi_blend,                                    \
        .equalization = &multi_equalization, .mutual = &multi_mutual, .lens = &multi_lens,                            \
    }

#endif
