(** A worst case over sources and queries is no smaller than an average over them, coins or not. *)
From Coq Require Import Reals Lra Lia FunctionalExtensionality.
From KVProof Require Import FiniteSums Probability LinearExpectation Expectation UniformCube.
Open Scope R_scope.

(** Coins with finitely many outcomes, of any law; one outcome is no coin. *)
Record coins Omega := {
  outcomes : nat;
  outcome : nat -> Omega;
  chance : nat -> R;
  chances : probability outcomes chance
}.
Arguments outcomes {Omega} _.
Arguments outcome {Omega} _ _.
Arguments chance {Omega} _ _.
Definition over_coins {Omega} (C : coins Omega) (f : Omega -> R) := mean (outcomes C) (chance C) (fun i => f (outcome C i)).

(** Each query comes with another, as with its negative; m pairs, all equally likely. *)
Lemma average n Ex Omega (C : coins Omega) Y (loss : Omega -> cube n -> Y -> R) (y y' : nat -> Y) m bound tau :
  uniform n Ex -> (0 < m)%nat ->
  (forall c, each j < m, bounded (fun x => loss c x (y j)) /\ bounded (fun x => loss c x (y' j))) ->
  (forall x q, over_coins C (fun c => loss c x q) <= tau) ->
  (forall c, bound <= Ex (fun x => / (2 * INR m) * \sum_(j < m) (loss c x (y j) + loss c x (y' j)))) ->
  bound <= tau.
Proof.
  intros law Hm Bounded Worst Least. assert (P : 0 < INR m) by (apply lt_0_INR; auto). pose proof (is_expectation n Ex law) as E.
  assert (lin : linear (cube n) Ex) by apply E.
  set (both := fun c (x : cube n) => / (2 * INR m) * \sum_(j < m) (loss c x (y j) + loss c x (y' j))) in *.
  assert (B : forall c, bounded (both c)).
  { intros c. apply bounded_scal, (bounded_sum _ m (fun j x => loss c x (y j) + loss c x (y' j))). intros j Hj.
    destruct (Bounded c j Hj). apply bounded_plus; auto. }
  apply Rle_trans with (over_coins C (fun c => Ex (both c))).
  - unfold over_coins. rewrite <- (mean_const _ (chance C) bound) by apply chances.
    apply mean_le; [apply chances|]. intros. apply Least.
  - unfold over_coins, mean. rewrite (sum_ext _ _ (fun i => Ex (fun x => chance C i * both (outcome C i) x)))
      by (intros; symmetry; apply lin).
    rewrite <- (Ex_sum _ Ex lin (outcomes C) (fun i x => chance C i * both (outcome C i) x)).
    rewrite <- (Ex_const _ Ex E tau). apply (Ex_le _ Ex E).
    + apply (bounded_sum _ (outcomes C) (fun i x => chance C i * both (outcome C i) x)). intros. apply bounded_scal. auto.
    + apply bounded_const.
    + intros x. unfold both. apply Rmult_le_reg_l with (2 * INR m); [lra|].
      rewrite <- sum_scal. rewrite (sum_ext _ _ (fun i => \sum_(j < m)
        (chance C i * loss (outcome C i) x (y j) + chance C i * loss (outcome C i) x (y' j)))).
      * rewrite sum_swap. replace (2 * INR m * tau) with (\sum_(j < m) (tau + tau)) by (rewrite sum_const; ring).
        apply sum_le. intros j _. rewrite sum_plus. apply Rplus_le_compat; apply Worst.
      * intros i _. transitivity (chance C i * \sum_(j < m) (loss (outcome C i) x (y j) + loss (outcome C i) x (y' j))).
        { field. lra. }
        rewrite <- sum_scal. apply sum_ext. intros. ring.
Qed.
