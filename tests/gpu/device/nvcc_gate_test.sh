#!/usr/bin/env bash
# nvcc_gate_test.sh NVCC FOLDER - the flags of gpu/device/CMakeLists.txt refuse a kernel whose registers are spilled and one
# with a warning, and take both without them.
set -euo pipefail

nvcc=$1 folder=$2
mkdir -p "$folder"
compile() { "$nvcc" -std=c++20 -arch=sm_80 "$@" -cubin -o "$folder/out.cubin" >"$folder/said" 2>&1; }

gate() { # SOURCE SAID FLAG...
    compile "$1" || { echo "nvcc_gate_test.sh: $1 does not compile" && exit 1; }
    if compile "$1" "${@:3}"; then
        echo "nvcc_gate_test.sh: $1 was taken with ${*:3}"
        exit 1
    fi
    grep -q "$2" "$folder/said" || { cat "$folder/said" && exit 1; }
}

cat >"$folder/spill.cu" <<'END'
__global__ void __launch_bounds__(1024) spill(float* x) {
    float held[128];
#pragma unroll
    for (int i = 0; i < 128; ++i) held[i] = x[i * 1024 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 128; ++i) x[(127 - i) * 1024 + threadIdx.x] = held[i] * held[(i * 7) % 128];
}
END
echo '__global__ void warn(float* x) { int unused; x[0] = 1; }' >"$folder/warn.cu"

gate "$folder/spill.cu" 'Registers are spilled' -Xptxas=-warn-spills -Xptxas=-Werror
gate "$folder/warn.cu" 'never referenced' -Werror=all-warnings
