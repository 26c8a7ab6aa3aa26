#include "lib/codec/codebook_export.hpp"

#include "lib/record/little_endian.hpp"
#include "lib/record/npy.hpp"
#include "lib/record/safetensors.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace kvproof {
namespace {

using Levels = std::vector<std::vector<float>>;

template <class... Format>
std::string digits_of(float value, Format... format) {
    std::array<char, 64> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format...);
    return {buffer.data(), result.ptr};
}

/// Shortest decimal that rounds to the value.
std::string decimal(float value) {
    return digits_of(value + 0.0F);
}

std::string hex_literal(float value) {
    const char* sign = value < 0 ? "-0x" : "0x"; // std::to_chars writes no prefix
    return sign + digits_of(std::fabs(value), std::chars_format::hex) + "f";
}

std::string json_list(const std::vector<float>& values) {
    std::string out = "[";
    for (const float value : values) out += (out.size() > 1 ? ", \"" : "\"") + decimal(value) + "\"";
    return out + "]";
}

void append_c_array(std::string& out, const char* kind, std::size_t t, const std::vector<float>& values) {
    constexpr std::size_t in_a_line = 6;
    out += "static const float kvproof_lloyd_" + std::string(kind) + "_" + std::to_string(t) + "[" +
           std::to_string(values.size()) + "] = {";
    for (std::size_t i = 0; i < values.size(); ++i) {
        out += i % in_a_line == 0 ? "\n    " : " ";
        out += hex_literal(values[i]) + ",";
    }
    out += "\n};\n";
}

std::string bytes_of(const std::vector<float>& values) {
    std::string out;
    for (const float value : values) append_float32(out, value + 0.0F);
    return out;
}

} // namespace

std::string codebook_to_json(const Codebook<float>& codebook) {
    std::string out = "{\"format\": 1, \"table\": \"lloyd\", \"depth\": " + std::to_string(codebook.depth()) +
                      ", \"levels\": [";
    for (std::size_t t = 0; t < codebook.centroids.size(); ++t) {
        out += t == 0 ? "\n" : ",\n";
        out += "{\"t\": " + std::to_string(t) + ", \"boundaries\": " + json_list(codebook.boundaries[t]) +
               ", \"centroids\": " + json_list(codebook.centroids[t]) + "}";
    }
    return out + "\n]}\n";
}

std::string codebook_to_csv(const Codebook<float>& codebook) {
    std::string out = "t,kind,index,value\n";
    const auto append = [&](std::size_t t, const char* kind, const std::vector<float>& values) {
        for (std::size_t i = 0; i < values.size(); ++i)
            out += std::to_string(t) + "," + kind + "," + std::to_string(i) + "," + decimal(values[i]) + "\n";
    };
    for (std::size_t t = 0; t < codebook.centroids.size(); ++t) {
        append(t, "boundary", codebook.boundaries[t]);
        append(t, "centroid", codebook.centroids[t]);
    }
    return out;
}

std::string codebook_to_c_header(const Codebook<float>& codebook) {
    std::string out =
        "/* A nested binary scalar quantiser, written by kvproof.\n"
        " *\n"
        " * Depth t has 2^t cells. kvproof_lloyd_boundaries_t holds their 2^t - 1 inner boundaries,\n"
        " * ascending (none at depth 0), kvproof_lloyd_centroids_t their 2^t reconstruction values.\n"
        " * The code of z is a walk from cell 0: cell i at depth t splits at boundary 2 i of depth\n"
        " * t + 1, and z goes to cell 2 i + 1 if z is not below it, else to cell 2 i. The first t\n"
        " * bits of a code are the code of depth t. Hex float literals are exact (C99, C++17).\n"
        " */\n"
        "#ifndef KVPROOF_LLOYD_CODEBOOK_H\n"
        "#define KVPROOF_LLOYD_CODEBOOK_H\n\n";
    out += "#define KVPROOF_LLOYD_DEPTH " + std::to_string(codebook.depth()) + "\n\n";
    for (std::size_t t = 1; t < codebook.boundaries.size(); ++t)
        append_c_array(out, "boundaries", t, codebook.boundaries[t]);
    for (std::size_t t = 0; t < codebook.centroids.size(); ++t)
        append_c_array(out, "centroids", t, codebook.centroids[t]);
    return out + "\n#endif /* KVPROOF_LLOYD_CODEBOOK_H */\n";
}

std::string codebook_to_safetensors(const Codebook<float>& codebook) {
    Levels levels = codebook.boundaries;
    levels.insert(levels.end(), codebook.centroids.begin(), codebook.centroids.end());
    std::vector<std::string> data; // what the views look at
    data.reserve(levels.size());
    std::vector<TensorView> tensors;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const bool centroids = i >= codebook.boundaries.size();
        const std::size_t t = centroids ? i - codebook.boundaries.size() : i;
        data.push_back(bytes_of(levels[i]));
        tensors.push_back({(centroids ? "centroids." : "boundaries.") + std::to_string(t),
                           "F32",
                           {levels[i].size()},
                           data.back()});
    }
    return write_safetensors(tensors);
}

std::string codebook_to_npy(const Codebook<float>& codebook) {
    std::string data;
    for (const std::vector<float>& level : codebook.centroids) data += bytes_of(level);
    return write_npy({"<f4", false, {data.size() / 4}, data});
}

} // namespace kvproof
