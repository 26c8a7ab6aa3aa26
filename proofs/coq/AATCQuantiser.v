(** AATC, Definition 2 and step 2b of section V: what its token-scaled quantiser does at every number of bits.

    aatc.quantiser.nonoverload.b0, .b1, .b2_16   never more than Delta/2: refuted by h/s = alpha, which errs by Delta
    aatc.quantiser.nonoverload.largest           at most Delta/2 up to alpha (1 - 2^-b), from there on Delta - (alpha - h)
    aatc.quantiser.nonoverload.repaired          levels in the middle of the cells: at most Delta/2 everywhere, and odd
    aatc.quantiser.zero_mean                     refuted by +-alpha, each with probability 1/2: the mean is -Delta/2
    aatc.quantiser.zero_mean.value               errors of h and -h cancel for |h| < alpha (1 - 2^-b), else add up to -Delta:
                                                 the mean for a symmetric h is -(Delta/2) P(|h| >= alpha (1 - 2^-b))

    h stands for h/s. With y = h/Delta and M = 2^b/2 = alpha/Delta the code is n = floor(y + 1/2) clamped to [-M, M - 1]:
    y - 1/2 < n <= y + 1/2, and M is an integer from b = 1 on (at b = 0 both ends of the clamp are -1/2). Only where
    y > M - 1/2 does the clamp change n, to M - 1. *)
From Coq Require Import Reals ZArith Lra Lia.
From KVProof Require Import LinearExpectation.
Open Scope R_scope.

Definition floor x := IZR (Int_part x).
Definition clamp low high x := Rmin (Rmax x low) high.
Definition half_levels b := 2 ^ b / 2.
Definition step alpha b := 2 * alpha / 2 ^ b.
Definition printed_code M y := clamp (- M) (M - 1) (floor (y + / 2)).
Definition repaired_code M y := clamp (- M) (M - 1) (floor y).
Definition printed alpha b h := step alpha b * printed_code (half_levels b) (h / step alpha b).
Definition repaired alpha b h := step alpha b * (repaired_code (half_levels b) (h / step alpha b) + / 2).

Lemma floor_range x : x - 1 < floor x <= x.
Proof. unfold floor. destruct (base_Int_part x). lra. Qed.
Lemma floor_integer x : exists n, floor x = IZR n.
Proof. now exists (Int_part x). Qed.

(** Integers less than one apart are equal. *)
Lemma near m n : IZR m - 1 < IZR n -> IZR m <= IZR n.
Proof.
  intros H. apply IZR_le. apply Z.lt_succ_r. apply lt_IZR. rewrite succ_IZR. lra.
Qed.

Lemma clamp_inside low high x : low <= x <= high -> clamp low high x = x.
Proof. intros H. unfold clamp. rewrite Rmax_left by lra. apply Rmin_left. lra. Qed.
Lemma clamp_above low high x : low <= high -> high <= x -> clamp low high x = high.
Proof. intros L H. unfold clamp. apply Rmin_right. apply Rle_trans with x; auto. apply Rmax_l. Qed.
Lemma clamp_point p x : clamp p p x = p.
Proof. unfold clamp. apply Rmin_right. apply Rmax_r. Qed.

Lemma step_positive alpha b : 0 < alpha -> 0 < step alpha b.
Proof. intros H. unfold step, Rdiv. apply Rmult_lt_0_compat; [lra|]. apply Rinv_0_lt_compat. apply pow_lt. lra. Qed.
Lemma reach alpha b : alpha = step alpha b * half_levels b.
Proof. unfold step, half_levels. field. apply pow_nonzero. lra. Qed.
Lemma half_levels_zero : half_levels 0 = / 2.
Proof. unfold half_levels. simpl. lra. Qed.
Lemma half_levels_integer b : exists m, (1 <= m)%Z /\ half_levels (S b) = IZR m.
Proof.
  exists (2 ^ Z.of_nat b)%Z. split.
  - assert (0 < 2 ^ Z.of_nat b)%Z by (apply Z.pow_pos_nonneg; lia). lia.
  - unfold half_levels. simpl. rewrite <- pow_IZR. field.
Qed.
Lemma last_cell alpha b h : 0 < alpha -> (h <= alpha * (1 - / 2 ^ b) <-> h / step alpha b <= half_levels b - / 2).
Proof.
  intros H. pose proof (step_positive alpha b H) as P. pose proof (pow_lt 2 b ltac:(lra)) as Q.
  assert (E : alpha * (1 - / 2 ^ b) = step alpha b * (half_levels b - / 2)) by (unfold step, half_levels; field; lra).
  rewrite E. split; intros L.
  - apply Rmult_le_reg_l with (step alpha b); auto. replace (step alpha b * (h / step alpha b)) with h by (field; lra). auto.
  - apply Rmult_le_compat_l with (r := step alpha b) in L; [|lra].
    replace (step alpha b * (h / step alpha b)) with h in L by (field; lra). auto.
Qed.
Lemma inside alpha b h : 0 < alpha -> Rabs h <= alpha -> - half_levels b <= h / step alpha b <= half_levels b.
Proof.
  intros H A. pose proof (step_positive alpha b H) as P. pose proof (reach alpha b) as E.
  assert (F : h = step alpha b * (h / step alpha b)) by (field; lra).
  pose proof (Rle_abs h). pose proof (Rle_abs (- h)). rewrite Rabs_Ropp in *.
  split; apply Rmult_le_reg_l with (step alpha b); auto; lra.
Qed.

(** The code's error in units of Delta. *)
Lemma code_error b y : let M := half_levels b in - M <= y <= M ->
  (y <= M - / 2 -> Rabs (printed_code M y - y) <= / 2) /\ (M - / 2 <= y -> printed_code M y = M - 1).
Proof.
  intros M Y. unfold printed_code. destruct b as [|b].
  - unfold M in *. rewrite half_levels_zero in *. replace (/ 2 - 1) with (- / 2) by lra. rewrite clamp_point.
    split; intros; [apply Rabs_le|]; lra.
  - destruct (half_levels_integer b) as (m & Pm & Em). fold M in Em. pose proof (floor_range (y + / 2)) as F.
    destruct (floor_integer (y + / 2)) as [n En]. rewrite En in *. pose proof (IZR_le 1 m Pm) as M1.
    assert (L : - M <= IZR n) by (rewrite Em, <- opp_IZR; apply near; rewrite opp_IZR; lra).
    split; intros C.
    + destruct (Rle_dec (IZR n) (M - 1)) as [I|I].
      * rewrite clamp_inside by lra. apply Rabs_le. lra.
      * assert (M <= IZR n) by (rewrite Em; apply near; rewrite <- Em; lra).
        rewrite clamp_above by lra. apply Rabs_le. lra.
    + now rewrite clamp_above by lra.
Qed.

(** The entry that sets the scale. *)
Theorem overload alpha b : 0 < alpha -> printed alpha b alpha - alpha = - step alpha b.
Proof.
  intros H. pose proof (step_positive alpha b H) as P. pose proof (reach alpha b) as E. unfold printed.
  assert (Y : alpha / step alpha b = half_levels b) by (rewrite E at 1; field; lra). rewrite Y.
  pose proof (pow_lt 2 b ltac:(lra)). assert (0 < half_levels b) by (unfold half_levels; lra).
  assert (I : - half_levels b <= half_levels b <= half_levels b) by lra.
  destruct (code_error b (half_levels b) I) as [_ C]. rewrite C by lra.
  replace (step alpha b * (half_levels b - 1)) with (step alpha b * half_levels b - step alpha b) by ring.
  rewrite <- E. ring.
Qed.

Theorem largest_error alpha b h : 0 < alpha -> Rabs h <= alpha ->
  (h <= alpha * (1 - / 2 ^ b) -> Rabs (printed alpha b h - h) <= step alpha b / 2) /\
  (alpha * (1 - / 2 ^ b) <= h -> h - printed alpha b h = step alpha b - (alpha - h)).
Proof.
  intros H A. pose proof (step_positive alpha b H) as P. pose proof (inside alpha b h H A) as Y.
  assert (F : h = step alpha b * (h / step alpha b)) by (field; lra).
  destruct (code_error b (h / step alpha b) Y) as [C D]. unfold printed. split; intros L.
  - apply last_cell in L; auto. apply C in L. rewrite F at 2.
    replace (step alpha b * printed_code (half_levels b) (h / step alpha b) - step alpha b * (h / step alpha b))
      with (step alpha b * (printed_code (half_levels b) (h / step alpha b) - h / step alpha b)) by ring.
    rewrite Rabs_mult, Rabs_right by lra. apply Rmult_le_compat_l with (r := step alpha b) in L; lra.
  - assert (G : half_levels b - / 2 <= h / step alpha b).
    { destruct (Rle_dec (half_levels b - / 2) (h / step alpha b)); auto.
      apply Rmult_le_reg_l with (step alpha b); auto. rewrite <- F.
      apply Rle_trans with (alpha * (1 - / 2 ^ b)); auto.
      pose proof (pow_lt 2 b ltac:(lra)). right. unfold step, half_levels. field. lra. }
    rewrite D by auto. pose proof (reach alpha b). lra.
Qed.

Lemma repaired_bound alpha b h : 0 < alpha -> Rabs h <= alpha -> Rabs (repaired alpha b h - h) <= step alpha b / 2.
Proof.
  intros H A. pose proof (step_positive alpha b H) as P. pose proof (inside alpha b h H A) as Y.
  assert (F : h = step alpha b * (h / step alpha b)) by (field; lra).
  assert (C : Rabs (repaired_code (half_levels b) (h / step alpha b) + / 2 - h / step alpha b) <= / 2).
  { set (y := h / step alpha b) in *. unfold repaired_code. destruct b as [|b].
    - rewrite half_levels_zero in *. replace (/ 2 - 1) with (- / 2) by lra. rewrite clamp_point. apply Rabs_le. lra.
    - destruct (half_levels_integer b) as (m & Pm & Em). rewrite Em in *. pose proof (floor_range y) as G.
      destruct (floor_integer y) as [n En]. rewrite En in *. pose proof (IZR_le 1 m Pm).
      assert (- IZR m <= IZR n) by (rewrite <- opp_IZR; apply near; rewrite opp_IZR; lra).
      destruct (Rle_dec (IZR n) (IZR m - 1)).
      + rewrite clamp_inside by lra. apply Rabs_le. lra.
      + assert (IZR m <= IZR n) by (apply near; lra). rewrite clamp_above by lra. apply Rabs_le. lra. }
  unfold repaired. rewrite F at 2.
  replace (step alpha b * (repaired_code (half_levels b) (h / step alpha b) + / 2) - step alpha b * (h / step alpha b))
    with (step alpha b * (repaired_code (half_levels b) (h / step alpha b) + / 2 - h / step alpha b)) by ring.
  rewrite Rabs_mult, Rabs_right by lra. apply Rmult_le_compat_l with (r := step alpha b) in C; lra.
Qed.

(** Inside the cells; at b = 0 all is one cell. *)
Lemma repaired_odd alpha b h : 0 < alpha -> Rabs h <= alpha -> (forall n, h / step alpha b <> IZR n) \/ b = 0%nat ->
  repaired alpha b (- h) = - repaired alpha b h.
Proof.
  intros H A N. pose proof (step_positive alpha b H) as P. pose proof (inside alpha b h H A) as Y.
  assert (F : - h / step alpha b = - (h / step alpha b)) by (field; lra). unfold repaired. rewrite F.
  set (y := h / step alpha b) in *. unfold repaired_code. destruct b as [|b].
  - rewrite half_levels_zero. replace (/ 2 - 1) with (- / 2) by lra. rewrite !clamp_point. lra.
  - destruct N as [N|N]; [|discriminate]. destruct (half_levels_integer b) as (m & Pm & Em). rewrite Em in *.
    pose proof (floor_range y) as G. pose proof (floor_range (- y)) as K.
    destruct (floor_integer y) as [n En]. destruct (floor_integer (- y)) as [k Ek]. rewrite En, Ek in *.
    assert (IZR n <> y) by (intros E; apply (N n); lra).
    assert (S : IZR k = - IZR n - 1).
    { rewrite <- opp_IZR, <- minus_IZR. apply Rle_antisym; apply near; rewrite minus_IZR, opp_IZR; lra. }
    assert (- IZR m <= IZR n) by (rewrite <- opp_IZR; apply near; rewrite opp_IZR; lra).
    assert (IZR n <= IZR m - 1) by (rewrite <- minus_IZR; apply near; rewrite minus_IZR; lra).
    rewrite !clamp_inside by lra. rewrite S. field.
Qed.

Theorem repaired_error alpha b h : 0 < alpha -> Rabs h <= alpha ->
  Rabs (repaired alpha b h - h) <= step alpha b / 2 /\
  ((forall n, h / step alpha b <> IZR n) \/ b = 0%nat -> repaired alpha b (- h) - - h = - (repaired alpha b h - h)).
Proof.
  intros H A. split; [now apply repaired_bound|]. intros N. rewrite repaired_odd by auto. ring.
Qed.

(** Two entries, alpha and -alpha: the mean of their errors. *)
Theorem mean_of_ends alpha b : 0 < alpha ->
  ((printed alpha b alpha - alpha) + (printed alpha b (- alpha) - - alpha)) / 2 = - step alpha b / 2.
Proof.
  intros H. rewrite overload by auto. pose proof (step_positive alpha b H) as P. pose proof (reach alpha b) as E.
  assert (Y : - alpha / step alpha b = - half_levels b) by (rewrite E at 1; field; lra).
  assert (Q : printed_code (half_levels b) (- half_levels b) = - half_levels b).
  { unfold printed_code. destruct b as [|b].
    - rewrite half_levels_zero. replace (/ 2 - 1) with (- / 2) by lra. apply clamp_point.
    - destruct (half_levels_integer b) as (m & Pm & Em). rewrite Em. pose proof (floor_range (- IZR m + / 2)) as G.
      destruct (floor_integer (- IZR m + / 2)) as [n En]. rewrite En in *. pose proof (IZR_le 1 m Pm).
      assert (- IZR m <= IZR n) by (rewrite <- opp_IZR; apply near; rewrite opp_IZR; lra).
      assert (IZR n <= - IZR m) by (rewrite <- opp_IZR; apply near; rewrite opp_IZR; lra).
      rewrite clamp_inside by lra. lra. }
  unfold printed. rewrite Y, Q. replace (step alpha b * - half_levels b) with (- alpha) by (rewrite E at 1; ring). field.
Qed.

(** h and -h, off the boundaries of cells. *)
Lemma opposite_codes b y : let M := half_levels b in 0 <= y <= M -> (forall n, y + / 2 <> IZR n) ->
  (y < M - / 2 -> printed_code M y + printed_code M (- y) = 0) /\
  (M - / 2 <= y -> printed_code M y + printed_code M (- y) = -1).
Proof.
  intros M Y N. unfold printed_code. destruct b as [|b].
  - unfold M in *. rewrite half_levels_zero in *. replace (/ 2 - 1) with (- / 2) by lra. rewrite !clamp_point.
    split; intros; lra.
  - destruct (half_levels_integer b) as (m & Pm & Em). fold M in Em. rewrite Em in *. pose proof (IZR_le 1 m Pm).
    pose proof (floor_range (y + / 2)) as F. pose proof (floor_range (- y + / 2)) as G.
    destruct (floor_integer (y + / 2)) as [n En]. destruct (floor_integer (- y + / 2)) as [k Ek]. rewrite En, Ek in *.
    assert (IZR n <> y + / 2) by (intros E; apply (N n); lra).
    assert (IZR k <> - y + / 2) by (intros E; apply (N (1 - k)%Z); rewrite minus_IZR; lra).
    assert (S : IZR k = - IZR n).
    { rewrite <- opp_IZR. apply Rle_antisym; apply near; rewrite opp_IZR; lra. }
    assert (- IZR m <= IZR k) by (rewrite <- opp_IZR; apply near; rewrite opp_IZR; lra).
    assert (0 <= IZR n) by (apply (near 0 n); lra).
    assert (K : clamp (- IZR m) (IZR m - 1) (IZR k) = IZR k) by (apply clamp_inside; lra). rewrite K. split; intros C.
    + assert (IZR n <= IZR m - 1) by (rewrite <- minus_IZR; apply near; rewrite minus_IZR; lra).
      rewrite clamp_inside; lra.
    + assert (IZR m <= IZR n) by (apply near; lra).
      assert (IZR n <= IZR m) by (apply near; lra). rewrite clamp_above; lra.
Qed.

Theorem opposite_errors alpha b h : 0 < alpha -> 0 <= h <= alpha -> (forall n, h / step alpha b + / 2 <> IZR n) ->
  (h < alpha * (1 - / 2 ^ b) -> (printed alpha b h - h) + (printed alpha b (- h) - - h) = 0) /\
  (alpha * (1 - / 2 ^ b) <= h -> (printed alpha b h - h) + (printed alpha b (- h) - - h) = - step alpha b).
Proof.
  intros H A N. pose proof (step_positive alpha b H) as P. assert (R : Rabs h <= alpha) by (rewrite Rabs_right; lra).
  pose proof (inside alpha b h H R) as Y. pose proof (pow_lt 2 b ltac:(lra)) as Q.
  assert (F : - h / step alpha b = - (h / step alpha b)) by (field; lra).
  assert (B : step alpha b * (h / step alpha b) = h) by (field; lra).
  assert (E : alpha * (1 - / 2 ^ b) = step alpha b * (half_levels b - / 2)) by (unfold step, half_levels; field; lra).
  unfold printed. rewrite F, E. set (y := h / step alpha b) in *. set (s := step alpha b) in *.
  assert (Z0 : 0 <= y) by (apply Rmult_le_reg_l with s; auto; lra).
  destruct (opposite_codes b y) as [C D]; [lra|auto|]. split; intros L; rewrite <- B in L.
  - apply Rmult_lt_reg_l in L; auto. apply C in L.
    replace (printed_code (half_levels b) y) with (- printed_code (half_levels b) (- y)) by lra. ring.
  - apply Rmult_le_reg_l in L; auto. apply D in L.
    replace (printed_code (half_levels b) y) with (-1 - printed_code (half_levels b) (- y)) by lra. ring.
Qed.

(** A symmetric law: flip turns the sign of h. No h lies on a boundary of cells. *)
Theorem mean_error Omega (Ex : (Omega -> R) -> R) (flip : Omega -> Omega) alpha b (h : Omega -> R) :
  linear Omega Ex -> (forall f, Ex (fun w => f (flip w)) = Ex f) -> (forall w, h (flip w) = - h w) ->
  0 < alpha -> (forall w, Rabs (h w) <= alpha) -> (forall w n, Rabs (h w) / step alpha b + / 2 <> IZR n) ->
  let above w := if Rle_dec (alpha * (1 - / 2 ^ b)) (Rabs (h w)) then 1 else 0 in
  Ex (fun w => printed alpha b (h w) - h w) = - (step alpha b / 2) * Ex above.
Proof.
  intros lin Flip Odd H A N above. set (e := fun w => printed alpha b (h w) - h w).
  assert (Pair : forall w, e w + e (flip w) = - step alpha b * above w).
  { intros w. unfold e. rewrite Odd.
    assert (B : 0 <= Rabs (h w) <= alpha) by (split; [apply Rabs_pos|auto]).
    assert (E : (printed alpha b (h w) - h w) + (printed alpha b (- h w) - - h w)
      = (printed alpha b (Rabs (h w)) - Rabs (h w)) + (printed alpha b (- Rabs (h w)) - - Rabs (h w))).
    { unfold Rabs. destruct (Rcase_abs (h w)); [rewrite !Ropp_involutive|]; ring. }
    rewrite E. destruct (opposite_errors alpha b (Rabs (h w)) H B (N w)) as [C D]. unfold above.
    destruct (Rle_dec (alpha * (1 - / 2 ^ b)) (Rabs (h w))) as [L|L]; [rewrite D by auto|rewrite C by lra]; ring. }
  assert (Twice : Ex e + Ex e = - step alpha b * Ex above).
  { rewrite <- (Flip e) at 2. rewrite <- (proj1 lin e (fun w => e (flip w))).
    rewrite <- (Ex_scal Omega Ex lin (- step alpha b) above). apply Ex_ext. exact Pair. }
  change (Ex (fun w => printed alpha b (h w) - h w)) with (Ex e). lra.
Qed.
