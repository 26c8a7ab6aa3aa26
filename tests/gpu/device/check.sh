#!/usr/bin/env bash
# check.sh [FOLDER] - on a machine with an NVIDIA device: builds every kernel for it, compares each with the processor bit for
# bit, runs compute-sanitizer, measures, and prints a table of times last. Needs bash, g++, CMake and nvcc; takes less than six
# minutes. Builds and logs in FOLDER (build/device-check). `check.sh --rehearse [FOLDER]` goes the same way without a device, on
# a runtime that has none: it shows that the script works, and nothing else.
# Exit status: 0 all equal; 1 something differs or a tool found an error; 3 building failed; 77 no device or no nvcc.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
program=kvproof-gpu-check
measure="time"
if [ "${1:-}" = --rehearse ]; then
    program=kvproof-gpu-rehearsal
    measure=quick-time
    shift
fi
folder=${1:-$root/build/device-check}
failed=0

say() { printf 'check: %s\n' "$*"; }

no_device() {
    say "SKIPPED: $*"
    exit 77
}

have_device() { nvidia-smi -L >/dev/null 2>&1 || compgen -G '/dev/nvidia[0-9]*' >/dev/null; }

# one architecture, that of the device, where the driver names it
architectures() {
    local capability
    capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d '. ') || true
    case $capability in
    [0-9][0-9] | [0-9][0-9][0-9]) printf '%s-real' "$capability" ;;
    *) printf '80-real;90' ;;
    esac
}

build() {
    local generator=()
    ! command -v ninja >/dev/null || generator=(-G Ninja)
    # another nvcc than ours may warn of other things; its warnings are counted below
    cmake -S "$here" -B "$folder" "${generator[@]}" -DCMAKE_CUDA_ARCHITECTURES="$(architectures)" \
        -DKVPROOF_CUDA_WERROR=OFF &&
        cmake --build "$folder" --parallel "$(nproc)" --target "$program" kvproof-gpu-check
}

# compute-sanitizer by tool; one that is not there, or does not know the device, is named and counts for nothing
sanitize() {
    local tool log rc sanitizer
    sanitizer=$(command -v compute-sanitizer || compgen -G '/usr/local/cuda/bin/compute-sanitizer') || {
        say "compute-sanitizer: NOT RUN, it is not installed"
        return 0
    }
    for tool in memcheck racecheck initcheck synccheck; do
        log=$folder/$tool.log rc=0
        timeout 40 "$sanitizer" --tool "$tool" --error-exitcode 9 "$folder/$program" quick >"$log" 2>&1 || rc=$?
        if grep -qE 'Device not supported|not supported on this|Unable to|insufficient' "$log"; then
            say "compute-sanitizer $tool: NOT RUN: $(grep -E 'not supported|Unable|insufficient' "$log" | head -n 1)"
        elif [ "$rc" = 124 ]; then
            say "compute-sanitizer $tool: not finished in 40 s"
        elif [ "$rc" = 0 ]; then
            say "compute-sanitizer $tool: $(grep -E 'ERROR SUMMARY|RACECHECK SUMMARY' "$log" | tail -n 1)"
        else
            say "compute-sanitizer $tool: FAILED ($rc), see $log"
            grep -E '=========' "$log" | head -n 8
            failed=1
        fi
    done
}

if [ "$program" = kvproof-gpu-check ]; then
    have_device || no_device "no NVIDIA device on this machine"
fi
export PATH=$PATH:/usr/local/cuda/bin
command -v nvcc >/dev/null || no_device "no nvcc on this machine"

mkdir -p "$folder"
begun=$SECONDS
say "building in $folder"
if ! build >"$folder/build.log" 2>&1; then
    grep -E '(error|Error)\b' "$folder/build.log" | head -n 20 || tail -n 20 "$folder/build.log"
    say "building FAILED, see $folder/build.log"
    exit 3
fi
say "built in $((SECONDS - begun)) s, $(grep -ci 'warning' "$folder/build.log" || true) lines of warnings"

rc=0
timeout 100 "$folder/$program" compare || rc=$?
case $rc in
0) ;;
77) no_device "the runtime finds no device" ;;
*) say "the comparison FAILED ($rc)" && failed=1 ;;
esac
sanitize
timeout 80 "$folder/$program" "$measure" || {
    say "measuring FAILED ($?)"
    failed=1
}
if [ "$failed" = 0 ]; then say "passed, $((SECONDS - begun)) s"; else say "FAILED, $((SECONDS - begun)) s"; fi
exit "$failed"
