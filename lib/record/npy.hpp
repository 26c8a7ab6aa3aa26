#pragma once

#include "lib/record/shape.hpp"

#include <string>
#include <string_view>

namespace kvproof {

/// The array of a .npy file. The data belong to the buffer that was read.
struct NpyView {
    std::string dtype; ///< byte order, kind and bytes of one entry, as in the file: "<f4", ">i8", "|u1"
    bool fortran_order = false; ///< the first index runs fastest
    Shape shape;
    std::string_view data; ///< product of the shape times the bytes of one entry
};

/// Reads the header of a .npy file, versions 1.0, 2.0 and 3.0, and checks all of it: magic, header length, a
/// dictionary of exactly descr, fortran_order and shape, a plain numeric dtype (Python objects and records
/// are never loaded), and that the data end where the file ends. Either byte order passes: it is for the
/// caller to refuse or to swap. Values are not looked at. Throws Error(bad_file_format) that names `source`,
/// the key, what was found and what was expected.
[[nodiscard]] NpyView read_npy(std::string_view bytes, const std::string& source);

/// The bytes that numpy.save writes for this array (version 1.0, data aligned to 64).
[[nodiscard]] std::string write_npy(const NpyView& array);

} // namespace kvproof
