(** ChooseDepths, the paper's greedy allocator, for N items of stored depth W, and what holds after each refinement.
    An item may be deepened from s to s + 1 for the gain g i s. *)
From Coq Require Import Reals Lra Lia.
From KVProof Require Import FiniteSums.
Open Scope R_scope.

(** At most W bits of an item, at most B bits in all. *)
Definition legal N W B (t : nat -> nat) := (each i < N, (t i <= W)%nat) /\ (spent N t <= B)%nat.
(** What the first t i refinements of each item gain. *)
Definition collected N (g : nat -> nat -> R) (t : nat -> nat) := \sum_(i < N) \sum_(s < t i) g i s.
Definition nonincreasing N W (g : nat -> nat -> R) :=
  each i < N, forall s, (S s < W)%nat -> g i (S s) <= g i s.

Definition deepened (t : nat -> nat) k i := if Nat.eq_dec i k then S (t i) else t i.

(** The item below n with the largest positive gain among those not read out; the first of equals. *)
Fixpoint best W (g : nat -> nat -> R) n (t : nat -> nat) : option nat :=
  match n with
  | O => None
  | S k =>
    let bar := match best W g k t with None => 0 | Some j => g j (t j) end in
    if lt_dec (t k) W then if Rlt_dec bar (g k (t k)) then Some k else best W g k t else best W g k t
  end.
Fixpoint choose_depths N W g B : nat -> nat :=
  match B with
  | O => fun _ => O
  | S C => let t := choose_depths N W g C in match best W g N t with None => t | Some k => deepened t k end
  end.

Lemma spent_deepened n t k : (k < n)%nat -> spent n (deepened t k) = S (spent n t).
Proof.
  assert (A : forall m, (m <= k)%nat -> spent m (deepened t k) = spent m t).
  { induction m; intros; simpl; auto. rewrite IHm by lia. unfold deepened. destruct (Nat.eq_dec m k); lia. }
  induction n; intros H; [lia|]. simpl. unfold deepened at 2. destruct (Nat.eq_dec n k) as [->|].
  - rewrite A; lia.
  - rewrite IHn; lia.
Qed.

(** What a chosen item is, and what it means that none is. *)
Lemma best_correct W g n t : match best W g n t with
  | None => each i < n, ((t i < W)%nat -> g i (t i) <= 0)
  | Some k => (k < n)%nat /\ (t k < W)%nat /\ 0 < g k (t k) /\ each i < n, ((t i < W)%nat -> g i (t i) <= g k (t k))
  end.
Proof.
  induction n; cbn [best]; [intros; lia|].
  destruct (lt_dec (t n) W) as [L|L]; [destruct (Rlt_dec _ _) as [G|G]|]; destruct (best W g n t) as [k|];
    repeat split; try (intros i Hi Hw; destruct (Nat.eq_dec i n) as [->|]); try lia; try lra; try tauto;
    try (destruct IHn as (? & ? & ? & IHn)); try lia; try (assert (g i (t i) <= g k (t k)) by (apply IHn; auto; lia); lra);
    try (assert (g i (t i) <= 0) by (apply IHn; auto; lia); lra).
Qed.

Lemma best_none W g n t : best W g n t = None -> each i < n, ((t i < W)%nat -> g i (t i) <= 0).
Proof. intros H. pose proof (best_correct W g n t) as C. rewrite H in C. exact C. Qed.
Lemma best_some W g n t k : best W g n t = Some k ->
  (k < n)%nat /\ (t k < W)%nat /\ 0 < g k (t k) /\ each i < n, ((t i < W)%nat -> g i (t i) <= g k (t k)).
Proof. intros H. pose proof (best_correct W g n t) as C. rewrite H in C. exact C. Qed.

(** Nothing is left to gain. *)
Definition exhausted N W g t := each i < N, ((t i < W)%nat -> g i (t i) <= 0).

(** For any gains: depths within W, every item's last refinement gained something, and the budget is spent or nothing is
    left to gain. *)
Lemma choose_depths_sound N W g B : let t := choose_depths N W g B in
  (each i < N, (t i <= W)%nat) /\ (each i < N, ((0 < t i)%nat -> 0 < g i (pred (t i)))) /\
  (spent N t = B \/ (spent N t <= B)%nat /\ exhausted N W g t).
Proof.
  induction B as [|B (Depth & Gain & Budget)]; cbn [choose_depths].
  - repeat split; try (intros; lia). left. clear. induction N; simpl; auto. rewrite IHN; auto.
  - set (t := choose_depths N W g B) in *. destruct (best W g N t) as [k|] eqn:E.
    + destruct (best_some W g N t k E) as (K1 & K2 & K3 & _). repeat split.
      * intros i Hi. unfold deepened. destruct (Nat.eq_dec i k) as [->|]; [lia|auto].
      * intros i Hi Hp. unfold deepened in *. destruct (Nat.eq_dec i k) as [->|]; auto.
      * destruct Budget as [D|[_ D]]; [left; rewrite spent_deepened; auto|].
        specialize (D k K1 K2). lra.
    + repeat split; auto. right. split; [destruct Budget as [D|[D _]]; lia|]. exact (best_none W g N t E).
Qed.

Lemma choose_depths_legal N W g B : legal N W B (choose_depths N W g B).
Proof. destruct (choose_depths_sound N W g B) as (A & _ & [C|[C _]]); split; auto; lia. Qed.

(** With nonincreasing gains no refinement that is left exceeds one that was taken. *)
Lemma choose_depths_ordered N W g B : nonincreasing N W g -> let t := choose_depths N W g B in
  forall i j, (i < N)%nat -> (j < N)%nat -> (t i < W)%nat -> (0 < t j)%nat -> g i (t i) <= g j (pred (t j)).
Proof.
  intros H. induction B as [|B IH]; cbn [choose_depths]; [intros; lia|]. set (t := choose_depths N W g B) in *.
  destruct (best W g N t) as [k|] eqn:E; [|exact IH]. destruct (best_some W g N t k E) as (K1 & K2 & _ & K4).
  intros i j Hi Hj Hw Hp. unfold deepened in *.
  destruct (Nat.eq_dec i k) as [->|]; destruct (Nat.eq_dec j k) as [->|]; simpl.
  - apply H; auto.
  - apply Rle_trans with (g k (t k)); [apply H|apply IH]; auto.
  - apply K4; auto.
  - apply IH; auto.
Qed.

(** The largest gain that is left, or 0: the price of a bit. *)
Lemma largest_left W (g : nat -> nat -> R) n (t : nat -> nat) : exists price, 0 <= price /\
  (each i < n, ((t i < W)%nat -> g i (t i) <= price)) /\
  (price = 0 \/ exists k, (k < n)%nat /\ (t k < W)%nat /\ price = g k (t k)).
Proof.
  pose proof (best_correct W g n t) as C. destruct (best W g n t) as [k|].
  - destruct C as (K1 & K2 & K3 & K4). exists (g k (t k)). repeat split; try lra; auto. right. exists k. auto.
  - exists 0. repeat split; try lra; auto.
Qed.

Lemma nonincreasing_le N W g i r s : nonincreasing N W g -> (i < N)%nat -> (r <= s)%nat -> (s < W)%nat -> g i s <= g i r.
Proof.
  intros H Hi L. induction L; intros; [lra|].
  apply Rle_trans with (g i m); [apply H; auto|apply IHL; lia].
Qed.

(** At a price between the gain left and the gain taken last no other depth of the item pays. *)
Lemma no_other_depth_pays N W g i t u price : nonincreasing N W g -> (i < N)%nat -> (t <= W)%nat -> (u <= W)%nat ->
  ((t < W)%nat -> g i t <= price) -> ((0 < t)%nat -> price <= g i (pred t)) ->
  \sum_(s < u) g i s - \sum_(s < t) g i s <= price * (INR u - INR t).
Proof.
  intros H Hi Ht Hu Left Taken. destruct (le_lt_dec t u) as [L|L].
  - induction L as [|m L IH]; [lra|]. cbn [sum]. rewrite S_INR. specialize (IH ltac:(lia)).
    assert (g i m <= price); [|lra]. apply Rle_trans with (g i t); [apply (nonincreasing_le N W); auto; lia|apply Left; lia].
  - assert (K : forall d, (u + d <= t)%nat -> price * INR d <= \sum_(s < (u + d)%nat) g i s - \sum_(s < u) g i s).
    { induction d as [|d IH]; intros Hd; [rewrite Nat.add_0_r; simpl; lra|].
      rewrite Nat.add_succ_r, S_INR. cbn [sum]. specialize (IH ltac:(lia)).
      assert (price <= g i (u + d)%nat); [|lra].
      apply Rle_trans with (g i (pred t)); [apply Taken; lia|apply (nonincreasing_le N W); auto; lia]. }
    specialize (K (t - u)%nat ltac:(lia)). replace (u + (t - u))%nat with t in K by lia.
    rewrite minus_INR in K by lia. lra.
Qed.

(** The greedy depths have a price: every other depth of every item is priced out, and bits left over are worth nothing. *)
Lemma greedy_price N W g B : nonincreasing N W g -> let t := choose_depths N W g B in
  exists price, 0 <= price /\
  (each i < N, forall u, (u <= W)%nat -> \sum_(s < u) g i s - \sum_(s < t i) g i s <= price * (INR u - INR (t i))) /\
  (price = 0 \/ spent N t = B).
Proof.
  intros H t. destruct (choose_depths_sound N W g B) as (Depth & Gain & Budget). fold t in Depth, Gain, Budget.
  pose proof (choose_depths_ordered N W g B H) as Order. fold t in Order. simpl in Order.
  assert (P : exists price, 0 <= price /\ (each i < N, ((t i < W)%nat -> g i (t i) <= price)) /\
    (each j < N, ((0 < t j)%nat -> price <= g j (pred (t j)))) /\ (price = 0 \/ spent N t = B)).
  { destruct Budget as [Spent|[_ Done]].
    - destruct (largest_left W g N t) as (price & P0 & P1 & P2). exists price. repeat split; auto.
      intros j Hj Hp. destruct P2 as [->|(k & K1 & K2 & ->)]; auto. left. apply Gain; auto.
    - exists 0. repeat split; try lra; auto. intros j Hj Hp. left. apply Gain; auto. }
  destruct P as (price & P0 & P1 & P2 & P3). exists price. repeat split; auto.
  intros i Hi u Hu. apply (no_other_depth_pays N W); auto.
Qed.
