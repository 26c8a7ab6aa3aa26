(** AATC, eq. (2): reverse water-filling over real bits, without a cap.

    aatc.eq2.waterfill   min sum v_i 2^(-2 b_i) over b_i >= 0 with sum b_i <= B, B > 0 (v_i = sigma_i^2, or w_i sigma_i^2 in
                         the relaxation of eq. (8)): the minimum is at b_i = max{0, (1/2) log2(v_i/lambda)} for some
                         lambda > 0, and nowhere else.

    No b_i exceeds their sum, so a cap above B does not bind: Proposition 9 of ReadKV with W = B + 1. *)
From Coq Require Import Reals Lra Lia.
From KVProof Require Import FiniteSums Proposition9.
Open Scope R_scope.

(** (1/2) log2(v/lambda) = log4(v/lambda); a source of variance 0 gets nothing. *)
Definition reverse_level lambda v := if Rlt_dec 0 v then Rmax 0 (log4 (v / lambda)) else 0.
Definition nonnegative N B (b : nat -> R) := (each i < N, 0 <= b i) /\ sum N b <= B.

Lemma half_log2 x : 0 < x -> log4 x = / 2 * (ln x / ln 2).
Proof.
  intros H. unfold log4. assert (L : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
  replace 4 with (2 * 2) by ring. rewrite ln_mult by lra. field. lra.
Qed.
Lemma two_bits b : quarter b = Rpower 2 (- 2 * b).
Proof.
  unfold quarter, Rpower. f_equal. replace 4 with (2 * 2) by ring. rewrite ln_mult by lra. ring.
Qed.

Theorem eq2_waterfill N B v : 0 < B -> (each i < N, 0 <= v i) -> (exists i, (i < N)%nat /\ 0 < v i) ->
  exists lambda, 0 < lambda /\ let b i := reverse_level lambda (v i) in
    sum N b = B /\ nonnegative N B b /\
    (forall x, nonnegative N B x -> \sum_(i < N) (v i * Rpower 2 (- 2 * b i)) <= \sum_(i < N) (v i * Rpower 2 (- 2 * x i))) /\
    forall x, nonnegative N B x -> \sum_(i < N) (v i * Rpower 2 (- 2 * x i)) <= \sum_(i < N) (v i * Rpower 2 (- 2 * b i)) ->
      each i < N, x i = b i.
Proof.
  intros HB Hv (k & Hk & Pk). set (W := B + 1). assert (HW : 0 < W) by (unfold W; lra).
  assert (P : 1 <= \sum_(i < N) positive (v i)).
  { assert (E : positive (v k) = 1) by (unfold positive; destruct (Rlt_dec 0 (v k)); lra). rewrite <- E.
    apply (sum_term N (fun i => positive (v i)) k); auto. intros j _. unfold positive. destruct (Rlt_dec 0 (v j)); lra. }
  destruct (proposition9 N W B v HW Hv) as [A _].
  destruct A as (lambda & Hl & S & [Legal Best] & Unique).
  { split; auto. apply Rlt_le_trans with (W * 1); [unfold W; lra|apply Rmult_le_compat_l; lra]. }
  assert (Below : forall x, nonnegative N B x -> each i < N, x i <= B).
  { intros x [Hx Sx] i Hi. pose proof (sum_term N x i Hx Hi). lra. }
  assert (Capped : forall x, nonnegative N B x -> real_legal N W B x).
  { intros x Hx. split; [|apply Hx]. intros i Hi. split; [apply Hx; auto|].
    pose proof (Below x Hx i Hi). unfold W. lra. }
  assert (Same : each i < N, water_level W lambda (v i) = reverse_level lambda (v i)).
  { intros i Hi.
    assert (T : water_level W lambda (v i) <= B).
    { apply (Below (fun j => water_level W lambda (v j))); auto. split; [|apply Legal].
      intros j _. apply water_level_range. lra. }
    revert T. unfold water_level, reverse_level. destruct (Rlt_dec 0 (v i)); auto.
    unfold Rmin. destruct (Rle_dec W (Rmax 0 (log4 (v i / lambda)))); auto. unfold W in *. lra. }
  assert (Value : forall x, \sum_(i < N) (v i * Rpower 2 (- 2 * x i)) = real_objective N v x).
  { intros x. apply sum_ext. intros i _. rewrite two_bits. reflexivity. }
  assert (SameValue : \sum_(i < N) (v i * Rpower 2 (- 2 * reverse_level lambda (v i)))
                      = real_objective N v (fun i => water_level W lambda (v i))).
  { rewrite Value. apply sum_ext. intros i Hi. now rewrite Same. }
  exists lambda. split; auto. intros b.
  assert (Sb : sum N b = B) by (rewrite <- S; apply sum_ext; intros i Hi; symmetry; apply Same; auto).
  split; auto. split; [split; [|lra]|split].
  - intros i _. unfold b, reverse_level. destruct (Rlt_dec 0 (v i)); [apply Rmax_l|lra].
  - intros x Hx. unfold b. rewrite SameValue, Value. apply Best, Capped, Hx.
  - intros x Hx O i Hi. unfold b in *. rewrite SameValue, Value in O. rewrite <- Same by auto.
    apply (Unique x); auto.
Qed.
