(** ReadKV, Lemma 11: what replacing keys and values costs an attention output.

    readkv.lemma11.decomposition   o - o^ = V'(alpha - alpha^) + E_V' alpha^.
    readkv.lemma11.softmax         ||softmax(z) - softmax(z^)|| <= ||z - z^||/2, and the Jacobian's row sums.
    readkv.lemma11.bound           ||o - o^||^2 <= 1/2 ||V - 1c'||^2 ||z - z^||^2 + 2 ||E_V' alpha^||^2.

    The softmax moves along the line from z^ to z with d/dt E_t f = Cov_t(d, f), d = z - z^. For f = the change u of the
    softmax itself the mean value theorem gives |u|^2 = Cov(d, u), so |u|^4 <= Var(d) Var(u), and a variance is at most
    half the squared norm. The bound is the decomposition, (x + y)^2 <= 2 x^2 + 2 y^2, and sum (alpha - alpha^) = 0, which
    lets every value row be moved by c. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From KVProof Require Import FiniteSums Probability Softmax.
Open Scope R_scope.

(** Var_p(x) <= |x|^2/2: over pairs (x_i - x_j)^2 = 2 x_i^2 + 2 x_j^2 - (x_i + x_j)^2, and of the squares that are taken
    away the diagonal ones alone are 4 p_i^2 x_i^2. *)
Lemma var_at_most_half n p x : probability n p -> var n p x <= / 2 * norm2 n x.
Proof.
  intros Hp. rewrite var_pairs by auto. apply Rmult_le_compat_l; [lra|]. destruct Hp as [Hp H1].
  set (q := \sum_(j < n) (p j * (x j * x j))).
  assert (Row : each i < n, \sum_(j < n) (p i * p j * ((x i - x j) * (x i - x j)))
      <= 2 * (p i * (1 - 2 * p i) * (x i * x i)) + 2 * q * p i).
  { intros i Hi.
    assert (Diagonal : p i * p i * ((x i + x i) * (x i + x i)) <= \sum_(j < n) (p i * p j * ((x i + x j) * (x i + x j)))).
    { apply (sum_term n (fun j => p i * p j * ((x i + x j) * (x i + x j)))); auto.
      intros. apply Rmult_le_pos; [apply Rmult_le_pos; auto|apply square_nonneg]. }
    rewrite (sum_ext n _ (fun j => 2 * (p i * (x i * x i)) * p j + 2 * p i * (p j * (x j * x j))
       - p i * p j * ((x i + x j) * (x i + x j)))) by (intros; ring).
    rewrite sum_minus, sum_plus, !sum_scal, H1. fold q. lra. }
  eapply Rle_trans; [apply sum_le, Row|].
  rewrite sum_plus, !sum_scal, H1. unfold q. rewrite Rmult_1_r, <- Rmult_plus_distr_l, <- sum_plus, <- sum_scal.
  apply sum_le. intros i Hi.
  pose proof (Rmult_le_pos _ _ (square_nonneg (1 - 2 * p i)) (square_nonneg (x i))). lra.
Qed.

(** The absolute row sums of diag(p) - pp'. *)
Theorem jacobian_row_sum n p i : probability n p -> (i < n)%nat ->
  \sum_(j < n) Rabs (delta i j * p i - p i * p j) = 2 * p i * (1 - p i) /\ 2 * p i * (1 - p i) <= / 2.
Proof.
  intros [Hp H1] Hi. pose proof (Hp i Hi) as P0.
  assert (P1 : p i <= 1) by (rewrite <- H1; apply sum_term; auto). split.
  - rewrite (sum_ext n _ (fun j => p i * p j + delta i j * (p i * (1 - 2 * p i)))).
    + rewrite sum_plus, sum_scal, H1, (sum_delta n i (fun _ => p i * (1 - 2 * p i))) by auto. ring.
    + intros j Hj. specialize (Hp j Hj). unfold delta. destruct (Nat.eq_dec i j) as [<-|].
      * pose proof (Rmult_le_pos (p i) (1 - p i)). rewrite Rabs_right; [ring|lra].
      * pose proof (Rmult_le_pos (p i) (p j)). rewrite Rabs_left1; [ring|lra].
  - pose proof (square_nonneg (1 - 2 * p i)). lra.
Qed.

Theorem softmax_half_lipschitz n z z' : (0 < n)%nat ->
  sqrt (norm2 n (fun i => softmax n z i - softmax n z' i)) <= sqrt (norm2 n (fun i => z i - z' i)) / 2.
Proof.
  intros Hn. set (d := fun i => z i - z' i). set (u := fun i => softmax n z i - softmax n z' i).
  assert (Squares : norm2 n u <= / 4 * norm2 n d).
  { destruct (MVT_cor2 (mean_at n z' d u) (fun t => cov n (softmax n (line z' d t)) d u) 0 1) as [c [Hc _]]; [lra| |].
    { intros t _. apply is_derive_Reals, mean_at_derive; auto. }
    set (p := softmax n (line z' d c)) in *. assert (Hp : probability n p) by (apply softmax_probability; auto).
    assert (Change : mean_at n z' d u 1 - mean_at n z' d u 0 = norm2 n u).
    { unfold mean_at, mean, norm2. rewrite <- sum_minus. apply sum_ext. intros i Hi.
      rewrite (softmax_ext n (line z' d 1) z), (softmax_ext n (line z' d 0) z') by
        (auto; intros; unfold line, d; ring). unfold u. ring. }
    rewrite Change in Hc. replace (cov n p d u * (1 - 0)) with (cov n p d u) in Hc by ring.
    pose proof (cov_squared n p d u Hp) as CS. rewrite <- Hc in CS.
    pose proof (var_at_most_half n p d Hp). pose proof (var_at_most_half n p u Hp).
    pose proof (var_nonneg n p u Hp). pose proof (var_nonneg n p d Hp). pose proof (norm2_nonneg n u).
    assert (B : norm2 n u * norm2 n u <= (/ 2 * norm2 n d) * (/ 2 * norm2 n u)).
    { eapply Rle_trans; [exact CS|]. apply Rmult_le_compat; auto. }
    destruct (Req_dec (norm2 n u) 0) as [->|]; [pose proof (norm2_nonneg n d); lra|].
    apply Rmult_le_reg_l with (norm2 n u); lra. }
  replace (sqrt (norm2 n d) / 2) with (sqrt (/ 4 * norm2 n d)).
  - apply sqrt_le_1_alt; auto.
  - rewrite sqrt_mult_alt by lra. replace (/ 4) with (/ 2 * / 2) by field. rewrite sqrt_square by lra. lra.
Qed.

Lemma softmax_squares n z z' : (0 < n)%nat ->
  norm2 n (fun i => softmax n z i - softmax n z' i) <= / 4 * norm2 n (fun i => z i - z' i).
Proof.
  intros Hn. pose proof (softmax_half_lipschitz n z z' Hn) as L.
  set (u := norm2 n (fun i => softmax n z i - softmax n z' i)) in *. set (d := norm2 n (fun i => z i - z' i)) in *.
  assert (U0 : 0 <= u) by apply norm2_nonneg. assert (D0 : 0 <= d) by apply norm2_nonneg.
  rewrite <- (sqrt_sqrt u), <- (sqrt_sqrt d) by auto. pose proof (sqrt_pos u). pose proof (sqrt_pos d).
  replace (/ 4 * (sqrt d * sqrt d)) with (sqrt d / 2 * (sqrt d / 2)) by field. apply Rmult_le_compat; auto.
Qed.

(** Attention over T tokens with d output coordinates: true and reconstructed values V, V^ and logits z, z^. *)
Definition output T (V : nat -> nat -> R) (z : nat -> R) (c : nat) := \sum_(j < T) (softmax T z j * V j c).
(** E_V' alpha^ *)
Definition value_error T (V V' : nat -> nat -> R) (z' : nat -> R) (c : nat) :=
  \sum_(j < T) (softmax T z' j * (V j c - V' j c)).
(** V'(alpha - alpha^) *)
Definition key_error T (V : nat -> nat -> R) (z z' : nat -> R) (c : nat) :=
  \sum_(j < T) ((softmax T z j - softmax T z' j) * V j c).

Theorem decomposition T V V' z z' c :
  output T V z c - output T V' z' c = key_error T V z z' c + value_error T V V' z' c.
Proof. unfold output, key_error, value_error. rewrite <- sum_minus, <- sum_plus. apply sum_ext; intros; ring. Qed.

(** K2 is at least ||V - 1c'||^2, the squared operator norm. *)
Definition norm_at_most T d (V : nat -> nat -> R) (c : nat -> R) K2 :=
  forall u, norm2 d (fun k => \sum_(j < T) (u j * (V j k - c k))) <= K2 * norm2 T u.

Lemma key_error_centred T V z z' c k : (0 < T)%nat ->
  key_error T V z z' k = \sum_(j < T) ((softmax T z j - softmax T z' j) * (V j k - c k)).
Proof.
  intros HT. destruct (softmax_probability T z HT) as [_ A]. destruct (softmax_probability T z' HT) as [_ B].
  unfold key_error.
  rewrite (sum_ext T (fun j => (softmax T z j - softmax T z' j) * (V j k - c k))
    (fun j => (softmax T z j - softmax T z' j) * V j k - c k * (softmax T z j - softmax T z' j))) by (intros; ring).
  rewrite sum_minus, sum_scal, sum_minus.
  change (fun i : nat => softmax T z i) with (softmax T z). change (fun i : nat => softmax T z' i) with (softmax T z').
  rewrite A, B. ring.
Qed.

Theorem lemma11 T d V V' z z' c K2 : (0 < T)%nat -> 0 <= K2 -> norm_at_most T d V c K2 ->
  norm2 d (fun k => output T V z k - output T V' z' k)
  <= / 2 * K2 * norm2 T (fun j => z j - z' j) + 2 * norm2 d (value_error T V V' z').
Proof.
  intros HT K0 HK. rewrite (norm2_ext d _ (fun k => key_error T V z z' k + value_error T V V' z' k))
    by (intros; apply decomposition).
  pose proof (norm2_add d (key_error T V z z') (value_error T V V' z')) as S.
  rewrite (norm2_ext d (key_error T V z z')
    (fun k => \sum_(j < T) ((softmax T z j - softmax T z' j) * (V j k - c k)))) in S by (intros; apply key_error_centred; auto).
  pose proof (HK (fun j => softmax T z j - softmax T z' j)) as A.
  assert (B := Rmult_le_compat_l K2 _ _ K0 (softmax_squares T z z' HT)). lra.
Qed.
