// Starting, stopping, and everything that can be in the way of it.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, test } from "node:test";
import { connect } from "node:tls";
import { setTimeout as pause } from "node:timers/promises";
import { Caller } from "./support/http.ts";
import { type End, freshDirectory, PROGRAM, processesOf, run, Server, stopAll, until } from "./support/server.ts";

afterEach(stopAll);

const root = process.getuid?.() === 0;

async function ready(server: Server): Promise<void> {
  const caller = new Caller(server.origin);
  await until("/readyz says 200", async () => (await caller.get("/readyz").catch(() => ({ status: 0 }))).status === 200, 30);
}

async function gone(data: string): Promise<void> {
  await until("no process of this server is left", () => processesOf(data).length === 0, 10);
}

function says(end: End, code: number, ...words: (string | RegExp)[]): void {
  assert.equal(end.code, code, end.output);
  for (const word of words) {
    assert.match(end.output, typeof word === "string" ? new RegExp(word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")) : word);
  }
}

test("the first start makes everything, the second one finds it, and Ctrl-C leaves no process", async () => {
  const first = await Server.start();
  await ready(first);
  assert.match(first.firstOwnerLink ?? "", /^https:\/\/localhost:\d+\/first-owner#\S{20,}$/);
  assert.equal(statSync(join(first.data, "at-rest.key")).mode & 0o777, 0o600);
  assert.equal(statSync(join(first.data, "tls", "localhost.key")).mode & 0o777, 0o600);
  const key = readFileSync(join(first.data, "at-rest.key"));
  const database = first.postmaster();
  assert.ok(database);
  if (root) {
    assert.notEqual(statSync(`/proc/${database}`).uid, 0, "the database must not run as root");
  }
  const listening = readFileSync(`/proc/${database}/net/tcp`, "utf8");
  assert.doesNotMatch(listening, /:1538 .* 0A /, "the database must not listen on a port");
  const ended = await first.stop("SIGINT");
  assert.equal(ended.code, 0, ended.output);
  await gone(first.data);

  const second = await Server.start({ data: first.data });
  await ready(second);
  console.log(`second start: ${Math.round(second.startedIn)} ms, first start: ${Math.round(first.startedIn)} ms`);
  assert.ok(second.startedIn < 15_000);
  assert.deepEqual(readFileSync(join(second.data, "at-rest.key")), key);
  assert.equal((await second.stop("SIGTERM")).code, 0);
  await gone(first.data);
});

test("a start recovers from a server that was killed, and finds its database again", async () => {
  const first = await Server.start();
  const database = first.postmaster();
  await first.stop("SIGKILL");
  const second = await Server.start({ data: first.data });
  await ready(second);
  assert.equal(second.postmaster(), database, "the running database is adopted");
  assert.equal((await second.stop()).code, 0);
  await gone(first.data);
});

test("a database that is killed comes back, and requests meanwhile get a clear answer", async () => {
  const server = await Server.start();
  await ready(server);
  const caller = new Caller(server.origin);
  const database = server.postmaster();
  assert.ok(database);
  process.kill(database, "SIGKILL");
  const seen = new Set<number>();
  for (let turn = 0; turn < 20; turn += 1) {
    const answer = await caller.post("/sign-in/begin");
    seen.add(answer.status);
    if (answer.status !== 200) {
      assert.equal(answer.status, 503, answer.text);
      assert.equal(answer.json.code, "unavailable");
      assert.match(String(answer.headers["content-type"]), /application\/problem\+json/);
      assert.ok(answer.headers["retry-after"]);
    }
    await pause(20);
  }
  console.log(`answers while the database was away: ${[...seen].join(", ")}`);
  await ready(server);
  await until("requests are served again", async () => (await caller.post("/sign-in/begin")).status === 200);
  assert.notEqual(server.postmaster(), database);
  assert.equal((await server.stop()).code, 0);
  await gone(server.data);
});

test("a start clears what dead processes left: a stale pid file and a stale socket", async () => {
  const first = await Server.start();
  const database = first.postmaster();
  const socket = join(first.socketDirectory(), ".s.PGSQL.5432");
  await first.stop("SIGKILL");
  process.kill(database ?? 0, "SIGKILL");
  await gone(first.data);
  assert.ok(existsSync(join(first.data, "cluster", "postmaster.pid")) && existsSync(socket));
  // The number may belong to somebody else by now.
  const file = join(first.data, "cluster", "postmaster.pid");
  writeFileSync(file, readFileSync(file, "utf8").replace(/^\d+/, String(process.pid)));
  const second = await Server.start({ data: first.data });
  await ready(second);
  assert.equal((await second.stop()).code, 0);
  await gone(first.data);
});

test("an interrupted first start is made good by the next one", async () => {
  const data = freshDirectory();
  mkdirSync(join(data, "cluster.new", "base"), { recursive: true });
  chmodSync(data, 0o711);
  const server = await Server.start({ data });
  await ready(server);
  assert.equal((await server.stop()).code, 0);
});

test("Ctrl-C during the first start ends everything as well", async () => {
  const data = freshDirectory();
  const starting = Server.start({ data });
  await until("the database is being made", () => existsSync(join(data, "cluster.new")) || existsSync(join(data, "cluster")));
  const main = processesOf(data).find((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith(PROGRAM));
  process.kill(main ?? 0, "SIGINT");
  await assert.rejects(starting);
  await gone(data);
});

test("a taken port is said at once, with the way out", async () => {
  const holder = createServer().listen(0, "127.0.0.1");
  await until("the port is held", () => holder.listening);
  const address = holder.address();
  const port = typeof address === "object" ? address?.port : 0;
  const data = freshDirectory();
  const end = await run(["dev", "--data-directory", data, "--listen", `127.0.0.1:${port}`]);
  holder.close();
  says(end, 5, `127.0.0.1:${port}`, "listen");
  assert.ok(!existsSync(join(data, "cluster")));
});

test("a second server on the same data is refused and the first one goes on", async () => {
  const server = await Server.start();
  says(await run(["dev", "--data-directory", server.data, "--listen", "127.0.0.1:0"]), 6, server.data, String(server.child.pid));
  await ready(server);
  assert.equal((await server.stop()).code, 0);
});

test("a key that went missing is never replaced", async () => {
  const server = await Server.start();
  await server.stop();
  rmSync(join(server.data, "at-rest.key"));
  says(await run(["dev", "--data-directory", server.data, "--listen", "127.0.0.1:0"]), 6, join(server.data, "at-rest.key"), "is gone");
});

test("a directory that this user may not write is named", { skip: !root && "needs root to become somebody else" }, async () => {
  const place = mkdtempSync(join(tmpdir(), "bailiwick-suite-"));
  chmodSync(place, 0o755);
  const program = join(place, "bailiwick");
  copyFileSync(PROGRAM, program);
  const run = spawnSync("setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", program, "dev", "--data-directory", join(place, "data"), "--listen", "127.0.0.1:0"], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent" },
    cwd: "/",
    timeout: 60_000,
  });
  rmSync(place, { recursive: true });
  says({ code: run.status, signal: null, output: run.stdout + run.stderr }, 6, join(place, "data"), "Permission denied", "--data-directory");
});

/** A file system of its own; undefined where mounting is not allowed. */
function mounted(options: string): { path: string; remount: (options: string) => void } | undefined {
  const path = mkdtempSync(join(tmpdir(), "bailiwick-mount-"));
  if (spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", path]).status !== 0) {
    rmSync(path, { recursive: true });
    return undefined;
  }
  after(() => {
    spawnSync("umount", ["-l", path]);
    rmSync(path, { recursive: true, force: true });
  });
  return { path, remount: (next) => void execFileSync("mount", ["-o", `remount,${next}`, path]) };
}

test("a read-only data directory is named", { skip: !root && "needs root to mount" }, async (context) => {
  const place = mounted("size=16m,mode=0755,ro");
  if (place === undefined) {
    return context.skip("this machine does not let its root mount");
  }
  says(await run(["dev", "--data-directory", join(place.path, "data"), "--listen", "127.0.0.1:0"]), 6, place.path, /read-only/i);
});

test("a full disk is said at the start, and while running it costs requests and nothing else", { skip: !root && "needs root to mount" }, async (context) => {
  const place = mounted("size=64m,mode=0755");
  if (place === undefined) {
    return context.skip("this machine does not let its root mount");
  }
  const data = join(place.path, "data");
  says(await run(["dev", "--data-directory", data, "--listen", "127.0.0.1:0"]), 6, data, "MB free");

  place.remount("size=400m");
  const server = await Server.start({ data });
  await ready(server);
  const caller = new Caller(server.origin);
  spawnSync("dd", ["if=/dev/zero", `of=${join(place.path, "ballast")}`, "bs=1M"]);
  const seen = new Set<number>();
  for (let turn = 0; turn < 40; turn += 1) {
    const answer = await caller.post("/sign-in/begin");
    seen.add(answer.status);
    assert.ok([200, 429, 503].includes(answer.status), `${answer.status} ${answer.text}`);
  }
  console.log(`answers on a full disk: ${[...seen].join(", ")}`);
  rmSync(join(place.path, "ballast"));
  await ready(server);
  await until("writes are served again", async () => [200, 429].includes((await caller.post("/sign-in/begin")).status));
  assert.equal((await server.stop()).code, 0);
});

test("a renewed certificate is taken into use and no connection is dropped for it", async () => {
  const server = await Server.start();
  const other = await Server.start();
  const dial = () => connect({ host: "127.0.0.1", port: server.port, servername: "localhost", rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] });
  const fingerprint = async () => {
    const socket = dial();
    await once(socket, "secureConnect");
    const seen = socket.getPeerCertificate().fingerprint256;
    socket.destroy();
    return seen;
  };
  const kept = dial();
  await once(kept, "secureConnect");
  const ask = async () => {
    kept.write("GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n");
    const [chunk] = await once(kept, "data");
    return String(chunk).split("\r\n")[0];
  };
  assert.match((await ask()) ?? "", /200/);
  const before = await fingerprint();
  for (const file of ["localhost.key", "localhost.pem"]) {
    copyFileSync(join(other.data, "tls", file), join(server.data, "tls", file));
  }
  await until("the new certificate is served", async () => (await fingerprint()) !== before, 30);
  assert.match((await ask()) ?? "", /200/);
  kept.destroy();
});

test("production refuses what is missing, misspelt or contradictory, by its name", async () => {
  says(await run(["serve"]), 3, "BAILIWICK_");
  says(await run(["config"], { environment: { BAILIWICK_LISTN: "0.0.0.0:1" } }), 3, "BAILIWICK_LISTN", "did you mean listen");
  says(await run(["--config", "/nonexistent.toml", "serve"]), 3, "/nonexistent.toml");
  says(await run(["nonsense"]), 2);
  says(await run(["--help"]), 0, "Exit codes");
});

test("production waits for its database for a bounded time, then says where it looked", async () => {
  const server = await Server.start();
  await server.stop();
  const settings = join(server.data, "bailiwick.toml");
  const begun = performance.now();
  const end = await run(["--config", settings, "serve"], { environment: { BAILIWICK_DATABASE__START_WAIT_SECONDS: "2", BAILIWICK_LISTEN: "127.0.0.1:0" } });
  says(end, 4, "bailiwick_app", "is down");
  assert.ok(performance.now() - begun >= 2_000);
});

test("a schema of a newer program is refused", async () => {
  const server = await Server.start();
  await server.sql("insert into _sqlx_migrations (version, description, success, checksum, execution_time) values (9999, 'from the future', true, '', 0)");
  await server.stop();
  says(await run(["dev", "--data-directory", server.data, "--listen", "127.0.0.1:0"]), 7, "9999");
});

test("the effective configuration shows where values come from and no secret", async () => {
  const server = await Server.start();
  const end = await server.command("config", "--json");
  assert.equal((await server.stop()).code, 0);
  assert.equal(end.code, 0, end.output);
  const lines: { setting: string; value: string; origin: { kind: string; name?: string } }[] = JSON.parse(end.output);
  const line = (name: string) => lines.find((one) => one.setting === name);
  assert.deepEqual(line("data_directory")?.value, server.data);
  assert.equal(line("database.app_url")?.value, "********");
  assert.equal(line("session.idle_seconds")?.origin.kind, "default");
  assert.doesNotMatch(end.output, /postgres:/);
});
