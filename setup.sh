#!/usr/bin/env bash
# Makes the project ready on Debian or Ubuntu: installs the packages that are missing, configures, compiles.
# Safe to run again: it does only what is left to do. BUILD names another build folder; an argument is one more package.
set -euo pipefail
cd "$(dirname "$0")"
build=${BUILD:-build}

packages=(g++ meson ninja-build pkg-config libopenblas-pthread-dev libtbb-dev libboost-program-options-dev
  doctest-dev libhwy-dev nlohmann-json3-dev libicu-dev zlib1g-dev gnuplot-nox "$@")

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [ "$state" = "install ok installed" ] || missing+=("$package")
done

if [ ${#missing[@]} -gt 0 ]; then
  if ! command -v apt-get >/dev/null; then
    echo "setup.sh: these packages are missing and there is no apt-get to install them: ${missing[*]}" >&2
    exit 1
  fi
  as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo)
  echo "setup.sh: installing ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -q >&2
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
    "${missing[@]}" >&2
fi

[ -f "$build/build.ninja" ] || meson setup "$build"
ninja -C "$build" binaries
