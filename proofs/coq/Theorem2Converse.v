(** ReadKV, Theorem 2: what no query-independent reader can do.

    readkv.thm2.converse   a query-independent reader of r probes has a worst mean square error of at least
                           tanh(5)^2 2^(1-r/m)/(pi e) on the family, for every record length, encoder, decoder and coins with
                           finitely many outcomes, whoever sees them; with r = 8m + 2 that is tanh(5)^2 2^(-7-2/m)/(pi e), more than ReadKV's (p eps_8 + rho)^2.

    The values are uniform on the cube, both signs of the query equally likely. The two answers determine an estimate of both
    values, since p differs from rho; the mean of their squared errors is at least tanh(5)^2/2 that of the estimate, and
    equation (4) holds for it. *)
From Coq Require Import Reals Lra Lia FunctionalExtensionality.
From KVProof Require Import FiniteSums LinearExpectation Expectation UniformCube ProbeModel Equation4 WorstCase Theorem2.
Open Scope R_scope.

(** A source is the keys' sign and v_1, v_2, one after the other; a query is its sign. Where the signs agree v_1 is the
    token of weight p. *)
Definition source m := (bool * cube (m + m))%type.
Definition output m (x : source m) (eta : bool) l :=
  let v1 := snd x l in let v2 := snd x (m + l)%nat in
  if Bool.eqb (fst x) eta then p * v1 + rho * v2 else p * v2 + rho * v1.
Definition mean_square_error m (x : source m) (eta : bool) (o : nat -> R) :=
  norm2 m (fun l => output m x eta l - o l) / INR m.

Lemma sum_halves m f : sum (m + m) f = \sum_(l < m) (f l + f (m + l)%nat).
Proof.
  assert (H : forall k, sum (m + k) f = sum m f + \sum_(l < k) f (m + l)%nat).
  { induction k; [rewrite Nat.add_0_r; simpl; ring|]. rewrite Nat.add_succ_r. cbn [sum]. rewrite IHk. ring. }
  rewrite H. symmetry. apply sum_plus.
Qed.

Section Converse.
Variables m w r : nat.
Variable Ex : (cube (m + m) -> R) -> R.
Variables Omega EncoderCoins ReaderCoins : Type.
Variable of_encoder : Omega -> EncoderCoins.
Variable of_reader : Omega -> ReaderCoins.
Variable C : coins Omega.
Let class_reaches r := reaches of_encoder of_reader (over_coins C) (mean_square_error m) (query_independent bool (nat -> R) w r).

Lemma converse_at tau : (0 < m)%nat -> uniform (m + m) Ex -> class_reaches r tau ->
  tanh 5 ^ 2 * Rpower 2 (1 - INR r / INR m) / (PI * exp 1) <= tau.
Proof.
  intros Hm law (encode & tree_of & Legal & Worst). assert (P : 0 < INR m) by (apply lt_0_INR; auto).
  set (loss := fun c (v : cube (m + m)) eta => mean_square_error m (true, v) eta
    (answer (query_independent bool (nat -> R) w r) (tree_of (of_reader c)) eta (encode (of_encoder c) (true, v)))).
  assert (Losses : forall c eta, bounded (fun v => loss c v eta)).
  { intros c eta. unfold loss, mean_square_error. apply (bounded_mult _ _ (fun _ => / INR m)); [|apply bounded_const].
    apply (bounded_sum _ m (fun l v => (output m (true, v) eta l - answer (query_independent bool (nat -> R) w r)
        (tree_of (of_reader c)) eta (encode (of_encoder c) (true, v)) l) * (output m (true, v) eta l -
        answer (query_independent bool (nat -> R) w r) (tree_of (of_reader c)) eta (encode (of_encoder c) (true, v)) l))).
    intros l Hl. assert (B : bounded (fun v : cube (m + m) => output m (true, v) eta l -
        answer (query_independent bool (nat -> R) w r) (tree_of (of_reader c)) eta (encode (of_encoder c) (true, v)) l)).
    - apply bounded_minus.
      + unfold output. simpl. destruct eta; apply bounded_plus; apply bounded_scal, bounded_coordinate; lia.
      + apply (bounded_run (m + m) _ (tree_of (of_reader c)) (fun a => a eta l) (fun v => encode (of_encoder c) (true, v))).
    - apply bounded_mult; exact B. }
  apply (average (m + m) Ex Omega C bool loss (fun _ => true) (fun _ => false) 1 _ tau law ltac:(lia)
    (fun c j _ => conj (Losses c true) (Losses c false)) (fun v => Worst (true, v))).
  intros c. specialize (Legal (of_reader c)). simpl in Legal. set (t := tree_of (of_reader c)) in *.
  set (Z := fun v => encode (of_encoder c) (true, v)).
  destruct logistic as (Small & One & Diff). pose proof rho_pos as Pos. set (D := p * p - rho * rho).
  assert (HD : 0 < D) by (unfold D; nra).
  set (guess := fun (a : bool -> nat -> R) i => if lt_dec i m then (p * a true i - rho * a false i) / D
    else (p * a false (i - m)%nat - rho * a true (i - m)%nat) / D).
  pose proof (from_a_transcript (m + m) Ex law ltac:(lia) _ w r t Z guess Legal) as Least.
  set (E := fun x : cube (m + m) => norm2 (m + m) (fun i => x i - guess (run t (Z x)) i)) in *.
  assert (Bounded : bounded E).
  { apply bounded_error. intros i _. apply (bounded_run (m + m) _ t (fun a => guess a i) Z). }
  apply Rle_trans with (Ex (fun x => tanh 5 ^ 2 / (2 * INR m) * E x)).
  - rewrite (proj2 (proj1 (is_expectation _ Ex law))).
    apply Rle_trans with (tanh 5 ^ 2 / (2 * INR m) * (INR (m + m) * (Rpower 2 (1 - 2 * INR r / INR (m + m)) / (PI * exp 1)))).
    + right. rewrite plus_INR. replace (2 * INR r / (INR m + INR m)) with (INR r / INR m) by (field; lra).
      pose proof PI_RGT_0. pose proof (exp_pos 1). field. repeat split; lra.
    + apply Rmult_le_compat_l; auto. apply Rmult_le_pos; [apply pow2_ge_0|]. left. apply Rinv_0_lt_compat. lra.
  - apply (Ex_le _ Ex (is_expectation _ Ex law)); [apply bounded_scal, Bounded| |].
    { apply bounded_scal, (bounded_sum _ 1 (fun _ x => loss c x true + loss c x false)). intros. apply bounded_plus; apply Losses. }
    intros x. unfold loss, mean_square_error, E, norm2. rewrite sum_halves. cbn [sum]. simpl INR.
    unfold Rdiv. rewrite <- (Rmult_plus_distr_r (\sum_(i < m) _)), <- sum_plus, Rplus_0_l.
    apply Rle_trans with (/ 2 * / INR m * (tanh 5 ^ 2 *
      \sum_(l < m) ((x l - guess (run t (Z x)) l) * (x l - guess (run t (Z x)) l) +
        (x (m + l)%nat - guess (run t (Z x)) (m + l)%nat) * (x (m + l)%nat - guess (run t (Z x)) (m + l)%nat)))).
    { right. field. lra. }
    match goal with |- _ <= ?a * (?b * ?i) => replace (a * (b * i)) with (/ 2 * / INR m * b) by (field; lra) end.
    apply Rmult_le_compat_l.
    { apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra. }
    rewrite <- sum_scal. apply sum_le. intros l Hl. unfold output, answer. simpl. fold t. fold (Z x).
    set (a := run t (Z x)). unfold guess. destruct (lt_dec l m); [|tauto]. destruct (lt_dec (m + l) m); [lia|].
    replace (m + l - m)%nat with l by lia. set (s := a true l). set (s' := a false l).
    set (v1 := x l). set (v2 := x (m + l)%nat). rewrite <- Diff.
    set (e1 := v1 - (p * s - rho * s') / D). set (e2 := v2 - (p * s' - rho * s) / D).
    replace (p * v1 + rho * v2 - s) with (p * e1 + rho * e2) by (unfold e1, e2, D; field; fold D; lra).
    replace (p * v2 + rho * v1 - s') with (p * e2 + rho * e1) by (unfold e1, e2, D; field; fold D; lra).
    assert (0 < p * rho) by (apply Rmult_lt_0_compat; lra). pose proof (square_nonneg (e1 + e2)).
    assert (0 <= p * rho * ((e1 + e2) * (e1 + e2))) by (apply Rmult_le_pos; lra). nra.
Qed.
End Converse.

Theorem converse m w Ex Omega EncoderCoins ReaderCoins (of_encoder : Omega -> EncoderCoins) (of_reader : Omega -> ReaderCoins)
  (C : coins Omega) tau eps8 : (0 < m)%nat -> uniform (m + m) Ex -> 0 <= eps8 <= 0.0097 ->
  reaches of_encoder of_reader (over_coins C) (mean_square_error m) (query_independent bool (nat -> R) w (8 * m + 2)) tau ->
  lower_bound (INR m) <= tau /\ (p * eps8 + rho) ^ 2 < tau.
Proof.
  intros Hm law He H. assert (P : 1 <= INR m) by (apply (le_INR 1); lia).
  assert (L : lower_bound (INR m) <= tau).
  { eapply Rle_trans; [|exact (converse_at m w (8 * m + 2) Ex _ _ _ of_encoder of_reader C tau Hm law H)].
    right. unfold lower_bound. replace (1 - INR (8 * m + 2) / INR m) with (-7 - 2 / INR m); auto.
    rewrite plus_INR, mult_INR. simpl. field. lra. }
  split; auto. destruct lower as (_ & _ & _ & Below). specialize (Below eps8 (INR m) He P). lra.
Qed.
