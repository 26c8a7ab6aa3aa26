(** Finite sums of real numbers over the indices 0, ..., n-1, and what the proofs need of them. *)
From Coq Require Import Reals Lra Lia.
Open Scope R_scope.

Fixpoint sum (n : nat) (f : nat -> R) : R :=
  match n with O => 0 | S m => sum m f + f m end.
Arguments sum n%nat f.

Notation "\sum_ ( i < n ) F" := (sum n (fun i => F)) (at level 41, F at level 41, i name, n at level 50).
(** A product with a sum needs brackets around the sum. *)
(** A statement about each index below n. *)
Notation "'each' i < n , P" := (forall i : nat, (i < n)%nat -> P)
  (at level 200, i name, n at level 69, P at level 200).

(** The sum of natural numbers: what a schedule spends. *)
Fixpoint spent (n : nat) (t : nat -> nat) : nat :=
  match n with O => O | S m => (spent m t + t m)%nat end.

Definition delta (i j : nat) : R := if Nat.eq_dec i j then 1 else 0.

Lemma sum_ext n f g : (each i < n, f i = g i) -> sum n f = sum n g.
Proof. induction n; intros H; simpl; auto. rewrite IHn, H; auto. Qed.

Lemma sum_plus n f g : \sum_(i < n) (f i + g i) = sum n f + sum n g.
Proof. induction n; simpl; lra. Qed.
Lemma sum_minus n f g : \sum_(i < n) (f i - g i) = sum n f - sum n g.
Proof. induction n; simpl; lra. Qed.
Lemma sum_scal n c f : \sum_(i < n) (c * f i) = c * sum n f.
Proof. induction n; simpl; lra. Qed.
Lemma sum_scal_r n f c : \sum_(i < n) (f i * c) = sum n f * c.
Proof. induction n; simpl; lra. Qed.
Lemma sum_const n c : \sum_(i < n) c = INR n * c.
Proof. induction n; cbn [sum]; [simpl|rewrite IHn, S_INR]; lra. Qed.
Lemma sum_zero n : \sum_(i < n) 0 = 0.
Proof. rewrite sum_const. ring. Qed.

Lemma sum_le n f g : (each i < n, f i <= g i) -> sum n f <= sum n g.
Proof.
  induction n; intros H; simpl; [lra|].
  assert (f n <= g n) by auto. assert (sum n f <= sum n g) by auto. lra.
Qed.
Lemma sum_nonneg n f : (each i < n, 0 <= f i) -> 0 <= sum n f.
Proof. intros. rewrite <- (sum_zero n). apply sum_le; auto. Qed.

Lemma sum_term n f i : (each j < n, 0 <= f j) -> (i < n)%nat -> f i <= sum n f.
Proof.
  induction n; intros H Hi; [lia|]. simpl. assert (0 <= f n) by auto.
  destruct (Nat.eq_dec i n) as [->|N].
  - assert (0 <= sum n f) by (apply sum_nonneg; auto). lra.
  - assert (f i <= sum n f) by (apply IHn; auto; lia). lra.
Qed.

Lemma sum_swap n m (f : nat -> nat -> R) :
  \sum_(i < n) \sum_(j < m) f i j = \sum_(j < m) \sum_(i < n) f i j.
Proof. induction n; simpl; [now rewrite sum_zero|]. now rewrite IHn, <- sum_plus. Qed.

Lemma sum_abs n f : Rabs (sum n f) <= \sum_(i < n) Rabs (f i).
Proof.
  induction n; simpl; [rewrite Rabs_R0; lra|].
  pose proof (Rabs_triang (sum n f) (f n)). lra.
Qed.

Lemma sum_product n m (f g : nat -> R) : sum n f * sum m g = \sum_(i < n) \sum_(j < m) (f i * g j).
Proof. rewrite <- sum_scal_r. apply sum_ext. intros. now rewrite sum_scal. Qed.

Lemma sum_delta n i f : (i < n)%nat -> \sum_(j < n) (delta i j * f j) = f i.
Proof.
  assert (D : forall m, (m <= i)%nat -> \sum_(j < m) (delta i j * f j) = 0).
  { induction m; intros; cbn [sum]; auto. rewrite IHm by lia. unfold delta.
    destruct (Nat.eq_dec i m); [lia|ring]. }
  induction n; intros H; [lia|]. cbn [sum]. unfold delta at 2.
  destruct (Nat.eq_dec i n) as [->|]; [rewrite D by lia|rewrite IHn by lia]; ring.
Qed.

Lemma spent_sum n t : INR (spent n t) = \sum_(i < n) INR (t i).
Proof. induction n; simpl; auto. now rewrite plus_INR, IHn. Qed.

Lemma square_nonneg x : 0 <= x * x.
Proof. apply Rle_0_sqr. Qed.

(** A quadratic that is never negative has no positive discriminant. *)
Lemma discriminant a b c : 0 <= a -> (forall t, 0 <= a * t * t - 2 * b * t + c) -> b * b <= a * c.
Proof.
  intros Ha H. destruct (Req_dec a 0) as [->|N].
  - destruct (Req_dec b 0) as [->|Nb]; [lra|]. specialize (H ((c + 1) / (2 * b))).
    replace (0 * ((c + 1) / (2 * b)) * ((c + 1) / (2 * b)) - 2 * b * ((c + 1) / (2 * b)) + c)
      with (- 1) in H by (field; auto). lra.
  - specialize (H (b / a)). apply Rmult_le_compat_l with (r := a) in H; auto.
    replace (a * (a * (b / a) * (b / a) - 2 * b * (b / a) + c)) with (a * c - b * b) in H by (field; auto). lra.
Qed.

Lemma cauchy_schwarz n f g :
  (\sum_(i < n) (f i * g i)) * (\sum_(i < n) (f i * g i)) <= (\sum_(i < n) (f i * f i)) * (\sum_(i < n) (g i * g i)).
Proof.
  apply discriminant.
  - apply sum_nonneg; intros; apply square_nonneg.
  - intros t. apply Rle_trans with (\sum_(i < n) ((t * f i - g i) * (t * f i - g i))).
    + apply sum_nonneg; intros; apply square_nonneg.
    + rewrite (sum_ext n _ (fun i => t * t * (f i * f i) + (- 2 * t * (f i * g i) + g i * g i))) by (intros; ring).
      rewrite !sum_plus, !sum_scal. right. ring.
Qed.

(** The squared Euclidean norm of (x_0, ..., x_{n-1}). *)
Definition norm2 n (x : nat -> R) := \sum_(i < n) (x i * x i).

Lemma norm2_nonneg n x : 0 <= norm2 n x.
Proof. apply sum_nonneg; intros; apply square_nonneg. Qed.
Lemma norm2_ext n x y : (each i < n, x i = y i) -> norm2 n x = norm2 n y.
Proof. intros H. apply sum_ext; intros; rewrite H; auto. Qed.
Lemma norm2_add n x y : norm2 n (fun i => x i + y i) <= 2 * norm2 n x + 2 * norm2 n y.
Proof.
  unfold norm2. rewrite <- !sum_scal, <- sum_plus. apply sum_le; intros.
  pose proof (square_nonneg (x i - y i)). lra.
Qed.
