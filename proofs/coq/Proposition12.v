(** ReadKV, Proposition 12: the certificate of one query head.

    readkv.prop12.gram          ||z - z^||^2 <= kappa_K A_K and ||E_V' alpha^||^2 <= kappa_V A_V.
    readkv.prop12.certificate   ||o - o^||^2 <= 1/2 ||V - 1c'||^2 kappa_K gamma_K S_K + 2 kappa_V gamma_V S_V.

    The logits' change is the key residuals' combination with the query, and the value error their combination with the
    attention. Written by columns scaled to unit length, either square is a quadratic form in a normalised Gram matrix.
    With A = gamma S the bound is Lemma 11's. G_V is T x T here (columns are tokens), as in the statement. *)
From Coq Require Import Reals Lra Lia.
From KVProof Require Import FiniteSums Softmax GramMatrix Lemma11.
Open Scope R_scope.

Section Head.
Variables T dh : nat.                    (* tokens, head dimension *)
Variables (q : nat -> R).                (* transformed query *)
Variables K K' V V' : nat -> nat -> R.   (* true and reconstructed keys and values: token, coordinate *)
Hypothesis tokens : (0 < T)%nat.
Hypothesis dimension : (0 < dh)%nat.

Definition logits (A : nat -> nat -> R) j := (\sum_(c < dh) (q c * A j c)) / sqrt (INR dh).
Definition e_K j c := K j c - K' j c.
Definition e_V j c := V j c - V' j c.
Definition alpha' := softmax T (logits K').
Definition A_K := / INR dh * \sum_(j < T) \sum_(c < dh) ((q c * e_K j c) * (q c * e_K j c)).
Definition A_V := \sum_(j < T) (alpha' j * alpha' j * norm2 dh (e_V j)).
(** C_K is dh x dh, C_V is T x T. *)
Definition C_K := normalised T e_K.
Definition C_V := normalised dh (fun c j => e_V j c).

Lemma gram_keys kappa_K : eigenvalues_at_most dh C_K kappa_K ->
  norm2 T (fun j => logits K j - logits K' j) <= kappa_K * A_K.
Proof.
  intros H. assert (P : 0 < INR dh) by (apply lt_0_INR; auto).
  assert (Root : sqrt (INR dh) <> 0) by (apply Rgt_not_eq, sqrt_lt_R0; auto).
  assert (Change : norm2 T (fun j => logits K j - logits K' j) = / INR dh *
     \sum_(j < T) ((\sum_(c < dh) (q c * e_K j c)) * (\sum_(c < dh) (q c * e_K j c)))).
  { unfold norm2. rewrite <- sum_scal. apply sum_ext. intros j _.
    replace (logits K j - logits K' j) with ((\sum_(c < dh) (q c * e_K j c)) / sqrt (INR dh)).
    - rewrite <- (sqrt_sqrt (INR dh)) at 3 by lra. field. auto.
    - unfold logits, e_K, Rdiv. rewrite <- Rmult_minus_distr_r, <- sum_minus. f_equal. apply sum_ext; intros; ring. }
  assert (Energy : A_K = / INR dh * \sum_(c < dh) (q c * q c * gram T e_K c c)).
  { unfold A_K, gram. f_equal. rewrite sum_swap. apply sum_ext; intros. rewrite <- sum_scal. apply sum_ext; intros; ring. }
  rewrite Change, Energy. pose proof (combination_at_most T dh e_K q kappa_K H) as B.
  apply Rmult_le_compat_l with (r := / INR dh) in B; [lra|]. left. apply Rinv_0_lt_compat; auto.
Qed.

Lemma gram_values kappa_V : eigenvalues_at_most T C_V kappa_V ->
  norm2 dh (value_error T V V' (logits K')) <= kappa_V * A_V.
Proof.
  intros H. exact (combination_at_most dh T (fun c j => e_V j c) alpha' kappa_V H).
Qed.

Theorem gram kappa_K kappa_V : eigenvalues_at_most dh C_K kappa_K -> eigenvalues_at_most T C_V kappa_V ->
  norm2 T (fun j => logits K j - logits K' j) <= kappa_K * A_K /\
  norm2 dh (value_error T V V' (logits K')) <= kappa_V * A_V.
Proof. intros HK HV. split; [apply gram_keys|apply gram_values]; auto. Qed.

Theorem proposition12 c K2 kappa_K kappa_V gamma_K gamma_V S_K S_V :
  0 <= K2 -> norm_at_most T dh V c K2 ->
  0 <= kappa_K -> eigenvalues_at_most dh C_K kappa_K ->
  0 <= kappa_V -> eigenvalues_at_most T C_V kappa_V ->
  A_K <= gamma_K * S_K -> A_V <= gamma_V * S_V ->
  norm2 dh (fun k => output T V (logits K) k - output T V' (logits K') k)
  <= / 2 * K2 * kappa_K * gamma_K * S_K + 2 * kappa_V * gamma_V * S_V.
Proof.
  intros K0 HK kK0 HkK kV0 HkV GK GV.
  eapply Rle_trans; [apply (lemma11 T dh V V' _ _ c K2); auto|].
  assert (A : norm2 T (fun j => logits K j - logits K' j) <= kappa_K * (gamma_K * S_K)).
  { eapply Rle_trans; [apply gram_keys, HkK|]. apply Rmult_le_compat_l; auto. }
  assert (B : norm2 dh (value_error T V V' (logits K')) <= kappa_V * (gamma_V * S_V)).
  { eapply Rle_trans; [apply gram_values, HkV|]. apply Rmult_le_compat_l; auto. }
  apply Rmult_le_compat_l with (r := / 2 * K2) in A; lra.
Qed.
End Head.
