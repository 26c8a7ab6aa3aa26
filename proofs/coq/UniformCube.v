(** A source that is uniform on the cube [-1,1]^n, and how well an estimate can name it.

    The law is an expectation (Expectation.v) that gives products of continuous functions of the coordinates the product of
    their integrals over [-1,1], each halved.

    Every Gaussian kernel then has a mean of at most (sigma sqrt(2 pi)/2)^n, wherever it is centred. That is the only fact
    about the source that the bounds on its estimates use. *)
From Coq Require Import Reals Lra Lia FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From KVProof Require Import FiniteSums GaussianIntegral LinearExpectation Expectation.
Open Scope R_scope.

(** The product f 0 ... f (n-1). *)
Fixpoint product (n : nat) (f : nat -> R) : R := match n with O => 1 | S m => product m f * f m end.

Lemma product_le n f c : (each i < n, 0 <= f i <= c) -> 0 <= product n f <= c ^ n.
Proof.
  induction n; intros H; simpl; [lra|]. specialize (IHn ltac:(auto)). specialize (H n ltac:(lia)). nra.
Qed.
Lemma product_one n f : (forall i, f i = 1) -> product n f = 1.
Proof. intros H. induction n; simpl; auto. rewrite IHn, H. ring. Qed.
Lemma product_exp n f : product n (fun i => exp (f i)) = exp (sum n f).
Proof. induction n; simpl; [symmetry; apply exp_0|]. rewrite IHn. symmetry. apply exp_plus. Qed.

Record cube (n : nat) := { at_ :> nat -> R; inside : each i < n, -1 <= at_ i <= 1 }.
Arguments at_ {n} _ _.

Lemma bounded_coordinate n i : (i < n)%nat -> bounded (fun x : cube n => x i).
Proof. intros H. apply (bounded_between _ _ (-1) 1). intros x. apply (inside n x i H). Qed.

Record uniform n (Ex : (cube n -> R) -> R) : Prop := {
  is_expectation : expectation (cube n) Ex;
  of_product : forall f : nat -> R -> R, (forall i x, continuous (f i) x) ->
    Ex (fun x => product n (fun i => f i (x i))) = product n (fun i => RInt (f i) (-1) 1 / 2)
}.

(** exp(-|x - c|^2/(2 sigma^2)) over n coordinates. *)
Definition kernel n sigma (x c : nat -> R) := exp (- norm2 n (fun i => x i - c i) / (2 * sigma ^ 2)).

Lemma kernel_between n sigma x c : 0 < sigma -> 0 < kernel n sigma x c <= 1.
Proof.
  intros Hs. split; [apply exp_pos|]. rewrite <- exp_0. unfold kernel. set (m := norm2 n _).
  assert (0 <= m / (2 * sigma ^ 2)).
  { apply Rmult_le_pos; [apply norm2_nonneg|]. left. apply Rinv_0_lt_compat. pose proof (pow_lt sigma 2 Hs). lra. }
  replace (- m / (2 * sigma ^ 2)) with (- (m / (2 * sigma ^ 2))) by (unfold Rdiv; ring).
  destruct (Req_dec (m / (2 * sigma ^ 2)) 0) as [->|]; [right; f_equal; ring|left; apply exp_increasing; lra].
Qed.

Section Uniform.
Variable n : nat.
Variable Ex : (cube n -> R) -> R.
Hypothesis law : uniform n Ex.

Let lin : linear (cube n) Ex := proj1 (is_expectation n Ex law).
Let Ex_le := Ex_le (cube n) Ex (is_expectation n Ex law).

Lemma bounded_kernel sigma (c : cube n -> nat -> R) : 0 < sigma -> bounded (fun x : cube n => kernel n sigma x (c x)).
Proof. intros Hs. apply (bounded_between _ _ 0 1). intros x. pose proof (kernel_between n sigma x (c x) Hs). lra. Qed.
Lemma bounded_error (c : cube n -> nat -> R) : (each i < n, bounded (fun x => c x i)) ->
  bounded (fun x : cube n => norm2 n (fun i => x i - c x i)).
Proof.
  intros H. apply (bounded_sum _ n (fun i (x : cube n) => (x i - c x i) * (x i - c x i))). intros i Hi.
  apply bounded_mult; apply bounded_minus; auto; apply bounded_coordinate; auto.
Qed.

(** One coordinate: the kernel's integral over [-1,1] is less than that over the line. *)
Lemma slice_at_most sigma c : 0 < sigma ->
  0 <= RInt (fun x => exp (- (x - c) ^ 2 / (2 * sigma ^ 2))) (-1) 1 <= sigma * (2 * whole).
Proof.
  intros Hs. assert (E : RInt (fun x => exp (- (x - c) ^ 2 / (2 * sigma ^ 2))) (-1) 1 =
    sigma * (area ((1 - c) / sigma) - area ((-1 - c) / sigma))).
  { rewrite (area_beyond ((-1 - c) / sigma) ((1 - c) / sigma)).
    transitivity (sigma * RInt (fun x => / sigma * bell (/ sigma * x + - c / sigma)) (-1) 1).
    - etransitivity; [|exact (RInt_scal (V := R_CompleteNormedModule)
        (fun x => / sigma * bell (/ sigma * x + - c / sigma)) (-1) 1 sigma
        (ex_RInt_comp_lin bell (/ sigma) (- c / sigma) (-1) 1 (bell_integrable _ _)))].
      apply RInt_ext. intros x _.
      match goal with |- ?l = scal sigma ?y => change (@eq R l (sigma * y)) end. unfold bell.
      replace (- (x - c) ^ 2 / (2 * sigma ^ 2)) with (- ((/ sigma * x + - c / sigma) * (/ sigma * x + - c / sigma)) / 2)
        by (field; lra).
      set (k := exp _). clearbody k. field. lra.
    - pose proof (RInt_comp_lin bell (/ sigma) (- c / sigma) (-1) 1 (bell_integrable _ _)) as Moved.
      change (RInt (fun x => / sigma * bell (/ sigma * x + - c / sigma)) (-1) 1 =
        RInt bell (/ sigma * -1 + - c / sigma) (/ sigma * 1 + - c / sigma)) in Moved. rewrite Moved.
      replace (/ sigma * -1 + - c / sigma) with ((-1 - c) / sigma) by (field; lra).
      replace (/ sigma * 1 + - c / sigma) with ((1 - c) / sigma) by (field; lra).
      match goal with |- ?l = ?r => change (@eq R l r) end. ring. }
  assert (Most : forall x, area x <= whole).
  { intros x. destruct (Rlt_le_dec 0 x) as [P|N]; [pose proof (missing x P); lra|].
    pose proof (area_le x 0 N). rewrite area_0 in *. pose proof whole_pos. lra. }
  assert (Least : forall x, - whole <= area x) by (intros x; rewrite <- (Ropp_involutive x), area_odd; specialize (Most (- x)); lra).
  assert (Order : area ((-1 - c) / sigma) <= area ((1 - c) / sigma)).
  { apply area_le. unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|lra]. }
  rewrite E. specialize (Most ((1 - c) / sigma)). specialize (Least ((-1 - c) / sigma)). split; nra.
Qed.

Theorem kernel_mean sigma c : 0 < sigma -> 0 <= Ex (fun x => kernel n sigma x c) <= (sigma * whole) ^ n.
Proof.
  intros Hs. rewrite (Ex_ext _ Ex _ (fun x => product n (fun i => exp (- (x i - c i) ^ 2 / (2 * sigma ^ 2))))).
  - rewrite (of_product n Ex law (fun i t => exp (- (t - c i) ^ 2 / (2 * sigma ^ 2)))).
    + apply product_le. intros i _. pose proof (slice_at_most sigma (c i) Hs). lra.
    + intros i x. apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. nra.
  - intros x. rewrite product_exp. unfold kernel, norm2. f_equal. unfold Rdiv.
    rewrite sum_scal_r, <- (Rmult_1_l (sum n _)), Ropp_mult_distr_l, <- sum_scal. f_equal. apply sum_ext. intros; ring.
Qed.

Lemma kernel_part sigma c (part : cube n -> R) : 0 < sigma -> (forall x, 0 <= part x <= 1) ->
  Ex (fun x => part x * kernel n sigma x c) <= (sigma * whole) ^ n.
Proof.
  intros Hs Hp. eapply Rle_trans; [|apply (kernel_mean sigma c Hs)]. apply Ex_le.
  - apply bounded_mult; [apply (bounded_between _ _ 0 1); auto|apply (bounded_kernel sigma (fun _ => c) Hs)].
  - apply (bounded_kernel sigma (fun _ => c) Hs).
  - intros x. specialize (Hp x). pose proof (kernel_between n sigma x c Hs). nra.
Qed.

(** The least error of an estimate that takes N values: with sigma as here n sigma^2 = n 2 N^(-2/n)/(pi e). *)
Definition finest (N : R) := Rpower N (- 1 / INR n) * exp (- 1 / 2) / whole.

Lemma finest_square N : 0 < N -> (0 < n)%nat -> finest N ^ 2 = 2 * Rpower N (- 2 / INR n) / (PI * exp 1).
Proof.
  intros HN Hn. unfold finest, Rdiv. rewrite !Rpow_mult_distr.
  assert (A : Rpower N (- 1 * / INR n) ^ 2 = Rpower N (- 2 * / INR n)).
  { simpl. rewrite Rmult_1_r, <- Rpower_plus. f_equal. lra. }
  assert (B : exp (- 1 * / 2) ^ 2 = / exp 1).
  { simpl. rewrite Rmult_1_r, <- exp_plus, <- exp_Ropp. f_equal. lra. }
  assert (C : (/ whole) ^ 2 = 2 / PI).
  { pose proof PI_RGT_0. pose proof whole_pos. replace ((/ whole) ^ 2) with (/ (whole * whole)) by (field; lra).
    rewrite whole_square. field. lra. }
  rewrite A, B, C. pose proof PI_RGT_0. pose proof (exp_pos 1). field. split; lra.
Qed.

Lemma finest_kernel N : 0 < N -> (0 < n)%nat -> N * (finest N * whole) ^ n = exp (- INR n / 2).
Proof.
  intros HN Hn. assert (P : 0 < INR n) by (apply lt_0_INR; auto). pose proof whole_pos.
  replace (finest N * whole) with (exp (- / INR n * ln N + - / 2)).
  - rewrite <- Rpower_pow by apply exp_pos. unfold Rpower. rewrite ln_exp.
    rewrite <- (exp_ln N) at 1 by auto. rewrite <- exp_plus. f_equal. field. lra.
  - unfold finest, Rpower. rewrite exp_plus. replace (- 1 / INR n) with (- / INR n) by (field; lra).
    replace (- 1 / 2) with (- / 2) by lra. field. lra.
Qed.

(** The bound: whoever's kernels have a mean of at most N (sigma whole)^n errs by at least that of N values. *)
Theorem least_error (guess : cube n -> nat -> R) N : (0 < n)%nat -> 0 < N -> (each i < n, bounded (fun x => guess x i)) ->
  (forall sigma, 0 < sigma -> Ex (fun x => kernel n sigma x (guess x)) <= N * (sigma * whole) ^ n) ->
  INR n * (2 * Rpower N (- 2 / INR n) / (PI * exp 1)) <= Ex (fun x => norm2 n (fun i => x i - guess x i)).
Proof.
  intros Hn HN Hg Few. rewrite <- finest_square by auto. set (sigma := finest N). pose proof whole_pos as W.
  assert (Hs : 0 < sigma).
  { apply Rdiv_lt_0_compat; auto. apply Rmult_lt_0_compat; apply exp_pos. }
  specialize (Few sigma Hs). unfold sigma in Few at 2. rewrite finest_kernel in Few by auto.
  assert (P : 0 < INR n) by (apply lt_0_INR; auto). set (M := Ex (fun x => norm2 n (fun i => x i - guess x i))).
  set (e := exp (- INR n / 2)) in *. assert (He : 0 < e) by apply exp_pos.
  (* the tangent of exp at -n/2 *)
  assert (Tangent : e * (1 + INR n / 2) - e * / (2 * sigma ^ 2) * M <= e).
  { eapply Rle_trans; [|exact Few]. pose proof (bounded_error guess Hg) as Bm.
    set (off := fun x : cube n => norm2 n (fun i => x i - guess x i)) in *. set (a := e * (1 + INR n / 2)).
    set (b := e * / (2 * sigma ^ 2)).
    replace (a - b * M) with (Ex (fun x => a + - b * off x)).
    2: { rewrite (proj1 lin (fun _ => a) (fun x => - b * off x)), (Ex_const _ Ex (is_expectation n Ex law)), (proj2 lin).
         unfold M. ring. }
    apply Ex_le.
    { apply (bounded_plus _ (fun _ => a)); [apply bounded_const|apply bounded_scal; auto]. }
    { apply bounded_kernel; auto. }
    unfold a, b. clear a b.
    intros x. unfold kernel, off.
    set (m := norm2 n _). replace (- m / (2 * sigma ^ 2)) with (- INR n / 2 + (INR n / 2 - m / (2 * sigma ^ 2))) by (field; lra).
    rewrite exp_plus. fold e. pose proof (exp_ineq1_le (INR n / 2 - m / (2 * sigma ^ 2))) as T.
    apply Rmult_le_compat_l with (r := e) in T; [|lra].
    replace (e * (1 + INR n / 2) + - (e * / (2 * sigma ^ 2)) * m) with (e * (1 + (INR n / 2 - m / (2 * sigma ^ 2))))
      by (field; lra). exact T. }
  assert (S2 : 0 < sigma ^ 2) by (apply pow_lt; auto).
  assert (D : INR n / 2 - / (2 * sigma ^ 2) * M <= 0).
  { apply Rmult_le_reg_l with e; auto. lra. }
  apply Rmult_le_reg_l with (/ (2 * sigma ^ 2)); [apply Rinv_0_lt_compat; lra|].
  replace (/ (2 * sigma ^ 2) * (INR n * sigma ^ 2)) with (INR n / 2) by (field; lra). lra.
Qed.
End Uniform.
