(** ReadKV, Proposition 5: without a read.

    readkv.prop5.zero_read   on the unit ball the minimax risk is 1 when no bit may be read, for every class.

    Answering 0 errs by at most |x'y| <= 1. Without a read the answer A to the query e_1 does not depend on the source; for
    x = e_1 and x = -e_1 the squared errors (1 - A)^2 and (-1 - A)^2 add up to at least 2, so one of the expectations is at
    least 1. *)
From Coq Require Import List Lia Reals Lra.
From KVProof Require Import FiniteSums ProbeModel Proposition4.
Import ListNotations.
Open Scope R_scope.

(** What an expectation does, of coins with finitely many outcomes: those of others keep order between bounded functions
    only (Expectation.v), and a loss need not be bounded. *)
Definition expectation Omega (Ex : (Omega -> R) -> R) :=
  (forall c, Ex (fun _ => c) = c) /\ (forall f g, Ex (fun w => f w + g w) = Ex f + Ex g) /\
  (forall f g, (forall w, f w <= g w) -> Ex f <= Ex g).

(** Vectors of R^d in the unit ball. *)
Definition ball d := { x : nat -> R | norm2 d x <= 1 }.
Definition entry d (x : ball d) : nat -> R := proj1_sig x.
Definition inner d (x y : ball d) := \sum_(i < d) (entry d x i * entry d y i).
Definition squared_error d (x y : ball d) (s : R) := (inner d x y - s) ^ 2.

Lemma inner_square d (x y : ball d) : inner d x y ^ 2 <= 1.
Proof.
  unfold inner. pose proof (cauchy_schwarz d (entry d x) (entry d y)) as C. destruct x as [x Hx], y as [y Hy]. simpl in *.
  fold (norm2 d x) (norm2 d y) in C. pose proof (norm2_nonneg d x). pose proof (norm2_nonneg d y). nra.
Qed.

(** c in the first coordinate, 0 elsewhere. *)
Definition first c (i : nat) := match i with O => c | _ => 0 end.
Lemma sum_first d f c : (0 < d)%nat -> \sum_(i < d) (first c i * f i) = c * f 0%nat.
Proof.
  intros H. destruct d; [lia|]. clear H. induction d; cbn [sum]; [simpl; ring|]. cbn [sum] in IHd. rewrite IHd. simpl. ring.
Qed.
Lemma first_in_ball d c : (0 < d)%nat -> c * c = 1 -> norm2 d (first c) <= 1.
Proof. intros H E. unfold norm2. rewrite sum_first by auto. simpl. lra. Qed.

Lemma without_a_read d w Omega CE CR (pe : Omega -> CE) (pr : Omega -> CR) Ex : (1 <= d)%nat -> expectation Omega Ex ->
  (forall tau, reaches pe pr Ex (squared_error d) (branching (ball d) R w 0) tau -> 1 <= tau) /\
  reaches pe pr Ex (squared_error d) (oblivious (ball d) R w 0) 1.
Proof.
  intros Hd (Const & Plus & Mono). split.
  - intros tau (encode & read & Legal & Worst). set (f := fun c => answer (branching (ball d) R w 0) (read c)).
    change (forall x y, Ex (fun o => squared_error d x y (f (pr o) y (encode (pe o) x))) <= tau) in Worst.
    pose (e := exist _ (first 1) (first_in_ball d 1 Hd ltac:(ring)) : ball d).
    pose (e' := exist _ (first (-1)) (first_in_ball d (-1) Hd ltac:(ring)) : ball d).
    assert (I : inner d e e = 1) by (unfold inner; simpl; rewrite sum_first by auto; simpl; ring).
    assert (I' : inner d e' e = -1) by (unfold inner; simpl; rewrite sum_first by auto; simpl; ring).
    assert (Blind : forall c Z Z', f c e Z = f c e Z').
    { intros c Z Z'. specialize (Legal c e). unfold f. simpl. destruct (read c e); simpl in *; tauto. }
    pose proof (Worst e e) as A. pose proof (Worst e' e) as B. unfold squared_error in A, B. rewrite I in A. rewrite I' in B.
    assert (Two : 2 <= Ex (fun o => (1 - f (pr o) e (encode (pe o) e)) ^ 2) + Ex (fun o => (-1 - f (pr o) e (encode (pe o) e')) ^ 2)).
    { rewrite <- Plus, <- (Const 2). apply Mono. intros o. rewrite (Blind (pr o) (encode (pe o) e') (encode (pe o) e)).
      set (a := f (pr o) e (encode (pe o) e)). pose proof (pow2_ge_0 a). lra. }
    lra.
  - exists (fun _ _ _ => false), (fun _ => ([], fun _ _ => 0)). split.
    + intros _. split; simpl; auto.
    + intros x y. simpl. rewrite <- (Const 1). apply Mono. intros _. unfold squared_error. rewrite Rminus_0_r. apply inner_square.
Qed.

(** Every class between the least and the largest; Proposition 4 says that all of Table 1 are. *)
Theorem proposition5 d w Omega CE CR (pe : Omega -> CE) (pr : Omega -> CR) Ex (C : class (ball d) R) :
  (1 <= d)%nat -> expectation Omega Ex ->
  included (oblivious (ball d) R w 0) C -> included C (branching (ball d) R w 0) ->
  forall tau, reaches pe pr Ex (squared_error d) C tau <-> 1 <= tau.
Proof.
  intros Hd HE Low High tau. destruct (without_a_read d w Omega CE CR pe pr Ex Hd HE) as [Least Reached]. split.
  - intros H. apply Least. revert H. apply reaches_more. exact High.
  - intros Ht. assert (R1 : reaches pe pr Ex (squared_error d) C 1) by (revert Reached; apply reaches_more; exact Low).
    destruct R1 as (encode & read & Legal & Worst). exists encode, read. split; auto. intros x y.
    eapply Rle_trans; [apply Worst|exact Ht].
Qed.
