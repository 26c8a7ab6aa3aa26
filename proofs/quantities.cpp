#include "proofs/quantities.hpp"

#include "lib/codec/pointwise_error.hpp"
#include "lib/codec/true_distortion.hpp"
#include "lib/error.hpp"
#include "lib/exact/decimal.hpp"
#include "proofs/probe_risks.hpp"

#include <array>
#include <charconv>
#include <utility>

namespace kvproof {
namespace {

constexpr int deepest_lloyd_max = 10;

/// Precisions up to this one are served by one computation: building the tree costs more than the extra bits
/// do, and a claim's enclosure must not depend on which claims came before it.
constexpr Bits shared_accuracy = 192;

/// A quantity's name taken apart: family.kind.T or family.kind.T.X
struct Name {
    std::string family;
    std::string kind;
    int t = 0;
    long extra = 0;
    bool has_extra = false;
};

[[noreturn]] void unknown(const std::string& name) {
    throw Error(ErrorCode::unknown_quantity, "no quantity is named " + name);
}

template <class Integral>
Integral integer_in(const std::string& text, const std::string& name) {
    Integral value{};
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (status != std::errc() || end != text.data() + text.size() || text.empty()) unknown(name);
    return value;
}

Name parse(const std::string& name) {
    std::vector<std::string> parts;
    std::size_t from = 0;
    for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', from)) {
        parts.push_back(name.substr(from, dot - from));
        from = dot + 1;
    }
    parts.push_back(name.substr(from));
    if (parts.size() < 3 || parts.size() > 4) unknown(name);
    Name out{parts[0], parts[1], integer_in<int>(parts[2], name)};
    if (parts.size() == 4) {
        out.has_extra = true;
        out.extra = integer_in<long>(parts[3], name);
    }
    const bool indexed = out.kind == "boundary" || out.kind == "centroid" || out.kind == "value";
    if (indexed != out.has_extra || out.t < 0 || out.t > deepest_tree) unknown(name);
    return out;
}

template <class Number>
Number entry_of(const std::vector<std::vector<Number>>& levels, const Name& name, const std::string& text) {
    if (std::cmp_greater_equal(name.t, levels.size()) || name.extra < 0 ||
        std::cmp_greater_equal(name.extra, levels[name.t].size()))
        unknown(text);
    return levels[name.t][name.extra];
}

/// boundary, centroid and value, which every codebook has.
template <class Number>
Number table_quantity(const Codebook<Number>& codebook, const Name& name, const std::string& text) {
    if (name.t > codebook.depth()) unknown(text);
    if (name.kind == "boundary") return entry_of(codebook.boundaries, name, text);
    if (name.kind == "centroid") return entry_of(codebook.centroids, name, text);
    if (name.kind == "value")
        return codebook.centroids[name.t][cell_of(codebook, name.t, Rational(name.extra))];
    unknown(text);
}

/// The pointwise error of depth t, computed once.
template <class Key, class Number>
const PointwiseError<Number>& remembered(std::map<Key, PointwiseError<Number>>& errors, const Key& key,
                                         const Codebook<Number>& codebook, int t) {
    const auto known = errors.find(key);
    return known != errors.end() ? known->second
                                 : errors.emplace(key, pointwise_error(codebook, t)).first->second;
}

template <class Number>
std::string place_text(const PointwiseError<Number>& error, const std::string& at) {
    return "u = " + at + ", an end of cell " + std::to_string(error.cell) +
           (error.attained ? ", attained there" : ", approached from below");
}

} // namespace

/// Everything computed so far, under one lock: verification is not bound by it.
struct CertifiedQuantities::Cache {
    std::recursive_mutex mutex;
    std::optional<Codebook<float>> table;
    std::optional<Codebook<Rational>> exact_table;
    std::optional<NestedCode> code;
    std::map<std::pair<int, Bits>, std::shared_ptr<const LloydTree>> trees;
    std::map<std::pair<int, Bits>, std::shared_ptr<const LloydMax>> optima;
    std::map<Bits, std::vector<Interval>> table_distortions;
    std::map<std::pair<int, Bits>, PointwiseError<Interval>> tree_errors;
    std::map<int, PointwiseError<Rational>> table_errors;
    ProbeRisks risks;
};

CertifiedQuantities::CertifiedQuantities() : cache_(std::make_shared<Cache>()) {}

CertifiedQuantities::CertifiedQuantities(Codebook<float> table)
    : user_table_(true), cache_(std::make_shared<Cache>()) {
    cache_->table = std::move(table);
}

bool CertifiedQuantities::is_of_table(const std::string& name) {
    return name.starts_with("float32.") || name.starts_with("codebook.");
}

const Codebook<float>& CertifiedQuantities::table() const {
    const std::scoped_lock lock(cache_->mutex);
    if (!cache_->table) cache_->table = float32_codebook(*tree(default_depth, shared_accuracy));
    if (!cache_->table) cache_->table = float32_codebook(default_depth);
    return *cache_->table;
}

const NestedCode& CertifiedQuantities::code() const {
    const std::scoped_lock lock(cache_->mutex);
    if (!cache_->code) cache_->code = user_table_ ? code_of(table()) : gaussian_code(default_depth);
    return *cache_->code;
}

std::shared_ptr<const LloydTree> CertifiedQuantities::tree(int depth, Bits accuracy) const {
    const std::scoped_lock lock(cache_->mutex);
    depth = std::max(depth, default_depth); // one tree serves all formulas
    accuracy = std::max(accuracy, shared_accuracy);
    auto& slot = cache_->trees[{depth, accuracy}];
    if (!slot) slot = std::make_shared<const LloydTree>(lloyd_tree(depth, accuracy));
    return slot;
}

std::shared_ptr<const LloydMax> CertifiedQuantities::optimum(int t, Bits accuracy) const {
    const std::scoped_lock lock(cache_->mutex);
    accuracy = std::max(accuracy, shared_accuracy);
    auto& slot = cache_->optima[{t, accuracy}];
    if (!slot) slot = std::make_shared<const LloydMax>(lloyd_max(t, accuracy));
    return slot;
}

const PointwiseError<Interval>& CertifiedQuantities::tree_error(int t, Bits accuracy) const {
    accuracy = std::max(accuracy, shared_accuracy);
    return remembered(cache_->tree_errors, {t, accuracy}, tree(t, accuracy)->codebook, t);
}

Interval CertifiedQuantities::enclose(const std::string& text, Bits bits) const {
    const std::scoped_lock lock(cache_->mutex);
    const Name name = parse(text);
    if (name.family == "lloyd") {
        const auto exact_tree = tree(name.t, bits);
        const LloydLevel& level = exact_tree->levels[name.t];
        if (name.kind == "distortion") return level.distortion;
        if (name.kind == "gain" && level.gain) return *level.gain;
        if (name.kind == "epsilon") return tree_error(name.t, bits).value;
        return table_quantity(exact_tree->codebook, name, text);
    }
    if (name.family == "lloydmax" && name.kind == "distortion" && name.t >= 1 && name.t <= deepest_lloyd_max)
        return optimum(name.t, bits)->distortion;
    if (name.family == "codebook") {
        if (name.t > table().depth()) unknown(text);
        bits = std::max(bits, shared_accuracy);
        const auto [at, fresh] = cache_->table_distortions.try_emplace(bits);
        // A gain is a difference of two distortions, the smaller being about 4^-t of what they lose.
        if (fresh) at->second = true_distortion(table(), bits + 8);
        if (name.kind == "distortion") return at->second[name.t];
        if (name.kind == "gain" && name.t >= 1)
            return sub(at->second[name.t - 1], at->second[name.t], bits + 8);
        unknown(text);
    }
    if (const auto value = exact(text)) return Interval(*value, bits);
    unknown(text);
}

std::optional<Rational> CertifiedQuantities::exact(const std::string& text) const {
    const std::scoped_lock lock(cache_->mutex);
    const Name name = parse(text);
    if (name.family != "float32") return {};
    if (name.kind == "gain" && name.t >= 1) {
        const std::string source = (user_table_ ? "codebook.gain." : "lloyd.gain.") + std::to_string(name.t);
        for (Bits bits = 64; bits <= 4096; bits *= 2)
            if (const auto rounded = shared_float32(enclose(source, bits))) return rational_from(*rounded);
        throw Error(ErrorCode::precision_exhausted, source + " lies too close to a binary32 midpoint");
    }
    if (!cache_->exact_table) cache_->exact_table = exact_codebook(table());
    if (name.kind == "epsilon" && name.t <= table().depth())
        return remembered(cache_->table_errors, name.t, *cache_->exact_table, name.t).value;
    return table_quantity(*cache_->exact_table, name, text);
}

std::optional<FunctionValue> CertifiedQuantities::function(const std::string& name,
                                                           const std::vector<Rational>& arguments) const {
    if (!name.starts_with("probe.")) return function_value(name, arguments);
    const std::scoped_lock lock(cache_->mutex);
    const auto risk = cache_->risks.risk(name, arguments);
    return risk ? std::optional(FunctionValue{*risk, 0, 0}) : std::nullopt;
}

Interval CertifiedQuantities::enclose_function(const std::string& name,
                                               const std::vector<Rational>& arguments, Bits bits) const {
    const auto value = function(name, arguments);
    return value ? value->enclose(bits) : Interval::undefined();
}

std::optional<Rational> CertifiedQuantities::exact_function(const std::string& name,
                                                            const std::vector<Rational>& arguments) const {
    const auto value = function(name, arguments);
    return value ? value->exact() : std::nullopt;
}

std::string CertifiedQuantities::where_attained(const std::string& text, Bits bits) const {
    const std::scoped_lock lock(cache_->mutex);
    const Name name = parse(text);
    if (name.kind != "epsilon") return "";
    if (name.family == "lloyd") {
        const auto& error = tree_error(name.t, bits);
        return place_text(error, shared_decimal(error.at, 20));
    }
    if (exact(text)) {
        const auto& error = remembered(cache_->table_errors, name.t, *cache_->exact_table, name.t);
        return place_text(error, to_string(error.at));
    }
    return "";
}

} // namespace kvproof
