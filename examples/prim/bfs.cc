// SPDX-License-Identifier: MIT
// BFS: how many steps each node of a graph is away from the first one.  DPUs have a part of the
// nodes each, and look at the neighbours of those that the last step came to (bfs.s); the host
// brings together what they find, step by step.
#include "dpus.h"

#include <fstream>

using Graph = std::vector<std::vector<uint32_t>>; // neighbours of each node
static const uint32_t nowhere = UINT32_MAX;

// PrIM's text: nodes, the same again, how many edges; of each where it begins and ends, from 0 on.
static Graph read(const std::string &path) {
    std::ifstream in(path);
    uint64_t rows = 0, columns = 0, edges = 0, from = 0, to = 0;
    need(in >> rows >> columns >> edges && std::max(rows, columns) < nowhere, path + ": no graph");
    Graph g(std::max(rows, columns));
    for (uint64_t i = 0; i < edges; i++) {
        need(in >> from >> to && from < g.size() && to < g.size(),
             path + ": edge " + std::to_string(i + 1) + " is none of the graph");
        g[from].push_back(static_cast<uint32_t>(to));
    }
    return g;
}

static Graph random_graph(uint32_t nodes, uint32_t edges, uint32_t seed) {
    Graph g(nodes);
    Random random(seed);
    for (uint32_t i = 0; nodes && i < edges; i++) {
        uint32_t a = random() % nodes, b = random() % nodes;
        g[a].push_back(b);
        g[b].push_back(a);
    }
    return g;
}

static std::vector<uint32_t> host_levels(const Graph &g) {
    std::vector<uint32_t> level(g.size(), nowhere), queue;
    if (!g.empty()) {
        level[0] = 0;
        queue.push_back(0);
    }
    for (size_t i = 0; i < queue.size(); i++)
        for (uint32_t to : g[queue[i]])
            if (level[to] == nowhere) {
                level[to] = level[queue[i]] + 1;
                queue.push_back(to);
            }
    return level;
}

// Each DPU's nodes: where their neighbours begin, and these, one behind the other.
static void load(Dpus &dpus, const Graph &g, const Shares &shares) {
    const size_t pointers = shares.most + 2;
    std::vector<std::vector<uint32_t>> parts(dpus.count);
    std::vector<uint32_t> begins(dpus.count * pointers), firsts, all;
    size_t most = 0;
    for (uint32_t d = 0; d < dpus.count; d++) {
        firsts.push_back(d * shares.most);
        for (size_t k = 0; k < shares.each[d]; k++) {
            const std::vector<uint32_t> &to = g[firsts[d] + k];
            parts[d].insert(parts[d].end(), to.begin(), to.end());
            begins[d * pointers + k + 1] = static_cast<uint32_t>(parts[d].size());
        }
        most = std::max(most, (parts[d].size() + 1) / 2 * 2);
    }
    need(pointers + most <= 16000000, "edges: a DPU's nodes have more than MRAM has room for");
    for (std::vector<uint32_t> &part : parts) {
        part.resize(most);
        all.insert(all.end(), part.begin(), part.end());
    }
    dpus.put("", begins, pointers);
    dpus.put("", all, most, static_cast<uint32_t>(4 * pointers));
    dpus.broadcast("neighbours", std::vector<uint32_t>{static_cast<uint32_t>(4 * pointers)});
    dpus.put("first", firsts, 1);
    dpus.put("nodes", shares.each, 1);
}

static std::vector<uint32_t> levels(Dpus &dpus, size_t nodes) {
    std::vector<uint32_t> level(nodes, nowhere), visited(nodes / 32), frontier(nodes / 32);
    dpus.broadcast("bytes", std::vector<uint32_t>{static_cast<uint32_t>(nodes / 8)});
    bool more = nodes != 0;
    if (more)
        frontier[0] = 1;
    for (uint32_t step = 0; more; step++) {
        for (size_t i = 0; i < nodes; i++)
            if (frontier[i / 32] >> i % 32 & 1)
                level[i] = step;
        for (size_t k = 0; k < visited.size(); k++)
            visited[k] |= frontier[k];
        dpus.broadcast("frontier", frontier);
        dpus.broadcast("visited", visited);
        dpus.launch();
        std::vector<uint32_t> next = dpus.get<uint32_t>("next", visited.size());
        more = false;
        std::fill(frontier.begin(), frontier.end(), 0);
        for (size_t k = 0; k < next.size(); k++) {
            frontier[k % visited.size()] |= next[k];
            more |= next[k] != 0;
        }
    }
    return level;
}

static bool run(int argc, char **argv) {
    std::string program = program_of(argc, argv);
    Sizes sizes(argc - 1, argv + 1, {{"nodes", 5000}, {"edges", 12000}, {"seed", 1}, {"file", 0}});
    Graph g = sizes.file.empty() ? random_graph(sizes["nodes"], sizes["edges"], sizes["seed"])
                                 : read(sizes.file);
    const size_t nodes = g.size();
    std::vector<uint32_t> want = host_levels(g);

    Dpus dpus(program);
    need(nodes <= dpus.number("most_nodes"),
         "nodes: " + std::to_string(dpus.number("most_nodes")) + " at most with this program");
    g.resize((nodes + 63) / 64 * 64);
    load(dpus, g, Shares(g.size(), dpus.count, 64));
    std::vector<uint32_t> got = levels(dpus, g.size());
    dpus.print_times();

    got.resize(nodes);
    return same("BFS", got, want);
}
PRIM(run)
