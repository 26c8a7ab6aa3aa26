#pragma once
// Reads typeset formulas back as a reader's eye does: rows run on, only brackets group, products bind before
// sums.

#include "lib/exact/expr.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kvproof::test {

/// An element of XML: well-formed, or the reader throws.
struct Element {
    std::string tag;
    std::string text;
    std::vector<Element> children;
};

class XmlReader {
public:
    static Element read(std::string_view text) {
        XmlReader reader(text);
        Element out = reader.element();
        if (reader.at_ != text.size()) throw std::runtime_error("text after the element");
        return out;
    }

private:
    explicit XmlReader(std::string_view text) : text_(text) {}

    std::string_view until(char end) {
        const std::size_t from = at_;
        at_ = text_.find(end, at_);
        if (at_ == std::string_view::npos) throw std::runtime_error("unended markup");
        return text_.substr(from, at_++ - from);
    }

    static std::string plain(std::string_view text) {
        std::string out;
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '>' || text[i] == '"') throw std::runtime_error("a character that is not escaped");
            if (text[i] != '&') {
                out += text[i];
                continue;
            }
            const std::size_t end = text.find(';', i);
            const std::string_view name = text.substr(i + 1, end - i - 1);
            const std::string_view names[] = {"amp", "lt", "gt", "quot"};
            constexpr char letters[] = {'&', '<', '>', '"'};
            bool known = false;
            for (int k = 0; k < 4; ++k)
                if (name == names[k]) {
                    out += letters[k];
                    known = true;
                }
            if (!known) throw std::runtime_error("an unknown entity");
            i = end;
        }
        return out;
    }

    Element element() {
        if (at_ >= text_.size() || text_[at_++] != '<') throw std::runtime_error("no element");
        const std::string_view open = until('>');
        Element out;
        out.tag = open.substr(0, open.find(' '));
        while (!text_.substr(at_).starts_with("</")) {
            if (at_ >= text_.size()) throw std::runtime_error("an element without its end");
            if (text_[at_] == '<')
                out.children.push_back(element());
            else {
                const std::size_t from = at_;
                at_ = text_.find('<', at_);
                if (at_ == std::string_view::npos) throw std::runtime_error("an element without its end");
                out.text += plain(text_.substr(from, at_ - from));
            }
        }
        at_ += 2;
        if (until('>') != out.tag) throw std::runtime_error("another end than " + out.tag);
        return out;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

/// Terms over numbers, x and y: the operations of the rational grammar.
class MathmlReader {
public:
    static Expr read(const std::string& mathml) { return expression(XmlReader::read(mathml)); }

private:
    using Items = std::vector<const Element*>;

    static bool is_sign(const Element& element, std::string_view text) {
        return element.tag == "mo" && element.text == text;
    }
    static bool opens(const Element& element) {
        return is_sign(element, "(") || is_sign(element, "|") || is_sign(element, "\xE2\x8C\x8A");
    }
    /// A row that is fenced is one thing; any other runs on in the row around it.
    static void flatten(const Element& element, Items& out) {
        if (element.tag != "mrow" || (!element.children.empty() && opens(element.children.front())))
            out.push_back(&element);
        else
            for (const Element& child : element.children) flatten(child, out);
    }
    static Expr expression(const Element& element) {
        Items items;
        flatten(element, items);
        std::size_t at = 0;
        Expr out = sum(items, at);
        if (at != items.size()) throw std::runtime_error("a row that does not end");
        return out;
    }
    static bool next_is(const Items& items, std::size_t at, std::string_view sign) {
        return at < items.size() && is_sign(*items[at], sign);
    }
    static Expr sum(const Items& items, std::size_t& at) {
        const bool negative = next_is(items, at, minus);
        if (negative) ++at;
        Expr out = product(items, at);
        if (negative) out = Expr::apply(Op::neg, {out});
        while (next_is(items, at, "+") || next_is(items, at, minus)) {
            const Op op = is_sign(*items[at++], "+") ? Op::add : Op::sub;
            out = Expr::apply(op, {out, product(items, at)});
        }
        return out;
    }
    static Expr product(const Items& items, std::size_t& at) {
        Expr out = factor(items, at);
        while (next_is(items, at, "\xE2\x8B\x85")) out = Expr::apply(Op::mul, {out, factor(items, ++at)});
        return out;
    }
    static Expr factor(const Items& items, std::size_t& at) {
        if (at >= items.size()) throw std::runtime_error("a row that ends early");
        const Element& element = *items[at++];
        if (element.tag == "mn") return Expr::rational(parse_rational(element.text));
        if (element.tag == "mi" && (element.text == "x" || element.text == "y"))
            return Expr::variable(element.text);
        if (element.tag == "mi" && at < items.size()) { // min, max
            const Element& arguments = *items[at++];
            std::vector<Expr> values;
            Items part;
            for (std::size_t i = 1; i < arguments.children.size(); ++i) {
                const bool ends = is_sign(arguments.children[i], ",") || i + 1 == arguments.children.size();
                if (!ends) {
                    flatten(arguments.children[i], part);
                    continue;
                }
                std::size_t from = 0;
                values.push_back(sum(part, from));
                if (from != part.size()) throw std::runtime_error("an argument that does not end");
                part.clear();
            }
            return Expr::apply(element.text == "min" ? Op::min : Op::max, values);
        }
        if (element.tag == "mfrac")
            return Expr::apply(Op::div,
                               {expression(element.children.at(0)), expression(element.children.at(1))});
        if (element.tag == "msup")
            return Expr::apply(
                Op::pow, {expression_of_base(element.children.at(0)), expression(element.children.at(1))});
        if (element.tag == "mrow" && element.children.size() == 3) {
            const Expr inner = expression(element.children[1]);
            if (is_sign(element.children[0], "(")) return inner;
            return Expr::apply(is_sign(element.children[0], "|") ? Op::abs : Op::floor, {inner});
        }
        throw std::runtime_error("an element that is not known: " + element.tag);
    }
    /// What a power is written at belongs to it alone only if it is one thing.
    static Expr expression_of_base(const Element& element) {
        const bool one = element.tag == "mn" || element.tag == "mi" ||
                         (element.tag == "mrow" && !element.children.empty() &&
                          (opens(element.children.front()) || element.children.front().tag == "mi"));
        if (!one) throw std::runtime_error("a power of something that reads as more than one thing");
        return expression(element);
    }

    static constexpr std::string_view minus = "\xE2\x88\x92";
};

} // namespace kvproof::test
