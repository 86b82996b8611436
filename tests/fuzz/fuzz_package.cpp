// Anything as a package, as a manifest or as a code section: an Error or a verified result, and nothing is executed.
#include <vector>

#include "../runtime/repair.h"
#include "tlm/core/error.h"
#include "tlm/core/runtime/code_loader.h"
#include "tlm/core/runtime/package_format.h"

namespace rt = tlm::runtime;

namespace {

template <typename F>
void ignore_errors(F&& f) {
  try {
    f();
  } catch (const tlm::InternalError&) {
    throw;  // a bug
  } catch (const tlm::Error&) {
  }
}

void read_package(const std::vector<std::byte>& image) {
  const rt::PackageFile file = rt::parse_package(image, "fuzz");
  for (size_t i = 0; i < file.sections.size(); ++i) {
    rt::verify_section(file, static_cast<int>(i), "fuzz");
    if (file.sections[i].kind == static_cast<uint32_t>(rt::SectionKind::kCode))
      ignore_errors([&] { rt::parse_elf(file.section(static_cast<int>(i)), "fuzz"); });
  }
  const rt::Manifest manifest = rt::read_manifest(file, "fuzz");
  rt::parse_manifest(rt::manifest_json(manifest));  // what was read can be written and read again
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> image(bytes, bytes + size);
  if (size > 0 && data[0] == '{') {
    const std::vector<rt::SectionEntry> sections = {{1, 0, 4096, 100, 0}, {2, 0, 8192, 4096, 0}, {3, 0, 16384, 4096, 0}};
    ignore_errors([&] {
      rt::verify_manifest(rt::parse_manifest({reinterpret_cast<const char*>(data), size}), sections, "fuzz");
    });
  } else if (size > 4 && data[0] == 0x7f && data[1] == 'E') {
    ignore_errors([&] { rt::parse_elf(image, "fuzz"); });
  } else {
    ignore_errors([&] { read_package(image); });
    rt::test::repair_checksums(image);
    ignore_errors([&] { read_package(image); });
  }
  return 0;
}
