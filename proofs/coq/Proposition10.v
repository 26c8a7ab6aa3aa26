(** ReadKV, Proposition 10: what whole bits cost.

    readkv.prop10.kappa      kappa_int = max (1 - 3f/4) 4^f = 1.263740721..., at f* = 4/3 - 1/ln 4.
    readkv.prop10.rounding   C_W(B) <= I_W(B) <= kappa_int C_W(B) for whole B and W: I_W over whole depths, C_W over real ones.
    readkv.prop10.sharp      kappa_int cannot be lowered: equal weights, B/N -> f*.

    kappa: with u = (f* - f) ln 4 the bound is 1 + u <= e^u. Rounding: at the price of the greedy depths no whole depth of an
    item pays, so neither does the line between two neighbours n and n + 1; and at n + f that line,
    (1 - f) 4^-n + f 4^-(n+1) = (1 - 3f/4) 4^f 4^-(n+f), is at most kappa_int times the curve. Sharpness: with equal weights
    whole depths gain at most 3/4 a bit, the real depth B/N is near f*. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From KVProof Require Import ExactInterval FiniteSums Allocation Proposition8 Proposition9.
Open Scope R_scope.

Definition loss f := (1 - 3 * f / 4) * Rpower 4 f.
Definition f_star := 4 / 3 - 1 / ln 4.
Definition kappa_int := loss f_star.

Lemma f_star_inside : 0 < f_star < 1.
Proof. unfold f_star. split; interval with (i_prec 60). Qed.

(** (1 - 3f/4) 4^f against its value at f*, with u = (f* - f) ln 4. *)
Lemma loss_shifted f : let u := (f_star - f) * ln 4 in loss f = kappa_int * ((1 + u) * exp (- u)).
Proof.
  intros u. pose proof ln4_pos as L. unfold kappa_int, loss, Rpower.
  replace (f * ln 4) with (f_star * ln 4 + - u) by (unfold u; ring). rewrite exp_plus.
  replace (1 - 3 * f_star / 4) with (3 / (4 * ln 4)) by (unfold f_star; field; lra).
  replace (1 - 3 * f / 4) with (3 / (4 * ln 4) * (1 + u)) by (unfold u, f_star; field; lra). ring.
Qed.
Lemma kappa_pos : 0 < kappa_int.
Proof. unfold kappa_int, loss, f_star. interval with (i_prec 60). Qed.

Theorem kappa_is_maximum f : loss f <= kappa_int /\ (loss f = kappa_int -> f = f_star).
Proof.
  rewrite loss_shifted. set (u := (f_star - f) * ln 4). pose proof kappa_pos as K. pose proof (exp_pos (- u)).
  assert (One : exp u * exp (- u) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  assert (At : f <> f_star -> (1 + u) * exp (- u) < 1).
  { intros N. apply Rlt_le_trans with (exp u * exp (- u)); [|lra]. apply Rmult_lt_compat_r; auto. apply exp_ineq1. unfold u. pose proof ln4_pos.
    intros Z. apply Rmult_integral in Z. lra. }
  assert (U : (1 + u) * exp (- u) <= 1) by (apply Rle_trans with (exp u * exp (- u)); [|lra]; apply Rmult_le_compat_r; [lra|apply exp_ineq1_le]).
  split.
  - replace kappa_int with (kappa_int * 1) at 2 by ring. apply Rmult_le_compat_l; lra.
  - intros E. destruct (Req_dec f f_star) as [|N]; auto. specialize (At N).
    apply Rmult_lt_compat_l with (r := kappa_int) in At; lra.
Qed.

Theorem kappa : (forall f, loss f <= kappa_int) /\ 0 < f_star < 1 /\ loss f_star = kappa_int /\
  1.263740721 < kappa_int < 1.263740722.
Proof.
  split; [intros f; apply kappa_is_maximum|]. split; [exact f_star_inside|]. split; [reflexivity|].
  unfold kappa_int, loss, f_star. split; interval with (i_prec 80).
Qed.

(** Whole depths are real depths: C_W <= I_W. *)
Theorem whole_depths_are_legal N W B t : legal N W B t -> real_legal N (INR W) (INR B) (fun i => INR (t i)).
Proof.
  intros [H S]. split; [|rewrite <- spent_sum; apply le_INR; auto].
  intros i Hi. split; [apply pos_INR|apply le_INR; auto].
Qed.

(** The line between depths n and n + 1. *)
Lemma line_above_curve n f : (1 - f) * quarter (INR n) + f * quarter (INR (S n)) <= kappa_int * quarter (INR n + f).
Proof.
  assert (A : quarter (INR n) = quarter (INR n + f) * Rpower 4 f).
  { unfold quarter. rewrite <- Rpower_plus. f_equal. ring. }
  assert (C : quarter (INR (S n)) = quarter (INR n) / 4).
  { rewrite !quarter_nat. simpl. rewrite Rinv_mult. field. apply pow_nonzero. lra. }
  rewrite C, A. destruct (kappa_is_maximum f) as [K _]. unfold loss in K.
  apply Rmult_le_compat_l with (r := quarter (INR n + f)) in K; [lra|left; apply quarter_pos].
Qed.

Definition integer_objective N a t := objective N a (fun _ s => quarter (INR s)) t.
Definition integer_gains (a : nat -> R) := gain a (fun _ s => quarter (INR s)).

Lemma integer_gains_nonincreasing N W a : (each i < N, 0 <= a i) -> nonincreasing N W (integer_gains a).
Proof.
  intros Ha i Hi s _. unfold integer_gains, gain. apply Rmult_le_compat_l; auto. rewrite !quarter_nat. simpl.
  assert (P : 0 < 4 ^ s) by (apply pow_lt; lra). rewrite !Rinv_mult.
  assert (0 < / 4 ^ s) by (apply Rinv_0_lt_compat; auto). lra.
Qed.

Theorem rounding_costs_kappa N W B a x : (each i < N, 0 <= a i) -> real_legal N (INR W) (INR B) x ->
  integer_objective N a (choose_depths N W (integer_gains a) B) <= kappa_int * real_objective N a x.
Proof.
  intros Ha [Hx Sx]. set (D := fun s => quarter (INR s)).
  destruct (greedy_price N W (integer_gains a) B (integer_gains_nonincreasing N W a Ha)) as (price & P0 & P1 & P2).
  set (t := choose_depths N W (integer_gains a) B) in *.
  assert (Item : each i < N, forall u, (u <= W)%nat -> a i * D (t i) - a i * D u <= price * (INR u - INR (t i))).
  { intros i Hi u Hu. specialize (P1 i Hi u Hu).
    assert (T : forall n, \sum_(s < n) integer_gains a i s = a i * D O - a i * D n).
    { induction n; cbn [sum]; [lra|]. rewrite IHn. unfold integer_gains, gain, D. lra. }
    rewrite !T in P1. lra. }
  assert (Real : each i < N, a i * D (t i) - kappa_int * (a i * quarter (x i)) <= price * (x i - INR (t i))).
  { intros i Hi. destruct (Hx i Hi) as [X0 X1]. destruct (nfloor_ex (x i) X0) as [n [N0 N1]].
    set (f := x i - INR n). assert (Xf : x i = INR n + f) by (unfold f; ring).
    pose proof (line_above_curve n f) as L. rewrite <- Xf in L. specialize (Ha i Hi).
    apply Rmult_le_compat_l with (r := a i) in L; auto. fold (D n) (D (S n)) in L.
    destruct (le_lt_dec (S n) W) as [Hn|Hn].
    - pose proof (Item i Hi n ltac:(lia)) as A. pose proof (Item i Hi (S n) Hn) as C. rewrite S_INR in C.
      apply Rmult_le_compat_l with (r := 1 - f) in A; [|unfold f; lra].
      apply Rmult_le_compat_l with (r := f) in C; [|unfold f; lra]. rewrite Xf at 2. lra.
    - assert (n = W) by (assert (INR n <= INR W) by lra; apply INR_le in H; lia). subst n.
      assert (F0 : f = 0) by (unfold f; lra). rewrite F0 in L. pose proof (Item i Hi W (le_n _)) as A.
      rewrite Xf at 2. rewrite F0. lra. }
  assert (S : integer_objective N a t - kappa_int * real_objective N a x <= price * (sum N x - INR (spent N t))).
  { unfold integer_objective, objective, real_objective.
    rewrite spent_sum, <- sum_scal, <- !sum_minus, <- sum_scal. apply sum_le. exact Real. }
  destruct P2 as [->|P2]; [lra|]. rewrite P2 in S. assert (price * (sum N x - INR B) <= 0) by nra. lra.
Qed.

(** I_W(B) is what the greedy depths t reach: the least over whole depths, between C_W(B) and kappa_int C_W(B). *)
Theorem proposition10 N W B a : (each i < N, 0 <= a i) -> let t := choose_depths N W (integer_gains a) B in
  legal N W B t /\ (forall u, legal N W B u -> integer_objective N a t <= integer_objective N a u) /\
  real_legal N (INR W) (INR B) (fun i => INR (t i)) /\
  integer_objective N a t = real_objective N a (fun i => INR (t i)) /\
  forall x, real_legal N (INR W) (INR B) x -> integer_objective N a t <= kappa_int * real_objective N a x.
Proof.
  intros Ha t.
  destruct (proposition8 N W a (fun _ s => quarter (INR s)) (integer_gains_nonincreasing N W a Ha) B) as [L O].
  split; [exact L|]. split; [exact O|]. split; [apply whole_depths_are_legal; exact L|]. split; [reflexivity|].
  intros x. apply rounding_costs_kappa; auto.
Qed.

Theorem kappa_is_sharp eps W : 0 < eps -> (1 <= W)%nat ->
  exists N B x, real_legal N (INR W) (INR B) x /\ 0 < real_objective N (fun _ => 1) x /\
    forall t, legal N W B t -> (kappa_int - eps) * real_objective N (fun _ => 1) x < integer_objective N (fun _ => 1) t.
Proof.
  intros He HW. pose proof f_star_inside as F.
  assert (C : continuity_pt loss f_star).
  { apply continuity_pt_filterlim. apply (ex_derive_continuous (V := R_NormedModule)).
    unfold loss, Rpower. auto_derive. auto. }
  destruct (C eps He) as [del [Hd Near]]. simpl in Near. unfold R_dist in Near.
  (* f = B/N with f_star < f < min(f_star + del, 1) *)
  set (d := Rmin del (1 - f_star)). assert (D0 : 0 < d) by (apply Rmin_pos; lra).
  pose proof (Rmin_l del (1 - f_star)). pose proof (Rmin_r del (1 - f_star)). fold d in H, H0.
  destruct (nfloor_ex (/ d)) as [m [M0 M1]]; [left; apply Rinv_0_lt_compat; auto|].
  set (N := S m). assert (N0 : 0 < INR N) by (apply lt_0_INR; unfold N; lia).
  assert (Nd : / INR N < d).
  { rewrite <- (Rinv_inv d). apply Rinv_lt_contravar; [|unfold N; rewrite S_INR; lra].
    apply Rmult_lt_0_compat; auto. apply Rinv_0_lt_compat; auto. }
  destruct (nfloor_ex (f_star * INR N)) as [b [B0 B1]]; [apply Rmult_le_pos; lra|].
  set (B := S b). set (f := INR B / INR N).
  assert (fN : f * INR N = INR B) by (unfold f; field; lra). assert (FB : INR B = INR b + 1) by (unfold B; apply S_INR).
  assert (Fr : f_star < f < f_star + d).
  { assert (/ INR N * INR N = 1) by (field; lra). split; apply Rmult_lt_reg_r with (INR N); nra. }
  assert (Close : kappa_int - eps < loss f).
  { specialize (Near f). assert (A : Rabs (loss f - loss f_star) < eps).
    { apply Near. split; [split; [exact I|lra]|]. rewrite Rabs_right; lra. }
    apply Rabs_def2 in A. unfold kappa_int. lra. }
  assert (Rx : real_objective N (fun _ => 1) (fun _ => f) = INR N * quarter f).
  { unfold real_objective. rewrite sum_const. ring. }
  exists N, B, (fun _ => f). split; [|split].
  - split; [|rewrite sum_const; lra]. intros i _. assert (1 <= INR W) by (apply (le_INR 1); auto). lra.
  - rewrite Rx. apply Rmult_lt_0_compat; auto. apply quarter_pos.
  - intros t [_ Ht]. rewrite Rx.
    assert (L : INR N * (1 - 3 * f / 4) <= integer_objective N (fun _ => 1) t).
    { apply Rle_trans with (\sum_(i < N) (1 - 3 / 4 * INR (t i))).
      - rewrite sum_minus, sum_const, sum_scal, <- spent_sum. apply le_INR in Ht. lra.
      - apply sum_le. intros i _. rewrite Rmult_1_l, quarter_nat. generalize (t i). induction n; [simpl; lra|].
        rewrite S_INR. simpl. assert (P : 1 <= 4 ^ n) by (apply pow_R1_Rle; lra). rewrite Rinv_mult.
        assert (/ 4 ^ n <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra). lra. }
    apply Rlt_le_trans with (INR N * (loss f * quarter f)).
    + replace ((kappa_int - eps) * (INR N * quarter f)) with (INR N * ((kappa_int - eps) * quarter f)) by ring.
      apply Rmult_lt_compat_l; auto. apply Rmult_lt_compat_r; auto. apply quarter_pos.
    + replace (loss f * quarter f) with (1 - 3 * f / 4); auto. unfold loss, quarter.
      rewrite Rmult_assoc, <- Rpower_plus. replace (f + - f) with 0 by ring. rewrite Rpower_O; lra.
Qed.
