// Drawings: names of points keep clear of each other, text from results is never run, and what gnuplot draws
// can stand in a page.
#include "app/report/gnuplot.hpp"
#include "app/report/label_layout.hpp"
#include "lib/error.hpp"
#include "tests/folder.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

using namespace kvproof;
using namespace kvproof::report;
using kvproof::testing_support::Folder;

namespace {

const LabelArea area{{0, 0, 700, 500}, 7, 14};

std::size_t overlaps(const std::vector<LabelledPoint>& points, const std::vector<PlacedLabel>& placed) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < placed.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (box_of(placed[i], points[i].name, area).meets(box_of(placed[j], points[j].name, area)))
                ++count;
    return count;
}

RC_GTEST_PROP(Labels, two_dozen_names_in_a_crowd_do_not_overlap, ()) {
    std::vector<LabelledPoint> points;
    for (int i = 0; i < 24; ++i) {
        const auto coordinate = [](double least, double most) {
            return least + (most - least) * *rc::gen::inRange(0, 1001) / 1000.0;
        };
        const bool crowd = *rc::gen::inRange(0, 3) == 0;
        points.push_back({coordinate(150, crowd ? 220 : 550), coordinate(100, crowd ? 160 : 400),
                          "system:" + std::to_string(i)});
    }
    const auto placed = place_labels(points, area, {});
    RC_ASSERT(placed.size() == points.size());
    RC_ASSERT(overlaps(points, placed) == 0U);
    for (std::size_t i = 0; i < placed.size(); ++i) {
        const LabelBox box = box_of(placed[i], points[i].name, area);
        RC_ASSERT((box.left >= 0 && box.right <= 700 && box.top >= 0 && box.bottom <= 500));
    }
}

// What the property counts is there to be counted: names beside points that lie together overlap.
TEST(Labels, mutant_that_never_moves_overlaps) {
    const std::vector<LabelledPoint> points = {{300, 200, "one system"}, {304, 202, "another one"}};
    EXPECT_EQ(overlaps(points, {{308, 200}, {312, 202}}), 1U);
    EXPECT_EQ(overlaps(points, place_labels(points, area, {})), 0U);
}

TEST(Labels, keep_clear_of_boxes) {
    const std::vector<LabelledPoint> points = {{300, 200, "name"}};
    const LabelBox line{300, 198, 700, 202}; // to the right, where the name would go
    const auto placed = place_labels(points, area, {line});
    EXPECT_FALSE(box_of(placed[0], "name", area).meets(line));
}

Figure figure(const std::string& id, const std::string& text) {
    Figure out;
    out.id = id;
    out.title = "a <title> & \"more\"";
    out.alternative = "what is seen";
    out.script = "set label 1 " + quoted(text) + " at 1,1 noenhanced\nplot [0:3] x title " + quoted(text);
    return out;
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t out = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++out;
    return out;
}

TEST(Gnuplot, text_from_results_is_never_run) {
    const Folder folder;
    const std::string bait = folder / "bait";
    const std::vector<std::string> texts = {"`touch " + bait + "`",
                                            "'; system('touch " + bait + "'); x='",
                                            "\"; !touch " + bait,
                                            "a'\n!touch " + bait + "\n'",
                                            "@bait",
                                            std::string("\\\n"),
                                            std::string("^{_{}") + '\x01',
                                            "$(touch " + bait + ")",
                                            std::string("%s%n")};
    for (const std::string& text : texts) {
        std::vector<Figure> figures = {figure("hostile", text)};
        ASSERT_NO_THROW(draw(figures)) << text;
        EXPECT_FALSE(std::filesystem::exists(bait)) << text;
        EXPECT_EQ(figures[0].svg.find("<script"), std::string::npos);
    }
    std::vector<Figure> figures = {figure("markup", "</text><script>alert(1)</script>")};
    draw(figures);
    EXPECT_EQ(figures[0].svg.find("<script"), std::string::npos) << figures[0].svg;
}

TEST(Gnuplot, the_same_figure_has_the_same_bytes_and_ids_of_its_own) {
    std::vector<Figure> figures = {figure("first", "text"), figure("second", "text"),
                                   figure("first", "text")};
    draw(figures);
    EXPECT_EQ(figures[0].svg, figures[2].svg);
    EXPECT_EQ(figures[0].svg.find("id='gp"), std::string::npos);
    EXPECT_EQ(figures[0].svg.find("href='#gp"), std::string::npos);
    EXPECT_GT(count(figures[1].svg, "second-"), 10U);
    EXPECT_EQ(count(figures[1].svg, "first-"), 0U);
    EXPECT_EQ(figures[0].svg.find("GNUPLOT"), std::string::npos); // nor the version that drew it
    EXPECT_NE(figures[0].svg.find("<title id=\"first-title\">a &lt;title&gt; &amp; &quot;more&quot;</title>"),
              std::string::npos);
    EXPECT_EQ(count(figures[0].svg, "black"), 0U);
}

TEST(Gnuplot, what_it_refuses_is_an_error_of_ours) {
    std::vector<Figure> figures = {figure("broken", "text")};
    figures[0].script = "plot nonsense(";
    try {
        draw(figures);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_file_format);
        EXPECT_NE(std::string(error.what()).find("broken"), std::string::npos) << error.what();
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
}

TEST(Gnuplot, numbers_are_read_as_written) {
    EXPECT_EQ(number(0.1), "0.1");
    EXPECT_EQ(number(std::nan("")), "NaN");
    EXPECT_EQ(number(std::numeric_limits<double>::infinity()), "NaN");
    EXPECT_EQ(quoted("it's"), "'it\xE2\x80\x99s'");
    EXPECT_EQ(data_block("d", {{1, 2.5}, {-1e-30}}), "$d << END\n1 2.5\n-1e-30\nEND\n");
}

} // namespace
