#include "lib/error.hpp"
#include "sim/probe/family.hpp"
#include "sim/probe/family_file.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <numeric>

namespace kvproof {
namespace {

using Point = std::vector<Rational>;

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
    throw Error(ErrorCode::bad_option, "family \"" + name + "\": " + what);
}

/// The integers after the colon.
std::vector<long> parameters_of(const std::string& name, std::size_t colon) {
    std::vector<long> out;
    std::size_t at = colon;
    while (at < name.size()) {
        const char* begin = name.data() + at + 1;
        const char* end = name.data() + name.size();
        long value = 0;
        const auto [stopped, failure] = std::from_chars(begin, end, value);
        const bool is_plain = begin < end && *begin != '-' && (*begin != '0' || stopped == begin + 1);
        if (failure != std::errc() || !is_plain || (stopped != end && *stopped != ','))
            refuse(name,
                   "expected integers without leading zeros, with commas between them, after the colon");
        out.push_back(value);
        at = static_cast<std::size_t>(stopped - name.data());
    }
    return out;
}

/// All vectors over the letters, the last entry fastest.
std::vector<Point> product(const std::vector<Rational>& letters, long length, const std::string& name) {
    std::vector<Point> out = {{}};
    for (long i = 0; i < length; ++i) {
        if (out.size() * letters.size() > Family::most_sources)
            refuse(name, "has more than " + std::to_string(Family::most_sources) + " sources");
        std::vector<Point> longer;
        for (const Point& prefix : out)
            for (const Rational& letter : letters) {
                longer.push_back(prefix);
                longer.back().push_back(letter);
            }
        out = std::move(longer);
    }
    return out;
}

std::vector<Rational> grid(long levels) {
    std::vector<Rational> out;
    for (long i = 0; i < levels; ++i) out.emplace_back(2 * i - (levels - 1), levels - 1);
    return out;
}

std::string text_of(const Point& point) {
    std::string out;
    for (const Rational& entry : point) {
        const bool is_sign = entry * entry == 1;
        out += is_sign ? (entry > 0 ? "+" : "-") : (out.empty() ? "" : " ") + to_string(entry);
    }
    return out;
}

/// Scores x'y of every source and query.
Family scores(const std::string& name, const std::vector<Point>& sources, const std::vector<Point>& queries,
              long scale) {
    if (queries.size() > Family::most_queries)
        refuse(name, "has more than " + std::to_string(Family::most_queries) + " queries");
    Family out{.name = name,
               .sources = static_cast<int>(sources.size()),
               .queries = static_cast<int>(queries.size()),
               .scale = scale,
               .source_points = sources,
               .query_points = queries};
    for (const Point& x : sources) {
        out.source_names.push_back(text_of(x));
        for (const Point& y : queries)
            out.targets.push_back(std::inner_product(x.begin(), x.end(), y.begin(), Rational(0)));
    }
    for (const Point& y : queries) out.query_names.push_back(text_of(y));
    return out;
}

std::vector<Point> signed_basis(long d) {
    std::vector<Point> out;
    for (long i = 0; i < d; ++i)
        for (const int sign : {1, -1}) {
            out.emplace_back(static_cast<std::size_t>(d));
            out.back()[static_cast<std::size_t>(i)] = sign;
        }
    return out;
}

/// Sign vectors on every set of k coordinates.
std::vector<Point> sparse_signs(long d, long k, const std::string& name) {
    std::vector<Point> out;
    std::size_t all = 1;
    for (long i = 0; i < d; ++i) all *= 3;
    for (std::size_t code = 0; code < all; ++code) {
        Point y;
        long support = 0;
        for (std::size_t left = code, i = 0; i < static_cast<std::size_t>(d); ++i, left /= 3) {
            y.emplace_back(left % 3 == 2 ? -1 : static_cast<long>(left % 3));
            support += left % 3 != 0 ? 1 : 0;
        }
        if (support == k) out.push_back(y);
    }
    if (out.size() > Family::most_queries) refuse(name, "has too many queries");
    return out;
}

Family hypercube(const std::string& name, const std::vector<long>& p) {
    return scores(name, product({-1, 1}, p[0], name), signed_basis(p[0]), p[0]);
}

Family sparse(const std::string& name, const std::vector<long>& p) {
    if (p[1] < 1 || p[1] > p[0]) refuse(name, "expected 1 <= k <= d");
    return scores(name, product({-1, 1}, p[0], name), sparse_signs(p[0], p[1], name), p[0] * p[1]);
}

Family on_grid(const std::string& name, const std::vector<long>& p) {
    if (p[1] < 2 || p[1] > Family::most_sources) refuse(name, "expected 2 to 64 levels");
    return scores(name, product(grid(p[1]), p[0], name), signed_basis(p[0]), p[0]);
}

Family hadamard(const std::string& name, const std::vector<long>& p) {
    const auto d = static_cast<unsigned long>(p[0]);
    if ((d & (d - 1)) != 0) refuse(name, "expected a power of two");
    const std::vector<Point> sources = product({-1, 1}, p[0], name);
    std::vector<Point> queries;
    for (unsigned long j = 0; j < d; ++j)
        for (const int sign : {1, -1}) {
            queries.emplace_back();
            for (unsigned long i = 0; i < d; ++i)
                queries.back().emplace_back((__builtin_popcountl(i & j) % 2 == 0 ? 1 : -1) * sign);
        }
    return scores(name, sources, queries, p[0] * p[0]);
}

Family attention(const std::string& name, const std::vector<long>& p) {
    if (p[0] < 2 || p[0] > Family::most_sources) refuse(name, "expected 2 to 64 levels");
    const Rational& high = attention_share();
    const std::vector<Rational> values = grid(p[0]);
    Family out{.name = name,
               .queries = 2,
               .query_names = {"eta=-1", "eta=+1"},
               .query_points = {{Rational(-1)}, {Rational(1)}}};
    for (const int b : {-1, 1})
        for (const Rational& v1 : values)
            for (const Rational& v2 : values) {
                out.source_names.push_back(std::string(b > 0 ? "+" : "-") + " " + to_string(v1) + " " +
                                           to_string(v2));
                out.source_points.push_back({Rational(b), v1, v2});
                for (const int eta : {-1, 1})
                    out.targets.push_back(eta * b == 1 ? high * v1 + (1 - high) * v2
                                                       : high * v2 + (1 - high) * v1);
                if (++out.sources > Family::most_sources) refuse(name, "has more than 64 sources");
            }
    return out;
}

Family pointer(const std::string& name, const std::vector<long>& p) {
    const long n = p[0];
    const std::vector<Point> records = product({0, 1}, n, name);
    if (n * static_cast<long>(records.size()) > Family::most_sources)
        refuse(name, "has more than 64 sources");
    Family out{.name = name,
               .sources = static_cast<int>(n) * static_cast<int>(records.size()),
               .queries = static_cast<int>(n) + 2,
               .query_names = {"z_p", "p"}};
    for (long i = 0; i < n; ++i) out.query_names.push_back("z" + std::to_string(i));
    for (long selected = 0; selected < n; ++selected)
        for (const Point& z : records) {
            std::string bits;
            for (const Rational& bit : z) bits += to_string(bit);
            out.source_names.push_back("p=" + std::to_string(selected) + " z=" + bits);
            out.targets.push_back(z[static_cast<std::size_t>(selected)]);
            out.targets.emplace_back(selected);
            out.targets.insert(out.targets.end(), z.begin(), z.end());
        }
    return out;
}

/// Each word gives the targets of one query: a digit or a letter (a is 10) for each source.
Family labels(const std::string& name, std::size_t colon) {
    constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuvwxyz";
    Family out{.name = name};
    std::vector<std::string> words = {""};
    for (const char c : std::string_view(name).substr(colon + 1)) {
        if (c == ',')
            words.emplace_back();
        else if (digits.find(c) == std::string_view::npos)
            refuse(name, "expected words of digits and lower-case letters with commas between them");
        else
            words.back() += c;
    }
    out.sources = static_cast<int>(words.front().size());
    out.queries = static_cast<int>(words.size());
    if (out.sources < 1 || out.sources > Family::most_sources || out.queries > 64 ||
        std::ranges::any_of(words, [&](const auto& word) { return word.size() != words.front().size(); }))
        refuse(name, "expected words of one length, 1 to " + std::to_string(Family::most_sources));
    for (int x = 0; x < out.sources; ++x) {
        out.source_names.push_back("x" + std::to_string(x));
        for (const std::string& word : words)
            out.targets.emplace_back(static_cast<long>(digits.find(word[static_cast<std::size_t>(x)])));
    }
    out.query_names = words;
    return out;
}

struct Kind {
    std::size_t fewest; ///< parameters
    std::size_t most;
    Family (*make)(const std::string& name, const std::vector<long>& parameters);
};

const std::map<std::string, Kind, std::less<>> kinds = {
    {"hypercube", {1, 1, hypercube}}, {"sparse", {2, 2, sparse}},       {"grid", {2, 2, on_grid}},
    {"hadamard", {1, 1, hadamard}},   {"attention", {1, 1, attention}}, {"pointer", {1, 1, pointer}}};

} // namespace

const Rational& attention_share() {
    static const Rational share(22026, 22027); // 1/(1+e^-10) = 0.99995460..., this is 0.99995460...
    return share;
}

Family make_family(const std::string& name) {
    const std::size_t colon = name.find(':');
    const std::string kind = name.substr(0, colon);
    if (kind == "file" && colon != std::string::npos) return read_family(name.substr(colon + 1));
    if (kind == "labels" && colon != std::string::npos) return labels(name, colon);
    const auto found = kinds.find(kind);
    if (found == kinds.end())
        refuse(name,
               "expected hypercube:d, sparse:d,k, grid:d,levels, hadamard:d, attention:levels, pointer:n, "
               "labels:WORD,... or file:PATH");
    const std::vector<long> parameters = parameters_of(name, colon);
    if (parameters.size() < found->second.fewest || parameters.size() > found->second.most)
        refuse(name, "wrong number of parameters");
    if (parameters[0] < 1 || parameters[0] > Family::most_sources)
        refuse(name, "expected a first parameter from 1 to " + std::to_string(Family::most_sources));
    return found->second.make(name, parameters);
}

} // namespace kvproof
