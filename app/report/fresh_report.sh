#!/usr/bin/env bash
# ./run report without results: decides everything anew, makes the small results that the plots need, and the page.
#
# usage: fresh_report.sh KVPROOF SOURCE_DIR OUT_DIR
#
# OUT_DIR is made anew; it holds the page (report.html, report.md), its plots and all results. On stdout: the paths
# of the two pages. A verdict that differs from the record, or a bound that is violated, is shown in the page and
# ends in exit status 1.
set -euo pipefail

kvproof=$1 source=$2 out=$3
captures=$source/tests/data/captures
status=0

say() { printf 'report: %s\n' "$*" >&2; }

# NAME ARGUMENT...: the JSON of a command as the result NAME. Exit status 1 is an answer, and kept.
result() {
    local name=$1 rc=0
    shift
    say "$name"
    "$kvproof" "$@" --format json --quiet --threads "$(nproc)" >"$out/$name.json" || rc=$?
    [ "$rc" = 0 ] || [ "$rc" = 1 ] || exit "$rc"
    [ "$rc" = 0 ] || status=1
    results+=("$out/$name.json")
}

[ ! -e "$out" ] || [ -e "$out/.kvproof-report" ] || {
    say "$out: found a folder that ./run report did not make, expected nothing or an earlier report"
    exit 2
}
rm -rf "$out"
mkdir -p "$out"
touch "$out/.kvproof-report"
results=()

say "verify"
"$kvproof" verify --out "$out/verify" --quiet >/dev/null || status=$?
[ "$status" -le 1 ] || exit "$status"
results+=("$out/verify/results.json")
result check check "$out"/verify/certificates/*.cert

result lloyd table lloyd --depth 8 --digits 20
for d in 4 8 16 32 64 128 256 512 1024; do
    result "separation-$d" table separation --dimension "$d" --probes $((2 * d))
done

result probe-hypercube3 probe hypercube:3 --bits 1..4 --probes 0..3
result probe-pointer2 probe pointer:2 --bits 2..3 --probes 0..3 --coins none
result probe-sparse42 probe sparse:4,2 --bits 1..4 --probes 0..4 --coins none

pair=("$captures/byte64_test.safetensors" --calibration "$captures/byte64_calib.safetensors")
result certify certify "${pair[@]}" --rows "$out/certify-rows.csv"
results+=("$out/certify-rows.csv")
result compare compare "${pair[@]}"

result remainder montecarlo remainder --trials 100000
result key-separation montecarlo key-separation --trials 4000
result attention-separation montecarlo attention-separation --trials 4000
for experiment in surrogate white-noise quantiser-noise; do
    result "$experiment" montecarlo "$experiment" --capture "${pair[@]}" --trials 1000
done

result account account qwen2.5-7b --run causal:2048

say "page"
"$kvproof" report "${results[@]}" --out "$out/report.html" --markdown "$out/report.md" --plots "$out/plots"
exit "$status"
