(** ReadKV, E.3: the two examples in which Proposition 12's Gram steps are equalities.

    readkv.e3.tight   for every m the ratios ||z - z^||^2/A_K and ||E_V' alpha^||^2/A_V are exactly m.

    Keys: one token, m channels, q = (1,...,1)/sqrt m, residual (1,...,1). Values: m tokens with equal weights, one
    coordinate, all residuals 1. *)
From Coq Require Import Reals Lra Lia.
From KVProof Require Import FiniteSums.
Open Scope R_scope.

Lemma tight_keys m : (0 < m)%nat ->
  let q (c : nat) := 1 / sqrt (INR m) in let e (j c : nat) := 1 in
  let change j := (\sum_(c < m) (q c * e j c)) / sqrt (INR m) in
  let A_K := / INR m * \sum_(j < 1) \sum_(c < m) ((q c * e j c) * (q c * e j c)) in
  norm2 m q = 1 /\ norm2 1 change = 1 /\ A_K = / INR m /\ norm2 1 change / A_K = INR m.
Proof.
  intros Hm q e change A_K. assert (P : 0 < INR m) by (apply lt_0_INR; auto).
  assert (Root : 0 < sqrt (INR m)) by (apply sqrt_lt_R0; auto). pose proof (sqrt_sqrt (INR m) ltac:(lra)) as Sq.
  assert (N1 : norm2 m q = 1).
  { unfold norm2, q. rewrite sum_const. set (r := sqrt (INR m)) in *. rewrite <- Sq. field. lra. }
  assert (C1 : norm2 1 change = 1).
  { unfold norm2, change, q, e. cbn [sum]. rewrite sum_const. set (r := sqrt (INR m)) in *. rewrite <- Sq. field. lra. }
  assert (A1 : A_K = / INR m).
  { unfold A_K, q, e. cbn [sum]. rewrite sum_const. set (r := sqrt (INR m)) in *. rewrite <- Sq. field. lra. }
  repeat split; auto. rewrite C1, A1. field. lra.
Qed.

Lemma tight_values m : (0 < m)%nat ->
  let alpha (j : nat) := / INR m in let e (j k : nat) := 1 in
  let error k := \sum_(j < m) (alpha j * e j k) in
  let A_V := \sum_(j < m) (alpha j * alpha j * norm2 1 (e j)) in
  sum m alpha = 1 /\ norm2 1 error = 1 /\ A_V = / INR m /\ norm2 1 error / A_V = INR m.
Proof.
  intros Hm alpha e error A_V. assert (P : 0 < INR m) by (apply lt_0_INR; auto).
  assert (S1 : sum m alpha = 1) by (unfold alpha; rewrite sum_const; field; lra).
  assert (E1 : norm2 1 error = 1).
  { unfold norm2, error, alpha, e. cbn [sum]. rewrite sum_const. field. lra. }
  assert (A1 : A_V = / INR m).
  { unfold A_V, alpha, norm2, e. cbn [sum]. rewrite sum_const. field. lra. }
  repeat split; auto. rewrite E1, A1. field. lra.
Qed.

Theorem tight m : (0 < m)%nat ->
  (let change (j : nat) := (\sum_(c < m) (1 / sqrt (INR m) * 1)) / sqrt (INR m) in
   let A_K := / INR m * \sum_(j < 1) \sum_(c < m) ((1 / sqrt (INR m) * 1) * (1 / sqrt (INR m) * 1)) in
   norm2 1 change / A_K = INR m) /\
  (let error (k : nat) := \sum_(j < m) (/ INR m * 1) in
   let A_V := \sum_(j < m) (/ INR m * / INR m * norm2 1 (fun _ => 1)) in
   norm2 1 error / A_V = INR m).
Proof. intros Hm. split; [apply (tight_keys m Hm)|apply (tight_values m Hm)]. Qed.
