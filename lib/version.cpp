#include "lib/version.hpp"

namespace kvproof {

std::string_view version() {
    return KVPROOF_VERSION;
}

} // namespace kvproof
