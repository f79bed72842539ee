/* Long calls in pieces, between which the caller's cancel hook is asked. */
#ifndef ENDO_PIECES_H
#define ENDO_PIECES_H

#include "objects.h"

/* Pixels of all reference frames of a piece: about a tenth of a second of work for one core, and for a slow device. */
#define ENDO_PIECE_PIXELS 16000000
#define ENDO_DEVICE_PIECE_PIXELS 128000000

/* Number of pairs of a piece: all n where no hook is asked. */
static inline size_t endo_pairs_a_piece(const endo_frames *frames, size_t n) {
    size_t area = (size_t)frames->options.width * frames->options.height;
    size_t piece = (frames->context->kernels->takes_many ? ENDO_DEVICE_PIECE_PIXELS : ENDO_PIECE_PIXELS) / area;
    if (!frames->context->cancel) return n;
    return piece < 1 ? 1 : piece < n ? piece : n;
}

/* Pixels of a piece that is registered by spectra, on a CPU, for each thread: spectra take some thirty times as long as
 * landmarks. */
#define ENDO_SPECTRA_PIXELS 500000

/* Pairs of a piece that is registered by spectra: all of them where nobody asks; on a CPU a pair a thread at least. */
static inline size_t endo_spectra_a_piece(const endo_frames *frames, size_t n) {
    size_t area = (size_t)frames->options.width * frames->options.height;
    size_t threads = (size_t)frames->context->threads;
    size_t piece = threads * (ENDO_SPECTRA_PIXELS / area);
    if (frames->context->kernels->takes_many) return endo_pairs_a_piece(frames, n);
    if (!frames->context->cancel) return n;
    return piece < threads ? threads : piece < n ? piece : n;
}

#endif
