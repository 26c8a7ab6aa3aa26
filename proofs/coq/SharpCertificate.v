(** The sharp certificate (not in the papers; docs/sharp-certificate.md).

    certificate.sharp   ||V'(alpha - alpha^)||^2 <= lambda_max(Cov_m V) sum (alpha_j - alpha^_j)^2/m_j with
                        m = (alpha + alpha^)/2, and that is at most lambda_max(Cov_m V) Var_m(Delta), Delta = z - z^; the other
                        bounds of both norms; their sum bounds the error of the output.

    With t = (alpha - alpha^)/m, of mean 0 under m, and w = V'(alpha - alpha^): |w|^2 = Cov_m(Vw, t), so
    |w|^4 <= Var_m(Vw) Var_m(t) <= lambda |w|^2 Var_m(t). And t = 2 tanh(x/2) for x = log(alpha/alpha^), which is Delta up to
    a constant; 2 tanh(x/2) changes no faster than x, and a variance is a sum over pairs. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From KVProof Require Import FiniteSums Probability Euclid Softmax Lemma11.
Open Scope R_scope.

(** lambda is at least the largest eigenvalue of Cov_m V. *)
Definition covariance_at_most T d m (V : nat -> nat -> R) lambda :=
  forall u, var T m (fun j => \sum_(k < d) (u k * V j k)) <= lambda * norm2 d u.

Section Certificate.
Variables T d : nat.
Variables V V' : nat -> nat -> R.
Variables z z' : nat -> R.
Hypothesis tokens : (0 < T)%nat.
Definition alpha := softmax T z.
Definition alpha' := softmax T z'.
Definition m j := (alpha j + alpha' j) / 2.
Definition discrimination := \sum_(j < T) ((alpha j - alpha' j) ^ 2 / m j).
Definition Delta j := z j - z' j.
Let t j := (alpha j - alpha' j) / m j.

Lemma alpha_pos j : 0 < alpha j /\ 0 < alpha' j.
Proof. split; apply softmax_pos; auto. Qed.
Lemma m_pos j : 0 < m j.
Proof. pose proof (alpha_pos j). unfold m. lra. Qed.
Lemma m_probability : probability T m.
Proof.
  destruct (softmax_probability T z tokens) as [_ A]. destruct (softmax_probability T z' tokens) as [_ B]. split.
  - intros; left; apply m_pos.
  - unfold m, Rdiv. rewrite sum_scal_r, sum_plus. fold alpha alpha' in A, B. rewrite A, B. field.
Qed.
Lemma mean_t : mean T m t = 0.
Proof.
  destruct (softmax_probability T z tokens) as [_ A]. destruct (softmax_probability T z' tokens) as [_ B].
  unfold mean, t. rewrite (sum_ext T _ (fun j => alpha j - alpha' j)).
  - rewrite sum_minus. fold alpha alpha' in A, B. rewrite A, B. ring.
  - intros j _. pose proof (m_pos j). field. lra.
Qed.
Lemma var_t : var T m t = discrimination.
Proof.
  unfold var, cov. rewrite mean_t. unfold mean, discrimination. rewrite Rmult_0_l, Rminus_0_r. apply sum_ext.
  intros j _. unfold t. pose proof (m_pos j). field. lra.
Qed.

Lemma slope_at_most_one x y : (2 * (exp x - 1) / (exp x + 1) - 2 * (exp y - 1) / (exp y + 1)) ^ 2 <= (x - y) ^ 2.
Proof.
  assert (Up : forall x y, x < y -> 0 <= 2 * (exp y - 1) / (exp y + 1) - 2 * (exp x - 1) / (exp x + 1) <= y - x).
  { clear. intros x y H. pose proof exp_pos as P.
    destruct (MVT_cor2 (fun u => 2 * (exp u - 1) / (exp u + 1)) (fun u => 4 * exp u / (exp u + 1) ^ 2) x y H) as [c [E _]].
    - intros c _. pose proof (P c). apply is_derive_Reals.
      auto_derive; [lra|]. field. lra.
    - rewrite E. pose proof (P c). assert (Q : 0 < (exp c + 1) ^ 2) by nra.
      assert (0 <= 4 * exp c / (exp c + 1) ^ 2 <= 1).
      { split; [left; apply Rdiv_lt_0_compat; lra|]. apply Rmult_le_reg_r with ((exp c + 1) ^ 2); auto.
        replace (4 * exp c / (exp c + 1) ^ 2 * (exp c + 1) ^ 2) with (4 * exp c) by (field; lra).
        pose proof (pow2_ge_0 (exp c - 1)). lra. }
      nra. }
  destruct (Rtotal_order x y) as [H|[->|H]]; [pose proof (Up x y H)|right; ring|pose proof (Up y x H)]; nra.
Qed.

Lemma t_is_tanh : exists c, forall j, t j = 2 * (exp (Delta j - c) - 1) / (exp (Delta j - c) + 1).
Proof.
  exists (ln (partition T z / partition T z')). intros j.
  pose proof (partition_pos T z tokens) as P. pose proof (partition_pos T z' tokens) as P'.
  assert (E : exp (Delta j - ln (partition T z / partition T z')) = alpha j / alpha' j).
  { unfold Delta, alpha, alpha', softmax, Rminus. rewrite !exp_plus, !exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; auto).
    pose proof (exp_pos (z j)). pose proof (exp_pos (z' j)). field. repeat split; lra. }
  rewrite E. unfold t, m. pose proof (alpha_pos j). field. lra.
Qed.

Theorem discrimination_at_most : discrimination <= var T m Delta.
Proof.
  rewrite <- var_t, !var_pairs by apply m_probability. apply Rmult_le_compat_l; [lra|].
  destruct t_is_tanh as [c Hc]. apply sum_le. intros i _. apply sum_le. intros j _.
  pose proof (m_pos i). pose proof (m_pos j). apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|].
  rewrite (Hc i), (Hc j).
  pose proof (slope_at_most_one (Delta i - c) (Delta j - c)) as S. lra.
Qed.

Theorem discrimination_at_most_4 : discrimination <= 4.
Proof.
  destruct m_probability as [_ S]. unfold discrimination. apply Rle_trans with (\sum_(j < T) (4 * m j)).
  - apply sum_le. intros j _. pose proof (m_pos j) as M. pose proof (alpha_pos j).
    apply Rmult_le_reg_r with (m j); auto.
    replace ((alpha j - alpha' j) ^ 2 / m j * m j) with ((alpha j - alpha' j) ^ 2) by (field; lra). unfold m. nra.
  - rewrite sum_scal. change (\sum_(j < T) m j) with (sum T m). rewrite S. lra.
Qed.

Theorem sharp lambda : 0 <= lambda -> covariance_at_most T d m V lambda ->
  norm2 d (key_error T V z z') <= lambda * discrimination /\ lambda * discrimination <= lambda * var T m Delta.
Proof.
  intros L0 HL. split; [|apply Rmult_le_compat_l; auto; apply discrimination_at_most].
  set (w := key_error T V z z'). set (x := fun j => \sum_(k < d) (w k * V j k)).
  assert (C : norm2 d w = cov T m x t).
  { unfold cov. rewrite mean_t, Rmult_0_r, Rminus_0_r. unfold norm2.
    rewrite (sum_ext d _ (fun k => \sum_(j < T) (w k * ((alpha j - alpha' j) * V j k))))
      by (intros; unfold w at 2, key_error; rewrite <- sum_scal; reflexivity).
    rewrite sum_swap. apply sum_ext. intros j _. unfold x, t. pose proof (m_pos j).
    replace (m j * ((\sum_(k < d) (w k * V j k)) * ((alpha j - alpha' j) / m j)))
      with ((alpha j - alpha' j) * \sum_(k < d) (w k * V j k)) by (field; lra).
    rewrite <- sum_scal. apply sum_ext; intros; ring. }
  pose proof (cov_squared T m x t m_probability) as CS. rewrite <- C, var_t in CS. specialize (HL w). fold x in HL.
  pose proof (norm2_nonneg d w) as W0.
  assert (D0 : 0 <= discrimination) by (rewrite <- var_t; apply var_nonneg, m_probability).
  assert (B : norm2 d w * norm2 d w <= norm2 d w * (lambda * discrimination)).
  { eapply Rle_trans; [exact CS|].
    replace (norm2 d w * (lambda * discrimination)) with (lambda * norm2 d w * discrimination) by ring.
    apply Rmult_le_compat_r; auto. }
  destruct (Req_dec (norm2 d w) 0) as [->|]; [apply Rmult_le_pos; auto|]. apply Rmult_le_reg_l with (norm2 d w); auto; lra.
Qed.

(** The triangle inequality instead: about any centre c. *)
Theorem key_error_by_tokens c :
  norm d (key_error T V z z') <= \sum_(j < T) (Rabs (alpha j - alpha' j) * norm d (fun k => V j k - c k)).
Proof.
  rewrite (norm_ext d _ (fun k => \sum_(j < T) ((alpha j - alpha' j) * (V j k - c k))))
    by (intros; apply key_error_centred; auto).
  eapply Rle_trans; [apply norm_sum|]. apply sum_le. intros j _. rewrite norm_scal. lra.
Qed.

Theorem value_error_by_tokens :
  norm d (value_error T V V' z') <= \sum_(j < T) (alpha' j * norm d (fun k => V j k - V' j k)).
Proof.
  unfold value_error. eapply Rle_trans; [apply norm_sum|]. apply sum_le. intros j _. rewrite norm_scal, Rabs_right.
  - unfold alpha'. lra.
  - pose proof (alpha_pos j). unfold alpha' in *. lra.
Qed.

(** mu is at least the largest eigenvalue of sum alpha^_j e_j e_j'. *)
Theorem value_error_by_spread mu : 0 <= mu ->
  (forall u, mean T alpha' (fun j => (\sum_(k < d) (u k * (V j k - V' j k))) ^ 2) <= mu * norm2 d u) ->
  norm d (value_error T V V' z') <= sqrt mu.
Proof.
  intros M0 H. set (w := value_error T V V' z'). set (x := fun j => \sum_(k < d) (w k * (V j k - V' j k))).
  assert (Hp : probability T alpha') by (apply softmax_probability; auto).
  assert (C : norm2 d w = mean T alpha' x).
  { unfold norm2, mean, x. rewrite (sum_ext d _ (fun k => \sum_(j < T) (w k * (alpha' j * (V j k - V' j k)))))
      by (intros; unfold w at 2, value_error; rewrite <- sum_scal; reflexivity).
    rewrite sum_swap. apply sum_ext; intros. rewrite <- sum_scal. apply sum_ext; intros; ring. }
  specialize (H w). change (mean T alpha' (fun j => x j ^ 2) <= mu * norm2 d w) in H.
  pose proof (var_nonneg T alpha' x Hp) as Var. unfold var, cov in Var.
  rewrite (mean_ext T alpha' (fun j => x j * x j) (fun j => x j ^ 2)) in Var by (intros; ring). rewrite <- C in Var.
  pose proof (norm2_nonneg d w). apply sqrt_le_1_alt.
  destruct (Req_dec (norm2 d w) 0) as [->|]; auto. apply Rmult_le_reg_l with (norm2 d w); lra.
Qed.

(** Any bounds of the two norms add up. *)
Theorem error_at_most K E : norm d (key_error T V z z') <= K -> norm d (value_error T V V' z') <= E ->
  norm d (fun k => output T V z k - output T V' z' k) <= K + E.
Proof.
  intros HK HE. rewrite (norm_ext d _ (fun k => key_error T V z z' k + value_error T V V' z' k)) by (intros; apply decomposition).
  pose proof (norm_triangle d (key_error T V z z') (value_error T V V' z')). lra.
Qed.
End Certificate.
