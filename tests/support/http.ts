// Requests as a browser on the console's own origin would send them, but with full control of every byte.

import { Agent, request } from "node:https";

export type Answer = { status: number; headers: Record<string, string | string[] | undefined>; text: string; json: any };

export type Extra = { headers?: Record<string, string>; raw?: Buffer | string; cookie?: string };

const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });

/** A caller with cookies of its own; signed in once they are set. */
export class Caller {
  readonly origin: string;
  cookies = new Map<string, string>();

  constructor(origin: string) {
    this.origin = origin;
  }

  get(path: string, extra?: Extra): Promise<Answer> {
    return this.send("GET", path, undefined, extra);
  }

  post(path: string, body: unknown = {}, extra?: Extra): Promise<Answer> {
    return this.send("POST", path, body, extra);
  }

  patch(path: string, body: unknown, extra?: Extra): Promise<Answer> {
    return this.send("PATCH", path, body, extra);
  }

  put(path: string, body: unknown, extra?: Extra): Promise<Answer> {
    return this.send("PUT", path, body, extra);
  }

  delete(path: string, extra?: Extra): Promise<Answer> {
    return this.send("DELETE", path, undefined, extra);
  }

  send(method: string, path: string, body?: unknown, extra: Extra = {}): Promise<Answer> {
    const url = new URL(path.startsWith("/api") || path.startsWith("/livez") || path.startsWith("/readyz") || path.startsWith("/metrics") ? path : `/api/v1${path}`, this.origin);
    const payload = extra.raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const headers: Record<string, string> = {
      accept: "application/json",
      "sec-fetch-site": "same-origin",
      "sec-fetch-mode": "cors",
      "sec-fetch-dest": "empty",
      ...(method === "GET" ? {} : { origin: this.origin }),
      ...(payload === undefined ? {} : { "content-type": "application/json" }),
      ...(this.cookies.size > 0 ? { cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ") } : {}),
      ...extra.headers,
    };
    return new Promise((fulfil, reject) => {
      const outgoing = request(
        // The address, so that no resolver decides between IPv4 and IPv6; the name stays for the certificate.
        { host: "127.0.0.1", servername: "localhost", port: url.port, path: url.pathname + url.search, method, headers: { host: url.host, ...headers }, agent },
        (incoming) => {
          let text = "";
          incoming.setEncoding("utf8");
          incoming.on("data", (chunk) => (text += chunk));
          incoming.on("end", () => {
            for (const line of incoming.headers["set-cookie"] ?? []) {
              const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
              if (name !== undefined && value !== undefined) {
                this.cookies.set(name, value);
              }
            }
            let json: unknown;
            try {
              json = JSON.parse(text);
            } catch {
              json = undefined;
            }
            fulfil({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json });
          });
        },
      );
      outgoing.on("error", reject);
      outgoing.setTimeout(20_000, () => outgoing.destroy(new Error(`no answer to ${method} ${path}`)));
      outgoing.end(payload);
    });
  }
}
