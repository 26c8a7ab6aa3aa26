#include "probe_family.hpp"

#include "sha256.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>

namespace kvcheck {
namespace {

constexpr unsigned long most_sources = 64, most_queries = 4096, most_numbers = 8;
constexpr std::size_t most_bits = 4096; // of a file's common denominator

using Parameters = std::vector<unsigned long>;
using Point = std::vector<mpq_class>;

unsigned long power(unsigned long base, unsigned long exponent) {
    unsigned long out = 1;
    for (unsigned long i = 0; i < exponent; ++i) out *= base;
    return out;
}

const std::map<std::string, bool (*)(const Parameters&), std::less<>> bounds = {
    {"hypercube", [](const Parameters& p) { return p.size() == 1 && p[0] >= 1 && p[0] <= 6; }},
    {"sparse", [](const Parameters& p) { return p.size() == 2 && p[0] <= 6 && p[1] >= 1 && p[1] <= p[0]; }},
    {"grid",
     [](const Parameters& p) {
         return p.size() == 2 && p[0] >= 1 && p[0] <= 6 && p[1] >= 2 && p[1] <= most_sources &&
                power(p[1], p[0]) <= most_sources;
     }},
    {"hadamard", [](const Parameters& p) { return p.size() == 1 && (p[0] == 1 || p[0] == 2 || p[0] == 4); }},
    {"attention", [](const Parameters& p) { return p.size() == 1 && p[0] >= 2 && p[0] <= 5; }},
    {"pointer", [](const Parameters& p) { return p.size() == 1 && p[0] >= 1 && p[0] <= 4; }}};

/// All vectors with these entries, the last one fastest.
std::vector<Point> vectors(const Point& entries, unsigned long length) {
    std::vector<Point> out;
    const std::size_t count = power(entries.size(), length);
    for (std::size_t code = 0; code < count; ++code) {
        Point point(length);
        std::size_t rest = code;
        for (std::size_t i = length; i-- > 0; rest /= entries.size())
            point[i] = entries[rest % entries.size()];
        out.push_back(std::move(point));
    }
    return out;
}

Point grid(unsigned long levels) {
    Point out;
    for (unsigned long i = 0; i < levels; ++i) {
        out.emplace_back(mpz_class(2 * i) - mpz_class(levels - 1), levels - 1);
        out.back().canonicalize();
    }
    return out;
}

using Entry = std::function<int(unsigned long row, unsigned long column)>;

/// The rows of a square matrix, each followed by its negative.
std::vector<Point> signed_rows(unsigned long d, const Entry& entry) {
    std::vector<Point> out;
    for (unsigned long i = 0; i < 2 * d; ++i) {
        Point row;
        for (unsigned long j = 0; j < d; ++j)
            row.emplace_back(i % 2 == 0 ? entry(i / 2, j) : -entry(i / 2, j));
        out.push_back(std::move(row));
    }
    return out;
}

int identity(unsigned long row, unsigned long column) {
    return row == column ? 1 : 0;
}

int sylvester(unsigned long row, unsigned long column) {
    return std::popcount(row & column) % 2 == 0 ? 1 : -1;
}

/// Entries 0, 1, -1, the first one fastest, `support` of them not 0.
std::vector<Point> sparse_rows(unsigned long d, unsigned long support) {
    std::vector<Point> out;
    for (unsigned long code = 0; code < power(3, d); ++code) {
        Point row;
        unsigned long count = 0;
        for (unsigned long i = 0, rest = code; i < d; ++i, rest /= 3) {
            row.emplace_back(rest % 3 == 2 ? -1 : static_cast<int>(rest % 3));
            if (rest % 3 != 0) ++count;
        }
        if (count == support) out.push_back(std::move(row));
    }
    return out;
}

/// targets[x][y], of one number each, as rationals.
using Rows = std::vector<Point>;

Rows scores(const std::vector<Point>& sources, const std::vector<Point>& queries) {
    Rows out;
    for (const Point& z : sources) {
        Point row;
        for (const Point& y : queries) {
            mpq_class score;
            for (std::size_t i = 0; i < z.size(); ++i) score += z[i] * y[i];
            row.push_back(score);
        }
        out.push_back(std::move(row));
    }
    return out;
}

Rows attention(unsigned long levels) {
    const mpq_class high(22026, 22027);
    const mpq_class low(1, 22027);
    Rows out;
    for (const int b : {-1, 1})
        for (const mpq_class& v : grid(levels))
            for (const mpq_class& u : grid(levels)) {
                const mpq_class first = high * v + low * u;
                const mpq_class second = high * u + low * v;
                out.push_back(b < 0 ? Point{first, second} : Point{second, first});
            }
    return out;
}

Rows pointer(unsigned long n) {
    Rows out;
    for (unsigned long selected = 0; selected < n; ++selected)
        for (const Point& z : vectors({0, 1}, n)) {
            Point row = {z[selected], selected};
            row.insert(row.end(), z.begin(), z.end());
            out.push_back(std::move(row));
        }
    return out;
}

constexpr std::string_view digits = "0123456789abcdefghijklmnopqrstuvwxyz";

Rows labels(const std::vector<std::string>& words) {
    Rows out(words[0].size());
    for (std::size_t x = 0; x < out.size(); ++x) {
        for (const std::string& word : words)
            out[x].emplace_back(static_cast<unsigned long>(digits.find(word[x])));
    }
    return out;
}

/// rows[x] holds the targets of all queries, `numbers` each.
ProbeFamily over_one_denominator(const Rows& rows, std::size_t numbers, const mpz_class& scale) {
    ProbeFamily out;
    out.sources = rows.size();
    out.queries = rows[0].size() / numbers;
    out.numbers = numbers;
    for (const Point& row : rows)
        for (const mpq_class& v : row) out.common = lcm(out.common, v.get_den());
    out.unit = scale * static_cast<unsigned long>(numbers) * out.common * out.common;
    for (std::size_t y = 0; y < out.queries; ++y)
        for (const Point& row : rows)
            for (std::size_t k = 0; k < numbers; ++k) {
                const mpq_class& v = row[y * numbers + k];
                out.targets.emplace_back(v.get_num() * (out.common / v.get_den()));
            }
    return out;
}

ProbeFamily named(const std::string& kind, const Parameters& p) {
    const Point signs = {-1, 1};
    if (kind == "hypercube")
        return over_one_denominator(scores(vectors(signs, p[0]), signed_rows(p[0], identity)), 1, p[0]);
    if (kind == "sparse")
        return over_one_denominator(scores(vectors(signs, p[0]), sparse_rows(p[0], p[1])), 1, p[0] * p[1]);
    if (kind == "grid")
        return over_one_denominator(scores(vectors(grid(p[1]), p[0]), signed_rows(p[0], identity)), 1, p[0]);
    if (kind == "hadamard")
        return over_one_denominator(scores(vectors(signs, p[0]), signed_rows(p[0], sylvester)), 1,
                                    p[0] * p[0]);
    if (kind == "attention") return over_one_denominator(attention(p[0]), 1, 1);
    return over_one_denominator(pointer(p[0]), 1, 1);
}

/// The fields between commas.
std::vector<std::string> split(std::string_view text) {
    std::vector<std::string> fields = {""};
    for (const char c : text) {
        if (c == ',')
            fields.emplace_back();
        else
            fields.back() += c;
    }
    return fields;
}

bool are_labels(const std::vector<std::string>& words) {
    const std::size_t length = words[0].size();
    if (length < 1 || length > most_sources || words.size() > most_queries) return false;
    return std::all_of(words.begin(), words.end(), [length](const std::string& word) {
        return word.size() == length && word.find_first_not_of(digits) == std::string::npos;
    });
}

unsigned long read_count(Records& records, std::string_view field, unsigned long most) {
    const std::optional<mpz_class> n = read_integer(field);
    if (!n || *n < 1 || *n > most) records.bad();
    return n->get_ui();
}

ProbeFamily from_records(const std::string& hash, Records& records) {
    std::string text = std::string(records.peek()) + "\n";
    const auto head = records.take("family", 4);
    const std::size_t sources = read_count(records, head[0], most_sources);
    const std::size_t queries = read_count(records, head[1], most_queries);
    const std::size_t numbers = read_count(records, head[2], most_numbers);
    const std::optional<mpz_class> scale = read_integer(head[3]);
    if (!scale || *scale < 1) records.bad();
    Rows rows;
    mpz_class common = 1;
    for (std::size_t x = 0; x < sources; ++x) {
        text += std::string(records.peek()) + "\n";
        Point row;
        for (const std::string_view field : records.take("targets", queries * numbers)) {
            std::optional<mpq_class> v = read_rational(field);
            if (!v) records.bad();
            common = lcm(common, v->get_den());
            if (mpz_sizeinbase(common.get_mpz_t(), 2) > most_bits) records.bad();
            row.push_back(std::move(*v));
        }
        rows.push_back(std::move(row));
    }
    if (sha256(text) != hash) records.bad_witness();
    return over_one_denominator(rows, numbers, *scale);
}

} // namespace

std::optional<FamilyName> read_family_name(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return std::nullopt;
    FamilyName name{std::string(text), std::string(text.substr(0, colon)), {}, {}, {}};
    std::string_view rest = text.substr(colon + 1);
    if (name.kind == "file") {
        name.hash = rest;
        const bool is_hash =
            rest.size() == 64 && rest.find_first_not_of("0123456789abcdef") == std::string_view::npos;
        return is_hash ? std::optional(name) : std::nullopt;
    }
    const std::vector<std::string> fields = split(rest);
    if (name.kind == "labels") {
        name.words = fields;
        return are_labels(fields) ? std::optional(name) : std::nullopt;
    }
    const auto allowed = bounds.find(name.kind);
    if (allowed == bounds.end()) return std::nullopt;
    for (const std::string& field : fields) {
        const std::optional<mpz_class> p = read_integer(field);
        if (!p || *p < 0 || !p->fits_ulong_p()) return std::nullopt;
        name.parameters.push_back(p->get_ui());
    }
    return allowed->second(name.parameters) ? std::optional(name) : std::nullopt;
}

ProbeFamily read_family(const FamilyName& name, Records& records) {
    if (name.kind == "file") return from_records(name.hash, records);
    if (name.kind == "labels") return over_one_denominator(labels(name.words), 1, 1);
    return named(name.kind, name.parameters);
}

} // namespace kvcheck
