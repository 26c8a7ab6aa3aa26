(** What softmax weights p do when logits s move by a, |a_i| <= A: delta p_i = p_i x_i + rho_i, x the centred a.

    By Taylor's theorem sum |delta p_i| <= A, sum |rho_i| <= A^2/2 and each |rho_i| <= A^2/4, so
    sum |delta p_i^2 - (p_i x_i)^2| <= A^3/2; and for outputs u_i about their mean, none longer than U,
    |sum delta p_i u_i|^2 - |sum p_i x_i u_i|^2 is twice a product with the second-order term, and at most 11/12 U^2 A^4. *)
From Coq Require Import Reals Lra Lia Psatz.
From Coquelicot Require Import Coquelicot.
From KVProof Require Import FiniteSums Probability Euclid Softmax CentralMoments SoftmaxTaylor AATCLemma1 WeightSpread.
Open Scope R_scope.

Section Path.
Variables (n : nat) (s a : nat -> R) (A : R).
Hypothesis Hn : (0 < n)%nat.
Hypothesis Ha : each i < n, Rabs (a i) <= A.
Let p := softmax n s.
Let x := centred n p a.
Let m2 := moment n p a 2.
Definition change i := softmax n (fun j => s j + a j) i - softmax n s i.
Definition first i := softmax n s i * centred n (softmax n s) a i.
Definition second i := softmax n s i / 2 * (centred n (softmax n s) a i ^ 2 - moment n (softmax n s) a 2).
Definition beyond_first i := change i - first i.

Let HA : 0 <= A. Proof. exact (A_nonneg n a A Hn Ha). Qed.
Let Hp : probability n p. Proof. exact (softmax_probability n s Hn). Qed.

Lemma beyond_first_parts i : beyond_first i = second i + tail n s a i.
Proof. unfold beyond_first, change, first, second, tail. ring. Qed.

Lemma at_0 f : mean n (p_at n s a 0) f = mean n p f.
Proof. apply sum_ext. intros i Hi. f_equal. apply softmax_ext; auto. intros; unfold line; ring. Qed.
Lemma at_1 f : mean n (p_at n s a 1) f = mean n (softmax n (fun j => s j + a j)) f.
Proof. apply sum_ext. intros i Hi. f_equal. apply softmax_ext; auto. intros; unfold line; ring. Qed.
Lemma change_mean f : \sum_(i < n) (f i * change i) = mean n (p_at n s a 1) f - mean n (p_at n s a 0) f.
Proof.
  rewrite at_0, at_1. unfold mean. rewrite <- sum_minus. apply sum_ext. intros. unfold change, p. ring.
Qed.

Lemma change_taylor f : exists c, \sum_(i < n) (f i * change i)
  = mean n (p_at n s a c) (fun i => f i * centred n (p_at n s a c) a i).
Proof.
  destruct (MVT_cor2 (fun t => mean n (p_at n s a t) f)
    (fun t => mean n (p_at n s a t) (fun i => f i * centred n (p_at n s a t) a i)) 0 1) as [c [E _]]; [lra| |].
  - intros t _. apply is_derive_Reals. exact (proj1 (derivatives n s a f Hn t)).
  - exists c. rewrite change_mean. lra.
Qed.
Lemma beyond_first_taylor f : exists c, \sum_(i < n) (f i * beyond_first i)
  = mean n (p_at n s a c) (fun i => f i * (centred n (p_at n s a c) a i ^ 2 - moment n (p_at n s a c) a 2)) / 2.
Proof.
  set (F1 := fun t => mean n (p_at n s a t) (fun i => f i * centred n (p_at n s a t) a i)).
  set (F2 := fun t => mean n (p_at n s a t) (fun i => f i * (centred n (p_at n s a t) a i ^ 2 - moment n (p_at n s a t) a 2))).
  set (F := fun t => mean n (p_at n s a t) f).
  set (K := F 1 - F 0 - F1 0).
  destruct (MVT_cor2 (fun t => F t + F1 t * (1 - t) + K * (1 - t) ^ 2) (fun t => F2 t * (1 - t) - 2 * K * (1 - t)) 0 1)
    as [c [E Rc]]; [lra| |].
  - intros t _. apply is_derive_Reals.
    pose proof (proj1 (derivatives n s a f Hn t)) as D0. pose proof (proj1 (proj2 (derivatives n s a f Hn t))) as D1.
    fold (F1 t) in D0. fold (F2 t) in D1. change (is_derive F t (F1 t)) in D0. change (is_derive F1 t (F2 t)) in D1.
    assert (ex_derive F t) by (eexists; apply D0). assert (ex_derive F1 t) by (eexists; apply D1).
    auto_derive; [repeat split; auto|].
    repeat match goal with |- context [Derive (fun x : R => ?h x) t] =>
      change (Derive (fun x : R => h x) t) with (Derive h t) end.
    rewrite (is_derive_unique _ _ _ D0), (is_derive_unique _ _ _ D1). ring.
  - exists c. assert (Z : (F2 c / 2 - K) * (1 - c) = 0) by (unfold K in *; lra).
    apply Rmult_integral in Z. destruct Z as [Z|Z]; [|lra]. change (mean n (p_at n s a c) _) with (F2 c).
    replace (F2 c / 2) with K by lra. unfold K, F, F1. rewrite <- change_mean, at_0.
    assert (C0 : forall i, centred n (p_at n s a 0) a i = centred n p a i) by (intros; unfold centred; rewrite at_0; auto).
    unfold mean. rewrite <- sum_minus. apply sum_ext. intros i Hi. rewrite C0. unfold beyond_first, first. fold p.
    generalize (change i) (p i) (centred n p a i) (f i). intros; ring.
Qed.

Lemma change_sum f B : 0 <= B -> (each i < n, Rabs (f i) <= B) -> Rabs (\sum_(i < n) (f i * change i)) <= B * A.
Proof.
  intros HB Hf. destruct (change_taylor f) as [c ->]. assert (Hc := p_at_probability n s a Hn c).
  eapply Rle_trans; [apply bounded_mean; eauto|]. apply Rmult_le_compat_l; auto. apply mean_deviation; auto.
Qed.
Lemma first_sum f B : 0 <= B -> (each i < n, Rabs (f i) <= B) -> Rabs (\sum_(i < n) (f i * first i)) <= B * A.
Proof.
  intros HB Hf. rewrite (sum_ext n _ (fun i => p i * (f i * x i))) by (intros; unfold first, x, p; ring).
  eapply Rle_trans; [apply (bounded_mean n p Hp f x B Hf)|]. apply Rmult_le_compat_l; auto. apply mean_deviation; auto.
Qed.
Lemma beyond_first_sum f B : 0 <= B -> (each i < n, Rabs (f i) <= B) ->
  Rabs (\sum_(i < n) (f i * beyond_first i)) <= B * (A ^ 2 / 2).
Proof.
  intros HB Hf. destruct (beyond_first_taylor f) as [c ->]. assert (Hc := p_at_probability n s a Hn c).
  unfold Rdiv. rewrite Rabs_mult, (Rabs_right (/ 2)) by lra. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra|].
  eapply Rle_trans; [apply bounded_mean; eauto|]. apply Rmult_le_compat_l; auto. apply mean_square_deviation; auto.
Qed.
Lemma from_signs (r : nat -> R) b : (forall f, (each i < n, Rabs (f i) <= 1) -> Rabs (\sum_(i < n) (f i * r i)) <= 1 * b) ->
  \sum_(i < n) Rabs (r i) <= b.
Proof.
  intros H. rewrite (sum_ext n _ (fun i => sign (r i) * r i)) by (intros; symmetry; apply sign_times).
  eapply Rle_trans; [apply Rle_abs|]. rewrite <- (Rmult_1_l b). apply H. intros. rewrite sign_abs. lra.
Qed.
Theorem change_abs : \sum_(i < n) Rabs (change i) <= A.
Proof. apply from_signs. intros. apply change_sum; auto; lra. Qed.
Lemma first_abs : \sum_(i < n) Rabs (first i) <= A.
Proof. apply from_signs. intros. apply first_sum; auto; lra. Qed.
Theorem beyond_first_abs : \sum_(i < n) Rabs (beyond_first i) <= A ^ 2 / 2.
Proof. apply from_signs. intros. apply beyond_first_sum; auto; lra. Qed.

Lemma change_total : sum n change = 0.
Proof.
  unfold change. rewrite sum_minus. pose proof (proj2 (softmax_probability n s Hn)) as E0.
  pose proof (proj2 (softmax_probability n (fun j => s j + a j) Hn)) as E1.
  change (sum n (softmax n (fun j => s j + a j)) - sum n (softmax n s) = 0). rewrite E0, E1. ring.
Qed.
Lemma first_total : sum n first = 0.
Proof. exact (centred_mean n p a Hp). Qed.
Lemma second_total : sum n second = 0.
Proof. exact (proj2 (terms_sum_to_zero n p a Hp)). Qed.
Lemma beyond_first_total : sum n beyond_first = 0.
Proof.
  unfold beyond_first. rewrite sum_minus. change (sum n change - sum n first = 0). rewrite change_total, first_total. ring.
Qed.

Theorem beyond_first_each i : (i < n)%nat -> Rabs (beyond_first i) <= A ^ 2 / 4.
Proof.
  intros Hi. replace (beyond_first i) with (\sum_(j < n) ((delta i j - / 2) * beyond_first j)).
  - replace (A ^ 2 / 4) with (/ 2 * (A ^ 2 / 2)) by field. apply beyond_first_sum; [lra|]. intros j _. apply Rabs_le.
    unfold delta. destruct (Nat.eq_dec i j); lra.
  - rewrite (sum_ext n _ (fun j => delta i j * beyond_first j - / 2 * beyond_first j)) by (intros; ring).
    rewrite sum_minus, sum_scal, sum_delta by auto. change (beyond_first i - / 2 * sum n beyond_first = beyond_first i).
    rewrite beyond_first_total. ring.
Qed.

(** What the change of the weights has beyond its first order, in squares. *)
Theorem squares : \sum_(i < n) Rabs (change i ^ 2 - first i ^ 2) <= A ^ 3 / 2.
Proof.
  apply Rle_trans with (\sum_(i < n) (A ^ 2 / 4 * (Rabs (change i) + Rabs (first i)))).
  - apply sum_le. intros i Hi. pose proof (beyond_first_each i Hi) as B.
    replace (change i ^ 2 - first i ^ 2) with (beyond_first i * (change i + first i)) by (unfold beyond_first; ring).
    rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos, Rabs_triang.
  - rewrite sum_scal, sum_plus. pose proof change_abs. pose proof first_abs.
    assert (0 <= A ^ 2 / 4) by (pose proof (pow2_ge_0 A); lra).
    assert (A ^ 2 / 4 * ((\sum_(i < n) Rabs (change i)) + \sum_(i < n) Rabs (first i)) <= A ^ 2 / 4 * (A + A))
      by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** The outputs: u_i is v_i W_O less the mean of all, none longer than U. *)
Variables (D : nat) (vW : nat -> nat -> R) (U : R).
Let o k := \sum_(i < n) (p i * vW i k).
Let u i k := vW i k - o k.
Hypothesis Hu : each i < n, norm D (u i) <= U.
Definition moved (r : nat -> R) k := \sum_(i < n) (r i * vW i k).

Lemma moved_centred r k : sum n r = 0 -> moved r k = \sum_(i < n) (r i * u i k).
Proof.
  intros Z. unfold u. rewrite (sum_ext n (fun i => r i * (vW i k - o k)) (fun i => r i * vW i k - r i * o k)) by (intros; ring).
  rewrite sum_minus, sum_scal_r. change (\sum_(i < n) r i) with (sum n r). rewrite Z. unfold moved. ring.
Qed.
Lemma U_nonneg : 0 <= U.
Proof. eapply Rle_trans; [apply norm_nonneg|apply (Hu 0%nat Hn)]. Qed.
Lemma moved_norm r b : sum n r = 0 -> \sum_(i < n) Rabs (r i) <= b -> norm D (moved r) <= U * b.
Proof.
  intros Z B. rewrite (norm_ext D _ (fun k => \sum_(i < n) (r i * u i k))) by (intros; apply moved_centred; auto).
  eapply Rle_trans; [apply norm_sum|]. apply Rle_trans with (\sum_(i < n) (U * Rabs (r i))).
  - apply sum_le. intros i Hi. rewrite norm_scal, Rmult_comm. apply Rmult_le_compat_r; [apply Rabs_pos|auto].
  - rewrite sum_scal. apply Rmult_le_compat_l; auto using U_nonneg.
Qed.

(** |E_K|^2 less |E_K^(1)|^2 and twice the product of E_K^(1) and E_K^(2). *)
Theorem key_remainder :
  Rabs (norm2 D (moved change) - norm2 D (moved first) - 2 * (\sum_(k < D) (moved first k * moved second k)))
  <= 11 / 12 * U ^ 2 * A ^ 4.
Proof.
  set (P := moved beyond_first). set (Q := moved (tail n s a)). set (E1 := moved first).
  assert (S : forall k, moved change k = E1 k + P k).
  { intros k. unfold P, E1, moved. rewrite <- sum_plus. apply sum_ext. intros. unfold beyond_first. ring. }
  assert (S2 : forall k, P k = moved second k + Q k).
  { intros k. unfold P, Q, moved. rewrite <- sum_plus. apply sum_ext. intros. rewrite beyond_first_parts. ring. }
  assert (Tz : sum n (tail n s a) = 0).
  { pose proof beyond_first_total as B. rewrite (sum_ext n _ (fun i => second i + tail n s a i)) in B
      by (intros; apply beyond_first_parts). rewrite sum_plus in B. change (sum n second + sum n (tail n s a) = 0) in B.
    rewrite second_total in B. lra. }
  assert (NE := moved_norm first A first_total first_abs).
  assert (NP := moved_norm beyond_first _ beyond_first_total beyond_first_abs).
  assert (NQ := moved_norm (tail n s a) _ Tz (tail_sum n s a A Hn Ha)). fold E1 in NE. fold P in NP. fold Q in NQ.
  assert (I : \sum_(k < D) (E1 k * Q k) <= norm D E1 * norm D Q) by apply inner_at_most.
  assert (I' : - (\sum_(k < D) (E1 k * Q k)) <= norm D E1 * norm D Q).
  { pose proof (inner_at_most D E1 (fun k => -1 * Q k)) as J. rewrite norm_scal in J.
    rewrite (sum_ext D _ (fun k => -1 * (E1 k * Q k))) in J by (intros; ring). rewrite sum_scal in J.
    rewrite Rabs_left in J by lra. lra. }
  assert (E : norm2 D (moved change) - norm2 D E1 - 2 * (\sum_(k < D) (E1 k * moved second k))
    = 2 * (\sum_(k < D) (E1 k * Q k)) + norm D P * norm D P).
  { rewrite norm_square. unfold norm2. rewrite <- !sum_scal, <- !sum_minus, <- sum_plus. apply sum_ext. intros k _.
    rewrite S, S2. ring. }
  rewrite E. pose proof (norm_nonneg D E1). pose proof (norm_nonneg D P). pose proof (norm_nonneg D Q).
  assert (norm D E1 * norm D Q <= (U * A) * (U * (A ^ 3 / 3))) by (apply Rmult_le_compat; auto).
  assert (norm D P * norm D P <= (U * (A ^ 2 / 2)) * (U * (A ^ 2 / 2))) by (apply Rmult_le_compat; auto).
  assert (0 <= norm D P * norm D P) by (apply Rmult_le_pos; auto).
  apply Rabs_le. split; nra.
Qed.
End Path.

