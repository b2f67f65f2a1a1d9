// Peers in C++, which measure one turn per request (see PeerConverter.swift).
//
//     native simdjson        parse, then minify the parsed document
//     native textual         parse, then minify the text: the maximum speed of checking and copying with simdjson
//     native minify FILE     writes the minified file; numbers and strings do not change
//
// simdjson's parser and the output buffer are reused for all documents.
#include <simdjson.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using Documents = std::vector<simdjson::padded_string>;

/// Returns the processor time in seconds.
static double processor_time() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

static Documents load(const std::string &path, bool each) {
    const simdjson::padded_string content = simdjson::padded_string::load(path);
    Documents documents;
    if (!each) {
        documents.emplace_back(content.data(), content.size());
        return documents;
    }
    std::istringstream lines{std::string(content.data(), content.size())};
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty()) documents.emplace_back(line);
    }
    return documents;
}

/// Processes all documents once. Returns false if one is rejected.
static bool run(const Documents &documents, simdjson::dom::parser &parser, bool textual, std::string &room) {
    for (const auto &document : documents) {
        simdjson::dom::element element;
        if (parser.parse(document).get(element)) return false;
        if (textual) {
            size_t written = 0;
            if (simdjson::minify(document.data(), document.size(), room.data(), written)) return false;
        } else {
            const std::string text = simdjson::minify(element);
            if (text.empty()) return false;
        }
    }
    return true;
}

int main(int count, char **arguments) {
    const std::string mode = count > 1 ? arguments[1] : "";
    if (mode == "minify" && count > 2) {
        const simdjson::padded_string content = simdjson::padded_string::load(std::string(arguments[2]));
        std::string room(content.size() + simdjson::SIMDJSON_PADDING, '\0');
        size_t written = 0;
        if (simdjson::minify(content.data(), content.size(), room.data(), written)) return 1;
        return fwrite(room.data(), 1, written, stdout) == written ? 0 : 1;
    }

    simdjson::dom::parser parser;
    std::map<std::string, Documents> files;
    std::string room;
    for (std::string question; std::getline(std::cin, question);) {
        std::istringstream words(question);
        std::string unit, path;
        double seconds = 0;
        words >> unit >> seconds >> std::ws;
        std::getline(words, path);
        if (files.count(path) == 0) files[path] = load(path, unit == "each");
        const Documents &documents = files[path];
        for (const auto &document : documents) {
            room.resize(std::max(room.size(), document.size() + simdjson::SIMDJSON_PADDING));
        }

        const bool textual = mode == "textual";
        if (!run(documents, parser, textual, room)) {
            std::cout << "-" << std::endl;
            continue;
        }
        std::vector<double> passes;
        for (double spent = 0; spent < seconds;) {
            const double start = processor_time();
            run(documents, parser, textual, room);
            passes.push_back(processor_time() - start);
            spent += passes.back();
        }
        std::sort(passes.begin(), passes.end());
        std::cout << passes.front() << " " << passes[passes.size() / 2] << std::endl;
    }
    return 0;
}
