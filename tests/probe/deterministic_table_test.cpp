#include "sim/probe/risk_table.hpp"

#include <gtest/gtest.h>

using namespace kvproof;

namespace {

TEST(RiskTable, holds_each_cell_s_own_risk_and_protocol) {
    for (const char* name : {"pointer:2", "grid:2,3", "sparse:3,2"}) {
        const Family family = make_family(name);
        const RiskSettings solver{.engine = RiskEngine::sat};
        const std::vector<RiskCell> cells = risk_table(family, 3, 3, solver);
        std::size_t k = 0;
        for (int w = 0; w <= 3; ++w)
            for (int r = 0; r <= 3; ++r) {
                std::vector<std::string> names = {"oblivious", "query-independent"};
                for (int j = 1; j <= r + 1; ++j) names.push_back("staged:" + std::to_string(j));
                names.emplace_back("branching");
                for (const std::string& access : names) {
                    ASSERT_LT(k, cells.size());
                    const RiskCell& cell = cells[k++];
                    EXPECT_EQ(cell.bits, w);
                    EXPECT_EQ(cell.probes, r);
                    EXPECT_EQ(to_string(cell.access), access);
                    EXPECT_EQ(cell.risk.upper, deterministic_risk(family, cell.access, w, r, solver).upper);
                    EXPECT_TRUE(cell.risk.decided());
                    require_within(cell.risk.protocol, family, cell.access, w, r);
                    EXPECT_EQ(worst_loss(cell.risk.protocol, family), cell.risk.upper);
                }
            }
        EXPECT_EQ(k, cells.size());
    }
}

} // namespace
