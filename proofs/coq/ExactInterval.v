(** The interval tactic over Coq's own integers. The tactic's default arithmetic rests on primitive floating-point
    numbers and machine integers, which would be axioms of every theorem proved with it; this one adds none. It answers
    only where it is called as [interval with (i_prec n)] or [integral with (i_prec n, ...)]. *)
From Flocq Require Import Zaux.
From Interval Require Import Specific_stdz Specific_ops.
From Interval Require Export Tactic.

Module IntegerFloat := SpecificFloat StdZRadix2.
Module IntegerInterval := IntervalTactic IntegerFloat.
Export IntegerInterval.
