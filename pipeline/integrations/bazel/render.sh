# Runs a program on copies of its inputs: TOOL OUT [INPUT COPY]... -- BLUEPRINT [OPTION]...
#
# Bazel shows an action its inputs as links, and bpp follows links before it asks what it may read.
# What was not declared is not there, as it should be.

set -eu

absolute() {
    case $1 in
    /*) printf '%s\n' "$1" ;;
    *) printf '%s\n' "$PWD/$1" ;;
    esac
}

tool=$(absolute "$1")
out=$(absolute "$2")
stage=$out.inputs
shift 2
trap 'rm -rf "$stage"' EXIT
while [ "$1" != -- ]; do
    mkdir -p "$stage/$(dirname "$2")"
    cp -L "$1" "$stage/$2"
    shift 2
done
shift
cd "$stage"
"$tool" render -o "$out" "$@"
