#pragma once

#include <string>
#include <string_view>

namespace bf {

/// Text as the tokenizers expect it: what public data sets leave behind of HTML and escapes is
/// undone. All readers use this one function; so must whoever feeds a trained model. One pass from
/// left to right, nothing is decoded twice:
///
///   <br>, <br/>, <br />                  a space
///   &lt; &amp; &#39; &#x27; ...          the character. Names: amp apos gt hellip ldquo lsquo lt
///                                        mdash nbsp ndash quot rdquo rsquo. Numbers 128 to 159
///                                        mean Windows-1252, as in browsers
///   quot; amp; lt; ... without the &     the same, at the beginning of a word (AG News lost the &)
///   #39; #36; ... without the &          the same for " $ % & ' and numbers from 128
///   \n  \r                               a space (Yelp writes line breaks so)
///   \u00e9                               the character (pairs of surrogates too)
///   \$  \"  \& ...                       a backslash before ASCII punctuation is dropped
///   several \ in a row, any other \      a space (AG News writes line breaks so; its few words
///                                        that follow such a break and begin with n or r lose a
///                                        letter to the rule above)
///   control characters, U+200B, U+FEFF,  a space; several become one; none at either end
///   all Unicode white space
std::string clean_text(std::string_view text);

}  // namespace bf
