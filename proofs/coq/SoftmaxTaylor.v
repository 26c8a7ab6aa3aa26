(** AATC, Remark 6: derivatives of a softmax along a line of logits.

    aatc.remark6.derivatives   p_t = softmax(s + t a), x = a - E_t a, m_k = E_t x^k: every mean F = E_t f has
                               F' = E_t[f x], F'' = E_t[f (x^2 - m_2)], F''' = E_t[f (x^3 - 3 x m_2 - m_3)].
    aatc.remark6.taylor        so the first two Taylor terms of softmax(s + a) - softmax(s) are p x and (p/2)(x^2 - m_2); both
                               sum to zero.

    d/dt E_t f = Cov_t(f, a), applied to the raw moments E_t[a^k f] and E_t[a^k]; then the raw form is centred. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From KVProof Require Import FiniteSums Probability Softmax CentralMoments.
Open Scope R_scope.

Section Line.
Variables (n : nat) (s a f : nat -> R).
Hypothesis Hn : (0 < n)%nat.
Definition p_at t := softmax n (line s a t).
Let g k t := mean n (p_at t) (fun i => a i ^ k * f i).
Let b k t := mean n (p_at t) (fun i => a i ^ k).

Lemma p_at_probability t : probability n (p_at t).
Proof. apply softmax_probability; auto. Qed.

Lemma g_derive k t : is_derive (g k) t (g (S k) t - g k t * b 1 t).
Proof.
  evar_last; [apply (mean_at_derive n s a (fun i => a i ^ k * f i) t Hn)|]. unfold cov, g, b. fold (p_at t).
  rewrite (mean_ext n (p_at t) (fun i => a i * (a i ^ k * f i)) (fun i => a i ^ S k * f i)) by (intros; simpl; ring).
  rewrite (mean_ext n (p_at t) (fun i => a i ^ 1) a) by (intros; ring). ring.
Qed.
Lemma b_derive k t : is_derive (b k) t (b (S k) t - b k t * b 1 t).
Proof.
  evar_last; [apply (mean_at_derive n s a (fun i => a i ^ k) t Hn)|]. unfold cov, b. fold (p_at t).
  rewrite (mean_ext n (p_at t) (fun i => a i * a i ^ k) (fun i => a i ^ S k)) by (intros; simpl; ring).
  rewrite (mean_ext n (p_at t) (fun i => a i ^ 1) a) by (intros; ring). ring.
Qed.

(** Raw forms of F', F'', F'''. *)
Let F1 t := g 1 t - g 0 t * b 1 t.
Let F2 t := g 2 t - 2 * g 1 t * b 1 t + 2 * g 0 t * b 1 t ^ 2 - g 0 t * b 2 t.
Let F3 t := g 3 t - 3 * g 2 t * b 1 t - 3 * g 1 t * b 2 t + 6 * g 1 t * b 1 t ^ 2
  - g 0 t * b 3 t + 6 * g 0 t * b 1 t * b 2 t - 6 * g 0 t * b 1 t ^ 3.

Ltac derive_raw t :=
  assert (ex_derive (g 0) t) by (eexists; apply g_derive); assert (ex_derive (g 1) t) by (eexists; apply g_derive);
  assert (ex_derive (g 2) t) by (eexists; apply g_derive); assert (ex_derive (b 1) t) by (eexists; apply b_derive);
  assert (ex_derive (b 2) t) by (eexists; apply b_derive);
  auto_derive; [repeat split; auto|];
  repeat match goal with |- context [Derive (fun x : R => ?h x) t] => change (Derive (fun x : R => h x) t) with (Derive h t) end;
  rewrite ?(is_derive_unique _ _ _ (g_derive 0 t)), ?(is_derive_unique _ _ _ (g_derive 1 t)),
    ?(is_derive_unique _ _ _ (g_derive 2 t)), ?(is_derive_unique _ _ _ (b_derive 1 t)), ?(is_derive_unique _ _ _ (b_derive 2 t)).

Lemma F1_derive t : is_derive F1 t (F2 t).
Proof. unfold F1. derive_raw t. unfold F2. ring. Qed.
Lemma F2_derive t : is_derive F2 t (F3 t).
Proof. unfold F2. derive_raw t. unfold F3. ring. Qed.

(** Centred forms. *)
Lemma raw_means t : b 1 t = mean n (p_at t) a /\ g 0 t = mean n (p_at t) f.
Proof. split; apply mean_ext; intros; simpl; ring. Qed.
Lemma moment2 t : moment n (p_at t) a 2 = b 2 t - b 1 t ^ 2.
Proof.
  destruct (raw_means t) as [-> _]. unfold moment, centred, b. set (m := mean n (p_at t) a).
  rewrite (mean_ext n (p_at t) _ (fun i => a i ^ 2 + (- 2 * m * a i + m ^ 2))) by (intros; ring).
  rewrite !mean_plus, mean_scal, mean_const by apply p_at_probability. eta_mean. fold m. ring.
Qed.
Lemma moment3 t : moment n (p_at t) a 3 = b 3 t - 3 * b 1 t * b 2 t + 2 * b 1 t ^ 3.
Proof.
  destruct (raw_means t) as [-> _]. unfold moment, centred, b. set (m := mean n (p_at t) a).
  rewrite (mean_ext n (p_at t) _ (fun i => a i ^ 3 + (- 3 * m * a i ^ 2 + (3 * m ^ 2 * a i + - m ^ 3)))) by (intros; ring).
  rewrite !mean_plus, !mean_scal, mean_const by apply p_at_probability. eta_mean. fold m. ring.
Qed.
Lemma F1_centred t : F1 t = mean n (p_at t) (fun i => f i * centred n (p_at t) a i).
Proof.
  unfold F1. destruct (raw_means t) as [-> ->]. unfold g, centred. set (m := mean n (p_at t) a).
  rewrite (mean_ext n (p_at t) (fun i => f i * (a i - m)) (fun i => a i ^ 1 * f i - m * f i)) by (intros; ring).
  rewrite mean_minus, mean_scal. eta_mean. ring.
Qed.
Lemma F2_centred t : F2 t = mean n (p_at t) (fun i => f i * (centred n (p_at t) a i ^ 2 - moment n (p_at t) a 2)).
Proof.
  rewrite moment2. unfold F2, centred. destruct (raw_means t) as [E1 E0]. rewrite <- E1, E0.
  set (m := b 1 t). set (q := b 2 t).
  rewrite (mean_ext n (p_at t) (fun i => f i * _)
    (fun i => a i ^ 2 * f i + (- 2 * m * (a i ^ 1 * f i) + (2 * m ^ 2 - q) * f i))) by (intros; ring).
  rewrite !mean_plus, !mean_scal. eta_mean. fold (g 2 t) (g 1 t). ring.
Qed.
Lemma F3_centred t : F3 t = mean n (p_at t) (fun i => f i * bracket n (p_at t) a i).
Proof.
  unfold bracket. rewrite moment2, moment3. unfold F3, centred. destruct (raw_means t) as [E1 E0]. rewrite <- E1, E0.
  set (m := b 1 t). set (q := b 2 t). set (c := b 3 t).
  rewrite (mean_ext n (p_at t) (fun i => f i * _) (fun i => a i ^ 3 * f i + (- 3 * m * (a i ^ 2 * f i)
    + ((6 * m ^ 2 - 3 * q) * (a i ^ 1 * f i) + (6 * m * q - 6 * m ^ 3 - c) * f i)))) by (intros; ring).
  rewrite !mean_plus, !mean_scal. eta_mean. fold (g 3 t) (g 2 t) (g 1 t). ring.
Qed.

Theorem derivatives :
  let F t := mean n (p_at t) f in
  let F' t := mean n (p_at t) (fun i => f i * centred n (p_at t) a i) in
  let F'' t := mean n (p_at t) (fun i => f i * (centred n (p_at t) a i ^ 2 - moment n (p_at t) a 2)) in
  let F''' t := mean n (p_at t) (fun i => f i * bracket n (p_at t) a i) in
  forall t, is_derive F t (F' t) /\ is_derive F' t (F'' t) /\ is_derive F'' t (F''' t).
Proof.
  intros F F' F'' F''' t. split; [|split].
  - apply (is_derive_ext (g 0)); [intros u; apply raw_means|]. unfold F'. rewrite <- F1_centred. apply g_derive.
  - apply (is_derive_ext F1); [intros u; apply F1_centred|]. unfold F''. rewrite <- F2_centred. apply F1_derive.
  - apply (is_derive_ext F2); [intros u; apply F2_centred|]. unfold F'''. rewrite <- F3_centred. apply F2_derive.
Qed.
End Line.

(** Both terms of second-order Taylor sum to zero. *)
Theorem terms_sum_to_zero n p a : probability n p ->
  \sum_(i < n) (p i * centred n p a i) = 0 /\
  \sum_(i < n) (p i / 2 * (centred n p a i ^ 2 - moment n p a 2)) = 0.
Proof.
  intros Hp. split; [exact (centred_mean n p a Hp)|].
  rewrite (sum_ext n _ (fun i => / 2 * (p i * (centred n p a i ^ 2 - moment n p a 2)))) by (intros; field).
  rewrite sum_scal. fold (mean n p (fun i => centred n p a i ^ 2 - moment n p a 2)).
  rewrite mean_minus, mean_const by auto. fold (moment n p a 2). ring.
Qed.

(** g is the weight of token i along the line, g' its derivative: at 0 the terms are g'(0) and g''(0)/2. *)
Theorem taylor_terms n s a i : (i < n)%nat ->
  let p := softmax n s in
  let g t := softmax n (line s a t) i in
  let g' t := g t * centred n (softmax n (line s a t)) a i in
  (forall t, is_derive g t (g' t)) /\ g' 0 = p i * centred n p a i /\
  is_derive g' 0 (2 * (p i / 2 * (centred n p a i ^ 2 - moment n p a 2))) /\
  \sum_(j < n) (p j * centred n p a j) = 0 /\ \sum_(j < n) (p j / 2 * (centred n p a j ^ 2 - moment n p a 2)) = 0.
Proof.
  intros Hi p g g'. assert (Hn : (0 < n)%nat) by lia.
  assert (One : forall t f, mean n (p_at n s a t) (fun j => delta i j * f j) = g t * f i).
  { intros t f. unfold mean. rewrite (sum_ext n _ (fun j => delta i j * (p_at n s a t j * f j))) by (intros; ring).
    rewrite (sum_delta n i (fun j => p_at n s a t j * f j)) by auto. reflexivity. }
  assert (P : each j < n, p_at n s a 0 j = p j) by (intros; apply softmax_ext; auto; intros; unfold line; ring).
  assert (M : forall f, mean n (p_at n s a 0) f = mean n p f) by (intros; apply sum_ext; intros; rewrite P by auto; ring).
  assert (C : forall j, centred n (p_at n s a 0) a j = centred n p a j) by (intros; unfold centred; now rewrite M).
  assert (V : moment n (p_at n s a 0) a 2 = moment n p a 2).
  { unfold moment. rewrite M. apply mean_ext. intros. now rewrite C. }
  pose proof (derivatives n s a (delta i) Hn) as D. cbv zeta in D. split; [|split; [|split]].
  - intros t. destruct (D t) as (D1 & _). rewrite (One t (centred n (p_at n s a t) a)) in D1.
    apply (is_derive_ext (fun u => mean n (p_at n s a u) (delta i))); [|exact D1]. intros u.
    transitivity (mean n (p_at n s a u) (fun j => delta i j * 1)); [apply mean_ext; intros; ring|].
    rewrite (One u (fun _ => 1)). apply Rmult_1_r.
  - unfold g', g. change (softmax n (line s a 0)) with (p_at n s a 0). rewrite C, P by auto. reflexivity.
  - destruct (D 0) as (_ & D2 & _).
    rewrite (One 0 (fun j => centred n (p_at n s a 0) a j ^ 2 - moment n (p_at n s a 0) a 2)) in D2.
    apply (is_derive_ext (fun u => mean n (p_at n s a u) (fun j => delta i j * centred n (p_at n s a u) a j))).
    + intros u. apply (One u (centred n (p_at n s a u) a)).
    + replace (2 * _) with (g 0 * (centred n (p_at n s a 0) a i ^ 2 - moment n (p_at n s a 0) a 2)); [exact D2|].
      unfold g. change (softmax n (line s a 0) i) with (p_at n s a 0 i). rewrite C, V, P by auto. field.
  - apply terms_sum_to_zero. apply softmax_probability. auto.
Qed.

Lemma taylor3 (F F1 F2 F3 : R -> R) :
  (forall t, is_derive F t (F1 t)) -> (forall t, is_derive F1 t (F2 t)) -> (forall t, is_derive F2 t (F3 t)) ->
  exists c, 0 < c < 1 /\ F 1 - F 0 - F1 0 - F2 0 / 2 = F3 c / 6.
Proof.
  intros D0 D1 D2. set (K := F 1 - F 0 - F1 0 - F2 0 / 2).
  set (G := fun t => F t + F1 t * (1 - t) + F2 t * ((1 - t) ^ 2 / 2) + K * (1 - t) ^ 3).
  destruct (MVT_cor2 G (fun t => F3 t * ((1 - t) ^ 2 / 2) - 3 * K * (1 - t) ^ 2) 0 1) as [c [Hc Rc]]; [lra| |].
  - intros c _. apply is_derive_Reals. unfold G.
    assert (ex_derive F c) by (eexists; apply D0). assert (ex_derive F1 c) by (eexists; apply D1).
    assert (ex_derive F2 c) by (eexists; apply D2). auto_derive; [repeat split; auto|].
    repeat match goal with |- context [Derive (fun x : R => ?h x) c] => change (Derive (fun x : R => h x) c) with (Derive h c) end.
    rewrite (is_derive_unique _ _ _ (D0 c)), (is_derive_unique _ _ _ (D1 c)), (is_derive_unique _ _ _ (D2 c)). field.
  - exists c. split; auto. assert (L : G 1 - G 0 = 0) by (unfold G, K; field). rewrite L in Hc.
    assert (Z : (F3 c / 6 - K) * (1 - c) ^ 2 = 0) by lra. apply Rmult_integral in Z.
    assert (0 < (1 - c) ^ 2) by (apply pow_lt; lra). destruct Z; lra.
Qed.
