(** How far weights on [-A, A] spread: E|x| <= A and E|x^2 - m_2| <= A^2 for x = y - E y, m_2 = E x^2.

    With g = E y: m_2 <= A^2 - g^2. x^2 (A^2 - (x + g)^2) >= 0 and (x^2 - m_2 + 2 g x)^2 >= 0 add up to
    E(x^2 - m_2)^2 <= 2 m_2 (A^2 + g^2 - m_2) <= 4 m_2 (A^2 - m_2) <= A^4. *)
From Coq Require Import Reals Lra Lia Psatz.
From Coquelicot Require Import Coquelicot.
From KVProof Require Import FiniteSums Probability CentralMoments.
Open Scope R_scope.

Section Weights.
Variables (n : nat) (p y : nat -> R) (A : R).
Hypothesis Hp : probability n p.
Hypothesis HA : 0 <= A.
Hypothesis Hy : each i < n, Rabs (y i) <= A.
Let g := mean n p y.
Let c := centred n p y.
Let v := moment n p y 2.

Lemma centred_zero : mean n p c = 0.
Proof. exact (centred_mean n p y Hp). Qed.
Lemma inside i : (i < n)%nat -> (c i + g) ^ 2 <= A ^ 2.
Proof.
  intros Hi. specialize (Hy i Hi). apply Rabs_le_between in Hy. unfold c, centred, g.
  replace (y i - mean n p y + mean n p y) with (y i) by ring. nra.
Qed.
Lemma v_nonneg : 0 <= v.
Proof. apply mean_nonneg; auto. intros; apply pow2_ge_0. Qed.
Lemma v_at_most : v <= A ^ 2 - g ^ 2.
Proof.
  assert (H : 0 <= mean n p (fun i => (A ^ 2 - g ^ 2) + (- 2 * g * c i + -1 * c i ^ 2))).
  { apply mean_nonneg; auto. intros i Hi. pose proof (inside i Hi). nra. }
  rewrite !mean_plus, !mean_scal, mean_const in H by auto. eta_mean. rewrite centred_zero in H.
  change (mean n p (fun i => c i ^ 2)) with v in H. lra.
Qed.
Theorem spread_of_squares : mean n p (fun i => (c i ^ 2 - v) ^ 2) <= A ^ 4.
Proof.
  set (V := mean n p (fun i => (c i ^ 2 - v) ^ 2)).
  assert (H : 0 <= mean n p (fun i => (2 * A ^ 2 + 2 * g ^ 2 - 4 * v) * c i ^ 2 + (- 4 * g * v * c i + 2 * v ^ 2)
    - (c i ^ 2 - v) ^ 2)).
  { apply mean_nonneg; auto. intros i Hi. pose proof (inside i Hi). pose proof (pow2_ge_0 (c i ^ 2 - v + 2 * g * c i)).
    assert (0 <= c i ^ 2 * (A ^ 2 - (c i + g) ^ 2)) by (apply Rmult_le_pos; [apply pow2_ge_0|lra]). lra. }
  rewrite mean_minus, !mean_plus, !mean_scal, mean_const in H by auto. eta_mean. rewrite centred_zero in H.
  change (mean n p (fun i => c i ^ 2)) with v in H. fold V in H.
  pose proof v_nonneg. pose proof v_at_most. pose proof (pow2_ge_0 (A ^ 2 - 2 * v)). nra.
Qed.

Lemma mean_abs_at_most f B : 0 <= B -> mean n p (fun i => f i ^ 2) <= B ^ 2 -> mean n p (fun i => Rabs (f i)) <= B.
Proof.
  intros HB H. pose proof (var_nonneg n p (fun i => Rabs (f i)) Hp) as N. unfold var, cov in N.
  rewrite (mean_ext n p (fun i => Rabs (f i) * Rabs (f i)) (fun i => f i ^ 2)) in N
    by (intros; rewrite <- Rabs_mult, Rabs_right; [ring|apply Rle_ge, square_nonneg]).
  set (t := mean n p (fun i => Rabs (f i))) in *. destruct (Rle_dec t B); auto. nra.
Qed.
Theorem mean_deviation : mean n p (fun i => Rabs (c i)) <= A.
Proof.
  apply mean_abs_at_most; auto. change (v <= A ^ 2). pose proof v_at_most. pose proof (pow2_ge_0 g). lra.
Qed.
Theorem mean_square_deviation : mean n p (fun i => Rabs (c i ^ 2 - v)) <= A ^ 2.
Proof.
  apply mean_abs_at_most; [apply pow2_ge_0|]. pose proof spread_of_squares. replace ((A ^ 2) ^ 2) with (A ^ 4) by ring. auto.
Qed.
Lemma bounded_mean f h B : (each i < n, Rabs (f i) <= B) ->
  Rabs (mean n p (fun i => f i * h i)) <= B * mean n p (fun i => Rabs (h i)).
Proof.
  intros H. eapply Rle_trans; [apply mean_abs; auto|]. rewrite <- mean_scal. apply mean_le; auto. intros i Hi.
  rewrite Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos|auto].
Qed.
End Weights.

