(** The softmax of n logits, and the derivative of its means along a straight line of logits:
    d/dt E_t f = Cov_t(f, a) for p_t = softmax(s + t a). *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From KVProof Require Import FiniteSums Probability.
Open Scope R_scope.

Definition partition n (z : nat -> R) := \sum_(j < n) exp (z j).
Definition softmax n (z : nat -> R) (i : nat) := exp (z i) / partition n z.

Lemma partition_pos n z : (0 < n)%nat -> 0 < partition n z.
Proof.
  intros Hn. apply Rlt_le_trans with (exp (z 0%nat)); [apply exp_pos|].
  apply (sum_term n (fun j => exp (z j))); auto. intros; left; apply exp_pos.
Qed.
Lemma softmax_pos n z i : (0 < n)%nat -> 0 < softmax n z i.
Proof. intros. apply Rdiv_lt_0_compat; [apply exp_pos|apply partition_pos; auto]. Qed.
Lemma softmax_probability n z : (0 < n)%nat -> probability n (softmax n z).
Proof.
  intros Hn. split.
  - intros i _. left. apply softmax_pos; auto.
  - unfold softmax, Rdiv. rewrite sum_scal_r. apply Rinv_r. pose proof (partition_pos n z Hn).
    unfold partition in *. lra.
Qed.
Lemma softmax_ext n y z i : (each j < n, y j = z j) -> (i < n)%nat -> softmax n y i = softmax n z i.
Proof. intros H Hi. unfold softmax, partition. rewrite H by auto. f_equal. apply sum_ext; intros; rewrite H; auto. Qed.

(** The line of logits through s in the direction a. *)
Definition line (s a : nat -> R) (t : R) (i : nat) := s i + t * a i.
Definition mean_at n s a f t := mean n (softmax n (line s a t)) f.

Lemma sum_derive n (f f' : nat -> R -> R) t : (each i < n, is_derive (f i) t (f' i t)) ->
  is_derive (fun u => \sum_(i < n) f i u) t (\sum_(i < n) f' i t).
Proof.
  induction n; intros H; cbn [sum]; [exact (is_derive_const (V := R_NormedModule) 0 t)|].
  apply (is_derive_plus (V := R_NormedModule) (fun u => \sum_(i < n) f i u) (f n)); auto.
Qed.

(** The numerator of mean_at; with f = 1 the denominator. *)
Definition weight n s a f t := \sum_(i < n) (exp (line s a t i) * f i).

Lemma weight_derive n s a f t : is_derive (weight n s a f) t (weight n s a (fun i => a i * f i) t).
Proof.
  apply (sum_derive n (fun i u => exp (line s a u i) * f i) (fun i u => exp (line s a u i) * (a i * f i))).
  intros i _. unfold line. auto_derive; auto. ring.
Qed.
Lemma weight_one n s a t : weight n s a (fun _ => 1) t = partition n (line s a t).
Proof. apply sum_ext; intros; ring. Qed.
Lemma mean_at_quotient n s a f t : mean_at n s a f t = weight n s a f t / weight n s a (fun _ => 1) t.
Proof.
  rewrite weight_one. unfold mean_at, mean, softmax, weight, Rdiv. rewrite <- sum_scal_r. apply sum_ext; intros; ring.
Qed.

Lemma mean_at_derive n s a f t : (0 < n)%nat ->
  is_derive (mean_at n s a f) t (cov n (softmax n (line s a t)) a f).
Proof.
  intros Hn. assert (P : 0 < weight n s a (fun _ => 1) t) by (rewrite weight_one; apply partition_pos; auto).
  apply (is_derive_ext (fun u => weight n s a f u / weight n s a (fun _ => 1) u)).
  { intros u. symmetry. apply mean_at_quotient. }
  evar_last.
  - apply (is_derive_div (weight n s a f) (weight n s a (fun _ => 1)));
      [apply weight_derive|apply weight_derive|lra].
  - unfold cov. fold (mean_at n s a (fun i => a i * f i) t) (mean_at n s a a t) (mean_at n s a f t).
    rewrite !mean_at_quotient.
    replace (weight n s a (fun i => a i * 1) t) with (weight n s a a t) by (apply sum_ext; intros; ring).
    simpl. field. lra.
Qed.
