(** ReadKV, Theorem 2: the separation, both readers in the probe model.

    readkv.thm2.separation   two batches that see the query, 8m + 2 probes and no coins keep the worst mean square error within
                             (p eps_8 + rho)^2; no query-independent reader with as many probes, with coins or not, stays below
                             tanh(5)^2 2^(-7-2/m)/(pi e), which is more.

    The record holds a bit of each key, then eight bits of each value. The first batch asks for the two; they say which token
    the query's sign makes the heavy one, and the second batch asks for its value. The other token counts as 0. *)
From Coq Require Import Reals Lra Lia List FunctionalExtensionality.
From KVProof Require Import FiniteSums LinearExpectation UniformCube ProbeModel WorstCase Theorem1Separation Theorem2 Theorem2Converse.
Import ListNotations.
Open Scope R_scope.

Definition whole_record m C (x : source m) : record :=
  fun cell => match cell with O => fst x | 1%nat => negb (fst x) | S (S c) => stored 8 C (snd x) c end.
(** The heavy token's value: of v_1 if the signs agree. *)
Definition heavy m (b eta : bool) := if Bool.eqb b eta then 0%nat else m.
Definition value_cells m start := map (fun c => S (S c)) (seq (start * 8) (m * 8)).
Definition block (got : list bool) l := firstn 8 (skipn (l * 8) got).
Definition readkv m C (eta : bool) : stages (nat -> R) :=
  Batch [0; 1]%nat (fun keys => Batch (value_cells m (heavy m (hd false keys) eta))
    (fun got => Done (fun l => p * value C (block got l)))).

Lemma block_of A (f : nat -> A) start m l : (l < m)%nat ->
  firstn 8 (skipn (l * 8) (map f (seq (start * 8) (m * 8)))) = map f (seq ((start + l) * 8) 8).
Proof.
  intros Hl. replace (m * 8)%nat with (l * 8 + (8 + (m - l - 1) * 8))%nat by lia.
  rewrite seq_app, map_app, skipn_app, map_length, seq_length, Nat.sub_diag, skipn_O.
  rewrite skipn_all2 by (rewrite map_length, seq_length; auto). rewrite app_nil_l, seq_app, map_app.
  rewrite firstn_app, map_length, seq_length, Nat.sub_diag, firstn_O, app_nil_r.
  rewrite firstn_all2 by (rewrite map_length, seq_length; auto). f_equal. f_equal. lia.
Qed.

Lemma block_value m C (x : source m) start l : (l < m)%nat ->
  value C (block (map (whole_record m C x) (value_cells m start)) l) = reconstruction 8 C (snd x (start + l)%nat).
Proof.
  intros Hl. unfold block, value_cells. rewrite map_map. rewrite block_of by auto. unfold reconstruction. f_equal.
  rewrite <- (stored_cells 8 C (snd x) (start + l)) by lia. unfold cells_of. rewrite map_map.
  replace (seq ((start + l) * 8) 8) with (map (fun s => (start + l) * 8 + s)%nat (seq 0 8)).
  - rewrite map_map. reflexivity.
  - generalize ((start + l) * 8)%nat. intros n. simpl. rewrite Nat.add_0_r. repeat (f_equal; try lia).
Qed.

Lemma readkv_reaches m w C eps : (0 < m)%nat -> (16 * m + 2 <= w)%nat ->
  (forall u, -1 <= u <= 1 -> Rabs (u - reconstruction 8 C u) <= eps) ->
  reaches (fun c : unit => c) (fun c : unit => c) (fun f => f tt) (mean_square_error m)
    (staged bool (nat -> R) w (8 * m + 2) 2) ((p * eps + rho) ^ 2).
Proof.
  intros Hm Hw HQ. exists (fun _ x => whole_record m C x), (fun _ => readkv m C). split.
  - intros _ eta. simpl. split; [repeat constructor; lia|]. split; [lia|]. intros keys _. split; [|split; auto].
    + apply Forall_forall. intros c Hc. apply in_map_iff in Hc. destruct Hc as (s & <- & Hs). apply in_seq in Hs.
      unfold heavy in Hs. destruct (Bool.eqb _ _); lia.
    + unfold value_cells. rewrite map_length, seq_length. lia.
  - intros x eta. set (most := (p * eps + rho) ^ 2). simpl. set (start := heavy m (fst x) eta).
    assert (P : 0 < INR m) by (apply lt_0_INR; auto). pose proof rho_pos as Pos. destruct logistic as (Small & One & _).
    assert (Heps : 0 <= eps) by (eapply Rle_trans; [apply Rabs_pos|apply (HQ 0); lra]).
    unfold mean_square_error. apply Rmult_le_reg_r with (INR m); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    replace (most * INR m) with (\sum_(l < m) most) by (rewrite sum_const; ring).
    apply sum_le. intros l Hl. rewrite block_value by auto. unfold output.
    pose proof (inside (m + m) (snd x) l ltac:(lia)) as In1. pose proof (inside (m + m) (snd x) (m + l) ltac:(lia)) as In2.
    assert (Square : forall v v', -1 <= v <= 1 -> -1 <= v' <= 1 ->
      (p * v + rho * v' - p * reconstruction 8 C v) * (p * v + rho * v' - p * reconstruction 8 C v) <= most).
    { intros v v' Hv Hv'. unfold most. specialize (HQ v Hv). set (e := v - reconstruction 8 C v) in *.
      replace (p * v + rho * v' - p * reconstruction 8 C v) with (p * e + rho * v') by (unfold e; ring).
      assert (- eps <= e <= eps) by (unfold Rabs in HQ; destruct (Rcase_abs e); lra).
      assert (- (p * eps) <= p * e <= p * eps) by (split; nra). assert (- rho <= rho * v' <= rho) by (split; nra). nra. }
    unfold start, heavy. destruct (Bool.eqb (fst x) eta); simpl Nat.add; apply Square; auto.
Qed.

Theorem separation m w C eps8 : (0 < m)%nat -> (16 * m + 2 <= w)%nat ->
  (forall u, -1 <= u <= 1 -> Rabs (u - reconstruction 8 C u) <= eps8) -> eps8 <= 0.0097 ->
  reaches (fun c : unit => c) (fun c : unit => c) (fun f => f tt) (mean_square_error m)
    (staged bool (nat -> R) w (8 * m + 2) 2) ((p * eps8 + rho) ^ 2) /\
  (forall Ex Omega EncoderCoins ReaderCoins (of_encoder : Omega -> EncoderCoins) (of_reader : Omega -> ReaderCoins)
    (K : coins Omega) tau, uniform (m + m) Ex ->
    reaches of_encoder of_reader (over_coins K) (mean_square_error m) (query_independent bool (nat -> R) w (8 * m + 2)) tau ->
    lower_bound (INR m) <= tau) /\
  (p * eps8 + rho) ^ 2 < lower_bound (INR m).
Proof.
  intros Hm Hw HQ He. assert (Heps : 0 <= eps8) by (eapply Rle_trans; [apply Rabs_pos|apply (HQ 0); lra]).
  split; [apply (readkv_reaches m w C eps8); auto|]. split.
  - intros Ex Omega EncoderCoins ReaderCoins of_encoder of_reader K tau law H.
    apply (converse m w Ex Omega EncoderCoins ReaderCoins of_encoder of_reader K tau eps8); auto.
  - destruct lower as (_ & _ & _ & Below). apply Below; auto. apply (le_INR 1). lia.
Qed.
