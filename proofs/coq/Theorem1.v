(** ReadKV, Theorem 1: the separation in inner products.

    readkv.thm1.coefficient   1/(8 pi e) > 0.01463.
    readkv.thm1.ratio155      (1/(8 pi e))/eps_8^2 > 155 for eps_8 <= 0.0097.
    readkv.thm1.ratio155507   1/(8 * 3.142 * 2.719)/0.00009409 > 155.507; pi < 3.142, e < 2.719.
    readkv.thm1.instance      d = 128, k = 32: the factor exceeds 4.85.
    readkv.thm1.k_range       with w = 8d and r = 2d depth 8 is admissible iff k <= floor(d/4); its bound is below 1/(8 pi e d)
                              iff k <= 157 (k <= 155 with 0.0097 for eps_8).
    readkv.thm1.upper         (x'y - s)^2 <= k eps_L^2/d, and it is attained.
    readkv.thm1.schedule      weights q_i^2/d, codes of depth L, budget Lk: depth L on supp(q), 0 elsewhere.

    The upper bound is Cauchy-Schwarz over the coordinates in supp(q), read at an error of at most eps each; equal entries of
    q and a value at the worst point attain it. For the schedule positive gains suffice: nothing outside supp(q) ever gains,
    so at most Lk bits are taken there, and greedy stops short of Lk only where nothing is left to gain. *)
From Coq Require Import Reals Lra Lia.
From KVProof Require Import ExactInterval FiniteSums Allocation Proposition8.
Open Scope R_scope.

Theorem coefficient : 1 / (8 * PI * exp 1) > 0.01463.
Proof. interval with (i_prec 60). Qed.

Theorem ratio155 eps8 : 0 < eps8 <= 0.0097 -> (1 / (8 * PI * exp 1)) / eps8 ^ 2 > 155.
Proof.
  intros He. pose proof coefficient as C. apply Rlt_gt, Rmult_lt_reg_r with (eps8 ^ 2); [nra|].
  replace (1 / (8 * PI * exp 1) / eps8 ^ 2 * eps8 ^ 2) with (1 / (8 * PI * exp 1)); [nra|].
  pose proof (exp_pos 1). pose proof PI_RGT_0. field. repeat split; lra.
Qed.

Theorem ratio155507 : PI < 3.142 /\ exp 1 < 2.719 /\ 0.0097 ^ 2 = 0.00009409 /\
  1 / (8 * 3.142 * 2.719) / 0.00009409 > 155.507.
Proof. repeat split; try lra; interval with (i_prec 60). Qed.

Theorem instance eps8 : 0 < eps8 <= 0.0097 -> Rpower 2 (1 - 2 * 256 / 128) / (PI * exp 1) / (32 * eps8 ^ 2) > 4.85.
Proof.
  intros He. assert (C : Rpower 2 (1 - 2 * 256 / 128 * 1) / (PI * exp 1) > 0.014633) by interval with (i_prec 60).
  rewrite Rmult_1_r in C. set (c := Rpower 2 (1 - 2 * 256 / 128) / (PI * exp 1)) in *. clearbody c.
  apply Rlt_gt, Rmult_lt_reg_r with (32 * eps8 ^ 2); [nra|].
  replace (c / (32 * eps8 ^ 2) * (32 * eps8 ^ 2)) with c by (field; lra). nra.
Qed.

(** L <= min(w/d, r/k) for L = 8, and k eps_8^2 < 2^(1-2r/d)/(pi e) at r = 2d. *)
Theorem k_range d k : (0 < d)%nat -> (0 < k)%nat ->
  ((8 <= Nat.min (8 * d / d) (2 * d / k))%nat <-> (k <= d / 4)%nat) /\
  (forall eps8, 0.00965 <= eps8 <= 0.009655 -> (INR k * eps8 ^ 2 < 1 / (8 * PI * exp 1) <-> (k <= 157)%nat)) /\
  (INR k * 0.0097 ^ 2 < 1 / (8 * PI * exp 1) <-> (k <= 155)%nat).
Proof.
  intros Hd Hk. split; [|split].
  - rewrite Nat.div_mul by lia. rewrite Nat.min_glb_iff.
    pose proof (Nat.mul_div_le (2 * d) k ltac:(lia)). pose proof (Nat.mul_div_le d 4 ltac:(lia)).
    split; intros H1.
    + apply Nat.div_le_lower_bound; [lia|]. destruct H1 as [_ H1]. nia.
    + split; [lia|]. apply Nat.div_le_lower_bound; [lia|]. lia.
  - assert (C : 0.0146365 < 1 / (8 * PI * exp 1) < 0.0146378) by (split; interval with (i_prec 60)).
    intros e He. split; intros H.
    + apply Nat.lt_succ_r, INR_lt. change (S 157) with 158%nat. rewrite INR_IZR_INZ with (n := 158%nat). simpl IZR.
      apply Rmult_lt_reg_r with (e ^ 2); [nra|]. nra.
    + apply le_INR in H. rewrite INR_IZR_INZ with (n := 157%nat) in H. simpl IZR in H. pose proof (pos_INR k).
      assert (e ^ 2 <= 0.009655 ^ 2) by nra. assert (0 < e ^ 2) by nra. nra.
  - assert (C : 0.0146365 < 1 / (8 * PI * exp 1) < 0.0146378) by (split; interval with (i_prec 60)). split; intros H.
    + apply Nat.lt_succ_r, INR_lt. change (S 155) with 156%nat. rewrite INR_IZR_INZ with (n := 156%nat). simpl IZR. lra.
    + apply le_INR in H. rewrite INR_IZR_INZ with (n := 155%nat) in H. simpl IZR in H. lra.
Qed.

(** 1 on the support of q, 0 elsewhere. *)
Definition on_support (q : nat -> R) i := if Req_EM_T (q i) 0 then 0 else 1.

Theorem upper d k (q z : nat -> R) (Q : R -> R) eps : (0 < d)%nat ->
  (forall u, -1 <= u <= 1 -> Rabs (u - Q u) <= eps) -> (each i < d, -1 <= z i <= 1) ->
  norm2 d q <= 1 -> \sum_(i < d) on_support q i <= INR k ->
  let xy := \sum_(i < d) (q i * (z i / sqrt (INR d))) in
  let s := / sqrt (INR d) * \sum_(i < d) (q i * Q (z i)) in
  (xy - s) ^ 2 <= INR k * eps ^ 2 / INR d.
Proof.
  intros Hd HQ Hz Hq Hk xy s. assert (P : 0 < INR d) by (apply lt_0_INR; auto).
  assert (Root : 0 < sqrt (INR d)) by (apply sqrt_lt_R0; auto).
  set (err := fun i => on_support q i * (z i - Q (z i))).
  assert (E : xy - s = / sqrt (INR d) * \sum_(i < d) (q i * err i)).
  { unfold xy, s. rewrite <- !sum_scal, <- sum_minus. apply sum_ext. intros i _. unfold err, on_support.
    destruct (Req_EM_T (q i) 0) as [-> |]; field; lra. }
  assert (Each : norm2 d err <= INR k * eps ^ 2).
  { apply Rle_trans with (\sum_(i < d) (on_support q i * eps ^ 2)).
    - apply sum_le. intros i Hi. specialize (HQ (z i) (Hz i Hi)). unfold err, on_support.
      pose proof (Rabs_pos (z i - Q (z i))). destruct (Req_EM_T (q i) 0); [nra|].
      replace (1 * (z i - Q (z i)) * (1 * (z i - Q (z i)))) with (Rabs (z i - Q (z i)) * Rabs (z i - Q (z i))); [nra|].
      rewrite <- Rabs_mult, Rabs_right; [ring|apply Rle_ge, square_nonneg].
    - rewrite sum_scal_r. apply Rmult_le_compat_r; auto. apply pow2_ge_0. }
  pose proof (cauchy_schwarz d q err) as CS. fold (norm2 d q) (norm2 d err) in CS.
  set (T := \sum_(i < d) (q i * err i)) in *.
  assert (T2 : T * T <= INR k * eps ^ 2).
  { eapply Rle_trans; [exact CS|]. pose proof (norm2_nonneg d q). pose proof (norm2_nonneg d err).
    apply Rle_trans with (1 * norm2 d err); [apply Rmult_le_compat_r; auto|lra]. }
  rewrite E. replace ((/ sqrt (INR d) * T) ^ 2) with (T * T / INR d).
  - apply Rmult_le_compat_r; auto. left. apply Rinv_0_lt_compat; auto.
  - rewrite <- (sqrt_sqrt (INR d)) at 1 by lra. field. lra.
Qed.

Theorem upper_attained d k (Q : R -> R) u : (0 < k)%nat -> (k <= d)%nat ->
  let q i := if lt_dec i k then / sqrt (INR k) else 0 in
  norm2 d q = 1 /\ \sum_(i < d) on_support q i = INR k /\
  let xy := \sum_(i < d) (q i * (u / sqrt (INR d))) in
  let s := / sqrt (INR d) * \sum_(i < d) (q i * Q u) in
  (xy - s) ^ 2 = INR k * (u - Q u) ^ 2 / INR d.
Proof.
  intros Hk Hd q. assert (Pk : 0 < INR k) by (apply lt_0_INR; auto). assert (Pd : 0 < INR d) by (apply lt_0_INR; lia).
  assert (Zk : 0 < sqrt (INR k)) by (apply sqrt_lt_R0; auto). assert (Zd : 0 < sqrt (INR d)) by (apply sqrt_lt_R0; auto).
  assert (Count : forall m v, \sum_(i < m) (if lt_dec i k then v else 0) = INR (Nat.min m k) * v).
  { induction m as [|m IH]; intros v; cbn [sum]; [simpl; ring|]. rewrite IH. destruct (lt_dec m k).
    - rewrite !Nat.min_l by lia. rewrite S_INR. ring.
    - rewrite !Nat.min_r by lia. ring. }
  split; [|split].
  - unfold norm2. rewrite (sum_ext d _ (fun i => if lt_dec i k then / INR k else 0)).
    + rewrite Count, Nat.min_r by auto. field. lra.
    + intros i _. unfold q. destruct (lt_dec i k); [|ring]. rewrite <- Rinv_mult, sqrt_sqrt; auto. lra.
  - rewrite (sum_ext d _ (fun i => if lt_dec i k then 1 else 0)).
    + rewrite Count, Nat.min_r by auto. ring.
    + intros i _. unfold on_support, q. destruct (lt_dec i k); destruct (Req_EM_T _ 0) as [Z|]; auto; try lra.
      apply Rinv_neq_0_compat in Z; [tauto|lra].
  - intros xy s. assert (Sq : sum d q = INR k * / sqrt (INR k)) by (unfold q; rewrite Count, Nat.min_r by auto; auto).
    unfold xy, s. rewrite !sum_scal_r. change (\sum_(i < d) q i) with (sum d q). rewrite Sq.
    pose proof (sqrt_sqrt (INR k) ltac:(lra)) as Ek. pose proof (sqrt_sqrt (INR d) ltac:(lra)) as Ed.
    set (r := sqrt (INR k)) in *. set (w := sqrt (INR d)) in *. clearbody r w. rewrite <- Ek, <- Ed. field. lra.
Qed.

Lemma spent_le n u v : (each i < n, (u i <= v i)%nat) -> (spent n u <= spent n v)%nat.
Proof. induction n; intros H; simpl; auto. specialize (IHn ltac:(auto)). specialize (H n ltac:(auto)). lia. Qed.
Lemma spent_equal n u v : (each i < n, (u i <= v i)%nat) -> spent n v = spent n u -> each i < n, u i = v i.
Proof.
  induction n as [|n IH]; intros H S i Hi; [lia|]. simpl in S.
  pose proof (spent_le n u v ltac:(auto)). pose proof (H n ltac:(auto)).
  destruct (Nat.eq_dec i n) as [->|]; [lia|]. apply IH; auto; lia.
Qed.

(** D is any distortion that every bit of the code lowers. *)
Theorem schedule d L (q D : nat -> R) : (0 < d)%nat -> (forall s, (s < L)%nat -> D (S s) < D s) ->
  let k := spent d (fun i => if Req_EM_T (q i) 0 then 0 else 1)%nat in
  let t := choose_depths d L (gain (fun i => q i ^ 2 / INR d) (fun _ => D)) (L * k) in
  each i < d, t i = if Req_EM_T (q i) 0 then 0%nat else L.
Proof.
  intros Hd HD k t. set (g := gain (fun i => q i ^ 2 / INR d) (fun _ => D)) in *.
  set (target := fun i => if Req_EM_T (q i) 0 then 0%nat else L).
  assert (P : 0 < INR d) by (apply lt_0_INR; auto).
  assert (Positive : forall i s, (s < L)%nat -> q i <> 0 -> 0 < g i s).
  { intros i s Hs Hq. unfold g, gain. specialize (HD s Hs). apply Rmult_lt_0_compat; [|lra].
    apply Rdiv_lt_0_compat; auto. pose proof (pow2_ge_0 (q i)). assert (q i ^ 2 <> 0) by (apply pow_nonzero; auto). lra. }
  assert (Zero : forall i s, q i = 0 -> g i s = 0) by (intros i s Z; unfold g, gain; rewrite Z; field; lra).
  destruct (choose_depths_sound d L g (L * k)) as (Depth & Gain & Budget). fold t in Depth, Gain, Budget.
  assert (Below : each i < d, (t i <= target i)%nat).
  { intros i Hi. specialize (Depth i Hi). specialize (Gain i Hi). unfold target.
    destruct (Req_EM_T (q i) 0) as [Z|]; auto. destruct (t i); auto. rewrite Zero in Gain by auto.
    specialize (Gain ltac:(lia)). lra. }
  destruct Budget as [Spent|[_ Done]].
  - assert (S : spent d target = spent d t).
    { rewrite Spent. unfold k, target. clear. induction d; simpl; [lia|]. rewrite IHd. destruct (Req_EM_T (q d) 0); lia. }
    exact (spent_equal d t target Below S).
  - intros i Hi. specialize (Below i Hi). specialize (Depth i Hi). specialize (Done i Hi). unfold target in *.
    destruct (Req_EM_T (q i) 0) as [Z|Z]; [lia|]. destruct (le_lt_dec L (t i)); [lia|].
    specialize (Positive i (t i) l Z). specialize (Done l). lra.
Qed.
