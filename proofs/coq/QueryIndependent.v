(** What a query-independent reader gains from branching (not in the paper): nothing.

    readkv.c.query_independent   with an unrestricted encoder oblivious and query-independent branching readers have the same
                                 minimax risk, for all w and r.

    For r >= w an oblivious reader reads everything. For r < w the encoder knows the reader's tree, since that does not wait
    for the query: it writes the bits along the path that the tree would take on its old record to cells 0, ..., r-1, and the
    decoder walks the tree by them. (A tree of depth r has at most 2^r leaves; this is the leaf's name.) *)
From Coq Require Import List Lia Reals FunctionalExtensionality.
From KVProof Require Import ProbeModel Proposition4 Proposition6.
Import ListNotations.
Set Implicit Arguments.

(** The bits that a tree is shown. *)
Fixpoint path A (t : tree A) (Z : record) : list bool :=
  match t with Answer _ => [] | Probe i next => Z i :: path (next (Z i)) Z end.
Fixpoint walk A (t : tree A) (bits : list bool) {struct t} : A :=
  match t with
  | Answer a => a
  | Probe _ next => match bits with [] => walk (next false) [] | b :: rest => walk (next b) rest end
  end.
Lemma walk_path A (t : tree A) : forall Z rest, walk t (path t Z ++ rest) = run t Z.
Proof. induction t as [a|i next IH]; intros; simpl; auto. Qed.
Lemma path_length A w (t : tree A) : forall r Z, probes_within w r t -> (length (path t Z) <= r)%nat.
Proof.
  induction t as [a|i next IH]; intros r Z D; simpl in *; [lia|]. destruct D as [_ D]. destruct r; [tauto|].
  specialize (IH (Z i) r Z (D (Z i))). lia.
Qed.

(** Reading r cells of a padded list gives the list back, and padding. *)
Lemma read_back r : forall bits : list bool, (length bits <= r)%nat ->
  exists rest, map (fun i => nth i bits false) (seq 0 r) = bits ++ rest.
Proof.
  induction r; intros bits H.
  - destruct bits; simpl in *; [exists []; auto|lia].
  - destruct bits as [|b bits]; [eexists; reflexivity|]. simpl in *. destruct (IHr bits ltac:(lia)) as [rest E].
    exists rest. rewrite <- seq_shift, map_map. simpl. rewrite E. auto.
Qed.

(** Public coins omega, or none (one omega). *)
Theorem same_risk X Y Out Omega Ex (loss : X -> Y -> Out -> R) w r tau :
  let public := fun omega : Omega => omega in
  reaches public public Ex loss (query_independent Y Out w r) tau <->
  reaches public public Ex loss (oblivious Y Out w r) tau.
Proof.
  intros public. split; [|apply reaches_more, oblivious_in_query_independent].
  destruct (le_lt_dec w r) as [H|H].
  { apply reaches_more. destruct (proposition6 Y Out H (le_n 1)) as ([_ A] & [B _] & _). eapply included_trans; eauto. }
  intros (encode & t & Legal & Worst). simpl in *.
  exists (fun c x i => nth i (path (t c) (encode c x)) false), (fun c => (seq 0 r, fun y bits => walk (t c) bits y)). split.
  - intros c. split; simpl; [|rewrite seq_length; auto]. apply Forall_forall. intros i Hi. apply in_seq in Hi. lia.
  - intros x y. specialize (Worst x y). erewrite (f_equal Ex); [exact Worst|]. extensionality c. f_equal. unfold public. simpl.
    destruct (@read_back r (path (t c) (encode c x)) (@path_length _ w (t c) r (encode c x) (Legal c))) as [rest ->].
    rewrite walk_path. auto.
Qed.
