(** AATC, Theorem 1: the white-noise distortion of an attention output. T tokens, dk key and dv value channels, outputs of
    length D; a = softmax weights, alpha_i = q' delta k_i, abar = sum a_i alpha_i.

    aatc.thm1.key_term     E ||E_K^(1)||^2 = sum_{i,c} a_i^2 ||v_i W_O - o||^2 q_c^2 E(delta k_ic)^2,
                           E_K^(1) = sum a_i (alpha_i - abar) v_i W_O.
    aatc.thm1.value_term   E ||E_V||^2 = sum_{i,c} a_i^2 E(delta v_ic)^2 ||W_Oc||^2, E_V = sum a_i delta v_i W_O.

    Any linear expectation will do under which different noises are uncorrelated; Assumption 1 gives that. As
    sum a_i alpha_i (v_i W_O - o) = sum a_i (alpha_i - abar) v_i W_O, both are sums of uncorrelated terms. *)
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
