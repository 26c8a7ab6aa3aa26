(** The Euclidean norm of real vectors of length n. *)
From Coq Require Import Reals Lra Lia.
From KVProof Require Import FiniteSums.
Open Scope R_scope.

Definition norm n x := sqrt (norm2 n x).

Lemma norm_nonneg n x : 0 <= norm n x.
Proof. apply sqrt_pos. Qed.
Lemma norm_square n x : norm n x * norm n x = norm2 n x.
Proof. apply sqrt_sqrt, norm2_nonneg. Qed.
Lemma norm_ext n x y : (each i < n, x i = y i) -> norm n x = norm n y.
Proof. intros H. unfold norm. f_equal. apply norm2_ext; auto. Qed.
Lemma norm_at_most n x b : 0 <= b -> norm2 n x <= b * b -> norm n x <= b.
Proof. intros Hb H. unfold norm. rewrite <- (sqrt_square b) by auto. apply sqrt_le_1_alt; auto. Qed.

Lemma inner_at_most n x y : \sum_(i < n) (x i * y i) <= norm n x * norm n y.
Proof.
  pose proof (cauchy_schwarz n x y) as C. fold (norm2 n x) (norm2 n y) in C. rewrite <- !norm_square in C.
  pose proof (norm_nonneg n x). pose proof (norm_nonneg n y). set (s := \sum_(i < n) (x i * y i)) in *.
  destruct (Rle_dec s (norm n x * norm n y)); auto.
  assert (P : 0 <= norm n x * norm n y) by (apply Rmult_le_pos; auto). nra.
Qed.

Lemma norm_triangle n x y : norm n (fun i => x i + y i) <= norm n x + norm n y.
Proof.
  pose proof (norm_nonneg n x). pose proof (norm_nonneg n y). apply norm_at_most; [lra|].
  unfold norm2 at 1. rewrite (sum_ext n _ (fun i => x i * x i + (2 * (x i * y i) + y i * y i))) by (intros; ring).
  rewrite !sum_plus, sum_scal. fold (norm2 n x) (norm2 n y). rewrite <- !norm_square. pose proof (inner_at_most n x y). lra.
Qed.
Lemma norm_scal n c x : norm n (fun i => c * x i) = Rabs c * norm n x.
Proof.
  unfold norm, norm2. rewrite (sum_ext n _ (fun i => c * c * (x i * x i))) by (intros; ring).
  rewrite sum_scal, sqrt_mult_alt by apply square_nonneg. f_equal. apply sqrt_Rsqr_abs.
Qed.
Lemma norm_zero n : norm n (fun _ => 0) = 0.
Proof. unfold norm, norm2. rewrite sum_const. replace (INR n * (0 * 0)) with 0 by ring. apply sqrt_0. Qed.

Lemma norm_sum m n (x : nat -> nat -> R) : norm n (fun i => \sum_(j < m) x j i) <= \sum_(j < m) norm n (x j).
Proof.
  induction m; cbn [sum]; [rewrite norm_zero; lra|].
  pose proof (norm_triangle n (fun i => \sum_(j < m) x j i) (x m)). lra.
Qed.
