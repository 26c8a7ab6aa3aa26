#include "sim/probe/prior_losses.hpp"

#include <algorithm>
#include <bit>

namespace kvproof {
namespace {

const Integer& weight(const Family& family, const Prior& prior, int x, int y) {
    return prior.weights[static_cast<std::size_t>(x) * static_cast<std::size_t>(family.queries) +
                         static_cast<std::size_t>(y)];
}

void add(std::vector<Integer>& sum, const std::vector<Integer>& more) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

} // namespace

PriorLosses::PriorLosses(const Family& family, const Prior& prior, std::vector<int> sources)
    : family_(&family), prior_(&prior), sources_(std::move(sources)) {
    for (int y = 0; y < family.queries; ++y)
        if (std::ranges::any_of(sources_, [&](int x) { return weight(family, prior, x, y) > 0; }))
            queries_.push_back(y);
    for (const Rational& target : family.targets) unit_ = lcm(unit_, denominator(target));
    norm_ = family.scale * family.dim * unit_ * unit_ * prior.total();
    known_.resize(queries_.size());
    const auto everyone = static_cast<std::uint32_t>((std::uint64_t{1} << sources_.size()) - 1);
    for (std::size_t query = 0; query < queries_.size(); ++query) ulp_ += exact(everyone, query);
    ulp_ /= Rational(Integer(1) << 52U);
}

PriorLosses::Moments PriorLosses::moments(std::size_t source, std::size_t query) const {
    const int x = sources_[source];
    const int y = queries_[query];
    const Integer& p = weight(*family_, *prior_, x, y);
    Moments out = {p};
    Integer square = 0;
    for (const Rational& target : family_->target(x, y)) {
        const Integer g = numerator(target * Rational(unit_));
        out.push_back(p * g);
        square += p * g * g;
    }
    out.push_back(square);
    return out;
}

Integer PriorLosses::spread(const Moments& sum) {
    Integer out = sum.front() * sum.back();
    for (std::size_t i = 1; i + 1 < sum.size(); ++i) out -= sum[i] * sum[i];
    return out;
}

const Rational& PriorLosses::exact(std::uint32_t set, std::size_t query) const {
    const auto [place, fresh] = known_[query].try_emplace(set);
    if (!fresh) return place->second;
    Moments sum(static_cast<std::size_t>(family_->dim) + 2);
    for (std::uint32_t left = set; left != 0; left &= left - 1)
        add(sum, moments(static_cast<std::size_t>(std::countr_zero(left)), query));
    if (sum.front() > 0) place->second = Rational(spread(sum), sum.front() * norm_);
    return place->second;
}

std::vector<std::int64_t> PriorLosses::fixed(std::size_t query) const {
    const std::size_t count = std::size_t{1} << sources_.size();
    std::vector<std::int64_t> out(count);
    if (ulp_ == 0) return out;
    std::vector<Moments> single;
    for (std::size_t i = 0; i < sources_.size(); ++i) single.push_back(moments(i, query));
    const Rational per_norm = 1 / (Rational(norm_) * ulp_);
    const Integer up = numerator(per_norm);
    const Integer down = denominator(per_norm);
    // along the sets in order, the sums of all prefixes of a set from its highest source on
    std::vector<Moments> prefix(sources_.size() + 1, Moments(static_cast<std::size_t>(family_->dim) + 2));
    const auto go = [&](const auto& self, std::size_t source, std::uint32_t set) -> void {
        if (source == 0) {
            const Moments& sum = prefix[0];
            if (sum.front() > 0)
                out[set] = static_cast<std::int64_t>(Integer(spread(sum) * up / (sum.front() * down)));
            return;
        }
        prefix[source - 1] = prefix[source];
        self(self, source - 1, set);
        prefix[source - 1] = prefix[source];
        add(prefix[source - 1], single[source - 1]);
        self(self, source - 1, set | std::uint32_t{1} << (source - 1));
    };
    go(go, sources_.size(), 0);
    return out;
}

} // namespace kvproof
