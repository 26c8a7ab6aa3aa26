// kvproof report: one page, HTML and Markdown, from the results of the other commands.

#include "app/report/gnuplot.hpp"
#include "app/report/page.hpp"
#include "app/verb.hpp"
#include "lib/error.hpp"
#include "lib/record/file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>

namespace kvproof::app {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
    CommonOptions common;
    std::vector<std::string> results;
    std::string html = "report.html";
    std::string markdown;
    std::string plots;
    bool no_plots = false;
};

/// Drawings as files of their own, for the Markdown page.
void write_plots(const std::string& folder, const std::vector<report::Chapter>& chapters) {
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed) throw Error(ErrorCode::file_not_writable, folder + ": " + failed.message());
    for (const report::Chapter& chapter : chapters)
        for (const report::Figure& figure : chapter.figures)
            if (!figure.svg.empty())
                write_file_atomically(fs::path(folder) / (figure.id + ".svg"), figure.svg + "\n");
}

/// A page never takes the place of what it is made from, nor of the other page.
void require_other_files(const ReportOptions& options) {
    const auto refuse = [](const char* option, const std::string& path, const std::string& what) {
        throw Error(ErrorCode::bad_option,
                    std::string(option) + ": found " + path + ", " + what + "; expected another file");
    };
    const auto same = [](const std::string& a, const std::string& b) {
        std::error_code failed;
        return fs::equivalent(a, b, failed) ||
               fs::absolute(a).lexically_normal() == fs::absolute(b).lexically_normal();
    };
    for (const std::string& result : options.results) {
        if (same(options.html, result)) refuse("--out", options.html, "which is read");
        if (!options.markdown.empty() && same(options.markdown, result))
            refuse("--markdown", options.markdown, "which is read");
    }
    if (!options.markdown.empty() && same(options.markdown, options.html))
        refuse("--markdown", options.markdown, "which is the HTML page");
}

std::string json(const ReportOptions& options, const report::Results& results) {
    nlohmann::ordered_json sources = nlohmann::ordered_json::array();
    for (const report::Source& source : results.sources)
        sources.push_back({{"file", source.name}, {"kind", source.kind}, {"sha256", source.sha256}});
    const auto written = [](const std::string& path) {
        return path.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(path);
    };
    return nlohmann::ordered_json{{"format", 1},
                                  {"html", options.html},
                                  {"markdown", written(options.markdown)},
                                  {"plots", written(options.plots)},
                                  {"sources", std::move(sources)}}
               .dump(2) +
           "\n";
}

int make_report(const ReportOptions& options) {
    if (options.no_plots && !options.plots.empty())
        throw Error(ErrorCode::bad_option, "--plots: found --no-plots beside it, expected one of the two");
    require_other_files(options);
    const report::Results results = report::read_results(options.results);
    std::vector<report::Chapter> chapters = report::chapters_of(results);
    if (!options.no_plots)
        for (report::Chapter& chapter : chapters) report::draw(chapter.figures);
    const fs::path markdown_folder =
        fs::absolute(options.markdown.empty() ? "." : options.markdown).parent_path();
    report::PageOptions page;
    page.html_folder = fs::absolute(options.html).parent_path().string();
    if (!options.plots.empty())
        page.plots_folder = fs::absolute(options.plots)
                                .lexically_normal()
                                .lexically_relative(markdown_folder)
                                .generic_string();
    const std::string html = report::html_page(results, chapters, page);
    const std::string markdown =
        options.markdown.empty() ? "" : report::markdown_page(results, chapters, page);
    if (!options.plots.empty()) write_plots(options.plots, chapters);
    if (!options.markdown.empty()) write_file_atomically(options.markdown, markdown);
    write_file_atomically(options.html, html);
    if (options.common.format == "json")
        print(json(options, results));
    else
        print(options.html + "\n" + (options.markdown.empty() ? "" : options.markdown + "\n"));
    return 0;
}

} // namespace

void add_report(CLI::App& app, Status& status) {
    const auto options = std::make_shared<ReportOptions>();
    CLI::App* verb = app.add_subcommand("report", "Make one page, HTML and Markdown, from results");
    verb->add_option("RESULT", options->results,
                     "Files that other commands wrote with --format json, and rows of certify; each is "
                     "recognised by what "
                     "it holds")
        ->required();
    verb->add_option("--out", options->html, "The HTML file: it needs nothing beside it")
        ->capture_default_str();
    verb->add_option("--markdown", options->markdown, "Also write the same content as Markdown to this file");
    verb->add_option("--plots", options->plots,
                     "Also write the plots as SVG files to this folder; the Markdown links to them");
    verb->add_flag("--no-plots", options->no_plots, "Tables only: gnuplot is not needed");
    add_common_options(*verb, options->common, {"text", "json"});
    verb->footer("Read are the results of verify, check, table lloyd, table separation, probe, certify, "
                 "compare, montecarlo and\n"
                 "account; docs/report.md says what the page shows of each. Plots are drawn by gnuplot. "
                 "Printed on stdout: the\n"
                 "paths of what was written.\n"
                 "Example, after `kvproof verify` and `kvproof table lloyd --format json > lloyd.json`:\n"
                 "  kvproof report out/results.json lloyd.json --out report.html --markdown report.md\n"
                 "`./run report` makes the results anew and then the report.");
    verb->callback([options, &status] { status = make_report(*options); });
}

} // namespace kvproof::app
