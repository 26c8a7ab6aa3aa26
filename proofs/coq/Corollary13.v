(** ReadKV, Corollary 13.

    readkv.cor13.coherence   kappa <= 1 + (m-1) mu, where mu bounds the coherence |C_ab|, a <> b, of m residuals;
                             for m = 0 there is nothing (kappa = 0). Residual envelopes give gamma <= 1.

    Gershgorin: u_a C_ab u_b <= mu (u_a^2 + u_b^2)/2 off the diagonal, and C_aa <= 1. For the envelope: where no residual
    exceeds sigma^2 D(t), A is at most S, term by term. *)
From Coq Require Import Reals Lra Lia.
From KVProof Require Import FiniteSums GramMatrix.
Open Scope R_scope.

Theorem coherence n m X mu : 0 <= mu ->
  (forall a b, (a < m)%nat -> (b < m)%nat -> a <> b -> Rabs (normalised n X a b) <= mu) ->
  eigenvalues_at_most m (normalised n X) (1 + (INR m - 1) * mu).
Proof.
  intros M0 H u. set (C := normalised n X) in *.
  assert (Entry : forall a b, (a < m)%nat -> (b < m)%nat ->
    u a * C a b * u b <= delta a b * ((1 - mu) * (u b * u b)) + mu / 2 * (u a * u a + u b * u b)).
  { intros a b Ha Hb. unfold delta. destruct (Nat.eq_dec a b) as [<-|N].
    - pose proof (normalised_diagonal n X a) as D. fold C in D. pose proof (square_nonneg (u a)).
      assert (C a a * (u a * u a) <= 1 * (u a * u a)) by (apply Rmult_le_compat_r; lra). lra.
    - specialize (H a b Ha Hb N). pose proof (Rle_abs (C a b * (u a * u b))) as A. rewrite Rabs_mult in A.
      assert (B : Rabs (u a * u b) <= (u a * u a + u b * u b) / 2).
      { pose proof (square_nonneg (u a - u b)). pose proof (square_nonneg (u a + u b)). apply Rabs_le. lra. }
      assert (Rabs (C a b) * Rabs (u a * u b) <= mu * ((u a * u a + u b * u b) / 2))
        by (apply Rmult_le_compat; auto using Rabs_pos). lra. }
  apply Rle_trans with (\sum_(a < m) ((1 - mu) * (u a * u a) + mu / 2 * (INR m * (u a * u a) + norm2 m u))).
  - apply sum_le. intros a Ha. eapply Rle_trans; [apply sum_le; intros b Hb; apply Entry; auto|].
    rewrite sum_plus, (sum_delta m a (fun b => (1 - mu) * (u b * u b))), sum_scal, sum_plus, sum_const by auto.
    unfold norm2. lra.
  - rewrite sum_plus, !sum_scal, sum_plus, sum_scal, sum_const. fold (norm2 m u). lra.
Qed.

(** No residual: every form is 0. *)
Theorem no_residual n X : eigenvalues_at_most 0 (normalised n X) 0.
Proof. intros u. unfold quadratic, norm2. simpl. lra. Qed.

(** A = sum_a w_a e_a with residual energies e_a and weights w_a >= 0; S the same sum of the predicted energies. *)
Theorem envelope n (w e s : nat -> R) : (each a < n, 0 <= w a) -> (each a < n, e a <= s a) ->
  \sum_(a < n) (w a * e a) <= 1 * \sum_(a < n) (w a * s a).
Proof. intros W H. rewrite Rmult_1_l. apply sum_le; intros. apply Rmult_le_compat_l; auto. Qed.
