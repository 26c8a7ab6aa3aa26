#!/usr/bin/env bash
# check_proofs_mutant.sh SOURCES BUILD: check_proofs.sh notices a list of checked proofs that is not what it finds, and a
# source that has changed. BUILD holds a finished check of SOURCES and is left as it was.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

mutant() { # SOURCES BUILD FILE SED-SCRIPT SAID
    rm -rf "$scratch"/*
    cp -r "$1" "$scratch/sources"
    cp -rp "$2" "$scratch/build"
    sed -i "$4" "$scratch/sources/$3"
    if "$here/check_proofs.sh" check "$scratch/sources" "$scratch/build" 1 >"$scratch/said" 2>&1; then
        echo "check_proofs_mutant.sh: $4 in $3 was not noticed"
        exit 1
    fi
    grep -q "$5" "$scratch/said" || { cat "$scratch/said" && exit 1; }
}

mutant "$1" "$2" checked.tsv '3s/classic//' 'is not what was checked now'
mutant "$1" "$2" checked.tsv '$d' 'is not what was checked now'
# the same theorem from other text: another hash
mutant "$1" "$2" TightExamples.v '1s/two examples/examples/' 'is not what was checked now'
# a theorem that does not hold
mutant "$1" "$2" TightExamples.v 's/= INR m)\.$/= INR m + 1)./' 'Error'
mutant "$1" "$2" _CoqProject '$d' '_CoqProject does not name'
