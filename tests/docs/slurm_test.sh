#!/usr/bin/env bash
# slurm_test.sh KVPROOF PAGE - the job scripts of PAGE run, but for Slurm: with stand-ins for srun and the programs' names,
# and few trials. Each writes its JSON, and writes the same bytes once more when it is requeued.
set -euo pipefail

kvproof=$(realpath "$1") page=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin"
ln -s "$kvproof" "$folder/bin/kvproof"
ln -s "$kvproof" "$folder/bin/kvproof-mpi" # the same command line, see tests/montecarlo/mpi_test.sh for ranks
printf '#!/bin/bash\nexec "$@"\n' >"$folder/bin/srun"
chmod +x "$folder/bin/srun"
export PATH="$folder/bin:$PATH" HOME=$folder SLURM_ARRAY_TASK_ID=3

awk -v out="$folder/job" '/^```/ { inside = 0 } /^#!\/bin\/bash$/ { inside = 1; n++ } inside { print > (out n ".sh") }' "$page"
cd "$folder"
count=0
for job in job*.sh; do
    grep -q '^#SBATCH .*--requeue' "$job"
    sed -i 's/--trials [0-9]*/--trials 2000/' "$job"
    rm -f ./*.json
    bash -e "$job"
    for result in *.json; do
        grep -q '"trials": 2000' "$result"
        cp "$result" first
        bash -e "$job"
        cmp first "$result"
        count=$((count + 1))
    done
done
[ "$count" = 2 ] || { echo "$page: $count job scripts ran, expected two"; exit 1; }
