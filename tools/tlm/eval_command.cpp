#include "tlm/core/error.h"
#include "tlm/tools/tlm/arguments.h"
#include "tlm/tools/tlm/command.h"
#include "tlm/tools/tlm/eval_options.h"

namespace tlm::tools {

void add_eval_command(CLI::App& app, CommandContext& context) {
  auto o = std::make_shared<EvalOptions>();
  CLI::App* command = app.add_subcommand("eval", "How good are the schedules of models and rivals, beside a long search?");
  command->add_flag("--race", o->race, "Measure what models, rivals and the reference choose, side by side; make the table");
  command->add_flag("--reference", o->reference,
                    "Search each workload of the list by itself, from nothing: what others are compared with");
  add_text(*command, "--split", o->split, "NAME", "test or dev: the list DATA/NAME_workloads.jsonl (default: test)")
      ->check(CLI::IsMember({"test", "dev"}));
  add_text(*command, "--data", o->data, "FOLDER", "Folder of lists and reference (default: lm/data)");
  add_text(*command, "--workloads", o->workloads, "FILE.jsonl", "Another list of workloads");
  add_text(*command, "--variant", o->variant, "NAME",
           "On this variant of the machine, as `tlm collect` names them, whatever cores the list says (default: the machine as "
           "it is)");
  add_texts(*command, "--only", o->only, "NAME", "This workload of the list alone; may be repeated");
  add_text(*command, "-o,--output", o->out, "PATH", "--reference: a file of JSON lines; --race: a folder")->required();
  add_number(*command, "--time", o->seconds, "SECONDS", "End cleanly after so long; the same command goes on", 1, 1 << 30);
  add_number(*command, "--seed", o->seed, "S", "Of the search, and of contenders that draw (default: 0)");
  add_number(*command, "--rounds", o->rounds, "N", "Rounds of a race, and of the confirmation of a search (default: 15)", 7,
             1000);
  add_number(*command, "--jobs", o->jobs, "J", "Compile workers (default: all cores)", 1, kMaxJobs);
  add_text(*command, "--cc", o->c_compiler, "PROGRAM", "C compiler (default: cc, gcc or clang)");

  add_text(*command, "--records", o->records, "FILE",
           "--reference: record file of the search (SQLite, its own); an interrupted search goes on from it");
  add_number(*command, "--trials", o->trials, "N", "--reference: schedules measured for each workload (default: 1000)", 1,
             1 << 20);

  add_texts(*command, "--model", o->models, "NAME=FOLDER",
            "--race: a model; may be repeated; none: rivals alone (default: lm=lm/pretrained)");
  add_texts(*command, "--decode", o->decode, "STRATEGY",
            "--race: how models write with nothing measured; may be repeated (default: greedy)");
  add_texts(*command, "--decode-k", o->decode_k, "STRATEGY", "--race: … with K measured; may be repeated (default: gumbel)");
  add_number(*command, "--k", o->k, "K", "--race: programs that contenders may measure; 1: none (default: 10)", 1, 1000);
  command->add_flag("--blind-target", o->blind_target, "--race: each model once more that reads nothing of the hardware");
  add_texts(
      *command, "--training", o->training, "FILE",
      "--race: records that rivals learn from, in any form; may be repeated; none: no rivals that learn (default: DATA/*.xz)");
  command->add_flag("--no-rivals", o->no_rivals, "--race: models and reference alone");
  add_text(
      *command, "--against", o->against, "FILE.jsonl",
      "--race: the reference (default: DATA/reference.jsonl for the test list, if there is one); none: the fastest of the race");
  add_text(*command, "--best-of", o->best_of, "FILE", "--race: the reference is the best of this record file");
  command->footer(R"(
Examples:
  tlm eval --race -o race                                   the table of the default weights, beside the reference
  tlm eval --race --training net.db -o race                 rivals learn from other records
  tlm eval --race --split dev --k 1 --no-rivals --model a/1=run1 --model a/2=run2 --model b/1=run3 -o dev
  tlm eval --reference --records reference.db -o lm/data/reference.jsonl)");
  command->callback([o, &context] {
    context.run = [o, &context] {
      if (o->reference == o->race) throw Error(ErrorCode::kUsage, "give either --reference or --race", "eval");
      return o->reference ? make_reference(*o, context) : race(*o, context);
    };
  });
}

}  // namespace tlm::tools
