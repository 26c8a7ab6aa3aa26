(** ReadKV, Proposition 4: the order of the reader classes.

    readkv.prop4.chain          oblivious <= staged(1) <= staged(J) <= staged(J+1) <= branching (inclusions), and
                                oblivious <= query-independent branching <= branching; so minimax risks are ordered.
    readkv.prop4.staged_limit   J >= r: staged(J) = branching.
    readkv.prop4.no_probe       r = 0: all classes are equal.

    A batch is read one cell at a time, and its bits are kept from the policy until it is complete; a branching reader is r
    batches of one cell. *)
From Coq Require Import List Lia Reals.
From KVProof Require Import ProbeModel.
Import ListNotations.
Set Implicit Arguments.

(** Reads the cells of a list one after another, then goes on from their bits. *)
Fixpoint one_by_one A (l : list nat) (next : list bool -> tree A) : tree A :=
  match l with [] => next [] | i :: l' => Probe i (fun b => one_by_one l' (fun bits => next (b :: bits))) end.

Lemma run_one_by_one A l : forall (next : list bool -> tree A) Z, run (one_by_one l next) Z = run (next (map Z l)) Z.
Proof. induction l; intros; simpl; auto. rewrite IHl. auto. Qed.

Lemma within_more A w (t : tree A) : forall r r', (r <= r')%nat -> probes_within w r t -> probes_within w r' t.
Proof.
  induction t as [a|i next IH]; intros r r' H; simpl; auto. intros [Hi D]. split; auto.
  destruct r; [tauto|]. destruct r'; [lia|]. intros b. apply (IH b r); auto. lia.
Qed.
Lemma one_by_one_within A w l : forall (next : list bool -> tree A) r, Forall (fun i => i < w)%nat l ->
  (forall bits, length bits = length l -> probes_within w r (next bits)) ->
  probes_within w (length l + r) (one_by_one l next).
Proof.
  induction l; intros next r Hl H; simpl; [apply (H []); auto|]. inversion Hl; subst. split; auto.
  intros b. apply IHl; auto. intros bits Hb. apply H. simpl. lia.
Qed.

Section Inclusions.
Variables Y Out : Type.
Variables w r : nat.
Notation oblivious := (oblivious Y Out w).
Notation query_independent := (query_independent Y Out w).
Notation staged := (staged Y Out w).
Notation branching := (branching Y Out w).

Lemma oblivious_in_query_independent : included (oblivious r) (query_independent r).
Proof.
  exists (fun p => one_by_one (fst p) (fun bits => Answer (fun y => snd p y bits))). intros [l decode] [Hw Hl]. simpl in *. split.
  - apply within_more with (length l + 0)%nat; [lia|]. apply one_by_one_within; simpl; auto.
  - intros. rewrite run_one_by_one. auto.
Qed.

Lemma oblivious_in_staged : included (oblivious r) (staged r 1).
Proof.
  exists (fun p y => Batch (fst p) (fun bits => Done (snd p y bits))). intros [l decode] [Hw Hl]. split; simpl; auto.
Qed.

Lemma stages_more (s : stages Out) : forall J J' n, (J <= J')%nat -> stages_within w J n s -> stages_within w J' n s.
Proof.
  induction s as [a|l next IH]; intros J J' n H; simpl; auto. destruct J; [tauto|]. destruct J'; [lia|].
  intros (A & B & C). repeat split; auto. intros bits Hb. apply (IH bits J); auto. lia.
Qed.
Lemma staged_in_more J J' : (J <= J')%nat -> included (staged r J) (staged r J').
Proof. intros H. exists (fun s => s). intros s A. split; auto. intros y. apply stages_more with J; auto. Qed.

Fixpoint unbatched (s : stages Out) : tree Out :=
  match s with Done a => Answer a | Batch l next => one_by_one l (fun bits => unbatched (next bits)) end.
Lemma run_unbatched s : forall Z, run (unbatched s) Z = run_stages s Z.
Proof. induction s as [a|l next IH]; intros; simpl; auto. rewrite run_one_by_one. auto. Qed.
Lemma unbatched_within s : forall J n, stages_within w J n s -> probes_within w n (unbatched s).
Proof.
  induction s as [a|l next IH]; intros J n; simpl; auto. destruct J; [tauto|]. intros (A & B & C).
  apply within_more with (length l + (n - length l))%nat; [lia|].
  apply one_by_one_within; auto. intros bits Hb. apply IH with J. auto.
Qed.
Lemma staged_in_branching J : included (staged r J) (branching r).
Proof.
  exists (fun s y => unbatched (s y)). intros s A. split.
  - intros y. apply unbatched_within with J; auto.
  - intros. apply run_unbatched.
Qed.

Fixpoint batches_of_one (t : tree Out) : stages Out :=
  match t with Answer a => Done a | Probe i next => Batch [i] (fun bits => batches_of_one (next (hd false bits))) end.
Lemma run_batches_of_one t : forall Z, run_stages (batches_of_one t) Z = run t Z.
Proof. induction t as [a|i next IH]; intros; simpl; auto. Qed.
Lemma batches_of_one_within t : forall n, probes_within w n t -> stages_within w n n (batches_of_one t).
Proof.
  induction t as [a|i next IH]; intros n; simpl; auto. intros [Hi H]. destruct n; [tauto|].
  repeat split; auto; [simpl; lia|]. intros bits _. simpl. rewrite Nat.sub_0_r. auto.
Qed.
Lemma branching_in_staged J : (r <= J)%nat -> included (branching r) (staged r J).
Proof.
  intros H. apply included_trans with (staged r r); [|apply staged_in_more; auto].
  exists (fun t y => batches_of_one (t y)). intros t A. split.
  - intros y. apply batches_of_one_within; apply A.
  - intros. apply run_batches_of_one.
Qed.

Fixpoint for_query (t : tree (Y -> Out)) (y : Y) : tree Out :=
  match t with Answer a => Answer (a y) | Probe i next => Probe i (fun b => for_query (next b) y) end.
Lemma query_independent_in_branching : included (query_independent r) (branching r).
Proof.
  exists for_query. intros t D. split.
  - intros y. revert D. simpl. generalize r. induction t as [a|i next IH]; intros n; simpl; auto.
    intros [Hi H]. split; auto. destruct n; auto.
  - intros y Z. clear. simpl. induction t as [a|i next IH]; simpl; auto.
Qed.

Theorem chain J :
  included (oblivious r) (staged r 1) /\
  ((1 <= J)%nat -> included (staged r 1) (staged r J)) /\
  included (staged r J) (staged r (S J)) /\
  included (staged r J) (branching r) /\
  included (oblivious r) (query_independent r) /\
  included (query_independent r) (branching r).
Proof.
  refine (conj oblivious_in_staged (conj _ (conj _ (conj (staged_in_branching J)
    (conj oblivious_in_query_independent query_independent_in_branching))))); intros; apply staged_in_more; lia.
Qed.

Theorem staged_limit J : (r <= J)%nat -> equal (staged r J) (branching r).
Proof. intros H. split; [apply staged_in_branching|apply branching_in_staged; auto]. Qed.

Lemma branching_without_probes : included (branching 0) (oblivious 0).
Proof.
  exists (fun t => ([], fun y _ => run (t y) (fun _ => false))). intros t A. split; [split; simpl; auto|].
  intros y Z. specialize (A y). simpl. destruct (t y); simpl in *; tauto.
Qed.
End Inclusions.

Theorem no_probe Y Out w J : (1 <= J)%nat ->
  equal (oblivious Y Out w 0) (query_independent Y Out w 0) /\
  equal (oblivious Y Out w 0) (staged Y Out w 0 J) /\
  equal (oblivious Y Out w 0) (branching Y Out w 0).
Proof.
  intros HJ. destruct (chain Y Out w 0 J) as (A & B & _ & D & E & F). pose proof (branching_without_probes Y Out w) as G.
  repeat split; eauto using included_trans.
Qed.

(** The same of what the classes reach, for every loss and all coins. *)
Theorem risks_ordered X Y Out Omega CE CR (pe : Omega -> CE) (pr : Omega -> CR) Ex (loss : X -> Y -> Out -> R) w r J tau :
  let reach := fun C => reaches pe pr Ex loss C tau in
  (reach (oblivious Y Out w r) -> reach (staged Y Out w r 1)) /\
  ((1 <= J)%nat -> reach (staged Y Out w r 1) -> reach (staged Y Out w r J)) /\
  (reach (staged Y Out w r J) -> reach (staged Y Out w r (S J))) /\
  (reach (staged Y Out w r J) -> reach (branching Y Out w r)) /\
  (reach (oblivious Y Out w r) -> reach (query_independent Y Out w r)) /\
  (reach (query_independent Y Out w r) -> reach (branching Y Out w r)) /\
  ((r <= J)%nat -> reach (branching Y Out w r) -> reach (staged Y Out w r J)).
Proof.
  intros reach. destruct (chain Y Out w r J) as (A & B & C & D & E & F).
  repeat split; intros; match goal with H : reach _ |- _ => revert H end; apply reaches_more; auto.
  apply branching_in_staged; auto.
Qed.
