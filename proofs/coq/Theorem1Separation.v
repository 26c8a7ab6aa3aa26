(** ReadKV, Theorem 1: the separation, both readers in the probe model.

    readkv.thm1.separation   for L <= min(w/d, r/k) one batch that sees the query keeps the worst squared error within
                             k eps_L^2/d, without coins; no query-independent reader, with coins or not, stays below
                             2^(1-2r/d)/(pi e d).

    The encoder writes L bits of each coordinate, coordinate after coordinate. The reader asks for those of the coordinates in
    supp(q), and the decoder takes L bits from the answer for each of them. *)
From Coq Require Import Reals Lra Lia List FunctionalExtensionality.
From KVProof Require Import FiniteSums LinearExpectation UniformCube ProbeModel WorstCase Theorem1 Theorem1Converse.
Import ListNotations.
Open Scope R_scope.

(** A scalar code of L bits: which bits a number gets, and what a word of bits stands for. *)
Record scalar_code := { bit : R -> nat -> bool; value : list bool -> R }.
Definition word L (u : R) (C : scalar_code) := map (bit C u) (seq 0 L).
(** Q_L(u). *)
Definition reconstruction L C u := value C (word L u C).

(** ReadKV's record, cells, and estimate. *)
Definition stored L C (z : nat -> R) : record := fun cell => bit C (z (cell / L)%nat) (cell mod L)%nat.
Definition cells_of L i := map (fun s => i * L + s)%nat (seq 0 L).
Fixpoint asked L (q : nat -> R) (is : list nat) : list nat :=
  match is with [] => [] | i :: rest => (if Req_EM_T (q i) 0 then [] else cells_of L i) ++ asked L q rest end.
Fixpoint decoded L C (q : nat -> R) (is : list nat) (got : list bool) : R :=
  match is with
  | [] => 0
  | i :: rest =>
    if Req_EM_T (q i) 0 then decoded L C q rest got
    else q i * value C (firstn L got) + decoded L C q rest (skipn L got)
  end.

Lemma cells_length L i : length (cells_of L i) = L.
Proof. unfold cells_of. rewrite map_length, seq_length. auto. Qed.

Lemma stored_cells L C z i : (0 < L)%nat -> map (stored L C z) (cells_of L i) = word L (z i) C.
Proof.
  intros HL. unfold cells_of, word. rewrite map_map. apply map_ext_in. intros s Hs. apply in_seq in Hs. unfold stored.
  rewrite Nat.div_add_l, Nat.div_small, Nat.add_0_r by lia.
  rewrite Nat.add_comm, Nat.mod_add, Nat.mod_small by lia. auto.
Qed.

(** Sums over a list of indices, and over 0, ..., d-1. *)
Fixpoint list_sum (is : list nat) (f : nat -> R) : R := match is with [] => 0 | i :: rest => f i + list_sum rest f end.
Lemma list_sum_app l l' f : list_sum (l ++ l') f = list_sum l f + list_sum l' f.
Proof. induction l; simpl; [ring|]. rewrite IHl. ring. Qed.
Lemma list_sum_seq d f : list_sum (seq 0 d) f = sum d f.
Proof. induction d; auto. rewrite seq_S, list_sum_app, IHd. simpl. ring. Qed.

Lemma decoded_stored L C q z is : (0 < L)%nat ->
  decoded L C q is (map (stored L C z) (asked L q is)) = list_sum is (fun i => q i * reconstruction L C (z i)).
Proof.
  intros HL. induction is as [|i rest IH]; simpl; auto. destruct (Req_EM_T (q i) 0) as [Zero|N].
  - simpl. rewrite IH, Zero. ring.
  - rewrite map_app, stored_cells by auto. unfold word at 1 2. rewrite firstn_app, skipn_app, map_length, seq_length.
    replace (L - L)%nat with 0%nat by lia. simpl firstn at 2. simpl skipn at 2. rewrite app_nil_r.
    rewrite firstn_all2, skipn_all2 by (rewrite map_length, seq_length; auto). simpl app. rewrite IH. reflexivity.
Qed.

Lemma asked_length L q is : INR (length (asked L q is)) = INR L * list_sum is (on_support q).
Proof.
  induction is as [|i rest IH]; simpl; [ring|]. rewrite app_length, plus_INR, IH. unfold on_support at 2.
  destruct (Req_EM_T (q i) 0); [simpl; ring|]. rewrite cells_length. ring.
Qed.
Lemma asked_below L q d w : (0 < L)%nat -> (L * d <= w)%nat -> Forall (fun i => i < w)%nat (asked L q (seq 0 d)).
Proof.
  intros HL Hw. assert (H : forall is, Forall (fun i => i < d)%nat is -> Forall (fun i => i < w)%nat (asked L q is)).
  { induction is as [|i rest IH]; simpl; auto. intros F. inversion F as [|? ? Hi Rest]; subst. apply Forall_app. split; auto.
    destruct (Req_EM_T (q i) 0); auto. apply Forall_forall. intros c Hc. unfold cells_of in Hc. apply in_map_iff in Hc.
    destruct Hc as (s & <- & Hs). apply in_seq in Hs. nia. }
  apply H, Forall_forall. intros i Hi. apply in_seq in Hi. lia.
Qed.

(** ReadKV: one batch, no coins. *)
Lemma readkv_reaches d k w r L U C eps : (0 < d)%nat -> (0 < L)%nat -> (L * d <= w)%nat -> (L * k <= r)%nat ->
  orthogonal d U -> (forall u, -1 <= u <= 1 -> Rabs (u - reconstruction L C u) <= eps) ->
  reaches (fun c : unit => c) (fun c : unit => c) (fun f => f tt) (squared_error d k U) (staged (sparse_query d k) R w r 1)
    (INR k * eps ^ 2 / INR d).
Proof.
  intros Hd HL Hw Hr HU HQ.
  exists (fun _ (z : cube d) => stored L C z),
    (fun _ (q : sparse_query d k) => Batch (asked L q (seq 0 d)) (fun got => Done (/ sqrt (INR d) * decoded L C q (seq 0 d) got))).
  split.
  - intros _ q. simpl. split; [|split; auto].
    + apply asked_below; auto.
    + apply INR_le. rewrite asked_length, list_sum_seq. apply Rle_trans with (INR (L * k)); [|apply le_INR; auto].
      rewrite mult_INR. apply Rmult_le_compat_l; [apply pos_INR|]. exact (sparse d k q).
  - intros z q. simpl. rewrite decoded_stored, list_sum_seq by auto. unfold squared_error.
    replace (inner d (fun j => back d U z j / sqrt (INR d)) (back d U q)) with (\sum_(i < d) (q i * (z i / sqrt (INR d)))).
    + exact (upper d k q z (reconstruction L C) eps Hd HQ (inside d z) (in_ball d k q) (sparse d k q)).
    + unfold inner at 1. rewrite (sum_ext d (fun i => back d U z i / _ * _)
        (fun i => / sqrt (INR d) * (back d U z i * back d U q i))) by (intros; unfold Rdiv; ring).
      rewrite sum_scal. fold (inner d (back d U z) (back d U q)). rewrite back_inner by auto. unfold inner.
      rewrite <- sum_scal. apply sum_ext. intros. unfold Rdiv. ring.
Qed.

Theorem separation d k w r L U C eps : (0 < d)%nat -> (1 <= k)%nat -> (1 <= L)%nat -> (L * d <= w)%nat -> (L * k <= r)%nat ->
  orthogonal d U -> (forall u, -1 <= u <= 1 -> Rabs (u - reconstruction L C u) <= eps) ->
  let bound := Rpower 2 (1 - 2 * INR r / INR d) / (PI * exp 1) in
  reaches (fun c : unit => c) (fun c : unit => c) (fun f => f tt) (squared_error d k U) (staged (sparse_query d k) R w r 1)
    (INR k * eps ^ 2 / INR d) /\
  (forall Ex Omega EncoderCoins ReaderCoins (of_encoder : Omega -> EncoderCoins) (of_reader : Omega -> ReaderCoins)
    (K : coins Omega) tau, uniform d Ex ->
    reaches of_encoder of_reader (over_coins K) (squared_error d k U) (query_independent (sparse_query d k) R w r) tau ->
    bound / INR d <= tau) /\
  (INR k * eps ^ 2 < bound -> INR k * eps ^ 2 / INR d < bound / INR d).
Proof.
  intros Hd Hk HL Hw Hr HU HQ bound. split; [apply (readkv_reaches d k w r L U C eps); auto|]. split.
  - intros Ex Omega EncoderCoins ReaderCoins of_encoder of_reader K tau law H.
    apply (converse d k w r U Ex Omega EncoderCoins ReaderCoins of_encoder of_reader K tau); auto.
  - intros Strict. apply Rmult_lt_compat_r; auto. apply Rinv_0_lt_compat, lt_0_INR. auto.
Qed.
