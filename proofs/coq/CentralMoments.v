(** AATC, Lemma 1: the third-order bracket x^3 - 3 x m_2 - m_3 of a finite probability vector.

    aatc.lemma1.bracket   |x_i^3 - 3 x_i m_2 - m_3| <= 40 A^3 where |y_i| <= A; the integral of (1-theta)^2 is 1/3; 40/6 <= 7.
    aatc.lemma1.sharp     (first half) E (x^3 - 3 x m_2 - m_3)^2 <= 4 A^6 and E |x^3 - 3 x m_2 - m_3| <= 2 A^3; both are
                          attained at p = (1/2, 1/2), y = (A, -A).

    Let A = 1, x = y - Ey, v = E x^2, m_k = E x^k, e = -Ey, w = e^2, so |x - e| <= 1. E h^2 = m_6 - 6 v m_4 + 9 v^3 - m_3^2 for
    the bracket h. From E(1 - (x-e)^2) >= 0: v <= 1 - w. From x^2 (x+e)^2 (1 - (x-e)^2) >= 0: m_6 <= (1+2w) m_4 + 2 e m_3
    + w(1-w) v. If 6v >= 1 + 2w, then with m_4 >= v^2 and 2 e m_3 - m_3^2 <= w all is at most 4 - 7w + 4w^2 <= 4. Else with
    M = (1+|e|)^2 >= x^2: m_6 <= M m_4, m_4 <= M v, and all is at most v (M-3v)^2 <= v (4-3v)^2 <= 4. Last, |h| <= h^2/4 + 1. *)
From Coq Require Import Reals Lra Lia Psatz.
From Coquelicot Require Import Coquelicot.
From KVProof Require Import FiniteSums Probability.
Open Scope R_scope.

Definition centred n p y (i : nat) := y i - mean n p y.
Definition moment n p y k := mean n p (fun i => centred n p y i ^ k).
Definition bracket n p y i := centred n p y i ^ 3 - 3 * centred n p y i * moment n p y 2 - moment n p y 3.

Lemma centred_mean n p y : probability n p -> mean n p (centred n p y) = 0.
Proof. intros Hp. unfold centred. rewrite mean_minus, mean_const by auto. eta_mean. ring. Qed.
Lemma bracket_mean n p y : probability n p -> mean n p (bracket n p y) = 0.
Proof.
  intros Hp. unfold bracket.
  rewrite (mean_ext n p _ (fun i => centred n p y i ^ 3 + (- 3 * moment n p y 2 * centred n p y i + - moment n p y 3)))
    by (intros; ring).
  rewrite !mean_plus, mean_scal, mean_const by auto. fold (moment n p y 3). eta_mean. rewrite centred_mean by auto. ring.
Qed.

(** The paper's constant. *)
Theorem bracket_40 n p y A i : probability n p -> (each j < n, Rabs (y j) <= A) -> (i < n)%nat ->
  Rabs (bracket n p y i) <= 40 * A ^ 3.
Proof.
  intros Hp Hy Hi. assert (Hy' : each j < n, - A <= y j <= A) by (intros; apply Rabs_le_between; auto).
  pose proof (mean_between n p y (- A) A Hp Hy') as M0.
  assert (C : each j < n, Rabs (centred n p y j) <= 2 * A).
  { intros j Hj. specialize (Hy' j Hj). apply Rabs_le. unfold centred. lra. }
  assert (A0 : 0 <= A) by (specialize (Hy' i Hi); lra).
  assert (M : forall k, Rabs (moment n p y k) <= (2 * A) ^ k).
  { intros k. eapply Rle_trans; [apply mean_abs; auto|]. rewrite <- (mean_const n p ((2 * A) ^ k) Hp). apply mean_le; auto.
    intros j Hj. rewrite <- RPow_abs. apply pow_incr. split; [apply Rabs_pos|auto]. }
  assert (X3 : Rabs (centred n p y i ^ 3) <= (2 * A) ^ 3).
  { rewrite <- RPow_abs. apply pow_incr. split; [apply Rabs_pos|auto]. }
  assert (X2 : Rabs (centred n p y i * moment n p y 2) <= (2 * A) * (2 * A) ^ 2).
  { rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos. }
  specialize (M 3%nat). apply Rabs_le_between in X3. apply Rabs_le_between in X2. apply Rabs_le_between in M.
  unfold bracket. apply Rabs_le. lra.
Qed.
Theorem bracket_constants : RInt (fun theta => (1 - theta) ^ 2) 0 1 = 1 / 3 /\ 40 / 6 <= 7.
Proof.
  split; [|lra]. apply is_RInt_unique.
  assert (H : is_RInt (fun theta => (1 - theta) ^ 2) 0 1 (minus (- (1 - 1) ^ 3 / 3) (- (1 - 0) ^ 3 / 3))).
  { apply (is_RInt_derive (fun theta => - (1 - theta) ^ 3 / 3)).
    - intros x _. auto_derive; auto. field.
    - intros x _. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. auto. }
  replace (1 / 3) with (minus (- (1 - 1) ^ 3 / 3) (- (1 - 0) ^ 3 / 3)); auto. unfold minus, plus, opp; simpl. field.
Qed.

(** The two cases, as statements about moments. *)
Lemma large_variance e v m3 m4 m6 : 0 <= v <= 1 - e ^ 2 -> v ^ 2 <= m4 ->
  m6 <= (1 + 2 * e ^ 2) * m4 + 2 * e * m3 + e ^ 2 * (1 - e ^ 2) * v -> 1 + 2 * e ^ 2 <= 6 * v ->
  m6 - 6 * v * m4 + 9 * v ^ 3 - m3 ^ 2 <= 4.
Proof.
  intros V M4 M6 C. pose proof (pow2_ge_0 (e - m3)). assert (W : 0 <= e ^ 2) by apply pow2_ge_0.
  assert (A : 2 * e * m3 - m3 ^ 2 <= e ^ 2) by lra. set (w := e ^ 2) in *. clearbody w.
  assert (B1 : (6 * v - (1 + 2 * w)) * v ^ 2 <= (6 * v - (1 + 2 * w)) * m4) by (apply Rmult_le_compat_l; lra).
  assert (B2 : (1 + 2 * w) * v ^ 2 <= (1 + 2 * w) * (1 - w) ^ 2) by (apply Rmult_le_compat_l; [|apply pow_incr]; lra).
  assert (B3 : v ^ 3 <= (1 - w) ^ 3) by (apply pow_incr; lra).
  assert (B4 : w * (1 - w) * v <= w * (1 - w) * (1 - w)) by (apply Rmult_le_compat_l; [apply Rmult_le_pos|]; lra).
  assert (B5 : w * w <= w * 1) by (apply Rmult_le_compat_l; lra). clear - A B1 B2 B3 B4 B5 M6 W. nra.
Qed.
Lemma small_variance s v m3 m4 m6 : 0 <= s <= 1 -> 0 <= v -> 6 * v < 1 + 2 * s ^ 2 ->
  m6 <= (1 + s) ^ 2 * m4 -> m4 <= (1 + s) ^ 2 * v -> m6 - 6 * v * m4 + 9 * v ^ 3 - m3 ^ 2 <= 4.
Proof.
  intros S V C M6 M4. assert (M : 1 + 2 * s ^ 2 <= (1 + s) ^ 2 <= 4) by (clear - S; nra).
  assert (S2 : s ^ 2 <= 1) by (clear - S; nra). set (K := (1 + s) ^ 2) in *. clearbody K.
  assert (A1 : (K - 6 * v) * m4 <= (K - 6 * v) * (K * v)) by (apply Rmult_le_compat_l; lra).
  assert (A2 : v * (K - 3 * v) ^ 2 <= v * (4 - 3 * v) ^ 2) by (apply Rmult_le_compat_l; auto; apply pow_incr; lra).
  assert (A3 : 0 <= (9 * v - 4) ^ 2 * (16 - 9 * v)) by (apply Rmult_le_pos; [apply pow2_ge_0|lra]).
  pose proof (pow2_ge_0 m3). clear - A1 A2 A3 H M6. lra.
Qed.

Section Unit.
Variables (n : nat) (p x : nat -> R) (e : R).
Hypothesis Hp : probability n p.
Hypothesis Hx : each i < n, -1 <= x i - e <= 1.
Hypothesis H1 : mean n p x = 0.
Let v := mean n p (fun i => x i ^ 2).
Let m3 := mean n p (fun i => x i ^ 3).
Let m4 := mean n p (fun i => x i ^ 4).
Let m6 := mean n p (fun i => x i ^ 6).
Let h i := x i ^ 3 - 3 * x i * v - m3.

Lemma e_between : -1 <= e <= 1.
Proof.
  pose proof (mean_between n p x (e - 1) (e + 1) Hp) as B. rewrite H1 in B.
  destruct B as [B1 B2]; [|lra]. intros i Hi. specialize (Hx i Hi). lra.
Qed.
Lemma v_between : 0 <= v <= 1 - e ^ 2.
Proof.
  split; [apply mean_nonneg; auto; intros; apply pow2_ge_0|].
  set (c := 1 - e ^ 2). assert (A : 0 <= mean n p (fun i => c + (2 * e * x i - x i ^ 2))).
  { apply mean_nonneg; auto. intros i Hi. specialize (Hx i Hi). unfold c. nra. }
  rewrite mean_plus, mean_minus, mean_scal, mean_const in A by auto. eta_mean. rewrite H1 in A. fold v in A. lra.
Qed.
Lemma m4_at_least : v ^ 2 <= m4.
Proof.
  assert (A : 0 <= mean n p (fun i => x i ^ 4 + (- 2 * v * x i ^ 2 + v ^ 2))).
  { apply mean_nonneg; auto. intros i _. pose proof (pow2_ge_0 (x i ^ 2 - v)). lra. }
  rewrite !mean_plus, mean_scal, mean_const in A by auto. fold v m4 in A. lra.
Qed.
Lemma m6_at_most : m6 <= (1 + 2 * e ^ 2) * m4 + 2 * e * m3 + e ^ 2 * (1 - e ^ 2) * v.
Proof.
  assert (A : 0 <= mean n p (fun i => ((1 + 2 * e ^ 2) * x i ^ 4 + (2 * e * x i ^ 3 + e ^ 2 * (1 - e ^ 2) * x i ^ 2)) - x i ^ 6)).
  { apply mean_nonneg; auto. intros i Hi. specialize (Hx i Hi).
    replace (_ - x i ^ 6) with ((x i * (x i + e)) ^ 2 * (1 - (x i - e) ^ 2)) by ring.
    apply Rmult_le_pos; [apply pow2_ge_0|nra]. }
  rewrite mean_minus, !mean_plus, !mean_scal in A. fold v m3 m4 m6 in A. lra.
Qed.
Lemma mean_h2 : mean n p (fun i => h i ^ 2) = m6 - 6 * v * m4 + 9 * v ^ 3 - m3 ^ 2.
Proof.
  rewrite (mean_ext n p _ (fun i => (x i ^ 6 + (9 * v ^ 2 * x i ^ 2 + m3 ^ 2))
    + ((- 6 * v * x i ^ 4 + - 2 * m3 * x i ^ 3) + 6 * v * m3 * x i))) by (intros; unfold h; ring).
  rewrite !mean_plus, !mean_scal, mean_const by auto. fold v m3 m4 m6. eta_mean. rewrite H1. ring.
Qed.

Lemma mean_h2_at_most_4 : mean n p (fun i => h i ^ 2) <= 4.
Proof.
  rewrite mean_h2. pose proof v_between as V. pose proof e_between as E.
  destruct (Rle_dec (1 + 2 * e ^ 2) (6 * v)) as [C|C].
  - apply (large_variance e); auto using m4_at_least, m6_at_most.
  - assert (S2 : Rabs e ^ 2 = e ^ 2) by (rewrite RPow_abs, Rabs_right; auto; apply Rle_ge, pow2_ge_0).
    assert (S : 0 <= Rabs e <= 1) by (split; [apply Rabs_pos|apply Rabs_le; auto]).
    assert (Far : each i < n, x i ^ 2 <= (1 + Rabs e) ^ 2).
    { intros i Hi. specialize (Hx i Hi). assert (- Rabs e <= e <= Rabs e) by (apply Rabs_le_between; lra).
      assert (- (1 + Rabs e) <= x i <= 1 + Rabs e) by lra. nra. }
    assert (Up : forall k, mean n p (fun i => x i ^ (2 + 2 * k)) <= (1 + Rabs e) ^ 2 * mean n p (fun i => x i ^ (2 * k))).
    { intros k. rewrite <- mean_scal. apply mean_le; auto. intros i Hi. rewrite pow_add. apply Rmult_le_compat_r; auto.
      rewrite pow_mult. apply pow_le, pow2_ge_0. }
    apply (small_variance (Rabs e)); auto; try lra.
    + apply (Up 2%nat).
    + apply (Up 1%nat).
Qed.
Lemma mean_abs_h_at_most_2 : mean n p (fun i => Rabs (h i)) <= 2.
Proof.
  apply Rle_trans with (mean n p (fun i => 1 / 4 * h i ^ 2 + 1)).
  - apply mean_le; auto. intros i _. rewrite <- (Rabs_right (h i ^ 2)), <- RPow_abs by apply Rle_ge, pow2_ge_0.
    pose proof (pow2_ge_0 (Rabs (h i) - 2)). lra.
  - rewrite mean_plus, mean_scal, mean_const by auto. pose proof mean_h2_at_most_4. lra.
Qed.
End Unit.

(** The bracket is homogeneous of degree 3. *)
Lemma bracket_scale n p y A i : bracket n p (fun j => A * y j) i = A ^ 3 * bracket n p y i.
Proof.
  assert (C : forall j, centred n p (fun k => A * y k) j = A * centred n p y j)
    by (intros; unfold centred; rewrite mean_scal; eta_mean; ring).
  assert (M : forall k, moment n p (fun j => A * y j) k = A ^ k * moment n p y k).
  { intros k. unfold moment. rewrite <- mean_scal. apply mean_ext. intros. rewrite C, Rpow_mult_distr. auto. }
  unfold bracket. rewrite !M, C. ring.
Qed.
Lemma bracket_ext n p y z i : (each j < n, y j = z j) -> (i < n)%nat -> bracket n p y i = bracket n p z i.
Proof.
  intros H Hi. assert (C : each j < n, centred n p y j = centred n p z j)
    by (intros; unfold centred; rewrite (mean_ext n p y z), H; auto).
  assert (M : forall k, moment n p y k = moment n p z k) by (intros; apply mean_ext; intros; rewrite C; auto).
  unfold bracket. rewrite !M, C; auto.
Qed.

Theorem sharp_moments n p y A : probability n p -> 0 <= A -> (each i < n, Rabs (y i) <= A) ->
  mean n p (fun i => bracket n p y i ^ 2) <= 4 * A ^ 6 /\ mean n p (fun i => Rabs (bracket n p y i)) <= 2 * A ^ 3.
Proof.
  intros Hp A0 Hy. set (u := fun i => if Req_EM_T A 0 then 0 else y i / A).
  assert (Scale : each i < n, y i = A * u i).
  { intros i Hi. specialize (Hy i Hi). unfold u. destruct (Req_EM_T A 0) as [Z|]; [|field; auto].
    apply Rabs_le_between in Hy. lra. }
  assert (Unit : each i < n, -1 <= centred n p u i - - mean n p u <= 1).
  { intros i Hi. specialize (Hy i Hi). apply Rabs_le_between in Hy. unfold centred.
    replace (u i - mean n p u - - mean n p u) with (u i) by ring. unfold u. destruct (Req_EM_T A 0); [lra|].
    split; apply Rmult_le_reg_r with A; try lra; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by auto; lra. }
  assert (B : each i < n, bracket n p y i = A ^ 3 * bracket n p u i).
  { intros i Hi. rewrite (bracket_ext n p y (fun j => A * u j)), bracket_scale; auto. }
  assert (A3 : 0 <= A ^ 3) by (apply pow_le; auto). split.
  - rewrite (mean_ext n p _ (fun i => A ^ 6 * bracket n p u i ^ 2)) by (intros; rewrite B by auto; ring).
    rewrite mean_scal, Rmult_comm. apply Rmult_le_compat_r; [apply pow_le; auto|].
    exact (mean_h2_at_most_4 n p (centred n p u) (- mean n p u) Hp Unit (centred_mean n p u Hp)).
  - rewrite (mean_ext n p _ (fun i => A ^ 3 * Rabs (bracket n p u i)))
      by (intros; rewrite B, Rabs_mult, (Rabs_right (A ^ 3)) by (auto; apply Rle_ge; auto); auto).
    rewrite mean_scal, Rmult_comm. apply Rmult_le_compat_r; auto.
    exact (mean_abs_h_at_most_2 n p (centred n p u) (- mean n p u) Hp Unit (centred_mean n p u Hp)).
Qed.

Theorem moments_attained : let p := fun _ : nat => 1 / 2 in let y := fun i : nat => match i with O => 1 | _ => -1 end in
  probability 2 p /\ mean 2 p (fun i => bracket 2 p y i ^ 2) = 4 /\ mean 2 p (fun i => Rabs (bracket 2 p y i)) = 2.
Proof.
  intros p y. unfold probability, bracket, moment, centred, mean, p, y. cbn [sum].
  split; [split; [intros; lra|lra]|]. split; [lra|].
  rewrite (Rabs_left (_ - _ - _)), (Rabs_right (_ - _ - _)) by lra. lra.
Qed.
