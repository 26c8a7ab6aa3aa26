(** ReadKV, Proposition 8 and E.2.1: greedy allocation.

    readkv.prop8.greedy        with nonincreasing gains and unit costs the greedy depths minimise sum a_i D_i(t_i) over all
                               depths t_i <= W with sum t_i <= B, for every B.
    readkv.e21.prefix_closed   some maximum-gain set of each size is prefix-closed.
    aatc.eq8.integer           the same for the gains (3/4) w_i 4^-b of AATC's integer allocation.

    When greedy stops there is a price for a bit: no refinement that is left gains more, none that was taken gained less
    (Allocation.v). At this price no other depth pays for any item, so no other depths pay together. For sets: an item's
    first k gains are at least any k of them. *)
From Coq Require Import Reals Lra Lia.
From KVProof Require Import FiniteSums Allocation.
Open Scope R_scope.

(** Weights a_i, distortions D_i(t). *)
Definition gain (a : nat -> R) (D : nat -> nat -> R) i s := a i * (D i s - D i (S s)).
Definition objective N (a : nat -> R) (D : nat -> nat -> R) (t : nat -> nat) := \sum_(i < N) (a i * D i (t i)).

Lemma collected_is_saved N a D t : collected N (gain a D) t = objective N a D (fun _ => O) - objective N a D t.
Proof.
  unfold collected, objective. rewrite <- sum_minus. apply sum_ext. intros i _. unfold gain.
  generalize (t i). induction n; cbn [sum]; lra.
Qed.

Lemma greedy_collects_most N W g B u : nonincreasing N W g -> legal N W B u ->
  collected N g u <= collected N g (choose_depths N W g B).
Proof.
  intros H [Hu Su]. destruct (greedy_price N W g B H) as (price & P0 & P1 & P2). set (t := choose_depths N W g B) in *.
  assert (S : collected N g u - collected N g t <= price * (INR (spent N u) - INR (spent N t))).
  { unfold collected. rewrite !spent_sum, <- !sum_minus, <- sum_scal. apply sum_le. intros i Hi. apply P1; auto. }
  destruct P2 as [->|P2]; [lra|]. apply le_INR in Su. rewrite P2 in S.
  pose proof (Rmult_le_compat_l price _ _ P0 Su). lra.
Qed.

Theorem proposition8 N W a D : nonincreasing N W (gain a D) ->
  forall B, let t := choose_depths N W (gain a D) B in
  legal N W B t /\ forall u, legal N W B u -> objective N a D t <= objective N a D u.
Proof.
  intros H B t. split; [apply choose_depths_legal|]. intros u Hu.
  pose proof (greedy_collects_most N W (gain a D) B u H Hu) as G. rewrite !collected_is_saved in G. fold t in G. lra.
Qed.

(** A set of gains: which refinements (item, depth) it holds, how many, and their sum. *)
Definition size N W (chosen : nat -> nat -> bool) := spent N (fun i => spent W (fun s => if chosen i s then 1 else 0)%nat).
Definition value N W (g : nat -> nat -> R) (chosen : nat -> nat -> bool) :=
  \sum_(i < N) \sum_(s < W) (if chosen i s then g i s else 0).

Theorem prefix_closed N W g chosen : nonincreasing N W g ->
  exists t, (each i < N, (t i <= W)%nat) /\ spent N t = size N W chosen /\ value N W g chosen <= collected N g t.
Proof.
  intros H. set (c := fun i n => spent n (fun s => if chosen i s then 1 else 0)%nat).
  assert (Few : forall i n, (c i n <= n)%nat).
  { intros i n. unfold c. induction n; cbn [spent]; [lia|]. destruct (chosen i n); lia. }
  exists (fun i => c i W). repeat split; auto. apply sum_le. intros i Hi.
  assert (P : forall n, (n <= W)%nat -> \sum_(s < n) (if chosen i s then g i s else 0) <= \sum_(s < c i n) g i s).
  { induction n; intros Hn; [simpl; lra|]. cbn [sum]. specialize (IHn ltac:(lia)). unfold c in *. cbn [spent].
    destruct (chosen i n); [|rewrite Nat.add_0_r; lra]. rewrite Nat.add_1_r. cbn [sum].
    pose proof (nonincreasing_le N W g i (c i n) n H Hi (Few i n) ltac:(lia)). unfold c in *. lra. }
  apply P; auto.
Qed.

Theorem aatc_integer_allocation N W w : (each i < N, 0 <= w i) ->
  forall B, let t := choose_depths N W (fun i b => 3 / 4 * w i * / 4 ^ b) B in
  legal N W B t /\ forall u, legal N W B u -> \sum_(i < N) (w i * / 4 ^ t i) <= \sum_(i < N) (w i * / 4 ^ u i).
Proof.
  intros Hw B t. set (g := fun i b => 3 / 4 * w i * / 4 ^ b) in *.
  assert (NI : nonincreasing N W g).
  { intros i Hi s _. unfold g. specialize (Hw i Hi). simpl. assert (P : 0 < 4 ^ s) by (apply pow_lt; lra).
    rewrite Rinv_mult. assert (0 < / 4 ^ s) by (apply Rinv_0_lt_compat; auto).
    assert (0 <= w i * / 4 ^ s) by (apply Rmult_le_pos; lra). lra. }
  split; [apply choose_depths_legal|]. intros u Hu. pose proof (greedy_collects_most N W g B u NI Hu) as G. fold t in G.
  assert (Saved : forall v, collected N g v = sum N w - \sum_(i < N) (w i * / 4 ^ v i)).
  { intros v. unfold collected. rewrite <- sum_minus. apply sum_ext. intros i _. unfold g. generalize (v i).
    induction n; cbn [sum]; [simpl; field|]. rewrite IHn. simpl. field. apply pow_nonzero. lra. }
  rewrite !Saved in G. lra.
Qed.
