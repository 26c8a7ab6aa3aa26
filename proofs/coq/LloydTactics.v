(** Tactics for enclosing the cells of a Lloyd tree by rational numbers, for Lemma7Gains.v. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From KVProof Require Import ExactInterval GaussianIntegral LloydSplit LloydTree.
Open Scope R_scope.

Lemma area_0_box : 0 <= area 0 <= 0.
Proof. rewrite area_0. lra. Qed.
Lemma whole_box : 1.25331413731550025120 <= whole <= 1.25331413731550025121.
Proof. unfold whole. split; interval with (i_prec 100). Qed.

(** Area at b from area at a: by an integral, or over a tiny distance by bell. *)
Ltac onward A a b lo hi := pose proof A; rewrite (area_beyond a b);
  assert (lo <= RInt bell a b <= hi) by (unfold bell; integral with (i_prec 80, i_width (-64), i_degree 12)); lra.
Ltac step A a b :=
  let L := fresh "L" in let U := fresh "U" in let B := fresh "B" in
  pose proof A as B; destruct (area_step a b) as [L U]; [lra|]; unfold bell in L, U;
  set (s := area a) in *; set (t := area b) in *; clearbody s t;
  split; [eapply Rle_trans; [|apply L]|eapply Rle_trans; [apply U|]]; interval with (i_prec 90).

Definition encloses l U a b lo hi := (exists m, split l U m) /\
  forall m, split l U m -> a <= m <= b /\ lo <= cell_gain l U m <= hi.

(** Area, whole and bell in the goal by intervals. *)
Ltac forget := repeat match goal with |- context [area ?x] => let s := fresh "s" in set (s := area x) in *; clearbody s end;
  try (let k := fresh "k" in set (k := whole) in *; clearbody k).
Ltac centroid := unfold lower, upper; simpl area_to; simpl bell_at; rewrite ?area_0, ?bell_0; forget; unfold bell;
  interval with (i_prec 90).
(** Area at a point that lies between two named ones. *)
Ltac area_of x := match goal with
  | B : ?a <= x <= ?b |- _ => pose proof (area_le a x ltac:(lra)); pose proof (area_le x b ltac:(lra)); lra
  | B : ?a < x < ?b |- _ => pose proof (area_le a x ltac:(lra)); pose proof (area_le x b ltac:(lra)); lra end.
Ltac end_of U := destruct U as [u|]; simpl in *; try tauto; first [area_of u|pose proof whole_box; lra].
Ltac product := match goal with |- context [area_to ?U] => set (au := area_to U) in *; clearbody au end; forget;
  match goal with |- context [upper ?m ?U] => set (cr := upper m U) in *; clearbody cr end;
  match goal with |- context [lower ?l ?m] => set (cl := lower l m) in *; clearbody cl end;
  split; interval with (i_prec 60).
Ltac cell l1 l2 U1 U2 a b x1 y1 x2 y2 al al' am am' au au' :=
  intros HL HU; match goal with |- encloses ?l ?U _ _ _ _ =>
  let Ex := fresh in let Box := fresh in
  destruct (node l1 l2 U1 U2 a b x1 y1 x2 y2 l U HL HU ltac:(lra) ltac:(lra) ltac:(simpl; lra || exact I)
    ltac:(centroid) ltac:(centroid) ltac:(centroid) ltac:(centroid) ltac:(lra) ltac:(lra)) as [Ex Box];
  split; [exact Ex|]; let m := fresh "m" in let S := fresh in intros m S;
  let B := fresh in let L := fresh in let R := fresh in destruct (Box m S) as (B & L & R);
  split; [lra|]; unfold cell_gain;
  assert (al <= area l <= al') by (area_of l); assert (am <= area m <= am') by (area_of m);
  assert (au <= area_to U <= au') by (end_of U); pose proof whole_box; product end.

(** A cell whose children are not split, and one whose children's gains are known. *)
Ltac last N := intros HL HU; match goal with |- context [splits 1 ?l ?U] =>
  destruct (N l U HL HU) as [[m0 S0] Box]; split; [exists (Node m0 Leaf Leaf); simpl; auto|];
  intros [|m a b] T; [destruct T|]; destruct T as (S & _); rewrite gains_here; apply (Box m S) end.
Ltac inner N A B := intros HL HU; match goal with |- context [splits _ ?l ?U] =>
  let E := fresh in destruct (N l U HL HU) as [[m0 S0] Box]; pose proof (Box m0 S0) as E;
  destruct (A l (At m0)) as [[ta Ta] _]; [lra|simpl; lra|]; destruct (B m0 U) as [[tb Tb] _]; [lra|exact HU|];
  split; [exists (Node m0 ta tb); simpl; auto|]; clear E; intros [|m a b] T; [destruct T|]; destruct T as (S & Sa & Sb);
  pose proof (Box m S); destruct (A l (At m)) as [_ Ga]; [lra|simpl; lra|]; destruct (B m U) as [_ Gb]; [lra|exact HU|];
  specialize (Ga a Sa); specialize (Gb b Sb); rewrite gains_here, ?gains_below; repeat split; lra end.
