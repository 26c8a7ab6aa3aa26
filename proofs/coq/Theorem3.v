(** ReadKV, Theorem 3: grouped heads and two stages.

    readkv.thm3.grouped     sum_h S_{K,h} = (T/d_h) sum a^K D and sum_h S_{V,h} = sum a^V D.
    readkv.thm3.stagewise   each stage's greedy depths are optimal for its grouped objective, and
                            sum_h ||o_h - o^_h||^2 <= beta_K sum_h S_{K,h} + beta_V sum_h S_{V,h}, beta = max over heads.

    Grouping exchanges two sums. A stage is Proposition 8 with the weights a^K or a^V, whatever attention the key stage left.
    The bound adds Proposition 12 over heads: each head's factors are at most the largest ones. *)
From Coq Require Import Reals Lra Lia.
From KVProof Require Import FiniteSums Softmax GramMatrix Lemma11 Proposition12 Allocation Proposition8.
Open Scope R_scope.

(** H query heads over G KV heads: head h reads group h. d items of each group share a weight over the group's heads, and
    item c of group b is stored to depth t b c: an item is a channel of the keys or a token of the values. *)
Lemma exchanged H G d (group : nat -> nat) (share : nat -> nat -> nat -> R) (D : nat -> nat -> R) :
  (each h < H, (group h < G)%nat) ->
  \sum_(h < H) \sum_(c < d) (share h (group h) c * D (group h) c) =
  \sum_(b < G) \sum_(c < d) ((\sum_(h < H) (delta (group h) b * share h b c)) * D b c).
Proof.
  intros Hg. symmetry.
  rewrite (sum_ext G _ (fun b => \sum_(h < H) (delta (group h) b * \sum_(c < d) (share h b c * D b c)))).
  - rewrite sum_swap. apply sum_ext. intros h Hh. apply (sum_delta G (group h) (fun b => \sum_(c < d) (share h b c * D b c))); auto.
  - intros b _. rewrite (sum_ext d _ (fun c => \sum_(h < H) (delta (group h) b * (share h b c * D b c)))).
    + rewrite sum_swap. apply sum_ext. intros. apply sum_scal.
    + intros c _. rewrite <- sum_scal_r. apply sum_ext. intros; ring.
Qed.

Lemma grouped_keys T d H G (group : nat -> nat) (q : nat -> nat -> R) (sigma D : nat -> nat -> R) :
  (each h < H, (group h < G)%nat) ->
  let S_K h := INR T / INR d * \sum_(c < d) ((q h c * sigma (group h) c) ^ 2 * D (group h) c) in
  let a_K b c := \sum_(h < H) (delta (group h) b * (q h c * sigma b c) ^ 2) in
  sum H S_K = INR T / INR d * \sum_(b < G) \sum_(c < d) (a_K b c * D b c).
Proof.
  intros Hg S_K a_K. unfold S_K, a_K. rewrite sum_scal. f_equal.
  apply (exchanged H G d group (fun h b c => (q h c * sigma b c) ^ 2) D Hg).
Qed.

(** s b is 1, or the sum of the squared scales of group b. *)
Lemma grouped_values T H G (group : nat -> nat) (alpha : nat -> nat -> R) (s : nat -> R) (D : nat -> nat -> R) :
  (each h < H, (group h < G)%nat) ->
  let S_V h := s (group h) * \sum_(j < T) (alpha h j ^ 2 * D (group h) j) in
  let a_V b j := s b * \sum_(h < H) (delta (group h) b * alpha h j ^ 2) in
  sum H S_V = \sum_(b < G) \sum_(j < T) (a_V b j * D b j).
Proof.
  intros Hg S_V a_V. unfold S_V, a_V.
  rewrite (sum_ext H _ (fun h => \sum_(j < T) (s (group h) * alpha h j ^ 2 * D (group h) j)))
    by (intros; rewrite <- sum_scal; apply sum_ext; intros; ring).
  rewrite (exchanged H G T group (fun h b j => s b * alpha h j ^ 2) D Hg).
  apply sum_ext; intros b _. apply sum_ext; intros j _. f_equal. rewrite <- sum_scal. apply sum_ext; intros; ring.
Qed.

Theorem grouped T d H G (group : nat -> nat) (q alpha : nat -> nat -> R) (sigma D_K D_V : nat -> nat -> R) (s : nat -> R) :
  (each h < H, (group h < G)%nat) ->
  let S_K h := INR T / INR d * \sum_(c < d) ((q h c * sigma (group h) c) ^ 2 * D_K (group h) c) in
  let a_K b c := \sum_(h < H) (delta (group h) b * (q h c * sigma b c) ^ 2) in
  let S_V h := s (group h) * \sum_(j < T) (alpha h j ^ 2 * D_V (group h) j) in
  let a_V b j := s b * \sum_(h < H) (delta (group h) b * alpha h j ^ 2) in
  sum H S_K = INR T / INR d * (\sum_(b < G) \sum_(c < d) (a_K b c * D_K b c)) /\
  sum H S_V = (\sum_(b < G) \sum_(j < T) (a_V b j * D_V b j)).
Proof. intros Hg. split; [apply grouped_keys|apply grouped_values]; auto. Qed.

(** Each stage: N items of nonnegative weight, one code whose gains D(t) - D(t+1) do not rise. *)
Theorem stage_optimal N W (a : nat -> R) (D : nat -> R) : (each i < N, 0 <= a i) ->
  (forall s, (S s < W)%nat -> D (S s) - D (S (S s)) <= D s - D (S s)) ->
  forall B, let t := choose_depths N W (gain a (fun _ => D)) B in
  legal N W B t /\ forall u, legal N W B u -> objective N a (fun _ => D) t <= objective N a (fun _ => D) u.
Proof.
  intros Ha HD. apply proposition8. intros i Hi s Hs. unfold gain. apply Rmult_le_compat_l; auto.
Qed.

Lemma sum_over_heads H (error S_K S_V beta_K beta_V : nat -> R) BK BV :
  (each h < H, 0 <= S_K h) -> (each h < H, 0 <= S_V h) ->
  (each h < H, beta_K h <= BK) -> (each h < H, beta_V h <= BV) ->
  (each h < H, error h <= beta_K h * S_K h + beta_V h * S_V h) ->
  sum H error <= BK * sum H S_K + BV * sum H S_V.
Proof.
  intros SK SV HK HV E. rewrite <- !sum_scal, <- sum_plus. apply sum_le. intros h Hh.
  pose proof (Rmult_le_compat_r _ _ _ (SK h Hh) (HK h Hh)). pose proof (Rmult_le_compat_r _ _ _ (SV h Hh) (HV h Hh)).
  specialize (E h Hh). lra.
Qed.

(** Proposition 12 for each head h, with its own query, keys, values and reconstructions. *)
Theorem stagewise_bound H T dh (q : nat -> nat -> R) (K K' V V' : nat -> nat -> nat -> R) (c : nat -> nat -> R)
    (K2 kappa_K kappa_V gamma_K gamma_V S_K S_V : nat -> R) (beta_K beta_V : R) :
  (0 < T)%nat -> (0 < dh)%nat ->
  (each h < H, 0 <= K2 h) -> (each h < H, norm_at_most T dh (V h) (c h) (K2 h)) ->
  (each h < H, 0 <= kappa_K h) -> (each h < H, eigenvalues_at_most dh (C_K T (K h) (K' h)) (kappa_K h)) ->
  (each h < H, 0 <= kappa_V h) -> (each h < H, eigenvalues_at_most T (C_V dh (V h) (V' h)) (kappa_V h)) ->
  (each h < H, A_K T dh (q h) (K h) (K' h) <= gamma_K h * S_K h) ->
  (each h < H, A_V T dh (q h) (K' h) (V h) (V' h) <= gamma_V h * S_V h) ->
  (each h < H, 0 <= S_K h) -> (each h < H, 0 <= S_V h) ->
  (each h < H, / 2 * K2 h * kappa_K h * gamma_K h <= beta_K) -> (each h < H, 2 * kappa_V h * gamma_V h <= beta_V) ->
  \sum_(h < H) norm2 dh (fun k => output T (V h) (logits dh (q h) (K h)) k - output T (V' h) (logits dh (q h) (K' h)) k)
  <= beta_K * sum H S_K + beta_V * sum H S_V.
Proof.
  intros HT Hd P1 P2 P3 P4 P5 P6 P7 P8 SK SV BK BV.
  apply (sum_over_heads H _ S_K S_V (fun h => / 2 * K2 h * kappa_K h * gamma_K h) (fun h => 2 * kappa_V h * gamma_V h)); auto.
  intros h Hh. apply (proposition12 T dh (q h) (K h) (K' h) (V h) (V' h) HT Hd (c h)); auto.
Qed.
