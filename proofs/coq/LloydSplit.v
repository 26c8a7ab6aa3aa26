(** ReadKV, D.1: the split of one cell (l, u) of the standard normal law, u finite or infinite, at a boundary m that is the
    midpoint of its children's centroids.

    readkv.lloyd.tree   (for one cell of any tree) a split is unique, and two signs show that it exists; a child's centroid
                        rises with the outer boundary, so rational enclosures of the outer boundaries suffice.

    stat(m) = 2m - c(l,m) - c(m,u) is zero exactly at a split. It rises, because each centroid rises with m more slowly than
    m does: for the lower child area^2 - bell(m) (m area - (bell(l) - bell(m))) is 0 at m = l and has the derivative
    bell(m) ((1 + m^2) area + m bell(m) - m bell(l)), which is 0 at l and has the derivative 2m area + 2 bell(m) - bell(l),
    which is positive at l and has the derivative 2 area. The finite upper child is the lower one, reflected; the infinite one
    goes the same way from infinity (Sampford's inequality). *)
From Coq Require Import Reals Ranalysis5 Lra Lia.
From Coquelicot Require Import Coquelicot.
From KVProof Require Import ExactInterval GaussianIntegral.
Open Scope R_scope.

(** The normal density and distribution. *)
Definition phi x := / sqrt (2 * PI) * exp (- (x * x) / 2).
Definition Phi x := / 2 + area x / (2 * whole).

Lemma two_whole : 2 * whole = sqrt (2 * PI).
Proof. pose proof whole_pos. pose proof whole_square. rewrite <- (sqrt_square (2 * whole)) by lra. f_equal. lra. Qed.
Lemma phi_bell x : phi x = bell x / (2 * whole).
Proof. unfold phi, bell. rewrite two_whole. unfold Rdiv. ring. Qed.

Theorem distribution : (forall x, is_derive Phi x (phi x)) /\ is_lim Phi p_infty 1 /\ forall x, Phi (- x) = 1 - Phi x.
Proof.
  pose proof whole_pos as P. refine (conj _ (conj _ _)).
  - intros x. rewrite phi_bell. unfold Phi. derive_at x. field. lra.
  - unfold Phi. replace (Finite 1) with (Rbar_plus (/ 2) (Rbar_mult whole (/ (2 * whole)))) by (simpl; f_equal; field; lra).
    apply is_lim_plus'; [apply is_lim_const|]. apply (is_lim_scal_r area (/ (2 * whole)) p_infty whole gaussian_integral).
  - intros x. unfold Phi. rewrite area_odd. field. lra.
Qed.

(** The upper end of a cell. *)
Inductive end_ := At (u : R) | Infinity.
Definition below m U := match U with At u => m < u | Infinity => True end.
Definition area_to U := match U with At u => area u | Infinity => whole end.
Definition bell_at U := match U with At u => bell u | Infinity => 0 end.

(** Centroids of (l, m) and (m, U). *)
Definition lower l m := (bell l - bell m) / (area m - area l).
Definition upper m U := (bell m - bell_at U) / (area_to U - area m).
Definition stat l U m := 2 * m - lower l m - upper m U.
Definition split l U m := l < m /\ below m U /\ stat l U m = 0.

Theorem centroids : (forall l m, l < m -> lower l m = (phi l - phi m) / (Phi m - Phi l)) /\
  (forall m u, m < u -> upper m (At u) = (phi m - phi u) / (Phi u - Phi m)) /\
  forall m, area m < whole -> upper m Infinity = (phi m - 0) / (1 - Phi m).
Proof.
  pose proof whole_pos as P. refine (conj _ (conj _ _)); intros; rewrite ?phi_bell; unfold lower, upper, Phi; simpl.
  - pose proof (area_rises l m H). field. lra.
  - pose proof (area_rises m u H). field. lra.
  - field. repeat split; lra.
Qed.

(** The lower child. *)
Section Lower.
Variable l : R.
Lemma lower_area m : l < m -> 0 < area m - area l.
Proof. intros H. pose proof (area_rises l m H). lra. Qed.
Lemma lower_second m : l < m -> 0 < 2 * m * (area m - area l) + 2 * bell m - bell l.
Proof.
  intros H. pose proof (bell_pos l).
  assert (2 * l * (area l - area l) + 2 * bell l - bell l < 2 * m * (area m - area l) + 2 * bell m - bell l); [|lra].
  apply (rises (fun m => 2 * m * (area m - area l) + 2 * bell m - bell l) (fun m => 2 * (area m - area l))); auto.
  - intros x _. derive_at x. ring.
  - intros x Hx. pose proof (lower_area x). lra.
Qed.
Lemma lower_first m : l < m -> 0 < (1 + m * m) * (area m - area l) + m * bell m - m * bell l.
Proof.
  intros H. assert ((1 + l * l) * (area l - area l) + l * bell l - l * bell l
    < (1 + m * m) * (area m - area l) + m * bell m - m * bell l); [|lra].
  apply (rises (fun m => (1 + m * m) * (area m - area l) + m * bell m - m * bell l)
    (fun m => 2 * m * (area m - area l) + 2 * bell m - bell l)); auto.
  - intros x _. derive_at x. ring.
  - intros x Hx. apply lower_second. lra.
Qed.
Lemma lower_slow m : l < m ->
  bell m * (m * (area m - area l) - (bell l - bell m)) < (area m - area l) * (area m - area l).
Proof.
  intros H. pose (G := fun m => (area m - area l) * (area m - area l) - bell m * (m * (area m - area l) - (bell l - bell m))).
  assert (A : G l < G m); [|unfold G in A; lra].
  apply (rises G (fun m => bell m * ((1 + m * m) * (area m - area l) + m * bell m - m * bell l))); auto; unfold G.
  - intros x _. derive_at x. ring.
  - intros x Hx. apply Rmult_lt_0_compat; [apply bell_pos|apply lower_first; lra].
Qed.
End Lower.

(** The infinite upper child: everything tends to 0 as fast as 4/M^2. *)
Lemma at_most_0 x c : 0 <= c -> (forall M, 1 <= M -> x <= c / M) -> x <= 0.
Proof.
  intros Hc H. destruct (Rle_dec x 0) as [|N]; auto. exfalso. assert (P : 0 < (c + 1) / x) by (apply Rdiv_lt_0_compat; lra).
  specialize (H (1 + (c + 1) / x) ltac:(lra)). apply Rmult_le_compat_r with (r := 1 + (c + 1) / x) in H; [|lra].
  replace (c / (1 + (c + 1) / x) * (1 + (c + 1) / x)) with c in H by (field; split; [lra|]; assert ((c+1)/x*x = c+1) by (field; lra); nra).
  rewrite Rmult_plus_distr_l in H. replace (x * ((c + 1) / x)) with (c + 1) in H by (field; lra). lra.
Qed.
Lemma rest_small M : 0 < M -> 0 <= whole - area M <= 4 / (M * M).
Proof.
  intros HM. destruct (missing M HM) as [A B]. split; auto. pose proof (bell_small M HM). pose proof (bell_pos M).
  assert (K : / whole <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; [lra|]; unfold whole; interval with (i_prec 40)).
  apply Rle_trans with (2 * bell M * 1); [|lra]. eapply Rle_trans; [exact B|]. apply Rmult_le_compat_l; lra.
Qed.

Section Upper.
Let P m := whole - area m.
Lemma rest_pos m : 0 < P m.
Proof.
  unfold P. pose proof (Rmax_l 1 (m + 1)). pose proof (Rmax_r 1 (m + 1)). set (M := Rmax 1 (m + 1)) in *.
  pose proof (rest_small M ltac:(lra)). pose proof (area_rises m M ltac:(lra)). lra.
Qed.
(** A function that rises to values which 1/M bounds is negative everywhere. *)
Lemma rises_to_0 (f : R -> R) c : 0 <= c -> (forall a b, a < b -> f a < f b) -> (forall y, 1 <= y -> f y <= c / y) ->
  forall m, f m < 0.
Proof.
  intros Hc Up Far m. apply Rlt_le_trans with (f (m + 1)); [apply Up; lra|]. apply at_most_0 with c; auto. intros M HM.
  destruct (Rlt_le_dec (m + 1) M) as [H|H].
  - left. apply Rlt_le_trans with (f M); auto.
  - eapply Rle_trans; [apply Far; lra|]. apply Rmult_le_compat_l; auto. apply Rinv_le_contravar; lra.
Qed.
Lemma upper_second m : 2 * m * P m - 2 * bell m < 0.
Proof.
  apply (rises_to_0 (fun m => 2 * m * P m - 2 * bell m) 8); [lra| |].
  - intros a b H. apply (rises (fun m => 2 * m * (whole - area m) - 2 * bell m) (fun m => 2 * (whole - area m))); auto.
    + intros x _. derive_at x. ring.
    + intros x _. pose proof (rest_pos x). unfold P in *. lra.
  - intros y Hy. pose proof (rest_small y ltac:(lra)). fold (P y) in H. pose proof (bell_pos y).
    assert (2 * y * P y <= 2 * y * (4 / (y * y))) by (apply Rmult_le_compat_l; lra).
    replace (2 * y * (4 / (y * y))) with (8 / y) in * by (field; lra). lra.
Qed.
Lemma upper_first m : m * bell m - (1 + m * m) * P m < 0.
Proof.
  apply (rises_to_0 (fun m => m * bell m - (1 + m * m) * P m) 2); [lra| |].
  - intros a b H. apply (rises (fun m => m * bell m - (1 + m * m) * (whole - area m))
      (fun m => - (2 * m * (whole - area m) - 2 * bell m))); auto.
    + intros x _. derive_at x. ring.
    + intros x _. pose proof (upper_second x). unfold P in *. lra.
  - intros y Hy. pose proof (bell_small y ltac:(lra)). pose proof (rest_pos y).
    assert (y * bell y <= y * (2 / (y * y))) by (apply Rmult_le_compat_l; lra).
    replace (y * (2 / (y * y))) with (2 / y) in * by (field; lra).
    assert (0 <= (1 + y * y) * P y) by (apply Rmult_le_pos; nra). lra.
Qed.
Lemma sampford m : bell m * (bell m - m * P m) < P m * P m.
Proof.
  cut (bell m * (bell m - m * P m) - P m * P m < 0); [lra|].
  apply (rises_to_0 (fun m => bell m * (bell m - m * P m) - P m * P m) 4); [lra| |].
  - intros a b H. apply (rises (fun m => bell m * (bell m - m * (whole - area m)) - (whole - area m) * (whole - area m))
      (fun m => bell m * - (m * bell m - (1 + m * m) * (whole - area m)))); auto.
    + intros x _. derive_at x. ring.
    + intros x _. apply Rmult_lt_0_compat; [apply bell_pos|]. pose proof (upper_first x). unfold P in *. lra.
  - intros y Hy. pose proof (bell_small y ltac:(lra)). pose proof (rest_pos y). pose proof (bell_pos y).
    assert (2 / (y * y) <= 2 / y) by (apply Rmult_le_compat_l; [lra|apply Rinv_le_contravar; nra]).
    assert (2 / y <= 2) by (apply Rmult_le_reg_r with y; [lra|]; replace (2 / y * y) with 2 by (field; lra); lra).
    assert (bell y * bell y <= 2 * (2 / y)) by (apply Rmult_le_compat; lra).
    assert (0 <= y * bell y * P y) by (repeat apply Rmult_le_pos; lra). assert (0 <= P y * P y) by nra.
    replace (4 / y) with (2 * (2 / y)) by (field; lra). lra.
Qed.
End Upper.

Lemma upper_area m U : below m U -> 0 < area_to U - area m.
Proof. destruct U; simpl; intros H; [pose proof (area_rises m u H); lra|apply rest_pos]. Qed.
Lemma upper_slow m U : below m U ->
  bell m * (bell m - bell_at U - m * (area_to U - area m)) < (area_to U - area m) * (area_to U - area m).
Proof.
  destruct U as [u|]; simpl; intros H.
  - pose proof (lower_slow (- u) (- m) ltac:(lra)) as G. rewrite !area_odd, !bell_even in G.
    replace (- area m - - area u) with (area u - area m) in G by ring. lra.
  - pose proof (sampford m). rewrite Rminus_0_r. lra.
Qed.
Lemma below_less a b U : a <= b -> below b U -> below a U.
Proof. destruct U; simpl; intros; lra || auto. Qed.

Theorem stat_rises l U a b : l < a -> a < b -> below b U -> stat l U a < stat l U b.
Proof.
  intros La Hab Hb. set (q := fun n d => n / (d * d)).
  apply (rises (stat l U) (fun m => (1 - q (bell m * (m * (area m - area l) - (bell l - bell m))) (area m - area l))
    + (1 - q (bell m * (bell m - bell_at U - m * (area_to U - area m))) (area_to U - area m)))); auto.
  - intros x Hx. pose proof (lower_area l x ltac:(lra)). pose proof (upper_area x U (below_less x b U ltac:(lra) Hb)).
    unfold stat, lower, upper, q. derive_at x. field. split; lra.
  - intros x Hx. assert (Ux : below x U) by (apply (below_less x b); auto; lra).
    assert (Q : forall n d, 0 < d -> n < d * d -> 0 < 1 - q n d).
    { intros n d Hd Hn. unfold q. assert (n / (d * d) < 1); [|lra]. apply Rmult_lt_reg_r with (d * d); [nra|].
      replace (n / (d * d) * (d * d)) with n by (field; lra). lra. }
    apply Rplus_lt_0_compat; apply Q; auto using upper_area, upper_slow.
    + apply lower_area. lra.
    + apply lower_slow. lra.
Qed.

Theorem split_unique l U a b : l < a -> below a U -> l < b -> below b U -> stat l U a = 0 -> stat l U b = 0 -> a = b.
Proof.
  intros La Ua Lb Ub Sa Sb. destruct (Rtotal_order a b) as [H|[H|H]]; auto.
  - pose proof (stat_rises l U a b La H Ub). lra.
  - pose proof (stat_rises l U b a Lb H Ua). lra.
Qed.

Lemma stat_continuous l U x : l < x -> below x U -> continuity_pt (stat l U) x.
Proof.
  intros Hl Hu. apply continuity_pt_filterlim. apply (ex_derive_continuous (V := R_NormedModule)).
  pose proof (lower_area l x Hl). pose proof (upper_area x U Hu).
  assert (ex_derive area x) by (eexists; apply area_derive). assert (ex_derive bell x) by (eexists; apply bell_derive).
  unfold stat, lower, upper. auto_derive. repeat split; auto; lra.
Qed.

(** Two signs. *)
Theorem split_exists l U a b : l < a -> a < b -> below b U -> stat l U a < 0 -> 0 < stat l U b ->
  exists m, a < m < b /\ stat l U m = 0 /\ forall x, l < x -> below x U -> stat l U x = 0 -> x = m.
Proof.
  intros La Hab Ub Sa Sb. destruct (IVT_interv (stat l U) a b) as [m [[R1 R2] Hm]]; auto.
  - intros x Hx. apply stat_continuous; [lra|apply (below_less x b); auto; lra].
  - exists m. split; [|split; auto].
    + split; [destruct R1 as [|<-]; auto; lra|destruct R2 as [| ->]; auto; lra].
    + intros x Hx Ux Sx. apply (split_unique l U); auto; try lra. apply (below_less m b); auto.
Qed.

(** Both centroids rise with the outer boundary. *)
Lemma lower_rises l l' m : l < l' < m -> lower l m < lower l' m.
Proof.
  intros H. assert (N : forall x, x < m -> 0 < bell x - bell m - x * (area m - area x)).
  { intros x Hx. assert (bell x - bell x - x * (area x - area x) < bell x - bell m - x * (area m - area x)); [|lra].
    apply (rises (fun y => bell x - bell y - x * (area y - area x)) (fun y => (y - x) * bell y)); auto.
    - intros y _. derive_at y. ring.
    - intros y Hy. apply Rmult_lt_0_compat; [lra|apply bell_pos]. }
  apply (rises (fun l => lower l m) (fun l => bell l * (bell l - bell m - l * (area m - area l)) / ((area m - area l) * (area m - area l)))).
  - lra.
  - intros x Hx. pose proof (lower_area x m ltac:(lra)). unfold lower. derive_at x. field. lra.
  - intros x Hx. pose proof (lower_area x m ltac:(lra)). apply Rdiv_lt_0_compat; [|nra].
    apply Rmult_lt_0_compat; [apply bell_pos|apply N; lra].
Qed.
Lemma upper_rises m u u' : m < u < u' -> upper m (At u) < upper m (At u').
Proof.
  intros H. pose proof (lower_rises (- u') (- u) (- m) ltac:(lra)) as L. unfold lower, upper in *. simpl.
  rewrite !area_odd, !bell_even in L. pose proof (area_rises m u ltac:(lra)). pose proof (area_rises m u' ltac:(lra)).
  replace ((bell u' - bell m) / (- area m - - area u')) with (- ((bell m - bell u') / (area u' - area m))) in L by (field; lra).
  replace ((bell u - bell m) / (- area m - - area u)) with (- ((bell m - bell u) / (area u - area m))) in L by (field; lra). lra.
Qed.

(** The mirror image of a cell is split at the mirror image of the split. *)
Theorem mirror l u m : l < m < u -> stat (- u) (At (- l)) (- m) = - stat l (At u) m.
Proof.
  intros H. pose proof (area_rises l m ltac:(lra)). pose proof (area_rises m u ltac:(lra)).
  unfold stat, lower, upper. simpl. rewrite !area_odd, !bell_even. field. lra.
Qed.
