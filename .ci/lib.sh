# Functions of the scripts that check the project. To be sourced by bash.

# Runs a command under a title and prints how long it took.
step() {
    local title=$1 start=$SECONDS
    shift
    printf '\n== %s\n' "$title"
    "$@"
    printf '== %s: %d s\n' "$title" "$((SECONDS - start))"
}

has() {
    command -v "$1" >/dev/null 2>&1
}

# Installs Debian packages if the program `$1` is missing and the machine allows it.
provide() {
    local program=$1
    shift
    if ! has "$program" && has apt-get && [ "$(id -u)" -eq 0 ]; then
        apt-get update
        DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "$@"
    fi
}

# Lets cargo compile the C code of dependencies for the platforms `$@`, with the C compiler of zig (see dist/cc).
c_compiler() {
    local dir platform
    dir=$(realpath "${CARGO_TARGET_DIR:-target}")/ziglang-0.17.0
    provide pip3 python3-pip
    [ -x "$dir/ziglang/zig" ] || pip3 install --quiet --target "$dir" ziglang==0.17.0
    export ZIG=$dir/ziglang/zig
    for platform; do
        export "CC_${platform//-/_}=$PWD/dist/cc"
    done
}
