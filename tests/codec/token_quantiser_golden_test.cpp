// AATC's quantiser against tests/data/token_quantiser.tsv, which token_quantiser_golden.py wrote in exact
// fractions, and the file against exact rationals here.
#include "lib/codec/token_quantiser.hpp"

#include "lib/exact/rational.hpp"
#include "lib/record/file.hpp"
#include "tests/proofs/exact_quantiser.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

using namespace kvproof;
using namespace kvproof::testing_support;

namespace {

struct Golden {
    long bits = 0;
    Rational reach;
    Rational h;
    Rational code[2];  ///< printed, repaired
    Rational level[2]; ///< printed, repaired
};

std::vector<Golden> golden_numbers() {
    const std::string path = KVPROOF_SOURCE_DIR "/tests/data/token_quantiser.tsv";
    std::istringstream lines(read_file(path, 1 << 20));
    std::string line;
    std::getline(lines, line); // the header
    std::vector<Golden> out;
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        std::vector<Rational> numbers;
        for (std::string word; words >> word;) numbers.push_back(parse_rational(word));
        EXPECT_EQ(numbers.size(), 7U) << line;
        out.push_back({static_cast<long>(numerator(numbers[0])),
                       numbers[1],
                       numbers[2],
                       {numbers[3], numbers[5]},
                       {numbers[4], numbers[6]}});
    }
    return out;
}

double number(const Rational& x) {
    const double out = nearest_float64(x);
    EXPECT_EQ(rational_from(out), x); // nothing is rounded
    return out;
}

/// How many lines the quantiser misses, the golden numbers taken from column `form`.
std::size_t misses(TokenCode code, std::size_t form, int more_bits = 0) {
    std::size_t out = 0;
    for (const Golden& golden : golden_numbers()) {
        const TokenQuantiser quantiser{number(golden.reach), static_cast<int>(golden.bits) + more_bits, code};
        const double h = number(golden.h);
        if (quantiser.code(h) != number(golden.code[form]) ||
            quantiser.quantised(h) != number(golden.level[form]))
            ++out;
    }
    return out;
}

TEST(TokenQuantiserGolden, the_numbers_are_met_exactly) {
    EXPECT_GT(golden_numbers().size(), 600U);
    EXPECT_EQ(misses(TokenCode::printed, 0), 0U);
    EXPECT_EQ(misses(TokenCode::repaired, 1), 0U);
}

TEST(TokenQuantiserGolden, mutants_miss) {
    EXPECT_GT(misses(TokenCode::printed, 1), 0U);
    EXPECT_GT(misses(TokenCode::repaired, 0), 0U);
    EXPECT_GT(misses(TokenCode::printed, 0, 1), 0U);
}

/// A quantiser on [-reach, reach] is the one on [-1, 1] scaled.
TEST(TokenQuantiserGolden, the_file_holds_what_exact_arithmetic_gives) {
    for (const Golden& golden : golden_numbers()) {
        const Rational u = golden.h / golden.reach;
        EXPECT_EQ(golden.reach * printed_quantiser(golden.bits).level(u), golden.level[0]);
        EXPECT_EQ(golden.reach * repaired_quantiser(golden.bits).level(u), golden.level[1]);
        const Rational step = 2 * golden.reach / power(Rational(2), golden.bits);
        EXPECT_EQ(step * golden.code[0], golden.level[0]);
        EXPECT_EQ(step * (golden.code[1] + Rational(1, 2)), golden.level[1]);
    }
}

} // namespace
