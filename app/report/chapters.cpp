#include "app/report/page.hpp"
#include "app/report/plots.hpp"

namespace kvproof::report {
namespace {

/// A figure for each result, numbered from 1.
template <class Result>
void add_each(Chapter& chapter, const std::vector<Result>& results,
              Figure (*figure)(const Result&, std::size_t)) {
    for (std::size_t i = 0; i < results.size(); ++i) chapter.figures.push_back(figure(results[i], i + 1));
}

} // namespace

std::vector<Chapter> chapters_of(const Results& results) {
    std::vector<Chapter> out;
    const auto keep = [&](Chapter chapter) {
        if (!chapter.figures.empty()) out.push_back(std::move(chapter));
    };
    Chapter lloyd{"lloyd",
                  "The Lloyd code",
                  "ReadKV's progressive Gaussian quantiser (Section 3.1, D.1): each digit shown is certain.",
                  {}};
    for (std::size_t i = 0; i < results.lloyd.size(); ++i)
        for (Figure& figure : lloyd_figures(results.lloyd[i], i + 1))
            lloyd.figures.push_back(std::move(figure));
    keep(std::move(lloyd));
    Chapter separation{
        "separation", "Separation", "Where ReadKV's Theorem 1 shows that seeing the query helps.", {}};
    separation.figures = separation_figures(results.separations);
    keep(std::move(separation));
    Chapter probe{"probe",
                  "What readers can do",
                  "Minimax risks in the probe model, exactly, on finite families (ReadKV 2, C).",
                  {}};
    add_each(probe, results.probes, probe_figure);
    keep(std::move(probe));
    Chapter bounds{
        "bounds", "Certificates on captures", "True errors of captured attention beside their bounds.", {}};
    add_each(bounds, results.certified, certify_figure);
    add_each(bounds, results.observations, bound_figure);
    keep(std::move(bounds));
    Chapter frontier{"frontier", "Error against reads", "Every system on the same captured attention.", {}};
    add_each(frontier, results.compared, frontier_figure);
    keep(std::move(frontier));
    Chapter montecarlo{
        "montecarlo", "Experiments", "Seeded Monte Carlo; every interval holds at level 0.95 by itself.", {}};
    add_each(montecarlo, results.experiments, montecarlo_figure);
    keep(std::move(montecarlo));
    Chapter account{"account", "Reads and capacity", "What each system reads and keeps, exactly.", {}};
    add_each(account, results.accounts, account_figure);
    keep(std::move(account));
    return out;
}

} // namespace kvproof::report
