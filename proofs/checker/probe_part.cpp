#include "probe_part.hpp"

namespace kvcheck {
namespace {

constexpr unsigned most_budget = 16;

std::optional<unsigned> read_budget(const std::string& text) {
    const std::optional<mpz_class> n = read_integer(text);
    if (!n || *n < 0 || *n > most_budget) return std::nullopt;
    return static_cast<unsigned>(n->get_ui());
}

} // namespace

std::optional<ProbePart> read_probe_part(std::string_view word, const std::vector<std::string>& operands) {
    const bool is_table = word == "probe-table";
    const std::size_t values = is_table ? 0 : word == "probe-risk" ? 1 : 2;
    const std::size_t budgets = is_table ? 1 : 2; // where they stand
    if (operands.size() != budgets + 2 + values) return std::nullopt;
    const std::optional<FamilyName> family = read_family_name(operands[0]);
    const std::optional<unsigned> w = read_budget(operands[budgets]);
    const std::optional<unsigned> r = read_budget(operands[budgets + 1]);
    if (!family || !w || !r || (!is_table && !read_access(operands[1]))) return std::nullopt;
    ProbePart part{*family, is_table ? "" : operands[1], *w, *r, 0, 0};
    for (std::size_t i = 0; i < values; ++i) {
        const std::optional<mpq_class> value = read_rational(operands[budgets + 2 + i]);
        if (!value || *value < 0) return std::nullopt;
        (i == 0 ? part.value : part.upper) = *value;
    }
    return part;
}

bool is_probe_term(std::string_view word) {
    if (!word.starts_with("probe.")) return false;
    word.remove_prefix(6);
    const std::size_t dot = word.rfind('.');
    return dot != std::string_view::npos && read_family_name(word.substr(0, dot)) &&
           read_access(word.substr(dot + 1));
}

} // namespace kvcheck
