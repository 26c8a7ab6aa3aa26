#include "sim/probe/drat_trace.hpp"

#include "lib/error.hpp"

namespace kvproof {
namespace {

[[noreturn]] void refuse() {
    throw Error(ErrorCode::internal, "the solver's trace is not binary DRAT");
}

unsigned take_number(std::string_view& rest) {
    unsigned out = 0;
    for (unsigned shift = 0; shift < 32; shift += 7) {
        if (rest.empty()) refuse();
        const auto byte = static_cast<unsigned char>(rest.front());
        rest.remove_prefix(1);
        out |= (byte & 0x7FU) << shift;
        if ((byte & 0x80U) == 0) return out;
    }
    refuse();
}

} // namespace

bool DratTrace::next(TraceStep& step) {
    if (rest_.empty()) return false;
    if (rest_.front() != 'a' && rest_.front() != 'd') refuse();
    step.deletes = rest_.front() == 'd';
    step.literals.clear();
    rest_.remove_prefix(1);
    while (const unsigned code = take_number(rest_)) {
        const auto variable = static_cast<int>(code >> 1U);
        step.literals.push_back((code & 1U) != 0 ? -variable : variable);
    }
    return true;
}

} // namespace kvproof
