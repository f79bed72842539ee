/* Where every view sees what of the scene: the small pictures' cells, laid on the scene's nodes. */
#include "light.h"

#include "../base/transform.h"

#include <math.h>
#include <string.h>

/* More cells than this say no more of the light: of long sequences every second one is taken, and so on. */
#define MOST_SIGHTS 1500000
/* More nodes mean a larger scene grid. */
#define MOST_NODES 4000000
/* Farther than any canvas reaches, px. */
#define FARTHEST 2e6
/* A cell darker than this part of full brightness is mostly noise, and black level. */
#define DARKEST 32

/* Of a part of the panorama: what its views reach, px, and the first of its rows of nodes. */
typedef struct extent {
    double left, top, right, bottom;
    int64_t row;
} extent;

static const light_cell *picture_of(const endo_light *light, const endo_light_view *view) {
    return view->frame < light->room ? light->pictures[view->frame] : NULL;
}

static int is_bright(const endo_light *light, const light_cell *cell) {
    int channels = light_channels(&light->frame), full = light->frame.type == ENDO_GREY16 ? light->frame.high : 65280;
    int sum = 0;
    for (int c = 0; c < channels; c++) sum += cell->mean[c];
    return cell->share > 0 && DARKEST * sum >= channels * full;
}

static float logarithm(uint16_t mean) { return logf(mean > 64 ? (float)mean : 64.0f); }

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

/* ----------------------------------------------------------------- sights */

/* fx, fy: px of the panorama, for now. */
static void see(const endo_light *light, const endo_light_view *views, size_t n, size_t skip, light_equations *e) {
    const light_grid *g = &light->grid;
    for (size_t i = 0; i < n; i++) {
        const light_cell *cells = picture_of(light, &views[i]);
        for (size_t k = (7 * i) % skip; cells && k < e->cells; k += skip) {
            double x = light_centre(g, (int)(k % (size_t)g->columns), light->frame.width);
            double y = light_centre(g, (int)(k / (size_t)g->columns), light->frame.height);
            if (!is_bright(light, &cells[k]) || !endo_transform_point(&views[i].transform, x, y, &x, &y)) continue;
            if (!(fabs(x) <= FARTHEST && fabs(y) <= FARTHEST)) continue;
            light_sight *s = &e->sights[e->n];
            *s = (light_sight){0, (float)x, (float)y, (int32_t)i, (int32_t)k, cells[k].share / 65535.0f, 0};
            s->weight = s->share;
            for (int c = 0; c < e->channels; c++) e->values[(size_t)c * e->room + e->n] = logarithm(cells[k].mean[c]);
            e->n++;
        }
    }
}

/* The scene's own level is no unknown of size. */
static void centre_values(light_equations *e) {
    for (int c = 0; c < e->channels; c++) {
        float *values = e->values + (size_t)c * e->room;
        double sum = 0;
        for (size_t i = 0; i < e->n; i++) sum += values[i];
        float mean = e->n ? (float)(sum / (double)e->n) : 0;
        for (size_t i = 0; i < e->n; i++) values[i] -= mean;
    }
}

/* ------------------------------------------------------------------ nodes */

static void reach_parts(const light_equations *e, const endo_light_view *views, extent *parts, size_t n) {
    for (size_t i = 0; i < n; i++) parts[i] = (extent){INFINITY, INFINITY, -INFINITY, -INFINITY, 0};
    for (size_t i = 0; i < e->n; i++) {
        const light_sight *s = &e->sights[i];
        extent *p = &parts[views[s->view].part];
        p->left = fmin(p->left, s->fx), p->right = fmax(p->right, s->fx);
        p->top = fmin(p->top, s->fy), p->bottom = fmax(p->bottom, s->fy);
    }
}

/* Parts lie below each other on one grid. Returns how many nodes there are. */
static double stack_parts(extent *parts, size_t n, double side, light_equations *e) {
    double rows = 0, columns = 0;
    for (size_t i = 0; i < n; i++) {
        if (parts[i].right < parts[i].left) continue;
        parts[i].row = (int64_t)rows;
        rows += floor((parts[i].bottom - parts[i].top) / side) + 2;
        columns = fmax(columns, floor((parts[i].right - parts[i].left) / side) + 2);
    }
    e->stride = (ptrdiff_t)columns;
    return rows * columns;
}

static void lay_on_nodes(const endo_light_view *views, const extent *parts, double side, light_equations *e) {
    for (size_t i = 0; i < e->n; i++) {
        light_sight *s = &e->sights[i];
        const extent *p = &parts[views[s->view].part];
        double x = (s->fx - p->left) / side, y = (s->fy - p->top) / side;
        s->node = (int32_t)((p->row + (int64_t)y) * e->stride + (int64_t)x);
        s->fx = (float)(x - floor(x)), s->fy = (float)(y - floor(y));
    }
}

/* ------------------------------------------------------------------- make */

static int take_memory(light_equations *e) {
    e->sights = endo_alloc(e->room, sizeof *e->sights);
    e->values = endo_alloc(e->room * (size_t)e->channels, sizeof *e->values);
    e->basis = endo_alloc(e->cells * LIGHT_TERMS, sizeof *e->basis);
    return e->sights && e->values && e->basis;
}

static void fill_basis(const endo_light *light, const light_surface *surface, light_equations *e) {
    const light_grid *g = &light->grid;
    for (size_t i = 0; i < e->cells; i++)
        light_surface_terms(surface, light_centre(g, (int)(i % (size_t)g->columns), light->frame.width),
                            light_centre(g, (int)(i / (size_t)g->columns), light->frame.height),
                            e->basis + i * LIGHT_TERMS);
}

endo_status light_sights_make(const endo_light *light, const light_surface *surface, const endo_light_view *views,
                              size_t n, light_equations *e) {
    double side = light->grid.side * mean_scale(light, views, n);
    memset(e, 0, sizeof *e);
    e->channels = light_channels(&light->frame), e->terms = LIGHT_TERMS, e->threads = light->context->threads;
    e->views = n, e->cells = light_cells(&light->grid);
    size_t all = n * e->cells, skip = all / MOST_SIGHTS + 1;
    e->room = all / skip + n + 1;
    extent *parts = endo_alloc(n + 1, sizeof *parts);
    if (!parts || !take_memory(e)) {
        endo_free(parts);
        return endo_fail(ENDO_ERR_MEMORY, "no memory for the light of %zu frames", n);
    }
    fill_basis(light, surface, e);
    see(light, views, n, skip, e);
    centre_values(e);
    reach_parts(e, views, parts, n);
    double nodes = stack_parts(parts, n, side, e);
    while (nodes > MOST_NODES && nodes > 4.0 * (double)n) nodes = stack_parts(parts, n, side *= 2, e);
    e->nodes = (size_t)nodes;
    lay_on_nodes(views, parts, side, e);
    endo_free(parts);
    return ENDO_OK;
}

void light_sights_free(light_equations *e) {
    endo_free(e->sights);
    endo_free(e->values);
    endo_free(e->basis);
}
