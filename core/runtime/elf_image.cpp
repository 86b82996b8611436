// Reading an ELF image: every offset, size and address is checked before use, so that any bytes are safe.
#include <elf.h>
#include <algorithm>
#include <cstring>
#include <map>

#include "tlm/core/error.h"
#include "tlm/core/runtime/code_loader.h"

namespace tlm::runtime {
namespace {

constexpr uint64_t kMaxImageBytes = uint64_t{1} << 30;
constexpr uint64_t kMaxSegments = 64;
constexpr uint32_t kRelativeX86 = 8, kRelativeAarch64 = 1027;  // R_X86_64_RELATIVE, R_AARCH64_RELATIVE
constexpr std::string_view kEntryName = "tlm_module";

class Parser {
 public:
  Parser(std::span<const std::byte> image, const std::string& where, uint64_t page) : image_(image), where_(where), page_(page) {}

  ElfImage run() {
    const auto header = file_value<Elf64_Ehdr>(0);
    identify(header);
    read_segments(header);
    read_dynamic();
    read_relocations();
    read_symbols();
    return std::move(elf_);
  }

 private:
  void require(bool ok, const std::string& what) const {
    if (!ok) throw Error(ErrorCode::kBadModel, "code section: " + what, where_);
  }

  template <typename T>
  T file_value(uint64_t offset) const {
    require(offset <= image_.size() && sizeof(T) <= image_.size() - offset, "it ends too early");
    T value;
    std::memcpy(&value, image_.data() + offset, sizeof value);
    return value;
  }

  // Offset in the file of `bytes` bytes at `address`, which must lie in one segment's part of the file.
  uint64_t file_offset(uint64_t address, uint64_t bytes, const char* what) const {
    for (const ElfImage::Segment& s : elf_.segments)
      if (address >= s.address && address - s.address <= s.file_bytes && bytes <= s.file_bytes - (address - s.address))
        return s.file_offset + (address - s.address);
    require(false, std::string(what) + " is outside the image");
    return 0;
  }

  template <typename T>
  T value_at(uint64_t address, const char* what) const {
    return file_value<T>(file_offset(address, sizeof(T), what));
  }

  void identify(const Elf64_Ehdr& h) {
    require(std::memcmp(h.e_ident, ELFMAG, SELFMAG) == 0, "no ELF image");
    require(h.e_ident[EI_CLASS] == ELFCLASS64 && h.e_ident[EI_DATA] == ELFDATA2LSB, "no 64-bit little-endian ELF image");
    require(h.e_ident[EI_VERSION] == EV_CURRENT && h.e_version == EV_CURRENT, "unknown ELF version");
    require(h.e_type == ET_DYN, "no shared object");
    require(h.e_machine == EM_X86_64 || h.e_machine == EM_AARCH64, "unknown machine " + std::to_string(h.e_machine));
    elf_.arch = h.e_machine == EM_X86_64 ? "x86-64" : "aarch64";
    require(h.e_phentsize == sizeof(Elf64_Phdr), "program header of " + std::to_string(h.e_phentsize) + " bytes");
    require(h.e_phnum > 0 && h.e_phnum <= kMaxSegments, std::to_string(h.e_phnum) + " program headers");
  }

  void read_segments(const Elf64_Ehdr& h) {
    uint64_t page_end = 0;  // of the segments so far
    for (uint64_t i = 0; i < h.e_phnum; ++i) {
      require(h.e_phoff <= image_.size(), "program headers are outside the image");
      const auto p = file_value<Elf64_Phdr>(h.e_phoff + i * sizeof(Elf64_Phdr));
      require(p.p_type != PT_TLS, "it has thread-local storage");
      require(p.p_type != PT_INTERP, "it wants an interpreter");
      if (p.p_type == PT_DYNAMIC) {
        require(dynamic_bytes_ == 0, "two dynamic sections");
        dynamic_ = p.p_vaddr;
        dynamic_bytes_ = p.p_filesz;
      }
      if (p.p_type != PT_LOAD || p.p_memsz == 0) continue;
      require(p.p_filesz <= p.p_memsz, "a segment's part of the file exceeds the segment");
      require(p.p_offset <= image_.size() && p.p_filesz <= image_.size() - p.p_offset, "a segment is outside the file");
      require(p.p_vaddr <= kMaxImageBytes && p.p_memsz <= kMaxImageBytes - p.p_vaddr, "a segment is too large");
      const bool write = p.p_flags & PF_W, execute = p.p_flags & PF_X;
      require(!(write && execute), "a segment is writable and executable");
      require(p.p_vaddr / page_ * page_ >= page_end, "segments share a memory page or do not ascend");
      page_end = (p.p_vaddr + p.p_memsz + page_ - 1) / page_ * page_;
      elf_.segments.push_back({p.p_offset, p.p_filesz, p.p_vaddr, p.p_memsz, write, execute});
      elf_.bytes = p.p_vaddr + p.p_memsz;
    }
    require(!elf_.segments.empty(), "there is nothing to load");
  }

  void read_dynamic() {
    require(dynamic_bytes_ > 0, "there is no dynamic section");
    const uint64_t offset = file_offset(dynamic_, dynamic_bytes_, "the dynamic section");
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic_bytes_; at += sizeof(Elf64_Dyn)) {
      const auto entry = file_value<Elf64_Dyn>(offset + at);
      if (entry.d_tag == DT_NULL) return;
      require(entry.d_tag != DT_NEEDED, "it needs another library");
      require(entry.d_tag != DT_TEXTREL && !(entry.d_tag == DT_FLAGS && entry.d_un.d_val & DF_TEXTREL), "it relocates code");
      values_[entry.d_tag] = entry.d_un.d_val;
    }
    require(false, "the dynamic section has no end");
  }

  uint64_t dynamic(int64_t tag) const {
    const auto found = values_.find(tag);
    return found == values_.end() ? 0 : found->second;
  }

  void read_relocations() {
    require(!dynamic(DT_INIT) && !dynamic(DT_FINI) && !dynamic(DT_INIT_ARRAYSZ) && !dynamic(DT_FINI_ARRAYSZ) &&
                !dynamic(DT_PREINIT_ARRAYSZ),
            "it has initialisers or finalisers");
    require(!dynamic(DT_RELSZ) && !dynamic(DT_RELRSZ), "its relocations have another form than RELA");
    require(!dynamic(DT_PLTRELSZ), "it calls functions outside (PLT relocations)");
    const uint64_t bytes = dynamic(DT_RELASZ);
    if (bytes == 0) return;
    require(dynamic(DT_RELAENT) == sizeof(Elf64_Rela) && bytes % sizeof(Elf64_Rela) == 0, "size of its relocations is wrong");
    const uint64_t offset = file_offset(dynamic(DT_RELA), bytes, "the relocation table");
    const uint32_t relative = elf_.arch == "x86-64" ? kRelativeX86 : kRelativeAarch64;
    elf_.relocations.reserve(bytes / sizeof(Elf64_Rela));
    for (uint64_t at = 0; at < bytes; at += sizeof(Elf64_Rela)) {
      const auto r = file_value<Elf64_Rela>(offset + at);
      const uint64_t type = ELF64_R_TYPE(r.r_info);
      require(type == relative && ELF64_R_SYM(r.r_info) == 0,
              "relocation of type " + std::to_string(type) + ": only relative ones are allowed, nothing may be undefined");
      const auto addend = static_cast<uint64_t>(r.r_addend);
      require(addend <= elf_.bytes, "a relocation points outside the image");
      require(writable(r.r_offset, sizeof(uint64_t)), "a relocation writes outside the writable segments");
      elf_.relocations.push_back({r.r_offset, addend});
    }
  }

  bool writable(uint64_t address, uint64_t bytes) const {
    return std::any_of(elf_.segments.begin(), elf_.segments.end(), [=](const ElfImage::Segment& s) {
      return s.write && address >= s.address && address - s.address <= s.bytes && bytes <= s.bytes - (address - s.address);
    });
  }

  bool executable(uint64_t address) const {
    return std::any_of(elf_.segments.begin(), elf_.segments.end(), [=](const ElfImage::Segment& s) {
      return s.execute && address >= s.address && address - s.address < s.file_bytes;
    });
  }

  // The dynamic symbol table does not tell its length: the hash tables do.
  uint64_t symbol_count() const {
    if (const uint64_t hash = dynamic(DT_HASH)) return value_at<uint32_t>(hash + 4, "the hash table");  // nchain
    const uint64_t hash = dynamic(DT_GNU_HASH);
    require(hash != 0, "there is no hash table of symbols");
    const uint64_t buckets = value_at<uint32_t>(hash, "the hash table"), first = value_at<uint32_t>(hash + 4, "the hash table");
    const uint64_t filter = value_at<uint32_t>(hash + 8, "the hash table");
    const uint64_t bucket_table = hash + 16 + filter * 8, chains = bucket_table + buckets * 4;
    uint64_t last = 0;
    for (uint64_t b = 0; b < buckets; ++b)
      last = std::max<uint64_t>(last, value_at<uint32_t>(bucket_table + b * 4, "the hash table"));
    if (last < first) return first;
    while (!(value_at<uint32_t>(chains + (last - first) * 4, "the hash table") & 1)) ++last;
    return last + 1;
  }

  std::string symbol_name(uint32_t offset) const {
    const uint64_t table = dynamic(DT_STRTAB), bytes = dynamic(DT_STRSZ);
    require(offset < bytes, "the name of a symbol is outside the string table");
    const uint64_t begin = file_offset(table, bytes, "the string table") + offset;
    const auto* text = reinterpret_cast<const char*>(image_.data() + begin);
    const uint64_t room = bytes - offset, length = strnlen(text, room);
    require(length < room, "the string table has no end");
    return {text, length};
  }

  void read_symbols() {
    const uint64_t table = dynamic(DT_SYMTAB), count = symbol_count();
    require(dynamic(DT_SYMENT) == sizeof(Elf64_Sym), "size of its symbols is wrong");
    file_offset(table, count * sizeof(Elf64_Sym), "the symbol table");
    bool found = false;
    for (uint64_t i = 1; i < count; ++i) {
      const auto symbol = value_at<Elf64_Sym>(table + i * sizeof(Elf64_Sym), "the symbol table");
      const std::string name = symbol_name(symbol.st_name);
      require(symbol.st_shndx != SHN_UNDEF, "undefined symbol '" + name + "'");
      if (name != kEntryName) continue;
      require(ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && executable(symbol.st_value),
              "'tlm_module' is no function in its code");
      elf_.entry = symbol.st_value;
      found = true;
    }
    require(found, "it does not export 'tlm_module'");
  }

  std::span<const std::byte> image_;
  const std::string& where_;
  uint64_t page_;
  ElfImage elf_;
  uint64_t dynamic_ = 0, dynamic_bytes_ = 0;
  std::map<int64_t, uint64_t> values_;  // dynamic section, by tag
};

}  // namespace

ElfImage parse_elf(std::span<const std::byte> image, const std::string& where, uint64_t page) {
  return Parser(image, where, page).run();
}

}  // namespace tlm::runtime
