// The families against the table of docs/probe.md, computed here from the names and from the numbering.
#include "lib/error.hpp"
#include "sim/probe/family.hpp"

#include <bit>
#include <functional>
#include <gtest/gtest.h>

using namespace kvproof;

namespace {

/// "+-+" or "0+-": one entry a letter.
std::vector<int> entries_of(const std::string& name) {
    std::vector<int> out;
    for (const char letter : name)
        if (letter != ' ') out.push_back(letter == '+' ? 1 : letter == '-' ? -1 : 0);
    return out;
}

/// Whether every target is x'y with x and y as their names say, times `factor`.
bool scores_follow_from_names(const Family& family) {
    for (int x = 0; x < family.sources; ++x)
        for (int y = 0; y < family.queries; ++y) {
            const std::vector<int> left = entries_of(family.source_names[x]);
            const std::vector<int> right = entries_of(family.query_names[y]);
            if (left.size() != right.size()) return false;
            int product = 0;
            for (std::size_t i = 0; i < left.size(); ++i) product += left[i] * right[i];
            if (family.target(x, y)[0] != product) return false;
        }
    return true;
}

TEST(Family, scores_are_products_of_what_the_names_say) {
    for (const char* name : {"hypercube:1", "hypercube:2", "hypercube:4", "sparse:3,1", "sparse:3,2",
                             "sparse:4,4", "hadamard:1", "hadamard:2", "hadamard:4"})
        EXPECT_TRUE(scores_follow_from_names(make_family(name))) << name;
    Family mutant = make_family("hypercube:2");
    std::swap(mutant.targets[0], mutant.targets[1]);
    EXPECT_FALSE(scores_follow_from_names(mutant));
}

struct Defined {
    std::string name;
    int sources;
    int queries;
    long scale;
    std::function<Rational(int x, int y)> target;
};

/// Entry i of source x where the last entry moves fastest among `levels` values from -1 to 1.
Rational entry(int x, int i, int d, int levels) {
    for (int skipped = d - 1; skipped > i; --skipped) x /= levels;
    return Rational(2 * (x % levels), levels - 1) - 1;
}

Rational on_basis(int x, int y, int d, int levels) {
    return (y % 2 == 0 ? 1 : -1) * entry(x, y / 2, d, levels);
}

bool is_as_defined(const Family& family, const Defined& defined) {
    if (family.sources != defined.sources || family.queries != defined.queries || family.dim != 1 ||
        family.scale != defined.scale || family.name != defined.name)
        return false;
    if (family.source_names.size() != static_cast<std::size_t>(family.sources) ||
        family.query_names.size() != static_cast<std::size_t>(family.queries) ||
        family.targets.size() != static_cast<std::size_t>(family.sources * family.queries))
        return false;
    for (int x = 0; x < family.sources; ++x)
        for (int y = 0; y < family.queries; ++y)
            if (family.target(x, y)[0] != defined.target(x, y)) return false;
    return true;
}

std::vector<Defined> definitions() {
    const auto hadamard = [](int x, int y) {
        Rational sum = 0;
        for (unsigned i = 0; i < 4; ++i) {
            const int sign = std::popcount(i & static_cast<unsigned>(y / 2)) % 2 == 0 ? 1 : -1;
            sum += sign * entry(x, static_cast<int>(i), 4, 2);
        }
        return Rational(y % 2 == 0 ? sum : -sum);
    };
    const auto attention = [](int x, int y) {
        const Rational v1 = entry(x % 9, 0, 2, 3);
        const Rational v2 = entry(x % 9, 1, 2, 3);
        const bool first = (x < 9) == (y == 0); // b eta = 1
        const Rational p(22026, 22027);
        return Rational(first ? p * v1 + (1 - p) * v2 : p * v2 + (1 - p) * v1);
    };
    const auto pointer = [](int x, int y) {
        const int p = x / 8;
        const auto bit = [&](int i) { return (x % 8) >> (2 - i) & 1; };
        return Rational(y == 0 ? bit(p) : y == 1 ? p : bit(y - 2));
    };
    const auto labels = [](int x, int y) { return Rational(y == 0 ? x : 35 - x); };
    return {{"hypercube:3", 8, 6, 3, [](int x, int y) { return on_basis(x, y, 3, 2); }},
            {"grid:2,4", 16, 4, 2, [](int x, int y) { return on_basis(x, y, 2, 4); }},
            {"grid:3,3", 27, 6, 3, [](int x, int y) { return on_basis(x, y, 3, 3); }},
            {"hadamard:4", 16, 8, 16, hadamard},
            {"attention:3", 18, 2, 1, attention},
            {"pointer:3", 24, 5, 1, pointer},
            {"labels:0123,zyxw", 4, 2, 1, labels}};
}

TEST(Family, is_numbered_as_documented) {
    for (const Defined& defined : definitions())
        EXPECT_TRUE(is_as_defined(make_family(defined.name), defined)) << defined.name;
    const Defined cube = definitions().front();
    Family other = make_family("hypercube:3");
    std::swap_ranges(other.targets.begin(), other.targets.begin() + 6, other.targets.begin() + 6);
    EXPECT_FALSE(is_as_defined(other, cube)); // the first source is -1 in its last entry
}

TEST(Family, sparse_queries_have_k_entries_in_the_documented_order) {
    const Family family = make_family("sparse:3,2");
    EXPECT_EQ(family.scale, 6);
    std::vector<std::string> names;
    for (int code = 0; code < 27; ++code) { // first entry fastest: 0, 1, -1
        const std::string letters = "0+-";
        const std::string name = {letters[code % 3], letters[code / 3 % 3], letters[code / 9]};
        if (std::ranges::count(name, '0') == 1) names.push_back(name);
    }
    ASSERT_EQ(family.query_names.size(), names.size());
    for (std::size_t y = 0; y < names.size(); ++y)
        EXPECT_EQ(entries_of(family.query_names[y]), entries_of(names[y]));
}

TEST(Family, points_are_those_of_the_targets) {
    for (const char* name : {"hypercube:3", "sparse:3,2", "grid:2,4", "hadamard:4"}) {
        const Family family = make_family(name);
        for (int x = 0; x < family.sources; ++x)
            for (int y = 0; y < family.queries; ++y) {
                Rational product = 0;
                for (std::size_t i = 0; i < family.source_points[x].size(); ++i)
                    product += family.source_points[x][i] * family.query_points[y][i];
                EXPECT_EQ(product, family.target(x, y)[0]) << name;
            }
    }
    const Family attention = make_family("attention:3");
    EXPECT_EQ(attention.source_points[10], (std::vector<Rational>{1, -1, 0}));
    EXPECT_TRUE(make_family("pointer:2").source_points.empty());
}

/// The line of a refusal; empty where the name is taken.
std::string refusal(const std::string& name) {
    try {
        (void)make_family(name);
        return "";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_option) << name;
        return error.what();
    }
}

TEST(Family, malformed_names_get_one_line_that_names_them) {
    for (const char* name : {"",
                             ":",
                             "cube:3",
                             "hypercube",
                             "hypercube:",
                             "hypercube:0",
                             "hypercube:-1",
                             "hypercube:7",
                             "hypercube:99999999999999999999",
                             "hypercube:3,2",
                             "hypercube:3 ",
                             "hypercube:3,",
                             "hypercube:x",
                             "sparse:3",
                             "sparse:3,0",
                             "sparse:3,4",
                             "grid:2,1",
                             "grid:2,9",
                             "grid:4,3",
                             "hadamard:3",
                             "hadamard:8",
                             "attention:1",
                             "attention:6",
                             "pointer:5",
                             "pointer:0",
                             "hypercube:02",
                             "hypercube:-0",
                             "sparse:3,02",
                             "labels:",
                             "labels:01,",
                             "labels:01,0",
                             "labels:0A",
                             "file",
                             "HYPERCUBE:2"}) {
        const std::string line = refusal(name);
        EXPECT_NE(line.find("\"" + std::string(name) + "\""), std::string::npos) << name << ": " << line;
        EXPECT_EQ(line.find('\n'), std::string::npos);
    }
    EXPECT_EQ(refusal("hypercube:3"), ""); // the check can fail
}

} // namespace
