// The access classes: their names, and that one is within another exactly where its protocols are.
#include "lib/error.hpp"
#include "sim/probe/access_class.hpp"
#include "sim/probe/protocol.hpp"

#include <gtest/gtest.h>

using namespace kvproof;

namespace {

TEST(AccessClass, names_go_there_and_back) {
    for (const char* name :
         {"oblivious", "query-independent", "staged:1", "staged:2", "staged:99", "branching"})
        EXPECT_EQ(to_string(parse_access_class(name)), name);
    for (const char* name : {"", "staged", "staged:", "staged:0", "staged:-1", "staged:100", "staged:1x",
                             "Branching", "staged: 1", "staged:99999999999"}) {
        try {
            (void)parse_access_class(name);
            ADD_FAILURE() << name;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ErrorCode::bad_option);
            EXPECT_NE(std::string(error.what()).find("\"" + std::string(name) + "\""), std::string::npos);
        }
    }
}

std::string listed(int probes) {
    std::string out;
    for (const AccessClass& access : access_classes(probes)) out += to_string(access) + " ";
    return out;
}

TEST(AccessClass, those_that_can_differ) {
    for (const int probes : {0, 1, 2})
        EXPECT_EQ(listed(probes), "oblivious query-independent staged:1 branching ");
    EXPECT_EQ(listed(4), "oblivious query-independent staged:1 staged:2 staged:3 branching ");
}

/// Trees of 0 to 3 batches over three addresses.
const std::vector<ProbeTree> trees = {{3, {-1, -1, -1, -1, -1, -1, -1}},
                                      {3, {0, 1, 1, 2, 2, 2, 2}},
                                      {3, {0, 1, 2, 2, 2, 1, 1}},
                                      {3, {0, 1, 2, 2, 0, 1, 0}}};

/// Whether each of these protocols that is one of `weaker` is one of `stronger`; a reader that may see the
/// query may ignore it.
bool contained(const AccessClass& weaker, const AccessClass& stronger) {
    const Family family{.name = "two", .sources = 2, .queries = 2, .targets = {0, 1, 3, 1}};
    const auto is_one = [&](Protocol protocol, const AccessClass& access) {
        if (access.sees_query && protocol.trees.size() == 1) protocol.trees.push_back(protocol.trees[0]);
        try {
            require_within(protocol, family, access, 3, 3);
            return true;
        } catch (const Error&) {
            return false;
        }
    };
    for (const ProbeTree& one : trees) {
        std::vector<Protocol> protocols = {{3, {0, 7}, {one}}};
        for (const ProbeTree& other : trees) protocols.push_back({3, {0, 7}, {one, other}});
        for (const Protocol& protocol : protocols)
            if (is_one(protocol, weaker) && !is_one(protocol, stronger)) return false;
    }
    return true;
}

TEST(AccessClass, is_within_where_its_protocols_are) {
    for (int batches = 0; batches <= 3; ++batches) EXPECT_EQ(trees[batches].batches(), batches);
    int within = 0;
    const std::vector<AccessClass> classes = access_classes(3);
    for (const AccessClass& weaker : classes)
        for (const AccessClass& stronger : classes) {
            EXPECT_EQ(is_within(weaker, stronger), contained(weaker, stronger))
                << to_string(weaker) << " in " << to_string(stronger);
            within += is_within(weaker, stronger) ? 1 : 0;
        }
    // oblivious 5, query-independent 2, staged:1 3, staged:2 2, branching 1: neither always nor never
    EXPECT_EQ(within, 13);
}

} // namespace
