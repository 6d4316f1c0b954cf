#!/bin/sh
# Writes jacquard.pb.swift anew from jacquard.proto.
#
# Needs protoc (Debian: protobuf-compiler) and the plugin protoc-gen-swift of the swift-protobuf version that
# Package.swift names; build it in a checkout of that version with
#   swift build -c release --product protoc-gen-swift
#
# usage: generate.sh [path of protoc-gen-swift]
set -eu
cd "$(dirname "$0")"
protoc --plugin=protoc-gen-swift="${1:-$(command -v protoc-gen-swift)}" \
  --swift_opt=Visibility=Public --swift_out=. jacquard.proto
# Linux always has FoundationEssentials, and Foundation is not to come in by an accident of the toolchain.
sed -i "/^#if canImport(FoundationEssentials)/d; /^#else/,/^#endif/d" jacquard.pb.swift
# A tag's text need not be UTF-8; see RepairedText.swift.
sed -i "s/decoder\.decodeSingularStringField(/decoder.decodeRepairedStringField(/" jacquard.pb.swift
