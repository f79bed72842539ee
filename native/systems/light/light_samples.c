/* The samples of every view: its small picture, interpolated at the nodes of the scene. */
#include "light.h"

#include "base/transform.h"

#include <math.h>
#include <string.h>

/* Numbers of samples above which more of them do not help: in all, and a view if there are many views. In longer sequences
 * nodes are farther apart; every cell is still used where that is no more than two cells. */
#define SAMPLES 200000
#define SAMPLES_A_VIEW 150
#define MOST_SAMPLES 1500000
/* Samples that one thread handles in the time in which another one is woken. */
#define WAKING 4096
/* Most nodes of a scene: in larger ones they are further apart. */
#define MOST_NODES 4000000
/* Farther than any canvas reaches, px. */
#define FARTHEST 2e6
/* Cells darker than 1/DARKEST of full brightness are mostly noise and black level. */
#define DARKEST 32

/* Bounds of the views of a connected component in its panorama, px, and the first of its rows of nodes. */
typedef struct extent {
    double left, top, right, bottom;
    int64_t row;
} extent;

/* The nodes of all components. */
typedef struct lattice {
    const extent *components;
    double side; /* distance between nodes, px of the panorama */
    ptrdiff_t stride;
} lattice;

/* Position of a node in a frame, px: the upper left one of the four cells around it, and the fractions between them. */
typedef struct sample_position {
    double x, y;
    size_t cell;
    float fx, fy;
} sample_position;

static const light_cell *picture_of(const endo_light *light, const endo_light_view *view) {
    int single = light->grid.columns < 2 || light->grid.rows < 2; /* nothing to interpolate */
    return view->frame < light->capacity && !single ? light->pictures[view->frame] : NULL;
}

static int is_bright(const endo_light *light, const light_cell *cell) {
    int channels = light_channels(&light->frame), full = light->frame.type == ENDO_GREY16 ? light->frame.high : 65280;
    int sum = 0;
    for (int c = 0; c < channels; c++) sum += cell->mean[c];
    return cell->share > 0 && DARKEST * sum >= channels * full;
}

/* Mean scale of the views: panorama px a px of the frame. */
static double mean_scale(const endo_light *light, const endo_light_view *views, size_t n) {
    double sum = 0, count = 0, x = 0.5 * light->frame.width, y = 0.5 * light->frame.height;
    for (size_t i = 0; i < n; i++) {
        double ax, ay, bx, by;
        if (!endo_transform_point(&views[i].transform, x - 0.5, y, &ax, &ay) ||
            !endo_transform_point(&views[i].transform, x + 0.5, y, &bx, &by))
            continue;
        double scale = hypot(bx - ax, by - ay);
        if (scale > 0.01 && scale < 100) {
            sum += scale;
            count++;
        }
    }
    return count > 0 ? sum / count : 1;
}

/* ------------------------------------------------------------------ nodes */

/* Bounds of a view in the panorama: the box of its outermost cells' middles. 0: it has none. */
static int reach(const endo_light *light, const endo_light_view *view, extent *box) {
    const light_grid *g = &light->grid;
    *box = (extent){INFINITY, INFINITY, -INFINITY, -INFINITY, 0};
    if (!picture_of(light, view)) return 0;
    for (int i = 0; i < 4; i++) {
        double x = light_centre(g, i & 1 ? g->columns - 1 : 0, light->frame.width);
        double y = light_centre(g, i & 2 ? g->rows - 1 : 0, light->frame.height);
        const double *m = view->transform.matrix;
        if (!(m[6] * x + m[7] * y + m[8] > 0)) return 0; /* beyond the horizon */
        if (!endo_transform_point(&view->transform, x, y, &x, &y)) return 0;
        if (!(fabs(x) <= FARTHEST && fabs(y) <= FARTHEST)) return 0;
        box->left = fmin(box->left, x);
        box->right = fmax(box->right, x);
        box->top = fmin(box->top, y);
        box->bottom = fmax(box->bottom, y);
    }
    return 1;
}

static void reach_components(const endo_light *light, const endo_light_view *views, extent *components, size_t n) {
    extent box;
    for (size_t i = 0; i < n; i++) components[i] = (extent){INFINITY, INFINITY, -INFINITY, -INFINITY, 0};
    for (size_t i = 0; i < n; i++) {
        extent *p = &components[views[i].component];
        if (!reach(light, &views[i], &box)) continue;
        p->left = fmin(p->left, box.left);
        p->right = fmax(p->right, box.right);
        p->top = fmin(p->top, box.top);
        p->bottom = fmax(p->bottom, box.bottom);
    }
}

/* Lays the components below each other on one lattice. Returns how many nodes there are. */
static double stack_components(extent *components, size_t n, lattice *l) {
    double rows = 0, columns = 0;
    for (size_t i = 0; i < n; i++) {
        if (components[i].right < components[i].left) continue;
        components[i].row = (int64_t)rows;
        rows += floor((components[i].bottom - components[i].top) / l->side) + 2;
        columns = fmax(columns, floor((components[i].right - components[i].left) / l->side) + 2);
    }
    l->stride = (ptrdiff_t)columns;
    return rows * columns;
}

/* Distance between nodes, in cells. */
static double spacing(const endo_light *light, size_t n) {
    double all = (double)n * (double)light_cells(&light->grid);
    double most = fmin(fmax((double)n * SAMPLES_A_VIEW, SAMPLES), MOST_SAMPLES);
    return fmax(sqrt(all / most), 1);
}

/* Threads to use: with t of them a loop over all samples takes all / t + t * WAKING, which is least where both are equal. */
static int threads_for(const endo_light *light, size_t n) {
    double all = (double)n * (double)light_cells(&light->grid) / (spacing(light, n) * spacing(light, n));
    return (int)fmax(fmin(ceil(sqrt(all / WAKING)), light->context->threads), 1);
}

static size_t lay_nodes(const endo_light *light, const endo_light_view *views, size_t n, extent *components, lattice *l) {
    l->components = components;
    l->side = light->grid.side * mean_scale(light, views, n) * spacing(light, n);
    reach_components(light, views, components, n);
    double nodes = stack_components(components, n, l);
    while (nodes > MOST_NODES && nodes > 4.0 * (double)n) {
        l->side *= 2;
        nodes = stack_components(components, n, l);
    }
    return (size_t)nodes;
}

/* ----------------------------------------------------------------- samples */

/* The cells between whose middles x lies, and the fraction. The last cell may be smaller. 0: x is not between middles. */
static int between(const light_grid *g, int cells, int length, double x, int *cell, float *f) {
    double first = light_centre(g, 0, length), i = (x - first) / g->side;
    if (!(i >= 0 && i < cells)) return 0;
    *cell = (int)i < cells - 1 ? (int)i : cells - 2;
    double low = light_centre(g, *cell, length), high = light_centre(g, *cell + 1, length);
    *f = (float)((x - low) / (high - low));
    return x <= high;
}

static int sample_at(const endo_light *light, const endo_transform *inverse, double x, double y, sample_position *out) {
    const light_grid *g = &light->grid;
    int column, row;
    if (!endo_transform_point(inverse, x, y, &out->x, &out->y)) return 0;
    if (!between(g, g->columns, light->frame.width, out->x, &column, &out->fx)) return 0;
    if (!between(g, g->rows, light->frame.height, out->y, &row, &out->fy)) return 0;
    out->cell = (size_t)row * (size_t)g->columns + (size_t)column;
    return 1;
}

static float mixed(const sample_position *at, float a, float b, float c, float d) {
    float above = a + at->fx * (b - a), below = c + at->fx * (d - c);
    return above + at->fy * (below - above);
}

void light_samples_slope(const endo_light *light, const endo_light_view *view, double x, double y, double out[2]) {
    const light_grid *g = &light->grid;
    const light_cell *cells = picture_of(light, view);
    int column;
    int row;
    float fx;
    float fy;
    double sums[4] = {0, 0, 0, 0};
    out[0] = out[1] = 0;
    if (!cells || !between(g, g->columns, light->frame.width, x, &column, &fx)) return;
    if (!between(g, g->rows, light->frame.height, y, &row, &fy)) return;
    const light_cell *four = cells + row * g->columns + column;
    for (int c = 0; c < light_channels(&light->frame); c++)
        for (int k = 0; k < 4; k++) sums[k] += four[k / 2 * g->columns + k % 2].mean[c];
    double left = sums[0] + fy * (sums[2] - sums[0]);
    double right = sums[1] + fy * (sums[3] - sums[1]);
    double above = sums[0] + fx * (sums[1] - sums[0]);
    double below = sums[2] + fx * (sums[3] - sums[2]);
    double mean = fmax(left + fx * (right - left), 1);
    out[0] = (right - left) / (mean * g->side);
    out[1] = (below - above) / (mean * g->side);
}

/* Whether all four cells are bright enough. */
static int is_known(const endo_light *light, const light_cell *four, ptrdiff_t columns) {
    return is_bright(light, four) && is_bright(light, four + 1) && is_bright(light, four + columns) &&
           is_bright(light, four + columns + 1);
}

static void note(const endo_light *light, const light_cell *four, const sample_position *at, light_samples *s, size_t i,
                 int64_t node) {
    const light_cell *below = four + light->grid.columns;
    s->node[i] = (int32_t)node;
    s->x[i] = (float)at->x;
    s->y[i] = (float)at->y;
    s->share[i] = mixed(at, four[0].share, four[1].share, below[0].share, below[1].share) / 65535.0f;
    for (int c = 0; c < s->channels; c++) {
        float mean = mixed(at, four[0].mean[c], four[1].mean[c], below[0].mean[c], below[1].mean[c]);
        /* The double logarithm: the last bit of logf differs between systems' libraries. */
        s->values[(size_t)c * s->n + i] = (float)log(mean > 64 ? (double)mean : 64.0);
    }
    s->weight[i] = s->share[i];
    s->vignetting[i] = 0;
}

/* Makes the samples of a view, and returns how many; out NULL: only counts them. */
static size_t sample_view(const endo_light *light, const endo_light_view *view, const lattice *l, light_samples *out,
                          size_t first) {
    const light_cell *cells = picture_of(light, view);
    const extent *bounds = &l->components[view->component];
    endo_transform inverse;
    extent box;
    sample_position at;
    size_t n = 0;
    if (!reach(light, view, &box) || !endo_transform_inverse(&view->transform, &inverse)) return 0;
    int64_t left = (int64_t)ceil((box.left - bounds->left) / l->side);
    int64_t top = (int64_t)ceil((box.top - bounds->top) / l->side);
    int64_t right = (int64_t)((box.right - bounds->left) / l->side);
    int64_t bottom = (int64_t)((box.bottom - bounds->top) / l->side);
    for (int64_t j = top; j <= bottom; j++)
        for (int64_t i = left; i <= right; i++) {
            double x = bounds->left + (double)i * l->side, y = bounds->top + (double)j * l->side;
            if (!sample_at(light, &inverse, x, y, &at) || !is_known(light, cells + at.cell, light->grid.columns)) continue;
            if (out) note(light, cells + at.cell, &at, out, first + n, (bounds->row + j) * l->stride + i);
            n++;
        }
    return n;
}

/* Takes the mean from the values of each channel, so that the unknowns are small. */
static void centre_values(light_samples *s) {
    for (int c = 0; c < s->channels; c++) {
        float *values = s->values + (size_t)c * s->n;
        double sum = 0;
        for (size_t i = 0; i < s->n; i++) sum += values[i];
        float mean = s->n ? (float)(sum / (double)s->n) : 0;
        for (size_t i = 0; i < s->n; i++) values[i] -= mean;
    }
}

/* ------------------------------------------------------------------- make */

static int take_memory(light_samples *s) {
    size_t n = s->n + 1;
    s->node = endo_alloc(n, sizeof *s->node);
    s->values = endo_alloc(n * (size_t)s->channels, sizeof *s->values);
    float **lists[] = {&s->x, &s->y, &s->share, &s->weight, &s->vignetting};
    int made = s->node && s->values;
    for (int i = 0; i < 5; i++) {
        *lists[i] = endo_alloc(n, sizeof(float));
        made &= *lists[i] != NULL;
    }
    return made;
}

static endo_status sample_views(const endo_light *light, const endo_light_view *views, const lattice *l, light_samples *s) {
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (size_t i = 0; i < s->views; i++) s->first[i + 1] = sample_view(light, &views[i], l, NULL, 0);
    for (size_t i = 0; i < s->views; i++) s->first[i + 1] += s->first[i];
    s->n = s->first[s->views];
    if (!take_memory(s)) return endo_fail(ENDO_ERR_MEMORY, "no memory for the light of %zu frames", s->views);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (size_t i = 0; i < s->views; i++) sample_view(light, &views[i], l, s, s->first[i]);
    centre_values(s);
    return ENDO_OK;
}

endo_status light_samples_make(const endo_light *light, const endo_light_view *views, size_t n, light_samples *s) {
    lattice l;
    memset(s, 0, sizeof *s);
    s->channels = light_channels(&light->frame);
    s->threads = threads_for(light, n);
    s->cpu = light->context->cpu;
    s->views = n;
    s->first = endo_alloc_zeroed(n + 1, sizeof *s->first);
    extent *components = endo_alloc(n + 1, sizeof *components);
    if (!s->first || !components) {
        endo_free(components);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the light of %zu frames", n);
    }
    s->nodes = lay_nodes(light, views, n, components, &l);
    s->stride = (size_t)l.stride;
    s->alike = fmax(LIGHT_ALIKE / (spacing(light, n) * spacing(light, n)), 1);
    endo_status status = sample_views(light, views, &l, s);
    endo_free(components);
    return status;
}

void light_samples_free(light_samples *s) {
    endo_free(s->first);
    endo_free(s->node);
    endo_free(s->values);
    float *lists[] = {s->x, s->y, s->share, s->weight, s->vignetting};
    for (int i = 0; i < 5; i++) endo_free(lists[i]);
}
