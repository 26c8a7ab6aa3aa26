# What every target of this project is compiled with. Contraction of a*b+c into one rounding would break the
# promises of conventions (x*x - x*x must be 0, allocations must not depend on the machine). Language by language:
# nvcc does not know g++'s flags, and has its own in gpu/device.
add_library(kvproof_options INTERFACE)
target_compile_features(kvproof_options INTERFACE cxx_std_20)
target_compile_options(kvproof_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off>
    # g++ 12 sees overflows in std::string's operator+ that are not there (its bug 105329 and kin)
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict -Wno-stringop-overflow -Wno-array-bounds>)
if(KVPROOF_SANITIZE)
    target_compile_options(kvproof_options INTERFACE -fsanitize=${KVPROOF_SANITIZE} -fno-omit-frame-pointer
        -fno-sanitize-recover=all)
    target_link_options(kvproof_options INTERFACE -fsanitize=${KVPROOF_SANITIZE})
endif()
