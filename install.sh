#!/bin/sh
# Installs Handrail for this user: the program of a release, dist/handrail-<os>-<arch>,
# where it stands beside this script with its checksum, else one that is built.
#
#   ./install.sh           build, install for the browsers found (see handrail install --help)
#   ./install.sh --demo    build, then read a page in a headless Chromium, act on it, recover it
#   ./install.sh --test    build, then run all tests (make test)
#
# What a step needs is checked first; root installs what is missing from the
# system's packages, anybody else is told what to install. A plain install never
# installs a browser.
set -eu
cd "$(dirname "$0")"

say() { printf '%s\n' "$*"; }
fail() { printf 'install.sh: %s\n' "$*" >&2; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }

mode=install
case "${1:-}" in
  --demo) mode='demo'; shift ;;
  --test) mode='test'; shift ;;
  -h | --help) sed -n 2,11p install.sh | cut -c3-; exit 0 ;;
esac

# A program of a release needs neither Go nor a compiler.
prebuilt() {
  name=handrail-$(uname -sm | tr '[:upper:] ' '[:lower:]-' | sed 's/x86_64/amd64/; s/aarch64/arm64/')
  [ -f "dist/$name" ] || return 1
  sum=$(cd dist && { sha256sum "$name" 2>/dev/null || shasum -a 256 "$name"; })
  grep -qxF "$sum" dist/SHA256SUMS || { say "dist/$name is not used: its checksum is not in dist/SHA256SUMS"; return 1; }
  "dist/$name" version >/dev/null 2>&1 || return 1
  program=dist/$name
}

program=
[ "$mode" = test ] || prebuilt || :

# need PROGRAM PACKAGE: makes sure of a program, from the system's packages if need be.
missing=
need() { has "$1" || missing="$missing $2"; }

need_browser() {
  if [ -n "${HANDRAIL_CHROMIUM:-}" ]; then return; fi
  for browser in chromium chromium-browser google-chrome google-chrome-stable; do
    if has "$browser"; then return; fi
  done
  missing="$missing chromium"
}

# Go and Node are not taken from the system's packages: those are often too old.
case "$program$(go env GOVERSION 2>/dev/null || true)" in
  dist/*) ;;
  go1.2[6-9]* | go1.[3-9][0-9]* | go[2-9]*) ;;
  *) fail "Go 1.26 or later is needed: install it and run this again" ;;
esac
if [ "$mode" = test ]; then
  case "$(node --version 2>/dev/null || true)" in
    v[2-9][0-9].*) ;;
    *) fail "Node 20 or later is needed for the tests: install it and run this again" ;;
  esac
  has npm || fail "npm is needed for the tests: install it and run this again"
fi

if [ -z "$program" ]; then
  need make make
  has cc || need gcc gcc
fi
[ "$mode" = install ] || need_browser
[ "$mode" != test ] || need shellcheck shellcheck

if [ -n "$missing" ]; then
  if [ "$(id -u)" = 0 ] && has apt-get; then
    say "Installing from the system's packages:$missing"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    # shellcheck disable=SC2086 # a list of packages
    apt-get install -y -qq --no-install-recommends $missing >/dev/null
  else
    fail "this is missing:$missing. Install it (on Debian, as root: apt-get install$missing) and run this again"
  fi
fi

if [ "$mode" = test ]; then
  say "Running the tests: linters, Go, JavaScript, fuzzing, end to end in Chromium"
  exec make test
fi
if [ -z "$program" ]; then
  say "Building bin/handrail"
  make -s build
  program=bin/handrail
fi
exec "$program" "$mode" "$@"
