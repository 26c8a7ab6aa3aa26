(** The sums of AATC's eq. (14) over tokens: with X_l = E(alpha_l - abar)^2 and
    E alpha_l^2 <= s, M = sum a_l X_l is at most s (1 - sum a_l^2), and |sum w_i a_i^2 (2 X_i - M)| <= 27/100 s max w_i.

    The last sum is linear in the E alpha_l^2; with G = sum w_i a_i^2 and r = G - w_l a_l^2 <= max w (1 - a_l)^2 the coefficient
    of token l is w_l a_l^2 (1-a_l)(2-3a_l) + r a_l (3a_l-1): at most 27/100 a_l max w, at least -G a_l (1-a_l). *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From KVProof Require Import FiniteSums Probability LinearExpectation Expectation.
Open Scope R_scope.

(** The two sides of a token's coefficient below: w a^2 (1-a) (2-3a) + r a (3a-1), r of the other tokens. *)
Lemma coefficient_above a w r W : 0 <= a <= 1 -> 0 <= w <= W -> 0 <= r <= W * (1 - a) ^ 2 ->
  w * (a ^ 2 * ((1 - a) * (2 - 3 * a))) + r * (a * (3 * a - 1)) <= 27 / 100 * (W * a).
Proof.
  intros Ha Hw Hr. assert (W0 : 0 <= W) by lra. assert (Wa : 0 <= W * a) by (apply Rmult_le_pos; lra).
  assert (G : 0 <= (a - 26 / 100) ^ 2 * (344 / 100 - 3 * a)) by (apply Rmult_le_pos; [apply pow2_ge_0|lra]).
  assert (H : 0 <= (a - 431 / 1000) ^ 2 * (6828 / 1000 - 6 * a)) by (apply Rmult_le_pos; [apply pow2_ge_0|lra]).
  destruct (Rle_dec a (1 / 3)) as [C|C]; [|destruct (Rle_dec a (2 / 3)) as [C'|C']].
  - assert (r * (a * (1 - 3 * a)) >= 0) by (apply Rle_ge; repeat apply Rmult_le_pos; lra).
    assert (w * (a ^ 2 * ((1 - a) * (2 - 3 * a))) <= W * (a ^ 2 * ((1 - a) * (2 - 3 * a))))
      by (apply Rmult_le_compat_r; [repeat apply Rmult_le_pos; try apply pow2_ge_0; lra|lra]).
    assert (W * a * (a * ((1 - a) * (2 - 3 * a))) <= W * a * (27 / 100)) by (apply Rmult_le_compat_l; lra). lra.
  - assert (w * (a ^ 2 * ((1 - a) * (2 - 3 * a))) <= W * (a ^ 2 * ((1 - a) * (2 - 3 * a))))
      by (apply Rmult_le_compat_r; [repeat apply Rmult_le_pos; try apply pow2_ge_0; lra|lra]).
    assert (r * (a * (3 * a - 1)) <= W * (1 - a) ^ 2 * (a * (3 * a - 1)))
      by (apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|lra]).
    assert (W * a * ((1 - a) * (6 * a - 6 * a ^ 2 - 1)) <= W * a * (27 / 100)) by (apply Rmult_le_compat_l; lra). lra.
  - assert (0 <= w * (a ^ 2 * ((1 - a) * (3 * a - 2))))
      by (repeat apply Rmult_le_pos; try apply pow2_ge_0; lra).
    assert (r * (a * (3 * a - 1)) <= W * (1 - a) ^ 2 * (a * (3 * a - 1)))
      by (apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|lra]).
    assert ((1 - a) ^ 2 * (3 * a - 1) <= 1 / 9 * 2) by (apply Rmult_le_compat; try apply pow2_ge_0; nra).
    assert (W * a * ((1 - a) ^ 2 * (3 * a - 1)) <= W * a * (27 / 100)) by (apply Rmult_le_compat_l; lra). lra.
Qed.
Lemma coefficient_below a w G : 0 <= a <= 1 -> 0 <= w -> w * a ^ 2 <= G ->
  - (G * (a - a ^ 2)) <= w * a ^ 2 * (2 - 4 * a) + G * (3 * a ^ 2 - a).
Proof.
  intros Ha Hw HG. assert (W2 : 0 <= w * a ^ 2) by (apply Rmult_le_pos; [auto|apply pow2_ge_0]).
  destruct (Rle_dec a (1 / 2)) as [C|C].
  - assert (0 <= w * a ^ 2 * (2 - 4 * a)) by (apply Rmult_le_pos; lra).
    assert (0 <= G * (2 * a ^ 2)) by (apply Rmult_le_pos; [lra|pose proof (pow2_ge_0 a); lra]). lra.
  - assert (w * a ^ 2 * (4 * a - 2) <= G * (4 * a - 2)) by (apply Rmult_le_compat_r; lra).
    assert (0 <= G * (2 * (1 - a) ^ 2)) by (apply Rmult_le_pos; [lra|pose proof (pow2_ge_0 (1 - a)); lra]). lra.
Qed.

(** The variances X_l = E x_l^2 of (14) under weights a, with token variances e_l at most s. *)
Section Variances.
Variables (n : nat) (a e X : nat -> R) (s : R).
Hypothesis Ha : probability n a.
Hypothesis He : each i < n, 0 <= e i <= s.
Let S2 := \sum_(i < n) (a i ^ 2).
Hypothesis HX : each l < n, X l = (1 - 2 * a l) * e l + \sum_(i < n) (a i ^ 2 * e i).

Lemma a_between i : (i < n)%nat -> 0 <= a i <= 1.
Proof. intros Hi. destruct Ha as [P One]. split; [auto|]. rewrite <- One. apply sum_term; auto. Qed.
Lemma S2_between : 0 <= S2 <= 1.
Proof.
  split; [apply sum_nonneg; intros; apply pow2_ge_0|]. destruct Ha as [_ One]. rewrite <- One.
  apply sum_le. intros i Hi. pose proof (a_between i Hi). nra.
Qed.
Lemma mean_variance_sum : \sum_(l < n) (a l * X l) = \sum_(l < n) ((a l - a l ^ 2) * e l).
Proof.
  rewrite (sum_ext n _ (fun l => (a l - 2 * a l ^ 2) * e l + a l * \sum_(i < n) (a i ^ 2 * e i)))
    by (intros; rewrite HX by auto; ring).
  rewrite sum_plus, sum_scal_r. change (\sum_(i < n) a i) with (sum n a). rewrite (proj2 Ha).
  rewrite Rmult_1_l, <- sum_plus. apply sum_ext; intros; ring.
Qed.
Theorem mean_variance : 0 <= \sum_(l < n) (a l * X l) <= s * (1 - S2).
Proof.
  rewrite mean_variance_sum. split.
  - apply sum_nonneg. intros l Hl. pose proof (a_between l Hl). specialize (He l Hl). apply Rmult_le_pos; nra.
  - apply Rle_trans with (\sum_(l < n) (s * (a l - a l ^ 2))).
    + apply sum_le. intros l Hl. pose proof (a_between l Hl). specialize (He l Hl).
      assert (0 <= a l - a l ^ 2) by nra. nra.
    + rewrite sum_scal, sum_minus. fold S2. change (\sum_(i < n) a i) with (sum n a). rewrite (proj2 Ha). lra.
Qed.
Lemma X_nonneg l : (l < n)%nat -> 0 <= X l.
Proof.
  intros Hl. rewrite HX by auto. pose proof (a_between l Hl) as B. pose proof (He l Hl) as H.
  assert (a l ^ 2 * e l <= \sum_(i < n) (a i ^ 2 * e i)).
  { apply (sum_term n (fun i => a i ^ 2 * e i)); auto. intros i Hi. specialize (He i Hi).
    apply Rmult_le_pos; [apply pow2_ge_0|lra]. }
  assert (0 <= (1 - a l) ^ 2 * e l) by (apply Rmult_le_pos; [apply pow2_ge_0|lra]). nra.
Qed.

(** The second order of sum_i w_i E (a_i + delta a_i)^2 less sum_i w_i a_i^2. *)
Variables (w : nat -> R) (W : R).
Hypothesis Hw : each i < n, 0 <= w i <= W.
Let G := \sum_(i < n) (w i * a i ^ 2).
Let M := \sum_(l < n) (a l * X l).

Lemma others l : (l < n)%nat -> 0 <= G - w l * a l ^ 2 <= W * (1 - a l) ^ 2.
Proof.
  intros Hl. set (b := fun i => a i - delta l i * a l).
  assert (B0 : each i < n, 0 <= b i).
  { intros i Hi. pose proof (a_between i Hi). unfold b, delta. destruct (Nat.eq_dec l i) as [->|]; lra. }
  assert (B1 : sum n b = 1 - a l).
  { unfold b. rewrite sum_minus, (sum_delta n l (fun _ => a l)) by auto. change (sum n a - a l = 1 - a l).
    rewrite (proj2 Ha). ring. }
  assert (E : G - w l * a l ^ 2 = \sum_(i < n) (w i * b i ^ 2)).
  { unfold G. rewrite <- (sum_delta n l (fun i => w i * a i ^ 2)) by auto. rewrite <- sum_minus. apply sum_ext. intros i Hi.
    unfold b, delta. destruct (Nat.eq_dec l i) as [->|]; ring. }
  rewrite E. split.
  - apply sum_nonneg. intros i Hi. apply Rmult_le_pos; [apply Hw; auto|apply pow2_ge_0].
  - apply Rle_trans with (\sum_(i < n) (W * (1 - a l) * b i)).
    + apply sum_le. intros i Hi. pose proof (B0 i Hi). pose proof (Hw i Hi).
      assert (b i <= 1 - a l) by (rewrite <- B1; apply sum_term; auto). pose proof (a_between l Hl).
      apply Rle_trans with (W * b i ^ 2); [apply Rmult_le_compat_r; [apply pow2_ge_0|lra]|].
      replace (W * (1 - a l) * b i) with (W * ((1 - a l) * b i)) by ring. apply Rmult_le_compat_l; nra.
    + rewrite sum_scal. change (\sum_(i < n) b i) with (sum n b). rewrite B1. right. ring.
Qed.

Theorem second_order : Rabs (\sum_(i < n) (w i * (a i ^ 2 * (2 * X i - M)))) <= 27 / 100 * s * W.
Proof.
  assert (E : \sum_(i < n) (w i * (a i ^ 2 * (2 * X i - M)))
    = \sum_(l < n) (e l * (w l * a l ^ 2 * (2 - 4 * a l) + G * (3 * a l ^ 2 - a l)))).
  { set (T := \sum_(i < n) (a i ^ 2 * e i)).
    rewrite (sum_ext n _ (fun i => e i * (w i * a i ^ 2 * (2 - 4 * a i)) + (2 * T - M) * (w i * a i ^ 2)))
      by (intros; rewrite HX by auto; fold T; ring).
    rewrite sum_plus, sum_scal. fold G. unfold M. rewrite mean_variance_sum. unfold T.
    rewrite <- sum_scal, <- sum_minus, <- sum_scal_r, <- sum_plus. apply sum_ext. intros; ring. }
  rewrite E. clear E. assert (Gw : G <= W * S2).
  { unfold G, S2. rewrite <- sum_scal. apply sum_le. intros i Hi. apply Rmult_le_compat_r; [apply pow2_ge_0|apply Hw; auto]. }
  assert (G0 : 0 <= G) by (apply sum_nonneg; intros i Hi; apply Rmult_le_pos; [apply Hw; auto|apply pow2_ge_0]).
  pose proof S2_between as B2. destruct (Nat.eq_dec n 0) as [Z|Z].
  { exfalso. destruct Ha as [_ One]. rewrite Z in One. cbn [sum] in One. lra. }
  assert (S0 : 0 <= s) by (specialize (He 0%nat ltac:(lia)); lra).
  assert (W0 : 0 <= W) by (specialize (Hw 0%nat ltac:(lia)); lra).
  assert (SW : 0 <= s * W) by (apply Rmult_le_pos; auto).
  apply Rabs_le. split.
  - apply Rle_trans with (\sum_(l < n) (- (s * G) * (a l - a l ^ 2))).
    + rewrite sum_scal, sum_minus. fold S2. change (\sum_(i < n) a i) with (sum n a). rewrite (proj2 Ha).
      assert (s * G * (1 - S2) <= s * (W * S2) * (1 - S2))
        by (apply Rmult_le_compat_r; [lra|apply Rmult_le_compat_l; auto]).
      assert (s * W * (S2 * (1 - S2)) <= s * W * (1 / 4))
        by (apply Rmult_le_compat_l; auto; pose proof (pow2_ge_0 (S2 - 1 / 2)); lra). lra.
    + apply sum_le. intros l Hl. pose proof (a_between l Hl) as Ba. pose proof (He l Hl) as Be. pose proof (others l Hl).
      assert (L := coefficient_below (a l) (w l) G Ba (proj1 (Hw l Hl)) ltac:(lra)).
      apply Rle_trans with (e l * - (G * (a l - a l ^ 2))); [|apply Rmult_le_compat_l; lra].
      assert (0 <= G * (a l - a l ^ 2)) by (apply Rmult_le_pos; nra). nra.
  - apply Rle_trans with (\sum_(l < n) (27 / 100 * s * W * a l)).
    + apply sum_le. intros l Hl. pose proof (a_between l Hl) as Ba. pose proof (He l Hl) as Be.
      assert (U := coefficient_above (a l) (w l) (G - w l * a l ^ 2) W Ba (Hw l Hl) (others l Hl)).
      assert (0 <= W * a l) by (apply Rmult_le_pos; lra).
      apply Rle_trans with (e l * (27 / 100 * (W * a l))); [apply Rmult_le_compat_l; lra|].
      replace (27 / 100 * s * W * a l) with (s * (27 / 100 * (W * a l))) by ring. apply Rmult_le_compat_r; lra.
    + rewrite sum_scal. change (\sum_(i < n) a i) with (sum n a). rewrite (proj2 Ha). lra.
Qed.
End Variances.
