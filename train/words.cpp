#include "train/words.h"

#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>

#include "tensor/require.h"
#include "train/shuffle.h"

namespace bf {
namespace {

/// More marks on one character than any language writes; of the rest ICU would take quadratic time.
constexpr int most_marks = 30;

enum class Role : unsigned char { space, word, mark };

constexpr Role ascii_role(unsigned char c) {
  const bool digit = c >= '0' && c <= '9';
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  if (digit || letter) return Role::word;
  return c <= ' ' || c == 0x7f ? Role::space : Role::mark;
}

constexpr std::array<Role, 128> ascii_roles = [] {
  std::array<Role, 128> roles{};
  for (unsigned char c = 0; c < 128; ++c) roles[c] = ascii_role(c);
  return roles;
}();

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

Role wide_role(UChar32 code) {
  if (code < 0) return Role::mark;
  const auto types = U_GET_GC_MASK(code);
  if ((types & (U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK)) != 0) {
    // Chinese and Japanese do not part words by spaces.
    return u_hasBinaryProperty(code, UCHAR_IDEOGRAPHIC) ? Role::mark : Role::word;
  }
  return (types & (U_GC_Z_MASK | U_GC_C_MASK)) != 0 ? Role::space : Role::mark;
}

struct Character {
  Role role;
  Index length;  // bytes
};

Character character_at(std::string_view text, Index at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) return {ascii_roles[byte], 1};
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text.data());
  const auto size = static_cast<std::int64_t>(text.size());
  auto next = static_cast<std::int64_t>(at);
  UChar32 code = 0;
  U8_NEXT(bytes, next, size, code);
  return {wide_role(code), static_cast<Index>(next) - at};
}

Index word_end(std::string_view text, Index at) {
  while (at < text.size()) {
    const Character c = character_at(text, at);
    if (c.role != Role::word) break;
    at += c.length;
  }
  return at;
}

/// Bytes of the English ending at the apostrophe `at`, with it; 0 if there is none.
Index ending_length(std::string_view text, Index at) {
  static constexpr std::array<std::string_view, 7> endings{"s", "t", "d", "m", "re", "ve", "ll"};
  const std::string_view word = text.substr(at + 1, word_end(text, at + 1) - at - 1);
  return std::find(endings.begin(), endings.end(), word) == endings.end() ? 0 : word.size() + 1;
}

/// Leaves out marks beyond most_marks in a row.
icu::UnicodeString with_few_marks(const icu::UnicodeString& text) {
  icu::UnicodeString result;
  int marks = 0;
  for (std::int32_t at = 0; at < text.length();) {
    const UChar32 code = text.char32At(at);
    at = text.moveIndex32(at, 1);
    marks = u_getCombiningClass(code) == 0 ? 0 : marks + 1;
    if (marks <= most_marks) result.append(code);
  }
  return result;
}

}  // namespace

std::string fold_text(std::string_view text) {
  std::string folded(text);
  if (is_ascii(text)) {
    for (char& c : folded) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return folded;
  }
  UErrorCode error = U_ZERO_ERROR;
  const icu::Normalizer2* nfc = icu::Normalizer2::getNFCInstance(error);
  const auto size = static_cast<std::int32_t>(text.size());
  icu::UnicodeString wide = icu::UnicodeString::fromUTF8({text.data(), size});
  // Folding may take a composed character apart again, hence the second normalisation.
  wide = nfc->normalize(with_few_marks(wide), error);
  wide = nfc->normalize(wide.foldCase(), error);
  require_state(U_SUCCESS(error) != 0, "fold_text: ICU failed: ", u_errorName(error));
  wide.findAndReplace(icu::UnicodeString(UChar32{0x2019}), icu::UnicodeString(UChar32{'\''}));
  folded.clear();
  wide.toUTF8String(folded);
  return folded;
}

std::vector<std::string_view> split_words(std::string_view folded, std::size_t limit) {
  std::vector<std::string_view> words;
  Index at = 0;
  while (at < folded.size() && words.size() < limit) {
    const Character c = character_at(folded, at);
    Index end = at + c.length;
    if (c.role == Role::word) end = word_end(folded, end);
    if (folded[at] == '\'') end = std::max(end, at + ending_length(folded, at));
    if (c.role != Role::space) words.push_back(folded.substr(at, end - at));
    at = end;
  }
  return words;
}

}  // namespace bf
