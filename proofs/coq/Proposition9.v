(** ReadKV, Proposition 9: water-filling.

    readkv.prop9.waterfill   C_W(B) = min sum a_i 4^-t_i over 0 <= t_i <= W, sum t_i <= B. For 0 < B < W|P|, P the items of
                             positive weight, the minimum is at t_i = min{W, max{0, log4(a_i/tau)}} for some tau > 0, and
                             nowhere else; items of weight 0 get 0. For B = 0 nothing is read, for B >= W|P| all of P.

    Existence: the depths' sum is continuous in log4 tau and runs from W|P| to 0. Optimality: the tangent of 4^-t at t_i lies
    below the curve, and a_i 4^-t_i is tau for inner depths, at most tau at depth 0, at least tau at depth W; summed, no other
    depths within the budget do better. The tangent touches once, so the minimum is taken once. *)
From Coq Require Import Reals Rsqrt_def Lra Lia.
From KVProof Require Import FiniteSums.
Open Scope R_scope.

(** 4^-t for a real depth t. *)
Definition quarter (t : R) := Rpower 4 (- t).
Definition log4 x := ln x / ln 4.
Definition real_legal N W B (t : nat -> R) := (each i < N, 0 <= t i <= W) /\ sum N t <= B.
Definition real_objective N (a t : nat -> R) := \sum_(i < N) (a i * quarter (t i)).

Definition positive (a : R) := if Rlt_dec 0 a then 1 else 0.
Definition water_level W tau a := if Rlt_dec 0 a then Rmin W (Rmax 0 (log4 (a / tau))) else 0.

Lemma ln4_pos : 0 < ln 4.
Proof. rewrite <- ln_1. apply ln_increasing; lra. Qed.
Lemma quarter_pos t : 0 < quarter t.
Proof. apply exp_pos. Qed.
Lemma quarter_nat n : quarter (INR n) = / 4 ^ n.
Proof. unfold quarter. rewrite Rpower_Ropp, Rpower_pow; lra. Qed.
Lemma quarter_decreasing s t : s <= t -> quarter t <= quarter s.
Proof. intros [H| ->]; [|lra]. left. apply Rpower_lt; lra. Qed.
Lemma quarter_log4 x : 0 < x -> quarter (log4 x) = / x.
Proof.
  intros H. pose proof ln4_pos. unfold quarter, log4, Rpower.
  replace (- (ln x / ln 4) * ln 4) with (- ln x) by (field; lra). rewrite exp_Ropp, exp_ln; auto.
Qed.

Lemma tangent s t : quarter s - ln 4 * quarter s * (t - s) <= quarter t.
Proof.
  replace (quarter t) with (quarter s * exp (- (t - s) * ln 4)) by
    (unfold quarter, Rpower; rewrite <- exp_plus; f_equal; ring).
  pose proof (exp_ineq1_le (- (t - s) * ln 4)) as E.
  apply Rmult_le_compat_l with (r := quarter s) in E; [lra|left; apply quarter_pos].
Qed.
Lemma tangent_touches_once s t : quarter t = quarter s - ln 4 * quarter s * (t - s) -> t = s.
Proof.
  replace (quarter t) with (quarter s * exp (- (t - s) * ln 4)) by
    (unfold quarter, Rpower; rewrite <- exp_plus; f_equal; ring).
  intros H. pose proof ln4_pos. pose proof (quarter_pos s).
  destruct (Req_dec (- (t - s) * ln 4) 0) as [Z|N]; [apply Rmult_integral in Z; lra|].
  apply exp_ineq1 in N. apply Rmult_lt_compat_l with (r := quarter s) in N; auto. lra.
Qed.

Lemma water_level_range W tau a : 0 <= W -> 0 <= water_level W tau a <= W.
Proof.
  intros. unfold water_level. destruct (Rlt_dec 0 a); [|lra].
  split; [apply Rmin_glb; auto; apply Rmax_l|apply Rmin_l].
Qed.

(** The condition of Karush, Kuhn and Tucker, against any other depth. *)
Lemma complementary W tau a t : 0 <= W -> 0 < tau -> 0 <= a -> 0 <= t <= W ->
  (a * quarter (water_level W tau a) - tau) * (t - water_level W tau a) <= 0.
Proof.
  intros HW Ht Ha Ht'. unfold water_level. destruct (Rlt_dec 0 a) as [P|P]; [|assert (a = 0) by lra; subst; nra].
  set (s := log4 (a / tau)). assert (Inner : a * quarter s = tau).
  { unfold s. rewrite quarter_log4 by (apply Rdiv_lt_0_compat; lra). field. lra. }
  destruct (Rle_dec s 0) as [S0|S0].
  - rewrite (Rmax_left 0 s), Rmin_right by lra. pose proof (quarter_decreasing s 0 S0).
    assert (a * quarter 0 <= tau) by (rewrite <- Inner; apply Rmult_le_compat_l; lra). nra.
  - rewrite (Rmax_right 0 s) by lra. destruct (Rle_dec s W) as [SW|SW].
    + rewrite Rmin_right, Inner by lra. lra.
    + rewrite Rmin_left by lra. pose proof (quarter_decreasing W s ltac:(lra)).
      assert (tau <= a * quarter W) by (rewrite <- Inner; apply Rmult_le_compat_l; lra). nra.
Qed.

Section Optimum.
Variables (N : nat) (W B tau : R) (a : nat -> R).
Hypothesis depth : 0 <= W.
Hypothesis level_positive : 0 < tau.
Hypothesis weights : each i < N, 0 <= a i.
Let t i := water_level W tau (a i).
Hypothesis budget : sum N t = B.

Lemma item x i : (i < N)%nat -> 0 <= x <= W -> a i * quarter (t i) - a i * quarter x <= tau * ln 4 * (x - t i).
Proof.
  intros Hi Hx. pose proof (complementary W tau (a i) x depth level_positive (weights i Hi) Hx) as K. fold (t i) in K.
  pose proof (Rmult_le_compat_l (a i) _ _ (weights i Hi) (tangent (t i) x)) as T.
  apply Rmult_le_compat_l with (r := ln 4) in K; [lra|left; apply ln4_pos].
Qed.

Theorem waterfill_optimal : real_legal N W B t /\
  forall x, real_legal N W B x -> real_objective N a t <= real_objective N a x.
Proof.
  split; [split; [intros; apply water_level_range; auto|lra]|]. intros x [Hx Sx].
  assert (S : real_objective N a t - real_objective N a x <= tau * ln 4 * (sum N x - B)).
  { rewrite <- budget. unfold real_objective. rewrite <- !sum_minus, <- sum_scal. apply sum_le; intros. apply item; auto. }
  assert (0 <= tau * ln 4) by (apply Rmult_le_pos; left; auto; apply ln4_pos). nra.
Qed.

Theorem waterfill_unique x : real_legal N W B x -> real_objective N a x <= real_objective N a t -> each i < N, x i = t i.
Proof.
  intros [Hx Sx] O i Hi. pose proof ln4_pos. assert (L : 0 < tau * ln 4) by (apply Rmult_lt_0_compat; auto).
  set (slack := fun j => tau * ln 4 * (x j - t j) - (a j * quarter (t j) - a j * quarter (x j))).
  assert (S0 : each j < N, 0 <= slack j).
  { intros j Hj. pose proof (item (x j) j Hj (Hx j Hj)). unfold slack. lra. }
  assert (Sum : sum N slack <= 0).
  { assert (E : sum N slack = tau * ln 4 * (sum N x - B) - (real_objective N a t - real_objective N a x)).
    { unfold slack, real_objective. rewrite <- budget, <- !sum_minus, <- sum_scal, <- sum_minus. reflexivity. }
    assert (tau * ln 4 * (sum N x - B) <= 0) by nra. lra. }
  assert (Z : slack i = 0).
  { apply Rle_antisym; [|apply S0; auto]. eapply Rle_trans; [apply (sum_term N slack i S0 Hi)|exact Sum]. }
  specialize (Hx i Hi). pose proof (weights i Hi) as A0.
  destruct (Rlt_dec 0 (a i)) as [P|P].
  - pose proof (complementary W tau (a i) (x i) depth level_positive A0 Hx) as K. fold (t i) in K.
    apply Rmult_le_compat_l with (r := ln 4) in K; [|lra]. pose proof (tangent (t i) (x i)) as T.
    apply tangent_touches_once. apply Rmult_eq_reg_l with (a i); [|lra].
    apply Rmult_le_compat_l with (r := a i) in T; [|lra]. unfold slack in Z. lra.
  - assert (Z0 : a i = 0) by lra. unfold slack in Z. rewrite Z0 in Z.
    replace (tau * ln 4 * (x i - t i) - (0 * quarter (t i) - 0 * quarter (x i))) with (tau * ln 4 * (x i - t i)) in Z by ring.
    apply Rmult_integral in Z. lra.
Qed.
End Optimum.

(** A level for every budget between nothing and everything. *)
Lemma level_lipschitz W c s s' : Rabs (Rmin W (Rmax 0 (c - s)) - Rmin W (Rmax 0 (c - s'))) <= Rabs (s - s').
Proof.
  unfold Rmax. destruct (Rle_dec 0 (c - s)), (Rle_dec 0 (c - s')); unfold Rmin;
  repeat match goal with |- context [Rle_dec ?x ?y] => destruct (Rle_dec x y) end; unfold Rabs; repeat match goal with |- context [Rcase_abs ?x] => destruct (Rcase_abs x) end; lra.
Qed.

Theorem waterfill_level_exists N W B a : 0 < W -> 0 < B < W * (\sum_(i < N) positive (a i)) ->
  exists tau, 0 < tau /\ \sum_(i < N) water_level W tau (a i) = B.
Proof.
  intros HW HB. pose proof ln4_pos as L4.
  set (f := fun s i => if Rlt_dec 0 (a i) then Rmin W (Rmax 0 (log4 (a i) - s)) else 0).
  assert (Same : forall s i, water_level W (Rpower 4 s) (a i) = f s i).
  { intros s i. unfold water_level, f. destruct (Rlt_dec 0 (a i)) as [P|]; auto. do 2 f_equal.
    unfold log4, Rdiv. assert (0 < Rpower 4 s) by apply exp_pos.
    rewrite ln_mult, ln_Rinv by (auto; apply Rinv_0_lt_compat; auto). unfold Rpower. rewrite ln_exp. field. lra. }
  assert (Cont : continuity (fun s => sum N (f s) - B)).
  { intros s eps He. exists (eps / (INR N + 1)). pose proof (pos_INR N). split; [apply Rdiv_lt_0_compat; lra|].
    intros s' [_ Hd]. simpl in *. unfold R_dist in *.
    replace (sum N (f s') - B - (sum N (f s) - B)) with (\sum_(i < N) (f s' i - f s i)) by (rewrite sum_minus; ring).
    apply Rle_lt_trans with (INR N * Rabs (s' - s)).
    - eapply Rle_trans; [apply sum_abs|]. rewrite <- sum_const. apply sum_le. intros i _. unfold f.
      destruct (Rlt_dec 0 (a i)); [apply level_lipschitz|]. rewrite Rminus_0_r, Rabs_R0. apply Rabs_pos.
    - apply Rle_lt_trans with (INR N * (eps / (INR N + 1))); [apply Rmult_le_compat_l; lra|].
      apply Rmult_lt_reg_r with (INR N + 1); [lra|].
      replace (INR N * (eps / (INR N + 1)) * (INR N + 1)) with (INR N * eps) by (field; lra). lra. }
  assert (Bounds : forall n, exists lo hi, lo <= hi /\ each i < n, lo <= log4 (a i) <= hi).
  { induction n as [|n (lo & hi & H & I)]; [exists 0, 0; split; [lra|intros; lia]|].
    exists (Rmin lo (log4 (a n))), (Rmax hi (log4 (a n))).
    pose proof (Rmin_l lo (log4 (a n))). pose proof (Rmin_r lo (log4 (a n))).
    pose proof (Rmax_l hi (log4 (a n))). pose proof (Rmax_r hi (log4 (a n))). split; [lra|].
    intros i Hi. destruct (Nat.eq_dec i n) as [->|]; [lra|]. specialize (I i ltac:(lia)). lra. }
  destruct (Bounds N) as (lo & hi & Hlh & I).
  assert (Low : sum N (f (lo - W)) = W * \sum_(i < N) positive (a i)).
  { rewrite <- sum_scal. apply sum_ext. intros i Hi. specialize (I i Hi). unfold f, positive.
    destruct (Rlt_dec 0 (a i)); [|ring]. rewrite Rmax_right, Rmin_left by lra. ring. }
  assert (High : sum N (f hi) = 0).
  { rewrite <- (sum_zero N). apply sum_ext. intros i Hi. specialize (I i Hi). unfold f.
    destruct (Rlt_dec 0 (a i)); auto. rewrite Rmax_left, Rmin_right by lra. auto. }
  destruct (IVT_cor (fun s => sum N (f s) - B) (lo - W) hi Cont) as (s & _ & Hs); [lra| |].
  - rewrite Low, High. nra.
  - exists (Rpower 4 s). split; [apply exp_pos|]. rewrite (sum_ext N _ (f s)) by (intros; apply Same). lra.
Qed.

(** The boundary cases. *)
Theorem nothing_to_read N W x : real_legal N W 0 x -> each i < N, x i = 0.
Proof.
  intros [Hx Sx] i Hi. assert (0 <= x i) by (apply Hx; auto).
  pose proof (sum_term N x i (fun j Hj => proj1 (Hx j Hj)) Hi). lra.
Qed.
Theorem everything_read N W B a : 0 <= W -> (each i < N, 0 <= a i) -> W * (\sum_(i < N) positive (a i)) <= B ->
  let t i := W * positive (a i) in
  real_legal N W B t /\ forall x, real_legal N W B x -> real_objective N a t <= real_objective N a x.
Proof.
  intros HW Ha HB t. assert (Cases : forall i, t i = 0 \/ t i = W) by
    (intros i; unfold t, positive; destruct (Rlt_dec 0 (a i)); [right|left]; ring).
  split; [split|].
  - intros i _. destruct (Cases i) as [-> | ->]; lra.
  - unfold t. rewrite sum_scal. auto.
  - intros x [Hx _]. apply sum_le. intros i Hi. specialize (Ha i Hi). specialize (Hx i Hi).
    unfold t, positive. destruct (Rlt_dec 0 (a i)).
    + apply Rmult_le_compat_l; auto. apply quarter_decreasing. lra.
    + replace (a i) with 0 by lra. lra.
Qed.

Theorem proposition9 N W B a : 0 < W -> (each i < N, 0 <= a i) ->
  let P := \sum_(i < N) positive (a i) in
  let optimal t := real_legal N W B t /\ forall x, real_legal N W B x -> real_objective N a t <= real_objective N a x in
  (0 < B < W * P -> exists tau, 0 < tau /\ let t i := water_level W tau (a i) in
     sum N t = B /\ optimal t /\
     forall x, real_legal N W B x -> real_objective N a x <= real_objective N a t -> each i < N, x i = t i) /\
  (B = 0 -> forall x, real_legal N W B x -> each i < N, x i = 0) /\
  (W * P <= B -> optimal (fun i => W * positive (a i))).
Proof.
  intros HW Ha P optimal. refine (conj _ (conj _ _)); intros HB.
  - destruct (waterfill_level_exists N W B a HW HB) as (tau & Ht & E).
    exists tau. split; auto. intros t. split; [exact E|].
    split; [apply (waterfill_optimal N W B tau a); auto; lra|].
    intros x. apply (waterfill_unique N W B tau a); auto; lra.
  - intros x Hx. rewrite HB in Hx. apply (nothing_to_read N W x Hx).
  - apply everything_read; auto. lra.
Qed.
