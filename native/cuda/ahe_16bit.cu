/* Adaptive equalization of 16-bit pixels, exact on all 65,536 levels, in tiles, as native/cpu/ahe_16bit.c does it: the
 * levels of a tile, with what its windows reach, are put into 256 groups of as many pixels each. How many pixels of a
 * window lie in the groups below is what 8-bit equalization counts (ahe_slide.cu). The pixels of its own group are counted by
 * rows of bits (ahe_own.cu). Small windows are compared as they are. */
#include "ahe_tile.cuh"

#define LANE_ALL 0xffffffffu
#define THREADS 256
#define LEVELS 65536
/* Windows up to this are compared. */
#define LARGEST_COMPARED 15
/* Blocks that share the pixels of a tile: so many that the tiles worked on at a time fit the second cache. */
#define SHARES 256
/* Tiles that are worked on at a time take about so much memory. */
#define TOGETHER ((size_t)640 << 20)
/* Columns that a strip reads beyond the tile's windows. */
#define PAD 128

static size_t place_part(size_t *at, size_t bytes) {
    size_t here = *at;
    *at += (bytes + 255) & ~(size_t)255;
    return here;
}

static ahe_tile_layout lay_out(const ahe_plane *p) {
    ahe_tile_layout l = {};
    size_t at = 0;
    l.across = (p->width + AHE_TILE_WIDTH - 1) / AHE_TILE_WIDTH, l.window = p->window;
    l.rows = AHE_TILE_HEIGHT + p->window;
    l.pitch = (AHE_TILE_WIDTH + p->window + PAD + 63) & ~63;
    l.members = (size_t)l.rows * (AHE_TILE_WIDTH + p->window);
    l.counts = place_part(&at, LEVELS * 4);
    l.of = place_part(&at, LEVELS);
    l.first = place_part(&at, AHE_GROUPS * 4);
    l.size = place_part(&at, AHE_GROUPS * 4);
    l.single = place_part(&at, AHE_GROUPS);
    l.groups = place_part(&at, (size_t)l.rows * l.pitch);
    l.places = place_part(&at, l.members * 4);
    l.numbers = place_part(&at, l.members * 2);
    l.sorted = place_part(&at, l.members * 8);
    l.ranks = place_part(&at, (size_t)AHE_TILE_WIDTH * AHE_TILE_HEIGHT * 4);
    l.bytes = at;
    return l;
}

/* ------------------------------------------------------------------- pixels */

__global__ static void compare_kernel(ahe_plane p) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, r = p.window / 2 + 1;
    if (x >= p.width || y >= p.height) return;
    int centre = ahe_row_at(p, y + r)[x + r];
    uint32_t rank = 0;
    for (int v = 1; v <= p.window; v++) {
        const uint16_t *row = ahe_row_at(p, y + v) + x + 1;
        for (int u = 0; u < p.window; u++) rank += row[u] <= centre;
    }
    ahe_put_16bit(p, x, y, rank);
}

/* ------------------------------------------------------------------- groups */

/* Tile first + blockIdx.y; block blockIdx.x of SHARES takes every so many rows. All rows and columns but the first. */
__global__ static void __launch_bounds__(THREADS) count_kernel(ahe_plane p, ahe_tile_layout l, uint8_t *memory, int first) {
    ahe_tile_memory m = ahe_memory_of(l, memory + blockIdx.y * l.bytes);
    ahe_tile t = ahe_tile_number(p, l, first + blockIdx.y);
    for (int i = 1 + blockIdx.x; i < t.height + l.window; i += SHARES) {
        const uint16_t *row = ahe_row_at(p, t.y + i) + t.x;
        for (int k = 1 + threadIdx.x; k < t.width + l.window; k += THREADS) atomicAdd(&m.counts[row[k]], 1u);
    }
}

#define GROUP_THREADS 1024
#define LEVELS_A_WARP (LEVELS / (GROUP_THREADS / 32))

__device__ static inline uint32_t inclusive_sum(uint32_t value) {
    for (int i = 1; i < 32; i *= 2) {
        uint32_t other = __shfl_up_sync(LANE_ALL, value, i);
        if ((int)(threadIdx.x % 32) >= i) value += other;
    }
    return value;
}

/* Sum of what the threads before this one have, and of all. */
__device__ static uint32_t sum_before(uint32_t value, uint32_t *all) {
    __shared__ uint32_t sums[GROUP_THREADS / 32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t inclusive = inclusive_sum(value), before = 0;
    if (lane == 31) sums[warp] = inclusive;
    __syncthreads();
    *all = 0;
    for (int i = 0; i < GROUP_THREADS / 32; i++) {
        if (i < warp) before += sums[i];
        *all += sums[i];
    }
    __syncthreads();
    return before + inclusive - value;
}

/* endo_ahe_group: a tile has fewer than 2^22 pixels with what windows reach, so that 32 bits hold all of it. */
__device__ static inline uint32_t group_of(uint32_t below, uint32_t own, uint32_t all) {
    return (2 * below + own) * AHE_GROUPS / (2 * all);
}

/* The groups of a tile, in shared memory: how many levels of each occur, and where its members begin and end. */
typedef struct group_sums {
    uint32_t levels[AHE_GROUPS], begin[AHE_GROUPS], end[AHE_GROUPS];
} group_sums;

/* A level of each lane: the first and the last lane of a group, of those whose level occurs, speak for it. */
__device__ static void add_levels(group_sums *sums, uint32_t group, uint32_t below, uint32_t count) {
    uint32_t lane = threadIdx.x % 32, occurring = __ballot_sync(LANE_ALL, count > 0);
    if (!count) return;
    uint32_t alike = __match_any_sync(occurring, group);
    if (lane + 1 == (uint32_t)__ffs((int)alike)) {
        atomicAdd(&sums->levels[group], (uint32_t)__popc(alike));
        atomicMin(&sums->begin[group], below);
    }
    if (lane == 31 - (uint32_t)__clz((int)alike)) atomicMax(&sums->end[group], below + count);
}

/* Groups of a tile's levels, and where the members of each level begin: groups follow one another. */
__global__ static void __launch_bounds__(GROUP_THREADS) group_kernel(ahe_tile_layout l, uint8_t *memory) {
    __shared__ group_sums sums;
    ahe_tile_memory m = ahe_memory_of(l, memory + blockIdx.x * l.bytes);
    uint32_t own = 0, all, i = threadIdx.x;
    int lane = threadIdx.x % 32, from = threadIdx.x / 32 * LEVELS_A_WARP + lane;
    if (i < AHE_GROUPS) sums.levels[i] = sums.end[i] = 0, sums.begin[i] = ~0u;
    for (int v = from; v < from + LEVELS_A_WARP; v += 32) own += m.counts[v];
    uint32_t before = __shfl_sync(LANE_ALL, sum_before(own, &all), 0); /* of the warp */
    for (int v = from; v < from + LEVELS_A_WARP; v += 32) {
        uint32_t count = m.counts[v], inclusive = inclusive_sum(count), below = before + inclusive - count;
        uint32_t group = group_of(below, count, all);
        before += __shfl_sync(LANE_ALL, inclusive, 31);
        m.counts[v] = below;
        m.of[v] = (uint8_t)group;
        add_levels(&sums, group, below, count);
        __syncwarp();
    }
    __syncthreads();
    if (i >= AHE_GROUPS) return;
    m.first[i] = sums.begin[i], m.size[i] = sums.levels[i] ? sums.end[i] - sums.begin[i] : 0;
    m.single[i] = sums.levels[i] == 1;
}

/* The plane of groups, all of it, and the members. Columns beyond what windows reach repeat the last. */
__global__ static void __launch_bounds__(THREADS) scatter_kernel(ahe_plane p, ahe_tile_layout l, uint8_t *memory,
                                                                 int first) {
    ahe_tile_memory m = ahe_memory_of(l, memory + blockIdx.y * l.bytes);
    ahe_tile t = ahe_tile_number(p, l, first + blockIdx.y);
    int columns = t.width + l.window;
    for (int i = blockIdx.x; i < t.height + l.window; i += SHARES) {
        const uint16_t *row = ahe_row_at(p, t.y + i) + t.x;
        for (int k = threadIdx.x; k < l.pitch; k += THREADS) {
            int level = row[max(min(k, columns - 1), 1)], member = i && k && k < columns;
            m.groups[(size_t)i * l.pitch + k] = i ? m.of[level] : 0;
            if (!member) continue;
            uint32_t at = atomicAdd(&m.counts[level], 1u);
            m.places[at] = (uint32_t)k | (uint32_t)i << 16;
        }
    }
}

/* ------------------------------------------------------------------- launch */

__global__ static void describe_kernel(ahe_plane p, ahe_tile_layout l, uint8_t *memory, int first, int n, ahe_tile *tiles) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    ahe_tile_memory m = ahe_memory_of(l, memory + i * l.bytes);
    ahe_tile t = ahe_tile_number(p, l, first + i);
    t.groups = m.groups, t.single = m.single, t.ranks = m.ranks;
    tiles[i] = t;
}

__global__ static void rows_kernel(int *row_of, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) row_of[i] = i;
}

static endo_status run_tiles(cuda_backend *b, const ahe_plane *p, const ahe_tile_layout *l, uint8_t *memory, int first,
                             int n) {
    ahe_tile *tiles = (ahe_tile *)(memory + n * l->bytes);
    int *row_of = (int *)(tiles + n);
    int height = p->height < AHE_TILE_HEIGHT ? p->height : AHE_TILE_HEIGHT;
    ahe_tiles all = {tiles, row_of, n, height, l->pitch, l->window};
    ENDO_CUDA(b, cudaMemset2DAsync(memory + l->counts, l->bytes, 0, LEVELS * 4, n, b->stream));
    describe_kernel<<<(n + 127) / 128, 128, 0, b->stream>>>(*p, *l, memory, first, n, tiles);
    rows_kernel<<<(l->rows + 127) / 128, 128, 0, b->stream>>>(row_of, l->rows);
    count_kernel<<<dim3(SHARES, n), THREADS, 0, b->stream>>>(*p, *l, memory, first);
    group_kernel<<<n, GROUP_THREADS, 0, b->stream>>>(*l, memory);
    scatter_kernel<<<dim3(SHARES, n), THREADS, 0, b->stream>>>(*p, *l, memory, first);
    ENDO_CUDA(b, cudaGetLastError());
    ENDO_TRY(cuda_ahe_slide_tiles(b, &all));
    return cuda_ahe_own(b, p, l, memory, first, n);
}

static endo_status compare(cuda_backend *b, const ahe_plane *p) {
    dim3 grid((p->width + 31) / 32, (p->height + 7) / 8);
    compare_kernel<<<grid, dim3(32, 8), 0, b->stream>>>(*p);
    ENDO_CUDA(b, cudaGetLastError());
    return ENDO_OK;
}

endo_status cuda_ahe_16bit(cuda_backend *b, const ahe_plane *p) {
    if (p->window <= LARGEST_COMPARED) return compare(b, p);
    ahe_tile_layout l = lay_out(p);
    int all = l.across * ((p->height + AHE_TILE_HEIGHT - 1) / AHE_TILE_HEIGHT), most = (int)(TOGETHER / l.bytes);
    if (most > 65535) most = 65535; /* of a grid along y */
    if (most < 1) most = 1;
    int times = (all + most - 1) / most, together = (all + times - 1) / times;
    ENDO_TRY(cuda_reserve(b, &b->histograms, together * (l.bytes + sizeof(ahe_tile)) + l.rows * sizeof(int)));
    for (int first = 0; first < all; first += together)
        ENDO_TRY(run_tiles(b, p, &l, (uint8_t *)b->histograms.memory, first, all - first < together ? all - first : together));
    return ENDO_OK;
}
