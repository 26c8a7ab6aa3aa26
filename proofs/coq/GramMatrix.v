(** Gram matrices of residuals, their normalisation to unit diagonal, and bounds on its largest eigenvalue. *)
From Coq Require Import Reals Lra Lia.
From KVProof Require Import FiniteSums.
Open Scope R_scope.

(** X has n rows and m columns; its Gram matrix is X'X. *)
Definition gram n (X : nat -> nat -> R) a b := \sum_(j < n) (X j a * X j b).
(** Unit diagonal over the columns that are not 0; the others have no entries. *)
Definition normalised n X a b :=
  if Req_EM_T (gram n X a a) 0 then 0 else if Req_EM_T (gram n X b b) 0 then 0
  else gram n X a b / (sqrt (gram n X a a) * sqrt (gram n X b b)).

Definition quadratic m (C : nat -> nat -> R) u := \sum_(a < m) \sum_(b < m) (u a * C a b * u b).
(** kappa is at least the largest eigenvalue of C (C symmetric, m x m). *)
Definition eigenvalues_at_most m C kappa := forall u, quadratic m C u <= kappa * norm2 m u.

Lemma gram_nonneg n X a : 0 <= gram n X a a.
Proof. apply sum_nonneg; intros; apply square_nonneg. Qed.

Lemma zero_column n X a b : gram n X a a = 0 -> gram n X a b = 0 /\ gram n X b a = 0.
Proof.
  intros Z. assert (X0 : each j < n, X j a = 0).
  { intros j Hj. pose proof (sum_term n (fun j => X j a * X j a) j (fun _ _ => square_nonneg _) Hj) as H.
    fold (gram n X a a) in H. rewrite Z in H. apply Rsqr_0_uniq. pose proof (square_nonneg (X j a)). unfold Rsqr. lra. }
  split; unfold gram; rewrite <- (sum_zero n); apply sum_ext; intros j Hj; rewrite X0; auto; ring.
Qed.

Lemma rescaled n X q a b : q a * gram n X a b * q b
  = (q a * sqrt (gram n X a a)) * normalised n X a b * (q b * sqrt (gram n X b b)).
Proof.
  unfold normalised. destruct (Req_EM_T (gram n X a a) 0) as [A|A].
  { destruct (zero_column n X a b A) as [-> _]. ring. }
  destruct (Req_EM_T (gram n X b b) 0) as [B|B].
  { destruct (zero_column n X b a B) as [_ ->]. ring. }
  field. split; intros Z; apply sqrt_eq_0 in Z; auto; apply gram_nonneg.
Qed.

Lemma norm_of_combination n m X q :
  \sum_(j < n) ((\sum_(a < m) (q a * X j a)) * (\sum_(a < m) (q a * X j a))) = quadratic m (gram n X) q.
Proof.
  unfold quadratic, gram.
  rewrite (sum_ext n _ (fun j => \sum_(a < m) \sum_(b < m) (q a * X j a * (q b * X j b))))
    by (intros; apply sum_product).
  rewrite sum_swap. apply sum_ext; intros. rewrite sum_swap. apply sum_ext; intros.
  rewrite <- sum_scal, <- sum_scal_r. apply sum_ext; intros; ring.
Qed.

(** |Xq|^2 <= kappa sum_a q_a^2 |X_a|^2. *)
Lemma combination_at_most n m X q kappa : eigenvalues_at_most m (normalised n X) kappa ->
  \sum_(j < n) ((\sum_(a < m) (q a * X j a)) * (\sum_(a < m) (q a * X j a)))
  <= kappa * \sum_(a < m) (q a * q a * gram n X a a).
Proof.
  intros H. rewrite norm_of_combination.
  replace (quadratic m (gram n X) q) with (quadratic m (normalised n X) (fun a => q a * sqrt (gram n X a a))).
  - eapply Rle_trans; [apply H|]. right. f_equal. apply sum_ext; intros a _.
    rewrite <- (sqrt_sqrt (gram n X a a)) at 3 by apply gram_nonneg. ring.
  - apply sum_ext; intros a _. apply sum_ext; intros b _. symmetry. apply rescaled.
Qed.

Lemma normalised_diagonal n X a : 0 <= normalised n X a a <= 1.
Proof.
  unfold normalised. destruct (Req_EM_T (gram n X a a) 0); [lra|].
  rewrite sqrt_sqrt by apply gram_nonneg. unfold Rdiv. rewrite Rinv_r by auto. lra.
Qed.
