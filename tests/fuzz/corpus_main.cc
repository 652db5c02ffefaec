// Runs a fuzz target without libFuzzer: every file of the given directories, in name order, then
// mutations of them from a seed. `fuzz_NAME [--seed S] [--mutations N] [DIRECTORY|FILE]...`
// The same arguments give the same inputs. When an input kills the program, or takes longer than
// kMostSeconds, the input is in the file that the last line names.

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
extern "C" void __sanitizer_set_death_callback(void (*callback)());
#endif

namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kMaxMutatedSize = 1 << 16;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr unsigned kMostSeconds = 60;
#else
constexpr unsigned kMostSeconds = 10;
#endif

// What a crash handler needs, made before anything can crash: it must not allocate.
const Bytes* current_input = nullptr;
std::string crash_file;
std::string crash_message;

void KeepInput() {
  if (current_input == nullptr) return;
  const int file = open(crash_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0) {
    std::size_t written = 0;
    while (written < current_input->size()) {
      const ssize_t n =
          write(file, current_input->data() + written, current_input->size() - written);
      if (n <= 0) break;
      written += static_cast<std::size_t>(n);
    }
    close(file);
  }
  if (write(STDERR_FILENO, crash_message.data(), crash_message.size()) < 0) return;
}

void OnSignal(int signal_number) {
  KeepInput();
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

void OnAlarm(int /*signal_number*/) {
  static constexpr char kMessage[] = "An input takes too long.\n";
  if (write(STDERR_FILENO, kMessage, sizeof kMessage - 1) >= 0) std::abort();
}

// Of the processor: others may use it, too. 0: no limit.
void LimitTime(unsigned seconds) {
  itimerval limit{};
  limit.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &limit, nullptr);
}

void Run(const Bytes& input) {
  // A copy of the exact size, so that a read past its end is seen.
  const Bytes exact(input);
  current_input = &exact;
  LimitTime(kMostSeconds);
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
  LimitTime(0);
  current_input = nullptr;
}

Bytes ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

std::vector<Bytes> ReadCorpus(const std::vector<std::string>& arguments) {
  std::vector<std::filesystem::path> files;
  for (const std::string& argument : arguments) {
    if (std::filesystem::is_directory(argument)) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(argument)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
      }
    } else if (std::filesystem::exists(argument)) {
      files.push_back(argument);
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<Bytes> corpus;
  corpus.reserve(files.size());
  for (const auto& file : files) corpus.push_back(ReadFile(file));
  return corpus;
}

class Mutator {
 public:
  Mutator(std::uint64_t seed, const std::vector<Bytes>& corpus) : random_(seed), corpus_(corpus) {}

  Bytes Next() {
    Bytes bytes = corpus_.empty() ? Bytes(Below(64)) : corpus_[Below(corpus_.size())];
    if (corpus_.empty()) {
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(Below(256));
    }
    const std::size_t steps = 1 + Below(4);
    for (std::size_t step = 0; step < steps; ++step) Mutate(bytes);
    if (bytes.size() > kMaxMutatedSize) bytes.resize(kMaxMutatedSize);
    return bytes;
  }

 private:
  // Not a standard distribution: those differ between libraries, a seed must not.
  std::size_t Below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }

  // A range [first, last) of at most `longest` bytes.
  std::pair<std::size_t, std::size_t> Range(const Bytes& bytes, std::size_t longest) {
    const std::size_t first = Below(bytes.size() + 1);
    return {first, first + Below(std::min(longest, bytes.size() - first) + 1)};
  }

  void Mutate(Bytes& bytes) {
    static constexpr char kGrammarBytes[] = "{}[]:,-\"'\n\t 0919eE.+KMGiPnum&*!|>%#\0\xff\x80";
    const auto at = [&bytes](std::size_t offset) {
      return bytes.begin() + static_cast<std::ptrdiff_t>(offset);
    };
    switch (Below(7)) {
      case 0:  // flip a bit
        if (!bytes.empty()) {
          std::uint8_t& byte = bytes[Below(bytes.size())];
          byte = static_cast<std::uint8_t>(byte ^ (1U << Below(8)));
        }
        break;
      case 1:  // replace a byte by one that grammars care about
        if (!bytes.empty()) {
          bytes[Below(bytes.size())] = OneOf(kGrammarBytes, sizeof kGrammarBytes - 1);
        }
        break;
      case 2:  // insert such a byte, once or many times
        bytes.insert(at(Below(bytes.size() + 1)), Below(8) == 0 ? Below(2000) : 1,
                     OneOf(kGrammarBytes, sizeof kGrammarBytes - 1));
        break;
      case 3: {  // drop a range
        const auto [first, last] = Range(bytes, 64);
        bytes.erase(at(first), at(last));
        break;
      }
      case 4: {  // repeat a range elsewhere
        const auto [first, last] = Range(bytes, 256);
        const Bytes copy(at(first), at(last));
        const std::size_t to = Below(bytes.size() + 1);
        bytes.insert(at(to), copy.begin(), copy.end());
        break;
      }
      case 5:  // cut off
        bytes.resize(Below(bytes.size() + 1));
        break;
      case 6: {  // splice in a range of another input
        if (corpus_.empty()) break;
        const Bytes& other = corpus_[Below(corpus_.size())];
        const auto [first, last] = Range(other, 512);
        const std::size_t to = Below(bytes.size() + 1);
        bytes.insert(at(to), other.begin() + static_cast<std::ptrdiff_t>(first),
                     other.begin() + static_cast<std::ptrdiff_t>(last));
        break;
      }
    }
  }

  std::uint8_t OneOf(const char* bytes, std::size_t count) {
    return static_cast<std::uint8_t>(bytes[Below(count)]);
  }

  std::mt19937_64 random_;
  const std::vector<Bytes>& corpus_;
};

}  // namespace

int main(int argc, char** argv) {
  std::uint64_t seed = 1;
  std::uint64_t mutations = 0;
  std::vector<std::string> arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if ((argument == "--seed" || argument == "--mutations") && i + 1 < argc) {
      (argument == "--seed" ? seed : mutations) = std::strtoull(argv[++i], nullptr, 10);
    } else {
      arguments.push_back(argument);
    }
  }

  const std::string name = std::filesystem::path(argv[0]).filename().string();
  crash_file = "crash-" + name;
  crash_message = name + ": seed " + std::to_string(seed) + ": the input is in ./" + crash_file +
                  "; run it again with: " + name + " " + crash_file + "\n";
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  __sanitizer_set_death_callback(KeepInput);
#else
  for (const int signal_number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    std::signal(signal_number, OnSignal);
  }
#endif
  std::signal(SIGABRT, OnSignal);
  std::signal(SIGPROF, OnAlarm);

  const std::vector<Bytes> corpus = ReadCorpus(arguments);
  for (const Bytes& input : corpus) Run(input);
  Mutator mutator(seed, corpus);
  for (std::uint64_t i = 0; i < mutations; ++i) Run(mutator.Next());
  std::printf("%s: %zu files and %llu mutations of seed %llu passed\n", name.c_str(), corpus.size(),
              static_cast<unsigned long long>(mutations), static_cast<unsigned long long>(seed));
  return 0;
}
