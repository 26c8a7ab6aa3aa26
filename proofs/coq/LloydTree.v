(** ReadKV, D.1: the right half of a Lloyd tree of any depth, its gains, and what it takes to enclose them.

    A cell (l, U) that is split at m gains P c^2 of both children less its own: P_l P_r/(P_l + P_r) (c_r - c_l)^2. Where the
    outer ends lie in boxes, four one-sided bounds of centroids at rational points enclose the split and both centroids, since
    every centroid rises with both ends of its cell. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From KVProof Require Import GaussianIntegral LloydSplit.
Open Scope R_scope.

Inductive halves := Leaf | Node (m : R) (left right : halves).
(** Every cell is split, n times over. *)
Fixpoint splits n l U (t : halves) : Prop :=
  match n with
  | O => True
  | S k => match t with Leaf => False | Node m a b => split l U m /\ splits k l (At m) a /\ splits k m U b end
  end.

(** P c^2 of a cell, and the sum over the cells that n splits leave. *)
Definition energy l U := (area_to U - area l) / (2 * whole) * upper l U ^ 2.
Fixpoint energies n l U (t : halves) : R :=
  match n, t with
  | S k, Node m a b => energies k l (At m) a + energies k m U b
  | _, _ => energy l U
  end.
(** D(n + 1) of the tree: its left half mirrors the right one. *)
Definition distortion n t := 1 - 2 * energies n 0 Infinity t.

Definition cell_gain l U m :=
  (area m - area l) * (area_to U - area m) / (area_to U - area l) / (2 * whole) * (upper m U - lower l m) ^ 2.
Fixpoint gains n l U (t : halves) : R :=
  match t with
  | Leaf => 0
  | Node m a b => match n with O => cell_gain l U m | S k => gains k l (At m) a + gains k m U b end
  end.

Lemma gains_here l U m a b : gains 0 l U (Node m a b) = cell_gain l U m.
Proof. reflexivity. Qed.
Lemma gains_below n l U m a b : gains (S n) l U (Node m a b) = gains n l (At m) a + gains n m U b.
Proof. reflexivity. Qed.
Lemma cell_gain_energy l U m : l < m -> below m U -> energy l (At m) + energy m U - energy l U = cell_gain l U m.
Proof.
  intros L U'. pose proof (lower_area l m L). pose proof (upper_area m U U'). pose proof whole_pos.
  unfold energy, cell_gain, lower, upper. simpl. field. repeat split; lra.
Qed.
Lemma gains_energies n : forall l U t, splits (S n) l U t -> energies (S n) l U t - energies n l U t = gains n l U t.
Proof.
  induction n; intros l U [|m a b]; simpl; try tauto; intros ((L & B & _) & Sa & Sb).
  - rewrite <- cell_gain_energy; auto; destruct a, b; reflexivity.
  - specialize (IHn l (At m) a Sa) as A. specialize (IHn m U b Sb) as C. simpl in A, C. lra.
Qed.
Lemma splits_less n k : forall l U t, (n <= k)%nat -> splits k l U t -> splits n l U t.
Proof.
  revert k. induction n; intros k l U t H; [simpl; auto|]. destruct k; [lia|].
  destruct t as [|m a b]; simpl; auto. intros (S & A & B). repeat split; try apply S; apply (IHn k); auto; lia.
Qed.
Lemma gain_of_tree n t : splits (S n) 0 Infinity t -> distortion n t - distortion (S n) t = 2 * gains n 0 Infinity t.
Proof. intros H. unfold distortion. rewrite <- gains_energies by auto. ring. Qed.

(** A centroid rises with the inner end, too. *)
Lemma lower_rises_in_m l m m' : l < m < m' -> lower l m < lower l m'.
Proof.
  intros H. assert (N : forall y, l < y -> 0 < y * (area y - area l) - (bell l - bell y)).
  { intros y Hy. assert (l * (area l - area l) - (bell l - bell l) < y * (area y - area l) - (bell l - bell y)); [|lra].
    apply (rises (fun y => y * (area y - area l) - (bell l - bell y)) (fun y => area y - area l)); auto.
    - intros x _. derive_at x. ring.
    - intros x Hx. apply lower_area. lra. }
  apply (rises (fun m => lower l m) (fun m => bell m * (m * (area m - area l) - (bell l - bell m)) / ((area m - area l) * (area m - area l)))).
  - lra.
  - intros x Hx. pose proof (lower_area l x ltac:(lra)). unfold lower. derive_at x. field. lra.
  - intros x Hx. pose proof (lower_area l x ltac:(lra)). apply Rdiv_lt_0_compat; [|nra].
    apply Rmult_lt_0_compat; [apply bell_pos|apply N; lra].
Qed.
Lemma upper_rises_in_m m m' U : m < m' -> below m' U -> upper m U < upper m' U.
Proof.
  intros H B. destruct U as [u|]; simpl in B.
  - apply (lower_rises m m' u). lra.
  - apply (rises (fun m => upper m Infinity)
      (fun m => bell m * (bell m - m * (whole - area m)) / ((whole - area m) * (whole - area m)))); auto.
    + intros x _. pose proof (rest_pos x). unfold upper. simpl. derive_at x. field. lra.
    + intros x _. pose proof (rest_pos x). pose proof (upper_second x). apply Rdiv_lt_0_compat; [|nra].
      apply Rmult_lt_0_compat; [apply bell_pos|lra].
Qed.

Definition within U1 U U2 :=
  match U1, U, U2 with At u1, At u, At u2 => u1 <= u <= u2 | Infinity, Infinity, Infinity => True | _, _, _ => False end.
Lemma below_within m U1 U U2 : within U1 U U2 -> below m U1 -> below m U /\ below m U2.
Proof. destruct U1, U, U2; simpl; lra || tauto. Qed.
Lemma upper_monotone m U1 U U2 : within U1 U U2 -> below m U1 -> upper m U1 <= upper m U <= upper m U2.
Proof.
  destruct U1 as [u1|], U as [u|], U2 as [u2|]; simpl; try tauto; intros H B; [|lra].
  assert (M : forall x y, m < x <= y -> upper m (At x) <= upper m (At y)).
  { intros x y [Hx [Hy|<-]]; [left; apply upper_rises; lra|lra]. }
  split; apply M; lra.
Qed.
Lemma lower_monotone l1 l m : l1 <= l -> l < m -> lower l1 m <= lower l m.
Proof. intros [H| ->] L; [left; apply lower_rises; lra|lra]. Qed.

(** The split of a cell whose ends lie in boxes. *)
Lemma node l1 l2 U1 U2 a b x1 y1 x2 y2 l U : l1 <= l <= l2 -> within U1 U U2 -> l2 < a -> a < b -> below b U1 ->
  x1 <= lower l1 a -> y1 <= upper a U1 -> lower l2 b <= x2 -> upper b U2 <= y2 -> 2 * a < x1 + y1 -> x2 + y2 < 2 * b ->
  (exists m, split l U m) /\
  forall m, split l U m -> a < m < b /\ x1 <= lower l m <= x2 /\ y1 <= upper m U <= y2.
Proof.
  intros HL HU La Hab BU X1 Y1 X2 Y2 A B.
  assert (BU' : below a U1) by (apply (below_less a b); auto; lra).
  destruct (below_within b U1 U U2 HU BU) as [Bb _]. destruct (below_within a U1 U U2 HU BU') as [Ba _].
  pose proof (upper_monotone a U1 U U2 HU BU') as Ua. pose proof (upper_monotone b U1 U U2 HU BU) as Ub.
  pose proof (lower_monotone l1 l a ltac:(lra) ltac:(lra)) as Lla. pose proof (lower_monotone l l2 b ltac:(lra) ltac:(lra)) as Llb.
  destruct (split_exists l U a b) as (x & Rx & Sx & Unique); auto; try (unfold stat; lra); try lra.
  assert (Bx : below x U) by (apply (below_less x b); auto; lra).
  split; [exists x; repeat split; auto; lra|].
  intros m (M1 & M2 & M3). rewrite (Unique m M1 M2 M3). split; [lra|].
  pose proof (lower_rises_in_m l a x ltac:(lra)). pose proof (lower_rises_in_m l x b ltac:(lra)).
  pose proof (upper_rises_in_m a x U ltac:(lra) Bx). pose proof (upper_rises_in_m x b U ltac:(lra) Bb). lra.
Qed.
