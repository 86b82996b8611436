// The sentences that the guides show are those that are written today (`tlm inspect --sentence` prints them).
#include <gtest/gtest.h>

#include "tlm/core/file.h"
#include "tlm/ir/partition.h"
#include "tlm/ir/passes/pass_list.h"
#include "tlm/space/language/sentence.h"
#include "tlm/tools/zoo/zoo.h"

namespace tlm::space {
namespace {

// Sentence and schedule of the network's first subgraph, by the constructive scheduler for AVX2.
Walk first_walk(const std::string& network) {
  ir::Graph g = tools::make_zoo(network);
  ir::run_graph_passes(g);
  const Walk walk = Space::build(ir::partition(g).steps.at(0).subgraph, named_target("x86-64-v3"))->constructive();
  return walk;
}

TEST(Guide, ShowsWhatIsWritten) {
  const Walk walk = first_walk("tiny_cnn");
  const std::string guide = read_file(std::string(TLM_SOURCE_DIR) + "/docs/language.md");
  for (const std::string& text : {sentence_text(walk), print(walk.schedule())})
    EXPECT_NE(guide.find("\n" + text + "\n"), std::string::npos) << "docs/language.md should show\n" << text;
  const std::string readme = read_file(std::string(TLM_SOURCE_DIR) + "/space/language/README.md");
  const std::string text = sentence_text(first_walk("tiny_mlp"));
  EXPECT_NE(readme.find("\n" + text + "\n"), std::string::npos) << "space/language/README.md should show\n" << text;
}

}  // namespace
}  // namespace tlm::space
