#!/usr/bin/env bash
# mpi_test.sh KVPROOF KVPROOF_MPI: one process and several ranks write the same bytes, ranks keep and take blocks
# as one process does, and a failure on any rank ends all of them with one line.
set -euo pipefail
kvproof=$1 kvproof_mpi=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none # containers without ptrace

fail() {
    printf 'mpi_test: %s\n' "$*" >&2
    exit 1
}
same() { cmp "$1" "$2" || fail "$3"; }
ranks() { # COUNT ARGUMENT...
    local count=$1
    shift
    mpirun -n "$count" "$kvproof_mpi" "$@" </dev/null
}

task=(montecarlo attention-separation --trials 2100 --set m=2 --seed 3)
"$kvproof" "${task[@]}" --format json >one.json
"$kvproof" "${task[@]}" >one.txt
for count in 1 2 3; do
    ranks "$count" "${task[@]}" --format json >"$count.json"
    same one.json "$count.json" "$count ranks"
done
"$kvproof" "${task[@]}" --format json --set m=3 >other.json
if (same one.json other.json "another task") 2>/dev/null; then fail "the comparison cannot fail"; fi
ranks 2 "${task[@]}" --threads 2 >two.txt
same one.txt two.txt "2 ranks of 2 threads"
"$kvproof" montecarlo remainder --trials 200000 --set tokens=3 >one.txt
ranks 3 montecarlo remainder --trials 200000 --set tokens=3 >three.txt
same one.txt three.txt "fewer blocks than there is room for"

# ranks go on from one process, and one process from ranks
"$kvproof" "${task[@]}" --trials 700 --resume blocks.csv >/dev/null 2>&1 || true
"$kvproof" montecarlo attention-separation --trials 700 --set m=2 --seed 3 --resume blocks.csv >/dev/null
[ "$(wc -l <blocks.csv)" = 3 ] || fail "700 trials keep two blocks"
ranks 3 "${task[@]}" --format json --resume blocks.csv >three.json
same one.json three.json "3 ranks from a file"
[ "$(wc -l <blocks.csv)" = 9 ] || fail "no block twice, none missing"
"$kvproof" "${task[@]}" --format json --resume blocks.csv >again.json
same one.json again.json "one process from the ranks' file"

# killed: what was in flight is lost, no more
rm blocks.csv
mpirun -n 2 "$kvproof_mpi" montecarlo attention-separation --trials 100000000 --set m=2 --seed 3 --resume blocks.csv \
    </dev/null >/dev/null 2>&1 &
runner=$!
for _ in $(seq 600); do
    [ "$(wc -l 2>/dev/null <blocks.csv || echo 0)" -lt 6 ] || break
    sleep 0.1
done
kill -9 "$runner"
wait "$runner" 2>/dev/null || true
for _ in $(seq 100); do # ranks see that their mpirun is gone
    flock -n blocks.csv true && break
    sleep 0.1
done
[ "$(wc -l <blocks.csv)" -ge 6 ] || fail "blocks are kept as they are done"
"$kvproof" "${task[@]}" --format json --resume blocks.csv >killed.json
same one.json killed.json "after kill -9"

# one line, status 2, whoever fails
for arguments in "montecarlo remainder --trials 5 --set tokens=1" "montecarlo nothing --trials 5" \
    "montecarlo remainder" "montecarlo surrogate --trials 5 --capture none.safetensors"; do
    # shellcheck disable=SC2086
    if ranks 3 $arguments >out.txt 2>err.txt; then fail "$arguments: accepted"; fi
    [ ! -s out.txt ] || fail "$arguments: printed a result"
    [ "$(grep -c '^kvproof: ' err.txt)" = 1 ] || fail "$arguments: $(cat err.txt)"
done
# a file that one rank alone cannot read
touch there.safetensors
if mpirun -n 1 "$kvproof_mpi" montecarlo remainder --trials 5 --resume . : -n 2 "$kvproof_mpi" \
    montecarlo remainder --trials 5 --set tokens=1 </dev/null >out.txt 2>err.txt; then fail "a failing rank: accepted"; fi
[ "$(grep -c '^kvproof: ' err.txt)" = 1 ] || fail "a failing rank: $(cat err.txt)"
if mpirun -n 2 "$kvproof_mpi" montecarlo remainder --trials 5 : -n 1 "$kvproof_mpi" \
    montecarlo remainder --trials 5 --set tokens=1 </dev/null >out.txt 2>err.txt; then fail "rank 2 fails: accepted"; fi
grep -q '^kvproof: rank 2: --set: tokens: ' err.txt || fail "rank 2 fails: $(cat err.txt)"

# other commands run once
ranks 2 account qwen2.5-7b --system readkv:8,4 --run causal:2048 >two.txt
"$kvproof" account qwen2.5-7b --system readkv:8,4 --run causal:2048 >one.txt
same one.txt two.txt "account"
echo "ranks and one process agree"
