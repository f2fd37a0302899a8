#include "train/clean_text.h"

#include <array>
#include <cctype>
#include <optional>

#include "train/encoding.h"

namespace bf {
namespace {

struct Named {
  std::string_view name;
  char32_t code;
};

constexpr std::array<Named, 13> named_characters{{{"amp", '&'},
                                                  {"apos", '\''},
                                                  {"gt", '>'},
                                                  {"hellip", 0x2026},
                                                  {"ldquo", 0x201c},
                                                  {"lsquo", 0x2018},
                                                  {"lt", '<'},
                                                  {"mdash", 0x2014},
                                                  {"nbsp", 0xa0},
                                                  {"ndash", 0x2013},
                                                  {"quot", '"'},
                                                  {"rdquo", 0x201d},
                                                  {"rsquo", 0x2019}}};
constexpr Index longest_name = 6;
constexpr Index longest_number = 8;

// Windows-1252 from 0x80 to 0x9f; 0 where it has no character.
constexpr std::array<char32_t, 32> windows_1252{
    0x20ac, 0,      0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017d, 0,      0,      0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,      0x017e, 0x0178};

bool is_alnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool is_punct(char c) { return std::ispunct(static_cast<unsigned char>(c)) != 0; }

std::optional<char32_t> number_in(std::string_view digits, int base) {
  if (digits.empty() || digits.size() > longest_number) return std::nullopt;
  char32_t value = 0;
  for (const char c : digits) {
    const auto byte = static_cast<unsigned char>(c);
    if (base == 16 ? std::isxdigit(byte) == 0 : std::isdigit(byte) == 0) return std::nullopt;
    const int digit = std::isdigit(byte) != 0 ? c - '0' : std::tolower(byte) - 'a' + 10;
    value = value * static_cast<char32_t>(base) + static_cast<char32_t>(digit);
  }
  return value;
}

char32_t from_windows_1252(char32_t code) {
  if (code < 0x80 || code > 0x9f) return code;
  const char32_t character = windows_1252[code - 0x80];
  return character != 0 ? character : U' ';
}

bool is_space_or_control(char32_t code) {
  return code <= 0x20 || (code >= 0x7f && code <= 0xa0) || code == 0x1680 ||
         (code >= 0x2000 && code <= 0x200b) || code == 0x2028 || code == 0x2029 || code == 0x202f ||
         code == 0x205f || code == 0x3000 || code == 0xfeff;
}

class Cleaner {
 public:
  explicit Cleaner(std::string_view text) : text_(text) { out_.reserve(text.size()); }

  std::string run() {
    while (at_ < text_.size()) step();
    if (!out_.empty() && out_.back() == ' ') out_.pop_back();
    return std::move(out_);
  }

 private:
  void step() {
    const char c = text_[at_];
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte == 0x7f) {
      space();
      ++at_;
    } else if (c == '\\') {
      backslash();
    } else if (c == '<' && line_break_tag()) {
      space();
    } else if (c == ';') {
      if (!entity()) out_.push_back(c);
      ++at_;
    } else if (byte >= 0x80) {
      wide();
    } else {
      out_.push_back(c);
      ++at_;
    }
  }

  void space() {
    if (!out_.empty() && out_.back() != ' ') out_.push_back(' ');
  }

  void put(char32_t code) {
    if (is_space_or_control(code)) {
      space();
    } else {
      append_utf8(out_, code);
    }
  }

  /// Copies a sequence of UTF-8, or writes a space for white space and control characters.
  void wide() {
    const unsigned lead = static_cast<unsigned char>(text_[at_]);
    const Index length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    const std::string_view sequence = text_.substr(at_, length);
    at_ += sequence.size();
    const auto tail = [&](Index i) {
      return static_cast<char32_t>(static_cast<unsigned char>(sequence[i]) & 0x3f);
    };
    char32_t code = 0xffff;
    if (length == 2 && sequence.size() == 2)
      code = static_cast<char32_t>(lead & 0x1f) << 6 | tail(1);
    if (length == 3 && sequence.size() == 3) {
      code = static_cast<char32_t>(lead & 0xf) << 12 | tail(1) << 6 | tail(2);
    }
    if (is_space_or_control(code)) {
      space();
    } else {
      out_.append(sequence);
    }
  }

  void backslash() {
    Index end = at_;
    while (end < text_.size() && text_[end] == '\\') ++end;
    const bool alone = end == at_ + 1;
    const char next = end < text_.size() ? text_[end] : ' ';
    at_ = end;
    if (alone && is_punct(next)) return;  // the next step writes the character itself
    if (alone && next == 'u' && escaped_code()) return;
    if (alone && (next == 'n' || next == 'r')) ++at_;
    space();
  }

  /// The four digits at `at`, which stands on a "u".
  std::optional<char32_t> four_digits(Index at) const {
    const std::string_view digits = text_.substr(std::min(at + 1, text_.size()), 4);
    return digits.size() == 4 ? number_in(digits, 16) : std::nullopt;
  }

  bool escaped_code() {
    const auto code = four_digits(at_);
    if (!code) return false;
    at_ += 5;
    char32_t character = *code;
    if (character >= 0xd800 && character <= 0xdbff && text_.substr(at_, 2) == "\\u") {
      const auto low = four_digits(at_ + 1);
      if (low && *low >= 0xdc00 && *low <= 0xdfff) {
        character = 0x10000 + ((character - 0xd800) << 10) + (*low - 0xdc00);
        at_ += 6;
      }
    }
    put(character);
    return true;
  }

  bool line_break_tag() {
    Index i = at_ + 1;
    const auto lower = [&](Index k) {
      return k < text_.size() ? std::tolower(static_cast<unsigned char>(text_[k])) : 0;
    };
    if (lower(i) != 'b' || lower(i + 1) != 'r') return false;
    i += 2;
    while (lower(i) == ' ') ++i;
    if (lower(i) == '/') ++i;
    if (lower(i) != '>') return false;
    at_ = i + 1;
    return true;
  }

  /// At a ";": replaces the "&name", "name", "&#number" or "#number" that `out_` ends with. What a
  /// former call wrote (up to decoded_) is not looked at again, nor does an & from there count.
  bool entity() {
    Index begin = out_.size();
    const Index most = std::max(longest_name, longest_number);
    while (begin > decoded_ && out_.size() - begin < most && is_alnum(out_[begin - 1])) --begin;
    const std::string word = out_.substr(begin);
    const bool number = begin > decoded_ && out_[begin - 1] == '#';
    if (number) --begin;
    const bool ampersand = begin > decoded_ && out_[begin - 1] == '&';
    if (begin == decoded_ && begin > 0 && out_[begin - 1] == '&') return false;
    const auto code = number ? number_entity(word, ampersand) : name_entity(word, begin, ampersand);
    if (!code) return false;
    out_.resize(ampersand ? begin - 1 : begin);
    put(*code);
    decoded_ = out_.size();
    return true;
  }

  static std::optional<char32_t> number_entity(const std::string& word, bool ampersand) {
    const bool hex = ampersand && (word[0] == 'x' || word[0] == 'X');
    const auto code = hex ? number_in(std::string_view(word).substr(1), 16) : number_in(word, 10);
    // "We are #1;" is no character: without the & only the numbers that data sets really hold.
    const bool usual = code && ((*code >= 36 && *code <= 39) || *code == 34 || *code >= 128);
    if (!code || (!ampersand && !usual)) return std::nullopt;
    return from_windows_1252(*code);
  }

  std::optional<char32_t> name_entity(const std::string& word, Index begin, bool ampersand) const {
    const bool word_begins = begin == 0 || (!is_alnum(out_[begin - 1]) &&
                                            static_cast<unsigned char>(out_[begin - 1]) < 0x80);
    if (!ampersand && !word_begins) return std::nullopt;
    for (const Named& entry : named_characters) {
      if (word == entry.name) return entry.code;
    }
    return std::nullopt;
  }

  std::string_view text_;
  Index at_ = 0;
  std::string out_;
  Index decoded_ = 0;
};

}  // namespace

std::string clean_text(std::string_view text) { return Cleaner(text).run(); }

}  // namespace bf
