#!/bin/sh
# Builds the programs of a release into dist, with their checksums:
#
#   ./release.sh           dist/handrail-<os>-<arch> and dist/SHA256SUMS
#
# SQLite is C, so each needs a C compiler for its system. Linux: amd64 and arm64,
# where there is a compiler (on Debian gcc and gcc-aarch64-linux-gnu, or
# gcc-x86-64-linux-gnu). macOS: on a Mac, both, by Apple's clang. Windows: none;
# the host is not ported. What is left out is named. The same source and
# compilers give the same bytes.
set -eu
cd "$(dirname "$0")"

say() { printf '%s\n' "$*"; }

# build OS ARCH COMPILER
build() {
  if ! command -v "${3%% *}" >/dev/null 2>&1; then
    say "left out $1-$2: there is no $3"
    return
  fi
  CGO_ENABLED=1 GOOS=$1 GOARCH=$2 CC=$3 go build -trimpath -buildvcs=false -ldflags '-s -w -buildid=' -o "dist/handrail-$1-$2" ./host/cmd/handrail
  say "built dist/handrail-$1-$2"
}

rm -rf dist
mkdir dist
case "$(uname -sm)" in
  'Linux x86_64')
    build linux amd64 cc
    build linux arm64 aarch64-linux-gnu-gcc
    ;;
  'Linux aarch64')
    build linux arm64 cc
    build linux amd64 x86_64-linux-gnu-gcc
    ;;
  Darwin*)
    build darwin amd64 'clang -arch x86_64'
    build darwin arm64 'clang -arch arm64'
    ;;
esac
cd dist
if command -v sha256sum >/dev/null 2>&1; then sha256sum handrail-*; else shasum -a 256 handrail-*; fi >SHA256SUMS
cat SHA256SUMS
