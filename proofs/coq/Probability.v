(** Finite probability vectors p_0, ..., p_{n-1}: mean, covariance, variance and their inequalities. *)
From Coq Require Import Reals Lra Lia.
From KVProof Require Import FiniteSums.
Open Scope R_scope.

Definition probability n (p : nat -> R) := (each i < n, 0 <= p i) /\ sum n p = 1.
Definition mean n (p f : nat -> R) := \sum_(i < n) (p i * f i).
Definition cov n p x y := mean n p (fun i => x i * y i) - mean n p x * mean n p y.
Definition var n p x := cov n p x x.

Lemma mean_ext n p f g : (each i < n, f i = g i) -> mean n p f = mean n p g.
Proof. intros H. apply sum_ext; intros; rewrite H; auto. Qed.
Lemma mean_plus n p f g : mean n p (fun i => f i + g i) = mean n p f + mean n p g.
Proof. unfold mean. rewrite <- sum_plus. apply sum_ext; intros; ring. Qed.
Lemma mean_minus n p f g : mean n p (fun i => f i - g i) = mean n p f - mean n p g.
Proof. unfold mean. rewrite <- sum_minus. apply sum_ext; intros; ring. Qed.
Lemma mean_scal n p c f : mean n p (fun i => c * f i) = c * mean n p f.
Proof. unfold mean. rewrite <- sum_scal. apply sum_ext; intros; ring. Qed.
Lemma mean_const n p c : probability n p -> mean n p (fun _ => c) = c.
Proof. intros [_ H]. unfold mean. rewrite sum_scal_r, H. ring. Qed.
Lemma mean_le n p f g : probability n p -> (each i < n, f i <= g i) -> mean n p f <= mean n p g.
Proof. intros [H _] L. apply sum_le; intros. apply Rmult_le_compat_l; auto. Qed.
Lemma mean_nonneg n p f : probability n p -> (each i < n, 0 <= f i) -> 0 <= mean n p f.
Proof. intros [H _] L. apply sum_nonneg; intros. apply Rmult_le_pos; auto. Qed.
Lemma mean_abs n p f : probability n p -> Rabs (mean n p f) <= mean n p (fun i => Rabs (f i)).
Proof.
  intros [H _]. eapply Rle_trans; [apply sum_abs|]. apply sum_le; intros.
  rewrite Rabs_mult, (Rabs_right (p i)); [lra|]. apply Rle_ge; auto.
Qed.
Lemma mean_between n p f a b : probability n p -> (each i < n, a <= f i <= b) -> a <= mean n p f <= b.
Proof.
  intros Hp H. split; [rewrite <- (mean_const n p a Hp)|rewrite <- (mean_const n p b Hp)];
    apply mean_le; auto; intros i Hi; apply H; auto.
Qed.

(** Terms of a mean can be told apart only up to eta; this brings [mean n p (fun i => f i)] to [mean n p f]. *)
Ltac eta_mean := repeat match goal with
  | |- context [mean ?n ?p (fun i => ?f i)] => change (mean n p (fun i => f i)) with (mean n p f)
  | H : context [mean ?n ?p (fun i => ?f i)] |- _ => change (mean n p (fun i => f i)) with (mean n p f) in H
  end.

(** About any centre c the second moment is the variance plus (mean - c)^2. *)
Lemma second_moment n p x c : probability n p ->
  mean n p (fun i => (x i - c) * (x i - c)) = var n p x + (mean n p x - c) * (mean n p x - c).
Proof.
  intros Hp. unfold var, cov.
  rewrite (mean_ext n p _ (fun i => x i * x i + (- 2 * c * x i + c * c))) by (intros; ring).
  rewrite !mean_plus, mean_scal, mean_const by auto. eta_mean. ring.
Qed.
Lemma var_nonneg n p x : probability n p -> 0 <= var n p x.
Proof.
  intros Hp. pose proof (second_moment n p x (mean n p x) Hp) as E.
  assert (0 <= mean n p (fun i => (x i - mean n p x) * (x i - mean n p x)))
    by (apply mean_nonneg; auto; intros; apply square_nonneg). lra.
Qed.

Lemma var_combination n p x y t : var n p (fun i => t * x i - y i) = var n p x * t * t - 2 * cov n p x y * t + var n p y.
Proof.
  unfold var, cov.
  rewrite (mean_ext n p (fun i => (t * x i - y i) * (t * x i - y i))
    (fun i => t * t * (x i * x i) + (- 2 * t * (x i * y i) + 1 * (y i * y i)))) by (intros; ring).
  rewrite !mean_plus, !mean_scal, mean_minus, mean_scal. eta_mean. ring.
Qed.
Lemma cov_squared n p x y : probability n p -> cov n p x y * cov n p x y <= var n p x * var n p y.
Proof.
  intros Hp. apply discriminant; [apply var_nonneg; auto|]. intros t.
  rewrite <- var_combination. apply var_nonneg; auto.
Qed.
Lemma cov_sym n p x y : cov n p x y = cov n p y x.
Proof. unfold cov. rewrite (mean_ext n p (fun i => x i * y i) (fun i => y i * x i)) by (intros; ring). ring. Qed.

(** The variance as a sum over pairs. *)
Lemma var_pairs n p x : probability n p ->
  var n p x = / 2 * \sum_(i < n) \sum_(j < n) (p i * p j * ((x i - x j) * (x i - x j))).
Proof.
  intros [_ H1]. unfold var, cov. set (m := mean n p x). set (q := mean n p (fun i => x i * x i)).
  rewrite (sum_ext n _ (fun i => p i * (x i * x i) - 2 * m * (p i * x i) + q * p i)).
  - rewrite sum_plus, sum_minus, !sum_scal, H1. fold (mean n p x) (mean n p (fun i => x i * x i)).
    fold m q. field.
  - intros i _.
    rewrite (sum_ext n _ (fun j => p i * (x i * x i) * p j + (- 2 * (p i * x i) * (p j * x j) + p i * (p j * (x j * x j)))))
      by (intros; ring).
    rewrite !sum_plus, !sum_scal, H1. fold (mean n p x) (mean n p (fun i => x i * x i)). fold m q. ring.
Qed.
