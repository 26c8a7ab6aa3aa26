#include "normal_form.hpp"

#include <algorithm>
#include <cstdlib>

namespace kvcheck {
namespace {

/// A term has no normal form, or one too large.
struct NoForm {};

constexpr std::size_t most_terms = 20000;
constexpr long most_power = 1000;

Polynomial constant(const mpq_class& c) {
    Polynomial p;
    if (sgn(c) != 0) p[{}] = c;
    return p;
}

Polynomial sum(Polynomial a, const Polynomial& b, int sign) {
    for (const auto& [m, c] : b) {
        mpq_class& to = a[m];
        to += sign * c;
        if (sgn(to) == 0) a.erase(m);
    }
    return a;
}

/// The product of two monomials, or with sign -1 the quotient.
Monomial product(const Monomial& a, const Monomial& b, long sign = 1) {
    Monomial m;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() || j < b.size()) {
        if (j == b.size() || (i < a.size() && a[i].first < b[j].first)) {
            m.push_back(a[i++]);
        } else if (i == a.size() || b[j].first < a[i].first) {
            m.emplace_back(b[j].first, sign * b[j].second);
            ++j;
        } else {
            const long exponent = a[i].second + sign * b[j].second;
            if (exponent != 0) m.emplace_back(a[i].first, exponent);
            ++i, ++j;
        }
    }
    return m;
}

std::optional<mpq_class> constant_value(const Quotient& x) {
    if (x.above.empty()) return mpq_class(0);
    if (x.above.size() != x.below.size()) return std::nullopt;
    const mpq_class ratio = x.above.begin()->second / x.below.begin()->second;
    for (auto a = x.above.begin(), b = x.below.begin(); a != x.above.end(); ++a, ++b) {
        if (a->first != b->first || a->second != ratio * b->second) return std::nullopt;
    }
    return ratio;
}

Polynomial product(const Polynomial& a, const Polynomial& b) {
    if (a.size() * b.size() > 20 * most_terms) throw NoForm{};
    Polynomial p;
    for (const auto& [m, c] : a) {
        for (const auto& [n, d] : b) p[product(m, n)] += c * d;
    }
    std::erase_if(p, [](const auto& term) { return sgn(term.second) == 0; });
    if (p.size() > most_terms) throw NoForm{};
    return p;
}

Quotient negated(Quotient x) {
    for (auto& [m, c] : x.above) c = -c;
    return x;
}

const Quotient one = {constant(1), constant(1)};

} // namespace

/// Uses sqrt(v)^2 = v until no root has a power above 1. The root with the largest number is replaced first:
/// v only holds atoms with smaller ones.
Quotient NormalForms::reduced(Quotient x) const {
    // A polynomial is the sum over k of P_k s^k; times w^(K/2), where v = u/w, s^k becomes u^(k/2)
    // w^((K-k)/2) s^(k%2).
    const auto without = [](const Polynomial& p, int root, const Quotient& v, long top) {
        Polynomial result;
        for (const auto& [m, c] : p) {
            Monomial rest;
            long k = 0;
            for (const auto& factor : m) {
                if (factor.first == root) k = factor.second;
                if (factor.first != root)
                    rest.push_back(factor);
                else if (k % 2 != 0)
                    rest.emplace_back(root, 1);
            }
            Polynomial term = {{rest, c}};
            for (long i = 0; i < k / 2; ++i) term = product(term, v.above);
            for (long i = k / 2; i < top / 2; ++i) term = product(term, v.below);
            result = sum(std::move(result), term, 1);
        }
        return result;
    };
    for (auto root = squares_.rbegin(); root != squares_.rend(); ++root) {
        const auto top = [&root](const Polynomial& p) {
            long most = 0;
            for (const auto& [m, c] : p) {
                for (const auto& [atom, k] : m) {
                    if (atom == root->first) most = std::max(most, k);
                }
            }
            return most;
        };
        const long most = std::max(top(x.above), top(x.below));
        if (most < 2) continue;
        if (most > 2 * most_power) throw NoForm{};
        x = {without(x.above, root->first, root->second, most),
             without(x.below, root->first, root->second, most)};
    }
    if (x.below.empty()) throw NoForm{};
    if (x.above.empty()) x.below = constant(1);
    return x;
}

Quotient NormalForms::power(const Quotient& x, const mpz_class& n) const {
    if (::abs(n) > most_power) throw NoForm{};
    if (sgn(n) < 0 && x.above.empty()) throw NoForm{};
    Quotient result = one;
    const Quotient factor = sgn(n) < 0 ? Quotient{x.below, x.above} : x;
    for (long i = 0; i < ::abs(n); ++i) {
        result = reduced({product(result.above, factor.above), product(result.below, factor.below)});
    }
    return result;
}

Quotient NormalForms::atom(const std::string& key, long exponent) {
    const int number = atoms_.try_emplace(key, static_cast<int>(atoms_.size())).first->second;
    const Polynomial p = {{Monomial{{number, std::abs(exponent)}}, mpq_class(1)}};
    if (exponent == 0) return one;
    return exponent > 0 ? Quotient{p, constant(1)} : Quotient{constant(1), p};
}

/// sqrt, an atom whose square is known.
Quotient NormalForms::root(int id) {
    const Quotient square = form(nodes_[id].left);
    Quotient result = atom("node " + std::to_string(id));
    squares_.try_emplace(result.above.begin()->first[0].first, square);
    return result;
}

/// log of the node, one atom for each positive rational number.
Quotient NormalForms::logarithm(int id) {
    const std::optional<mpq_class> r = constant_value(form(id));
    if (!r || sgn(*r) <= 0) return atom("log of node " + std::to_string(id));
    if (*r == 1) return {{}, constant(1)};
    Quotient result = atom("log " + r->get_str());
    log_of_.try_emplace(result.above.begin()->first[0].first, *r);
    return result;
}

/// exp(exponent), the value of node id, as a product of one factor for each term of the exponent.
Quotient NormalForms::exponential(const Quotient& exponent, int id) {
    if (exponent.below.size() != 1) return atom("node " + std::to_string(id));
    const auto& [divisor, scale] = *exponent.below.begin();
    Quotient result = one;
    for (const auto& [whole, coefficient] : exponent.above) {
        const Monomial m = product(whole, divisor, -1);
        const mpq_class c = coefficient / scale;
        if (!c.get_num().fits_sint_p()) throw NoForm{};
        const long p = c.get_num().get_si();
        const mpz_class& q = c.get_den();
        Quotient factor;
        const auto log = m.size() == 1 && m[0].second == 1 ? log_of_.find(m[0].first) : log_of_.end();
        if (m.empty() && q == 1) {
            factor = atom("e", p);
        } else if (log != log_of_.end() && q == 1) {
            factor = power({constant(log->second), constant(1)}, c.get_num());
        } else {
            std::string key = "exp of 1/" + q.get_str();
            for (const auto& [a, k] : m) key += " " + std::to_string(a) + "^" + std::to_string(k);
            factor = atom(key, p);
        }
        result = {product(result.above, factor.above), product(result.below, factor.below)};
    }
    return result;
}

/// tanh(n) = (E - 1) / (E + 1) with E = e^(2n) for an integer n.
Quotient NormalForms::hyperbolic_tangent(int id) {
    const std::optional<mpq_class> n = constant_value(form(nodes_[id].left));
    if (!n || n->get_den() != 1 || !n->get_num().fits_sint_p()) return atom("node " + std::to_string(id));
    if (sgn(*n) == 0) return {{}, constant(1)};
    const Polynomial power = atom("e", 2 * std::abs(n->get_num().get_si())).above;
    Quotient result = {sum(power, constant(1), -1), sum(power, constant(1), 1)};
    return sgn(*n) < 0 ? negated(result) : result;
}

Quotient NormalForms::computed(int id) {
    const Node& node = nodes_[id];
    switch (node.op) {
    case Op::number: return {constant(node.number), constant(1)};
    case Op::pi: return atom("pi");
    case Op::e: return atom("e");
    case Op::add:
    case Op::subtract: {
        const Quotient& a = form(node.left);
        const Quotient& b = form(node.right);
        const int sign = node.op == Op::add ? 1 : -1;
        if (a.below == b.below) return reduced({sum(a.above, b.above, sign), a.below});
        return reduced(
            {sum(product(a.above, b.below), product(b.above, a.below), sign), product(a.below, b.below)});
    }
    case Op::negate: return negated(form(node.left));
    case Op::multiply: {
        const Quotient& a = form(node.left);
        const Quotient& b = form(node.right);
        return reduced({product(a.above, b.above), product(a.below, b.below)});
    }
    case Op::divide: {
        const Quotient& a = form(node.left);
        const Quotient& b = form(node.right);
        return reduced({product(a.above, b.below), product(a.below, b.above)}); // no form where b is 0
    }
    case Op::power: {
        const std::optional<mpq_class> n = constant_value(form(node.right));
        if (n && n->get_den() == 1) return power(form(node.left), n->get_num());
        const Quotient log = logarithm(node.left);
        const Quotient& y = form(node.right);
        return exponential({product(y.above, log.above), product(y.below, log.below)}, id);
    }
    case Op::sqrt: return root(id);
    case Op::log: return logarithm(node.left);
    case Op::exp: return exponential(form(node.left), id);
    case Op::tanh: return hyperbolic_tangent(id);
    default: return atom("node " + std::to_string(id));
    }
}

const Quotient& NormalForms::form(int id) {
    if (!forms_[id]) forms_[id] = computed(id);
    return *forms_[id];
}

bool NormalForms::equal(int a, int b) {
    const auto [at, is_new] = answers_.try_emplace({a, b}, false);
    if (!is_new) return at->second;
    try {
        const Quotient& x = form(a);
        const Quotient& y = form(b);
        const Polynomial difference = sum(product(x.above, y.below), product(y.above, x.below), -1);
        at->second = reduced({difference, constant(1)}).above.empty();
    } catch (const NoForm&) {
        at->second = false;
    }
    return at->second;
}

} // namespace kvcheck
