# Functions of the scripts that check the project. To be sourced by bash.
# Logs go to the directory `$target`, where a script uses them.

# Runs a command under a title and prints how long it took.
step() {
    local title=$1 start=$SECONDS
    shift
    printf '\n== %s\n' "$title"
    "$@"
    printf '== %s: %d s\n' "$title" "$((SECONDS - start))"
}

# Writes the output of this script to the file `$1` too. When the script ends, also early, prints what took longest.
keep_log() {
    log=$1
    mkdir -p "$(dirname "$log")"
    exec 3>&1 4>&2
    exec > >(exec tee "$log") 2>&1
    tee=$!
    trap 'end_log $?' EXIT
}

# The process groups that run beside this script, by name.
declare -A beside=()

# Starts a command in a group of its own, which is ended with this script. Its output goes to `$target/NAME.log`.
start_beside() {
    local name=$1
    shift
    setsid "$@" >"$target/$name.log" 2>&1 &
    beside[$name]=$!
}

# Waits for a command and prints its output.
end_beside() {
    local name=$1 result=0
    wait "${beside[$name]}" || result=$?
    unset "beside[$name]"
    cat "$target/$name.log"
    return "$result"
}

end_log() {
    local tries=0
    local group
    for group in "${beside[@]}"; do
        kill -- "-$group" 2>/dev/null || true
    done
    exec >&3 2>&4
    # A process that outlives its test keeps the pipe open, so that this does not wait for ever.
    while kill -0 "$tee" 2>/dev/null && [ "$((tries += 1))" -le 50 ]; do
        sleep 0.1
    done
    .ci/slowest "$log"
    exit "$1"
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

# Prints the path of a browser. Chromium without windows comes first, because tests take half the time of the processor with it.
find_browser() {
    local name
    for name in "${CHROMIUM:-}" chromium-headless-shell chromium chromium-browser google-chrome; do
        if [ -n "$name" ] && has "$name"; then
            command -v "$name"
            return
        fi
    done
}

# Installs what the tests in a browser need: Node.js, npm and a browser.
provide_browser() {
    provide node nodejs
    provide npm npm
    [ -n "$(find_browser)" ] || provide chromium-headless-shell chromium-headless-shell fonts-dejavu-core ||
        provide chromium chromium fonts-dejavu-core
}
