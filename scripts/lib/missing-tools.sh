# Names the packages whose tools the tests cannot use on this machine: what is used is tried, not only whether its command is there.

# Where findChromium of the test kit looks.
: "${CHROMIUM_FOLDER:=/usr/bin}"
# Sources of golang.org/x/mod of the distribution; a Go installation has its own.
: "${GO_SOURCES:=/usr/share/gocode/src}"
# Kafka 4 does not start on an older Java.
JAVA_MINIMUM=17

has() { command -v "$1" >/dev/null; }

has_chromium() { [ -x "${SENTINEL_TEST_CHROMIUM:-$CHROMIUM_FOLDER/$1}" ]; }

has_go_mod() {
  has go || return 1
  for sources in "$(go env GOROOT)/src/cmd/vendor" "$GO_SOURCES"; do
    [ -e "$sources/golang.org/x/mod/sumdb/tlog" ] && return 0
  done
  return 1
}

has_java() {
  version=$(java -version 2>&1 | sed -nE 's/.* version "([0-9]+).*/\1/p')
  [ "${version:-0}" -ge "$JAVA_MINIMUM" ]
}

# Prints one line: names of packages of Debian, and `browser`, each after a space.
missing_tools() {
  missing=''
  has_chromium chromium-headless-shell || missing="$missing browser"
  python3 -c 'import venv, ensurepip' 2>/dev/null || missing="$missing python3 python3-venv"
  has_go_mod || missing="$missing golang-go golang-golang-x-mod-dev"
  has_java || missing="$missing default-jre-headless"
  has mvn || missing="$missing maven"
  has nginx || missing="$missing nginx-light"
  has xz || missing="$missing xz-utils"
  has zstd || missing="$missing zstd"
  has bzip2 || missing="$missing bzip2"
  has faketime || missing="$missing faketime"
  printf '%s\n' "$missing"
}
