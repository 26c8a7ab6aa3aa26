(** ReadKV, Lemma 7, for the exact Lloyd tree, to depth 3.

    readkv.lloyd.symmetry           c_1 = sqrt(2/pi), Delta_1 = 2/pi.
    readkv.lemma7.gain.1.exact      refuted: Delta_1 = 2/pi is not in (0.63661974, 0.63661975).
    readkv.lemma7.gain.2.exact      refuted: Delta_2 is not in (0.24589838, 0.24589839).
    readkv.lemma7.gain.3.exact      Delta_3 is in (0.08264372, 0.08264373).
    readkv.lemma7.q2.exact          refuted: Q_2(1) is not in (1.5104175806, 1.5104175807).
    readkv.lemma7.obstruction.exact (Q_2(1) - 1)^2 > 0.26052610.

    The tree is symmetric, so its right half is looked at: (0, oo) splits at m_1, (0, m_1) at m_2, (m_1, oo) at m_3, each split
    unique. Enclosures of area at rational points give the signs of stat there, hence boxes for the splits, and on the boxes
    D(t) = 1 - 2 sum P c^2 (P, c of the right half's cells) is evaluated by intervals. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From KVProof Require Import ExactInterval GaussianIntegral LloydSplit.
Open Scope R_scope.

(** P c^2 of the cell (l, m), and of (m, oo). *)
Definition energy l m := (Phi m - Phi l) * lower l m ^ 2.
Definition energy_beyond m := (1 - Phi m) * upper m Infinity ^ 2.
(** D at depths 0 to 3, at the splits m_1, m_2, m_3 of the right half. *)
Definition D0 := 1.
Definition D1 := 1 - 2 * energy_beyond 0.
Definition D2 m1 := 1 - 2 * (energy 0 m1 + energy_beyond m1).
Definition D3 m1 m2 m3 := 1 - 2 * (energy 0 m2 + energy m2 m1 + energy m1 m3 + energy_beyond m3).

Lemma energy_bell l m : l < m -> energy l m = (bell l - bell m) ^ 2 / (area m - area l) / (2 * whole).
Proof. intros H. pose proof (area_rises l m H). pose proof whole_pos. unfold energy, lower, Phi. field. lra. Qed.
Lemma energy_beyond_bell m : energy_beyond m = bell m ^ 2 / (whole - area m) / (2 * whole).
Proof. pose proof (rest_pos m). pose proof whole_pos. unfold energy_beyond, upper, Phi. simpl. field. lra. Qed.

Theorem first_centroid : upper 0 Infinity = sqrt (2 / PI) /\ D0 - D1 = 2 / PI.
Proof.
  pose proof whole_pos. pose proof PI_RGT_0. split.
  - unfold upper. simpl. rewrite area_0, bell_0. replace ((1 - 0) / (whole - 0)) with (/ whole) by (field; lra).
    unfold whole. rewrite <- sqrt_inv. f_equal. field. lra.
  - unfold D0, D1. rewrite energy_beyond_bell, area_0, bell_0, Rminus_0_r.
    transitivity (/ (whole * whole)); [field; lra|]. rewrite whole_square. field. lra.
Qed.
Theorem gain1_refuted : ~ (0.63661974 < D0 - D1 < 0.63661975).
Proof.
  destruct first_centroid as [_ ->]. assert (0.6366197723675813 < 2 / PI) by interval with (i_prec 90). lra.
Qed.

Lemma whole_box : 1.2533141373155002 <= whole <= 1.2533141373155003.
Proof. unfold whole. split; interval with (i_prec 80). Qed.

(** Rational points around the splits, and area at them. *)
Definition a1 := 0.98159882155.  Definition b1 := 0.98159882158.
Definition a2 := 0.4708681479.   Definition b2 := 0.4708681482.
Definition a3 := 1.6941662567.   Definition b3 := 1.694166257.
Lemma area_a1 : 0.8443608321413253 <= area a1 <= 0.8443608321413254.
Proof. unfold area, bell, a1. integral with (i_prec 80, i_width (-60), i_degree 14). Qed.
Lemma area_a2 : 0.454031977134 <= area a2 <= 0.454031977135.
Proof. unfold area, bell, a2. integral with (i_prec 60, i_width (-42), i_degree 12). Qed.
Lemma area_a3 : 1.140222971870 <= area a3 <= 1.140222971871.
Proof. unfold area, bell, a3. integral with (i_prec 60, i_width (-42), i_degree 12). Qed.

(** No second integral: the other end of a box is close by. *)
Ltac step a b :=
  let L := fresh "L" in let U := fresh "U" in
  destruct (area_step a b) as [L U]; [unfold a, b; lra|]; unfold bell in L, U;
  set (s := area a) in *; set (t := area b) in *; clearbody s t; unfold a, b in *;
  split; [eapply Rle_trans; [|apply L]|eapply Rle_trans; [apply U|]]; interval with (i_prec 80).
Lemma area_b1 : 0.844360832159855 <= area b1 <= 0.844360832159857.
Proof. pose proof area_a1. step a1 b1. Qed.
Lemma area_b2 : 0.454031977402 <= area b2 <= 0.454031977404.
Proof. pose proof area_a2. step a2 b2. Qed.
Lemma area_b3 : 1.140222971940 <= area b3 <= 1.140222971944.
Proof. pose proof area_a3. step a3 b3. Qed.

(** Evaluates a goal about area at named points, whole and bell by intervals. *)
Ltac evaluate := simpl; rewrite ?area_0, ?bell_0;
  repeat match goal with |- context [area ?x] => let s := fresh "s" in set (s := area x) in *; clearbody s end;
  try (let k := fresh "k" in set (k := whole) in *; clearbody k);
  unfold bell, a1, b1, a2, b2, a3, b3 in *; interval with (i_prec 90).

Lemma signs1 : stat 0 Infinity a1 < 0 /\ 0 < stat 0 Infinity b1.
Proof. pose proof area_a1. pose proof area_b1. pose proof whole_box. unfold stat, lower, upper. split; evaluate. Qed.
Lemma signs2 : stat 0 (At a1) a2 < 0 /\ 0 < stat 0 (At b1) b2.
Proof.
  pose proof area_a1. pose proof area_b1. pose proof area_a2. pose proof area_b2. unfold stat, lower, upper. split; evaluate.
Qed.
Lemma signs3 : stat a1 Infinity a3 < 0 /\ 0 < stat b1 Infinity b3.
Proof.
  pose proof area_a1. pose proof area_b1. pose proof area_a3. pose proof area_b3. pose proof whole_box.
  unfold stat, lower, upper. split; evaluate.
Qed.

(** The splits are there, and each is the only one of its cell. *)
Ltac points := unfold a1, b1, a2, b2, a3, b3 in *; lra.

Lemma box1 : exists m, split 0 Infinity m /\ forall x, split 0 Infinity x -> x = m /\ a1 < x < b1.
Proof.
  destruct signs1 as [A B]. destruct (split_exists 0 Infinity a1 b1) as (m & Hm & Sm & U); simpl; auto; try points.
  exists m. split; [repeat split; auto; points|]. intros x (X0 & X1 & Sx). rewrite (U x X0 X1 Sx). auto.
Qed.
Lemma box2 m1 : a1 < m1 < b1 -> exists m, split 0 (At m1) m /\ forall x, split 0 (At m1) x -> x = m /\ a2 < x < b2.
Proof.
  intros H. destruct signs2 as [A B].
  pose proof (upper_rises a2 a1 m1 ltac:(points)) as UA. pose proof (upper_rises b2 m1 b1 ltac:(points)) as UB.
  destruct (split_exists 0 (At m1) a2 b2) as (m & Hm & Sm & U); simpl; try points; try (unfold stat in *; lra).
  exists m. split; [repeat split; simpl; auto; points|]. intros x (X0 & X1 & Sx). rewrite (U x X0 X1 Sx). auto.
Qed.
Lemma box3 m1 : a1 < m1 < b1 -> exists m, split m1 Infinity m /\ forall x, split m1 Infinity x -> x = m /\ a3 < x < b3.
Proof.
  intros H. destruct signs3 as [A B].
  pose proof (lower_rises a1 m1 a3 ltac:(points)) as LA. pose proof (lower_rises m1 b1 b3 ltac:(points)) as LB.
  destruct (split_exists m1 Infinity a3 b3) as (m & Hm & Sm & U); simpl; auto; try points; try (unfold stat in *; lra).
  exists m. split; [repeat split; simpl; auto; points|]. intros x (X0 & X1 & Sx). rewrite (U x X0 X1 Sx). auto.
Qed.

(** Area on a box. *)
Lemma area_in a b x s t : a < x < b -> s <= area a -> area b <= t -> s <= area x <= t.
Proof. intros H A B. pose proof (area_rises a x ltac:(lra)). pose proof (area_rises x b ltac:(lra)). lra. Qed.
Lemma area1 m : a1 < m < b1 -> 0.8443608321413253 <= area m <= 0.844360832159857.
Proof. intros H. apply (area_in a1 b1); auto; [apply area_a1|apply area_b1]. Qed.
Lemma area2 m : a2 < m < b2 -> 0.454031977134 <= area m <= 0.454031977404.
Proof. intros H. apply (area_in a2 b2); auto; [apply area_a2|apply area_b2]. Qed.
Lemma area3 m : a3 < m < b3 -> 1.140222971870 <= area m <= 1.140222971944.
Proof. intros H. apply (area_in a3 b3); auto; [apply area_a3|apply area_b3]. Qed.

(** The tree to depth 3: the splits of the right half. *)
Definition tree m1 m2 m3 := split 0 Infinity m1 /\ split 0 (At m1) m2 /\ split m1 Infinity m3.

Theorem tree_exists : exists m1 m2 m3, tree m1 m2 m3 /\
  forall x1 x2 x3, tree x1 x2 x3 -> x1 = m1 /\ x2 = m2 /\ x3 = m3.
Proof.
  destruct box1 as (m1 & S1 & U1). destruct (U1 m1 S1) as [_ B1]. destruct (box2 m1 B1) as (m2 & S2 & U2).
  destruct (box3 m1 B1) as (m3 & S3 & U3). exists m1, m2, m3. split; [repeat split; apply S1 || apply S2 || apply S3|].
  intros x1 x2 x3 (X1 & X2 & X3). destruct (U1 x1 X1) as [-> _]. destruct (U2 x2 X2) as [-> _]. destruct (U3 x3 X3) as [-> _]. auto.
Qed.

Lemma boxes m1 m2 m3 : tree m1 m2 m3 -> a1 < m1 < b1 /\ a2 < m2 < b2 /\ a3 < m3 < b3.
Proof.
  intros (S1 & S2 & S3). destruct box1 as (x1 & _ & U1). destruct (U1 m1 S1) as [_ B1].
  destruct (box2 m1 B1) as (x2 & _ & U2). destruct (box3 m1 B1) as (x3 & _ & U3).
  split; [auto|]. split; [apply U2; auto|apply U3; auto].
Qed.

Theorem gain2_refuted m1 m2 m3 : tree m1 m2 m3 ->
  0.2458983797 < D1 - D2 m1 < 0.2458983799 /\ ~ (0.24589838 < D1 - D2 m1 < 0.24589839).
Proof.
  intros H. destruct (boxes _ _ _ H) as (B1 & _). pose proof (area1 m1 B1) as A1. pose proof whole_box as W.
  cut (0.2458983797 < D1 - D2 m1 < 0.2458983799); [lra|]. unfold D1, D2.
  rewrite energy_bell, !energy_beyond_bell, area_0, bell_0 by points.
  set (s := area m1) in *. set (k := whole) in *. clearbody s k. unfold bell, a1, b1 in *. clear H. split; interval with (i_prec 90).
Qed.
Theorem q2_refuted m1 m2 m3 : tree m1 m2 m3 ->
  m1 < 1 /\ 1.510417608 < upper m1 Infinity < 1.510417609 /\ ~ (1.5104175806 < upper m1 Infinity < 1.5104175807) /\
  (upper m1 Infinity - 1) ^ 2 > 0.26052610.
Proof.
  intros H. destruct (boxes _ _ _ H) as (B1 & _). pose proof (area1 m1 B1) as A1. pose proof whole_box as W. clear H.
  assert (Q : 1.510417608 < upper m1 Infinity < 1.510417609).
  { unfold upper. simpl. set (s := area m1) in *. set (k := whole) in *. clearbody s k. unfold bell, a1, b1 in *.
    split; interval with (i_prec 90). }
  split; [points|]. split; [exact Q|]. split; [lra|]. nra.
Qed.
Theorem gain3 m1 m2 m3 : tree m1 m2 m3 -> 0.08264372 < D2 m1 - D3 m1 m2 m3 < 0.08264373.
Proof.
  intros H. destruct (boxes _ _ _ H) as (B1 & B2 & B3).
  pose proof (area1 m1 B1) as A1. pose proof (area2 m2 B2) as A2. pose proof (area3 m3 B3) as A3. pose proof whole_box as W. clear H.
  unfold D2, D3. rewrite !energy_bell, !energy_beyond_bell, area_0, bell_0 by points.
  set (s1 := area m1) in *. set (s2 := area m2) in *. set (s3 := area m3) in *. set (k := whole) in *. clearbody s1 s2 s3 k.
  unfold bell, a1, b1, a2, b2, a3, b3 in *. split; interval with (i_prec 70).
Qed.
