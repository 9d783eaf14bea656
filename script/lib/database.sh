# A throwaway PostgreSQL for tests: fast, forgetful, reached by a Unix socket only.
# Sets BAILIWICK_TEST_DATABASE; database_stop ends what database_start started.
# `database_start durable` keeps PostgreSQL's own promises about the disk, for measuring.

database_pid=
database_folder=

database_start() {
  local programs run=() haste=(-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c autovacuum=off)
  if [ "${1:-}" = durable ]; then haste=(-c shared_buffers=512MB -c max_wal_size=4GB); fi
  programs=$(postgresql_programs) || return 1
  database_folder=$(mktemp -d /tmp/bailiwick-test.XXXXXX)
  chmod 711 "$database_folder"
  mkdir "$database_folder/socket"
  if [ "$(id -u)" -eq 0 ]; then
    # PostgreSQL refuses to run as root.
    chown -R postgres "$database_folder"
    run=(setpriv --reuid=postgres --regid=postgres --clear-groups)
  fi
  (cd / && "${run[@]}" "$programs/initdb" -D "$database_folder/data" --username=postgres --auth=trust \
    --encoding=UTF8 --locale=C.UTF-8 --no-sync --no-instructions >/dev/null) || return 1
  (cd / && exec "${run[@]}" "$programs/postgres" -D "$database_folder/data" -k "$database_folder/socket" \
    -c listen_addresses= -c port=5432 -c max_connections=300 "${haste[@]}" >"$database_folder/log" 2>&1) &
  database_pid=$!
  export BAILIWICK_TEST_DATABASE="postgres://postgres@localhost/postgres?host=$database_folder/socket"
  local tries
  for tries in $(seq 300); do
    "$programs/pg_isready" -q -h "$database_folder/socket" && return 0
    kill -0 "$database_pid" 2>/dev/null || break
    sleep 0.1
  done
  cat "$database_folder/log" >&2
  return 1
}

database_stop() {
  if [ -n "$database_pid" ]; then
    kill -INT "$database_pid" 2>/dev/null
    wait "$database_pid" 2>/dev/null
    database_pid=
  fi
  if [ -n "$database_folder" ]; then
    rm -rf "$database_folder"
    database_folder=
  fi
}
