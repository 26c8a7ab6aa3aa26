(** A worst case over sources and queries is no smaller than an average over them, coins or not. *)
From Coq Require Import Reals Lra Lia FunctionalExtensionality.
From KVProof Require Import FiniteSums LinearExpectation UniformCube.
Open Scope R_scope.

(** Coins are drawn apart from the source: the two means may be taken in either order. *)
Record coins Omega (Ec : (Omega -> R) -> R) X (Ex : (X -> R) -> R) : Prop := {
  coins_linear : linear Omega Ec;
  coins_monotone : monotone Omega Ec;
  coins_one : Ec (fun _ => 1) = 1;
  either_order : forall f : Omega -> X -> R, Ex (fun x => Ec (fun c => f c x)) = Ec (fun c => Ex (f c))
}.

(** No coins, and finitely many of any law. *)
Lemma no_coins X Ex : coins unit (fun f => f tt) X Ex.
Proof.
  split; [split; auto| |auto|].
  - intros f g H. apply H.
  - auto.
Qed.
Lemma finite_coins N (p : nat -> R) X Ex : (each i < N, 0 <= p i) -> sum N p = 1 -> linear X Ex ->
  coins { i | (i < N)%nat }
    (fun f => \sum_(i < N) match lt_dec i N with left H => p i * f (exist _ i H) | right _ => 0 end) X Ex.
Proof.
  intros Hp One lin. split.
  - split; intros.
    + rewrite <- sum_plus. apply sum_ext. intros i Hi. cbv beta. destruct (lt_dec i N); ring.
    + rewrite <- sum_scal. apply sum_ext. intros i Hi. cbv beta. destruct (lt_dec i N); ring.
  - intros f g H. apply sum_le. intros i Hi. destruct (lt_dec i N); [|lra]. apply Rmult_le_compat_l; auto.
  - transitivity (sum N p); auto. apply sum_ext. intros i Hi. cbv beta. destruct (lt_dec i N); [ring|lia].
  - intros f. rewrite (Ex_sum X Ex lin N (fun i x => match lt_dec i N with left H => p i * f (exist _ i H) x | right _ => 0 end)).
    apply sum_ext. intros i Hi. destruct (lt_dec i N); [apply (Ex_scal X Ex lin)|lia].
Qed.

(** Each query comes with another, as with its negative; m pairs, all equally likely. *)
Lemma average n Ex Omega Ec Y (loss : Omega -> cube n -> Y -> R) (y y' : nat -> Y) m bound tau :
  uniform n Ex -> coins Omega Ec (cube n) Ex -> (0 < m)%nat ->
  (forall x q, Ec (fun c => loss c x q) <= tau) ->
  (forall c, bound <= Ex (fun x => / (2 * INR m) * \sum_(j < m) (loss c x (y j) + loss c x (y' j)))) ->
  bound <= tau.
Proof.
  intros law [Lin Mono One Order] Hm Worst Mean. assert (P : 0 < INR m) by (apply lt_0_INR; auto).
  apply Rle_trans with (Ec (fun c => Ex (fun x => / (2 * INR m) * \sum_(j < m) (loss c x (y j) + loss c x (y' j))))).
  - replace bound with (Ec (fun _ => bound * 1)) by (rewrite (Ex_scal _ Ec Lin), One; ring). apply Mono. intros c.
    rewrite Rmult_1_r. auto.
  - rewrite <- Order. rewrite <- (Ex_const n Ex law tau). apply (is_monotone n Ex law). intros x.
    rewrite (Ex_scal _ Ec Lin), (Ex_sum _ Ec Lin m (fun j c => loss c x (y j) + loss c x (y' j))).
    apply Rmult_le_reg_l with (2 * INR m); [lra|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
    replace (2 * INR m * tau) with (\sum_(j < m) (tau + tau)) by (rewrite sum_const; ring).
    apply sum_le. intros j _. rewrite (proj1 Lin (fun c => loss c x (y j)) (fun c => loss c x (y' j))).
    apply Rplus_le_compat; apply Worst.
Qed.
