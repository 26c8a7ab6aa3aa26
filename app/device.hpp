#pragma once

#include "gpu/reader/reader_work.hpp"
#include "sim/montecarlo/task.hpp"

#include <CLI/CLI.hpp>

#include <string>

namespace kvproof::app {

/// Adds --device cpu|cuda.
void add_device_option(CLI::App& verb, std::string& device, const std::string& help);

/// What serves a layer's calls on the device. Throws Error(bad_option) where there is none.
[[nodiscard]] gpu::ServeLayer device_server();

/// Has the task's trials drawn on the device. Throws Error(bad_option) for another experiment than remainder,
/// and where there is no device.
void draw_on_device(Task& task, const CaptureInputs& files);

} // namespace kvproof::app
