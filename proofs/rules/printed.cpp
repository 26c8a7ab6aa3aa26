#include "proofs/rules/printed_points.hpp"

#include "lib/exact/decimal.hpp"

#include <algorithm>

namespace kvproof {
namespace {

constexpr Bits bits = 128;
constexpr int digits = 12;

/// The first term with a variable: what the relation is about.
const Expr* subject(const Formula& relation) {
    const auto at = std::ranges::find_if(relation.terms, [](const Expr& term) {
        std::vector<std::string> names;
        collect_variables(term, names);
        return !names.empty();
    });
    return at == relation.terms.end() ? nullptr : &*at;
}

std::vector<std::string> values_of(const Box& point) {
    std::vector<std::string> out;
    for (const auto& [name, side] : point) out.push_back(name + " = " + to_string(side.lower));
    return out;
}

/// The number's digits where it is a short decimal; else nothing.
std::string short_decimal(const Rational& value) {
    for (long places = 0; places <= digits; ++places) {
        const Rational scaled = abs(value) * power(Rational(10), places);
        if (denominator(scaled) != 1) continue;
        std::string text = numerator(scaled).str();
        const auto width = static_cast<std::size_t>(places) + 1;
        if (text.size() < width) text.insert(0, width - text.size(), '0');
        if (places > 0) text.insert(text.size() - static_cast<std::size_t>(places), ".");
        return (value < 0 ? "-" : "") + text;
    }
    return "";
}

/// What the term comes to over the box: [lower, upper] rounded outward, or the digits of a point.
std::string range_text(const Expr& term, const Box& box, const Context& context) {
    const auto exact = exact_range(term, box, context.quantities);
    const Interval range = enclose(term, box, context.quantities, bits);
    std::string lower = exact ? short_decimal(exact->lower) : "";
    std::string upper = exact ? short_decimal(exact->upper) : "";
    if (exact && exact->lower == exact->upper) return lower.empty() ? shared_decimal(range, digits) : lower;
    if (lower.empty()) lower = lower_decimal(range, digits);
    if (upper.empty()) upper = upper_decimal(range, digits);
    return "[" + lower + ", " + upper + "]";
}

/// What the relation that decides comes to within the rounding, and at the printed digits themselves.
void describe(const Formula& relation, const Box& box, bool printed_hold, const Context& context,
              Decision& out) {
    const Expr* term = subject(relation);
    if (term != nullptr) out.enclosure = enclose(*term, box, context.quantities, bits);
    const Box middle = middle_of(box);
    if (out.verdict == Verdict::refuted)
        for (Witness& part : counterexample(relation, middle, context, bits))
            if (!box.contains(part.name))
                out.witness.push_back(std::move(part)); // the digits are in the formula
    if (out.verdict == Verdict::supported) {
        out.witness.push_back({"relation", {to_infix(relation)}});
        out.witness.push_back({"printed digits", {printed_hold ? "hold" : "fail"}});
    }
    if (term == nullptr) return;
    out.witness.push_back({"at the printed digits", {range_text(*term, middle, context)}});
    out.witness.push_back({"within the rounding", {range_text(*term, box, context)}});
}

/// Checkers read no cover of more than 65536 splits; about every second box is split.
constexpr std::uint64_t most_nodes = 131'072;

/// Boxes are not split below this part of their range, as a power of two.
constexpr long smallest_share = -64;

Rational share_of(const std::string& name, const Box& box, const Box& whole) {
    return (box.at(name).upper - box.at(name).lower) / (whole.at(name).upper - whole.at(name).lower);
}

/// The smallest ratio of larger to smaller side that the ranges over the box allow, as in slack_of().
void note_slack(const Formula& relation, const Box& box, const Context& context,
                std::optional<Interval>& least) {
    if (relation.relation == Relation::equal) return;
    const bool rising = relation.relation == Relation::less || relation.relation == Relation::less_equal;
    for (std::size_t i = 1; i < relation.terms.size(); ++i) {
        const auto small = exact_range(relation.terms[rising ? i - 1 : i], box, context.quantities);
        const auto large = exact_range(relation.terms[rising ? i : i - 1], box, context.quantities);
        if (!small || !large || small->lower <= 0) continue;
        const Interval ratio(large->lower / small->upper, bits);
        least = least ? min(*least, ratio) : ratio;
    }
}

/// The longest side, relative to the whole, of a variable on which some open relation depends.
const std::string& side_to_split(const Box& box, const Box& whole, const std::vector<std::string>& names) {
    return *std::ranges::max_element(names, {},
                                     [&](const std::string& name) { return share_of(name, box, whole); });
}

/// Boxes are halved until on each all relations hold or one of them fails, or until points of both kinds are
/// known.
class PrintedDecision {
public:
    PrintedDecision(const Formula& printed, const Context& context)
        : context_(context), bounds_(printed.bounds), relations_(relations_of(printed)) {
        for (const Bound& bound : bounds_) whole_[bound.name] = {bound.lower, bound.upper};
    }

    Decision decide() {
        std::vector<Box> open = {whole_};
        for (std::uint64_t nodes = 0; !open.empty() && !found_.both(); ++nodes) {
            const Box box = std::move(open.back());
            open.pop_back();
            std::vector<std::string> names;
            if (is_leaf(box, names)) continue;
            if (nodes == 0) search_points(relations_, box, context_, found_);
            if (names.empty() || nodes >= std::min(context_.effort.nodes, most_nodes))
                return undecided(box, names.empty());
            const std::string& side = side_to_split(box, whole_, names);
            if (share_of(side, box, whole_) < power(Rational(2), smallest_share)) {
                // equality at a border, say: points may lie elsewhere
                tiny_ = box;
                continue;
            }
            const Rational half = (box.at(side).lower + box.at(side).upper) / 2;
            out_.records.push_back("split " + side + " " +
                                   to_string(half)); // then the lower box, popped first
            Box upper = box;
            Box lower = box;
            lower[side].upper = half;
            upper[side].lower = half;
            open.push_back(std::move(upper));
            open.push_back(std::move(lower));
        }
        if (tiny_ && !found_.both()) return undecided(*tiny_, false);
        conclude();
        return std::move(out_);
    }

private:
    /// What is open is a relation between constants, or a box.
    Decision undecided(const Box& box, bool is_constant) {
        out_.why = is_constant ? Why::precision_cap : Why::node_budget;
        out_.witness.push_back({"open box around", values_of(middle_of(box))});
        return std::move(out_);
    }

    /// Whether the box is decided; else the variables of the relations that are open on it.
    bool is_leaf(const Box& box, std::vector<std::string>& names) {
        bool all = true;
        for (std::size_t k = 0; k < relations_.size(); ++k) {
            const Truth truth = holds(*relations_[k], box, context_.quantities, bits);
            if (truth == Truth::no) {
                out_.records.push_back("leaf " + std::to_string(k + 1));
                ++out_.cases;
                if (!found_.fails) found_.fails = {relations_[k], middle_of(box)};
                return true;
            }
            if (truth == Truth::yes) continue;
            all = false;
            for (const Expr& term : relations_[k]->terms) collect_variables(term, names);
        }
        if (all) {
            out_.records.emplace_back("leaf");
            ++out_.cases;
            if (!found_.holds) found_.holds = middle_of(box);
        } else {
            look_at(middle_of(box), relations_, context_, found_);
        }
        return all;
    }

    void conclude() {
        out_.verdict = !found_.fails   ? Verdict::proved
                       : !found_.holds ? Verdict::refuted
                                       : Verdict::supported;
        const bool exact = std::ranges::all_of(relations_, [&](const Formula* relation) {
            return std::ranges::all_of(relation->terms, [&](const Expr& term) {
                return exact_range(term, whole_, context_.quantities).has_value();
            });
        });
        out_.bits = exact ? 0 : bits;
        const Formula& decisive = found_.fails ? *found_.fails->relation : *relations_.front();
        describe(decisive, whole_, printed_hold(), context_, out_);
        if (out_.verdict == Verdict::proved) note_slacks();
        if (out_.verdict != Verdict::supported) return;
        out_.why = Why::rounding_edge;
        out_.records.clear();
        out_.cases = 2;
        const auto at = std::ranges::find(relations_, found_.fails->relation);
        list_point("holds", *found_.holds);
        list_point("at " + std::to_string(at - relations_.begin() + 1), found_.fails->point);
        out_.witness.push_back({"holds at", values_of(*found_.holds)});
        out_.witness.push_back({"fails at", values_of(found_.fails->point)});
    }

    /// Ranges over the whole box may be too wide to say, where it had to be split.
    void note_slacks() {
        for (const Formula* relation : relations_) note_slack(*relation, whole_, context_, out_.slack);
        if (out_.slack && less(*out_.slack, Interval(Rational(1), bits)) == Truth::yes) out_.slack.reset();
    }

    [[nodiscard]] bool printed_hold() const {
        PrintedPoints printed;
        look_at(middle_of(whole_), relations_, context_, printed);
        return printed.holds.has_value();
    }

    void list_point(const std::string& what, const Box& point) {
        out_.records.push_back(what);
        for (const Bound& bound : bounds_)
            out_.records.push_back("value " + bound.name + " " + to_string(point.at(bound.name).lower));
    }

    const Context& context_;
    const std::vector<Bound>& bounds_;
    std::vector<const Formula*> relations_;
    Box whole_;
    PrintedPoints found_;
    std::optional<Box> tiny_; ///< a box too small to be split that is still open
    Decision out_;
};

} // namespace

Decision decide_printed(const Formula& printed, const Context& context) {
    return PrintedDecision(printed, context).decide();
}

} // namespace kvproof
