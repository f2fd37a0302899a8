#!/usr/bin/env bash
# Makes the project ready on Debian or Ubuntu: installs the packages that are missing, configures, compiles.
# Safe to run again: it does only what is left to do. BUILD names another build folder; an argument is one more package, and
# clang comes with what its sanitizers and libFuzzer need.
set -euo pipefail
cd "$(dirname "$0")"
build=${BUILD:-build}

packages=(g++ meson ninja-build pkg-config libopenblas-pthread-dev libtbb-dev libboost-program-options-dev
  doctest-dev libhwy-dev nlohmann-json3-dev libicu-dev zlib1g-dev gnuplot-nox "$@")

install_missing() {  # packages
  local missing=() package state
  for package in "$@"; do
    state=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
    [ "$state" = "install ok installed" ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if ! command -v apt-get >/dev/null; then
    echo "setup.sh: these packages are missing and there is no apt-get to install them: ${missing[*]}" >&2
    exit 1
  fi
  local as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo)
  echo "setup.sh: installing ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -q >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
    "${missing[@]}" >&2
}

install_missing "${packages[@]}"
if [[ " $* " == *" clang "* ]]; then
  # Its run-time libraries are only recommended by it, and have its version in their name.
  version=$(dpkg-query -W -f='${Depends}' clang | grep -oE 'clang-[0-9]+' | head -n 1)
  runtime=lib${version/clang/clang-rt}-dev
  install_missing "$runtime" || echo "setup.sh: no $runtime here; the checks with clang need its run-time libraries" >&2
fi

[ -f "$build/build.ninja" ] || meson setup "$build"
ninja -C "$build" binaries
