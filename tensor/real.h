#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "finite-math-only builds are refused: NaN and infinity have to stay visible"
#endif

namespace bf {

/// The one scalar type. `float` in the product; the same sources are built a second time with
/// `double`, because central differences in float are no better than 1e-4 and prove nothing.
#ifdef BF_DOUBLE
using Real = double;
inline constexpr bool real_is_double = true;
#else
using Real = float;
inline constexpr bool real_is_double = false;
#endif

/// Sizes, extents and positions.
using Index = std::size_t;

/// A class label or a vocabulary entry.
using Id = std::int32_t;

}  // namespace bf
