(** AATC, Lemma 1: the tail of the softmax's second-order expansion. p = softmax(s), x_i = a_i - sum p a, m_2 = sum p x^2,
    r_i = softmax(s + a)_i - p_i - p_i x_i - (p_i/2)(x_i^2 - m_2), |a_i| <= A.

    aatc.lemma1.tail    |r_i| <= 7 A^3 and sum |r_i| <= 7 A^3; sum r_i^2 <= 49 A^6; |sum r_i u_i| <= 7 max|u_i| A^3.
    aatc.lemma1.sharp   sum |r_i| <= A^3/3 and |r_i| <= A^3/6, and neither constant can be lowered.

    By Taylor's theorem sum f_i r_i = E_c[f h]/6 for some c in (0,1), h the bracket at c. With f_i = sign r_i that is at most
    E_c|h|/6 <= A^3/3. With f the i-th unit vector less 1/2, which changes nothing as E_c h = 0, it is at most E_c|h|/12.
    Two tokens of equal weight with a = (A, -A) come as close to both as A is small. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From KVProof Require Import FiniteSums Probability Euclid Softmax CentralMoments SoftmaxTaylor.
Open Scope R_scope.

Definition tail n s a i :=
  let p := softmax n s in
  softmax n (fun j => s j + a j) i - p i - p i * centred n p a i - p i / 2 * (centred n p a i ^ 2 - moment n p a 2).

Lemma tail_taylor n s a f : (0 < n)%nat -> exists c, 0 < c < 1 /\
  \sum_(i < n) (f i * tail n s a i) = mean n (p_at n s a c) (fun i => f i * bracket n (p_at n s a c) a i) / 6.
Proof.
  intros Hn. destruct (taylor3 _ _ _ _ (fun t => proj1 (derivatives n s a f Hn t))
    (fun t => proj1 (proj2 (derivatives n s a f Hn t))) (fun t => proj2 (proj2 (derivatives n s a f Hn t)))) as (c & Rc & E).
  exists c. split; auto. rewrite <- E. clear E.
  assert (P0 : each i < n, p_at n s a 0 i = softmax n s i) by (intros; apply softmax_ext; auto; intros; unfold line; ring).
  assert (P1 : each i < n, p_at n s a 1 i = softmax n (fun j => s j + a j) i)
    by (intros; apply softmax_ext; auto; intros; unfold line; ring).
  assert (M0 : forall u, mean n (p_at n s a 0) u = mean n (softmax n s) u)
    by (intros; apply sum_ext; intros; rewrite P0; auto).
  assert (C0 : forall i, centred n (p_at n s a 0) a i = centred n (softmax n s) a i) by (intros; unfold centred; rewrite M0; auto).
  assert (V0 : moment n (p_at n s a 0) a 2 = moment n (softmax n s) a 2)
    by (unfold moment; rewrite M0; apply mean_ext; intros; rewrite C0; auto).
  rewrite !M0, V0. unfold mean, Rdiv. rewrite <- sum_scal_r, <- !sum_minus. apply sum_ext. intros i Hi.
  rewrite P1, C0 by auto. unfold tail. field.
Qed.

Definition sign x := if Rle_dec 0 x then 1 else -1.
Lemma sign_times x : sign x * x = Rabs x.
Proof. unfold sign. destruct (Rle_dec 0 x); [rewrite Rabs_right|rewrite Rabs_left]; lra. Qed.
Lemma sign_abs x : Rabs (sign x) = 1.
Proof. unfold sign. destruct (Rle_dec 0 x); [rewrite Rabs_right|rewrite Rabs_left]; lra. Qed.

Section Tail.
Variables (n : nat) (s a : nat -> R) (A : R).
Hypothesis Hn : (0 < n)%nat.
Hypothesis Ha : each i < n, Rabs (a i) <= A.

Lemma A_nonneg : 0 <= A.
Proof. eapply Rle_trans; [apply Rabs_pos|apply (Ha 0%nat Hn)]. Qed.
Lemma A3_nonneg : 0 <= A ^ 3.
Proof. apply pow_le, A_nonneg. Qed.

Theorem tail_sum : \sum_(i < n) Rabs (tail n s a i) <= A ^ 3 / 3.
Proof.
  destruct (tail_taylor n s a (fun i => sign (tail n s a i)) Hn) as (c & _ & E).
  rewrite (sum_ext n _ (fun i => Rabs (tail n s a i))) in E by (intros; apply sign_times). rewrite E.
  assert (Hp := p_at_probability n s a Hn c). set (p := p_at n s a c) in *.
  destruct (sharp_moments n p a A Hp A_nonneg Ha) as [_ S].
  assert (B : mean n p (fun i => sign (tail n s a i) * bracket n p a i) <= mean n p (fun i => Rabs (bracket n p a i))).
  { apply mean_le; auto. intros i _. eapply Rle_trans; [apply Rle_abs|]. rewrite Rabs_mult, sign_abs. lra. }
  lra.
Qed.

Theorem tail_each i : (i < n)%nat -> Rabs (tail n s a i) <= A ^ 3 / 6.
Proof.
  intros Hi. destruct (tail_taylor n s a (delta i) Hn) as (c & _ & E). rewrite sum_delta in E by auto. rewrite E.
  assert (Hp := p_at_probability n s a Hn c). set (p := p_at n s a c) in *.
  destruct (sharp_moments n p a A Hp A_nonneg Ha) as [_ S].
  assert (B : Rabs (mean n p (fun j => delta i j * bracket n p a j)) <= / 2 * mean n p (fun j => Rabs (bracket n p a j))).
  { replace (mean n p (fun j => delta i j * bracket n p a j)) with (mean n p (fun j => (delta i j - / 2) * bracket n p a j)).
    - eapply Rle_trans; [apply mean_abs; auto|]. rewrite <- mean_scal. apply mean_le; auto. intros j _.
      rewrite Rabs_mult. apply Rmult_le_compat_r; [apply Rabs_pos|]. unfold delta. apply Rabs_le.
      destruct (Nat.eq_dec i j); lra.
    - rewrite (mean_ext n p _ (fun j => delta i j * bracket n p a j - / 2 * bracket n p a j)) by (intros; ring).
      rewrite mean_minus, mean_scal. eta_mean. rewrite bracket_mean by auto. ring. }
  unfold Rdiv. rewrite Rabs_mult, (Rabs_right (/ 6)) by lra. lra.
Qed.

Theorem tail_squares : \sum_(i < n) (tail n s a i ^ 2) <= A ^ 6 / 18.
Proof.
  apply Rle_trans with (\sum_(i < n) (A ^ 3 / 6 * Rabs (tail n s a i))).
  - apply sum_le. intros i Hi. rewrite <- (Rabs_right (tail n s a i ^ 2)), <- RPow_abs by apply Rle_ge, pow2_ge_0.
    replace (Rabs (tail n s a i) ^ 2) with (Rabs (tail n s a i) * Rabs (tail n s a i)) by ring.
    apply Rmult_le_compat_r; [apply Rabs_pos|apply tail_each; auto].
  - rewrite sum_scal. pose proof tail_sum. pose proof A3_nonneg.
    replace (A ^ 6 / 18) with (A ^ 3 / 6 * (A ^ 3 / 3)) by field. apply Rmult_le_compat_l; lra.
Qed.

(** u_i are vectors of length d, none longer than U. *)
Theorem tail_of_outputs d (u : nat -> nat -> R) U : (each i < n, norm d (u i) <= U) ->
  norm d (fun k => \sum_(i < n) (tail n s a i * u i k)) <= U * (A ^ 3 / 3).
Proof.
  intros Hu. eapply Rle_trans; [apply norm_sum|].
  apply Rle_trans with (\sum_(i < n) (U * Rabs (tail n s a i))).
  - apply sum_le. intros i Hi. rewrite norm_scal, Rmult_comm. apply Rmult_le_compat_r; [apply Rabs_pos|auto].
  - rewrite sum_scal. apply Rmult_le_compat_l; [|apply tail_sum].
    eapply Rle_trans; [apply norm_nonneg|apply (Hu 0%nat Hn)].
Qed.

(** The paper's constants. *)
Theorem paper_tail :
  (each i < n, Rabs (tail n s a i) <= 7 * A ^ 3) /\
  \sum_(i < n) Rabs (tail n s a i) <= 7 * A ^ 3 /\
  \sum_(i < n) (tail n s a i ^ 2) <= 49 * A ^ 6 /\
  forall d u U, (each i < n, norm d (u i) <= U) -> norm d (fun k => \sum_(i < n) (tail n s a i * u i k)) <= 7 * U * A ^ 3.
Proof.
  pose proof A3_nonneg. assert (0 <= A ^ 6) by apply pow_le, A_nonneg. repeat split.
  - intros i Hi. pose proof (tail_each i Hi). lra.
  - pose proof tail_sum. lra.
  - pose proof tail_squares. lra.
  - intros d u U Hu. pose proof (tail_of_outputs d u U Hu).
    assert (0 <= U) by (eapply Rle_trans; [apply norm_nonneg|apply (Hu 0%nat Hn)]). nra.
Qed.
End Tail.

(** Two tokens, equal weights, a = (A, -A): the tails are -+ (A - tanh A)/2, and tanh A <= A - A^3/3 + 2 A^5/15. *)
Definition th x := (exp x - exp (- x)) / (exp x + exp (- x)).
Lemma th_derive x : is_derive th x (1 - th x ^ 2).
Proof.
  pose proof (exp_pos x). pose proof (exp_pos (- x)). unfold th. auto_derive; [lra|]. field. lra.
Qed.
Lemma does_not_fall (f f' : R -> R) x : 0 <= x -> (forall u, is_derive f u (f' u)) -> (forall u, 0 < u < x -> 0 <= f' u) -> f 0 <= f x.
Proof.
  intros [Hx|<-] D S; [|lra]. destruct (MVT_cor2 f f' 0 x Hx) as [c [E Rc]]; [intros; apply is_derive_Reals, D|].
  specialize (S c Rc). assert (0 <= f' c * (x - 0)) by (apply Rmult_le_pos; lra). lra.
Qed.
Ltac derive_th u := assert (ex_derive th u) by (eexists; apply th_derive); auto_derive; [auto|];
  change (fun x : R => th x) with th; rewrite (is_derive_unique _ _ _ (th_derive u)).
Lemma th_0 : th 0 = 0.
Proof. unfold th. rewrite Ropp_0. field. rewrite exp_0. lra. Qed.
Lemma th_between x : 0 <= x -> 0 <= th x <= x.
Proof.
  intros Hx. split.
  - unfold th. pose proof (exp_pos x). pose proof (exp_pos (- x)).
    assert (exp (- x) <= exp x) by (destruct Hx as [Hx|<-]; [left; apply exp_increasing; lra|rewrite Ropp_0; lra]).
    apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
  - pose proof (does_not_fall (fun u => u - th u) (fun u => th u ^ 2) x Hx) as F. simpl in F. rewrite th_0 in F.
    assert (0 - 0 <= x - th x); [|lra]. apply F.
    + intros u. derive_th u. ring.
    + intros u _. pose proof (pow2_ge_0 (th u)). lra.
Qed.
Lemma th_at_least x : 0 <= x -> x - x ^ 3 / 3 <= th x.
Proof.
  intros Hx. pose proof (does_not_fall (fun u => th u - u + u ^ 3 / 3) (fun u => u ^ 2 - th u ^ 2) x Hx) as F.
  cbv beta in F. rewrite th_0 in F. assert (0 - 0 + 0 ^ 3 / 3 <= th x - x + x ^ 3 / 3); [|lra]. apply F.
  - intros u. derive_th u. field.
  - intros u Hu. pose proof (th_between u ltac:(lra)). nra.
Qed.
Lemma th_at_most x : 0 <= x <= 1 -> th x <= x - x ^ 3 / 3 + 2 * x ^ 5 / 15.
Proof.
  intros Hx. pose proof (does_not_fall (fun u => u - u ^ 3 / 3 + 2 * u ^ 5 / 15 - th u)
    (fun u => th u ^ 2 - u ^ 2 + 2 * u ^ 4 / 3) x ltac:(lra)) as F.
  cbv beta in F. rewrite th_0 in F.
  assert (0 - 0 ^ 3 / 3 + 2 * 0 ^ 5 / 15 - 0 <= x - x ^ 3 / 3 + 2 * x ^ 5 / 15 - th x); [|lra]. apply F.
  - intros u. derive_th u. field.
  - intros u Hu. pose proof (th_at_least u ltac:(lra)) as L.
    assert (P : 0 <= u - u ^ 3 / 3) by (assert (0 <= u * (1 - u * u / 3)) by (apply Rmult_le_pos; nra); lra).
    assert (Q : (u - u ^ 3 / 3) ^ 2 <= th u ^ 2) by (apply pow_incr; lra). pose proof (pow2_ge_0 (u ^ 3)). lra.
Qed.

Lemma two_tokens A : let s (i : nat) := 0 in let a i := match i with O => A | _ => - A end in
  tail 2 s a 0 = (th A - A) / 2 /\ tail 2 s a 1 = - ((th A - A) / 2).
Proof.
  intros s a. assert (P : forall i, softmax 2 s i = / 2) by (intros; unfold softmax, partition, s; cbn [sum]; rewrite exp_0; field).
  assert (M : mean 2 (softmax 2 s) a = 0) by (unfold mean; cbn [sum]; rewrite !P; unfold a; field).
  assert (V : moment 2 (softmax 2 s) a 2 = A ^ 2).
  { unfold moment, mean, centred. rewrite M. cbn [sum]. rewrite !P. unfold a. field. }
  assert (T : forall i, tail 2 s a i = softmax 2 (fun j => s j + a j) i - / 2 - / 2 * a i - / 2 / 2 * (a i ^ 2 - A ^ 2)).
  { intros i. unfold tail, centred. rewrite P, M, V, Rminus_0_r. reflexivity. }
  rewrite !T. unfold softmax, partition, s, a, th. cbn [sum]. rewrite !Rplus_0_l.
  pose proof (exp_pos A). pose proof (exp_pos (- A)). split; field; lra.
Qed.

(** So neither constant can be lowered. *)
Theorem tail_sharp eps : 0 < eps -> exists A (s a : nat -> R), 0 < A /\ (each i < 2, Rabs (a i) <= A) /\
  (1 / 3 - eps) * A ^ 3 < \sum_(i < 2) Rabs (tail 2 s a i) /\ (1 / 6 - eps) * A ^ 3 < Rabs (tail 2 s a 0).
Proof.
  intros He. set (A := Rmin 1 eps). assert (A1 : 0 < A <= 1) by (split; [apply Rmin_pos; lra|apply Rmin_l]).
  assert (Ae : A <= eps) by apply Rmin_r. exists A, (fun _ => 0), (fun i => match i with O => A | _ => - A end).
  destruct (two_tokens A) as [T0 T1]. cbn [sum]. rewrite T0, T1. split; [lra|]. split.
  { intros [|i] _; [rewrite Rabs_right|rewrite Rabs_left]; lra. }
  pose proof (th_at_most A ltac:(lra)) as L. pose proof (th_between A ltac:(lra)).
  assert (A3 : 0 < A ^ 3) by (apply pow_lt; lra).
  assert (Gap : (1 / 3 - eps) * A ^ 3 < A - th A).
  { apply Rlt_le_trans with (A ^ 3 / 3 - 2 * A ^ 5 / 15); [|lra].
    replace (2 * A ^ 5 / 15) with (2 / 15 * A ^ 2 * A ^ 3) by field.
    assert (2 / 15 * A ^ 2 < eps) by nra. nra. }
  rewrite (Rabs_left1 ((th A - A) / 2)), (Rabs_right (- ((th A - A) / 2))) by lra. split; [lra|]. nra.
Qed.
