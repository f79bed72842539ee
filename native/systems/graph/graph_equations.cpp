/* The sparse normal equations of a pose graph: their values, their decomposition (graph_factor.h), and solutions by
 * conjugate gradients, preconditioned by a decomposition that is near enough: an earlier one, or for affine maps that of
 * one row.
 *
 * An affine pose has two rows of three numbers. In the panorama's axes a pair has the same equations for both rows, and none
 * between them, if its reference is turned and scaled, but not sheared. So one decomposition with three numbers a frame
 * stands for that with six, at an eighth of the work. */
#include "graph.h"

#include "base/status.h"
#include "graph_factor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

using graph::Matrix;
using graph::Vector;
using Dense = Eigen::MatrixXd;

namespace {

struct edge {
    int64_t column, row;
    bool operator<(const edge &o) const { return column != o.column ? column < o.column : row < o.row; }
    bool operator==(const edge &o) const { return column == o.column && row == o.row; }
};

using rows_of_frames = const int32_t *;

/* Index of the first value of each of a pair's blocks in the lower half; `turned`: (reference, current) is transposed. */
struct block_indices {
    int64_t between, reference, current;
    bool turned;
};

/* Frames whose columns one thread adds up. */
struct frame_range {
    int64_t from, to;
    bool has(int64_t frame) const { return frame >= from && frame < to; }
};

/* The lower half of a matrix of d x d blocks, whole blocks on the diagonal, with zeros in it. */
struct block_matrix {
    int64_t d, frames;
    std::vector<block_indices> pairs;
    std::vector<int64_t> heights; /* values in a column, by frame */
    Matrix matrix;

    void make(int numbers, int64_t n, const std::vector<edge> &edges, const std::vector<int64_t> rows[2]);
    void add(size_t pair, int64_t a, int64_t b, const double *const blocks[3], double weight, const frame_range &columns);

private:
    void lay_out(const std::vector<edge> &edges);
    void add_block(int64_t at, int64_t column, const double *block, bool turned, double weight, const frame_range &columns);
};

void block_matrix::lay_out(const std::vector<edge> &edges) {
    int64_t n = frames * d, all = 0;
    heights.assign(frames, 0);
    for (const edge &x : edges) heights[x.column] += d;
    for (int64_t h : heights) all += h * d;
    matrix.resize(n, n);
    matrix.resizeNonZeros(all);
    int64_t *starts = matrix.outerIndexPtr(), *inner = matrix.innerIndexPtr(), at = 0;
    auto first = edges.begin();
    for (int64_t c = 0; c < frames; c++) {
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

void block_matrix::make(int numbers, int64_t n, const std::vector<edge> &edges, const std::vector<int64_t> rows[2]) {
    d = numbers;
    frames = n;
    lay_out(edges);
    std::vector<int64_t> firsts(frames + 1, 0);
    for (const edge &x : edges) firsts[x.column + 1]++;
    for (int64_t c = 0; c < frames; c++) firsts[c + 1] += firsts[c];
    auto at = [&](int64_t row, int64_t column) {
        auto begin = edges.begin() + firsts[column], end = edges.begin() + firsts[column + 1];
        return matrix.outerIndexPtr()[column * d] + (std::lower_bound(begin, end, edge{column, row}) - begin) * d;
    };
    pairs.resize(rows[0].size());
    for (size_t i = 0; i < pairs.size(); i++) {
        int64_t a = rows[0][i], b = rows[1][i];
        block_indices p = {-1, -1, -1, a > b};
        if (a >= 0) p.reference = at(a, a);
        if (b >= 0) p.current = at(b, b);
        if (a >= 0 && b >= 0) p.between = at(std::max(a, b), std::min(a, b));
        pairs[i] = p;
    }
}

void block_matrix::add_block(int64_t at, int64_t column, const double *block, bool turned, double weight,
                             const frame_range &columns) {
    if (at < 0 || !columns.has(column)) return;
    double *values = matrix.valuePtr() + at;
    for (int64_t c = 0; c < d; c++, values += heights[column])
        for (int64_t r = 0; r < d; r++) values[r] += weight * (turned ? block[c * d + r] : block[r * d + c]);
}

/* Adds the blocks of frame a, of b and a, and of b. */
void block_matrix::add(size_t pair, int64_t a, int64_t b, const double *const blocks[3], double weight,
                       const frame_range &columns) {
    const block_indices &p = pairs[pair];
    add_block(p.reference, a, blocks[0], false, weight, columns);
    add_block(p.current, b, blocks[2], false, weight, columns);
    add_block(p.between, std::min(a, b), blocks[1], p.turned, weight, columns);
}

} // namespace

struct graph_equations {
    int numbers, threads;
    int64_t frames;
    std::vector<int32_t> order;   /* block row -> index in the order of elimination */
    std::vector<int64_t> rows[2]; /* by pair: indices of its frames in that order; -1: held */
    block_matrix all, thirds;     /* thirds: those of one row of affine maps */
    Vector right;
    std::vector<double> linear, back; /* affine poses: their linear parts, and those inverted, 4 numbers each */
    std::unique_ptr<graph::factor> factor;
    bool decomposed;

    bool affine() const { return numbers == 6; }
};

namespace {

/* ------------------------------------------------------------------ making */

graph::edges edges_of(const endo_graph_pair *pairs, size_t n_pairs, rows_of_frames rows) {
    graph::edges all;
    for (size_t i = 0; i < n_pairs; i++) {
        int32_t a = rows[pairs[i].reference], b = rows[pairs[i].current];
        if (a >= 0 && b >= 0) all.push_back({a, b});
    }
    return all;
}

void create(graph_equations *e, const endo_graph_pair *pairs, size_t n_pairs, rows_of_frames rows, int threads,
            endo_cpu cpu) {
    int decomposed = e->affine() ? 3 : e->numbers;
    e->factor.reset(new graph::factor(edges_of(pairs, n_pairs, rows), e->frames, decomposed, threads, cpu));
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
    e->all.make(e->numbers, e->frames, edges, e->rows);
    if (e->affine()) e->thirds.make(3, e->frames, edges, e->rows);
    e->right.resize(e->frames * e->numbers);
    e->linear.resize(4 * (size_t)e->frames);
    e->back.resize(4 * (size_t)e->frames);
    e->decomposed = false;
}

/* Sets the linear parts of affine poses, and their inverses. */
void set_linear_parts(graph_equations *e, const double (*poses)[9]) {
    for (int64_t f = 0; f < e->frames; f++) {
        const double *p = poses[f], a[4] = {p[0], p[1], p[3], p[4]}, determinant = a[0] * a[3] - a[1] * a[2];
        double *linear = &e->linear[4 * (size_t)e->order[f]], *back = &e->back[4 * (size_t)e->order[f]];
        std::memcpy(linear, a, sizeof a);
        back[0] = a[3] / determinant;
        back[1] = -a[1] / determinant;
        back[2] = -a[2] / determinant;
        back[3] = a[0] / determinant;
    }
}

/* ----------------------------------------------------------------- solving */

bool decompose(graph_equations *e, double damping) {
    e->decomposed = e->factor->decompose(e->affine() ? e->thirds.matrix : e->all.matrix, damping);
    return e->decomposed;
}

/* Numbers of an affine step (graph.h) in its rows x' and y': the shift, and the factors of x and y. */
const int row_numbers[2][3] = {{0, 2, 3}, {1, 4, 5}};

/* The solution by the decomposition, for affine maps row by row in the panorama's axes. */
Vector approach(const graph_equations *e, const Vector &right) {
    if (!e->affine()) {
        Dense x = right;
        e->factor->solve(x);
        return x.col(0);
    }
    Dense x(3 * e->frames, 2);
    for (int64_t f = 0; f < e->frames; f++)
        for (int i = 0; i < 3; i++) {
            const double *b = &e->back[4 * (size_t)f], *r = right.data() + 6 * f;
            for (int k = 0; k < 2; k++) x(3 * f + i, k) = b[k] * r[row_numbers[0][i]] + b[2 + k] * r[row_numbers[1][i]];
        }
    e->factor->solve(x);
    Vector found(6 * e->frames);
    for (int64_t f = 0; f < e->frames; f++)
        for (int i = 0; i < 3; i++) {
            const double *b = &e->back[4 * (size_t)f];
            for (int k = 0; k < 2; k++)
                found[6 * f + row_numbers[k][i]] = b[2 * k] * x(3 * f + i, 0) + b[2 * k + 1] * x(3 * f + i, 1);
        }
    return found;
}

/* Conjugate gradients preconditioned by the decomposition, which costs as much as some ten of these steps. False: not
 * converged after `most` steps; with `early` also as soon as that is foreseen. */
bool refine(const graph_equations *e, int most, bool early, Vector &found) {
    const double enough = 1e-2;
    auto matrix = e->all.matrix.selfadjointView<Eigen::Lower>();
    Vector rest = e->right;
    Vector next = approach(e, rest);
    Vector way = next;
    double size = rest.dot(next), first = size;
    found = Vector::Zero(rest.size());
    for (int i = 0; i < most; i++) {
        if (!(size > enough * enough * first)) return true;
        if (early && size > first * std::pow(enough, 2.0 * i / most)) return false;
        Vector product = matrix * way;
        double length = size / way.dot(product);
        if (!(length > 0)) return false;
        found += length * way;
        rest -= length * product;
        next = approach(e, rest);
        double before = size;
        size = rest.dot(next);
        way = next + size / before * way;
    }
    return false;
}

/* One solution for the current numbers; false: they determine none. */
bool solve(graph_equations *e, double damping, Vector &found) {
    const int few = 4, many = 200;
    if (damping == 0 && e->decomposed && refine(e, few, true, found)) return true;
    if (!decompose(e, damping)) return false;
    e->decomposed = damping == 0;
    if (damping > 0 || !e->affine()) found = approach(e, e->right);
    else refine(e, many, false, found); /* need not converge: the next step goes on */
    return true;
}

/* The covariance of back Z, where the two rows of Z are independent and have the same covariance `third`. */
void covariance_of_rows(const double *third, const double back[4], double *block) {
    double square[2][2] = {{back[0] * back[0] + back[1] * back[1], back[0] * back[2] + back[1] * back[3]},
                           {back[0] * back[2] + back[1] * back[3], back[2] * back[2] + back[3] * back[3]}};
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++)
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++) block[6 * row_numbers[a][i] + row_numbers[b][k]] = square[a][b] * third[3 * i + k];
}

bool covariances(graph_equations *e, double *blocks) {
    size_t d = e->affine() ? 3 : (size_t)e->numbers, whole = (size_t)e->numbers * (size_t)e->numbers;
    std::vector<double> found(d * d * (size_t)e->frames);
    /* Damping for frames that no pair ties to a held one: their deviations become some million times the others'. */
    const double loose = 1e-12;
    if (!decompose(e, 0) && !decompose(e, loose)) return false;
    e->decomposed = false; /* overwritten by the inverse */
    e->factor->invert(found.data());
    for (size_t f = 0; f < (size_t)e->frames; f++) {
        size_t at = (size_t)e->order[f];
        if (e->affine()) covariance_of_rows(&found[9 * at], &e->back[4 * at], blocks + whole * f);
        else std::copy_n(&found[whole * at], whole, blocks + whole * f);
    }
    return true;
}

void add_pair(graph_equations *e, size_t pair, const graph_term *term, const frame_range &columns) {
    int64_t rows[2] = {e->rows[0][pair], e->rows[1][pair]};
    const double *const blocks[3] = {term->blocks[0], term->blocks[1], term->blocks[2]};
    const double *const thirds[3] = {term->thirds[0], term->thirds[1], term->thirds[2]};
    e->all.add(pair, rows[0], rows[1], blocks, term->weight, columns);
    if (e->affine()) e->thirds.add(pair, rows[0], rows[1], thirds, term->weight, columns);
    for (int k = 0; k < 2; k++)
        for (int i = 0; columns.has(rows[k]) && i < e->numbers; i++)
            e->right[rows[k] * e->numbers + i] += term->weight * term->right[k][i];
}

endo_status no_memory(int64_t frames) {
    return endo_fail(ENDO_ERR_MEMORY, "no memory to solve a graph of %lld frames", (long long)frames);
}

endo_status undetermined() { return endo_fail(ENDO_ERR_ARGUMENT, "graph: its pairs do not determine the places"); }

} // namespace

extern "C" endo_status graph_equations_create(const endo_graph_pair *pairs, size_t n_pairs, const int32_t *rows,
                                              int32_t free_frames, int numbers, int threads, endo_cpu cpu,
                                              graph_equations **out) {
    graph_equations *e = new (std::nothrow) graph_equations;
    if (!e) return no_memory(free_frames);
    e->numbers = numbers;
    e->frames = free_frames;
    e->threads = threads;
    try {
        create(e, pairs, n_pairs, rows, threads, cpu);
    } catch (const std::bad_alloc &) {
        delete e;
        return no_memory(free_frames);
    }
    *out = e;
    return ENDO_OK;
}

extern "C" void graph_equations_destroy(graph_equations *e) { delete e; }

extern "C" void graph_equations_clear(graph_equations *e, const double (*poses)[9]) {
    e->all.matrix.coeffs().setZero();
    if (e->affine()) e->thirds.matrix.coeffs().setZero();
    e->right.setZero();
    set_linear_parts(e, poses);
}

extern "C" void graph_equations_add(graph_equations *e, size_t first, size_t n, const graph_term *terms) {
    int parts = n < GRAPH_MANY ? 1 : e->threads;
#pragma omp parallel for num_threads(parts) schedule(static)
    for (int i = 0; i < parts; i++) {
        frame_range columns = {e->frames * i / parts, e->frames * (i + 1) / parts};
        for (size_t k = 0; k < n; k++) add_pair(e, first + k, &terms[k], columns);
    }
}

extern "C" endo_status graph_equations_solve(graph_equations *e, double damping, double *steps) {
    try {
        Vector found;
        if (!solve(e, damping, found)) return undetermined();
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
        if (!covariances(e, blocks)) return undetermined();
    } catch (const std::bad_alloc &) {
        return no_memory(e->frames);
    }
    return ENDO_OK;
}
