#!/usr/bin/env bash
# mutants.sh BUILD [CXX] - breaks the kernels' bodies in every way of mutants.tsv, one at a time, and runs the small program
# that checks that kernel: it must pass on the bodies as they are, and fail on each mutant. NAME:tsan is the program NAME under
# ThreadSanitizer, for barriers beside which a collective hides that they are missing.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=$1
export CXX=${2:-c++}
flags=(-std=c++20 -O1 -ffp-contract=off)

# what no mutant changes
support() { # FOLDER SCHEDULER-FLAG FLAG...
    local folder=$1 scheduler=$2 source
    mkdir -p "$folder"
    # the scheduler is never under ThreadSanitizer: see gpu/CMakeLists.txt
    "$CXX" "${flags[@]}" ${scheduler:+"$scheduler"} -I "$root" -c "$root/gpu/group/fiber_scheduler.cpp" -o "$folder/fiber_scheduler.o"
    for source in gpu/allocate/gain_table.cpp lib/error.cpp lib/random/philox.cpp lib/allocate/allocation_input.cpp \
        lib/allocate/choose_depths_heap.cpp; do
        "$CXX" "${flags[@]}" "${@:3}" -I "$root" -c "$root/$source" -o "$folder/$(basename "$source" .cpp).o"
    done
}

program() { # NAME[:tsan] FOLDER: builds it from the bodies in FOLDER and runs it; fails if it does
    local name=${1%:tsan} kind=plain plainly=() sanitizer=()
    if [ "$name" != "$1" ]; then
        kind=tsan sanitizer=(-fsanitize=thread)
        [ "$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 0)" -le 28 ] || plainly=(setarch "$(uname -m)" -R)
    fi
    "$CXX" "${flags[@]}" "${sanitizer[@]}" -I "$2" -I "$root" "$here/$name.cpp" "$build/support-$kind"/*.o -o "$2/program" ||
        exit 255
    timeout 60 "${plainly[@]}" "$2/program" >/dev/null 2>&1
}

mutant() { # NUMBER PROGRAM FILE CHANGE WHAT
    local folder=$build/$1
    rm -rf "$folder"
    mkdir -p "$folder"
    cp -r "$root/gpu" "$folder/gpu"
    sed -i "$4" "$folder/$3"
    if cmp -s "$folder/$3" "$root/$3"; then
        echo "mutants.sh: $4 changes nothing in $3"
        exit 1
    fi
    if (program "$2" "$folder"); then
        echo "mutants.sh: NOT NOTICED: $5 ($3: $4)"
        exit 1
    fi
    [ -x "$folder/program" ] || {
        echo "mutants.sh: $4 in $3 does not compile"
        exit 1
    }
}

if [ "${3:-}" = mutant ]; then # one of them, called from below
    mutant "${@:4}"
    exit 0
fi

rm -rf "$build"
support "$build/support-plain" ""
support "$build/support-tsan" -DKVPROOF_FIBERS_TSAN -fsanitize=thread
grep -v '^#' "$here/mutants.tsv" | cut -f 1 | sort -u | while read -r name; do
    mkdir -p "$build/$name"
    program "$name" "$build/$name" || {
        echo "mutants.sh: $name fails as it is"
        exit 1
    }
done
grep -v '^#' "$here/mutants.tsv" | awk -F'\t' '{ printf "%d%c%s%c%s%c%s%c%s%c", NR, 0, $1, 0, $2, 0, $3, 0, $4, 0 }' |
    xargs -0 -n 5 -P "$(nproc)" "$0" "$build" "$CXX" mutant
printf 'mutants.sh: %s mutants, all noticed\n' "$(grep -cv '^#' "$here/mutants.tsv")"
