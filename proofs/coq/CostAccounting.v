(** ReadKV, appendix A and section 3.3: what is written and read.

    readkv.a2.writes         S(N,L) = sum_{t<L} (N + t) = LN + L(L-1)/2; 8192 + 128 tokens, W = 8 over W_0 = 4: 0.79%.
    readkv.a3.fraction       eta(N,L) = (W-W_0)(N+L)/(W_0 S) falls in N; at most 1% for every N >= 0 with S > 0 iff L >= 201.
    readkv.a3.limits         eta tends to (W-W_0)/(W_0 L) as N grows; eta(0,L) = 2(W-W_0)/(W_0(L-1)).
    readkv.a4.reduced        delta S(N,L) > a (N+L) for every N >= 0 iff L > 1 + 2a/delta, for large N iff L > a/delta.
    readkv.budget.identity   (T B_K + d_h B_V)/(2 G T d_h) = (R_K + R_V)/2. *)
From Coq Require Import Reals ZArith Lra Lia.
From Coquelicot Require Import Coquelicot.
From KVProof Require Import FiniteSums.
Open Scope R_scope.

(** Cumulative reads of N prompt tokens and L steps, and the additional writes as a fraction of them. *)
Definition reads N L := L * N + L * (L - 1) / 2.
Definition eta W W0 N L := (W - W0) * (N + L) / (W0 * reads N L).

Theorem reads_are_a_sum N L : \sum_(t < L) (N + INR t) = reads N (INR L).
Proof. unfold reads. induction L; [simpl; field|]. cbn [sum]. rewrite IHL, S_INR. field. Qed.

Theorem percent : 0.00785 < eta 8 4 8192 128 < 0.00795.
Proof. unfold eta, reads. lra. Qed.

Theorem eta_falls W W0 N N' L : 0 < W0 < W -> 1 < L -> 0 <= N < N' -> eta W W0 N' L < eta W W0 N L.
Proof.
  intros HW HL HN. unfold eta. assert (A : 0 < reads N L) by (unfold reads; nra).
  assert (B : 0 < reads N' L) by (unfold reads; nra).
  assert (C : (N' + L) * reads N L < (N + L) * reads N' L) by (unfold reads; nra).
  apply Rmult_lt_reg_r with (W0 * reads N L * reads N' L); [apply Rmult_lt_0_compat; auto; apply Rmult_lt_0_compat; lra|].
  replace ((W - W0) * (N' + L) / (W0 * reads N' L) * (W0 * reads N L * reads N' L))
    with ((W - W0) * ((N' + L) * reads N L)) by (field; lra).
  replace ((W - W0) * (N + L) / (W0 * reads N L) * (W0 * reads N L * reads N' L))
    with ((W - W0) * ((N + L) * reads N' L)) by (field; lra).
  apply Rmult_lt_compat_l; lra.
Qed.

Theorem one_percent_from_201 (L : Z) : (1 <= L)%Z ->
  ((forall N : Z, (0 <= N)%Z -> 0 < reads (IZR N) (IZR L) -> eta 8 4 (IZR N) (IZR L) <= 1 / 100) <-> (201 <= L)%Z).
Proof.
  intros HL. apply IZR_le in HL.
  assert (Cleared : forall N : Z, 0 < reads (IZR N) (IZR L) ->
    (eta 8 4 (IZR N) (IZR L) <= 1 / 100 <-> 100 * (IZR N + IZR L) <= reads (IZR N) (IZR L))).
  { intros N P. unfold eta. set (S := reads (IZR N) (IZR L)) in *.
    replace ((8 - 4) * (IZR N + IZR L) / (4 * S)) with ((IZR N + IZR L) / S) by (field; lra). split; intros H.
    - apply Rmult_le_compat_r with (r := S) in H; [|lra].
      replace ((IZR N + IZR L) / S * S) with (IZR N + IZR L) in H by (field; lra). lra.
    - apply Rmult_le_reg_r with S; auto. replace ((IZR N + IZR L) / S * S) with (IZR N + IZR L) by (field; lra). lra. }
  split.
  - intros H. destruct (Z_lt_le_dec L 201) as [C|C]; auto. assert (C' : IZR L <= 200) by (apply IZR_le; lia).
    destruct (Z.eq_dec L 1) as [->|N1].
    + specialize (H 1%Z ltac:(lia)). assert (P : 0 < reads 1 1) by (unfold reads; lra).
      specialize (H P). apply Cleared in H; auto. unfold reads in H. lra.
    + assert (2 <= IZR L) by (apply IZR_le; apply le_IZR in HL; lia). specialize (H 0%Z ltac:(lia)).
      assert (P : 0 < reads 0 (IZR L)) by (unfold reads; nra). specialize (H P). apply Cleared in H; auto. unfold reads in H. nra.
  - intros H N HN P. apply Cleared; auto. apply IZR_le in H. apply IZR_le in HN. unfold reads. nra.
Qed.

Theorem eta_limits W W0 L : 0 < W0 < W -> 1 < L ->
  is_lim (fun N => eta W W0 N L) p_infty ((W - W0) / (W0 * L)) /\ eta W W0 0 L = 2 * (W - W0) / (W0 * (L - 1)).
Proof.
  intros HW HL. split; [|unfold eta, reads; field; lra].
  set (c := (W - W0) * (L + 1) / (2 * W0)).
  apply (is_lim_ext_loc (fun N => (W - W0) / (W0 * L) + c * / reads N L)).
  { exists 0. intros N HN. unfold c, eta. assert (0 < reads N L) by (unfold reads; nra).
    unfold reads in *. field. repeat split; lra. }
  evar_last.
  - apply is_lim_plus'; [apply is_lim_const|]. apply (is_lim_scal_l (fun N => / reads N L) c p_infty 0).
    evar_last; [apply (is_lim_inv (fun N => reads N L) p_infty p_infty)|reflexivity]; [|discriminate].
    apply (is_lim_le_p_loc (fun N => N)); [|apply is_lim_id]. exists 0. intros N HN. unfold reads. nra.
  - simpl. f_equal. ring.
Qed.

(** a extra bits written, delta read bits saved. *)
Theorem reduced_reads a delta L : 0 <= a -> 0 < delta -> 1 <= L ->
  ((forall N, 0 <= N -> delta * reads N L > a * (N + L)) <-> L > 1 + 2 * a / delta) /\
  ((exists M, forall N, M <= N -> delta * reads N L > a * (N + L)) <-> L > a / delta).
Proof.
  intros Ha Hd HL. set (q := a / delta). assert (Q : a = q * delta) by (unfold q; field; lra).
  assert (Q0 : 0 <= q) by (unfold q; apply Rmult_le_pos; auto; left; apply Rinv_0_lt_compat; auto).
  replace (2 * a / delta) with (2 * q) by (unfold q; field; lra).
  assert (E : forall N, delta * reads N L - a * (N + L) = delta * (N * (L - q) + L / 2 * (L - (1 + 2 * q)))).
  { intros N. rewrite Q. unfold reads. field. }
  assert (Iff : forall N, delta * reads N L > a * (N + L) <-> 0 < N * (L - q) + L / 2 * (L - (1 + 2 * q))).
  { intros N. specialize (E N). split; intros H.
    - apply Rmult_lt_reg_l with delta; auto. lra.
    - apply Rmult_lt_compat_l with (r := delta) in H; lra. }
  split; split.
  - intros H. specialize (proj1 (Iff 0) (H 0 (Rle_refl 0))) as P. nra.
  - intros H N HN. apply Iff. assert (0 <= N * (L - q)) by (apply Rmult_le_pos; lra). nra.
  - intros [M H]. destruct (Rlt_le_dec q L) as [|C]; auto. exfalso. pose proof (Rmax_l M 0). pose proof (Rmax_r M 0).
    specialize (proj1 (Iff (Rmax M 0)) (H (Rmax M 0) (Rmax_l M 0))) as P.
    assert (Rmax M 0 * (L - q) <= 0) by nra. nra.
  - intros H. exists (L / 2 * (1 + 2 * q) / (L - q) + 1). intros N HN. apply Iff.
    assert (P : 0 < L - q) by lra. assert (L / 2 * (1 + 2 * q) < N * (L - q)); [|nra].
    apply Rlt_le_trans with ((L / 2 * (1 + 2 * q) / (L - q) + 1) * (L - q)); [|apply Rmult_le_compat_r; lra].
    replace ((L / 2 * (1 + 2 * q) / (L - q) + 1) * (L - q)) with (L / 2 * (1 + 2 * q) + (L - q)) by (field; lra). lra.
Qed.

Theorem budget_identity T BK BV dh G : T <> 0 -> dh <> 0 -> G <> 0 ->
  (T * BK + dh * BV) / (2 * G * T * dh) = (BK / (G * dh) + BV / (G * T)) / 2.
Proof. intros. field. auto. Qed.
