# shellcheck shell=bash disable=SC2154
# The stages of `./run test`, sourced by run. A stage is a function stage_NAME: it succeeds, fails, or calls
# skip with the reason. Each runs in a subshell, so that one stage's failure leaves the others to be run.

# tsan is run by name only: `./run test tsan` builds and runs everything under it.
every_stage=(release install format tidy asan-ubsan bench mpi report coq gpu python notebooks)

skip() {
    printf 'SKIPPED: %s\n' "$*"
    exit 77
}

# ctest's report without the lines of tests that passed: failures with their output, and the closing lines
ctest_preset() { # PRESET [ARGUMENT...]: the arguments go to ctest
    local plainly=()
    # ThreadSanitizer's runtime here does not start where addresses are more random than that
    if [ "$1" = tsan ] && [ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0)" -gt 28 ]; then
        plainly=(setarch "$(uname -m)" -R)
    fi
    (cd "$root" && "${plainly[@]}" ctest --preset "$@" </dev/null) | tee "$logs/$1-ctest.log" |
        grep -vE '^ +Start +[0-9]+: |^ *[0-9]+/[0-9]+ Test .* Passed +[0-9.]+ sec$'
}

cxx_files() { # FOLDER...: the C++ files under those folders that are there, each ended by a zero byte
    local folder
    for folder in "$@"; do
        [ ! -d "$root/$folder" ] ||
            find "$root/$folder" \( -name '*.[ch]pp' -o -name '*.cu' -o -name '*.cuh' \) -print0
    done
}

stage_release() {
    build release all -DKVPROOF_TESTS=ON
    ctest_preset release
}

# Installs into an empty place and builds a program against it as a stranger would, in both ways.
stage_install() {
    build release all -DKVPROOF_TESTS=ON
    rm -rf "$root/build/install"
    "$root/tests/install/install_test.sh" "$root/build/release" "$root/tests/install" "$root/build/install"
}

stage_format() {
    cxx_files lib proofs app sim gpu python tests | xargs -0 clang-format-14 --dry-run -Werror
}

# The checks are named in .clang-tidy. clang cannot read g++'s precompiled headers, so the compile commands come
# from configurations without them, one by file and one by batch; nothing is built in them. Code for devices is nvcc's to read.
stage_tidy() {
    local configure=(cmake --fresh -S "$root" -G Ninja -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DKVPROOF_CUDA=OFF)
    rm -rf "$root/build/tidy-batches" # batches of what is no source any more
    logged tidy-configure "${configure[@]}" -B "$root/build/tidy"
    logged tidy-batches-configure "${configure[@]}" -B "$root/build/tidy-batches" \
        -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=12
    # sources with options of their own are in no batch: the list has them by themselves
    sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' "$root/build/tidy-batches/compile_commands.json" | sort -u |
        tr '\n' '\0' | xargs -0 -n 1 -P 2 "$root/tests/tidy_batch.sh"
}

# The presets leave out what only reads texts or runs scripts, and take fewer mutants of each certificate.
stage_asan-ubsan() {
    build asan-ubsan all
    ctest_preset asan-ubsan
}

stage_tsan() {
    build tsan all
    ctest_preset tsan
}

# Every benchmark runs, briefly: the times are no result here.
stage_bench() {
    local bench log
    compgen -G "$root/tests/bench/*_bench.cpp" >/dev/null || skip "tests/bench holds no benchmark yet"
    build release all -DKVPROOF_TESTS=ON -DKVPROOF_BENCH=ON
    for bench in "$root"/tests/bench/*_bench.cpp; do
        bench=$(basename "$bench" .cpp) log=$logs/$bench.log
        logged "$bench" "$root/build/release/$bench" --benchmark_min_time=0.01
        # a benchmark that measures nothing fails here: grep finds no line
        printf '%s: %s lines of results\n' "$bench" "$(grep -cE ' (ns|us|ms) ' "$log")"
        grep -qE ' (ns|us|ms) ' "$log"
    done
}

# The same bytes from one process and from several ranks.
stage_mpi() {
    configure_with_mpi
    build release kvproof -DKVPROOF_TESTS=ON
    build release kvproof-mpi -DKVPROOF_TESTS=ON
    "$root/tests/montecarlo/mpi_test.sh" "$root/build/release/kvproof" "$root/build/release/kvproof-mpi"
}

# A report from a fresh verification, opened as its readers open it. (What it says is tested by report.page.)
stage_report() {
    "$root/run" report
    /usr/bin/python3 -B "$root/tests/report/browser_test.py" "$root/out-report/report.html" "$root/build/report-pictures"
}

# Every Coq proof, from the sources; and that the check refuses what it is there to refuse.
stage_coq() {
    rm -rf "$root/build/coq"
    check_coq check
    "$root/tests/coq/assumptions_mutant.sh" "$root/build/coq-mutants"
    "$root/tests/coq/check_proofs_mutant.sh" "$root/proofs/coq" "$root/build/coq"
}

# The Python module, installed as a user has it: its doctests, its tests against the command line, its types.
stage_python() {
    install_python
    build release kvproof -DKVPROOF_PYTHON=ON
    (cd "$root/tests/python" && KVPROOF=$root/build/release/kvproof PYTHONDONTWRITEBYTECODE=1 \
        "$root/build/venv/bin/python" -m pytest -q -p no:cacheprovider .)
}

# Kernel bodies on the processor: as they are, under the sanitizers, and broken; and what nvcc makes of them, where there is one.
# The three builds hold the tests of gpu/ alone, and little of lib/.
stage_gpu() {
    local preset
    for preset in release asan-ubsan tsan; do
        build "$preset" gpu_tests -DKVPROOF_TESTS=ON
        printf 'gpu, %s:\n' "$preset"
        ctest_preset "$preset" -L '^gpu$'
    done
    "$root/tests/gpu/mutants/mutants.sh" "$root/build/gpu-mutants"
    grep -q '^KVPROOF_DEVICE_CODE:INTERNAL=ON' "$root/build/release/CMakeCache.txt" ||
        echo 'SKIPPED: device code, since there is no nvcc'
}

# Each notebook from a new kernel, then each with a falsified result, which it must notice.
stage_notebooks() {
    install_python
    build release kvproof -DKVPROOF_PYTHON=ON
    rm -rf "$root/build/notebooks"
    /usr/bin/python3 -B "$root/notebooks/execute.py" run "$root/build/notebooks"
    /usr/bin/python3 -B "$root/tests/notebooks/mutants.py" "$root/build/release/kvproof" "$root/notebooks"
}

require_stages() { # NAME...
    local stage
    for stage in "$@"; do
        declare -F "stage_$stage" >/dev/null && continue
        say "no stage $stage; there are: ${every_stage[*]}"
        exit 2
    done
}

run_stages() { # STAGE...: all of them, then a summary; fails if one failed
    local stage rc begun summary='' status failed=0
    for stage in "$@"; do
        printf '== %s\n' "$stage"
        begun=$EPOCHREALTIME
        # bash ignores -e in whatever stands before || or in an if, so switch it off here, on inside
        set +e
        (
            set -e
            "stage_$stage"
        )
        rc=$?
        set -e
        case $rc in
        0) status=passed ;;
        77) status=SKIPPED ;;
        *) status=FAILED failed=1 ;;
        esac
        stage=$(awk -v n="$stage" -v s="$status" -v a="$begun" -v b="$EPOCHREALTIME" \
            'BEGIN { printf "%-12s %-8s %7.1f s", n, s, b - a }')
        printf '== %s\n\n' "$stage"
        summary+="$stage"$'\n'
    done
    printf '%s' "$summary"
    return "$failed"
}
