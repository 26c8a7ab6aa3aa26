(** AATC, Theorem 1: its remainder, with every constant explicit and absolute.

    aatc.thm1.remainder.sharp   |D - D_K - D_V| <= (27/100 |q|^2 sigma_K^2 + 5/6 A^3) |W_O|_F^2 sigma_V^2 + 11/12 D_o A^4,
                                A = kappa sigma_K |q|_1, D_o = max |v_i W_O - o|^2.
    aatc.thm1.remainder         the same with the constants 4, 156 and 95 of the printed steps.
    aatc.thm1.remainder.decomposition   D = E |E_K|^2 + sum_i E[a^_i^2] omega_i, omega_i = E |delta v_i W_O|^2.
    aatc.thm1.remainder.per_token.sum   |E delta a_i| <= a_i |q|^2 sigma_K^2 + A^3/6.

    x_i = alpha_i - abar, X_i = E x_i^2, M = sum a_l X_l. Pathwise |E_K|^2 - |E_K^(1)|^2 - 2 E_K^(1) E_K^(2)' is at most
    11/12 D_o A^4, and sum |delta a_i^2 - (a_i x_i)^2| at most A^3/2 (SoftmaxChange.v). The sum over i of omega_i times
    2 a_i E delta a_i + E delta a_i^2 is that of omega_i a_i^2 (2 X_i - M), at most 27/100 |q|^2 sigma_K^2 max omega_i
    (TokenVariances.v), up to (A^3/3 + A^3/2) max omega_i. No case distinction on A is needed. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From KVProof Require Import FiniteSums Probability Euclid LinearExpectation Expectation Softmax CentralMoments AATCLemma1 AATCTheorem1 SoftmaxChange TokenVariances.
Open Scope R_scope.

(** Key noise with the mean EK, value noise with the mean EV, independent of each other; flip turns the sign of all key noise. *)
Section Theorem1.
Variables (OmegaK OmegaV : Type) (EK : (OmegaK -> R) -> R) (EV : (OmegaV -> R) -> R) (flip : OmegaK -> OmegaK).
Variables (T dk dv D : nat) (s q : nat -> R) (vW W : nat -> nat -> R).
Variables (keys : nat -> nat -> OmegaK -> R) (values : nat -> nat -> OmegaV -> R) (vk vv : nat -> nat -> R).
Variables (b sigmaK2 sigmaV2 U : R).
Hypothesis HT : (0 < T)%nat.
Hypothesis HK : expectation OmegaK EK.
Hypothesis HV : expectation OmegaV EV.
Hypothesis Flip : forall f, EK (fun k => f (flip k)) = EK f.
Hypothesis Odd : forall i c k, keys i c (flip k) = - keys i c k.
Hypothesis Zero : each i < T, each c < dv, EV (values i c) = 0.
Hypothesis WK : white OmegaK EK T dk keys vk.
Hypothesis WV : white OmegaV EV T dv values vv.
Hypothesis BK : each i < T, each c < dk, 0 <= vk i c <= sigmaK2.
Hypothesis BV : each i < T, each c < dv, 0 <= vv i c <= sigmaV2.
Hypothesis Bounded : each i < T, each c < dk, forall k, Rabs (keys i c k) <= b.

Definition A0 := b * \sum_(c < dk) Rabs (q c).
Definition alpha k i := \sum_(c < dk) (q c * keys i c k).
Definition weights := softmax T s.
Definition weights' k := softmax T (fun i => s i + alpha k i).
Definition output x := \sum_(i < T) (weights i * vW i x).
Definition output' k v x := \sum_(i < T) (weights' k i * (vW i x + \sum_(c < dv) (values i c v * W c x))).
Definition distortion := EK (fun k => EV (fun v => norm2 D (fun x => output x - output' k v x))).
Definition key_distortion :=
  \sum_(i < T) \sum_(c < dk) (weights i ^ 2 * norm2 D (fun x => vW i x - output x) * q c ^ 2 * vk i c).
Definition value_distortion := \sum_(i < T) \sum_(c < dv) (weights i ^ 2 * vv i c * norm2 D (W c)).
Definition omega i := \sum_(c < dv) (vv i c * norm2 D (W c)).
Definition key_error k x := \sum_(i < T) (change T s (alpha k) i * vW i x).

Hypothesis HU : each i < T, norm D (fun x => vW i x - output x) <= U.

Let linK : linear OmegaK EK. Proof. apply HK. Qed.
Let linV : linear OmegaV EV. Proof. apply HV. Qed.
Let Hp : probability T weights. Proof. apply softmax_probability; auto. Qed.
Let x k i := centred T weights (alpha k) i.
Let m2 k := moment T weights (alpha k) 2.
Let W2 := \sum_(c < dv) norm2 D (W c).
Let sk := norm2 dk q * sigmaK2.

Lemma alpha_bounded k i : (i < T)%nat -> Rabs (alpha k i) <= A0.
Proof.
  intros Hi. unfold alpha, A0. eapply Rle_trans; [apply sum_abs|]. rewrite <- sum_scal. apply sum_le. intros c Hc.
  rewrite Rabs_mult, Rmult_comm. apply Rmult_le_compat_r; [apply Rabs_pos|auto].
Qed.
Lemma values_given (B : nat -> R) y : EV (fun v => \sum_(i < T) (B i * \sum_(c < dv) (values i c v * W c y))) = 0.
Proof.
  rewrite (Ex_sum OmegaV EV linV T (fun i v => B i * \sum_(c < dv) (values i c v * W c y))).
  rewrite <- (sum_zero T). apply sum_ext. intros i Hi. rewrite (Ex_scal OmegaV EV linV (B i)).
  rewrite (Ex_sum OmegaV EV linV dv (fun c v => values i c v * W c y)), (sum_ext dv _ (fun _ => 0)).
  - rewrite sum_zero. ring.
  - intros c Hc. rewrite (Ex_ext OmegaV EV _ (fun v => W c y * values i c v)) by (intros; ring).
    rewrite (Ex_scal OmegaV EV linV (W c y)), Zero by auto. ring.
Qed.

Theorem decomposition :
  distortion = EK (fun k => norm2 D (key_error k)) + \sum_(i < T) (EK (fun k => weights' k i ^ 2) * omega i).
Proof.
  unfold distortion.
  assert (Given : forall k, EV (fun v => norm2 D (fun y => output y - output' k v y))
    = norm2 D (key_error k) + \sum_(i < T) (omega i * weights' k i ^ 2)).
  { intros k. set (N := fun v y => \sum_(i < T) (weights' k i * \sum_(c < dv) (values i c v * W c y))).
    rewrite (Ex_ext OmegaV EV _
      (fun v => (norm2 D (key_error k) * 1 + \sum_(y < D) (2 * key_error k y * N v y)) + norm2 D (N v))).
    - rewrite (proj1 linV (fun v => norm2 D (key_error k) * 1 + \sum_(y < D) (2 * key_error k y * N v y))
        (fun v => norm2 D (N v))).
      rewrite (proj1 linV (fun v => norm2 D (key_error k) * 1) (fun v => \sum_(y < D) (2 * key_error k y * N v y))).
      rewrite (Ex_scal OmegaV EV linV (norm2 D (key_error k)) (fun _ => 1)), (proj2 (proj2 HV)).
      rewrite (Ex_sum OmegaV EV linV D (fun y v => 2 * key_error k y * N v y)).
      rewrite (sum_ext D _ (fun _ => 0)), sum_zero.
      + unfold N. rewrite (value_term OmegaV EV T dv D (weights' k) W values vv linV WV).
        rewrite Rmult_1_r, Rplus_0_r. f_equal. apply sum_ext. intros i _. unfold omega. rewrite <- sum_scal_r.
        apply sum_ext. intros; ring.
      + intros y _. rewrite (Ex_scal OmegaV EV linV (2 * key_error k y) (fun v => N v y)).
        unfold N. rewrite values_given. ring.
    - intros v. rewrite Rmult_1_r. unfold norm2. rewrite <- !sum_plus. apply sum_ext. intros y _.
      assert (S : output y - output' k v y = - (key_error k y + N v y)).
      { unfold output, output', key_error, N. rewrite <- sum_plus, <- sum_minus.
        set (S := \sum_(i < T) (change T s (alpha k) i * vW i y + _)). replace (- S) with (-1 * S) by ring. unfold S.
        rewrite <- sum_scal. apply sum_ext. intros i _. unfold change, weights, weights'. ring. }
      rewrite S. ring. }
  rewrite (Ex_ext OmegaK EK _ _ Given).
  rewrite (proj1 linK (fun k => norm2 D (key_error k)) (fun k => \sum_(i < T) (omega i * weights' k i ^ 2))).
  f_equal. rewrite (Ex_sum OmegaK EK linK T (fun i k => omega i * weights' k i ^ 2)). apply sum_ext. intros i _.
  rewrite (Ex_scal OmegaK EK linK (omega i)). ring.
Qed.
Lemma key_part : Rabs (EK (fun k => norm2 D (key_error k)) - key_distortion) <= 11 / 12 * U ^ 2 * A0 ^ 4.
Proof.
  assert (K : EK (fun k => norm2 D (moved T vW (first T s (alpha k)))) = key_distortion)
    by exact (key_term OmegaK EK T dk D weights q vW keys vk linK Hp WK).
  rewrite <- K, <- Ex_minus by auto.
  set (E1 := fun k => moved T vW (first T s (alpha k))). set (E2 := fun k => moved T vW (second T s (alpha k))).
  assert (Cross : EK (fun k => \sum_(y < D) (E1 k y * E2 k y)) = 0).
  { rewrite (Ex_sum OmegaK EK linK D (fun y k => E1 k y * E2 k y)). rewrite <- (sum_zero D). apply sum_ext. intros y _.
    exact (proj2 (proj2 (cross_zero OmegaK OmegaV EK EV flip T dk dv weights q vW W keys values (fun _ _ => 0)
      linK linV Flip Odd Zero y y))). }
  rewrite <- (Rminus_0_r (EK _)). replace 0 with (2 * 0) by ring. rewrite <- Cross.
  rewrite <- (Ex_scal OmegaK EK linK 2 (fun k => \sum_(y < D) (E1 k y * E2 k y))), <- Ex_minus by auto.
  apply Ex_abs; auto. intros k.
  exact (key_remainder T s (alpha k) A0 HT (alpha_bounded k) D vW U HU).
Qed.

Let X l := EK (fun k => x k l ^ 2).
Let e l := EK (fun k => alpha k l ^ 2).
Lemma token_variances l : (l < T)%nat -> X l = (1 - 2 * weights l) * e l + \sum_(i < T) (weights i ^ 2 * e i).
Proof. intros Hl. exact (proj1 (eq14 OmegaK EK T dk weights q keys vk sigmaK2 linK Hp WK BK l Hl)). Qed.
Lemma token_variance_between i : (i < T)%nat -> 0 <= e i <= sk.
Proof.
  intros Hi. assert (E : e i = \sum_(c < dk) (q c * q c * vk i c)).
  { unfold e. rewrite (Ex_ext OmegaK EK _ (fun k => alpha k i * alpha k i)) by (intros; ring).
    unfold alpha. rewrite (projections_uncorrelated OmegaK EK T dk keys vk q linK WK i Hi i Hi).
    unfold delta. destruct (Nat.eq_dec i i); [ring|lia]. }
  rewrite E. unfold sk, norm2. rewrite <- sum_scal_r. split.
  - apply sum_nonneg. intros c Hc. apply Rmult_le_pos; [apply square_nonneg|apply BK; auto].
  - apply sum_le. intros c Hc. apply Rmult_le_compat_l; [apply square_nonneg|apply BK; auto].
Qed.

(** E delta a_i, from its first three terms. *)
Lemma mean_change i : (i < T)%nat ->
  Rabs (EK (fun k => change T s (alpha k) i) - weights i / 2 * (X i - \sum_(l < T) (weights l * X l))) <= A0 ^ 3 / 6.
Proof.
  intros Hi.
  assert (First : EK (fun k => first T s (alpha k) i) = 0).
  { pose proof (Flip (fun k => first T s (alpha k) i)) as F. cbv beta in F.
    rewrite (Ex_ext OmegaK EK _ (fun k => -1 * first T s (alpha k) i)) in F.
    - rewrite (Ex_scal OmegaK EK linK (-1) (fun k => first T s (alpha k) i)) in F. lra.
    - intros k. unfold first, centred.
      assert (N : forall j, alpha (flip k) j = -1 * alpha k j).
      { intros j. unfold alpha. rewrite <- sum_scal. apply sum_ext. intros. rewrite Odd. ring. }
      rewrite (mean_ext T _ (alpha (flip k)) (fun j => -1 * alpha k j)) by auto. rewrite mean_scal, N. eta_mean. ring. }
  assert (Second : EK (fun k => second T s (alpha k) i) = weights i / 2 * (X i - \sum_(l < T) (weights l * X l))).
  { rewrite (Ex_ext OmegaK EK _ (fun k => weights i / 2 * (x k i ^ 2 - \sum_(l < T) (weights l * x k l ^ 2)))) by reflexivity.
    rewrite (Ex_scal OmegaK EK linK (weights i / 2) (fun k => x k i ^ 2 - \sum_(l < T) (weights l * x k l ^ 2))).
    rewrite (Ex_minus OmegaK EK HK (fun k => x k i ^ 2) (fun k => \sum_(l < T) (weights l * x k l ^ 2))).
    rewrite (Ex_sum OmegaK EK linK T (fun l k => weights l * x k l ^ 2)). do 2 f_equal. apply sum_ext. intros l _.
    apply (Ex_scal OmegaK EK linK (weights l) (fun k => x k l ^ 2)). }
  rewrite <- Second, <- (Rminus_0_r (EK (fun k => change T s (alpha k) i))), <- First.
  rewrite <- !Ex_minus by auto. apply Ex_abs; auto. intros k.
  replace (change T s (alpha k) i - first T s (alpha k) i - second T s (alpha k) i) with (tail T s (alpha k) i)
    by (unfold change, first, second, tail; ring).
  apply tail_each; auto. apply alpha_bounded.
Qed.

Theorem weight_shift i : (i < T)%nat ->
  Rabs (EK (fun k => change T s (alpha k) i)) <= weights i * (norm2 dk q * sigmaK2) + A0 ^ 3 / 6.
Proof.
  intros Hi. pose proof (mean_change i Hi) as M. fold sk.
  pose proof (proj2 (eq14 OmegaK EK T dk weights q keys vk sigmaK2 linK Hp WK BK i Hi)) as U1.
  change (X i <= 2 * norm2 dk q * sigmaK2) in U1. rewrite Rmult_assoc in U1. fold sk in U1.
  pose proof (X_nonneg T weights e X sk Hp token_variance_between token_variances i Hi) as L1.
  pose proof (mean_variance T weights e X sk Hp token_variance_between token_variances) as L2.
  pose proof (S2_between T weights Hp) as B2. pose proof (a_between T weights Hp i Hi) as Bi.
  pose proof (token_variance_between i Hi) as Be.
  assert (L3 : \sum_(l < T) (weights l * X l) <= 2 * sk) by nra.
  assert (Rabs (weights i / 2 * (X i - \sum_(l < T) (weights l * X l))) <= weights i / 2 * (2 * sk)).
  { rewrite Rabs_mult, (Rabs_right (weights i / 2)) by lra. apply Rmult_le_compat_l; [lra|]. apply Rabs_le. lra. }
  apply Rabs_le_between in H. apply Rabs_le_between in M. apply Rabs_le. lra.
Qed.

Lemma A0_cubed : 0 <= A0 ^ 3.
Proof.
  pose proof (mean_change 0 HT) as M. set (Z := EK (fun k => change T s (alpha k) 0%nat) - _) in M. pose proof (Rabs_pos Z). lra.
Qed.

(** sum_i |2 a_i E delta a_i + E delta a_i^2 - a_i^2 (2 X_i - M)|, beyond the second order. *)
Lemma beyond_second : \sum_(i < T) Rabs (2 * weights i * EK (fun k => change T s (alpha k) i)
    + EK (fun k => change T s (alpha k) i ^ 2) - weights i ^ 2 * (2 * X i - \sum_(l < T) (weights l * X l))) <= 5 / 6 * A0 ^ 3.
Proof.
  set (c := fun i => EK (fun k => change T s (alpha k) i)). set (M := \sum_(l < T) (weights l * X l)).
  set (h := fun i k => change T s (alpha k) i ^ 2 - first T s (alpha k) i ^ 2).
  assert (H : each i < T, EK (h i) = EK (fun k => change T s (alpha k) i ^ 2) - weights i ^ 2 * X i).
  { intros i _. unfold h. rewrite Ex_minus by auto. f_equal. unfold X.
    rewrite <- (Ex_scal OmegaK EK linK (weights i ^ 2) (fun k => x k i ^ 2)). apply Ex_ext. intros k.
    unfold first, x, weights. ring. }
  assert (Q : \sum_(i < T) Rabs (EK (h i)) <= A0 ^ 3 / 2).
  { rewrite (sum_ext T _ (fun i => sign (EK (h i)) * EK (h i))) by (intros; symmetry; apply sign_times).
    rewrite (sum_ext T _ (fun i => EK (fun k => sign (EK (h i)) * h i k)))
      by (intros; symmetry; apply (Ex_scal OmegaK EK linK)).
    rewrite <- (Ex_sum OmegaK EK linK T (fun i k => sign (EK (h i)) * h i k)).
    eapply Rle_trans; [apply Rle_abs|]. apply (Ex_abs OmegaK EK HK). intros k.
    eapply Rle_trans; [apply sum_abs|]. apply Rle_trans with (\sum_(i < T) Rabs (h i k)).
    - apply sum_le. intros i _. rewrite Rabs_mult, sign_abs. lra.
    - exact (squares T s (alpha k) A0 HT (alpha_bounded k)). }
  apply Rle_trans with (\sum_(i < T) (A0 ^ 3 / 3 * weights i + Rabs (EK (h i)))).
  - apply sum_le. intros i Hi. pose proof (mean_change i Hi) as C. fold (c i) M in C.
    pose proof (a_between T weights Hp i Hi) as Bi.
    apply Rle_trans with (Rabs (2 * weights i * (c i - weights i / 2 * (X i - M)) + EK (h i))).
    { right. f_equal. rewrite H by auto. fold (c i). field. }
    eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat_r. rewrite Rabs_mult, (Rabs_right (2 * weights i)) by lra.
    apply Rle_trans with (2 * weights i * (A0 ^ 3 / 6)); [apply Rmult_le_compat_l; lra|]. right. field.
  - rewrite sum_plus, sum_scal. change (\sum_(i < T) weights i) with (sum T weights). rewrite (proj2 Hp). lra.
Qed.

Lemma omega_between i : (i < T)%nat -> 0 <= omega i <= W2 * sigmaV2.
Proof.
  intros Hi. unfold omega, W2. rewrite <- sum_scal_r. split.
  - apply sum_nonneg. intros c Hc. apply Rmult_le_pos; [apply BV; auto|apply norm2_nonneg].
  - apply sum_le. intros c Hc. rewrite Rmult_comm. apply Rmult_le_compat_l; [apply norm2_nonneg|apply BV; auto].
Qed.

Lemma value_part : Rabs (\sum_(i < T) (EK (fun k => weights' k i ^ 2) * omega i) - value_distortion)
  <= (27 / 100 * sk + 5 / 6 * A0 ^ 3) * (W2 * sigmaV2).
Proof.
  set (c := fun i => EK (fun k => change T s (alpha k) i)). set (d := fun i => EK (fun k => change T s (alpha k) i ^ 2)).
  set (M := \sum_(l < T) (weights l * X l)). set (y := fun i => weights i ^ 2 * (2 * X i - M)).
  assert (E : \sum_(i < T) (EK (fun k => weights' k i ^ 2) * omega i) - value_distortion
    = (\sum_(i < T) (omega i * y i)) + \sum_(i < T) (omega i * (2 * weights i * c i + d i - y i))).
  { unfold value_distortion. rewrite <- sum_minus, <- sum_plus. apply sum_ext. intros i _.
    rewrite (sum_ext dv _ (fun c' => weights i ^ 2 * (vv i c' * norm2 D (W c')))) by (intros; ring).
    rewrite sum_scal. fold (omega i).
    rewrite (Ex_ext OmegaK EK _ (fun k => (weights i ^ 2 + 2 * weights i * change T s (alpha k) i) + change T s (alpha k) i ^ 2))
      by (intros; unfold change, weights', weights; ring).
    rewrite (proj1 linK (fun k => weights i ^ 2 + 2 * weights i * change T s (alpha k) i) (fun k => change T s (alpha k) i ^ 2)).
    rewrite (proj1 linK (fun _ => weights i ^ 2) (fun k => 2 * weights i * change T s (alpha k) i)), (Ex_const OmegaK EK HK).
    rewrite (Ex_scal OmegaK EK linK (2 * weights i) (fun k => change T s (alpha k) i)). fold (c i) (d i). ring. }
  rewrite E. pose proof (omega_between 0%nat HT) as O.
  pose proof (second_order T weights e X sk Hp token_variance_between token_variances omega (W2 * sigmaV2) omega_between) as S.
  pose proof beyond_second as B. change (\sum_(i < T) Rabs (2 * weights i * c i + d i - y i) <= 5 / 6 * A0 ^ 3) in B.
  assert (R : Rabs (\sum_(i < T) (omega i * (2 * weights i * c i + d i - y i))) <= W2 * sigmaV2 * (5 / 6 * A0 ^ 3)).
  { eapply Rle_trans; [apply sum_abs|].
    apply Rle_trans with (\sum_(i < T) (W2 * sigmaV2 * Rabs (2 * weights i * c i + d i - y i))).
    - apply sum_le. intros i Hi. pose proof (omega_between i Hi). rewrite Rabs_mult, (Rabs_right (omega i)) by lra.
      apply Rmult_le_compat_r; [apply Rabs_pos|lra].
    - rewrite sum_scal. apply Rmult_le_compat_l; [lra|exact B]. }
  eapply Rle_trans; [apply Rabs_triang|]. eapply Rle_trans; [apply Rplus_le_compat; [exact S|exact R]|]. right. ring.
Qed.

(** A0 = kappa |q|_1 sigma_K for b = kappa sigma_K; the squared length of W_O; U^2 = D_o. *)
Theorem remainder :
  Rabs (distortion - key_distortion - value_distortion)
  <= (27 / 100 * (norm2 dk q * sigmaK2) + 5 / 6 * A0 ^ 3) * ((\sum_(c < dv) norm2 D (W c)) * sigmaV2) + 11 / 12 * U ^ 2 * A0 ^ 4.
Proof.
  rewrite decomposition. pose proof key_part as K. pose proof value_part as V. fold sk W2.
  apply Rabs_le_between in K. apply Rabs_le_between in V. apply Rabs_le. lra.
Qed.

(** The constants of the printed steps. *)
Theorem remainder_printed :
  Rabs (distortion - key_distortion - value_distortion)
  <= (4 * (norm2 dk q * sigmaK2) + 156 * A0 ^ 3) * ((\sum_(c < dv) norm2 D (W c)) * sigmaV2) + 95 * U ^ 2 * A0 ^ 4.
Proof.
  pose proof remainder as R. fold sk W2 in R |- *. pose proof A0_cubed as A3.
  assert (S0 : 0 <= sk) by (pose proof (token_variance_between 0%nat HT); lra).
  pose proof (omega_between 0%nat HT) as O.
  assert ((27 / 100 * sk + 5 / 6 * A0 ^ 3) * (W2 * sigmaV2) <= (4 * sk + 156 * A0 ^ 3) * (W2 * sigmaV2))
    by (apply Rmult_le_compat_r; lra).
  assert (0 <= U ^ 2 * A0 ^ 4) by (replace (U ^ 2 * A0 ^ 4) with ((U * A0 ^ 2) ^ 2) by ring; apply pow2_ge_0). lra.
Qed.
End Theorem1.
