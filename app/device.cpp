#include "app/device.hpp"

#include "gpu/device_runs.hpp"
#include "lib/error.hpp"
#include "sim/montecarlo/remainder.hpp"

#include <memory>

namespace kvproof::app {

void add_device_option(CLI::App& verb, std::string& device, const std::string& help) {
    verb.add_option("--device", device, help)->check(CLI::IsMember({"cpu", "cuda"}))->capture_default_str();
}

gpu::ServeLayer device_server() {
    gpu::require_device();
    return gpu::serve_on_device;
}

void draw_on_device(Task& task, const CaptureInputs& files) {
    if (task.row->name != "remainder")
        throw Error(ErrorCode::bad_option,
                    "--device: found cuda for the experiment " + task.row->name + ", expected remainder");
    gpu::require_device();
    const ExperimentInputs inputs{task.values, files};
    const RemainderSetting setting = remainder_setting(inputs);
    const auto device = std::make_shared<gpu::RemainderOnDevice>(gpu::RemainderTrials{
        static_cast<std::uint32_t>(setting.tokens), setting.spread, setting.size, setting.signs, task.seed});
    task.experiment.run =
        remainder_drawn_by(inputs, [device](const RemainderSetting&, std::uint64_t first,
                                            std::span<double> sums, std::span<double> tops) {
            device->draw(first, sums, tops);
        }).run;
}

} // namespace kvproof::app
