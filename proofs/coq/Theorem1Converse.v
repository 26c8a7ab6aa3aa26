(** ReadKV, Theorem 1: what no query-independent reader can do.

    readkv.thm1.converse   a query-independent reader of r probes has a worst squared error of at least 2^(1-2r/d)/(pi e d) on
                           X_U and Y_{U,k}, for every record length, encoder, decoder, k >= 1, and coins with finitely many
                           outcomes, whoever sees them.

    The source is U'z/sqrt(d) with z uniform on the cube, the query +-U'e_j. Half the difference of the answers to U'e_j and
    -U'e_j, times sqrt(d), estimates z_j; the mean of the two squared errors is at least that of the estimate, over d. The
    estimates depend on the transcript alone, so equation (4) holds for them. *)
From Coq Require Import Reals Lra Lia FunctionalExtensionality.
From KVProof Require Import FiniteSums LinearExpectation Expectation UniformCube ProbeModel Equation4 WorstCase Theorem1.
Open Scope R_scope.

Definition inner n (x y : nat -> R) := \sum_(i < n) (x i * y i).
(** U'z, for U with the rows U i. *)
Definition back d (U : nat -> nat -> R) (z : nat -> R) j := \sum_(i < d) (z i * U i j).
Definition orthogonal d (U : nat -> nat -> R) := each i < d, each j < d, inner d (U i) (U j) = delta i j.

(** Y_{U,k}: the query is U'q. *)
Record sparse_query d k := {
  in_q :> nat -> R;
  in_ball : norm2 d in_q <= 1;
  sparse : \sum_(i < d) on_support in_q i <= INR k
}.
Arguments in_q {d k} _ _.

(** The squared error of an answer s to the query U'q about the source U'z/sqrt(d). *)
Definition squared_error d k U (z : cube d) (q : sparse_query d k) (s : R) :=
  (inner d (fun j => back d U z j / sqrt (INR d)) (back d U q) - s) ^ 2.

Lemma back_inner d U x y : orthogonal d U -> inner d (back d U x) (back d U y) = inner d x y.
Proof.
  intros H. unfold inner at 1, back.
  rewrite (sum_ext d _ (fun l => \sum_(i < d) \sum_(j < d) (x i * y j * (U i l * U j l)))).
  - rewrite sum_swap. apply sum_ext. intros i Hi. rewrite sum_swap.
    rewrite (sum_ext d _ (fun j => delta i j * (x i * y j))).
    + rewrite sum_delta by auto. reflexivity.
    + intros j Hj. rewrite sum_scal. fold (inner d (U i) (U j)). rewrite (H i Hi j Hj). ring.
  - intros l _. rewrite sum_product. apply sum_ext. intros i _. apply sum_ext. intros j _. ring.
Qed.

(** The signed unit vectors. *)
Lemma unit_norm d j s : (j < d)%nat -> s * s = 1 -> norm2 d (fun i => s * delta j i) <= 1.
Proof.
  intros Hj Hs. unfold norm2. rewrite (sum_ext d _ (fun i => delta j i * (s * s * delta j i))) by (intros; ring).
  rewrite (sum_delta d j (fun i => s * s * delta j i)) by auto. unfold delta. destruct (Nat.eq_dec j j); [lra|tauto].
Qed.
Lemma unit_sparse d k j s : (j < d)%nat -> (1 <= k)%nat -> \sum_(i < d) on_support (fun i => s * delta j i) i <= INR k.
Proof.
  intros Hj Hk. apply Rle_trans with 1; [|apply (le_INR 1); auto].
  apply Rle_trans with (\sum_(i < d) (delta j i * 1)); [|rewrite (sum_delta d j (fun _ => 1)) by auto; lra].
  apply sum_le. intros i _. unfold on_support, delta. destruct (Nat.eq_dec j i); destruct (Req_EM_T _ 0) as [|Z]; try lra.
Qed.
Lemma zero_norm d : norm2 d (fun _ => 0) <= 1.
Proof. unfold norm2. rewrite (sum_ext d _ (fun _ => 0)) by (intros; ring). rewrite sum_zero. lra. Qed.
Lemma zero_sparse d k : \sum_(i < d) on_support (fun _ => 0) i <= INR k.
Proof.
  rewrite (sum_ext d _ (fun _ => 0)); [rewrite sum_zero; apply pos_INR|]. intros. unfold on_support.
  destruct (Req_EM_T 0 0); auto. lra.
Qed.
Definition signed_unit d k (Hk : (1 <= k)%nat) s (Hs : s * s = 1) j : sparse_query d k :=
  match lt_dec j d with
  | left H => {| in_q := fun i => s * delta j i; in_ball := unit_norm d j s H Hs; sparse := unit_sparse d k j s H Hk |}
  | right _ => {| in_q := fun _ => 0; in_ball := zero_norm d; sparse := zero_sparse d k |}
  end.

Lemma at_signed_unit d k Hk s Hs j U (z : cube d) a : orthogonal d U -> (j < d)%nat ->
  squared_error d k U z (signed_unit d k Hk s Hs j) a = (s * z j / sqrt (INR d) - a) ^ 2.
Proof.
  intros HU Hj. unfold squared_error, signed_unit. destruct (lt_dec j d); [|tauto]. simpl in_q. f_equal. f_equal.
  unfold inner. rewrite (sum_ext d _ (fun i => / sqrt (INR d) * (back d U z i * back d U (fun i => s * delta j i) i)))
    by (intros; unfold Rdiv; ring).
  rewrite sum_scal. fold (inner d (back d U z) (back d U (fun i => s * delta j i))). rewrite back_inner by auto. unfold inner.
  rewrite (sum_ext d _ (fun i => delta j i * (s * z i))) by (intros; ring).
  rewrite (sum_delta d j (fun i => s * z i)) by auto. unfold Rdiv. ring.
Qed.

Section Converse.
Variables d k w r : nat.
Variable U : nat -> nat -> R.
Variable Ex : (cube d -> R) -> R.
Variables Omega EncoderCoins ReaderCoins : Type.
Variable of_encoder : Omega -> EncoderCoins.
Variable of_reader : Omega -> ReaderCoins.
Variable C : coins Omega.

Theorem converse tau : (0 < d)%nat -> (1 <= k)%nat -> orthogonal d U -> uniform d Ex ->
  reaches of_encoder of_reader (over_coins C) (squared_error d k U) (query_independent (sparse_query d k) R w r) tau ->
  Rpower 2 (1 - 2 * INR r / INR d) / (PI * exp 1) / INR d <= tau.
Proof.
  intros Hd Hk HU law (encode & tree_of & Legal & Worst). assert (P : 0 < INR d) by (apply lt_0_INR; auto).
  set (up := signed_unit d k Hk 1 ltac:(lra)). set (down := signed_unit d k Hk (-1) ltac:(lra)).
  set (loss := fun c (z : cube d) q => squared_error d k U z q
    (answer (query_independent _ R w r) (tree_of (of_reader c)) q (encode (of_encoder c) z))).
  assert (Losses : forall c, each j < d, bounded (fun z => loss c z (up j)) /\ bounded (fun z => loss c z (down j))).
  { intros c j Hj. assert (B : forall s q, bounded (fun z : cube d => s * z j / sqrt (INR d) -
        answer (query_independent (sparse_query d k) R w r) (tree_of (of_reader c)) q (encode (of_encoder c) z))).
    { intros s q. apply bounded_minus.
      - apply (bounded_mult _ (fun z : cube d => s * z j) (fun _ => / sqrt (INR d))); [|apply bounded_const].
        apply bounded_scal, bounded_coordinate. auto.
      - apply (bounded_run d _ (tree_of (of_reader c)) (fun a => a q)). }
    split.
    - assert (E : (fun z : cube d => squared_error d k U z (up j) (answer (query_independent _ R w r) (tree_of (of_reader c)) (up j)
        (encode (of_encoder c) z))) = (fun z : cube d => (1 * z j / sqrt (INR d) -
        answer (query_independent _ R w r) (tree_of (of_reader c)) (up j) (encode (of_encoder c) z)) ^ 2)).
      { extensionality z. apply at_signed_unit; auto. }
      unfold loss. rewrite E. simpl pow. apply bounded_mult; [apply (B 1)|]. apply bounded_mult; [apply (B 1)|apply bounded_const].
    - assert (E : (fun z : cube d => squared_error d k U z (down j) (answer (query_independent _ R w r) (tree_of (of_reader c)) (down j)
        (encode (of_encoder c) z))) = (fun z : cube d => (-1 * z j / sqrt (INR d) -
        answer (query_independent _ R w r) (tree_of (of_reader c)) (down j) (encode (of_encoder c) z)) ^ 2)).
      { extensionality z. apply at_signed_unit; auto. }
      unfold loss. rewrite E. simpl pow. apply bounded_mult; [apply (B (-1))|]. apply bounded_mult; [apply (B (-1))|apply bounded_const]. }
  apply (average d Ex Omega C (sparse_query d k) loss up down d _ tau law Hd Losses Worst).
  intros c. specialize (Legal (of_reader c)). simpl in Legal. set (t := tree_of (of_reader c)) in *.
  set (Z := encode (of_encoder c)). set (root := sqrt (INR d)).
  assert (Root : 0 < root) by (apply sqrt_lt_R0; auto). assert (Square : root * root = INR d) by (apply sqrt_sqrt; lra).
  set (guess := fun (a : sparse_query d k -> R) j => root * ((a (up j) - a (down j)) / 2)).
  pose proof (from_a_transcript d Ex law Hd _ w r t Z guess Legal) as Least.
  assert (Bounded : bounded (fun x : cube d => norm2 d (fun i => x i - guess (run t (Z x)) i))).
  { apply bounded_error. intros i _. apply (bounded_run d _ t (fun a => guess a i)). }
  apply Rle_trans with (Ex (fun x => / (INR d * INR d) * norm2 d (fun i => x i - guess (run t (Z x)) i))).
  - rewrite (proj2 (proj1 (is_expectation d Ex law))). apply Rmult_le_reg_l with (INR d * INR d); [nra|].
    rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by nra. eapply Rle_trans; [|exact Least]. right. field.
    pose proof PI_RGT_0. pose proof (exp_pos 1). repeat split; lra.
  - apply (Ex_le _ Ex (is_expectation d Ex law)); [apply bounded_scal, Bounded| |].
    { apply bounded_scal, (bounded_sum _ d (fun j x => loss c x (up j) + loss c x (down j))). intros j Hj.
      destruct (Losses c j Hj). apply bounded_plus; auto. }
    intros x. unfold loss. simpl. fold t. fold Z. unfold norm2. rewrite <- !sum_scal. apply sum_le. intros j Hj.
    unfold up, down. rewrite !at_signed_unit by auto. fold up down root. unfold guess.
    set (s1 := run t (Z x) (up j)). set (s2 := run t (Z x) (down j)). rewrite <- Square.
    (* a^2 + b^2 >= (a - b)^2/2 *)
    replace (/ (root * root * (root * root)) * ((x j - root * ((s1 - s2) / 2)) * (x j - root * ((s1 - s2) / 2))))
      with (/ (2 * (root * root)) * ((1 * x j / root - s1 - (-1 * x j / root - s2)) ^ 2 / 2)) by (field; lra).
    apply Rmult_le_compat_l. { left. apply Rinv_0_lt_compat. nra. }
    set (a := 1 * x j / root - s1). set (b := -1 * x j / root - s2). pose proof (pow2_ge_0 (a + b)). nra.
Qed.
End Converse.
