/* The one list of batch kernels, which work on many pairs of stored frames (or positions in them) in one call.
 *
 * A new kernel is named here; everything else takes it from the list: the slot in kernels.h, the rows of every back
 * end's table, the division among several devices, the check (native/test/check_<stem>.c), the fuzzer's operation
 * (fuzz_<stem>). Its files are ref/<stem>.c with ref_<stem>(), cpu/<stem>.c with cpu_<stem>() and cuda/<stem>.cu with
 * cuda_<stem>(); a missing one does not link. The types of a line are the request, the setup of the whole call, and the result
 * of a request. */
#ifndef ENDO_BATCHES_H
#define ENDO_BATCHES_H

#define ENDO_BATCHES(X)                                                        \
    X(ncc, endo_ncc_request, endo_centres, double)                             \
    X(search, endo_search_request, endo_search_setup, endo_search_result)      \
    X(flow, endo_pair, endo_flow_setup, endo_flow_result)                      \
    X(quality, endo_mapped_pair, endo_nothing, double)                         \
    X(agreement, endo_mapped_pair, endo_nothing, endo_agreement)               \
    X(exposures, endo_pair, endo_exposure_options, endo_exposure_result)       \
    X(bitmaps, endo_bitmap_request, endo_bitmap_setup, endo_bitmap_overlap)    \
    X(turns, endo_turns_request, endo_turns_setup, endo_turns_result)          \
    X(shifts, endo_shifts_request, endo_shifts_setup, endo_shifts_result)      \
    X(align, endo_align_request, endo_align_setup, endo_align_result)        \
    X(patches, endo_patch_request, endo_patches_setup, endo_patch_sums)

/* The batch kernels that devices alone have: elsewhere, and where such a kernel returns ENDO_ERR_UNSUPPORTED, systems/ computes
 * the same with the other kernels (systems/pairs/pair_steps.h). Their files are cuda/<stem>.cu and test/check_<stem>.c. */
#define ENDO_DEVICE_BATCHES(X) X(steps, endo_step_request, endo_step_setup, endo_step_result)

#endif
