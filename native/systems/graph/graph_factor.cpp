/* Sparse decomposition by panels (supernodes: Ng and Peyton 1993), on the loops of base/math/dense.h.
 *
 * Frames whose columns fill the same rows are eliminated together, so that nearly all of the work is products of dense
 * matrices. A panel's update goes to the panels of the frames below it, each of which one thread writes: the same
 * numbers at any number of threads. */
#include "graph_factor.h"

#include "base/openmp.h"

#include <Eigen/OrderingMethods>
#include <algorithm>
#include <new>

namespace graph {

using Dense = Eigen::MatrixXd;
using View = Eigen::Map<Dense, 0, Eigen::OuterStride<>>;
using ConstView = Eigen::Map<const Dense, 0, Eigen::OuterStride<>>;

namespace {

/* Largest share of zeros in a panel of more than `narrow` frames. */
const double most_zeros = 0.15;
const int64_t narrow = 4;
/* Fewest multiplications, and fewest values to be copied, for which threads are used. */
const double worth_a_thread = 2e6;
const size_t worth_copying = 1 << 19;
/* Rows or columns that a thread takes at a time. */
const int64_t tile = 48;

using rows_of_columns = std::vector<std::vector<int32_t>>;

std::vector<int32_t> minimum_degree(const edges &pairs, int64_t n) {
    using Pattern = Eigen::SparseMatrix<char, Eigen::ColMajor, int64_t>;
    std::vector<Eigen::Triplet<char, int64_t>> entries;
    for (int64_t i = 0; i < n; i++) entries.emplace_back(i, i, 1);
    for (const auto &p : pairs) entries.emplace_back(std::max(p.first, p.second), std::min(p.first, p.second), 1);
    Pattern pattern(n, n);
    pattern.setFromTriplets(entries.begin(), entries.end(), [](char a, char) { return a; });
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int64_t> back;
    Eigen::AMDOrdering<int64_t>()(pattern.selfadjointView<Eigen::Lower>(), back);
    std::vector<int32_t> order(n);
    for (int64_t i = 0; i < n; i++) order[back.indices()[i]] = (int32_t)i;
    return order;
}

/* Rows below the diagonal by columns, each once and sorted, in the order of elimination. */
rows_of_columns lower_half(const edges &pairs, const std::vector<int32_t> &order) {
    rows_of_columns rows(order.size());
    for (const auto &p : pairs) {
        int32_t a = order[p.first], b = order[p.second];
        rows[std::min(a, b)].push_back(std::max(a, b));
    }
    for (auto &r : rows) {
        std::sort(r.begin(), r.end());
        r.erase(std::unique(r.begin(), r.end()), r.end());
    }
    return rows;
}

/* Fills in what elimination adds; a column's parent is its first row. */
void fill_in(rows_of_columns &rows) {
    std::vector<int32_t> both;
    for (size_t c = 0; c < rows.size(); c++) {
        if (rows[c].empty()) continue;
        std::vector<int32_t> &parent = rows[rows[c].front()];
        both.clear();
        std::set_union(rows[c].begin() + 1, rows[c].end(), parent.begin(), parent.end(), std::back_inserter(both));
        parent = both;
    }
}

/* Calls work(i) for i < n on threads; throws std::bad_alloc where one of them did. */
template <class Work> void share(int64_t n, int threads, Work work) {
    bool missing = false;
    if (threads == 1) {
        for (int64_t i = 0; i < n; i++) work(i);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t i = 0; i < n; i++) {
        try {
            work(i);
        } catch (const std::bad_alloc &) {
#pragma omp atomic write
            missing = true;
        }
    }
    if (missing) throw std::bad_alloc();
}

/* Calls work(first, count) for tiles of 0..n-1, on threads. */
template <class Work> void share_tiles(int64_t n, int threads, Work work) {
    share((n + tile - 1) / tile, threads, [&](int64_t i) { work(i * tile, std::min(tile, n - i * tile)); });
}

/* The postorder of the elimination tree: every column right after the last of its children. */
std::vector<int32_t> postorder(const rows_of_columns &rows) {
    int32_t n = (int32_t)rows.size(), next = 0;
    std::vector<std::vector<int32_t>> children(n + 1);
    std::vector<int32_t> index(n), stack;
    for (int32_t c = n - 1; c >= 0; c--) children[rows[c].empty() ? n : rows[c].front()].push_back(c);
    std::vector<size_t> done(n + 1, 0);
    stack.push_back(n);
    while (!stack.empty()) {
        int32_t c = stack.back();
        if (done[c] < children[c].size()) {
            stack.push_back(children[c][done[c]++]);
        } else {
            if (c < n) index[c] = next++;
            stack.pop_back();
        }
    }
    return index;
}

} // namespace

factor::factor(const edges &pairs, int64_t frames, int numbers, int threads, endo_cpu cpu)
    : frames_(frames), numbers_(numbers), threads_(threads), dense_(dense_choose(cpu)), workspaces_(threads) {
    find_order(pairs);
    find_panels(pairs);
}

/* The workspace of the calling thread, made at its first use: in small graphs, memory for threads that are never used would
 * take longer than the solution. */
workspace &factor::thread_workspace() const {
    workspace &mine = workspaces_[omp_get_thread_num()];
    if (mine.work.empty()) mine.work.resize(DENSE_WORK);
    return mine;
}

/* Adds a product a b' to an output, by the loops for dense matrices. */
void factor::add_product(const dense_product &p) const { dense_->add_product(&p, thread_workspace().work.data()); }

void factor::find_order(const edges &pairs) {
    order_ = minimum_degree(pairs, frames_);
    rows_of_columns rows = lower_half(pairs, order_);
    fill_in(rows);
    std::vector<int32_t> index = postorder(rows);
    for (int32_t &o : order_) o = index[o];
}

/* Columns join the panel before them if they are the parent of its last column, and nearly the same rows are filled. */
void factor::find_panels(const edges &pairs) {
    rows_of_columns rows = lower_half(pairs, order_);
    fill_in(rows);
    panel_of_.resize(frames_);
    int64_t from = 0, zeros = 0, all = 0;
    for (int64_t c = 0; c < frames_; c++) {
        int64_t next = c + 1, wide = next - from;
        all += (int64_t)rows[c].size() + 1;
        panel_of_[c] = (int32_t)panels_.size();
        if (next < frames_ && !rows[c].empty() && rows[c].front() == next) {
            int64_t added = wide * ((int64_t)rows[next].size() + 1 - (int64_t)rows[c].size());
            bool few = (double)(zeros + added) <= most_zeros * (double)(all + added) || wide + 1 <= narrow;
            if (added == 0 || few) {
                zeros += added;
                all += added;
                continue;
            }
        }
        int64_t first = (int64_t)below_.size();
        below_.insert(below_.end(), rows[c].begin(), rows[c].end());
        int64_t values = panels_.empty() ? 0 : panels_.back().values + height(panels_.back()) * width(panels_.back());
        panels_.push_back({from, next, first, (int64_t)below_.size(), values});
        from = next;
        zeros = all = 0;
    }
    int64_t size = panels_.empty() ? 0 : panels_.back().values + height(panels_.back()) * width(panels_.back());
    values_.resize(size);
}

/* Rows in the panel `target`, which has them all, of the frames below p from one on. */
void factor::rows_in(const panel &target, const panel &p, int64_t from, std::vector<int64_t> &out) const {
    int64_t at = target.first;
    out.clear();
    for (int64_t k = from; k < p.last; k++) {
        int32_t frame = below_[k];
        if (frame < target.to) {
            out.push_back((frame - target.from) * numbers_);
        } else {
            while (below_[at] != frame) at++;
            out.push_back((target.to - target.from + at - target.first) * numbers_);
        }
    }
}

/* Ranges of the frames below a panel that are in one panel each. */
std::vector<std::pair<int64_t, int64_t>> factor::runs(const panel &p) const {
    std::vector<std::pair<int64_t, int64_t>> all;
    for (int64_t k = p.first; k < p.last;) {
        int64_t end = k + 1;
        while (end < p.last && panel_of_[below_[end]] == panel_of_[below_[k]]) end++;
        all.push_back({k, end});
        k = end;
    }
    return all;
}

/* ----------------------------------------------------------- decomposition */

static double damped(double diagonal, double damping) {
    return diagonal != 0 ? diagonal * (1 + damping) : damping;
}

void factor::gather(const Matrix &lower, double damping) {
    std::fill(values_.begin(), values_.end(), 0.0);
    const int64_t *starts = lower.outerIndexPtr(), *inner = lower.innerIndexPtr();
#pragma omp parallel for num_threads(values_.size() < worth_copying ? 1 : threads_) schedule(dynamic, 16)
    for (size_t i = 0; i < panels_.size(); i++) {
        const panel &p = panels_[i];
        for (int64_t c = p.from * numbers_; c < p.to * numbers_; c++) {
            double *column = values_.data() + p.values + (c - p.from * numbers_) * height(p);
            int64_t at = p.first;
            for (int64_t k = starts[c]; k < starts[c + 1]; k++) {
                int64_t frame = inner[k] / numbers_, number = inner[k] % numbers_, row = frame - p.from;
                if (frame >= p.to) {
                    while (below_[at] != frame) at++;
                    row = p.to - p.from + at - p.first;
                }
                double value = lower.valuePtr()[k];
                column[row * numbers_ + number] = inner[k] == c ? damped(value, damping) : value;
            }
        }
    }
}

/* Subtracts the update by p from the frames k0..k1-1 below it, which are all in one panel. */
void factor::update(const panel &p, int64_t k0, int64_t k1) {
    const panel &target = panels_[panel_of_[below_[k0]]];
    int64_t h = height(p), d = numbers_, top = (p.to - p.from + k0 - p.first) * d, wide = (k1 - k0) * d;
    dense_view rows = {values_.data() + p.values + top, 1, h};
    std::vector<double> &product = thread_workspace().product;
    product.assign((h - top) * wide, 0.0);
    add_product({h - top, wide, width(p), rows, rows, 1, 1, product.data(), h - top});
    std::vector<int64_t> rows_at;
    rows_in(target, p, k0, rows_at);
    for (int64_t c = 0; c < wide; c++) {
        double *column = values_.data() + target.values + (rows_at[c / d] + c % d) * height(target);
        const double *less = product.data() + c * (h - top);
        for (size_t r = (size_t)(c / d); r < rows_at.size(); r++)
            for (int64_t i = 0; i < d; i++) column[rows_at[r] + i] -= less[(int64_t)r * d + i];
    }
}

bool factor::eliminate(const panel &p) {
    int64_t h = height(p), w = width(p);
    double *all = values_.data() + p.values;
    int threads = threads_for(p);
    if (!dense_->decompose(w, w, all, h, thread_workspace().work.data())) return false;
    share_tiles(h - w, threads, [&](int64_t first, int64_t n) {
        dense_->divide(n, w, all, h, all + w + first, h, thread_workspace().work.data());
    });
    auto targets = runs(p);
    share((int64_t)targets.size(), threads, [&](int64_t i) { update(p, targets[i].first, targets[i].second); });
    return true;
}

/* Threads to use for the elimination of a panel. */
int factor::threads_for(const panel &p) const {
    double w = (double)width(p), below = (double)height(p) - w;
    return w * below * below > worth_a_thread ? threads_ : 1;
}

bool factor::decompose(const Matrix &lower, double damping) {
    gather(lower, damping);
    for (const panel &p : panels_)
        if (!eliminate(p)) return false;
    return true;
}

void factor::solve(Dense &x) const {
    /* One by one: for few columns Eigen would copy the panels around. */
    share(x.cols(), (double)values_.size() > worth_a_thread ? threads_ : 1, [&](int64_t column) {
        Vector rest;
        solve(x.col(column), rest);
    });
}

void factor::solve(Eigen::Ref<Vector> x, Vector &rest) const {
    int64_t d = numbers_;
    for (const panel &p : panels_) {
        int64_t h = height(p), w = width(p);
        ConstView all(values_.data() + p.values, h, w, Eigen::OuterStride<>(h));
        auto local = x.segment(p.from * d, w);
        all.topRows(w).triangularView<Eigen::Lower>().solveInPlace(local);
        rest.noalias() = all.bottomRows(h - w) * local;
        for (int64_t k = p.first; k < p.last; k++) x.segment(below_[k] * d, d) -= rest.segment((k - p.first) * d, d);
    }
    for (auto i = panels_.rbegin(); i != panels_.rend(); ++i) {
        const panel &p = *i;
        int64_t h = height(p), w = width(p);
        ConstView all(values_.data() + p.values, h, w, Eigen::OuterStride<>(h));
        rest.resize(h - w);
        for (int64_t k = p.first; k < p.last; k++) rest.segment((k - p.first) * d, d) = x.segment(below_[k] * d, d);
        auto local = x.segment(p.from * d, w);
        local.noalias() -= all.bottomRows(h - w).transpose() * rest;
        all.topRows(w).transpose().triangularView<Eigen::Upper>().solveInPlace(local);
    }
}

/* ----------------------------------------------------------------- inverse */

/* The inverse of the frames k0..k1-1 below p with those from k0 on: both halves. */
void factor::collect(const panel &p, int64_t k0, int64_t k1, Dense &square) const {
    const panel &source = panels_[panel_of_[below_[k0]]];
    int64_t d = numbers_, top = (k0 - p.first) * d;
    std::vector<int64_t> rows_at;
    rows_in(source, p, k0, rows_at);
    for (int64_t c = 0; c < (k1 - k0) * d; c++) {
        const double *column = values_.data() + source.values + (rows_at[c / d] + c % d) * height(source);
        for (size_t r = (size_t)(c / d); r < rows_at.size(); r++)
            for (int64_t i = 0; i < d; i++) {
                double value = column[rows_at[r] + i];
                square(top + (int64_t)r * d + i, top + c) = value;
                if ((int64_t)r * d + i >= (k1 - k0) * d) square(top + c, top + (int64_t)r * d + i) = value;
            }
    }
    /* The diagonal block of a panel is filled only in its lower half. */
    for (int64_t c = 1; c < (k1 - k0) * d; c++)
        for (int64_t r = 0; r < c; r++) square(top + r, top + c) = square(top + c, top + r);
}

/* Overwrites L by the inverse. With Y = L21 L11^-1 and Z the inverse of the frames below: Z21 = -Z Y and
 * Z11 = (L11 L11')^-1 - Y' Z21. */
void factor::invert(const panel &p, Dense &square) {
    int64_t h = height(p), w = width(p), n = h - w;
    double *all = values_.data() + p.values;
    int threads = threads_for(p);
    Dense turned = Dense::Identity(w, w), diagonal = Dense::Zero(w, w); /* turned: L11'^-1 */
    share_tiles(w, threads, [&](int64_t first, int64_t rows) {
        dense_->divide(rows, w, all, h, turned.data() + first, w, thread_workspace().work.data());
    });
    share_tiles(w, threads, [&](int64_t c, int64_t columns) {
        dense_view from = {turned.data() + c, 1, w};
        add_product({w - c, columns, w, from, from, 1, 1, diagonal.data() + c * w + c, w});
    });
    if (n > 0) invert_below(p, turned, diagonal, square);
    for (int64_t c = 0; c < w; c++) std::copy_n(diagonal.data() + c * w + c, w - c, all + c * h + c);
}

void factor::invert_below(const panel &p, const Dense &turned, Dense &diagonal, Dense &square) {
    int64_t h = height(p), w = width(p), n = h - w;
    double *all = values_.data() + p.values;
    int threads = threads_for(p);
    auto sources = runs(p);
    Dense y = Dense::Zero(n, w);
    square.resize(n, n);
    share((int64_t)sources.size(), threads, [&](int64_t i) { collect(p, sources[i].first, sources[i].second, square); });
    share_tiles(w, threads, [&](int64_t c, int64_t columns) {
        dense_view from = {turned.data() + c, 1, w};
        add_product({n, columns, w, {all + w, 1, h}, from, 0, 1, y.data() + c * n, n});
    });
    for (int64_t c = 0; c < w; c++) std::fill_n(all + c * h + w, n, 0.0);
    share_tiles(w, threads, [&](int64_t c, int64_t columns) {
        dense_view inverse = {square.data(), 1, n};
        dense_view from = {y.data() + c * n, n, 1};
        add_product({n, columns, n, inverse, from, 0, -1, all + c * h + w, h});
    });
    share_tiles(w, threads, [&](int64_t c, int64_t columns) {
        dense_view with = {y.data() + c * n, n, 1};
        dense_view below = {all + c * h + w, h, 1};
        add_product({w - c, columns, n, with, below, 1, -1, diagonal.data() + c * w + c, w});
    });
}

void factor::invert(double *blocks) {
    Dense square;
    for (auto i = panels_.rbegin(); i != panels_.rend(); ++i) {
        invert(*i, square);
        int64_t h = height(*i), d = numbers_;
        for (int64_t f = i->from; f < i->to; f++) {
            ConstView block(values_.data() + i->values + (f - i->from) * d * (h + 1), d, d, Eigen::OuterStride<>(h));
            Eigen::Map<Dense>(blocks + f * d * d, d, d) = block.selfadjointView<Eigen::Lower>(); /* above is anything */
        }
    }
}

} // namespace graph
