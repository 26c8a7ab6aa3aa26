(** Means over outcomes: what every probability law has, for proofs that integrate over one. *)
From Coq Require Import Reals Lra Lia FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From KVProof Require Import FiniteSums LinearExpectation.
Open Scope R_scope.

(** A mean over outcomes: linear, 1 for 1, and not negative for what is bounded and never negative. Every probability law has
    such a mean of all functions, which is the integral where there is one: from bounded measurable functions it extends to
    bounded ones with its sign (M. Riesz), from there on linearly. With its sign for all functions it would be of finitely
    many outcomes. *)
Definition bounded {Omega} (f : Omega -> R) := exists B, forall w, Rabs (f w) <= B.
Definition expectation Omega (Ex : (Omega -> R) -> R) :=
  linear Omega Ex /\ (forall f, bounded f -> (forall w, 0 <= f w) -> 0 <= Ex f) /\ Ex (fun _ => 1) = 1.

Lemma bounded_between X (f : X -> R) a b : (forall x, a <= f x <= b) -> bounded f.
Proof.
  intros H. exists (Rmax (Rabs a) (Rabs b)). intros x. destruct (H x) as [A B].
  pose proof (Rmax_l (Rabs a) (Rabs b)). pose proof (Rmax_r (Rabs a) (Rabs b)).
  pose proof (Rle_abs b). pose proof (Rle_abs (- a)) as N. rewrite Rabs_Ropp in N. apply Rabs_le. lra.
Qed.
Lemma bounded_const X c : bounded (fun _ : X => c).
Proof. apply (bounded_between X _ c c). intros; lra. Qed.
Lemma bounded_plus X (f g : X -> R) : bounded f -> bounded g -> bounded (fun x => f x + g x).
Proof.
  intros [B HB] [C HC]. exists (B + C). intros x. specialize (HB x). specialize (HC x). pose proof (Rabs_triang (f x) (g x)). lra.
Qed.
Lemma bounded_mult X (f g : X -> R) : bounded f -> bounded g -> bounded (fun x => f x * g x).
Proof.
  intros [B HB] [C HC]. exists (B * C). intros x. rewrite Rabs_mult.
  apply Rmult_le_compat; auto; apply Rabs_pos.
Qed.
Lemma bounded_minus X (f g : X -> R) : bounded f -> bounded g -> bounded (fun x => f x - g x).
Proof.
  intros [B HB] [C HC]. exists (B + C). intros x. specialize (HB x). specialize (HC x).
  pose proof (Rabs_triang (f x) (- g x)) as T. rewrite Rabs_Ropp in T. unfold Rminus. lra.
Qed.
Lemma bounded_scal X c (f : X -> R) : bounded f -> bounded (fun x => c * f x).
Proof. intros H. apply bounded_mult; auto. apply bounded_const. Qed.
Lemma bounded_sum X n (f : nat -> X -> R) : (each i < n, bounded (f i)) -> bounded (fun x => \sum_(i < n) f i x).
Proof.
  induction n; intros H; [apply (bounded_const X 0)|]. apply (bounded_plus X (fun x => \sum_(i < n) f i x) (f n)); auto.
Qed.

Section Expectation.
Variable Omega : Type.
Variable Ex : (Omega -> R) -> R.
Hypothesis HE : expectation Omega Ex.

Lemma Ex_minus f h : Ex (fun w => f w - h w) = Ex f - Ex h.
Proof.
  rewrite (Ex_ext Omega Ex _ (fun w => f w + -1 * h w)) by (intros; ring). destruct HE as [[P S] _].
  rewrite (P f (fun w => -1 * h w)), (S (-1) h). ring.
Qed.
Lemma Ex_le f h : bounded f -> bounded h -> (forall w, f w <= h w) -> Ex f <= Ex h.
Proof.
  intros [B Hf] [C Hh] H. destruct HE as (_ & N & _). specialize (N (fun w => h w - f w)). rewrite Ex_minus in N.
  assert (0 <= Ex h - Ex f); [|lra]. apply N.
  - exists (B + C). intros w. specialize (Hf w). specialize (Hh w). apply Rabs_le_between in Hf. apply Rabs_le_between in Hh.
    apply Rabs_le. lra.
  - intros w. specialize (H w). lra.
Qed.
Lemma Ex_const b : Ex (fun _ => b) = b.
Proof.
  destruct HE as ([_ S] & _ & One). rewrite (Ex_ext Omega Ex _ (fun _ => b * 1)) by (intros; ring).
  rewrite (S b (fun _ => 1)), One. ring.
Qed.
Lemma Ex_abs f b : (forall w, Rabs (f w) <= b) -> Rabs (Ex f) <= b.
Proof.
  intros H. assert (F : bounded f) by (exists b; auto).
  pose proof (bounded_const Omega) as C. apply Rabs_le. split.
  - rewrite <- (Ex_const (- b)). apply Ex_le; auto. intros w. specialize (H w). apply Rabs_le_between in H. lra.
  - rewrite <- (Ex_const b). apply Ex_le; auto. intros w. specialize (H w). apply Rabs_le_between in H. lra.
Qed.
End Expectation.
