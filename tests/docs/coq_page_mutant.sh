#!/usr/bin/env bash
# coq_page_mutant.sh ROOT - the comparison of docs/coq.md can fail: it notices another statement of a claim, another Coq
# statement, other axioms and another page, and that a row names a theorem that is not there.
set -euo pipefail

page=$(dirname "${BASH_SOURCE[0]}")/coq_page.py
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

mutant() { # FILE SED-SCRIPT
    rm -rf "${copy:?}"/*
    mkdir -p "$copy/proofs" "$copy/docs"
    cp "$root/proofs/claims.tsv" "$copy/proofs"
    cp -r "$root/proofs/coq" "$copy/proofs"
    cp "$root/docs/coq.md" "$copy/docs"
    sed -i "$2" "$copy/$1"
    if cmp -s "$root/$1" "$copy/$1"; then
        echo "coq_page_mutant.sh: $2 changes nothing in $1"
        exit 1
    fi
    if /usr/bin/python3 -B "$page" check "$copy" >"$copy/said" 2>&1; then
        echo "coq_page_mutant.sh: $2 in $1 was not noticed"
        exit 1
    fi
}

root=$1
mutant proofs/claims.tsv 's/the greedy depths are optimal for every budget/the greedy depths are best/'
mutant proofs/claims.tsv 's/Proposition8.v:proposition8/Proposition8.v:proposition88/'
mutant proofs/coq/Proposition8.v 's/objective N a D t <= objective N a D u/objective N a D t < objective N a D u/'
mutant proofs/coq/FiniteSums.v 's/Definition norm2 n/Definition norm2 m n/'
mutant proofs/coq/checked.tsv '2s/classic//'
mutant docs/coq.md 5d
