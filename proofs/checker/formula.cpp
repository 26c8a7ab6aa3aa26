#include "formula.hpp"

#include "functions.hpp"

#include <map>
#include <tuple>

namespace kvcheck {
namespace {

[[noreturn]] void refuse(const std::string& what) {
    throw BadUsage{"outside the grammar: " + what};
}

struct Expression {
    std::string atom; // or
    std::vector<Expression> list;
    [[nodiscard]] bool is_atom() const { return !atom.empty(); }
    [[nodiscard]] std::string head() const { return list.empty() ? "" : list[0].atom; }
};

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}
    Expression whole() {
        Expression all = next(0);
        skip();
        if (at_ != text_.size()) refuse("text after the formula");
        return all;
    }

private:
    void skip() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }
    Expression next(int depth) {
        skip();
        if (at_ == text_.size() || text_[at_] == ')' || depth > 200) refuse("parentheses");
        if (text_[at_] != '(') {
            const std::size_t end = std::min(text_.find_first_of(" ()", at_), text_.size());
            Expression atom{std::string(text_.substr(at_, end - at_)), {}};
            at_ = end;
            return atom;
        }
        Expression list;
        ++at_;
        for (skip(); at_ < text_.size() && text_[at_] != ')'; skip()) list.list.push_back(next(depth + 1));
        if (at_ == text_.size()) refuse("a parenthesis is not closed");
        ++at_;
        return list;
    }
    std::string_view text_;
    std::size_t at_ = 0;
};

/// 3 | -3/7 | 0.125 | 1.5e-3 | 0x1.8p-3
mpq_class read_number(const std::string& text) {
    std::string_view rest = text;
    const bool negative = rest.starts_with('-');
    if (negative) rest.remove_prefix(1);
    const bool hex = rest.starts_with("0x");
    if (hex) rest.remove_prefix(2);
    const unsigned base = hex ? 16 : 10;
    const auto integer = [&](std::string_view digits, unsigned in_base) {
        const std::string_view allowed = in_base == 16 ? "0123456789abcdef" : "0123456789";
        if (digits.empty() || digits.find_first_not_of(allowed) != std::string_view::npos)
            refuse("number " + text);
        return mpz_class(std::string(digits), static_cast<int>(in_base));
    };
    mpq_class value;
    const std::size_t slash = rest.find('/');
    if (slash != std::string_view::npos && !hex) {
        const mpz_class denominator = integer(rest.substr(slash + 1), 10);
        if (denominator == 0) refuse("number " + text);
        value = mpq_class(integer(rest.substr(0, slash), 10), denominator);
        value.canonicalize();
    } else {
        const std::size_t mark = rest.find(hex ? 'p' : 'e');
        const std::string_view digits = rest.substr(0, mark);
        const std::size_t dot = digits.find('.');
        const std::string_view fraction = dot == std::string_view::npos ? "" : digits.substr(dot + 1);
        if (dot == 0 || (dot != std::string_view::npos && fraction.empty())) refuse("number " + text);
        value = integer(std::string(digits.substr(0, dot)) + std::string(fraction), base);
        mpz_class unit;
        mpz_ui_pow_ui(unit.get_mpz_t(), base, fraction.size());
        value /= unit;
        if (mark != std::string_view::npos) {
            std::string_view exponent = rest.substr(mark + 1);
            const bool down = exponent.starts_with('-');
            if (down || exponent.starts_with('+')) exponent.remove_prefix(1);
            const mpz_class n = integer(exponent, 10);
            if (n > 10000) refuse("number " + text);
            mpz_class scale;
            mpz_ui_pow_ui(scale.get_mpz_t(), hex ? 2 : 10, n.get_ui());
            if (down)
                value /= scale;
            else
                value *= scale;
        }
    }
    return negative ? mpq_class(-value) : value;
}

/// What may have been rounded to these digits: half a unit of the last one to either side.
Range printed_range(const std::string& text) {
    if (text.find_first_not_of("0123456789.e+-") != std::string::npos) refuse("printed number " + text);
    const mpq_class value = read_number(text);
    const std::size_t mark = std::min(text.find('e'), text.size());
    const std::size_t dot = std::min(text.find('.'), mark);
    const std::string decimals(mark - std::min(dot + 1, mark), '0');
    // the unit: the number with all digits 0 but the last, which is 1
    const std::string unit = (decimals.empty() ? "1" : "0." + decimals.substr(1) + "1") + text.substr(mark);
    const mpq_class half = read_number(unit) / 2;
    return {value - half, value + half};
}

const std::map<std::string, Op> operations = {
    {"+", Op::add},     {"-", Op::subtract}, {"*", Op::multiply}, {"/", Op::divide}, {"^", Op::power},
    {"sqrt", Op::sqrt}, {"exp", Op::exp},    {"log", Op::log},    {"erf", Op::erf},  {"erfc", Op::erfc},
    {"tanh", Op::tanh}, {"abs", Op::abs},    {"min", Op::min},    {"max", Op::max},  {"floor", Op::floor}};

const std::map<std::string, Relation> relations = {{"<", Relation::less},
                                                   {"<=", Relation::less_equal},
                                                   {">", Relation::greater},
                                                   {">=", Relation::greater_equal},
                                                   {"=", Relation::equal}};

bool is_name(const std::string& text) {
    if (text.empty() || !(text[0] == '_' || ((text[0] | 32) >= 'a' && (text[0] | 32) <= 'z'))) return false;
    return text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
           std::string::npos;
}

class Builder {
public:
    Statement statement;

    Formula formula(const Expression& x, bool outermost, const Formula* quantifier) {
        const std::string head = x.head();
        Formula f;
        if (const auto rel = relations.find(head); rel != relations.end()) {
            if (x.list.size() < 3) refuse("a relation needs two terms");
            f.kind = Formula::Kind::relation;
            f.relation = rel->second;
            for (std::size_t i = 1; i < x.list.size(); ++i) f.terms.push_back(term(x.list[i]));
        } else if (head == "and" && x.list.size() > 1) {
            f.kind = Formula::Kind::conjunction;
            for (std::size_t i = 1; i < x.list.size(); ++i)
                f.parts.push_back(formula(x.list[i], false, quantifier));
        } else if (head == "let" && x.list.size() == 3) {
            const auto before = scope_;
            for (const Expression& binding : x.list[1].list) {
                if (binding.list.size() != 2) refuse("let");
                const int value = term(binding.list[1]);
                scope_[new_name(binding)] = value;
            }
            f = formula(x.list[2], outermost, quantifier);
            scope_ = before;
        } else if (head == "forall" && x.list.size() == 3 && !x.list[1].list.empty()) {
            f = forall(x, quantifier);
        } else if (head == "printed" && x.list.size() == 3 && !x.list[1].list.empty() && outermost) {
            f = printed(x);
        } else if (quantifier != nullptr) {
            refuse("(" + head + " under a quantifier");
        } else if (head == "part" && x.list.size() == 2 && outermost) {
            f.kind = Formula::Kind::part;
            f.parts.push_back(formula(x.list[1], false, nullptr));
        } else if (head == "lloyd-tree" && x.list.size() == 3) {
            f.kind = Formula::Kind::tree;
            f.depth = small(x.list[1], 20);
            f.digits = small(x.list[2], 1000);
        } else if (head == "lloyd-symmetric" && x.list.size() == 2) {
            f.kind = Formula::Kind::symmetric;
            f.depth = small(x.list[1], 20);
            statement.needs_tree = true;
        } else if (head == "lloyd-max" && x.list.size() == 3) {
            f.kind = Formula::Kind::optimum;
            f.depth = small(x.list[1], 20);
            f.digits = small(x.list[2], 1000);
        } else if (head == "codebook" && x.list.size() == 1) {
            f.kind = Formula::Kind::codebook;
        } else if (head == "probe-risk" || head == "probe-table" || head == "probe-game") {
            f.kind = head == "probe-risk"    ? Formula::Kind::probe_risk
                     : head == "probe-table" ? Formula::Kind::probe_table
                                             : Formula::Kind::probe_game;
            std::vector<std::string> operands;
            for (std::size_t i = 1; i < x.list.size(); ++i) operands.push_back(x.list[i].atom);
            f.probe = read_probe_part(head, operands);
            if (!f.probe) refuse("operands of " + head);
        } else if (head == "pending" && x.list.size() == 2) {
            f.kind = Formula::Kind::pending;
            statement.pending = true;
        } else if (head == "reader" && x.list.size() == 4) {
            f.kind = Formula::Kind::reader;
            for (const std::size_t i : {2, 3}) {
                const std::optional<mpz_class> n = read_integer(x.list[i].atom);
                if (!n || *n < 0 || *n > 9999999) refuse("number " + x.list[i].atom);
            }
            if (!x.list[1].is_atom()) refuse("(reader");
            statement.sampled = true;
        } else {
            refuse("(" + head);
        }
        return f;
    }

private:
    Formula forall(const Expression& x, const Formula* outer) {
        const auto before = scope_;
        Formula f;
        for (const Expression& b : x.list[1].list) {
            const bool integer = b.list.size() == 4 && b.list[1].atom == "int";
            const auto kind = integer ? Formula::Kind::integer_forall : Formula::Kind::real_forall;
            if (b.list.size() != 3 && !integer) refuse("a bound");
            if (!f.bounds.empty() && f.kind != kind) refuse("bounds of two kinds");
            if (outer != nullptr && outer->kind != kind) refuse("quantifiers of two kinds");
            f.kind = kind;
            const std::size_t at = integer ? 2 : 1;
            mpq_class lower = constant(term(b.list[at]));
            mpq_class upper = constant(term(b.list[at + 1]));
            if (integer) {
                lower = ceiling_of(lower);
                upper = floor_of(upper);
            }
            if (lower > upper) refuse("an empty range");
            bind(b, integer, {lower, upper}, f);
        }
        f.parts.push_back(formula(x.list[2], false, &f));
        scope_ = before;
        return f;
    }

    /// (printed ((name digits) ...) formula)
    Formula printed(const Expression& x) {
        const auto before = scope_;
        Formula f;
        f.kind = Formula::Kind::printed;
        for (const Expression& b : x.list[1].list) {
            if (b.list.size() != 2 || !b.list[1].is_atom()) refuse("a printed number");
            bind(b, false, printed_range(b.list[1].atom), f);
        }
        f.parts.push_back(formula(x.list[2], false, &f));
        scope_ = before;
        return f;
    }

    /// Adds a variable to what a quantifier binds.
    void bind(const Expression& bound, bool integer, const Range& range, Formula& f) {
        Node variable;
        variable.op = Op::variable;
        variable.slot = statement.slots++;
        variable.constant = false;
        f.bounds.push_back({new_name(bound), variable.slot, integer, range});
        scope_[bound.head()] = shared(variable);
    }

    int term(const Expression& x) {
        Node node;
        if (!x.is_atom()) {
            const bool is_risk = is_probe_term(x.head());
            if (is_risk) statement.needs_risks = true;
            if (is_risk && x.list.size() != 3) refuse("operands of " + x.head());
            if (is_risk || is_function(x.head())) return function(x);
            const auto found = operations.find(x.head());
            if (found == operations.end() || x.list.size() < 2) refuse("(" + x.head());
            node.op = found->second;
            const std::size_t operands = x.list.size() - 1;
            const bool folds = node.op == Op::add || node.op == Op::subtract || node.op == Op::multiply ||
                               node.op == Op::divide || node.op == Op::min || node.op == Op::max;
            if (folds ? operands < 2 && node.op != Op::subtract
                      : operands != (node.op == Op::power ? 2U : 1U)) {
                refuse("operands of " + x.head());
            }
            if (folds && operands == 1) node.op = Op::negate;
            node.left = term(x.list[1]);
            if (operands == 1) return shared(node);
            for (std::size_t i = 2; i <= operands; ++i) {
                node.right = term(x.list[i]);
                node.left = shared(node);
            }
            return node.left;
        }
        const std::string& text = x.atom;
        if (const auto known = scope_.find(text); known != scope_.end()) return known->second;
        if (text == "pi" || text == "e") {
            node.op = text == "e" ? Op::e : Op::pi;
        } else if (const std::optional<Quantity> quantity = read_quantity(text)) {
            node.op = Op::quantity;
            node.name = text;
            const std::string& family = quantity->family;
            (family == "lloydmax" ? statement.needs_optimum
             : family == "lloyd"  ? statement.needs_tree
                                  : statement.needs_table) = true;
        } else {
            node.number = read_number(text);
        }
        return shared(node);
    }

    int function(const Expression& x) {
        if (x.list.size() < 3) refuse("operands of " + x.head());
        Node node;
        node.op = Op::function;
        node.name = x.head();
        for (std::size_t i = 1; i < x.list.size(); ++i) node.operands.push_back(term(x.list[i]));
        return shared(node);
    }

    int shared(Node node) {
        for (const int operand : node.operands)
            node.constant = node.constant && statement.nodes[operand].constant;
        if (node.left >= 0) node.constant = statement.nodes[node.left].constant;
        if (node.right >= 0) node.constant = node.constant && statement.nodes[node.right].constant;
        const auto key = std::make_tuple(node.op, node.left, node.right, node.slot,
                                         node.name + node.number.get_str(), node.operands);
        const auto [at, is_new] = known_.try_emplace(key, static_cast<int>(statement.nodes.size()));
        if (is_new) statement.nodes.push_back(std::move(node));
        return at->second;
    }

    mpq_class constant(int id) {
        const auto value = [this](auto&& self, int at) -> Range {
            const Node& node = statement.nodes[at];
            if (node.op == Op::number) return {node.number, node.number};
            if (node.left < 0) refuse("a bound that is not a rational number");
            const Range left = self(self, node.left);
            const std::optional<Range> r =
                apply(node.op, left, node.right < 0 ? left : self(self, node.right));
            if (!r) refuse("a bound that is not a rational number");
            return *r;
        };
        try {
            return value(value, id).lo;
        } catch (const Undefined&) {
            refuse("a bound that is undefined");
        }
    }

    /// The name that a bound or a binding gives to something for the first time.
    std::string new_name(const Expression& x) const {
        std::string name = x.head();
        if (!is_name(name) || name == "pi" || name == "e" || scope_.contains(name))
            refuse("not a new name: " + name);
        return name;
    }

    static unsigned small(const Expression& x, unsigned most) {
        const std::optional<mpz_class> n = read_integer(x.atom);
        if (!n || *n < 1 || *n > most) refuse("number " + x.atom);
        return static_cast<unsigned>(n->get_ui());
    }

    std::map<std::string, int> scope_;
    std::map<std::tuple<Op, int, int, int, std::string, std::vector<int>>, int> known_;
};

} // namespace

std::optional<Quantity> read_quantity(const std::string& name) {
    static const std::map<std::string, std::string> fields = {
        {"lloyd", "distortion gain epsilon boundary centroid value"},
        {"float32", "gain epsilon boundary centroid value"},
        {"codebook", "distortion gain"},
        {"lloydmax", "distortion"}};
    std::vector<std::string> parts = {""};
    for (const char c : name) {
        if (c == '.')
            parts.emplace_back();
        else
            parts.back() += c;
    }
    if (parts.size() < 3) return std::nullopt;
    const auto family = fields.find(parts[0]);
    if (family == fields.end() ||
        (" " + family->second + " ").find(" " + parts[1] + " ") == std::string::npos) {
        return std::nullopt;
    }
    const bool indexed = parts[1] == "boundary" || parts[1] == "centroid" || parts[1] == "value";
    const std::optional<mpz_class> depth = read_integer(parts[2]);
    const std::optional<mpz_class> index =
        indexed && parts.size() == 4 ? read_integer(parts[3]) : std::nullopt;
    if (parts.size() != (indexed ? 4U : 3U) || !depth || *depth < 0 || (indexed && !index))
        return std::nullopt;
    return Quantity{parts[0], parts[1], *depth, index.value_or(0)};
}

Statement read_statement(std::string_view text) {
    Builder builder;
    builder.statement.formula = builder.formula(Parser(text).whole(), true, nullptr);
    return std::move(builder.statement);
}

} // namespace kvcheck
