#pragma once

#include "lib/codec/bulk_encoder.hpp"
#include "lib/codec/nested_code.hpp"

namespace kvproof::python {

/// A nested code with its encoder, as Python holds it.
struct Table {
    explicit Table(NestedCode given) : code(std::move(given)), encoder(code.codebook) {}

    NestedCode code;
    BulkEncoder encoder;
};

} // namespace kvproof::python
