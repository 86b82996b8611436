// Parameters of a strategy as text: "temperature=0.8,top-p=0.95,n=10".
#pragma once

#include <map>
#include <set>
#include <string>

namespace tlm::lm {

// Each parameter is asked for once, with its default and range; those that nobody asked for are an error in the end.
// All functions throw Error(kUsage) that names parameter and range.
class Parameters {
 public:
  // `sentences`: how many sentences are wanted, unless the text says it; 0: the strategy's default.
  explicit Parameters(const std::string& text, int sentences = 0);

  double number(const std::string& name, double otherwise, double low, double high);
  int whole(const std::string& name, int otherwise, int low, int high);
  int sentences(const std::string& name, int otherwise);  // a whole number that says how many sentences are made
  std::string text(const std::string& name, const std::string& otherwise);
  // Those that were not asked for, to be asked by another strategy.
  Parameters take_rest();
  void check_all_known() const;

 private:
  Parameters() = default;
  const std::string* find(const std::string& name);
  std::map<std::string, std::string> values_;
  std::set<std::string> known_;
  int sentences_ = 0;
};

}  // namespace tlm::lm
