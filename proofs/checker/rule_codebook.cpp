#include "rules.hpp"

namespace kvcheck {
namespace {

constexpr unsigned deepest_table = 12;

/// `WORD T I X` with a binary32 number X.
mpq_class read_entry(Check& check, const char* word, std::size_t t, std::size_t i) {
    const auto fields = check.records.take(word, 3);
    const std::optional<mpq_class> x = read_rational(fields[2]);
    if (fields[0] != std::to_string(t) || fields[1] != std::to_string(i) || !x) check.records.bad();
    try {
        if (rounded_to_binary32(*x) != *x) check.records.bad();
    } catch (const Undefined&) {
        check.records.bad();
    }
    return *x;
}

void require(Check& check, bool ordered) {
    if (!ordered) throw Invalid{check.records.line(), "bad_split"};
}

} // namespace

void check_codebook(Check& check) {
    const std::optional<mpz_class> depth = read_integer(check.records.take("depth", 1)[0]);
    if (!depth || *depth < 1 || *depth > deepest_table) check.records.bad();
    auto table = std::make_shared<Table>(check.precision);
    table->levels.push_back({{}, {read_entry(check, "centroid", 0, 0)}});
    for (std::size_t t = 1; t <= depth->get_ui(); ++t) {
        const std::vector<mpq_class> outer = table->levels.back().boundaries;
        TableLevel level;
        for (std::size_t i = 0; i <= outer.size(); ++i) {
            const mpq_class split = read_entry(check, "split", t, i);
            require(check, (i == 0 || outer[i - 1] < split) && (i == outer.size() || split < outer[i]));
            level.boundaries.push_back(split);
            if (i < outer.size()) level.boundaries.push_back(outer[i]);
        }
        for (std::size_t i = 0; i <= level.boundaries.size(); ++i) {
            const mpq_class centroid = read_entry(check, "centroid", t, i);
            require(check, (i == 0 || level.boundaries[i - 1] <= centroid) &&
                               (i == level.boundaries.size() || centroid <= level.boundaries[i]));
            level.centroids.push_back(centroid);
        }
        table->levels.push_back(std::move(level));
    }
    check.table = std::move(table);
}

} // namespace kvcheck
