#include "train/dataset.h"

#include <doctest/doctest.h>
