#include "tlm/core/runtime/code_loader.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <cstring>

#include "support.h"

namespace tlm::runtime::test {
namespace {

constexpr char kTail[] = R"(
static const TlmModule module = {TLM_KERNEL_ABI, 1, phases};
__attribute__((visibility("default"))) const TlmModule* tlm_module(void) { return &module; }
)";

std::string module_with(const std::string& body) {
  return "static void phase(const TlmKernelArgs* a, int64_t b, int64_t e, void* w);\n"
         "static const TlmPhase phases[1] = {phase};\n" +
         body + kTail;
}
std::string kernel(const std::string& statements) {
  return "static void phase(const TlmKernelArgs* a, int64_t b, int64_t e, void* w) { (void)b; (void)e; (void)w; " + statements +
         " }\n";
}

TEST(CodeLoader, LoadsAndCalls) {
  // Read-only data, zero-initialised data and a table of pointers, so that all kinds of segments and relocations occur.
  const auto image =
      compile_module(module_with("static float table[1000]; static float* volatile pointers[2] = {table, table + 500};\n" +
                                 kernel("float* y = a->buffers[0]; pointers[1][0] += 2; *y = table[500] + 0.25f;")));
  const LoadedCode code(image, "image");
  ASSERT_EQ(code.module().abi, TLM_KERNEL_ABI);
  ASSERT_EQ(code.module().phase_count, 1u);
  float y = 0;
  void* buffers[] = {&y};
  const TlmKernelArgs args{buffers, nullptr, nullptr};
  code.module().phases[0](&args, 0, 1, nullptr);
  EXPECT_EQ(y, 2.25f);
}

TEST(CodeLoader, TwoCopiesAreIndependent) {
  const LoadedCode a(sample_code(), "a"), b(sample_code(), "b");
  EXPECT_NE(&a.module(), &b.module());
}

TEST(CodeLoader, LinkerVariants) {
  for (const std::string flag : {"-Wl,--hash-style=sysv", "-Wl,--hash-style=gnu", "-Wl,--hash-style=both",
                                 "-Wl,-z,noseparate-code", "-Wl,-z,now", "-s", "-Wl,--build-id=none", "-g"}) {
    const LoadedCode code(compile_module(sample_source(), {flag}), flag);
    EXPECT_EQ(code.module().phase_count, 3u) << flag;
  }
}

TEST(CodeLoader, RefusesWhatItCannotGive) {
  struct Case {
    const char* name;
    std::string source;
    std::vector<std::string> flags;
    const char* message;
  };
  const Case cases[] = {
      {"undefined function",
       module_with("float sinf(float);" + kernel("*(float*)a->buffers[0] = sinf(1);")),
       {},
       "PLT relocations"},
      {"undefined function, bound now",
       module_with("float sinf(float);" + kernel("*(float*)a->buffers[0] = sinf(1);")),
       {"-fno-plt"},
       "only relative ones are allowed"},
      {"undefined weak",
       module_with("__attribute__((weak, visibility(\"default\"))) extern int other; "
                   "int* at(void); int* volatile q;" +
                   kernel("q = &other; *(int*)a->buffers[0] = q != 0;")),
       {},
       "only relative ones are allowed"},
      {"library", sample_source(), {"-Wl,--no-as-needed", "-lm"}, "it needs another library"},
      {"thread-local",
       module_with("static __thread int n;" + kernel("*(int*)a->buffers[0] = ++n;")),
       {"-ftls-model=local-dynamic"},
       "thread-local storage"},
      {"initialiser",
       module_with("static int n; __attribute__((constructor)) static void begin(void) { n = 1; }" +
                   kernel("*(int*)a->buffers[0] = n;")),
       {},
       "initialisers"},
      {"no entry", "__attribute__((visibility(\"default\"))) int other(void) { return 1; }", {}, "does not export 'tlm_module'"},
      {"entry is data",
       "__attribute__((visibility(\"default\"))) const int tlm_module[4] = {1};",
       {},
       "'tlm_module' is no function"},
      {"writable code", sample_source(), {"-Wl,-N"}, "a segment is writable and executable"},
      {"object file", sample_source(), {"-c"}, "no shared object"},
  };
  for (const Case& c : cases) {
    const auto image = compile_module(c.source, c.flags);
    const std::string message = error_of([&] { LoadedCode code(image, "image"); });
    EXPECT_NE(message.find(c.message), std::string::npos) << c.name << ": " << message;
  }
}

TEST(CodeLoader, RefusesBadModules) {
  const std::string source = sample_source();
  const auto with = [&](const std::string& old_text, const std::string& new_text) {
    std::string changed = source;
    changed.replace(changed.find(old_text), old_text.size(), new_text);
    return error_of([&] { LoadedCode code(compile_module(changed), "image"); });
  };
  EXPECT_NE(with("{TLM_KERNEL_ABI, 3", "{TLM_KERNEL_ABI + 8, 3").find("kernel ABI 9; this runtime speaks 1"), std::string::npos);
  EXPECT_NE(with("{TLM_KERNEL_ABI, 3", "{TLM_KERNEL_ABI, 1u << 31").find("table of phases is outside"), std::string::npos);
  EXPECT_NE(with("{scale, sum, spread}", "{scale, 0, spread}").find("phase 1 is outside the code"), std::string::npos);
  EXPECT_NE(with("return &module", "return (const TlmModule*)8").find("module table is outside"), std::string::npos);
  EXPECT_NE(with("return &module", "return 0").find("module table is outside"), std::string::npos);
}

TEST(CodeLoader, ParsesImagesOfOtherMachinesButDoesNotLoadThem) {
  const std::string compiler = host_arch() == "x86-64" ? "aarch64-linux-gnu-gcc" : "x86_64-linux-gnu-gcc";
  if (!has_program(compiler)) GTEST_SKIP() << "no " << compiler;
  const auto image = compile_module(sample_source(), {}, compiler);
  EXPECT_NE(parse_elf(image, "image").arch, host_arch());
  EXPECT_FALSE(parse_elf(image, "image").relocations.empty());
  EXPECT_NE(error_of([&] { LoadedCode code(image, "image"); }).find("this machine is " + host_arch()), std::string::npos);
}

// Parsing must stay inside the image and give a verified description or an Error, whatever the bytes. Nothing is executed.
void parse_hostile(const std::vector<std::byte>& image) {
  try {
    const ElfImage elf = parse_elf(image, "image");
    for (const auto& s : elf.segments) {
      ASSERT_LE(s.file_offset + s.file_bytes, image.size());
      ASSERT_LE(s.address + s.bytes, elf.bytes);
      ASSERT_FALSE(s.write && s.execute);
    }
    for (const auto& r : elf.relocations) ASSERT_LE(r.address + 8, elf.bytes);
    ASSERT_LT(elf.entry, elf.bytes);
  } catch (const Error&) {
  }
}

TEST(CodeLoader, EveryDamagedByteIsSafe) {
  for (const char* style : {"-Wl,--hash-style=sysv", "-Wl,--hash-style=gnu"}) {
    const std::vector<std::byte> good = compile_module(sample_source(), {style, "-s"});
    std::vector<std::byte> image = good;
    for (size_t i = 0; i < image.size(); ++i)
      for (const auto value : {std::byte{0xff}, std::byte{0x80}, std::byte{0x01}}) {
        image[i] = good[i] ^ value;
        parse_hostile(image);
        image[i] = good[i];
      }
  }
}

TEST(CodeLoader, EveryTruncationIsAnError) {
  const std::vector<std::byte>& good = sample_code();
  const ElfImage elf = parse_elf(good, "image");
  size_t needed = 0;
  for (const auto& s : elf.segments) needed = std::max<size_t>(needed, s.file_offset + s.file_bytes);
  for (size_t n = 0; n < needed; n += n < 1024 || n + 64 > needed ? 1 : 37) {
    const std::vector<std::byte> image(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_NE(error_of([&] { parse_elf(image, "image"); }), "") << n;
  }
}

TEST(CodeLoader, HostileSizes) {
  const auto with_header = [](size_t offset, uint64_t value) {
    std::vector<std::byte> image = sample_code();
    std::memcpy(image.data() + offset, &value, sizeof value);
    return image;
  };
  const size_t phdr = sizeof(Elf64_Ehdr);
  for (const uint64_t value : {~uint64_t{0}, uint64_t{1} << 63, uint64_t{1} << 40, uint64_t{4096}, ~uint64_t{0} - 4095}) {
    parse_hostile(with_header(offsetof(Elf64_Ehdr, e_phoff), value));
    for (size_t p = 0; p < 8; ++p)
      for (size_t field : {offsetof(Elf64_Phdr, p_offset), offsetof(Elf64_Phdr, p_vaddr), offsetof(Elf64_Phdr, p_filesz),
                           offsetof(Elf64_Phdr, p_memsz)})
        parse_hostile(with_header(phdr + p * sizeof(Elf64_Phdr) + field, value));
  }
  EXPECT_NE(error_of([&] {
              parse_elf(with_header(phdr + offsetof(Elf64_Phdr, p_memsz), uint64_t{1} << 62), "image");
            }).find("too large"),
            std::string::npos);
}

}  // namespace
}  // namespace tlm::runtime::test
