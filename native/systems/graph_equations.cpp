/* The sparse normal equations of a pose graph: their numbers, their decomposition (graph_factor.h), and solutions by
 * conjugate gradients where an earlier decomposition is near enough. */
#include "graph.h"

#include "../base/status.h"
#include "graph_factor.h"

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

using graph::Matrix;
using graph::Vector;

/* Where a pair's blocks go: of a block in the lower half its first number; `turned`: the block of (reference, current). */
struct place {
    int64_t between, reference, current;
    bool turned;
};

struct graph_equations {
    int numbers;
    int64_t frames;
    std::vector<int32_t> order; /* block row -> place in the order of elimination */
    std::vector<place> places;
    std::vector<int64_t> heights; /* of a column of the frame in elimination order: numbers in it */
    std::vector<int64_t> rows[2]; /* of a pair: places of its frames, or -1 */
    Matrix matrix;
    Vector right;
    std::unique_ptr<graph::factor> factor;
    bool decomposed;
};

namespace {

struct edge {
    int64_t column, row;
    bool operator<(const edge &o) const { return column != o.column ? column < o.column : row < o.row; }
    bool operator==(const edge &o) const { return column == o.column && row == o.row; }
};

using rows_of_frames = const int32_t *;

/* The lower half of the matrix, whole blocks on the diagonal, with zeros in it. */
void make_matrix(graph_equations *e, const std::vector<edge> &edges) {
    int64_t d = e->numbers, n = e->frames * d, all = 0;
    e->heights.assign(e->frames, 0);
    for (const edge &x : edges) e->heights[x.column] += d;
    for (int64_t h : e->heights) all += h * d;
    e->matrix.resize(n, n);
    e->matrix.resizeNonZeros(all);
    int64_t *starts = e->matrix.outerIndexPtr(), *inner = e->matrix.innerIndexPtr(), at = 0;
    auto first = edges.begin();
    for (int64_t c = 0; c < e->frames; c++) {
        auto last = std::find_if(first, edges.end(), [c](const edge &x) { return x.column != c; });
        for (int64_t k = 0; k < d; k++) {
            starts[c * d + k] = at;
            for (auto x = first; x != last; ++x)
                for (int64_t i = 0; i < d; i++) inner[at++] = x->row * d + i;
        }
        first = last;
    }
    starts[n] = at;
}

int64_t block_at(const graph_equations *e, const std::vector<edge> &edges, const std::vector<int64_t> &firsts,
                 int64_t row, int64_t column) {
    auto begin = edges.begin() + firsts[column], end = edges.begin() + firsts[column + 1];
    int64_t index = std::lower_bound(begin, end, edge{column, row}) - begin;
    return e->matrix.outerIndexPtr()[column * e->numbers] + index * e->numbers;
}

void set_places(graph_equations *e, const std::vector<edge> &edges, size_t n_pairs) {
    std::vector<int64_t> firsts(e->frames + 1, 0);
    for (const edge &x : edges) firsts[x.column + 1]++;
    for (int64_t c = 0; c < e->frames; c++) firsts[c + 1] += firsts[c];
    e->places.resize(n_pairs);
    for (size_t i = 0; i < n_pairs; i++) {
        int64_t a = e->rows[0][i], b = e->rows[1][i];
        place p = {-1, -1, -1, a > b};
        if (a >= 0) p.reference = block_at(e, edges, firsts, a, a);
        if (b >= 0) p.current = block_at(e, edges, firsts, b, b);
        if (a >= 0 && b >= 0) p.between = block_at(e, edges, firsts, std::max(a, b), std::min(a, b));
        e->places[i] = p;
    }
}

graph::edges edges_of(const endo_graph_pair *pairs, size_t n_pairs, rows_of_frames rows) {
    graph::edges all;
    for (size_t i = 0; i < n_pairs; i++) {
        int32_t a = rows[pairs[i].reference], b = rows[pairs[i].current];
        if (a >= 0 && b >= 0) all.push_back({a, b});
    }
    return all;
}

void create(graph_equations *e, const endo_graph_pair *pairs, size_t n_pairs, rows_of_frames rows, int threads) {
    e->factor.reset(new graph::factor(edges_of(pairs, n_pairs, rows), e->frames, e->numbers, threads));
    e->order = e->factor->order();
    std::vector<edge> edges;
    for (int64_t i = 0; i < e->frames; i++) edges.push_back({i, i});
    for (int k = 0; k < 2; k++) e->rows[k].resize(n_pairs);
    for (size_t i = 0; i < n_pairs; i++) {
        int32_t a = rows[pairs[i].reference], b = rows[pairs[i].current];
        int64_t u = e->rows[0][i] = a < 0 ? -1 : e->order[a], v = e->rows[1][i] = b < 0 ? -1 : e->order[b];
        if (u >= 0 && v >= 0) edges.push_back({std::min(u, v), std::max(u, v)});
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    make_matrix(e, edges);
    set_places(e, edges, n_pairs);
    e->right.resize(e->frames * e->numbers);
    e->decomposed = false;
}

void add_block(graph_equations *e, int64_t at, int64_t column, const double *block, bool turned, double weight) {
    if (at < 0) return;
    int d = e->numbers;
    double *values = e->matrix.valuePtr() + at;
    for (int c = 0; c < d; c++, values += e->heights[column])
        for (int r = 0; r < d; r++) values[r] += weight * (turned ? block[c * d + r] : block[r * d + c]);
}

void add_right(graph_equations *e, int64_t row, const double *right, double weight) {
    if (row < 0) return;
    for (int i = 0; i < e->numbers; i++) e->right[row * e->numbers + i] += weight * right[i];
}

/* Conjugate gradients, with an earlier decomposition before them: the equations change little from one iteration over
 * the graph to the next, and a decomposition costs some fifty of these steps. False: they have changed too much. */
bool refine(graph_equations *e, Vector &found) {
    const int most = 24;
    const double enough = 1e-3;
    auto matrix = e->matrix.selfadjointView<Eigen::Lower>();
    Vector rest = e->right, next = rest, way;
    e->factor->solve(next);
    way = next;
    double size = rest.dot(next), first = size;
    found = Vector::Zero(rest.size());
    for (int i = 0; i < most; i++) {
        if (!(size > enough * enough * first)) return true;
        Vector product = matrix * way;
        double length = size / way.dot(product);
        if (!(length > 0)) return false;
        found += length * way;
        rest -= length * product;
        next = rest;
        e->factor->solve(next);
        double before = size;
        size = rest.dot(next);
        way = next + size / before * way;
    }
    return false;
}

endo_status no_memory(int64_t frames) {
    return endo_fail(ENDO_ERR_MEMORY, "no memory to solve a graph of %lld frames", (long long)frames);
}

endo_status undetermined() { return endo_fail(ENDO_ERR_ARGUMENT, "graph: its pairs do not determine the places"); }

} // namespace

extern "C" endo_status graph_equations_create(const endo_graph_pair *pairs, size_t n_pairs, const int32_t *rows,
                                              int32_t free_frames, int numbers, int threads, graph_equations **out) {
    graph_equations *e = new (std::nothrow) graph_equations;
    if (!e) return no_memory(free_frames);
    e->numbers = numbers;
    e->frames = free_frames;
    try {
        create(e, pairs, n_pairs, rows, threads);
    } catch (const std::bad_alloc &) {
        delete e;
        return no_memory(free_frames);
    }
    *out = e;
    return ENDO_OK;
}

extern "C" void graph_equations_destroy(graph_equations *e) { delete e; }

extern "C" void graph_equations_clear(graph_equations *e) {
    e->matrix.coeffs().setZero();
    e->right.setZero();
}

extern "C" void graph_equations_add(graph_equations *e, size_t pair, const graph_term *term, double weight) {
    const place &p = e->places[pair];
    int64_t a = e->rows[0][pair], b = e->rows[1][pair];
    add_block(e, p.reference, a, term->blocks[0], false, weight);
    add_block(e, p.current, b, term->blocks[2], false, weight);
    add_block(e, p.between, std::min(a, b), term->blocks[1], p.turned, weight);
    add_right(e, a, term->right[0], weight);
    add_right(e, b, term->right[1], weight);
}

extern "C" endo_status graph_equations_solve(graph_equations *e, double damping, double *steps) {
    try {
        Vector found;
        if (damping > 0 || !e->decomposed || !refine(e, found)) {
            e->decomposed = e->factor->decompose(e->matrix, damping);
            if (!e->decomposed) return undetermined();
            found = e->right;
            e->factor->solve(found);
        }
        e->decomposed = damping == 0;
        int64_t d = e->numbers;
        for (int64_t f = 0; f < e->frames; f++)
            for (int64_t i = 0; i < d; i++) steps[f * d + i] = found[e->order[f] * d + i];
    } catch (const std::bad_alloc &) {
        return no_memory(e->frames);
    }
    return ENDO_OK;
}

extern "C" endo_status graph_equations_covariances(graph_equations *e, double *blocks) {
    try {
        size_t block = (size_t)e->numbers * (size_t)e->numbers;
        std::vector<double> all(block * (size_t)e->frames);
        e->decomposed = false;
        if (!e->factor->decompose(e->matrix, 0)) return undetermined();
        e->factor->invert(all.data());
        for (size_t f = 0; f < (size_t)e->frames; f++)
            std::copy_n(all.data() + block * (size_t)e->order[f], block, blocks + block * f);
    } catch (const std::bad_alloc &) {
        return no_memory(e->frames);
    }
    return ENDO_OK;
}
