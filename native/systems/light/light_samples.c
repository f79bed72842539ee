/* What every view sees of the scene: its small picture, interpolated at the scene's nodes. */
#include "light.h"

#include "base/transform.h"

#include <math.h>
#include <string.h>

/* More samples than these say no more of the light, in all, or of a view if there are many: of longer sequences nodes lie
 * farther apart. Every cell still has a say where that is no more than two cells. */
#define SAMPLES 200000
#define SAMPLES_A_VIEW 150
#define MOST_SAMPLES 1500000
/* So many samples are gone through while one more thread is woken. */
#define WAKING 4096
/* The most nodes of a scene: those of larger ones lie further apart. */
#define MOST_NODES 4000000
/* Farther than any canvas reaches, px. */
#define FARTHEST 2e6
/* A cell darker than this part of full brightness is mostly noise, and black level. */
#define DARKEST 32

/* A part of the panorama: what its views reach, px, and the first of its rows of nodes. */
typedef struct extent {
    double left, top, right, bottom;
    int64_t row;
} extent;

/* The nodes of all parts. */
typedef struct lattice {
    const extent *parts;
    double side; /* between nodes, px of the panorama */
    ptrdiff_t stride;
} lattice;

/* A node seen in a frame: the upper left one of the four cells around it, and where between them. */
typedef struct sample_place {
    double x, y;
    size_t cell;
    float fx, fy;
} sample_place;

static const light_cell *picture_of(const endo_light *light, const endo_light_view *view) {
    int single = light->grid.columns < 2 || light->grid.rows < 2; /* nothing to interpolate */
    return view->frame < light->room && !single ? light->pictures[view->frame] : NULL;
}

static int is_bright(const endo_light *light, const light_cell *cell) {
    int channels = light_channels(&light->frame), full = light->frame.type == ENDO_GREY16 ? light->frame.high : 65280;
    int sum = 0;
    for (int c = 0; c < channels; c++) sum += cell->mean[c];
    return cell->share > 0 && DARKEST * sum >= channels * full;
}

/* Panorama px a px of the frames: the mean. */
static double mean_scale(const endo_light *light, const endo_light_view *views, size_t n) {
    double sum = 0, count = 0, x = 0.5 * light->frame.width, y = 0.5 * light->frame.height;
    for (size_t i = 0; i < n; i++) {
        double ax, ay, bx, by;
        if (!endo_transform_point(&views[i].transform, x - 0.5, y, &ax, &ay) ||
            !endo_transform_point(&views[i].transform, x + 0.5, y, &bx, &by))
            continue;
        double scale = hypot(bx - ax, by - ay);
        if (scale > 0.01 && scale < 100) sum += scale, count++;
    }
    return count > 0 ? sum / count : 1;
}

/* ------------------------------------------------------------------ nodes */

/* What a view reaches of the panorama: the box of its outermost cells' middles. 0: nothing. */
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
        box->left = fmin(box->left, x), box->right = fmax(box->right, x);
        box->top = fmin(box->top, y), box->bottom = fmax(box->bottom, y);
    }
    return 1;
}

static void reach_parts(const endo_light *light, const endo_light_view *views, extent *parts, size_t n) {
    extent box;
    for (size_t i = 0; i < n; i++) parts[i] = (extent){INFINITY, INFINITY, -INFINITY, -INFINITY, 0};
    for (size_t i = 0; i < n; i++) {
        extent *p = &parts[views[i].component];
        if (!reach(light, &views[i], &box)) continue;
        p->left = fmin(p->left, box.left), p->right = fmax(p->right, box.right);
        p->top = fmin(p->top, box.top), p->bottom = fmax(p->bottom, box.bottom);
    }
}

/* Parts lie below each other on one lattice. Returns how many nodes there are. */
static double stack_parts(extent *parts, size_t n, lattice *l) {
    double rows = 0, columns = 0;
    for (size_t i = 0; i < n; i++) {
        if (parts[i].right < parts[i].left) continue;
        parts[i].row = (int64_t)rows;
        rows += floor((parts[i].bottom - parts[i].top) / l->side) + 2;
        columns = fmax(columns, floor((parts[i].right - parts[i].left) / l->side) + 2);
    }
    l->stride = (ptrdiff_t)columns;
    return rows * columns;
}

/* Cells from node to node. */
static double spacing(const endo_light *light, size_t n) {
    double all = (double)n * (double)light_cells(&light->grid);
    double most = fmin(fmax((double)n * SAMPLES_A_VIEW, SAMPLES), MOST_SAMPLES);
    return fmax(sqrt(all / most), 1);
}

/* With t of them a loop over all samples takes all / t + t * WAKING: least where both are alike. */
static int threads_for(const endo_light *light, size_t n) {
    double all = (double)n * (double)light_cells(&light->grid) / (spacing(light, n) * spacing(light, n));
    return (int)fmax(fmin(ceil(sqrt(all / WAKING)), light->context->threads), 1);
}

static size_t lay_nodes(const endo_light *light, const endo_light_view *views, size_t n, extent *parts, lattice *l) {
    l->parts = parts;
    l->side = light->grid.side * mean_scale(light, views, n) * spacing(light, n);
    reach_parts(light, views, parts, n);
    double nodes = stack_parts(parts, n, l);
    while (nodes > MOST_NODES && nodes > 4.0 * (double)n) {
        l->side *= 2;
        nodes = stack_parts(parts, n, l);
    }
    return (size_t)nodes;
}

/* ----------------------------------------------------------------- samples */

/* The last cell may be cut: its middle is nearer. 0: not between middles. */
static int between(const light_grid *g, int cells, int length, double x, int *cell, float *f) {
    double first = light_centre(g, 0, length), i = (x - first) / g->side;
    if (!(i >= 0 && i < cells)) return 0;
    *cell = (int)i < cells - 1 ? (int)i : cells - 2;
    double low = light_centre(g, *cell, length), high = light_centre(g, *cell + 1, length);
    *f = (float)((x - low) / (high - low));
    return x <= high;
}

static int sample_at(const endo_light *light, const endo_transform *inverse, double x, double y, sample_place *out) {
    const light_grid *g = &light->grid;
    int column, row;
    if (!endo_transform_point(inverse, x, y, &out->x, &out->y)) return 0;
    if (!between(g, g->columns, light->frame.width, out->x, &column, &out->fx)) return 0;
    if (!between(g, g->rows, light->frame.height, out->y, &row, &out->fy)) return 0;
    out->cell = (size_t)row * (size_t)g->columns + (size_t)column;
    return 1;
}

static float mixed(const sample_place *at, float a, float b, float c, float d) {
    float above = a + at->fx * (b - a), below = c + at->fx * (d - c);
    return above + at->fy * (below - above);
}

/* All four cells are known. */
static int is_known(const endo_light *light, const light_cell *four, ptrdiff_t columns) {
    return is_bright(light, four) && is_bright(light, four + 1) && is_bright(light, four + columns) &&
           is_bright(light, four + columns + 1);
}

static void note(const endo_light *light, const light_cell *four, const sample_place *at, light_samples *s, size_t i,
                 int64_t node) {
    const light_cell *below = four + light->grid.columns;
    s->node[i] = (int32_t)node;
    s->x[i] = (float)at->x, s->y[i] = (float)at->y;
    s->share[i] = mixed(at, four[0].share, four[1].share, below[0].share, below[1].share) / 65535.0f;
    for (int c = 0; c < s->channels; c++) {
        float mean = mixed(at, four[0].mean[c], four[1].mean[c], below[0].mean[c], below[1].mean[c]);
        /* Not logf, in whose last bit the libraries of two systems differ. */
        s->values[(size_t)c * s->n + i] = (float)log(mean > 64 ? (double)mean : 64.0);
    }
    s->weight[i] = s->share[i], s->fall[i] = 0;
}

/* The samples of a view; out NULL: only counts them. */
static size_t see(const endo_light *light, const endo_light_view *view, const lattice *l, light_samples *out, size_t first) {
    const light_cell *cells = picture_of(light, view);
    const extent *part = &l->parts[view->component];
    endo_transform inverse;
    extent box;
    sample_place at;
    size_t n = 0;
    if (!reach(light, view, &box) || !endo_transform_inverse(&view->transform, &inverse)) return 0;
    int64_t left = (int64_t)ceil((box.left - part->left) / l->side), top = (int64_t)ceil((box.top - part->top) / l->side);
    int64_t right = (int64_t)((box.right - part->left) / l->side), bottom = (int64_t)((box.bottom - part->top) / l->side);
    for (int64_t j = top; j <= bottom; j++)
        for (int64_t i = left; i <= right; i++) {
            double x = part->left + (double)i * l->side, y = part->top + (double)j * l->side;
            if (!sample_at(light, &inverse, x, y, &at) || !is_known(light, cells + at.cell, light->grid.columns)) continue;
            if (out) note(light, cells + at.cell, &at, out, first + n, (part->row + j) * l->stride + i);
            n++;
        }
    return n;
}

/* The scene's own level is no unknown of size. */
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
    size_t room = s->n + 1;
    s->node = endo_alloc(room, sizeof *s->node);
    s->values = endo_alloc(room * (size_t)s->channels, sizeof *s->values);
    float **lists[] = {&s->x, &s->y, &s->share, &s->weight, &s->fall};
    int made = s->node && s->values;
    for (int i = 0; i < 5; i++) {
        *lists[i] = endo_alloc(room, sizeof(float));
        made &= *lists[i] != NULL;
    }
    return made;
}

static endo_status see_all(const endo_light *light, const endo_light_view *views, const lattice *l, light_samples *s) {
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (size_t i = 0; i < s->views; i++) s->first[i + 1] = see(light, &views[i], l, NULL, 0);
    for (size_t i = 0; i < s->views; i++) s->first[i + 1] += s->first[i];
    s->n = s->first[s->views];
    if (!take_memory(s)) return endo_fail(ENDO_ERR_MEMORY, "no memory for the light of %zu frames", s->views);
#pragma omp parallel for num_threads(s->threads) schedule(static)
    for (size_t i = 0; i < s->views; i++) see(light, &views[i], l, s, s->first[i]);
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
    extent *parts = endo_alloc(n + 1, sizeof *parts);
    if (!s->first || !parts) {
        endo_free(parts);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the light of %zu frames", n);
    }
    s->nodes = lay_nodes(light, views, n, parts, &l);
    s->alike = fmax(LIGHT_ALIKE / (spacing(light, n) * spacing(light, n)), 1);
    endo_status status = see_all(light, views, &l, s);
    endo_free(parts);
    return status;
}

void light_samples_free(light_samples *s) {
    endo_free(s->first);
    endo_free(s->node);
    endo_free(s->values);
    float *lists[] = {s->x, s->y, s->share, s->weight, s->fall};
    for (int i = 0; i < 5; i++) endo_free(lists[i]);
}
