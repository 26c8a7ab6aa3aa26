(** ReadKV, Proposition 6: full reads.

    readkv.prop6.full_read   R >= W: every class has the full-message risk.

    With r >= w an oblivious reader requests all cells; and what any reader answers depends on the record's w cells alone. *)
From Coq Require Import List Lia Reals.
From KVProof Require Import ProbeModel Proposition4.
Import ListNotations.
Set Implicit Arguments.

Lemma full_in_oblivious Y Out w r : (w <= r)%nat -> included (full_message Y Out w) (oblivious Y Out w r).
Proof.
  intros H. exists (fun decode => (seq 0 w, decode)). intros decode _. split; [|auto]. simpl. split.
  - apply Forall_forall. intros i Hi. apply in_seq in Hi. lia.
  - rewrite seq_length. auto.
Qed.

(** The answer of a reader from the list of the record's bits. *)
Lemma run_cells A w (t : tree A) : forall r Z Z', probes_within w r t -> (forall i, (i < w)%nat -> Z i = Z' i) ->
  run t Z = run t Z'.
Proof.
  induction t as [a|i next IH]; intros r Z Z'; simpl; auto. intros [Hi D] E. rewrite (E i Hi).
  destruct r; [tauto|]. apply (IH (Z' i) r); auto.
Qed.
Lemma branching_in_full Y Out w r : included (branching Y Out w r) (full_message Y Out w).
Proof.
  exists (fun t y bits => run (t y) (fun i => nth i bits false)). intros t D. split; [exact I|]. intros y Z. simpl.
  symmetry. apply run_cells with (w := w) (r := r); [apply D|]. intros i Hi.
  rewrite (nth_indep _ false (Z 0%nat)) by (rewrite map_length, seq_length; auto).
  rewrite map_nth, seq_nth by auto. f_equal.
Qed.

Theorem proposition6 Y Out w r J : (w <= r)%nat -> (1 <= J)%nat ->
  equal (oblivious Y Out w r) (full_message Y Out w) /\
  equal (query_independent Y Out w r) (full_message Y Out w) /\
  equal (staged Y Out w r J) (full_message Y Out w) /\
  equal (branching Y Out w r) (full_message Y Out w).
Proof.
  intros H HJ. destruct (chain Y Out w r J) as (A & B & _ & D & E & F).
  pose proof (full_in_oblivious Y Out H) as G. pose proof (branching_in_full Y Out w r) as K.
  repeat split; eauto using included_trans.
Qed.
