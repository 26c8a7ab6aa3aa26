(** Means over outcomes that keep order, and the sums of AATC's eq. (14) over tokens: with X_l = E(alpha_l - abar)^2 and
    E alpha_l^2 <= s, sum a_l^2 X_l <= s/4 and sum a_l X_l <= s (1 - sum a_l^2). The first is s (S_2 - 2 S_3 + S_2^2) at most,
    S_n = sum a_l^n, and S_3 >= S_2^2. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From KVProof Require Import FiniteSums Probability LinearExpectation.
Open Scope R_scope.

(** A mean over outcomes: linear, never negative for what is never negative, 1 for 1. *)
Definition expectation Omega (Ex : (Omega -> R) -> R) :=
  linear Omega Ex /\ (forall f, (forall w, 0 <= f w) -> 0 <= Ex f) /\ Ex (fun _ => 1) = 1.

Section Expectation.
Variable Omega : Type.
Variable Ex : (Omega -> R) -> R.
Hypothesis HE : expectation Omega Ex.

Lemma Ex_minus f h : Ex (fun w => f w - h w) = Ex f - Ex h.
Proof.
  rewrite (Ex_ext Omega Ex _ (fun w => f w + -1 * h w)) by (intros; ring). destruct HE as [[P S] _].
  rewrite (P f (fun w => -1 * h w)), (S (-1) h). ring.
Qed.
Lemma Ex_le f h : (forall w, f w <= h w) -> Ex f <= Ex h.
Proof.
  intros H. destruct HE as (_ & N & _). specialize (N (fun w => h w - f w)). rewrite Ex_minus in N.
  assert (0 <= Ex h - Ex f) by (apply N; intros w; specialize (H w); lra). lra.
Qed.
Lemma Ex_const b : Ex (fun _ => b) = b.
Proof.
  destruct HE as ([_ S] & _ & One). rewrite (Ex_ext Omega Ex _ (fun _ => b * 1)) by (intros; ring).
  rewrite (S b (fun _ => 1)), One. ring.
Qed.
Lemma Ex_abs f b : (forall w, Rabs (f w) <= b) -> Rabs (Ex f) <= b.
Proof.
  intros H. apply Rabs_le. split.
  - rewrite <- (Ex_const (- b)). apply Ex_le. intros w. specialize (H w). apply Rabs_le_between in H. lra.
  - rewrite <- (Ex_const b). apply Ex_le. intros w. specialize (H w). apply Rabs_le_between in H. lra.
Qed.
End Expectation.

(** Sums of powers of weights. *)
Lemma cubes n a : probability n a -> (\sum_(i < n) (a i ^ 2)) ^ 2 <= \sum_(i < n) (a i ^ 3).
Proof.
  intros Ha. pose proof (var_nonneg n a a Ha) as V. unfold var, cov, mean in V.
  rewrite (sum_ext n _ (fun i => a i ^ 3)) in V by (intros; ring).
  rewrite (sum_ext n (fun i => a i * a i) (fun i => a i ^ 2)) in V by (intros; ring). nra.
Qed.

(** The variances X_l = E x_l^2 of (14) under weights a, with token variances e_l at most s. *)
Section Variances.
Variables (n : nat) (a e X : nat -> R) (s : R).
Hypothesis Ha : probability n a.
Hypothesis He : each i < n, 0 <= e i <= s.
Let S2 := \sum_(i < n) (a i ^ 2).
Hypothesis HX : each l < n, X l = (1 - 2 * a l) * e l + \sum_(i < n) (a i ^ 2 * e i).

Lemma a_between i : (i < n)%nat -> 0 <= a i <= 1.
Proof. intros Hi. destruct Ha as [P One]. split; [auto|]. rewrite <- One. apply sum_term; auto. Qed.
Lemma S2_between : 0 <= S2 <= 1.
Proof.
  split; [apply sum_nonneg; intros; apply pow2_ge_0|]. destruct Ha as [_ One]. rewrite <- One.
  apply sum_le. intros i Hi. pose proof (a_between i Hi). nra.
Qed.
Theorem first_variances : \sum_(l < n) (a l ^ 2 * X l) <= s / 4 .
Proof.
  rewrite (sum_ext n _ (fun l => a l ^ 2 * (1 - 2 * a l) * e l + a l ^ 2 * \sum_(i < n) (a i ^ 2 * e i)))
    by (intros; rewrite HX by auto; ring).
  rewrite sum_plus, sum_scal_r. fold S2. rewrite <- sum_scal, <- sum_plus.
  apply Rle_trans with (\sum_(l < n) (s * (a l ^ 2 - 2 * a l ^ 3 + S2 * a l ^ 2))).
  - apply sum_le. intros l Hl. pose proof (a_between l Hl). specialize (He l Hl).
    assert (a l ^ 2 <= S2) by (apply (sum_term n (fun i => a i ^ 2)); auto; intros; apply pow2_ge_0).
    assert (0 <= 1 - 2 * a l + S2) by (pose proof (pow2_ge_0 (1 - a l)); lra).
    assert (0 <= a l ^ 2 * (1 - 2 * a l + S2)) by (apply Rmult_le_pos; [apply pow2_ge_0|auto]). nra.
  - rewrite sum_scal, sum_plus, sum_minus, !sum_scal. fold S2. pose proof (cubes n a Ha) as C. fold S2 in C.
    set (S3 := \sum_(i < n) (a i ^ 3)) in *.
    assert (S0 : 0 <= s \/ n = 0%nat) by (destruct n; [auto|left; specialize (He 0%nat ltac:(lia)); lra]).
    destruct S0 as [S0|Z].
    + assert (S2 - 2 * S3 + S2 * S2 <= 1 / 4) by (pose proof (pow2_ge_0 (S2 - 1 / 2)); nra). nra.
    + destruct Ha as [_ One]. rewrite Z in One. cbn [sum] in One. lra.
Qed.
Theorem mean_variance : 0 <= \sum_(l < n) (a l * X l) <= s * (1 - S2).
Proof.
  assert (E : \sum_(l < n) (a l * X l) = \sum_(l < n) ((a l - a l ^ 2) * e l)).
  { rewrite (sum_ext n _ (fun l => (a l - 2 * a l ^ 2) * e l + a l * \sum_(i < n) (a i ^ 2 * e i)))
      by (intros; rewrite HX by auto; ring).
    rewrite sum_plus, sum_scal_r. change (\sum_(i < n) a i) with (sum n a). rewrite (proj2 Ha).
    rewrite Rmult_1_l, <- sum_plus. apply sum_ext; intros; ring. }
  rewrite E. split.
  - apply sum_nonneg. intros l Hl. pose proof (a_between l Hl). specialize (He l Hl). apply Rmult_le_pos; nra.
  - apply Rle_trans with (\sum_(l < n) (s * (a l - a l ^ 2))).
    + apply sum_le. intros l Hl. pose proof (a_between l Hl). specialize (He l Hl).
      assert (0 <= a l - a l ^ 2) by nra. nra.
    + rewrite sum_scal, sum_minus. fold S2. change (\sum_(i < n) a i) with (sum n a). rewrite (proj2 Ha). lra.
Qed.
Lemma X_nonneg l : (l < n)%nat -> 0 <= X l.
Proof.
  intros Hl. rewrite HX by auto. pose proof (a_between l Hl) as B. pose proof (He l Hl) as H.
  assert (a l ^ 2 * e l <= \sum_(i < n) (a i ^ 2 * e i)).
  { apply (sum_term n (fun i => a i ^ 2 * e i)); auto. intros i Hi. specialize (He i Hi).
    apply Rmult_le_pos; [apply pow2_ge_0|lra]. }
  assert (0 <= (1 - a l) ^ 2 * e l) by (apply Rmult_le_pos; [apply pow2_ge_0|lra]). nra.
Qed.
End Variances.

