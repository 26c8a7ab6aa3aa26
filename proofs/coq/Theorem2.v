(** ReadKV, Theorem 2: the separation in attention outputs.

    readkv.thm2.logistic     1/(1 + e^10) < 1/22001; p + rho = 1; p - rho = tanh 5.
    readkv.thm2.gain_order   p^2 Delta_8 > rho^2 Delta_1; the ratio is e^20 Delta_8/Delta_1 > 104400.
    readkv.thm2.upper        (p eps_8 + rho)^2 < 9.50e-5.
    readkv.thm2.matrix       M = (a+ a+' + a- a-')/2 has the eigenvalues 1/2 and tanh(5)^2/2.
    readkv.thm2.lower        the lower bound rises with m, exceeds 2.28e-4 at m = 1 and tends to tanh(5)^2 2^-7/(pi e); upper < lower
                             for every m >= 1. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From KVProof Require Import ExactInterval.
Open Scope R_scope.

Definition p := 1 / (1 + exp (-10)).
Definition rho := 1 / (1 + exp 10).

Lemma p_from_rho : p = exp 10 * rho.
Proof.
  unfold p, rho. change (-10) with (Ropp 10). rewrite exp_Ropp. pose proof (exp_pos 10). field. lra.
Qed.
Lemma rho_pos : 0 < rho.
Proof. unfold rho. pose proof (exp_pos 10). apply Rdiv_lt_0_compat; lra. Qed.

Theorem logistic : rho < 1 / 22001 /\ p + rho = 1 /\ p - rho = tanh 5.
Proof.
  pose proof (exp_pos 10). split; [unfold rho; interval with (i_prec 60)|]. rewrite p_from_rho. unfold rho. split.
  - field. lra.
  - unfold tanh, sinh, cosh. rewrite !exp_Ropp. pose proof (exp_pos 5).
    replace (exp 10) with (exp 5 * exp 5) by (rewrite <- exp_plus; f_equal; lra). field. repeat split; nra.
Qed.

Lemma exp20 : exp 20 > 4.84e8.
Proof. interval with (i_prec 60). Qed.

(** Delta_1 and Delta_8 anywhere near the printed intervals. *)
Theorem gain_order Delta1 Delta8 : 0 < Delta1 <= 0.6366198 -> 0.0001373218 <= Delta8 ->
  exp 20 > 4.84e8 /\ exp 20 * Delta8 / Delta1 > 104400 /\
  p ^ 2 * Delta8 / (rho ^ 2 * Delta1) = exp 20 * Delta8 / Delta1 /\ p ^ 2 * Delta8 > rho ^ 2 * Delta1.
Proof.
  intros H1 H8. pose proof exp20 as E. pose proof rho_pos as R.
  assert (Sq : p ^ 2 = exp 20 * rho ^ 2).
  { rewrite p_from_rho. replace (exp 20) with (exp 10 * exp 10) by (rewrite <- exp_plus; f_equal; lra). ring. }
  assert (Big : exp 20 * Delta8 > 104400 * Delta1).
  { apply Rlt_gt. apply Rlt_le_trans with (4.84e8 * Delta8); [lra|]. apply Rmult_le_compat_r; lra. }
  split; [exact E|]. split; [|split].
  - apply Rlt_gt, Rmult_lt_reg_r with Delta1; [lra|].
    replace (exp 20 * Delta8 / Delta1 * Delta1) with (exp 20 * Delta8) by (field; lra). lra.
  - rewrite Sq. field. lra.
  - rewrite Sq. assert (0 < rho ^ 2) by (apply pow_lt; auto).
    replace (exp 20 * rho ^ 2 * Delta8) with (rho ^ 2 * (exp 20 * Delta8)) by ring.
    apply Rlt_gt, Rmult_lt_compat_l; lra.
Qed.

Theorem upper eps8 : 0 <= eps8 <= 0.0097 -> (p * eps8 + rho) ^ 2 < 9.50e-5.
Proof. intros He. unfold p, rho. interval with (i_prec 60). Qed.

(** M u = lambda u for the vectors (1,1) and (1,-1). *)
Theorem matrix : let M11 := (p * p + rho * rho) / 2 in let M12 := (p * rho + rho * p) / 2 in
  M11 * 1 + M12 * 1 = 1 / 2 * 1 /\ M11 * 1 + M12 * -1 = tanh 5 ^ 2 / 2 * 1 /\ M12 * 1 + M11 * -1 = tanh 5 ^ 2 / 2 * -1.
Proof.
  destruct logistic as (_ & S & D). rewrite <- D. replace p with (1 - rho) by lra. repeat split; field.
Qed.

Definition lower_bound (m : R) := tanh 5 ^ 2 * Rpower 2 (-7 - 2 / m) / (PI * exp 1).

Lemma lower_bound_increasing m n : 0 < m < n -> lower_bound m < lower_bound n.
Proof.
  intros H. unfold lower_bound, Rdiv. apply Rmult_lt_compat_r.
  { apply Rinv_0_lt_compat, Rmult_lt_0_compat; [apply PI_RGT_0|apply exp_pos]. }
  apply Rmult_lt_compat_l; [unfold tanh, sinh, cosh; interval with (i_prec 60)|]. apply Rpower_lt; [lra|].
  assert (/ n < / m) by (apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; lra|lra]). lra.
Qed.

Lemma lower_bound_limit : is_lim lower_bound p_infty (tanh 5 ^ 2 * Rpower 2 (-7) / (PI * exp 1)).
Proof.
  set (g := fun u => tanh 5 ^ 2 * Rpower 2 (-7 - 2 * u) / (PI * exp 1)).
  apply (is_lim_ext_loc (fun m => g (/ m))). { exists 0. intros m Hm. reflexivity. }
  replace (tanh 5 ^ 2 * Rpower 2 (-7) / (PI * exp 1)) with (g 0) by (unfold g; do 3 f_equal; ring).
  apply (is_lim_comp_continuous Rinv g p_infty 0).
  - evar_last; [apply (is_lim_inv (fun m => m) p_infty p_infty); [apply is_lim_id|discriminate]|reflexivity].
  - apply (ex_derive_continuous (V := R_NormedModule)). unfold g, Rpower. auto_derive. auto.
Qed.

Theorem lower : lower_bound 1 > 2.28e-4 /\ (forall m n, 0 < m < n -> lower_bound m < lower_bound n) /\
  is_lim lower_bound p_infty (tanh 5 ^ 2 * Rpower 2 (-7) / (PI * exp 1)) /\
  forall eps8 m, 0 <= eps8 <= 0.0097 -> 1 <= m -> (p * eps8 + rho) ^ 2 < lower_bound m.
Proof.
  assert (One : lower_bound 1 > 2.28e-4) by (unfold lower_bound, tanh, sinh, cosh; interval with (i_prec 60)).
  split; [exact One|]. split; [exact lower_bound_increasing|]. split; [exact lower_bound_limit|]. intros e m He Hm. pose proof (upper e He).
  destruct (Req_dec m 1) as [->|]; [lra|]. pose proof (lower_bound_increasing 1 m). lra.
Qed.
