#pragma once

#include "sim/montecarlo/confidence.hpp"
#include "sim/montecarlo/task.hpp"

#include <gtest/gtest.h>

namespace kvproof::testing_support {

/// A metric's place in the table.
inline std::size_t metric_at(const Task& task, const std::string& name) {
    for (std::size_t m = 0; m < task.experiment.metrics.size(); ++m)
        if (task.experiment.metrics[m].name == name) return m;
    ADD_FAILURE() << name;
    return 0;
}

inline Estimate estimate_of(const Task& task, const Sums& sums, const std::string& name) {
    const std::size_t m = metric_at(task, name);
    return estimate(task.experiment.metrics[m], sums.metrics[m]);
}

inline double reference(const Task& task, const std::string& name) {
    for (const Reference& reference : task.experiment.references)
        if (reference.name == name) return reference.value;
    ADD_FAILURE() << name;
    return 0;
}

} // namespace kvproof::testing_support
