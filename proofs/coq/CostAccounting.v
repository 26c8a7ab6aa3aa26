(** ReadKV, appendix A and section 3.3: what is written and read.

    readkv.a2.writes         S(N,L) = sum_{t<L} (N + t) = LN + L(L-1)/2; 8192 + 128 tokens, W = 8 over W_0 = 4: 0.79%.
    readkv.a3.fraction       eta(N,L) = (W-W_0)(N+L)/(W_0 S) falls in N; at most 1% for every N >= 0 with S > 0 iff L >= 201.
    readkv.budget.identity   (T B_K + d_h B_V)/(2 G T d_h) = (R_K + R_V)/2. *)
From Coq Require Import Reals ZArith Lra Lia.
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

Theorem budget_identity T BK BV dh G : T <> 0 -> dh <> 0 -> G <> 0 ->
  (T * BK + dh * BV) / (2 * G * T * dh) = (BK / (G * dh) + BV / (G * T)) / 2.
Proof. intros. field. auto. Qed.
