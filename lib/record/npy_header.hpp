#pragma once

#include "lib/record/npy.hpp"

namespace kvproof {

/// Reads the dictionary of a .npy header, a Python literal such as
///   {'descr': '<f4', 'fortran_order': False, 'shape': (4, 16), }
/// into a view without data. The dtype is any string here. Throws Error(bad_file_format) that names `source`.
[[nodiscard]] NpyView read_npy_dictionary(std::string_view text, const std::string& source);

} // namespace kvproof
