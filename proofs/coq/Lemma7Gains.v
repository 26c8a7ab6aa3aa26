(** ReadKV, Lemma 7: the gains of the exact Lloyd tree to depth 8, as LloydTree.v defines them.
    Written by tests/coq/lloyd_gains.py, which chooses the
    rational points and bounds; coqc checks them.

    readkv.lemma7.gain.3.exact, ..., .8.exact   Delta_t lies in the printed interval.
    readkv.lemma7.decreasing.exact               Delta_1 > ... > Delta_8 > 0.

    area is carried from point to point by short integrals (LloydAreas.v). Signs of stat at two points enclose each split
    (LloydTree.v), and so its children's centroids and its gain (LloydCells1.v, LloydCells2.v); the gains of all cells of a depth
    are added up. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From KVProof Require Import ExactInterval GaussianIntegral LloydSplit LloydTree LloydTactics LloydAreas LloydCells1 LloydCells2.
Open Scope R_scope.

Lemma node_64 l U : 0 <= l <= 0 -> within Infinity U Infinity ->
  encloses l U 0.981598821468 0.981598821668 0.122949189844082393 0.122949189959012388.
Proof.
  pose proof area_0_box. pose proof area_a64. pose proof area_b64. pose proof whole_box.
  cell 0 0 Infinity Infinity 0.981598821468 0.981598821668
    0.4527800345928 1.5104176084143 0.4527800346802 1.5104176085841 0.00000000000000000000 0.00000000000000000000 0.84436083209067474974 0.84436083221421281145 1.25331413731550025120 1.25331413731550025121.
Qed.
Lemma sub_64 l U : 0 <= l <= 0 -> within Infinity U Infinity ->
  (exists t, splits 7 l U t) /\ forall t, splits 7 l U t ->
  0.122949189844082393 <= gains 0 l U t <= 0.122949189959012388 /\
  0.041321861995293880 <= gains 1 l U t <= 0.041321862124200589 /\
  0.012521141529846987 <= gains 2 l U t <= 0.012521141631654736 /\
  0.003566369788891225 <= gains 3 l U t <= 0.003566369858157431 /\
  0.000977591380276221 <= gains 4 l U t <= 0.000977591423949643 /\
  0.000261320699918289 <= gains 5 l U t <= 0.000261320726263627 /\
  0.000068660939542490 <= gains 6 l U t <= 0.000068660955030348.
Proof. inner node_64 sub_32 sub_96. Qed.

(** There is such a tree, and every one has the printed gains; but Delta_2 is just below its printed interval. *)
Theorem gains_printed : (exists t, splits 7 0 Infinity t) /\ forall t, splits 7 0 Infinity t ->
  0.24589837 < distortion 0 t - distortion 1 t < 0.24589838 /\
  0.08264372 < distortion 1 t - distortion 2 t < 0.08264373 /\
  0.02504228 < distortion 2 t - distortion 3 t < 0.02504229 /\
  0.00713273 < distortion 3 t - distortion 4 t < 0.00713274 /\
  0.00195518 < distortion 4 t - distortion 5 t < 0.00195519 /\
  0.00052264 < distortion 5 t - distortion 6 t < 0.00052265 /\
  0.0001373218 < distortion 6 t - distortion 7 t < 0.0001373220.
Proof.
  destruct (sub_64 0 Infinity) as [Ex G]; [lra|exact I|]. split; [exact Ex|]. intros t T. specialize (G t T).
  repeat split; rewrite gain_of_tree by (apply splits_less with 7%nat; auto; lia); lra.
Qed.

(** Delta_1 is 2/pi (Lemma7.v). *)
Theorem gains_decrease t : splits 7 0 Infinity t ->
  2 / PI > distortion 0 t - distortion 1 t /\
  distortion 0 t - distortion 1 t > distortion 1 t - distortion 2 t /\
  distortion 1 t - distortion 2 t > distortion 2 t - distortion 3 t /\
  distortion 2 t - distortion 3 t > distortion 3 t - distortion 4 t /\
  distortion 3 t - distortion 4 t > distortion 4 t - distortion 5 t /\
  distortion 4 t - distortion 5 t > distortion 5 t - distortion 6 t /\
  distortion 5 t - distortion 6 t > distortion 6 t - distortion 7 t /\
  distortion 6 t - distortion 7 t > 0.
Proof.
  intros T. destruct gains_printed as [_ G]. specialize (G t T). assert (2 / PI > 0.63) by interval with (i_prec 40).
  repeat split; lra.
Qed.
