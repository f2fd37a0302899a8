#pragma once

/// tests/golden of this checkout. In one source file alone, so that the objects of all others do
/// not depend on where the checkout lies and a compiler cache can share them.
extern const char* const golden_folder;
