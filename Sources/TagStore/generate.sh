#!/bin/sh
# Writes state.pb.swift anew from state.proto; see Sources/JacquardWire/generate.sh for what it needs.
#
# usage: generate.sh [path of protoc-gen-swift]
set -eu
cd "$(dirname "$0")"
exec protoc --plugin=protoc-gen-swift="${1:-$(command -v protoc-gen-swift)}" \
  --swift_opt=Visibility=Public --swift_out=. state.proto
