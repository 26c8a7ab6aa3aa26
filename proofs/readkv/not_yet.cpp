// Claims about the running reader. They stand in the registry so that nobody takes their absence for a proof.

#include "proofs/functions.hpp"

namespace kvproof {

Decision needs_reader(const Claim& /*claim*/, const Context& /*context*/) {
    Decision out;
    out.why = Why::missing_part;
    out.witness = {{"missing", {"the two-stage reader and its allocator are not part of this version"}}};
    return out;
}

} // namespace kvproof
