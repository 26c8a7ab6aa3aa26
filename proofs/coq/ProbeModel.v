(** ReadKV, section 2 and C.2: the probe model.

    An encoder writes w one-bit cells, which it fills knowing the source x and not the query y; a reader requests at most r of
    them; a decoder answers from the query and the returned bits. The reader classes of Table 1 differ in what an address may
    depend on. *)
From Coq Require Import List Lia Reals FunctionalExtensionality.
Import ListNotations.
Set Implicit Arguments.

Definition record := nat -> bool.          (* cell -> bit; readers may probe cells below w *)

(** One address at a time, each chosen from the bits returned so far. *)
Inductive tree (A : Type) := Answer (a : A) | Probe (cell : nat) (next : bool -> tree A).
Arguments Answer {A} a.
Arguments Probe {A} cell next.

Fixpoint run A (t : tree A) (Z : record) : A :=
  match t with Answer a => a | Probe i next => run (next (Z i)) Z end.
(** Cells below w only, and at most r probes. *)
Fixpoint probes_within A (w r : nat) (t : tree A) {struct t} : Prop :=
  match t with
  | Answer _ => True
  | Probe i next => (i < w)%nat /\ match r with O => False | S r' => forall b, probes_within w r' (next b) end
  end.

(** Batches: each is chosen from the bits of earlier batches. *)
Inductive stages (A : Type) := Done (a : A) | Batch (cells : list nat) (next : list bool -> stages A).
Arguments Done {A} a.
Arguments Batch {A} cells next.

Fixpoint run_stages A (s : stages A) (Z : record) : A :=
  match s with Done a => a | Batch l next => run_stages (next (map Z l)) Z end.
(** Cells below w only, at most J batches and r cells in all. *)
Fixpoint stages_within A (w J r : nat) (s : stages A) {struct s} : Prop :=
  match s with
  | Done _ => True
  | Batch l next =>
    match J with
    | O => False
    | S J' => Forall (fun i => i < w)%nat l /\ (length l <= r)%nat /\
              forall bits, length bits = length l -> stages_within w J' (r - length l) (next bits)
    end
  end.

(** A reader class: its readers, which of them keep to the rules, and what each answers to a query and a record. *)
Record class (Y Out : Type) := {
  reader : Type;
  legal : reader -> Prop;
  answer : reader -> Y -> record -> Out
}.
Arguments reader {Y Out} _.
Arguments legal {Y Out} _ _.
Arguments answer {Y Out} _ _ _ _.

Section Classes.
Variables Y Out : Type.
Variables w r : nat.

(** The cells depend on nothing. *)
Definition oblivious : class Y Out := {|
  reader := list nat * (Y -> list bool -> Out);
  legal := fun p => Forall (fun i => i < w)%nat (fst p) /\ (length (fst p) <= r)%nat;
  answer := fun p y Z => snd p y (map Z (fst p)) |}.
(** They depend on the bits returned so far; the query comes in only at the end. *)
Definition query_independent : class Y Out := {|
  reader := tree (Y -> Out);
  legal := fun t => probes_within w r t;
  answer := fun t y Z => run t Z y |}.
(** On the query, and the bits of earlier batches. *)
Definition staged (J : nat) : class Y Out := {|
  reader := Y -> stages Out;
  legal := fun s => forall y, stages_within w J r (s y);
  answer := fun s y Z => run_stages (s y) Z |}.
(** On the query and every bit returned so far. *)
Definition branching : class Y Out := {|
  reader := Y -> tree Out;
  legal := fun t => forall y, probes_within w r (t y);
  answer := fun t y Z => run (t y) Z |}.
(** The decoder sees the whole record. *)
Definition full_message : class Y Out := {|
  reader := Y -> list bool -> Out;
  legal := fun _ => True;
  answer := fun decode y Z => decode y (map Z (seq 0 w)) |}.
End Classes.

(** Each reader of C has its double in D. *)
Definition included Y Out (C D : class Y Out) := exists double : reader C -> reader D,
  forall p, legal C p -> legal D (double p) /\ forall y Z, answer D (double p) y Z = answer C p y Z.
Definition equal Y Out (C D : class Y Out) := included C D /\ included D C.

Lemma included_trans Y Out (C D E : class Y Out) : included C D -> included D E -> included C E.
Proof.
  intros [F HF] [G HG]. exists (fun p => G (F p)). intros p Hp. destruct (HF p Hp) as [A B].
  destruct (HG (F p) A) as [A' B']. split; auto. intros. rewrite B'. auto.
Qed.

(** Protocols with coins: omega is all there is, the encoder sees its part of it, reader and decoder theirs (public coins
    are in both parts). Ex is the expectation over omega, whatever that is. A class reaches the worst-case risk tau where some
    protocol of it has an expected loss of at most tau for every source and query; its minimax risk is the infimum. *)
Section Risk.
Variables X Y Out Omega EncoderCoins ReaderCoins : Type.
Variable of_encoder : Omega -> EncoderCoins.
Variable of_reader : Omega -> ReaderCoins.
Variable Ex : (Omega -> R) -> R.
Variable loss : X -> Y -> Out -> R.
Definition reaches (C : class Y Out) (tau : R) :=
  exists (encode : EncoderCoins -> X -> record) (read : ReaderCoins -> reader C),
    (forall coins, legal C (read coins)) /\
    forall x y,
      (Ex (fun omega => loss x y (answer C (read (of_reader omega)) y (encode (of_encoder omega) x))) <= tau)%R.

(** A larger class has no larger risk. *)
Lemma reaches_more C D tau : included C D -> reaches C tau -> reaches D tau.
Proof.
  intros [double H] (encode & read & Legal & Worst). exists encode, (fun coins => double (read coins)). split.
  - intros coins. apply H; auto.
  - intros x y. specialize (Worst x y). erewrite (f_equal Ex); [exact Worst|]. extensionality omega.
    f_equal. apply H; auto.
Qed.
End Risk.
