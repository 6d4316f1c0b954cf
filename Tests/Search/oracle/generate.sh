#!/bin/sh
# Regenerates the SwiftProtobuf types for the comparison from the schemas.
#
# Needs protoc (Debian: protobuf-compiler) and the plugin protoc-gen-swift of the swift-protobuf version that
# Package.swift names; build it in a checkout of that version with
#   swift build -c release --product protoc-gen-swift
#
# usage: generate.sh [path of protoc-gen-swift]
set -eu
cd "$(dirname "$0")"
plugin=${1:-$(command -v protoc-gen-swift)}
for schema in ../../../Sources/JacquardWire/jacquard.proto ../../../Sources/TagStore/state.proto; do
  protoc --plugin=protoc-gen-swift="$plugin" --proto_path="$(dirname "$schema")" \
    --swift_opt=Visibility=Public --swift_out=. "$(basename "$schema")"
done
