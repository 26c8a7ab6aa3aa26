(** A linear expectation over any outcomes, and sums of uncorrelated variables. *)
From Coq Require Import Reals Lra Lia FunctionalExtensionality.
From KVProof Require Import FiniteSums.
Open Scope R_scope.

Definition linear Omega (Ex : (Omega -> R) -> R) :=
  (forall f g, Ex (fun w => f w + g w) = Ex f + Ex g) /\ (forall c f, Ex (fun w => c * f w) = c * Ex f).

Section Linear.
Variable Omega : Type.
Variable Ex : (Omega -> R) -> R.
Hypothesis lin : linear Omega Ex.

Lemma Ex_ext f g : (forall w, f w = g w) -> Ex f = Ex g.
Proof. intros H. f_equal. extensionality w. auto. Qed.
Lemma Ex_scal c f : Ex (fun w => c * f w) = c * Ex f.
Proof. apply lin. Qed.
Lemma Ex_zero : Ex (fun _ => 0) = 0.
Proof. rewrite (Ex_ext _ (fun w => 0 * 0)) by (intros; ring). rewrite (Ex_scal 0 (fun _ => 0)). ring. Qed.
Lemma Ex_sum n (f : nat -> Omega -> R) : Ex (fun w => \sum_(i < n) f i w) = \sum_(i < n) Ex (f i).
Proof.
  induction n; cbn [sum]; [apply Ex_zero|].
  rewrite (proj1 lin (fun w => \sum_(i < n) f i w) (f n)), IHn. reflexivity.
Qed.
(** The mean of a product of sums, from the means of the products. *)
Lemma Ex_product n m (c d : nat -> R) (X Z : nat -> Omega -> R) :
  Ex (fun w => (\sum_(i < n) (c i * X i w)) * (\sum_(j < m) (d j * Z j w))) =
  \sum_(i < n) \sum_(j < m) (c i * d j * Ex (fun w => X i w * Z j w)).
Proof.
  rewrite (Ex_ext _ (fun w => \sum_(i < n) \sum_(j < m) (c i * d j * (X i w * Z j w)))).
  - rewrite (Ex_sum n (fun i w => \sum_(j < m) (c i * d j * (X i w * Z j w)))). apply sum_ext; intros.
    rewrite (Ex_sum m (fun j w => c i * d j * (X i w * Z j w))). apply sum_ext; intros. apply Ex_scal.
  - intros w. rewrite sum_product. apply sum_ext; intros. apply sum_ext; intros; ring.
Qed.

(** E |sum_i X_i b_i|^2 = sum_i E X_i^2 |b_i|^2 for vectors b_i of length d, where E X_i X_j = 0 for i <> j. *)
Lemma uncorrelated n d (X : nat -> Omega -> R) (v : nat -> R) (b : nat -> nat -> R) :
  (each i < n, each j < n, Ex (fun w => X i w * X j w) = delta i j * v i) ->
  Ex (fun w => norm2 d (fun k => \sum_(i < n) (X i w * b i k))) = \sum_(i < n) (v i * norm2 d (b i)).
Proof.
  intros H. unfold norm2.
  rewrite (Ex_sum d (fun k w => (\sum_(i < n) (X i w * b i k)) * (\sum_(i < n) (X i w * b i k)))).
  rewrite (sum_ext n _ (fun i => \sum_(k < d) (v i * (b i k * b i k)))) by (intros; symmetry; apply sum_scal).
  rewrite sum_swap. apply sum_ext. intros k _.
  rewrite (Ex_ext _ (fun w => (\sum_(i < n) (b i k * X i w)) * (\sum_(j < n) (b j k * X j w)))).
  - rewrite Ex_product. apply sum_ext. intros i Hi.
    rewrite (sum_ext n _ (fun j => delta i j * (b i k * b j k * v i))) by (intros j Hj; rewrite H by auto; ring).
    rewrite (sum_delta n i (fun j => b i k * b j k * v i)) by auto. ring.
  - intros w. f_equal; apply sum_ext; intros; ring.
Qed.
End Linear.
