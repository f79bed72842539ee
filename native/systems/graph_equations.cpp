/* The sparse normal equations of a pose graph, on Eigen: an elimination order for whole frames (approximate minimum
 * degree), the decomposition L D L', and of the inverse those entries that the pattern of L has (Takahashi, Fagan and
 * Chin 1973), among which are the diagonal blocks. */
#include "graph.h"

#include "../base/status.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <new>
#include <vector>

using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int64_t>;
using Pattern = Eigen::SparseMatrix<char, Eigen::ColMajor, int64_t>;
using Vector = Eigen::VectorXd;
using Decomposition = Eigen::SimplicialLDLT<Matrix, Eigen::Lower, Eigen::NaturalOrdering<int64_t>>;

/* Where a pair's blocks go: of a block in the lower half its first number; `turned`: the block of (reference, current). */
struct place {
    int64_t between, reference, current;
    bool turned;
};

struct graph_equations {
    int numbers;
    int64_t frames;
    std::vector<int64_t> order; /* block row -> place in the order of elimination */
    std::vector<place> places;
    std::vector<int64_t> heights; /* of a column of the frame in elimination order: numbers in it */
    std::vector<int64_t> rows[2]; /* of a pair: places of its frames, or -1 */
    Matrix matrix;
    Vector right;
    Decomposition decomposition;
    bool analyzed, decomposed;
};

namespace {

struct edge {
    int64_t column, row;
    bool operator<(const edge &o) const { return column != o.column ? column < o.column : row < o.row; }
    bool operator==(const edge &o) const { return column == o.column && row == o.row; }
};

using rows_of_frames = const int32_t *;

std::vector<int64_t> elimination_order(const endo_graph_pair *pairs, size_t n_pairs, rows_of_frames rows, int64_t n) {
    std::vector<Eigen::Triplet<char, int64_t>> entries;
    for (int64_t i = 0; i < n; i++) entries.emplace_back(i, i, 1);
    for (size_t i = 0; i < n_pairs; i++) {
        int32_t a = rows[pairs[i].reference], b = rows[pairs[i].current];
        if (a >= 0 && b >= 0) entries.emplace_back(std::max(a, b), std::min(a, b), 1);
    }
    Pattern pattern(n, n);
    pattern.setFromTriplets(entries.begin(), entries.end(), [](char a, char) { return a; });
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int64_t> back;
    Eigen::AMDOrdering<int64_t>()(pattern.selfadjointView<Eigen::Lower>(), back);
    std::vector<int64_t> order(n);
    for (int64_t i = 0; i < n; i++) order[back.indices()[i]] = i;
    return order;
}

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

void create(graph_equations *e, const endo_graph_pair *pairs, size_t n_pairs, rows_of_frames rows, size_t n) {
    (void)n;
    e->order = elimination_order(pairs, n_pairs, rows, e->frames);
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
    e->analyzed = e->decomposed = false;
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
    Vector rest = e->right, next = e->decomposition.solve(rest), way = next;
    double size = rest.dot(next), first = size;
    found = Vector::Zero(rest.size());
    for (int i = 0; i < most; i++) {
        if (!(size > enough * enough * first)) return true;
        Vector product = matrix * way;
        double length = size / way.dot(product);
        if (!(length > 0)) return false;
        found += length * way;
        rest -= length * product;
        next = e->decomposition.solve(rest);
        double before = size;
        size = rest.dot(next);
        way = next + size / before * way;
    }
    return false;
}

bool decompose(graph_equations *e, double damping) {
    if (!e->analyzed) e->decomposition.analyzePattern(e->matrix);
    e->analyzed = true;
    if (damping == 0) {
        e->decomposition.factorize(e->matrix);
    } else {
        Matrix damped = e->matrix;
        for (int64_t i = 0; i < damped.cols(); i++) damped.coeffRef(i, i) *= 1 + damping;
        e->decomposition.factorize(damped);
    }
    e->decomposed = e->decomposition.info() == Eigen::Success && (e->decomposition.vectorD().array() > 0).all();
    return e->decomposed;
}

/* Entries of the inverse where L has some, column by column from the last: those of column j follow from the columns
 * that its rows name. below: as L's values; diagonal: of the inverse. */
void invert(const Matrix &l, const Vector &d, std::vector<double> &below, Vector &diagonal) {
    const int64_t *starts = l.outerIndexPtr(), *rows = l.innerIndexPtr();
    const double *values = l.valuePtr();
    std::vector<double> factor(l.cols(), 0), sum(l.cols(), 0);
    std::vector<char> here(l.cols(), 0);
    below.assign(l.nonZeros(), 0);
    diagonal.resize(l.cols());
    for (int64_t j = l.cols() - 1; j >= 0; j--) {
        for (int64_t p = starts[j]; p < starts[j + 1]; p++) here[rows[p]] = 1, factor[rows[p]] = values[p], sum[rows[p]] = 0;
        for (int64_t p = starts[j]; p < starts[j + 1]; p++) {
            int64_t k = rows[p];
            sum[k] += factor[k] * diagonal[k];
            for (int64_t q = starts[k]; q < starts[k + 1]; q++) {
                int64_t i = rows[q];
                if (!here[i]) continue;
                sum[i] += factor[k] * below[q];
                sum[k] += factor[i] * below[q];
            }
        }
        double own = 1 / d[j];
        for (int64_t p = starts[j]; p < starts[j + 1]; p++) {
            below[p] = -sum[rows[p]];
            own -= values[p] * below[p];
            here[rows[p]] = 0;
        }
        diagonal[j] = own;
    }
}

/* The unit lower triangle without its diagonal. */
Matrix strict_lower(const Decomposition &decomposition) {
    Matrix whole = decomposition.matrixL();
    Matrix strict = whole.triangularView<Eigen::StrictlyLower>();
    return strict;
}

void covariances(graph_equations *e, double *blocks) {
    Matrix l = strict_lower(e->decomposition);
    std::vector<double> below;
    Vector diagonal;
    invert(l, e->decomposition.vectorD(), below, diagonal);
    int64_t d = e->numbers;
    for (int64_t f = 0; f < e->frames; f++) {
        double *block = blocks + f * d * d;
        for (int64_t c = 0; c < d; c++) {
            int64_t column = e->order[f] * d + c;
            block[c * d + c] = diagonal[column];
            for (int64_t p = l.outerIndexPtr()[column]; p < l.outerIndexPtr()[column + 1]; p++) {
                int64_t r = l.innerIndexPtr()[p] - e->order[f] * d;
                if (r < d) block[r * d + c] = block[c * d + r] = below[p];
            }
        }
    }
}

endo_status no_memory(int64_t frames) {
    return endo_fail(ENDO_ERR_MEMORY, "no memory to solve a graph of %lld frames", (long long)frames);
}

} // namespace

extern "C" endo_status graph_equations_create(const endo_graph_pair *pairs, size_t n_pairs, const int32_t *rows,
                                              size_t n, int32_t free_frames, int numbers, graph_equations **out) {
    graph_equations *e = new (std::nothrow) graph_equations;
    if (!e) return no_memory(free_frames);
    e->numbers = numbers;
    e->frames = free_frames;
    try {
        create(e, pairs, n_pairs, rows, n);
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
            if (!decompose(e, damping))
                return endo_fail(ENDO_ERR_ARGUMENT, "graph: its pairs do not determine the places");
            found = e->decomposition.solve(e->right);
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
        if (!decompose(e, 0)) return endo_fail(ENDO_ERR_ARGUMENT, "graph: its pairs do not determine the places");
        covariances(e, blocks);
    } catch (const std::bad_alloc &) {
        return no_memory(e->frames);
    }
    return ENDO_OK;
}
