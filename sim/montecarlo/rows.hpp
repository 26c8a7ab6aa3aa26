#pragma once

#include "sim/montecarlo/experiment.hpp"

namespace kvproof {

// One file each, which holds the row, what is measured, and why its ranges hold. To add an experiment: its
// file, a line here, a line in experiments.cpp, and its number in random_experiment (lib/random/philox.hpp).
[[nodiscard]] ExperimentRow remainder_row();
[[nodiscard]] ExperimentRow white_noise_row();
[[nodiscard]] ExperimentRow key_separation_row();
[[nodiscard]] ExperimentRow attention_separation_row();
[[nodiscard]] ExperimentRow surrogate_row();
[[nodiscard]] ExperimentRow quantiser_noise_row();

} // namespace kvproof
