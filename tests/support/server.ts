// A real server of its own for each test: `bailiwick dev` in a fresh data directory, on a free port.

import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** The program under test. */
export const PROGRAM = resolve(process.env["BAILIWICK_PROGRAM"] ?? "../target/debug/bailiwick");

/** How a process ended. */
export type End = { code: number | null; signal: NodeJS.Signals | null; output: string };

export type Options = {
  /** Kept between starts when given; else made, and removed at the end. */
  data?: string;
  /** `127.0.0.1:0` unless given. */
  listen?: string;
  environment?: Record<string, string>;
};

const made: string[] = [];
const running = new Set<Server>();

// Whatever happens to a test, nothing that it started outlives this process.
process.once("exit", () => {
  for (const server of running) {
    server.child.kill("SIGINT");
  }
  for (const directory of made) {
    // A database whose server was killed is nobody's child any more.
    for (const pid of processesOf(directory)) {
      process.kill(pid, "SIGINT");
    }
    rmSync(directory, { recursive: true, force: true });
  }
});

/** Ends every server that a test left: for `afterEach`, where a test may have failed in the middle. */
export async function stopAll(): Promise<void> {
  for (const server of running) {
    await server.stop();
    await until("the server's processes have ended", () => processesOf(server.data).length === 0);
  }
}

/** A directory that other users may pass through, as the database's user has to. */
export function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "bailiwick-suite-"));
  chmodSync(directory, 0o711);
  made.push(directory);
  return join(directory, "data");
}

function variables(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("BAILIWICK_"));
  return { ...Object.fromEntries(own), ...more };
}

/** Runs the program with these words to its end. */
export async function run(words: string[], options: { environment?: Record<string, string>; seconds?: number } = {}): Promise<End> {
  const child = spawn(PROGRAM, words, { env: variables(options.environment), stdio: ["ignore", "pipe", "pipe"] });
  return ended(child, options.seconds ?? 60);
}

function ended(child: ChildProcess, seconds: number): Promise<End> {
  let output = "";
  child.stdout?.on("data", (chunk) => (output += chunk));
  child.stderr?.on("data", (chunk) => (output += chunk));
  return new Promise((fulfil) => {
    const timer = setTimeout(() => child.kill("SIGKILL"), seconds * 1000);
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      fulfil({ code, signal, output });
    });
  });
}

export class Server {
  readonly data: string;
  readonly child: ChildProcess;
  /** `https://localhost:PORT` */
  origin = "";
  /** Present while nobody owns the server. */
  firstOwnerLink: string | undefined;
  /** Milliseconds from the start of the process until it said that it runs. */
  startedIn = 0;
  output = "";
  readonly #end: Promise<End>;

  private constructor(options: Options) {
    this.data = options.data ?? freshDirectory();
    this.child = spawn(PROGRAM, ["dev", "--data-directory", this.data, "--listen", options.listen ?? "127.0.0.1:0"], {
      env: variables(options.environment),
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child.stdout?.on("data", (chunk) => (this.output += chunk));
    this.child.stderr?.on("data", (chunk) => (this.output += chunk));
    this.#end = new Promise((fulfil) => {
      running.add(this);
      this.child.once("close", (code, signal) => {
        running.delete(this);
        fulfil({ code, signal, output: this.output });
      });
    });
  }

  static async start(options: Options = {}): Promise<Server> {
    const begun = performance.now();
    const server = new Server(options);
    let gone = false;
    server.#end.then(() => (gone = true));
    const deadline = Date.now() + 120_000;
    while (!/Ctrl-C stops it/.test(server.output)) {
      if (gone || Date.now() > deadline) {
        server.child.kill("SIGKILL");
        throw new Error(`the server did not start:\n${server.output}`);
      }
      await pause(10);
    }
    server.startedIn = performance.now() - begun;
    server.origin = /running at (\S+)/.exec(server.output)?.[1] ?? "";
    server.firstOwnerLink = /(https:\/\/\S+\/first-owner#\S+)/.exec(server.output)?.[1];
    return server;
  }

  get port(): number {
    return Number(new URL(this.origin).port);
  }

  /** Sends the signal and waits for the end. */
  async stop(signal: NodeJS.Signals = "SIGINT"): Promise<End> {
    this.child.kill(signal);
    return this.#end;
  }

  /** Other commands on this server's data. */
  command(...words: string[]): Promise<End> {
    return run(["--config", join(this.data, "bailiwick.toml"), ...words]);
  }

  /** Process id of the private database; undefined when none is recorded. */
  postmaster(): number | undefined {
    const file = join(this.data, "cluster", "postmaster.pid");
    return existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : undefined;
  }

  /** Connection to the private database as its superuser, for psql. */
  socketDirectory(): string {
    const settings = readFileSync(join(this.data, "bailiwick.toml"), "utf8");
    return decodeURIComponent(/app_url = ".*host=([^"&]+)/.exec(settings)?.[1] ?? "");
  }

  /** Runs one statement as the database's superuser, who is above every fence. */
  async sql(statement: string): Promise<string> {
    const child = spawn(
      psql(),
      ["-h", this.socketDirectory(), "-U", "postgres", "-d", "bailiwick", "-AtqX", "-v", "ON_ERROR_STOP=1", "-c", statement],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    const end = await ended(child, 60);
    if (end.code !== 0) {
      throw new Error(end.output);
    }
    return end.output.trim();
  }
}

function psql(): string {
  const root = "/usr/lib/postgresql";
  const versions = readdirSync(root).map(Number).filter((version) => version >= 15).sort((a, b) => b - a);
  return join(root, String(versions[0]), "bin", "psql");
}

/** Every process that works in this data directory or was started with it. */
export function processesOf(data: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        const words = readFileSync(`/proc/${name}/cmdline`, "utf8");
        return words.includes(data) || readlinkSync(`/proc/${name}/cwd`).startsWith(data);
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Waits until the condition holds; fails with what was awaited. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, seconds = 20): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  while (!(await holds())) {
    if (Date.now() > deadline) {
      throw new Error(`not within ${seconds} s: ${what}`);
    }
    await pause(25);
  }
}
