/* Alignment of exposures on a device: levels, thresholds, bitmaps, and the counts of rows and columns. */
#ifndef ENDO_CUDA_EXPOSURES_COUNTS_CUH
#define ENDO_CUDA_EXPOSURES_COUNTS_CUH

#include "exposures_group.cuh"

/* ------------------------------------------------------------------ levels */

/* histogram[1..256] become below[]: what lies under each level. One warp, eight levels a lane. */
__device__ static void make_levels(const int32_t *histogram, endo_exposure_levels *l) {
    int lane = threadIdx.x % 32, counts[8], sum = 0;
    for (int i = 0; i < 8; i++) sum += counts[i] = histogram[8 * lane + i];
    int below = sum;
    for (int i = 1; i < 32; i <<= 1) {
        int other = __shfl_up_sync(LANE_ALL, below, i);
        if (lane >= i) below += other;
    }
    below -= sum;
    if (lane == 0) l->below[0] = 0;
    for (int i = 0; i < 8; i++) l->below[8 * lane + i + 1] = below += counts[i];
}

/* Columns 32 i .. of an image of this width, one a bit. */
__device__ static inline uint32_t inside_word(int i, int width) {
    int n = width - 32 * i;
    return i < 0 || n <= 0 ? 0 : n >= 32 ? LANE_ALL : (1u << n) - 1;
}

/* The pixels of a word of a row that take part. */
__device__ static inline uint32_t inside_of(const exposure_job &j, int y, int word) {
    return j.field_bits ? j.field_bits[(size_t)y * j.words + word] : inside_word(word, j.width);
}

/* Where a word's pixels lie; rows are padded to whole words. */
__device__ static inline const uint4 *pixels_of(const exposure_job &j, int slot, int y, int word) {
    return (const uint4 *)(j.plain + slot * j.area + (size_t)y * j.stride + 32 * word);
}

/* Four of sixteen pixels, those whose bit is set, into a histogram. */
__device__ static inline void count_four(uint32_t pixels, uint32_t inside, int32_t *histogram) {
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (inside >> i & 1) atomicAdd(&histogram[pixels >> 8 * i & 255], 1);
}

/* inside: 16 bits. */
__device__ static inline void count_pixels(uint4 pixels, uint32_t inside, int32_t *histogram) {
#pragma unroll 1
    for (; inside; inside >>= 4) {
        count_four(pixels.x, inside, histogram);
        pixels.x = pixels.y, pixels.y = pixels.z, pixels.z = pixels.w;
    }
}

/* This thread's number among those of a group, whose blocks take turns by warps: little work reaches all of them. */
__device__ static inline int warp_by_warp(int rank, int size) {
    return (threadIdx.x / 32 * size + rank) * 32 + threadIdx.x % 32;
}

/* histograms: two of 256, of the frames' sparse rows; added to what they hold. The share of one of `size` blocks. */
__device__ static void count_levels(const exposure_job &j, int rank, int size, int32_t *histograms, const int slots[2]) {
    int step = endo_exposure_row_step(j.height, ENDO_EXPOSURE_LEVEL_ROWS), rows = (j.height + step - 1) / step;
    int halves = 2 * j.words, n = rows * halves;
    for (int k = warp_by_warp(rank, size); k < 2 * n; k += size * blockDim.x) {
        int image = k >= n, at = k - (image ? n : 0), y = at / halves * step, half = at % halves;
        uint4 pixels = pixels_of(j, slots[image], y, half / 2)[half % 2];
        count_pixels(pixels, inside_of(j, y, half / 2) >> 16 * (half % 2) & 0xffff, histograms + 256 * image);
    }
}

/* ---------------------------------------------------------------- thresholds */

/* endo_exposure_median(), an edge a lane; by one warp. */
__device__ static int median_of(const endo_exposure_levels *l, int step) {
    int last = 256 / step - 2;
    for (int from = 0;; from += 32) {
        int edge = min(from + (int)(threadIdx.x % 32), last), level = (edge + 1) * step - 1;
        uint32_t found = __ballot_sync(LANE_ALL, edge == last || 2 * (int64_t)l->below[level + 1] >= l->below[256]);
        if (found) return (min(from + __ffs(found) - 1, last) + 1) * step - 1;
    }
}

/* endo_exposure_thresholds() of medians: a warp an image. */
__device__ static void take_medians(void) {
    pair_state *s = &known;
    const endo_exposure_observation *observation = &s->observations.observation;
    int image = threadIdx.x / 32;
    if (image > 1) return;
    int level = median_of(&s->levels[image], observation->step);
    if (threadIdx.x % 32) return;
    endo_exposure_threshold *t = image ? &s->threshold.current : &s->threshold.reference;
    *t = endo_exposure_threshold_at(&s->levels[image], image ? observation->current : observation->reference, level,
                                    observation->tolerance);
    if (image) s->threshold.value = 0;
}

/* The first choice of the greatest value, as endo_exposure_thresholds. Out of line, lest it takes the registers that the
 * loops over pixels need. */
__device__ __noinline__ static void choose_thresholds(void) {
    pair_state *s = &known;
    const endo_exposure_observation *observation = &s->observations.observation;
    int best = 0;
    int64_t value = INT64_MIN;
    if (observation->median) {
        take_medians();
        __syncthreads();
        return;
    }
    for (int i = threadIdx.x; i < endo_exposure_choices(observation->step); i += blockDim.x) {
        endo_exposure_choice c = endo_exposure_choose(&s->levels[0], &s->levels[1], observation, i);
        if (c.value > value) value = c.value, best = i;
    }
    for (int k = 16; k; k >>= 1) {
        int64_t other = __shfl_xor_sync(LANE_ALL, value, k);
        int at = __shfl_xor_sync(LANE_ALL, best, k);
        if (other > value || (other == value && at < best)) value = other, best = at;
    }
    if (threadIdx.x % 32 == 0) s->best_value[threadIdx.x / 32] = value, s->best_choice[threadIdx.x / 32] = best;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < EXPOSURE_WARPS; w++) {
            int64_t other = s->best_value[w];
            int at = s->best_choice[w];
            if (other > value || (other == value && at < best)) value = other, best = at;
        }
        s->threshold = endo_exposure_choose(&s->levels[0], &s->levels[1], observation, best);
    }
    __syncthreads();
}

/* ----------------------------------------------------------------- bitmaps
 *
 * A thread makes words of 32 bits from as many pixels, which it compares four at a time, as bytes of a register: the
 * pixels k, 8 + k, 16 + k and 24 + k of the word, so that what is compared of all eight registers falls into place by
 * shifts. It stays in its column of words, whose pixels it counts as numbers of one bit each a plane. */

#define HIGH_BITS 0x80808080u
#define LOW_BITS 0x01010101u

/* Compares four bytes at once with a limit, 0..256: is x >= limit? The lower seven bits, with what the limit lacks, carry
 * into the high bit; up to 128 the carry or x's high bit says yes, above it both must. */
typedef struct at_least {
    uint32_t lacks, either;
} at_least;

__device__ static inline at_least make_at_least(int limit) {
    at_least a = {(uint32_t)(limit <= 128 ? 128 - limit : 256 - limit) * LOW_BITS, limit <= 128 ? LANE_ALL : 0};
    return a;
}

/* A bit where at least two have one. */
__device__ static inline uint32_t majority(uint32_t a, uint32_t b, uint32_t c) {
#ifdef __CUDA_ARCH__
    uint32_t m; /* the compiler, which sees that c is all or nothing, takes three instructions */
    asm("lop3.b32 %0, %1, %2, %3, 0xe8;" : "=r"(m) : "r"(a), "r"(b), "r"(c));
    return m;
#else
    return (a & b) | ((a | b) & c);
#endif
}

/* Pixels 8 i + k of a word, i = 0..3, as bytes. */
typedef struct word_pixels {
    uint32_t four[8];
} word_pixels;

/* Bytes of four registers, as rows and columns of a square, change places. */
__device__ static inline void turn_square(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t out[4]) {
    uint32_t ab = __byte_perm(a, b, 0x5140), ab_end = __byte_perm(a, b, 0x7362);
    uint32_t cd = __byte_perm(c, d, 0x5140), cd_end = __byte_perm(c, d, 0x7362);
    out[0] = __byte_perm(ab, cd, 0x5410), out[1] = __byte_perm(ab, cd, 0x7632);
    out[2] = __byte_perm(ab_end, cd_end, 0x5410), out[3] = __byte_perm(ab_end, cd_end, 0x7632);
}

__device__ static inline void arrange(const uint4 &first, const uint4 &second, word_pixels *p) {
    turn_square(first.x, first.z, second.x, second.z, p->four);
    turn_square(first.y, first.w, second.y, second.w, p->four + 4);
}

/* The bits of the pixels for which it holds. */
__device__ static inline uint32_t word_of(const at_least &a, const word_pixels &p) {
    uint32_t bits = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        uint32_t x = p.four[k], high = majority((x & ~HIGH_BITS) + a.lacks, x, a.either);
        bits |= high >> (7 - k) & LOW_BITS << k;
    }
    return bits;
}

typedef struct bit_limits {
    at_least above, white, grey; /* not black */
    at_least from, end;          /* of the slice */
    int sliced;
} bit_limits;

__device__ static inline bit_limits limits_of(const endo_exposure_threshold &t) {
    int white = t.level + t.tolerance + 1, black_end = t.level - t.tolerance + 1;
    bit_limits l = {make_at_least(t.level + 1), make_at_least(white > 256 ? 256 : white),
                    make_at_least(black_end < 0 ? 0 : black_end), make_at_least(t.slice.from),
                    make_at_least(t.slice.to + 1), endo_exposure_is_slice(&t)};
    return l;
}

typedef struct word_bits {
    uint32_t above, black, white;
} word_bits;

/* above: of any level. */
__device__ static inline word_bits bits_of(const bit_limits &l, const word_pixels &p, uint32_t inside) {
    uint32_t above = word_of(l.above, p) & inside;
    if (l.sliced) inside &= word_of(l.from, p) & ~word_of(l.end, p);
    word_bits w = {above, ~word_of(l.grey, p) & inside, word_of(l.white, p) & inside};
    return w;
}

/* ------------------------------------------------------------------ columns */

#define COUNT_PLANES 5
/* Rows that they can hold. */
#define COUNT_ROWS ((1 << COUNT_PLANES) - 1)

/* Of 32 columns: bit k of each column's count in plane k. */
typedef struct column_counts {
    uint32_t plane[COUNT_PLANES];
} column_counts;

__device__ static inline void count_word(column_counts *c, uint32_t word) {
#pragma unroll
    for (int k = 0; k < COUNT_PLANES; k++) {
        uint32_t carry = c->plane[k] & word;
        c->plane[k] ^= word;
        word = carry;
    }
}

/* Counts of columns i, 8 + i, 16 + i and 24 + i, as bytes. */
__device__ static inline uint32_t four_columns(const column_counts &c, int i) {
    uint32_t counts = 0;
#pragma unroll
    for (int k = 0; k < COUNT_PLANES; k++) counts += (c.plane[k] >> i & LOW_BITS) << k;
    return counts;
}

/* Rows' words that lie in one number each, lest too many threads meet there. */
#define ROW_SLOTS 2

/* Counts of one image as a block makes them: columns (bit, word) and rows (row, slot). */
typedef struct block_counts {
    uint32_t *columns, *rows;
    int by_bit, by_word, slots;
} block_counts;

/* Where this block's numbers lie in its dynamic shared memory. */
__device__ static inline uint32_t *held_columns(int image) { return (uint32_t *)shared_memory + mine.held_columns[image]; }
__device__ static inline uint32_t *held_rows(int image) { return (uint32_t *)shared_memory + mine.held_rows[image]; }

/* Where a block counts. HELD: in its shared memory; else where the counts of all blocks are. first: the block's first row. */
template <int HELD> __device__ static inline block_counts block_counts_of(const exposure_job &j, int image, int first) {
    if (HELD) {
        block_counts held = {held_columns(image), held_rows(image) - ROW_SLOTS * first, j.words, 1, ROW_SLOTS};
        return held;
    }
    block_counts all = {mine.counts[image], mine.counts[image] + 32 * j.words, 1, 32, 1};
    return all;
}

__device__ static void add_columns(const block_counts &to, int word, const column_counts &black, const column_counts &white) {
#pragma unroll 1
    for (int i = 0; i < 8; i++) {
        uint32_t b = four_columns(black, i), w = four_columns(white, i);
#pragma unroll
        for (int k = 0; k < 4; k++)
            atomicAdd(&to.columns[(8 * k + i) * to.by_bit + word * to.by_word],
                      (b >> 8 * k & 255) | (w >> 8 * k & 255) << 16);
    }
}

/* ------------------------------------------------------------------- making */

/* The words that a thread makes: of a column, on the rows y, y + apart, .. below end. */
typedef struct word_run {
    uint32_t *above, *kept, *used; /* of the image; kept: once more in shared memory, or NULL */
    int slot, word, y, apart, end;
} word_run;

/* At most COUNT_ROWS words. */
__device__ static inline void make_run(const exposure_job &j, const bit_limits &limits, const word_run &r, int counted,
                                       const block_counts &to) {
    column_counts black = {}, white = {};
    if (r.y >= r.end) return;
    const uint4 *from = pixels_of(j, r.slot, r.y, r.word);
    uint4 first = from[0], second = from[1];
#pragma unroll 1
    for (int y = r.y; y < r.end; y += r.apart) {
        word_pixels pixels;
        arrange(first, second, &pixels);
        if (y + r.apart < r.end) { /* the next ones come while these are compared */
            from = pixels_of(j, r.slot, y + r.apart, r.word);
            first = from[0], second = from[1];
        }
        word_bits w = bits_of(limits, pixels, inside_of(j, y, r.word));
        size_t at = (size_t)y * j.words + r.word;
        r.above[at] = w.above;
        if (r.kept) r.kept[at] = w.above;
        r.used[at] = w.black | w.white;
        if (!counted) continue;
        count_word(&black, w.black), count_word(&white, w.white);
        atomicAdd(&to.rows[y * to.slots + (r.word & (to.slots - 1))], __popc(w.black) | __popc(w.white) << 16);
    }
    if (counted) add_columns(to, r.word, black, white);
}

template <int HELD>
__device__ static inline void make_words(const exposure_job &j, const int slots[2], int first, int step, int counted) {
    int all = (j.height + step - 1) / step, from = first_row(all, mine.rank), end = first_row(all, mine.rank + 1);
    int across = (2 - first) * j.words, groups = max(1, (int)blockDim.x / across);
    for (int k = threadIdx.x; k < across * groups; k += blockDim.x) {
        int at = k % across, image = first + at / j.words;
        word_run r = {mine.above[image], mine.kept[image], mine.scratch.used[image], slots[image], at % j.words, 0,
                      groups * step, 0};
        bit_limits limits = limits_of(image ? known.current : known.threshold.reference);
        block_counts to = block_counts_of<HELD>(j, image, from);
        for (int row = from + k / across; row < end; row += COUNT_ROWS * groups) {
            r.y = row * step, r.end = min(row + COUNT_ROWS * groups, end) * step;
            make_run(j, limits, r, counted, to);
        }
    }
}

/* Words of images first..1 of the pair: rows 0, step, .. of this block's share; counted: with their counts, which were
 * 0. */
__device__ static inline void make_bitmaps(const exposure_job &j, const int slots[2], int first, int step, int counted) {
    if (!counted || j.holds_counts)
        make_words<1>(j, slots, first, step, counted);
    else
        make_words<0>(j, slots, first, step, counted);
}

/* Clears this block's counts in shared memory: of columns, and of `rows` rows. */
__device__ static inline void clear_held_counts(const exposure_job &j, int rows) {
    if (!j.holds_counts) return;
    for (int image = 0; image < 2; image++) {
        for (int i = threadIdx.x; i < 32 * j.words; i += blockDim.x) held_columns(image)[i] = 0;
        for (int i = threadIdx.x; i < ROW_SLOTS * rows; i += blockDim.x) held_rows(image)[i] = 0;
    }
}

/* Moves this block's counts to those of the pair: a block alone sets them, blocks of a group add up their columns. */
__device__ static void give_counts(const exposure_job &j, uint32_t *const to[2], int from, int end, int alone) {
    if (!j.holds_counts) return;
    int columns = 32 * j.words, n = columns + end - from;
    for (int k = threadIdx.x; k < 2 * n; k += blockDim.x) {
        int image = k >= n, at = k - (image ? n : 0), y = at - columns;
        if (at < columns) {
            uint32_t count = held_columns(image)[at % 32 * j.words + at / 32];
            if (alone)
                to[image][at] = count;
            else if (count)
                atomicAdd(&to[image][at], count);
        } else {
            uint32_t sum = 0;
            for (int i = 0; i < ROW_SLOTS; i++) sum += held_rows(image)[ROW_SLOTS * y + i];
            to[image][columns + from + y] = sum;
        }
    }
}

/* Counts become excesses, where there is a field or a slice, which stands in for it. Each block has them all. */
__device__ static void take_excesses(const exposure_job &j) {
    int sliced = known.search.sliced, columns = 32 * j.words, n = columns + j.height, warp = threadIdx.x / 32;
    if (!j.field_bits && !sliced) return;
    if (warp < 4) {
        int64_t sum = 0;
        for (int y = threadIdx.x % 32; y < j.height; y += 32)
            sum += mine.counts[warp / 2][columns + y] >> 16 * (warp % 2) & 0xffff;
        sum = wide_sum_over_lanes(sum);
        if (threadIdx.x % 32 == 0) known.totals[warp / 2][warp % 2] = sum;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 2 * n; i += blockDim.x) {
        int image = i / n, at = i % n, y = at - columns;
        if (at >= j.width && at < columns) continue;
        uint32_t count = mine.counts[image][at];
        int32_t black = count & 0xffff, white = count >> 16;
        int32_t field = sliced ? black + white : y < 0 ? j.field_columns[at] : j.field_rows[y];
        const int64_t *all = known.totals[image], all_field = sliced ? all[0] + all[1] : *j.field_pixels;
        black = endo_exposure_excess(black, field, all[0], all_field);
        white = endo_exposure_excess(white, field, all[1], all_field);
        mine.counts[image][at] = (black & 0xffff) | (uint32_t)white << 16;
    }
    __syncthreads();
}

#endif
