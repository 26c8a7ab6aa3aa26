(** The Gaussian integral: bell x = exp(-x^2/2), area x = int_0^x bell, and area x -> sqrt(pi/2) with explicit error bounds.

    With ring x = int_0^1 2 exp(-x^2 (1 + t^2)/2)/(1 + t^2) dt the sum area^2 + ring has the derivative 0, and is pi/2 at 0;
    ring lies between 0 and 2 bell. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition bell (x : R) := exp (- (x * x) / 2).
Definition area (x : R) := RInt bell 0 x.
Definition whole := sqrt (PI / 2).

Lemma bell_pos x : 0 < bell x.
Proof. apply exp_pos. Qed.
Lemma bell_0 : bell 0 = 1.
Proof. unfold bell. replace (- (0 * 0) / 2) with 0 by field. apply exp_0. Qed.
Lemma bell_even x : bell (- x) = bell x.
Proof. unfold bell. f_equal. field. Qed.
Lemma bell_derive x : is_derive bell x (- x * bell x).
Proof. unfold bell. auto_derive; auto. unfold Rdiv. field. Qed.
Lemma bell_integrable a b : ex_RInt bell a b.
Proof.
  apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros x _.
  apply (ex_derive_continuous (V := R_NormedModule)). eexists. apply bell_derive.
Qed.
Lemma bell_small x : 0 < x -> bell x <= 2 / (x * x).
Proof.
  intros Hx. assert (P : 0 < x * x) by nra. unfold bell. replace (- (x * x) / 2) with (- (x * x / 2)) by field.
  rewrite exp_Ropp. replace (2 / (x * x)) with (/ (x * x / 2)) by (field; lra).
  apply Rinv_le_contravar; [lra|]. pose proof (exp_ineq1_le (x * x / 2)). lra.
Qed.

Lemma area_0 : area 0 = 0.
Proof. apply (RInt_point 0 bell). Qed.
Lemma area_derive x : is_derive area x (bell x).
Proof.
  apply (is_derive_RInt bell area 0 x).
  - apply filter_forall. intros b. apply (RInt_correct bell 0 b), bell_integrable.
  - apply (ex_derive_continuous (V := R_NormedModule)). eexists. apply bell_derive.
Qed.
Lemma area_odd x : area (- x) = - area x.
Proof.
  unfold area. assert (H : RInt (fun t => -1 * bell (-1 * t + 0)) 0 x = RInt bell 0 (- x)).
  { etransitivity; [exact (RInt_comp_lin bell (-1) 0 0 x (bell_integrable _ _))|]. f_equal; ring. }
  rewrite <- H. etransitivity; [apply (RInt_ext _ (fun t => scal (-1) (bell t)))|].
  - intros t _. unfold scal; simpl; unfold mult; simpl. replace (-1 * t + 0) with (- t) by ring. now rewrite bell_even.
  - etransitivity; [apply (RInt_scal (V := R_CompleteNormedModule)), bell_integrable|].
    unfold scal; simpl; unfold mult; simpl. ring.
Qed.

(** A function whose derivative is positive inside (a, b) rises. *)
Lemma rises (f f' : R -> R) a b : a < b -> (forall x, a <= x <= b -> is_derive f x (f' x)) ->
  (forall x, a < x < b -> 0 < f' x) -> f a < f b.
Proof.
  intros H D S. destruct (MVT_cor2 f f' a b H) as [c [E Rc]].
  - intros c Hc. apply is_derive_Reals. auto.
  - specialize (S c Rc). assert (0 < f' c * (b - a)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.
Lemma area_rises a b : a < b -> area a < area b.
Proof. intros H. apply (rises area bell); auto; intros; [apply area_derive|apply bell_pos]. Qed.
Lemma area_le a b : a <= b -> area a <= area b.
Proof. intros [H| ->]; [left; apply area_rises; auto|lra]. Qed.
Lemma area_beyond a b : area b = area a + RInt bell a b.
Proof. symmetry. apply (RInt_Chasles bell 0 a b); apply bell_integrable. Qed.
(** Between neighbouring points area moves by bell times the distance. *)
Lemma area_step a b : 0 <= a < b -> area a + bell b * (b - a) <= area b <= area a + bell a * (b - a).
Proof.
  intros H. destruct (MVT_cor2 area bell a b) as [c [E Rc]]; [lra|intros; apply is_derive_Reals, area_derive|].
  assert (Fall : forall x y, 0 <= x < y -> bell y <= bell x).
  { intros x y Hxy. left. unfold bell. apply exp_increasing. nra. }
  assert (bell b <= bell c) by (destruct (Req_dec c b) as [->|]; [lra|apply Fall; lra]).
  assert (bell c <= bell a) by (destruct (Req_dec c a) as [->|]; [lra|apply Fall; lra]).
  replace (area b) with (area a + bell c * (b - a)) by lra.
  split; apply Rplus_le_compat_l, Rmult_le_compat_r; lra.
Qed.

(** Rewrites a derivative of an expression in area and bell. *)
Ltac derive_at x := pose proof (area_derive x); pose proof (bell_derive x);
  assert (ex_derive area x) by (eexists; apply area_derive); assert (ex_derive bell x) by (eexists; apply bell_derive);
  auto_derive; [repeat split; auto; try lra|];
  change (fun x : R => area x) with area; change (fun x : R => bell x) with bell;
  rewrite ?(is_derive_unique _ _ _ (area_derive x)), ?(is_derive_unique _ _ _ (bell_derive x)).

Definition slice (x t : R) := 2 * exp (- (x * x) * (1 + t * t) / 2) / (1 + t * t).
Definition ring_area (x : R) := RInt (fun t => slice x t) 0 1.

Lemma slice_derive x t : is_derive (fun u => slice u t) x (- 2 * x * exp (- (x * x) * (1 + t * t) / 2)).
Proof. unfold slice. assert (0 < 1 + t * t) by nra. auto_derive; [lra|]. unfold Rdiv. field. lra. Qed.
Lemma slice_integrable x : ex_RInt (fun t => slice x t) 0 1.
Proof.
  apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t _.
  apply (ex_derive_continuous (V := R_NormedModule)). unfold slice. assert (0 < 1 + t * t) by nra. auto_derive. lra.
Qed.

Lemma ring_derive x : is_derive ring_area x (- 2 * bell x * area x).
Proof.
  unfold ring_area. evar_last.
  - apply (is_derive_RInt_param slice 0 1 x).
    + apply filter_forall. intros y t _. eexists. apply slice_derive.
    + intros t _. apply (continuity_2d_pt_ext (fun u v => (- 2 * u) * exp ((- / 2 * (u * u)) * (1 + v * v)))).
      { intros u v. symmetry. etransitivity; [apply is_derive_unique, slice_derive|]. f_equal. f_equal. field. }
      pose proof (continuity_2d_pt_id1 x t) as U. pose proof (continuity_2d_pt_id2 x t) as V.
      apply continuity_2d_pt_mult.
      { apply continuity_2d_pt_mult; [apply continuity_2d_pt_const|exact U]. }
      apply (continuity_1d_2d_pt_comp exp); [apply derivable_continuous_pt, derivable_pt_exp|].
      apply continuity_2d_pt_mult.
      * apply continuity_2d_pt_mult; [apply continuity_2d_pt_const|apply continuity_2d_pt_mult; exact U].
      * apply continuity_2d_pt_plus; [apply continuity_2d_pt_const|apply continuity_2d_pt_mult; exact V].
    + apply filter_forall. intros y. apply slice_integrable.
  - assert (Scaled : RInt (fun t => x * bell (x * t + 0)) 0 1 = area x).
    { etransitivity; [exact (RInt_comp_lin bell x 0 0 1 (bell_integrable _ _))|]. unfold area. f_equal; ring. }
    assert (Exists : ex_RInt (fun t => x * bell (x * t + 0)) 0 1).
    { apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros t _.
      apply (ex_derive_continuous (V := R_NormedModule)). unfold bell. auto_derive. auto. }
    rewrite <- Scaled. etransitivity; [|exact (RInt_scal (V := R_CompleteNormedModule) _ 0 1 (- 2 * bell x) Exists)].
    apply RInt_ext. intros t _. etransitivity; [apply is_derive_unique, slice_derive|].
    unfold bell, scal; simpl; unfold mult; simpl.
    replace (- (x * x) * (1 + t * t) / 2) with (- (x * x) / 2 + - ((x * t + 0) * (x * t + 0)) / 2) by field.
    rewrite exp_plus. ring.
Qed.

Lemma ring_0 : ring_area 0 = PI / 2.
Proof.
  unfold ring_area. rewrite (RInt_ext _ (fun t => 2 * / (1 + t ^ 2))).
  - assert (H : is_RInt (fun t => 2 * / (1 + t ^ 2)) 0 1 (minus (2 * atan 1) (2 * atan 0))).
    { apply (is_RInt_derive (fun t => 2 * atan t)).
      - intros t _. evar_last; [apply is_derive_scal, is_derive_Reals, derivable_pt_lim_atan|].
        simpl. unfold Rsqr. replace (1 + t * (t * 1)) with (1 + t * t) by ring. reflexivity.
      - intros t _. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. nra. }
    rewrite (is_RInt_unique _ _ _ _ H), atan_1, atan_0. unfold minus, plus, opp; simpl. field.
  - intros t _. unfold slice. replace (- (0 * 0) * (1 + t * t) / 2) with 0 by field. rewrite exp_0.
    match goal with |- ?a = ?b => change (@eq R a b) end. field. nra.
Qed.

Lemma area_and_ring x : 0 <= x -> area x * area x + ring_area x = PI / 2.
Proof.
  intros [Hx|<-]; [|rewrite area_0, ring_0; ring].
  transitivity (area 0 * area 0 + ring_area 0); [|rewrite area_0, ring_0; ring]. symmetry.
  apply (eq_is_derive (fun y => area y * area y + ring_area y)); auto. intros t _. evar_last.
  - apply (is_derive_plus (V := R_NormedModule) (fun y => area y * area y) ring_area); [|apply ring_derive].
    apply (is_derive_mult area area); [apply area_derive|apply area_derive|]. intros; apply Rmult_comm.
  - unfold plus, mult, zero; simpl. ring.
Qed.

Lemma ring_between x : 0 <= ring_area x <= 2 * bell x.
Proof.
  unfold ring_area. split.
  - apply RInt_ge_0; [lra|apply slice_integrable|]. intros t _. unfold slice. left. apply Rdiv_lt_0_compat; [|nra].
    pose proof (exp_pos (- (x * x) * (1 + t * t) / 2)). lra.
  - replace (2 * bell x) with (RInt (fun _ => 2 * bell x) 0 1)
      by (rewrite RInt_const; unfold scal; simpl; unfold mult; simpl; ring).
    apply RInt_le; [lra|apply slice_integrable|apply ex_RInt_const|]. intros t _. unfold slice, bell.
    assert (P : 0 < 1 + t * t) by nra. assert (0 <= x * x * (t * t)) by (apply Rmult_le_pos; nra).
    assert (A : exp (- (x * x) * (1 + t * t) / 2) <= exp (- (x * x) / 2)).
    { destruct (Req_dec (x * x * (t * t)) 0) as [Z|N]; [right; f_equal; lra|left; apply exp_increasing; lra]. }
    pose proof (exp_pos (- (x * x) / 2)). apply Rmult_le_reg_r with (1 + t * t); auto.
    replace (2 * exp (- (x * x) * (1 + t * t) / 2) / (1 + t * t) * (1 + t * t))
      with (2 * exp (- (x * x) * (1 + t * t) / 2)) by (field; lra). nra.
Qed.

Lemma whole_pos : 0 < whole.
Proof. apply sqrt_lt_R0. pose proof PI_RGT_0. lra. Qed.
Lemma whole_square : whole * whole = PI / 2.
Proof. apply sqrt_sqrt. pose proof PI_RGT_0. lra. Qed.

(** What is missing beyond x. *)
Theorem missing x : 0 < x -> 0 <= whole - area x <= 2 * bell x / whole.
Proof.
  intros Hx. pose proof (area_and_ring x (Rlt_le _ _ Hx)) as E. pose proof (ring_between x) as B.
  pose proof whole_square. pose proof whole_pos. pose proof (area_rises 0 x Hx) as A. rewrite area_0 in A.
  assert (0 <= whole - area x) by nra. split; auto. apply Rmult_le_reg_r with whole; auto.
  replace (2 * bell x / whole * whole) with (2 * bell x) by (field; lra). nra.
Qed.

Theorem gaussian_integral : is_lim area p_infty (sqrt (PI / 2)).
Proof.
  fold whole. apply is_lim_spec. intros [eps He]. pose proof whole_pos as P. simpl.
  assert (Q : 0 < 4 / (whole * eps)) by (apply Rdiv_lt_0_compat; nra). exists (1 + 4 / (whole * eps)). intros x Hx.
  destruct (missing x ltac:(lra)) as [A B]. pose proof (bell_small x ltac:(lra)) as S. rewrite Rabs_left1 by lra.
  assert (X : 4 / (x * x) < whole * eps).
  { apply Rmult_lt_reg_r with (x * x); [nra|]. replace (4 / (x * x) * (x * x)) with 4 by (field; lra).
    assert (E : 4 / (whole * eps) * (whole * eps) = 4) by (field; nra). assert (0 < whole * eps) by nra.
    set (q := 4 / (whole * eps)) in *. clearbody q. assert (q < x * x) by nra. nra. }
  apply Rle_lt_trans with (2 * bell x / whole); [lra|]. apply Rmult_lt_reg_r with whole; auto.
  replace (2 * bell x / whole * whole) with (2 * bell x) by (field; lra).
  replace (4 / (x * x)) with (2 * (2 / (x * x))) in X by (field; nra). lra.
Qed.
