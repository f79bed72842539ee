/* Sparse decomposition by panels (supernodes: Ng and Peyton 1993), on the loops of base/math/dense.h.
 *
 * Frames whose columns fill the same rows are eliminated together, so that nearly all of the work is products of dense
 * matrices. A panel's update goes to the panels of the frames below it, each of which one thread writes: the same
 * numbers at any number of threads. */
#include "graph_factor.h"

#include <Eigen/OrderingMethods>
#include <algorithm>
#include <new>
#include <omp.h>

namespace graph {

using Dense = Eigen::MatrixXd;
using View = Eigen::Map<Dense, 0, Eigen::OuterStride<>>;
using ConstView = Eigen::Map<const Dense, 0, Eigen::OuterStride<>>;

namespace {

/* A panel may be filled up to this with zeros, if that makes it wider. */
const double most_zeros = 0.15;
const int64_t narrow = 4;
/* Multiplications that are worth a thread, and numbers to be copied that are. */
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

/* Rows below the diagonal, by columns, each once and sorted; in an order. */
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

/* Calls work(i) for i < n on threads; memory that one of them cannot have is missed by all. */
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

/* Places in which a column comes after its children, and right after the last of them. */
std::vector<int32_t> postorder(const rows_of_columns &rows) {
    int32_t n = (int32_t)rows.size(), next = 0;
    std::vector<std::vector<int32_t>> children(n + 1);
    std::vector<int32_t> place(n), stack;
    for (int32_t c = n - 1; c >= 0; c--) children[rows[c].empty() ? n : rows[c].front()].push_back(c);
    std::vector<size_t> done(n + 1, 0);
    stack.push_back(n);
    while (!stack.empty()) {
        int32_t c = stack.back();
        if (done[c] < children[c].size()) {
            stack.push_back(children[c][done[c]++]);
        } else {
            if (c < n) place[c] = next++;
            stack.pop_back();
        }
    }
    return place;
}

} // namespace

factor::factor(const edges &pairs, int64_t frames, int numbers, int threads, endo_cpu cpu)
    : frames_(frames), numbers_(numbers), threads_(threads), dense_(dense_choose(cpu)), rooms_(threads) {
    find_order(pairs);
    find_panels(pairs);
}

/* The room of the thread that asks, made when it first does: in small graphs to make room for threads that never come would
 * take longer than to solve for the places. */
room &factor::own_room() const {
    room &own = rooms_[omp_get_thread_num()];
    if (own.work.empty()) own.work.resize(DENSE_WORK);
    return own;
}

/* out += sign a b', each given from its first row (of a: also of out) or column on. */
void factor::add_product(const dense_product &p) const { dense_->add_product(&p, own_room().work.data()); }

void factor::find_order(const edges &pairs) {
    order_ = minimum_degree(pairs, frames_);
    rows_of_columns rows = lower_half(pairs, order_);
    fill_in(rows);
    std::vector<int32_t> place = postorder(rows);
    for (int32_t &o : order_) o = place[o];
}

/* A column joins the panel before it if it is the parent of its last one, and the rows are the same but for few. */
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

/* Where the frames below p, from one on, are among the rows of a panel that has them all, in numbers. */
void factor::places_in(const panel &target, const panel &p, int64_t from, std::vector<int64_t> &out) const {
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

/* The frames below, by the panels that they are in. */
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

/* What the frames k0..k1-1 below p, all in one panel, have to be less. */
void factor::update(const panel &p, int64_t k0, int64_t k1) {
    const panel &target = panels_[panel_of_[below_[k0]]];
    int64_t h = height(p), d = numbers_, top = (p.to - p.from + k0 - p.first) * d, wide = (k1 - k0) * d;
    dense_view rows = {values_.data() + p.values + top, 1, h};
    std::vector<double> &product = own_room().product;
    product.assign((h - top) * wide, 0.0);
    add_product({h - top, wide, width(p), rows, rows, 1, 1, product.data(), h - top});
    std::vector<int64_t> places;
    places_in(target, p, k0, places);
    for (int64_t c = 0; c < wide; c++) {
        double *column = values_.data() + target.values + (places[c / d] + c % d) * height(target);
        const double *less = product.data() + c * (h - top);
        for (size_t r = (size_t)(c / d); r < places.size(); r++)
            for (int64_t i = 0; i < d; i++) column[places[r] + i] -= less[(int64_t)r * d + i];
    }
}

bool factor::eliminate(const panel &p) {
    int64_t h = height(p), w = width(p);
    double *all = values_.data() + p.values;
    int threads = threads_for(p);
    if (!dense_->decompose(w, w, all, h, own_room().work.data())) return false;
    share_tiles(h - w, threads, [&](int64_t first, int64_t n) {
        dense_->divide(n, w, all, h, all + w + first, h, own_room().work.data());
    });
    auto targets = runs(p);
    share((int64_t)targets.size(), threads, [&](int64_t i) { update(p, targets[i].first, targets[i].second); });
    return true;
}

/* How many threads the elimination of a panel is worth. */
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
        auto own = x.segment(p.from * d, w);
        all.topRows(w).triangularView<Eigen::Lower>().solveInPlace(own);
        rest.noalias() = all.bottomRows(h - w) * own;
        for (int64_t k = p.first; k < p.last; k++) x.segment(below_[k] * d, d) -= rest.segment((k - p.first) * d, d);
    }
    for (auto i = panels_.rbegin(); i != panels_.rend(); ++i) {
        const panel &p = *i;
        int64_t h = height(p), w = width(p);
        ConstView all(values_.data() + p.values, h, w, Eigen::OuterStride<>(h));
        rest.resize(h - w);
        for (int64_t k = p.first; k < p.last; k++) rest.segment((k - p.first) * d, d) = x.segment(below_[k] * d, d);
        auto own = x.segment(p.from * d, w);
        own.noalias() -= all.bottomRows(h - w).transpose() * rest;
        all.topRows(w).transpose().triangularView<Eigen::Upper>().solveInPlace(own);
    }
}

/* ----------------------------------------------------------------- inverse */

/* The inverse of the frames k0..k1-1 below p with those from k0 on: both halves. */
void factor::collect(const panel &p, int64_t k0, int64_t k1, Dense &square) const {
    const panel &source = panels_[panel_of_[below_[k0]]];
    int64_t d = numbers_, top = (k0 - p.first) * d;
    std::vector<int64_t> places;
    places_in(source, p, k0, places);
    for (int64_t c = 0; c < (k1 - k0) * d; c++) {
        const double *column = values_.data() + source.values + (places[c / d] + c % d) * height(source);
        for (size_t r = (size_t)(c / d); r < places.size(); r++)
            for (int64_t i = 0; i < d; i++) {
                double value = column[places[r] + i];
                square(top + (int64_t)r * d + i, top + c) = value;
                if ((int64_t)r * d + i >= (k1 - k0) * d) square(top + c, top + (int64_t)r * d + i) = value;
            }
    }
    /* The panel's own square is whole only in its lower half. */
    for (int64_t c = 1; c < (k1 - k0) * d; c++)
        for (int64_t r = 0; r < c; r++) square(top + r, top + c) = square(top + c, top + r);
}

/* With Y = L21 L11^-1 and Z of what is below: Z21 = -Z Y and Z11 = (L11 L11')^-1 - Y' Z21, in the place of L. */
void factor::invert(const panel &p, Dense &square) {
    int64_t h = height(p), w = width(p), n = h - w;
    double *all = values_.data() + p.values;
    int threads = threads_for(p);
    Dense turned = Dense::Identity(w, w), own = Dense::Zero(w, w); /* turned: L11'^-1 */
    share_tiles(w, threads, [&](int64_t first, int64_t rows) {
        dense_->divide(rows, w, all, h, turned.data() + first, w, own_room().work.data());
    });
    share_tiles(w, threads, [&](int64_t c, int64_t columns) {
        dense_view from = {turned.data() + c, 1, w};
        add_product({w - c, columns, w, from, from, 1, 1, own.data() + c * w + c, w});
    });
    if (n > 0) invert_below(p, turned, own, square);
    for (int64_t c = 0; c < w; c++) std::copy_n(own.data() + c * w + c, w - c, all + c * h + c);
}

void factor::invert_below(const panel &p, const Dense &turned, Dense &own, Dense &square) {
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
        add_product({w - c, columns, n, with, below, 1, -1, own.data() + c * w + c, w});
    });
}

void factor::invert(double *blocks) {
    Dense square;
    for (auto i = panels_.rbegin(); i != panels_.rend(); ++i) {
        invert(*i, square);
        int64_t h = height(*i), d = numbers_;
        for (int64_t f = i->from; f < i->to; f++) {
            ConstView own(values_.data() + i->values + (f - i->from) * d * (h + 1), d, d, Eigen::OuterStride<>(h));
            Eigen::Map<Dense>(blocks + f * d * d, d, d) = own.selfadjointView<Eigen::Lower>(); /* above is anything */
        }
    }
}

} // namespace graph
