// What a person, a browser or somebody with bad intentions can send: each is answered with a problem that has a stable
// code, and nothing of it is done.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Answer, Caller, type Extra } from "./support/http.ts";
import { confirm, firstOwner, invited, type Someone, signed } from "./support/people.ts";
import { Server } from "./support/server.ts";

let server: Server;
let ada: Someone;
let bo: Someone;
let organisation = "";
let sandbox = "";
let area = "";
const open: Someone[] = [];

before(async () => {
  server = await Server.start();
  ada = await firstOwner(server);
  open.push(ada);
  const made = await ada.caller.post("/organisations", { name: "Acme" });
  assert.equal(made.status, 201, made.text);
  organisation = made.json.id;
  sandbox = (await ada.caller.post(`/organisations/${organisation}/sandboxes`, { name: "Studio" })).json.id;
  area = (await ada.caller.post(`${base()}/areas`, { name: "docs" })).json.id;
  const invitation = await ada.caller.post(`${base()}/invitations`, { email: "bo@example.org", role: "viewer", areas: ["docs"], agents: "off" });
  assert.equal(invitation.status, 201, invitation.text);
  bo = await invited(server, invitation.json.link, "Bo");
  open.push(bo);
});

after(async () => {
  for (const someone of open) {
    await someone.browser.close();
  }
  await server?.stop();
});

const base = () => `/organisations/${organisation}/sandboxes/${sandbox}`;

function refused(answer: Answer, code: string | string[], status?: number): void {
  assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} ${answer.text}`);
  assert.match(String(answer.headers["content-type"]), /^application\/problem\+json/, answer.text);
  assert.ok([code].flat().includes(answer.json.code), `${answer.json.code} instead of ${code}: ${answer.text}`);
  assert.equal(answer.json.status, answer.status);
  assert.ok(answer.json.requestId && answer.json.title && answer.json.detail, answer.text);
  if (status !== undefined) {
    assert.equal(answer.status, status, answer.text);
  }
}

async function names(): Promise<string[]> {
  const list = await ada.caller.get(`${base()}/areas`);
  return list.json.items.map((item: { name: string }) => item.name);
}

const raw = (text: string | Buffer, headers: Record<string, string> = {}): Extra => ({ raw: text, headers });

const bodies: [string, Extra | undefined, unknown, string | string[], number?][] = [
  ["an unknown field", undefined, { name: "x", nmae: "y" }, "unknown_field"],
  ["a missing field", undefined, {}, "required"],
  ["a wrong type", undefined, { name: 7 }, "invalid_field"],
  ["null for a text", undefined, { name: null }, ["invalid_field", "required"]],
  ["an empty name", undefined, { name: "" }, "required"],
  ["a name of blanks", undefined, { name: "   " }, ["required", "invalid_text"]],
  ["a NUL", undefined, { name: "a\u0000b" }, "invalid_text"],
  ["a line break", undefined, { name: "a\nb" }, "invalid_text"],
  ["a bidirectional override", undefined, { name: "a\u202eb" }, "invalid_text"],
  ["a lone surrogate", raw('{"name":"\\ud800"}'), undefined, "invalid_json", 400],
  ["a name of 10,000 characters", undefined, { name: "n".repeat(10_000) }, "too_long"],
  ["a list instead of an object", undefined, [], ["invalid_json", "invalid_field", "required"]],
  ["no JSON", raw("{"), undefined, "invalid_json", 400],
  ["nothing", raw(""), undefined, "invalid_json", 400],
  ["two values", raw('{"name":"x"} {"name":"y"}'), undefined, "invalid_json", 400],
  ["bytes that are not UTF-8", raw(Buffer.from([0x7b, 0x22, 0x6e, 0x61, 0x6d, 0x65, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d])), undefined, "invalid_json", 400],
  ["ten thousand levels", raw("[".repeat(10_000) + "]".repeat(10_000)), undefined, "too_deep", 400],
  ["a form", raw("name=x", { "content-type": "application/x-www-form-urlencoded" }), undefined, "invalid_json", 415],
  ["a duplicate field", raw('{"name":"x","name":"y"}'), undefined, ["invalid_json", "invalid_field"]],
];

for (const [what, extra, body, code, status] of bodies) {
  test(`a body with ${what} is refused`, async () => {
    refused(await ada.caller.post(`${base()}/areas`, body, extra), code, status);
    assert.deepEqual(await names(), ["docs"]);
  });
}

test("a body of two megabytes is refused, and the browser gets the answer", async () => {
  // A page of the console: other addresses may not send requests at all.
  await ada.browser.page.goto(`${server.origin}/sign-in`);
  const answer = await ada.browser.page.evaluate(async (path) => {
    const response = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ name: "n".repeat(2_000_000) }) });
    return { status: response.status, code: (await response.json()).code };
  }, `/api/v1${base()}/areas`);
  assert.deepEqual(answer, { status: 413, code: "too_large" });
});

test("odd addresses and queries are refused", async () => {
  refused(await ada.caller.get(`/organisations/${organisation}/sandboxes?limit=100000`), ["invalid_field", "too_large"]);
  refused(await ada.caller.get(`/organisations/${organisation}/sandboxes?limit=-1`), "invalid_field");
  refused(await ada.caller.get(`/organisations/${organisation}/sandboxes?sort=x`), "unknown_field");
  refused(await ada.caller.get(`/organisations/${organisation}/sandboxes?cursor=AAAA`), ["invalid_field"]);
  refused(await ada.caller.get("/organisations/org_1"), "not_found", 404);
  refused(await ada.caller.get("/organisations/' or 1=1"), "not_found", 404);
  refused(await ada.caller.get(`/organisations/${sandbox}`), "not_found", 404);
  refused(await ada.caller.get("/nothing"), "not_found", 404);
  const nowhere = organisation.replace(/.{4}$/, "0000");
  refused(await ada.caller.get(`/organisations/${nowhere}`), "not_found", 404);
});

test("somebody who is not signed in reads and changes nothing", async () => {
  const stranger = new Caller(server.origin);
  refused(await stranger.get("/organisations"), "unauthenticated", 401);
  refused(await stranger.post(`${base()}/areas`, { name: "x" }), "unauthenticated", 401);
  stranger.cookies.set([...ada.caller.cookies.keys()][0] ?? "", "AAAAAAAAAAAAAAAAAAAAAA");
  refused(await stranger.get("/organisations"), "unauthenticated", 401);
});

test("the cookie is closed to scripts, to other sites and to plain connections", async () => {
  const [name] = [...ada.caller.cookies.keys()];
  assert.match(name ?? "", /^__Host-/);
});

test("a request from another site is refused before anything else", async () => {
  const other = { "sec-fetch-site": "cross-site", origin: "https://evil.example.org" };
  refused(await ada.caller.post(`${base()}/areas`, { name: "x" }, { headers: other }), "cross_site", 403);
  refused(await ada.caller.post("/sign-out", {}, { headers: other }), "cross_site", 403);
  assert.deepEqual(await names(), ["docs"]);
  assert.equal((await ada.caller.get("/self")).status, 200, "the sign-out of another site did nothing");
});

test("a stale If-Match changes nothing, a nonsense one is refused", async () => {
  const path = `${base()}/areas/${area}`;
  refused(await ada.caller.patch(path, { name: "other" }, { headers: { "if-match": '"999"' } }), "stale_revision", 412);
  refused(await ada.caller.patch(path, { name: "other" }, { headers: { "if-match": "yesterday" } }), ["invalid_field", "stale_revision"]);
  assert.deepEqual(await names(), ["docs"]);
});

test("an idempotency key repeats its answer and refuses another request", async () => {
  const key = { headers: { "idempotency-key": "one-and-the-same" } };
  const first = await ada.caller.post(`/organisations/${organisation}/sandboxes`, { name: "Twice" }, key);
  assert.equal(first.status, 201, first.text);
  const second = await ada.caller.post(`/organisations/${organisation}/sandboxes`, { name: "Twice" }, key);
  assert.equal(second.status, 201, second.text);
  assert.equal(second.json.id, first.json.id);
  refused(await ada.caller.post(`/organisations/${organisation}/sandboxes`, { name: "Other" }, key), "idempotency_reused");
});

test("the same grant at the same instant is made once", async () => {
  const invitation = await ada.caller.post(`/organisations/${organisation}/invitations`, { email: "cy@example.org", role: "member" });
  assert.equal(invitation.status, 201, invitation.text);
  const cy = await invited(server, invitation.json.link, "Cy");
  open.push(cy);
  const grant = { email: "cy@example.org", role: "viewer", areas: ["docs"], agents: "off" };
  const answers = await Promise.all(Array.from({ length: 6 }, () => ada.caller.post(`${base()}/members`, grant)));
  for (const answer of answers) {
    assert.ok([200, 201, 409].includes(answer.status), answer.text);
  }
  const list = await ada.caller.get(`${base()}/members`);
  assert.equal(list.json.members.filter((member: { email: string }) => member.email === "cy@example.org").length, 1);
});

test("a grant with a reach of credentials is refused until there is one", async () => {
  const grant = { email: "bo@example.org", role: "viewer", areas: ["docs"], agents: "off", credentials: "all" };
  refused(await ada.caller.post(`${base()}/members`, grant), "reach_unavailable");
});

test("a member cannot do what their access does not cover, nor look elsewhere", async () => {
  refused(await bo.caller.post(`${base()}/areas`, { name: "mine" }), "insufficient_access", 403);
  refused(await bo.caller.patch(`/organisations/${organisation}`, { name: "Mine" }), "insufficient_access", 403);
  const other = await ada.caller.post(`/organisations/${organisation}/sandboxes`, { name: "Closed" });
  refused(await bo.caller.get(`/organisations/${organisation}/sandboxes/${other.json.id}`), "not_found", 404);
});

async function removal(): Promise<Answer> {
  const list = await ada.caller.get(`${base()}/members`);
  const member = list.json.members.find((one: { email: string }) => one.email === "bo@example.org");
  return ada.caller.delete(`${base()}/members/${member.id}`);
}

test("a confirmation that was altered, is another one's or comes twice does nothing", async () => {
  const first = await removal();
  const second = await removal();
  const one = await signed(ada, organisation, first);
  const two = await signed(ada, organisation, second);
  refused(await ada.caller.post(`${two.path}/confirm`, one.body), ["confirmation_invalid", "ceremony_invalid"]);
  const altered = structuredClone(one.body) as { credential: { response: { signature: string } } };
  altered.credential.response.signature = altered.credential.response.signature.replace(/^.{8}/, "MEUCIQDA");
  refused(await ada.caller.post(`${one.path}/confirm`, altered), ["confirmation_invalid", "ceremony_invalid"]);
  refused(await bo.caller.post(`${one.path}/confirm`, one.body), ["not_found", "insufficient_access", "confirmation_invalid", "own_proposal"]);
  const members = await ada.caller.get(`${base()}/members`);
  assert.ok(members.json.members.some((one: { email: string }) => one.email === "bo@example.org"), "Bo is still there");

  const done = await confirm(ada, organisation, first);
  assert.ok(done.status < 300, done.text);
  const again = await ada.caller.post(`${one.path}/confirm`, one.body);
  refused(again, ["proposal_closed", "confirmation_invalid"]);
  // What the other proposal was about is gone, so it cannot be carried out any more.
  refused(await confirm(ada, organisation, second).catch(() => removal()), ["proposal_void", "proposal_closed", "not_found", "confirmation_required"]);
  refused(await bo.caller.get(base()), "not_found", 404);
});

test("a used link and an invented one open nothing", async () => {
  const token = new URL(server.firstOwnerLink ?? "").hash.slice(1);
  const stranger = new Caller(server.origin);
  refused(await stranger.post("/first-owner/show", { token }), ["token_used", "token_expired", "token_invalid"]);
  refused(await stranger.post("/first-owner/begin", { token, email: "eve@example.org", name: "Eve" }), ["token_used", "token_expired", "token_invalid", "rate_limited"]);
  refused(await stranger.post("/invitations/show", { token: "A".repeat(43) }), ["token_invalid", "rate_limited"]);
});

test("a policy document of nonsense is refused with the place, and the one in force stays", async () => {
  const path = `/organisations/${organisation}/policy`;
  const before = await ada.caller.get(path);
  const answer = await ada.caller.put(path, { document: { version: 1, rules: [{ action: "no.such.thing", decision: "perhaps", priority: 1 }] } });
  refused(answer, ["invalid_field", "unknown_action"]);
  const after = await ada.caller.get(path);
  assert.equal(after.json.version, before.json.version);
});

const uuid = (id: string) => id.slice(id.indexOf("_") + 1);

test("a confirmation that comes too late does nothing", async () => {
  const path = `/organisations/${organisation}/policy`;
  const asked = await ada.caller.put(path, { document: { version: 1, rules: [{ action: "*", decision: "allow", priority: 0 }] } });
  const { path: proposal, body } = await signed(ada, organisation, asked);
  await server.sql(`update proposal set expires_at = now() - interval '1 second' where id = '${uuid(asked.json.proposal.proposalId)}'`);
  refused(await ada.caller.post(`${proposal}/confirm`, body), ["proposal_expired", "proposal_closed"]);
  assert.equal((await ada.caller.get(path)).json.version, 0);
});

test("a policy that was edited into nonsense by hand is replaced by the built-in one, and can be reset", async () => {
  const path = `/organisations/${organisation}/policy`;
  const self = await ada.caller.get("/self");
  await server.sql(
    `insert into policy_document (org_id, scope_id, version, document, created_at, created_by) values
     ('${uuid(organisation)}', '${uuid(organisation)}', 1, '{"version": 1, "rules": "all of them"}', now(), '${uuid(self.json.account.id)}')`,
  );
  const read = await ada.caller.get(path);
  assert.equal(read.status, 200, read.text);
  assert.equal(read.json.valid, false);
  assert.ok(read.json.problems.length > 0 && read.json.effective.rules.length > 0);
  assert.equal((await ada.caller.post(`${base()}/areas`, { name: "by-default" })).status, 201);
  const reset = await server.command("admin", "policy", "reset", "--organisation", organisation, "--json");
  assert.equal(reset.code, 0, reset.output);
  assert.equal((await ada.caller.get(path)).json.valid, true);
});

test("an emergency row that cannot be read counts as a stop, and can be released", async () => {
  const path = `/organisations/${organisation}/emergency`;
  await server.sql(`insert into emergency (org_id, scope_id, state) values ('${uuid(organisation)}', '${uuid(organisation)}', '"scrambled"')`);
  const read = await ada.caller.get(path);
  assert.equal(read.json.engaged, true, read.text);
  assert.equal(read.json.readable, false);
  refused(await ada.caller.post(`${base()}/areas`, { name: "stopped" }), "emergency_stop");
  const released = await confirm(ada, organisation, await ada.caller.post(`${path}/reset`));
  assert.ok(released.status < 300, released.text);
  assert.equal((await ada.caller.post(`${base()}/areas`, { name: "released" })).status, 201);
});

test("the first owner's link can be made anew by whoever runs the server", async () => {
  const made = await server.command("admin", "first-owner", "--json");
  assert.equal(made.code, 0, made.output);
  const { link } = JSON.parse(made.output);
  const shown = await new Caller(server.origin).post("/first-owner/show", { token: new URL(link).hash.slice(1) });
  assert.ok(shown.status === 200 || shown.json.code === "rate_limited", shown.text);
});

test("nothing of all this was an internal error", () => {
  assert.doesNotMatch(server.output, /panicked/);
  assert.doesNotMatch(server.output, /"code":"internal"/);
});
