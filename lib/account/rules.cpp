#include "lib/account/rules.hpp"

#include "lib/account/sizes.hpp"
#include "lib/error.hpp"

namespace kvproof {
namespace {

using enum CostPart;

constexpr long half = half_size;
constexpr long single = 32;             // an fp32 number
constexpr long tree_centroids = 511;    // of depths 0..8
constexpr long two_bit_centroids = 4;   // of Lloyd-2's codebook
constexpr long kivi_group = 32;         // tokens of a channel, channels of a token
constexpr long kivi_residual = 128;     // tokens at full precision
constexpr long scoring_depth = 2;       // of the nested code, for SparQ's scores
constexpr long nested_depth = 8;        // of the nested code, for SparQ's selected tokens
constexpr long outliers_of = 100;       // KVQuant keeps one entry in this many aside
constexpr long outlier_index_bits = 16; // and says where it was
constexpr long most_outlier_channels = 65536;
constexpr long palu_heads = 4; // that share a projection

Integer scalars(const LayerGeometry& layer) { // of the keys of one token; as many of its values
    return Integer(layer.kv_heads) * layer.head_dim;
}

/// A mean and a scale for each channel of keys and of values.
Cost calibration_bits(const LayerGeometry& layer) {
    Cost cost;
    cost[calibration] = 4 * half * scalars(layer);
    return cost;
}

/// A table for keys and one for values.
Cost table_bits(long centroids) {
    Cost cost;
    cost[tables] = 2 * centroids * single;
    return cost;
}

/// What every reader of the nested code retains.
Charges nested_code(const System& system, const LayerGeometry& layer) {
    Charges out;
    out.stored = {{payload, 2 * system.stored * scalars(layer), Growth::tokens()}};
    out.layer_once = calibration_bits(layer);
    out.model_once = table_bits(tree_centroids);
    return out;
}

Charges dense(const LayerGeometry& layer) {
    Charges out;
    out.stored = out.read = {{payload, 2 * half * scalars(layer), Growth::tokens()}};
    return out;
}

/// Pooled budgets: B_K increments of a channel over all tokens, B_V of a token over all channels.
Charges pooled_reader(const System& system, const LayerGeometry& layer) {
    Charges out = nested_code(system, layer);
    const Rational value_items = Rational(layer.kv_heads); // for each token
    out.read = {{payload, floor(system.key_rate * Rational(scalars(layer))), Growth::tokens()},
                {payload, layer.head_dim, Growth::tokens(system.value_rate * value_items)}};
    return out;
}

/// A stage with two depths spends LOW on each of N items and W - LOW more on as many as the budget B covers.
/// With N = n t items the count floor((B - LOW N) / (W - LOW)), B = floor(R N), is floor((R - LOW) N / (W -
/// LOW)).
Charges two_level_reader(const System& system, const LayerGeometry& layer) {
    Charges out = pooled_reader(system, layer);
    const long step = system.stored - system.low;
    if (system.two_level_keys) {
        const Rational raised = (system.key_rate - system.low) * Rational(scalars(layer)) / step;
        out.read[0].bits = system.low * scalars(layer) + step * floor(raised);
    }
    if (system.two_level_values) {
        out.read[1] = {payload, Integer(step) * layer.head_dim,
                       Growth::tokens((system.value_rate - system.low) * layer.kv_heads / step)};
        out.read.push_back({payload, system.low * scalars(layer), Growth::tokens()});
    }
    return out;
}

/// Budgets of a head: floor(R d_h) increments of key channels, floor(R ceil(t/2)) of pairs of value tokens. A
/// pair is a packet of two tokens, the last one padded where t is odd: it is kept and read whole.
Charges gpu_reader(const System& system, const LayerGeometry& layer) {
    Charges out = nested_code(system, layer);
    out.stored = {{payload, system.stored * scalars(layer), Growth::tokens()},
                  {payload, 2 * system.stored * scalars(layer), Growth::pairs()}};
    out.read = {{payload, layer.kv_heads * floor(system.key_rate * layer.head_dim), Growth::tokens()},
                {payload, 2 * scalars(layer), Growth::pairs(system.value_rate)}};
    return out;
}

Charges lloyd2(const System& system, const LayerGeometry& layer) {
    Charges out;
    out.stored = out.read = {{payload, 2 * system.stored * scalars(layer), Growth::tokens()},
                             {metadata, half * layer.kv_heads, Growth::tokens()}}; // the norm of each key
    out.layer_once = calibration_bits(layer);
    out.model_once = table_bits(two_bit_centroids);
    return out;
}

/// Keys wait for a block of 128 tokens, which is quantised after the call that fills it; values keep the
/// latest 128 tokens. A quantised group of 32 has a scale and an offset; the last group of a token's channels
/// may be smaller.
Charges kivi(const System& system, const LayerGeometry& layer) {
    const Growth waiting_keys = Growth::open_block(kivi_residual);
    const Growth recent_values = Growth::latest(kivi_residual);
    const Integer key_codes = system.stored * scalars(layer);
    const Integer key_groups =
        2 * half * scalars(layer) / kivi_group; // a token's share; blocks hold whole groups
    const long groups = (layer.head_dim + kivi_group - 1) / kivi_group;
    const Integer value_groups = Integer(2 * half * groups) * layer.kv_heads;
    Charges out;
    out.read = {{payload, 2 * key_codes, Growth::tokens()},
                {payload, -key_codes, waiting_keys},
                {payload, -key_codes, recent_values},
                {metadata, key_groups + value_groups, Growth::tokens()},
                {metadata, -key_groups, waiting_keys},
                {metadata, -value_groups, recent_values},
                {residual, half * scalars(layer), waiting_keys},
                {residual, half * scalars(layer), recent_values}};
    out.stored = out.read;
    return out;
}

/// A key has its norm, a value a scale and an offset.
Charges turboquant(const System& system, const LayerGeometry& layer) {
    Charges out;
    out.stored = out.read = {{payload, 2 * system.stored * scalars(layer), Growth::tokens()},
                             {metadata, 3 * half * Integer(layer.kv_heads), Growth::tokens()}};
    return out;
}

/// r channels of every token, then at most k tokens and the current one whole.
Charges sparq(const System& system, const LayerGeometry& layer, long scoring_bits, long selected_bits) {
    if (system.channels > layer.head_dim)
        throw Error(ErrorCode::bad_option, "system \"" + system.name +
                                               "\": found r = " + std::to_string(system.channels) +
                                               " scoring channels, expected at most the head dimension " +
                                               std::to_string(layer.head_dim));
    Charges out;
    out.read = {{probes, Integer(scoring_bits) * system.channels * layer.kv_heads, Growth::tokens()},
                {payload, 2 * selected_bits * scalars(layer), Growth::latest(system.selected + 1)}};
    out.stored = {{payload, 2 * selected_bits * scalars(layer), Growth::tokens()}};
    out.layer_once[mean_state] = half * scalars(layer);
    return out;
}

Charges sparq_nested(const System& system, const LayerGeometry& layer) {
    Charges out = sparq(system, layer, scoring_depth, nested_depth);
    out.layer_once += calibration_bits(layer);
    out.model_once = table_bits(tree_centroids);
    return out;
}

/// Ours, since no paper prints one: b bits a scalar; of each token's G d_h keys, and of its values, 1%
/// (rounded up) kept at 16 bits with a 16-bit index; a scale and an offset for the values of a token, and
/// calibrated ones for each key channel; the first token at 16 bits; two codebooks of 2^b fp32 levels a
/// layer.
Charges kvquant(const System& system, const LayerGeometry& layer) {
    if (scalars(layer) > most_outlier_channels)
        throw Error(ErrorCode::bad_option, "system \"" + system.name + "\": found " + scalars(layer).str() +
                                               " channels, expected at most " +
                                               std::to_string(most_outlier_channels) +
                                               ", what a 16-bit index tells apart");
    const Integer codes = 2 * system.stored * scalars(layer);
    const Integer kept = 2 * ((scalars(layer) + outliers_of - 1) / outliers_of) * (half + outlier_index_bits);
    const Growth first_token = Growth::latest(1);
    Charges out;
    out.read = {{payload, codes, Growth::tokens()},
                {payload, -codes, first_token},
                {outliers, kept, Growth::tokens()},
                {outliers, -kept, first_token},
                {metadata, 2 * half, Growth::tokens()},
                {metadata, -2 * half, first_token},
                {residual, 2 * half * scalars(layer), first_token}};
    out.stored = out.read;
    out.layer_once = table_bits(1L << system.stored);
    out.layer_once[calibration] = 2 * half * scalars(layer);
    return out;
}

/// Ours for the window and the scales of channels; AATC says the rest (V-B, VI): of a token that left the
/// window the codes, floor(BITS L G d_h) bits of keys in L layers and as many of values, and a 16-bit scale
/// for the keys and for the values of each head group; a calibrated 16-bit scale for each channel.
Charges aatc(const System& system, const LayerGeometry& layer) {
    if (layer.kv_heads % system.groups != 0)
        throw Error(ErrorCode::bad_option, "system \"" + system.name + "\": found " +
                                               std::to_string(system.groups) +
                                               " head groups, expected a divisor of the " +
                                               std::to_string(layer.kv_heads) + " KV heads");
    const Growth window = Growth::window(aatc_window, aatc_step);
    const Integer scales = 2 * half * Integer(system.groups);
    Charges out;
    for (const Rational& rate : {system.key_rate, system.value_rate}) {
        const Rational codes = rate * Rational(scalars(layer));
        out.shared.push_back({payload, codes, Growth::tokens()});
        out.shared.push_back({payload, -codes, window});
    }
    out.read = {{metadata, scales, Growth::tokens()},
                {metadata, -scales, window},
                {residual, 2 * half * scalars(layer), window}};
    out.stored = out.read;
    out.layer_once[calibration] = 2 * half * scalars(layer);
    return out;
}

/// Ours, as AATC's Appendix E runs it: of each token RANK latents of b bits for every group of 4 KV heads,
/// the last of what is left, with a scale and an offset, for keys and for values; the tokens of AATC's window
/// at 16 bits. The factors of the projections are weights.
Charges palu(const System& system, const LayerGeometry& layer) {
    const long rest = layer.kv_heads % palu_heads;
    const Integer least = Integer(rest == 0 ? palu_heads : rest) * layer.head_dim;
    if (system.rank > least)
        throw Error(ErrorCode::bad_option, "system \"" + system.name + "\": found a rank of " +
                                               std::to_string(system.rank) + " for a head group of " +
                                               least.str() + " channels, expected at most as many");
    const Integer groups = (layer.kv_heads + palu_heads - 1) / palu_heads;
    const Integer codes = 2 * groups * system.rank * system.stored;
    const Integer fields = 2 * groups * 2 * half;
    const Growth window = Growth::window(aatc_window, aatc_step);
    Charges out;
    out.stored = out.read = {{payload, codes, Growth::tokens()},
                             {payload, -codes, window},
                             {metadata, fields, Growth::tokens()},
                             {metadata, -fields, window},
                             {residual, 2 * half * scalars(layer), window}};
    return out;
}

} // namespace

Charges charges_of(const System& system, const LayerGeometry& layer) {
    switch (system.kind) {
    case System::Kind::dense: return dense(layer);
    case System::Kind::readkv:
    case System::Kind::full:
    case System::Kind::uniform:
    case System::Kind::calibration: return pooled_reader(system, layer);
    case System::Kind::two_level: return two_level_reader(system, layer);
    case System::Kind::readkv_gpu: return gpu_reader(system, layer);
    case System::Kind::lloyd2: return lloyd2(system, layer);
    case System::Kind::kivi: return kivi(system, layer);
    case System::Kind::turboquant: return turboquant(system, layer);
    case System::Kind::sparq: return sparq(system, layer, half, half);
    case System::Kind::sparq_nested: return sparq_nested(system, layer);
    case System::Kind::kvquant: return kvquant(system, layer);
    case System::Kind::palu: return palu(system, layer);
    case System::Kind::kvtc:
        throw Error(
            ErrorCode::bad_option,
            "system \"" + system.name +
                "\": its bits depend on the data, after DEFLATE; expected a system with a closed form "
                "(docs/readers.md has an upper bound, kvproof compare counts)");
    case System::Kind::aatc:
    case System::Kind::aatc_var: return aatc(system, layer);
    }
    throw Error(ErrorCode::internal, "a system without rules");
}

} // namespace kvproof
