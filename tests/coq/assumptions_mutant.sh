#!/usr/bin/env bash
# assumptions_mutant.sh FOLDER: assumptions.sh refuses what it is there to refuse. FOLDER is scratch, made anew.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
rm -rf "$1"
mkdir -p "$1"
cd "$1"
status=0

try() { # NAME refused|taken TEXT
    printf '%s\n' "$3" >"$1.v"
    coqc -w none -Q . KVProof "$1.v" >/dev/null
    local found=refused
    # a theorem that was not even seen is not taken
    "$here/assumptions.sh" . "$1.v" >"$1.out" 2>&1 && grep -qE "^$1.v [a-z]" "$1.out" && found=taken
    [ "$found" = "$2" ] && return
    echo "assumptions_mutant.sh: $1 was $found, not $2" && cat "$1.out"
    status=1
}

try Sound taken 'Theorem one : 1 = 1. Proof. reflexivity. Qed.'
try Reals taken 'From Coq Require Import Reals.
Theorem zero : (0 + 0 = 0)%R. Proof. ring. Qed.'
try Open refused 'Theorem two : 1 = 2. Proof. Admitted.'
try Granted refused 'Axiom two : 1 = 2.
Theorem three : 1 = 2. Proof. exact two. Qed.'
# no forbidden word: only Print Assumptions shows it
try Hidden refused 'From Coq Require Import ClassicalChoice.
Theorem chosen : forall A B (R : A -> B -> Prop),
  (forall x, exists y, R x y) -> exists f, forall x, R x (f x). Proof. exact choice. Qed.'
try Machine refused 'From Coq Require Import Reals. From Interval Require Import Tactic.
Theorem pi : (3 < PI)%R. Proof. interval. Qed.'
exit "$status"
