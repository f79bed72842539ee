/* Alignment of exposures on a device ([G] section 2, native/rules/exposures.h): levels, bitmaps with their
 * counts, coefficients of all shifts, and the questions of the search, in one kernel. Between the steps the blocks of a
 * team meet at a barrier: of the block, of the cluster (Hopper), or of our own. What a block has counted goes through
 * device memory, which the second cache holds; then every block decides for itself, by the same rules. */
#include "exposures_search.cuh"

/* What the shift found is judged by: a lane a share. One warp. */
static_assert(ENDO_EXPOSURE_ASKED <= 16, "a lane a candidate");

__device__ static void gather_evidence(pair_state *s) {
    int lane = threadIdx.x % 32, candidate = lane - 16;
    double second = 0;
    if (lane < 9) s->evidence.near[lane] = endo_exposure_share(&s->search.near[lane]);
    if (lane >= 9 && lane < 13)
        s->evidence.wide[lane - 9] = endo_exposure_asks_wide(&s->search) ? endo_exposure_share(&s->search.wide[lane - 9]) : 1;
    if (candidate >= 0 && candidate < s->search.candidates)
        second = fmax(second, endo_exposure_agreement_apart(&s->search, &s->threshold, candidate));
    for (int k = 16; k; k >>= 1) second = fmax(second, __shfl_xor_sync(LANE_ALL, second, k));
    if (lane == 0) s->evidence.second = second;
}

/* One look: bitmaps with their counts, candidates, and the search among them. Every block knows what it saw. */
template <team_kind KIND>
__device__ static void look(const exposure_job &j, team *t, pair_state *s, int32_t *histogram, double *all, int16_t *memory,
                            const int slots[2]) {
    make_bitmaps(j, *t, s, slots, 0, 1, 1);
    if (threadIdx.x == 0) endo_exposure_looks_prepare(&s->looks, &s->threshold, j.width, j.height, &j.options, &s->search);
    meet<KIND>(t);
    take_excesses<KIND>(j, t, s);
    shared_counts counts;
    take_counts(j, t->scratch, memory, &counts);
    find_peaks<KIND>(j, t, s, counts, all);
    if (threadIdx.x == 0) endo_exposure_search_begin(&s->search, s->peaks[0], s->n_peaks[0], s->peaks[1], s->n_peaks[1]);
    __syncthreads();
    search<KIND>(j, t, s, histogram, slots);
    int warp = threadIdx.x / 32;
    if (warp < 2) {
        double c = coefficient_of(j, t->scratch, counts, warp, warp ? s->search.best_dy : s->search.best_dx);
        if (threadIdx.x % 32 == 0) s->at_best[warp] = c;
    }
    if (warp == 2) gather_evidence(s);
    __syncthreads();
    if (threadIdx.x == 0)
        endo_exposure_conclude(&s->search, &s->threshold, &s->evidence, &s->current, s->at_best[0], s->at_best[1],
                               j.options.search, &s->seen);
}

/* Look after look until the rules have seen enough; most pairs need one. */
template <team_kind KIND>
__device__ static void align(const exposure_job &j, team *t, pair_state *s, int32_t *histogram, double *all,
                             int16_t *memory, const endo_pair &pair, endo_exposure_result *out) {
    const int slots[2] = {pair.reference, pair.current};
    clear_counts(j, *t);
    count_levels<KIND>(j, t, s, histogram, slots);
    if (threadIdx.x == 0) endo_exposure_looks_begin(&s->looks, &pair, &s->levels[0], &s->levels[1], &j.options);
    __syncthreads();
    for (;;) {
        choose_thresholds(s);
        if (threadIdx.x == 0) s->current = s->threshold.current;
        __syncthreads();
        if (endo_exposure_shows(&s->threshold))
            look<KIND>(j, t, s, histogram, all, memory, slots);
        else if (threadIdx.x == 0)
            endo_exposure_nothing(&s->threshold, &s->seen);
        if (threadIdx.x == 0) endo_exposure_looks_take(&s->looks, &s->threshold, &s->seen);
        __syncthreads();
        if (s->looks.stage == ENDO_EXPOSURE_DONE) break;
        meet<KIND>(t); /* nobody reads the counts any more */
        clear_counts(j, *t);
        meet<KIND>(t);
    }
    if (t->rank == 0 && threadIdx.x == 0) *out = s->looks.result;
}

/* Team number blockIdx.x / size takes every so many pairs. */
template <team_kind KIND>
__global__ static void __launch_bounds__(EXPOSURE_THREADS, KIND == TEAM_BLOCK ? 2 : 1) align_kernel(exposure_job j, int size) {
    __shared__ pair_state s;
    __shared__ double all[2 * (2 * ENDO_EXPOSURE_MAX_SEARCH + 1)];
    extern __shared__ int16_t memory[];
    __shared__ int32_t histogram[EXPOSURE_PART];
    team t;
    t.size = size, t.rank = blockIdx.x % size, t.round = 0, t.turn = 0;
    int number = blockIdx.x / size, teams = gridDim.x / size;
    exposure_lay_out(&j, j.memory + number * j.team_bytes, &t.scratch);
    for (int i = number; i < j.n; i += teams) {
        align<KIND>(j, &t, &s, histogram, all, memory, j.pairs[i], &j.results[i]);
        meet<KIND>(&t); /* the memory is the next pair's */
    }
}

/* ------------------------------------------------------------------- field */

/* Bits of the field, and how many pixels of it each column has: a warp a column of words. */
__global__ static void field_kernel(exposure_job j, uint32_t *bits, int32_t *columns) {
    int x = 32 * blockIdx.x + threadIdx.x, count = 0;
    for (int y = 0; y < j.height; y++) {
        int inside = x < j.width && j.field[(size_t)y * j.stride + x];
        uint32_t word = __ballot_sync(LANE_ALL, inside);
        if (threadIdx.x == 0) bits[(size_t)y * j.words + blockIdx.x] = word;
        count += inside;
    }
    columns[x] = count;
}

__global__ static void field_rows_kernel(exposure_job j, const uint32_t *bits, int32_t *rows, int64_t *total) {
    int y = blockIdx.x * blockDim.x + threadIdx.x, count = 0;
    if (y >= j.height) return;
    for (int i = 0; i < j.words; i++) count += __popc(bits[(size_t)y * j.words + i]);
    rows[y] = count;
    atomicAdd((unsigned long long *)total, (unsigned long long)count);
}

/* Once for a store. */
static endo_status prepare_field(cuda_store *s, exposure_job *j) {
    cuda_backend *b = s->backend;
    size_t plane = ((size_t)j->words * j->height * 4 + 255) & ~(size_t)255, columns = (size_t)32 * j->words * 4;
    size_t rows = ((size_t)j->height * 4 + 255) & ~(size_t)255;
    if (!s->exposure_field)
        ENDO_TRY(cuda_arena_add(&s->arena, plane + columns + rows + 256, 1, (void **)&s->exposure_field));
    uint8_t *at = s->exposure_field;
    j->field_bits = (const uint32_t *)at;
    j->field_columns = (const int32_t *)(at + plane);
    j->field_rows = (const int32_t *)(at + plane + columns);
    j->field_pixels = (const int64_t *)(at + plane + columns + rows);
    j->field = s->field;
    if (!s->exposure_field_made) {
        int64_t pixels = 0;
        ENDO_CUDA(b, cudaMemsetAsync((void *)j->field_pixels, 0, sizeof(int64_t), b->stream));
        field_kernel<<<j->words, 32, 0, b->stream>>>(*j, (uint32_t *)j->field_bits, (int32_t *)j->field_columns);
        field_rows_kernel<<<(j->height + 127) / 128, 128, 0, b->stream>>>(*j, j->field_bits, (int32_t *)j->field_rows,
                                                                          (int64_t *)j->field_pixels);
        ENDO_CUDA(b, cudaGetLastError());
        ENDO_TRY(cuda_receive(b, j->field_pixels, &pixels, sizeof pixels));
        s->exposure_field_whole = pixels == (int64_t)j->width * j->height;
        s->exposure_field_made = 1;
    }
    if (s->exposure_field_whole) j->field = NULL;
    return ENDO_OK;
}

/* ------------------------------------------------------------------ launch */

/* attribute is the caller's and must outlive the configuration. */
static cudaLaunchConfig_t cluster_config(const cuda_backend *b, const exposure_job *j, int teams, int size,
                                         cudaLaunchAttribute *attribute) {
    cudaLaunchConfig_t config = {};
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = size, attribute->val.clusterDim.y = 1, attribute->val.clusterDim.z = 1;
    config.gridDim = dim3(teams * size), config.blockDim = dim3(EXPOSURE_THREADS), config.stream = b->stream;
    config.dynamicSmemBytes = j->shared_counts;
    config.attrs = attribute, config.numAttrs = 1;
    return config;
}

static endo_status launch_cluster(cuda_backend *b, exposure_job *j, int teams, int size) {
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = cluster_config(b, j, teams, size, &attribute);
    ENDO_CUDA(b, cudaLaunchKernelEx(&config, align_kernel<TEAM_CLUSTER>, *j, size));
    return ENDO_OK;
}

/* The largest cluster that this device, as it is partitioned now, can hold; 1: none. */
static int largest_cluster(const cuda_backend *b, const exposure_job *j) {
    int size = EXPOSURE_CLUSTER;
    cudaFuncSetAttribute(align_kernel<TEAM_CLUSTER>, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    for (; size > 1; size /= 2) {
        cudaLaunchAttribute attribute = {};
        cudaLaunchConfig_t config = cluster_config(b, j, 1, size, &attribute);
        int clusters = 0;
        if (cudaOccupancyMaxActiveClusters(&clusters, align_kernel<TEAM_CLUSTER>, &config) == cudaSuccess && clusters > 0)
            break;
    }
    return size;
}

/* All that a block may take: the setting is the device's, and shared by every context on it. */
static endo_status allow_shared_memory(cuda_backend *b, const void *kernel) {
    cudaFuncAttributes attributes;
    ENDO_CUDA(b, cudaFuncGetAttributes(&attributes, kernel));
    int most = (int)(b->shared_memory_of_block - attributes.sharedSizeBytes);
    ENDO_CUDA(b, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    return ENDO_OK;
}

/* Asked once for a size of the dynamic shared memory: a pair takes less time than the questions. */
static endo_status ask_device(cuda_backend *b, const exposure_job *j) {
    cuda_exposure_limits *l = &b->exposure_limits;
    int bytes = (int)j->shared_counts, has_clusters = b->compute_capability >= 90, each = 0;
    if (l->known && l->shared == j->shared_counts) return ENDO_OK;
    ENDO_TRY(allow_shared_memory(b, (const void *)align_kernel<TEAM_BLOCK>));
    ENDO_TRY(allow_shared_memory(b, (const void *)align_kernel<TEAM_GRID>));
    if (has_clusters) ENDO_TRY(allow_shared_memory(b, (const void *)align_kernel<TEAM_CLUSTER>));
    l->cluster = has_clusters ? largest_cluster(b, j) : 1;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, align_kernel<TEAM_GRID>, EXPOSURE_THREADS, bytes) !=
        cudaSuccess)
        each = 0;
    cudaGetLastError();
    l->resident = each * b->multiprocessors;
    l->shared = j->shared_counts;
    l->known = 1;
    return ENDO_OK;
}

static endo_status launch_grid(cuda_backend *b, exposure_job *j, int teams, int size) {
    void *arguments[] = {j, &size};
    for (int i = 0; i < teams; i++)
        ENDO_CUDA(b, cudaMemsetAsync(j->memory + i * j->team_bytes, 0, EXPOSURE_CLEARED, b->stream));
    ENDO_CUDA(b, cudaLaunchCooperativeKernel((const void *)align_kernel<TEAM_GRID>, dim3(teams * size),
                                             dim3(EXPOSURE_THREADS), arguments, j->shared_counts, b->stream));
    return ENDO_OK;
}

/* Blocks that work on a pair: enough that few pairs fill the device, none without some rows of its own. */
static int team_size(const cuda_backend *b, const exposure_job *j) {
    int64_t pixels = (int64_t)j->width * j->height;
    int size = b->multiprocessors / j->n, worth = (int)(pixels >> 14);
    if (size > worth) size = worth;
    if (size > j->height) size = j->height;
    return size < 2 ? 1 : size;
}

/* How the blocks of a team meet. */
typedef struct team_plan {
    team_kind kind;
    int size, teams;
} team_plan;

/* A cluster meets in a fraction of the time that a larger team of its own making needs; large images want more. The
 * blocks of a cooperative launch must all be there at once. */
static team_plan plan_teams(const cuda_backend *b, const exposure_job *j) {
    const cuda_exposure_limits *limits = &b->exposure_limits;
    int size = team_size(b, j), large = (int64_t)j->width * j->height >= (int64_t)4 << 20, blocks = 2 * b->multiprocessors;
    team_plan plan = {TEAM_BLOCK, 1, blocks < j->n ? blocks : j->n};
    if (size > EXPOSURE_TEAM) size = EXPOSURE_TEAM;
    if (limits->cluster > 1 && (size <= EXPOSURE_CLUSTER || !large)) {
        if (size > limits->cluster) size = limits->cluster;
        while (size & (size - 1)) size--;
        plan.kind = TEAM_CLUSTER;
    } else {
        if (size > limits->resident / j->n) size = limits->resident / j->n;
        plan.kind = TEAM_GRID;
    }
    if (size > 1) {
        plan.size = size, plan.teams = j->n;
    } else {
        plan.kind = TEAM_BLOCK;
    }
    return plan;
}

static endo_status start(cuda_backend *b, exposure_job *j, const team_plan *plan) {
    cuda_time_begin(b);
    switch (plan->kind) {
    case TEAM_BLOCK:
        align_kernel<TEAM_BLOCK><<<plan->teams, EXPOSURE_THREADS, j->shared_counts, b->stream>>>(*j, 1);
        break;
    case TEAM_CLUSTER: ENDO_TRY(launch_cluster(b, j, plan->teams, plan->size)); break;
    case TEAM_GRID: ENDO_TRY(launch_grid(b, j, plan->teams, plan->size)); break;
    }
    ENDO_CUDA(b, cudaGetLastError());
    cuda_time_end(b);
    return ENDO_OK;
}

static endo_status launch(cuda_backend *b, exposure_job *j, const endo_pair *pairs, endo_exposure_result *results) {
    exposure_scratch unused;
    /* Two blocks share a multiprocessor; the statics of each take up to 28 KB. */
    size_t counts = ((size_t)j->width + j->height) * 4 * sizeof(int16_t);
    j->shared_counts = counts + (28 << 10) <= b->shared_memory_of_block ? counts : 0;
    ENDO_TRY(ask_device(b, j));
    team_plan plan = plan_teams(b, j);
    j->team_bytes = exposure_lay_out(j, NULL, &unused);
    ENDO_TRY(cuda_reserve(b, &b->scratch, plan.teams * j->team_bytes));
    ENDO_TRY(cuda_send(b, pairs, j->n * sizeof *pairs));
    ENDO_TRY(cuda_reserve(b, &b->device_out, j->n * sizeof *results));
    j->memory = (uint8_t *)b->scratch.memory;
    j->pairs = (const endo_pair *)b->device_in.memory;
    j->results = (endo_exposure_result *)b->device_out.memory;
    ENDO_TRY(start(b, j, &plan));
    return cuda_receive(b, b->device_out.memory, results, j->n * sizeof *results);
}

endo_status cuda_exposures(void *store, const endo_pair *pairs, size_t n, const endo_exposure_options *options,
                           endo_exposure_result *results) {
    cuda_store *s = (cuda_store *)store;
    exposure_job j = {};
    if (n == 0) return ENDO_OK;
    ENDO_TRY(cuda_enter(s->backend));
    j.plain = s->plain, j.area = s->area, j.stride = s->stride;
    j.width = s->options.width, j.height = s->options.height, j.words = (s->options.width + GROUP_COLUMNS - 1) / GROUP_COLUMNS * (GROUP_COLUMNS / 32);
    j.n = (int)n, j.options = *options;
    ENDO_TRY(prepare_field(s, &j));
    return launch(s->backend, &j, pairs, results);
}
