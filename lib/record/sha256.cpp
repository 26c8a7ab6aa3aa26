#include "lib/record/sha256.hpp"

#include "lib/error.hpp"

#include <openssl/evp.h>

#include <array>

namespace kvproof {

std::string sha256(std::string_view bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
        throw Error(ErrorCode::internal, "SHA-256 is not available");
    std::string out;
    constexpr std::string_view digits = "0123456789abcdef";
    for (unsigned i = 0; i < size; ++i) {
        out += digits[digest[i] >> 4];
        out += digits[digest[i] & 15];
    }
    return out;
}

} // namespace kvproof
