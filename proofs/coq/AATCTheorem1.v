(** AATC, Theorem 1: the white-noise distortion of an attention output. T tokens, dk key and dv value channels, outputs of
    length D; a = softmax weights, alpha_i = q' delta k_i, abar = sum a_i alpha_i.

    aatc.thm1.key_term     E ||E_K^(1)||^2 = sum_{i,c} a_i^2 ||v_i W_O - o||^2 q_c^2 E(delta k_ic)^2,
                           E_K^(1) = sum a_i (alpha_i - abar) v_i W_O.
    aatc.thm1.value_term   E ||E_V||^2 = sum_{i,c} a_i^2 E(delta v_ic)^2 ||W_Oc||^2, E_V = sum a_i delta v_i W_O.

    aatc.thm1.cross_zero   E[E_K E_V'] = 0, E[E_K E_x'] = 0 and E[E_K^(1) E_K^(2)'] = 0, entry by entry, E_K = sum da_i v_i W_O,
                           E_x = sum da_i delta v_i W_O, E_K^(2) = sum (a_i/2) ((alpha_i - abar)^2 - m_2) v_i W_O.
    aatc.eq14.identity     E(alpha_l - abar)^2 = (1 - 2 a_l) E alpha_l^2 + sum a_m^2 E alpha_m^2 <= 2 ||q||^2 sigma_K^2.

    Any linear expectation will do under which different noises are uncorrelated; Assumption 1 gives that. As
    sum a_i alpha_i (v_i W_O - o) = sum a_i (alpha_i - abar) v_i W_O, both are sums of uncorrelated terms.
    Cross terms: given the key noise, what is linear in the value noise has mean 0; and turning the sign of all key noise,
    which changes no expectation, turns that of E_K^(1) and leaves E_K^(2). *)
From Coq Require Import Reals Lra Lia.
From KVProof Require Import FiniteSums Probability LinearExpectation.
Open Scope R_scope.

(** Noise of token i and channel c, of variance s2 i c, uncorrelated with that of any other token or channel. *)
Definition white Omega (Ex : (Omega -> R) -> R) T d (noise : nat -> nat -> Omega -> R) (s2 : nat -> nat -> R) :=
  each i < T, each c < d, each j < T, each c' < d,
    Ex (fun w => noise i c w * noise j c' w) = delta i j * (delta c c' * s2 i c).

Lemma projections_uncorrelated Omega Ex T d noise s2 (q : nat -> R) : linear Omega Ex -> white Omega Ex T d noise s2 ->
  each i < T, each j < T,
    Ex (fun w => (\sum_(c < d) (q c * noise i c w)) * (\sum_(c < d) (q c * noise j c w)))
    = delta i j * \sum_(c < d) (q c * q c * s2 i c).
Proof.
  intros lin H i Hi j Hj. rewrite Ex_product by auto. rewrite <- sum_scal. apply sum_ext. intros c Hc.
  rewrite (sum_ext d _ (fun c' => delta c c' * (q c * q c' * (delta i j * s2 i c)))) by (intros; rewrite H by auto; ring).
  rewrite (sum_delta d c (fun c' => q c * q c' * (delta i j * s2 i c))) by auto. ring.
Qed.

Theorem key_term Omega Ex T dk D (a q : nat -> R) (vW : nat -> nat -> R) noise s2 :
  linear Omega Ex -> probability T a -> white Omega Ex T dk noise s2 ->
  let alpha i w := \sum_(c < dk) (q c * noise i c w) in
  let abar w := \sum_(i < T) (a i * alpha i w) in
  let o k := \sum_(i < T) (a i * vW i k) in
  let E_K w k := \sum_(i < T) (a i * (alpha i w - abar w) * vW i k) in
  Ex (fun w => norm2 D (E_K w))
  = \sum_(i < T) \sum_(c < dk) (a i ^ 2 * norm2 D (fun k => vW i k - o k) * q c ^ 2 * s2 i c).
Proof.
  intros lin [_ A1] H alpha abar o E_K.
  rewrite (Ex_ext Omega Ex _ (fun w => norm2 D (fun k => \sum_(i < T) (alpha i w * (a i * (vW i k - o k)))))).
  - rewrite (uncorrelated Omega Ex lin T D alpha (fun i => \sum_(c < dk) (q c * q c * s2 i c)) (fun i k => a i * (vW i k - o k)))
      by (apply projections_uncorrelated; auto).
    apply sum_ext. intros i _. unfold norm2 at 1.
    rewrite (sum_ext D _ (fun k => a i ^ 2 * ((vW i k - o k) * (vW i k - o k)))) by (intros; ring).
    rewrite sum_scal. fold (norm2 D (fun k => vW i k - o k)). rewrite <- sum_scal_r. apply sum_ext; intros; ring.
  - intros w. apply norm2_ext. intros k _. unfold E_K.
    rewrite (sum_ext T _ (fun i => alpha i w * (a i * vW i k) - abar w * (a i * vW i k))) by (intros; ring).
    rewrite (sum_ext T (fun i => alpha i w * (a i * (vW i k - o k))) (fun i => alpha i w * (a i * vW i k) - o k * (a i * alpha i w)))
      by (intros; ring).
    rewrite !sum_minus, !sum_scal. fold (abar w) (o k). ring.
Qed.

Theorem value_term Omega Ex T dv D (a : nat -> R) (W : nat -> nat -> R) noise s2 :
  linear Omega Ex -> white Omega Ex T dv noise s2 ->
  let E_V w k := \sum_(i < T) (a i * \sum_(c < dv) (noise i c w * W c k)) in
  Ex (fun w => norm2 D (E_V w)) = \sum_(i < T) \sum_(c < dv) (a i ^ 2 * s2 i c * norm2 D (W c)).
Proof.
  intros lin H E_V. unfold norm2. rewrite (Ex_sum Omega Ex lin D (fun k w => E_V w k * E_V w k)).
  rewrite (sum_ext T _ (fun i => \sum_(k < D) \sum_(c < dv) (a i ^ 2 * s2 i c * (W c k * W c k))))
    by (intros; rewrite sum_swap; apply sum_ext; intros; symmetry; apply sum_scal).
  rewrite sum_swap. apply sum_ext. intros k _.
  set (X := fun i w => \sum_(c < dv) (W c k * noise i c w)).
  rewrite (Ex_ext Omega Ex _ (fun w => (\sum_(i < T) (a i * X i w)) * (\sum_(j < T) (a j * X j w)))).
  - rewrite Ex_product by auto. apply sum_ext. intros i Hi.
    rewrite (sum_ext T _ (fun j => delta i j * (a i * a j * \sum_(c < dv) (W c k * W c k * s2 i c)))).
    + rewrite (sum_delta T i (fun j => a i * a j * \sum_(c < dv) (W c k * W c k * s2 i c))) by auto.
      rewrite <- sum_scal. apply sum_ext; intros; ring.
    + intros j Hj. unfold X. rewrite (projections_uncorrelated Omega Ex T dv noise s2 (fun c => W c k) lin H i Hi j Hj). ring.
  - intros w. unfold E_V, X. f_equal; apply sum_ext; intros; f_equal; apply sum_ext; intros; ring.
Qed.

(** Key and value noise are independent: the expectation over both is iterated. flip turns the sign of all key noise. *)
Theorem cross_zero OmegaK OmegaV (EK : (OmegaK -> R) -> R) (EV : (OmegaV -> R) -> R) (flip : OmegaK -> OmegaK)
    T dk dv (a q : nat -> R) (vW W : nat -> nat -> R) (keys : nat -> nat -> OmegaK -> R) (values : nat -> nat -> OmegaV -> R)
    (da : OmegaK -> nat -> R) :
  linear OmegaK EK -> linear OmegaV EV ->
  (forall f, EK (fun k => f (flip k)) = EK f) -> (forall i c k, keys i c (flip k) = - keys i c k) ->
  (each i < T, each c < dv, EV (values i c) = 0) ->
  let Ex f := EK (fun k => EV (fun v => f k v)) in
  let E_K k o := \sum_(i < T) (da k i * vW i o) in
  let E_V v o := \sum_(i < T) (a i * \sum_(c < dv) (values i c v * W c o)) in
  let E_x k v o := \sum_(i < T) (da k i * \sum_(c < dv) (values i c v * W c o)) in
  let alpha k i := \sum_(c < dk) (q c * keys i c k) in
  let abar k := \sum_(i < T) (a i * alpha k i) in
  let m2 k := \sum_(i < T) (a i * (alpha k i - abar k) ^ 2) in
  let E_K1 k o := \sum_(i < T) (a i * (alpha k i - abar k) * vW i o) in
  let E_K2 k o := \sum_(i < T) (a i / 2 * ((alpha k i - abar k) ^ 2 - m2 k) * vW i o) in
  forall o o', Ex (fun k v => E_K k o * E_V v o') = 0 /\ Ex (fun k v => E_K k o * E_x k v o') = 0 /\
    EK (fun k => E_K1 k o * E_K2 k o') = 0.
Proof.
  intros linK linV Flip Odd Zero Ex E_K E_V E_x alpha abar m2 E_K1 E_K2 o o'.
  assert (Row : forall (b : nat -> R), EV (fun v => \sum_(i < T) (b i * \sum_(c < dv) (values i c v * W c o'))) = 0).
  { intros b. rewrite (Ex_sum OmegaV EV linV T (fun i v => b i * \sum_(c < dv) (values i c v * W c o'))).
    rewrite <- (sum_zero T). apply sum_ext. intros i Hi. rewrite (Ex_scal OmegaV EV linV (b i)).
    rewrite (Ex_sum OmegaV EV linV dv (fun c v => values i c v * W c o')), (sum_ext dv _ (fun _ => 0)).
    - rewrite sum_zero. ring.
    - intros c Hc. rewrite (Ex_ext OmegaV EV _ (fun v => W c o' * values i c v)) by (intros; ring).
      rewrite (Ex_scal OmegaV EV linV (W c o')), Zero by auto. ring. }
  assert (Given : forall F (G : OmegaK -> OmegaV -> R), (forall k, EV (G k) = 0) -> Ex (fun k v => F k * G k v) = 0).
  { intros F G HG. unfold Ex. rewrite (Ex_ext OmegaK EK _ (fun _ => 0)); [apply Ex_zero; auto|].
    intros k. rewrite (Ex_scal OmegaV EV linV (F k) (G k)), HG. ring. }
  split; [|split].
  - apply (Given (fun k => E_K k o) (fun _ v => E_V v o')). intros k. apply (Row a).
  - apply (Given (fun k => E_K k o) (fun k v => E_x k v o')). intros k. apply (Row (da k)).
  - set (f := fun k => E_K1 k o * E_K2 k o').
    assert (A : forall k i, alpha (flip k) i = - alpha k i).
    { intros k i. unfold alpha. replace (- (\sum_(c < dk) (q c * keys i c k))) with (-1 * \sum_(c < dk) (q c * keys i c k)) by ring.
      rewrite <- sum_scal. apply sum_ext. intros. rewrite Odd. ring. }
    assert (B : forall k, abar (flip k) = - abar k).
    { intros k. unfold abar. replace (- (\sum_(i < T) (a i * alpha k i))) with (-1 * \sum_(i < T) (a i * alpha k i)) by ring.
      rewrite <- sum_scal. apply sum_ext. intros. rewrite A. ring. }
    assert (M : forall k, m2 (flip k) = m2 k) by (intros k; apply sum_ext; intros; rewrite A, B; ring).
    assert (Turned : forall k, f (flip k) = -1 * f k).
    { intros k. unfold f. replace (E_K2 (flip k) o') with (E_K2 k o') by (apply sum_ext; intros; rewrite A, B, M; f_equal; ring).
      replace (E_K1 (flip k) o) with (-1 * E_K1 k o); [ring|].
      unfold E_K1. rewrite <- sum_scal. apply sum_ext. intros. rewrite A, B. ring. }
    change (EK f = 0). pose proof (Flip f) as F. rewrite (Ex_ext OmegaK EK _ _ Turned), (Ex_scal OmegaK EK linK (-1) f) in F. lra.
Qed.

Theorem eq14 Omega Ex T dk (a q : nat -> R) noise s2 sigma2 :
  linear Omega Ex -> probability T a -> white Omega Ex T dk noise s2 ->
  (each i < T, each c < dk, 0 <= s2 i c <= sigma2) ->
  let alpha i w := \sum_(c < dk) (q c * noise i c w) in
  let abar w := \sum_(i < T) (a i * alpha i w) in
  each l < T,
    Ex (fun w => (alpha l w - abar w) ^ 2)
      = (1 - 2 * a l) * Ex (fun w => alpha l w ^ 2) + \sum_(i < T) (a i ^ 2 * Ex (fun w => alpha i w ^ 2)) /\
    Ex (fun w => (alpha l w - abar w) ^ 2) <= 2 * norm2 dk q * sigma2.
Proof.
  intros lin [A0 A1] H S alpha abar l Hl.
  assert (Cov : each i < T, each j < T, Ex (fun w => alpha i w * alpha j w) = delta i j * \sum_(c < dk) (q c * q c * s2 i c))
    by (apply projections_uncorrelated; auto).
  assert (Own : each i < T, Ex (fun w => alpha i w ^ 2) = \sum_(c < dk) (q c * q c * s2 i c)).
  { intros i Hi. rewrite (Ex_ext Omega Ex _ (fun w => alpha i w * alpha i w)) by (intros; ring). rewrite Cov by auto.
    unfold delta. destruct (Nat.eq_dec i i); [ring|lia]. }
  set (b := fun i => delta l i - a i).
  assert (E : Ex (fun w => (alpha l w - abar w) ^ 2) = \sum_(i < T) (b i ^ 2 * Ex (fun w => alpha i w ^ 2))).
  { rewrite (Ex_ext Omega Ex _ (fun w => (\sum_(i < T) (b i * alpha i w)) * (\sum_(j < T) (b j * alpha j w)))).
    - rewrite Ex_product by auto. apply sum_ext. intros i Hi.
      rewrite (sum_ext T _ (fun j => delta i j * (b i * b j * Ex (fun w => alpha i w ^ 2))))
        by (intros j Hj; rewrite Cov, Own by auto; ring).
      rewrite (sum_delta T i (fun j => b i * b j * Ex (fun w => alpha i w ^ 2))) by auto. ring.
    - intros w. assert (D : \sum_(i < T) (b i * alpha i w) = alpha l w - abar w); [|rewrite D; ring].
      unfold b, abar. rewrite (sum_ext T _ (fun i => delta l i * alpha i w - a i * alpha i w)) by (intros; ring).
      rewrite sum_minus, (sum_delta T l (fun i => alpha i w)) by auto. ring. }
  assert (Identity : Ex (fun w => (alpha l w - abar w) ^ 2)
    = (1 - 2 * a l) * Ex (fun w => alpha l w ^ 2) + \sum_(i < T) (a i ^ 2 * Ex (fun w => alpha i w ^ 2))).
  { rewrite E. rewrite (sum_ext T _ (fun i => delta l i * ((1 - 2 * a i) * Ex (fun w => alpha i w ^ 2)) + a i ^ 2 * Ex (fun w => alpha i w ^ 2))).
    - rewrite sum_plus, (sum_delta T l (fun i => (1 - 2 * a i) * Ex (fun w => alpha i w ^ 2))) by auto. ring.
    - intros i _. unfold b, delta. destruct (Nat.eq_dec l i); ring. }
  split; [exact Identity|]. rewrite E.
  assert (Q : each i < T, 0 <= Ex (fun w => alpha i w ^ 2) <= norm2 dk q * sigma2).
  { intros i Hi. rewrite Own by auto. unfold norm2. rewrite <- sum_scal_r. split.
    - apply sum_nonneg. intros c Hc. apply Rmult_le_pos; [apply square_nonneg|apply S; auto].
    - apply sum_le. intros c Hc. apply Rmult_le_compat_l; [apply square_nonneg|apply S; auto]. }
  (* sum b_i^2 = (1 - a_l)^2 + sum over the others of a_i^2 <= 2 *)
  assert (Small : each i < T, b i ^ 2 <= delta l i + a i).
  { intros i Hi. pose proof (A0 i Hi). assert (a i <= 1) by (rewrite <- A1; apply sum_term; auto).
    unfold b, delta. destruct (Nat.eq_dec l i); nra. }
  apply Rle_trans with (\sum_(i < T) ((delta l i * 1 + a i) * (norm2 dk q * sigma2))).
  - apply sum_le. intros i Hi. specialize (Q i Hi). specialize (Small i Hi). apply Rmult_le_compat; try lra. apply pow2_ge_0.
  - rewrite sum_scal_r, sum_plus, (sum_delta T l (fun _ => 1)) by auto. change (\sum_(i < T) a i) with (sum T a). rewrite A1. lra.
Qed.
