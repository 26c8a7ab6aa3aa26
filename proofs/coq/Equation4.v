(** ReadKV, E.1, equation (4): what b bits tell about a source that is uniform on [-1,1]^n.

    readkv.eq4.information   E|Xi - E[Xi|O]|^2/n >= 2^(1-2b/n)/(pi e) for every observation O with finitely many values and
                             I(Xi;O) <= b log 2.
    readkv.eq4.messages      the same for an observation that is one of 2^b values.

    No differential entropy is needed. For a density ratio u >= 0 and any t, u t <= u log u - u + e^t; taken at
    t = s - |x - c|^2/(2 sigma^2), with the law of x given the message in the place of u, and summed over the messages it says
    s - E/(2 sigma^2) <= I - 1 + e^s (mean of the Gaussian kernel). That mean is at most (sigma sqrt(2 pi)/2)^n, and the best
    s and sigma give the bound. *)
From Coq Require Import Reals Lra Lia List FunctionalExtensionality.
From KVProof Require Import FiniteSums GaussianIntegral LinearExpectation Expectation UniformCube ProbeModel.
Open Scope R_scope.

(** A tangent of the exponential in the form that entropy needs; 0 log 0 is 0. *)
Lemma tangent u t : 0 <= u -> u * t <= u * ln u - u + exp t.
Proof.
  intros [H|<-]; [|pose proof (exp_pos t); lra].
  pose proof (exp_ineq1_le (t - ln u)) as T. apply Rmult_le_compat_l with (r := u) in T; [|lra].
  replace (exp t) with (u * exp (t - ln u)); [lra|]. rewrite <- (exp_ln u) at 1 by auto. rewrite <- exp_plus. f_equal. ring.
Qed.

Section Observation.
Variable n : nat.
Variable Ex : (cube n -> R) -> R.
Hypothesis law : uniform n Ex.
Hypothesis some : (0 < n)%nat.

(** An observation: message m of N comes with the probability part m x where the source is x. *)
Definition observation N (part : nat -> cube n -> R) :=
  (each m < N, forall x, 0 <= part m x) /\ (forall x, \sum_(m < N) part m x = 1) /\ (each m < N, 0 < Ex (part m)).
(** The mean square error of an estimate from the message. *)
Definition error N part (guess : nat -> nat -> R) :=
  \sum_(m < N) Ex (fun x => part m x * norm2 n (fun i => x i - guess m i)).
(** Mutual information, in nats. *)
Definition information N part := \sum_(m < N) Ex (fun x => part m x * ln (part m x / Ex (part m))).

Let lin : linear (cube n) Ex := proj1 (is_expectation n Ex law).
Let Ex_le := Ex_le (cube n) Ex (is_expectation n Ex law).

Lemma part_between N part : observation N part -> each m < N, forall x, 0 <= part m x <= 1.
Proof.
  intros (Hp & One & _) m Hm x. split; auto. rewrite <- (One x). apply (sum_term N (fun m => part m x)); auto.
Qed.

Lemma total N part : observation N part -> \sum_(m < N) Ex (part m) = 1.
Proof.
  intros (_ & S & _). rewrite <- (Ex_sum _ Ex lin N part), (Ex_ext _ Ex _ (fun _ => 1)) by auto. apply (is_expectation n Ex law).
Qed.

Lemma bounded_part (part : cube n -> R) : (forall x, 0 <= part x <= 1) -> bounded part.
Proof. apply bounded_between. Qed.
Lemma bounded_off (guess : nat -> R) : bounded (fun x : cube n => norm2 n (fun i => x i - guess i)).
Proof. apply (bounded_error n (fun _ => guess)). intros. apply bounded_const. Qed.
Lemma bounded_log (part : cube n -> R) p : (forall x, 0 <= part x <= 1) -> 0 < p ->
  bounded (fun x => part x * ln (part x / p)).
Proof.
  intros Hp P. apply (bounded_between _ _ (p * -1) (/ p * p * Rabs (ln (/ p)))). intros x. destruct (Hp x) as [A B].
  set (u := part x / p). assert (U : part x = p * u) by (unfold u; field; lra).
  assert (U0 : 0 <= u) by (apply Rmult_le_pos; auto; left; apply Rinv_0_lt_compat; auto).
  pose proof (tangent u 0 U0) as T. rewrite exp_0 in T. rewrite U. split; [nra|].
  assert (Top : u <= / p). { unfold u, Rdiv. rewrite <- (Rmult_1_l (/ p)) at 2. apply Rmult_le_compat_r; auto. left. apply Rinv_0_lt_compat. auto. }
  assert (L : u * ln u <= / p * Rabs (ln (/ p))).
  { destruct U0 as [U0|<-].
    - apply Rle_trans with (u * Rabs (ln (/ p))).
      + apply Rmult_le_compat_l; [lra|]. apply Rle_trans with (ln (/ p)); [|apply Rle_abs].
        destruct Top as [Top| ->]; [left; apply ln_increasing; auto|lra].
      + apply Rmult_le_compat_r; auto. apply Rabs_pos.
    - rewrite Rmult_0_l. apply Rmult_le_pos; [left; apply Rinv_0_lt_compat; auto|apply Rabs_pos]. }
  apply Rmult_le_compat_l with (r := p) in L; lra.
Qed.

(** One message. *)
Lemma one_message sigma s (part : cube n -> R) guess : 0 < sigma -> (forall x, 0 <= part x <= 1) -> 0 < Ex part ->
  s * Ex part - / (2 * sigma ^ 2) * Ex (fun x => part x * norm2 n (fun i => x i - guess i)) <=
  Ex (fun x => part x * ln (part x / Ex part)) - Ex part + Ex part * (exp s * (sigma * whole) ^ n).
Proof.
  intros Hs Hp P. set (p := Ex part) in *. pose proof (kernel_mean n Ex law sigma guess Hs) as [_ K].
  set (E := Ex (fun x => part x * norm2 n (fun i => x i - guess i))).
  set (I := Ex (fun x => part x * ln (part x / p))).
  apply Rle_trans with (I - p + p * (exp s * Ex (fun x => kernel n sigma x guess))).
  2: { pose proof (exp_pos s). assert (exp s * Ex (fun x => kernel n sigma x guess) <= exp s * (sigma * whole) ^ n) by nra. nra. }
  pose proof (bounded_part part Hp) as Bp. pose proof (bounded_log part p Hp P) as Bl.
  pose proof (bounded_kernel n sigma (fun _ => guess) Hs) as Bk. cbv beta in Bk.
  assert (Bo : bounded (fun x : cube n => part x * norm2 n (fun i => x i - guess i))) by (apply bounded_mult; auto; apply bounded_off).
  set (off := fun x : cube n => part x * norm2 n (fun i => x i - guess i)) in *.
  set (lg := fun x : cube n => part x * ln (part x / p)) in *. set (ker := fun x : cube n => kernel n sigma x guess) in *.
  replace (s * p - / (2 * sigma ^ 2) * E) with (Ex (fun x => s * part x + - / (2 * sigma ^ 2) * off x)).
  2: { rewrite (proj1 lin (fun x => s * part x)), !(proj2 lin). unfold E, p. ring. }
  replace (I - p + p * (exp s * Ex ker)) with (Ex (fun x => lg x + (-1 * part x + p * exp s * ker x))).
  2: { rewrite (proj1 lin lg), (proj1 lin (fun x => -1 * part x)), !(proj2 lin). unfold I. fold p. ring. }
  apply Ex_le.
  { apply (bounded_plus _ (fun x => s * part x)); repeat apply bounded_scal; auto. }
  { apply (bounded_plus _ lg); auto. apply (bounded_plus _ (fun x => -1 * part x)); repeat apply bounded_scal; auto. }
  intros x. specialize (Hp x). unfold off, lg, ker, kernel. set (m := norm2 n _).
  pose proof (tangent (part x / p) (s + - m / (2 * sigma ^ 2))) as T. rewrite exp_plus in T.
  assert (0 <= part x / p) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; auto]).
  specialize (T ltac:(auto)). apply Rmult_le_compat_l with (r := p) in T; [|lra].
  set (l := ln (part x / p)) in *. set (k := exp (- m / (2 * sigma ^ 2))) in *. set (es := exp s) in *.
  replace (p * (part x / p * (s + - m / (2 * sigma ^ 2)))) with (s * part x + - / (2 * sigma ^ 2) * (part x * m)) in T
    by (field; split; lra).
  replace (p * (part x / p * l - part x / p + es * k)) with (part x * l + (-1 * part x + p * es * k)) in T by (field; lra).
  exact T.
Qed.

Theorem information_bound N part guess b : observation N part -> information N part <= b * ln 2 ->
  Rpower 2 (1 - 2 * b / INR n) / (PI * exp 1) <= error N part guess / INR n.
Proof.
  intros O Hb. set (I := information N part) in *. assert (P : 0 < INR n) by (apply lt_0_INR; auto).
  pose proof whole_pos as W. pose proof (exp_pos I) as EI. set (sigma := finest n (exp I)).
  assert (Hs : 0 < sigma) by (apply Rdiv_lt_0_compat; auto; apply Rmult_lt_0_compat; apply exp_pos).
  pose proof (finest_kernel n (exp I) EI some) as K. fold sigma in K.
  set (s := INR n / 2 + I). assert (C : exp s * (sigma * whole) ^ n = 1).
  { unfold s. rewrite exp_plus, Rmult_assoc, K, <- exp_plus. replace (INR n / 2 + - INR n / 2) with 0 by field. apply exp_0. }
  assert (Sum : s - / (2 * sigma ^ 2) * error N part guess <= I).
  { pose proof (total N part O) as T. pose proof (part_between N part O) as Hp. destruct O as (_ & _ & Pos).
    assert (Each : \sum_(m < N) (s * Ex (part m) - / (2 * sigma ^ 2) * Ex (fun x => part m x * norm2 n (fun i => x i - guess m i)))
      <= \sum_(m < N) Ex (fun x => part m x * ln (part m x / Ex (part m)))).
    { apply sum_le. intros m Hm. pose proof (one_message sigma s (part m) (guess m) Hs (Hp m Hm) (Pos m Hm)) as M.
      rewrite C in M. lra. }
    rewrite sum_minus, !sum_scal in Each. rewrite T in Each. unfold error. fold (information N part) I in Each. lra. }
  assert (S2 : 0 < sigma ^ 2) by (apply pow_lt; auto).
  assert (Least : sigma ^ 2 <= error N part guess / INR n).
  { apply Rmult_le_reg_l with (INR n * / (2 * sigma ^ 2)).
    - apply Rmult_lt_0_compat; auto. apply Rinv_0_lt_compat. lra.
    - replace (INR n * / (2 * sigma ^ 2) * sigma ^ 2) with (INR n / 2) by (field; lra).
      replace (INR n * / (2 * sigma ^ 2) * (error N part guess / INR n)) with (/ (2 * sigma ^ 2) * error N part guess)
        by (field; lra). unfold s in Sum. lra. }
  eapply Rle_trans; [|exact Least]. unfold sigma. rewrite finest_square by auto. unfold Rdiv.
  apply Rmult_le_compat_r. { left. apply Rinv_0_lt_compat, Rmult_lt_0_compat; [apply PI_RGT_0|apply exp_pos]. }
  unfold Rminus. rewrite Rpower_plus, Rpower_1 by lra. apply Rmult_le_compat_l; [lra|]. unfold Rpower. rewrite ln_exp.
  assert (X : - (2 * b * / INR n) * ln 2 <= - 2 * / INR n * I).
  { replace (- (2 * b * / INR n) * ln 2) with (- (2 * / INR n) * (b * ln 2)) by ring.
    replace (- 2 * / INR n * I) with (- (2 * / INR n) * I) by ring. apply Rmult_le_compat_neg_l; auto.
    pose proof (Rinv_0_lt_compat (INR n) P). lra. }
  destruct X as [X| ->]; [left; apply exp_increasing; auto|right; auto].
Qed.

(** N messages tell at most log N. *)
Theorem information_at_most N part : observation N part -> information N part <= ln (INR N).
Proof.
  intros O. pose proof (total N part O) as T. pose proof (part_between N part O) as Hp. destruct O as (_ & One & Pos).
  assert (HN : (0 < N)%nat). { destruct N; [simpl in T; lra|lia]. }
  assert (PN : 0 < INR N) by (apply lt_0_INR; auto).
  assert (Each : information N part <= \sum_(m < N) (Ex (part m) * ln (INR N) + (/ INR N - Ex (part m)))).
  { apply sum_le. intros m Hm. specialize (Pos m Hm). set (p := Ex (part m)) in *.
    apply Rle_trans with (Ex (fun x => - ln p * part m x)).
    - apply Ex_le; [apply bounded_log; auto|apply bounded_scal, bounded_part; auto|].
      intros x. rewrite Rmult_comm. destruct (Hp m Hm x) as [[A|<-] B]; [|lra].
      unfold Rdiv. rewrite ln_mult, ln_Rinv; auto; [|apply Rinv_0_lt_compat; auto].
      assert (ln (part m x) <= 0). { rewrite <- ln_1. destruct B as [B| ->]; [left; apply ln_increasing; auto|lra]. }
      apply Rmult_le_compat_r; lra.
    - rewrite (proj2 lin). fold p.
      pose proof (tangent (p * INR N) 0 ltac:(apply Rmult_le_pos; lra)) as L. rewrite exp_0, ln_mult in L by auto.
      apply Rmult_le_compat_l with (r := / INR N) in L; [|left; apply Rinv_0_lt_compat; auto].
      replace (/ INR N * (p * INR N * 0)) with 0 in L by ring.
      replace (/ INR N * (p * INR N * (ln p + ln (INR N)) - p * INR N + 1)) with (p * (ln p + ln (INR N)) - p + / INR N) in L
        by (field; lra).
      rewrite Rmult_plus_distr_l in L. lra. }
  rewrite sum_plus, sum_minus, sum_scal_r, sum_const, T in Each. replace (INR N * / INR N) with 1 in Each by (field; lra). lra.
Qed.

(** An estimate that takes one of N values. *)
Theorem messages N (message : cube n -> nat) (guess : nat -> nat -> R) : (0 < N)%nat -> (forall x, (message x < N)%nat) ->
  2 * Rpower (INR N) (- 2 / INR n) / (PI * exp 1) <= Ex (fun x => norm2 n (fun i => x i - guess (message x) i)) / INR n.
Proof.
  intros HN Few. assert (P : 0 < INR n) by (apply lt_0_INR; auto).
  apply Rmult_le_reg_l with (INR n); auto.
  replace (INR n * (Ex (fun x => norm2 n (fun i => x i - guess (message x) i)) / INR n))
    with (Ex (fun x => norm2 n (fun i => x i - guess (message x) i))) by (field; lra).
  apply (least_error n Ex law (fun x => guess (message x)) (INR N)); auto; [apply lt_0_INR; auto| |].
  { intros i _. exists (\sum_(m < N) Rabs (guess m i)). intros x.
    apply (sum_term N (fun m => Rabs (guess m i)) (message x)); auto. intros. apply Rabs_pos. }
  intros sigma Hs.
  rewrite (Ex_ext _ Ex _ (fun x => \sum_(m < N) (delta (message x) m * kernel n sigma x (guess m)))).
  - rewrite (Ex_sum _ Ex lin), <- sum_const. apply sum_le. intros m _.
    apply (kernel_part n Ex law sigma (guess m) (fun x => delta (message x) m) Hs). intros x. unfold delta.
    destruct (Nat.eq_dec (message x) m); lra.
  - intros x. symmetry. apply (sum_delta N (message x) (fun m => kernel n sigma x (guess m))). auto.
Qed.

(** A transcript of at most r bits is one of 2^r; whatever the tree, each of its leaves gives one estimate. *)
Lemma transcript A w (t : tree A) : forall r (record_of : cube n -> record) (guess : A -> nat -> R) sigma part,
  0 < sigma -> probes_within w r t -> (forall x, 0 <= part x <= 1) ->
  Ex (fun x => part x * kernel n sigma x (guess (run t (record_of x)))) <= 2 ^ r * (sigma * whole) ^ n.
Proof.
  induction t as [a|cell next IH]; intros r Z guess sigma part Hs D Hp; simpl in *.
  - pose proof (kernel_part n Ex law sigma (guess a) part Hs Hp) as K. pose proof (pow_R1_Rle 2 r ltac:(lra)).
    assert (0 <= (sigma * whole) ^ n) by (apply pow_le; pose proof whole_pos; nra). nra.
  - destruct D as [_ D]. destruct r as [|r]; [tauto|].
    set (is b x := if Bool.bool_dec (Z x cell) b then 1 else 0).
    assert (Is : forall b x, 0 <= is b x <= 1) by (intros b x; unfold is; destruct (Bool.bool_dec _ _); lra).
    rewrite (Ex_ext _ Ex _ (fun x => part x * is true x * kernel n sigma x (guess (run (next true) (Z x))) +
      part x * is false x * kernel n sigma x (guess (run (next false) (Z x))))).
    + rewrite (proj1 lin). assert (Half : forall b, Ex (fun x => part x * is b x * kernel n sigma x (guess (run (next b) (Z x))))
        <= 2 ^ r * (sigma * whole) ^ n).
      { intros b. apply (IH b r Z guess sigma (fun x => part x * is b x)); auto. intros x. specialize (Hp x). specialize (Is b x).
        split; nra. }
      pose proof (Half true). pose proof (Half false). simpl. lra.
    + intros x. unfold is. destruct (Z x cell); simpl; ring.
Qed.

(** A tree has finitely many leaves. *)
Lemma bounded_run A (t : tree A) (value : A -> R) (record_of : cube n -> record) : bounded (fun x => value (run t (record_of x))).
Proof.
  assert (H : exists B, forall Z, Rabs (value (run t Z)) <= B).
  { clear record_of. induction t as [a|cell next IH]; simpl.
    - exists (Rabs (value a)). intros. lra.
    - destruct (IH true) as [B HB]. destruct (IH false) as [C HC]. exists (Rmax B C). intros Z.
      pose proof (Rmax_l B C). pose proof (Rmax_r B C). specialize (HB Z). specialize (HC Z). destruct (Z cell); lra. }
  destruct H as [B HB]. exists B. auto.
Qed.

Theorem from_a_transcript A w r (t : tree A) (record_of : cube n -> record) (guess : A -> nat -> R) : probes_within w r t ->
  INR n * (Rpower 2 (1 - 2 * INR r / INR n) / (PI * exp 1)) <=
  Ex (fun x => norm2 n (fun i => x i - guess (run t (record_of x)) i)).
Proof.
  intros D. assert (P : 0 < INR n) by (apply lt_0_INR; auto).
  pose proof (least_error n Ex law (fun x => guess (run t (record_of x))) (2 ^ r) some ltac:(apply pow_lt; lra)) as L.
  replace (Rpower 2 (1 - 2 * INR r / INR n)) with (2 * Rpower (2 ^ r) (- 2 / INR n)).
  - apply L. { intros i _. apply (bounded_run A t (fun a => guess a i)). }
    intros sigma Hs. pose proof (transcript A w t r record_of guess sigma (fun _ => 1) Hs D ltac:(intros; lra)) as T.
    rewrite (Ex_ext _ Ex _ (fun x => 1 * kernel n sigma x (guess (run t (record_of x))))) by (intros; ring). exact T.
  - unfold Rminus. rewrite Rpower_plus, Rpower_1 by lra. f_equal. rewrite <- Rpower_pow by lra. rewrite Rpower_mult.
    f_equal. field. lra.
Qed.
End Observation.
