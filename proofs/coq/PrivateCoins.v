(** Private coins of the encoder (ReadKV, C.2; the statement is not in the paper).

    readkv.c.private_coins   they never help beyond public ones.

    Let public coins, the encoder's and the reader's be drawn together as omega. If all three roles may see all of omega, they
    can do what they did and ignore the rest: the answers, and so every expected loss, are the same. And coins can be fixed:
    against finitely many sources and queries with prior probabilities, some value of finitely many coins does at least as
    well as their mean. *)
From Coq Require Import Lia Reals Lra.
From KVProof Require Import FiniteSums Probability ProbeModel.
Open Scope R_scope.

(** Whatever part of omega is the encoder's, and whatever the reader's. *)
Theorem private_coins X Y Out Omega CE CR (of_encoder : Omega -> CE) (of_reader : Omega -> CR) Ex (loss : X -> Y -> Out -> R)
    (C : class Y Out) tau :
  let public := fun omega : Omega => omega in
  reaches of_encoder of_reader Ex loss C tau -> reaches public public Ex loss C tau.
Proof.
  intros public (encode & read & Legal & Worst).
  exists (fun omega => encode (of_encoder omega)), (fun omega => read (of_reader omega)). split; auto.
Qed.

(** K coins' values with probabilities p, M pairs of a source and a query with the prior q; L k i is the loss at them. *)
Theorem coins_can_be_fixed K M (p q : nat -> R) (L : nat -> nat -> R) : probability K p ->
  exists k, (k < K)%nat /\ mean M q (L k) <= mean M q (fun i => mean K p (fun k => L k i)).
Proof.
  intros Hp.
  assert (Swap : mean M q (fun i => mean K p (fun k => L k i)) = mean K p (fun k => mean M q (L k))).
  { unfold mean. rewrite (sum_ext M _ (fun i => \sum_(k < K) (q i * (p k * L k i)))) by (intros; symmetry; apply sum_scal).
    rewrite sum_swap. apply sum_ext; intros. rewrite <- sum_scal. apply sum_ext; intros; ring. }
  rewrite Swap. set (bayes := fun k => mean M q (L k)). change (exists k, (k < K)%nat /\ bayes k <= mean K p bayes).
  assert (Least : forall n, (0 < n)%nat -> exists k, (k < n)%nat /\ each j < n, bayes k <= bayes j).
  { induction n as [|n IH]; intros H; [lia|]. destruct n.
    - exists 0%nat. split; auto. intros j Hj. replace j with 0%nat by lia. lra.
    - destruct (IH ltac:(lia)) as (k & Hk & B). destruct (Rle_dec (bayes k) (bayes (S n))).
      + exists k. split; [lia|]. intros j Hj. destruct (Nat.eq_dec j (S n)) as [->|]; auto. apply B; lia.
      + exists (S n). split; [lia|]. intros j Hj. destruct (Nat.eq_dec j (S n)) as [->|]; [lra|].
        specialize (B j ltac:(lia)). lra. }
  destruct K as [|K]; [destruct Hp as [_ H1]; simpl in H1; lra|].
  destruct (Least (S K) ltac:(lia)) as (k & Hk & B). exists k. split; auto.
  rewrite <- (mean_const (S K) p (bayes k)) by auto. apply mean_le; auto.
Qed.
