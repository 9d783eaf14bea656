// People who come in through the API, each with a real authenticator of their own.

import assert from "node:assert/strict";
import { assertion, type Person, person, register } from "./browser.ts";
import { type Answer, Caller } from "./http.ts";
import type { Server } from "./server.ts";

export type Someone = { caller: Caller; browser: Person; email: string };

async function arrive(server: Server): Promise<Person> {
  const browser = await person();
  // Any page of the origin will do: passkeys are bound to it.
  await browser.page.goto(`${server.origin}/livez`);
  return browser;
}

function token(link: string): string {
  return new URL(link).hash.slice(1);
}

/** The first owner of a fresh server. */
export async function firstOwner(server: Server, email = "ada@example.org", name = "Ada"): Promise<Someone> {
  assert.ok(server.firstOwnerLink, "a fresh server prints the first owner's link");
  const browser = await arrive(server);
  const caller = new Caller(server.origin);
  const begun = await caller.post("/first-owner/begin", { token: token(server.firstOwnerLink), email, name });
  assert.equal(begun.status, 200, begun.text);
  const credential = await register(browser.page, begun.json.publicKey);
  const done = await caller.post("/first-owner/finish", { ceremonyId: begun.json.ceremonyId, credential });
  assert.equal(done.status, 200, done.text);
  return { caller, browser, email };
}

/** Somebody who accepts an invitation link for an address that has no account yet. */
export async function invited(server: Server, link: string, name: string): Promise<Someone> {
  const browser = await arrive(server);
  const caller = new Caller(server.origin);
  const shown = await caller.post("/invitations/show", { token: token(link) });
  assert.equal(shown.status, 200, shown.text);
  const begun = await caller.post("/invitations/begin", { token: token(link), name });
  assert.equal(begun.status, 200, begun.text);
  const credential = await register(browser.page, begun.json.publicKey);
  const done = await caller.post("/invitations/accept", { token: token(link), ceremonyId: begun.json.ceremonyId, credential });
  assert.equal(done.status, 200, done.text);
  return { caller, browser, email: shown.json.email };
}

/** Asks for the challenge of a parked proposal and answers it with the person's passkey: the body of the confirmation. */
export async function signed(someone: Someone, organisation: string, refused: Answer): Promise<{ path: string; body: { credential: unknown } }> {
  assert.equal(refused.json?.code, "confirmation_required", refused.text);
  const path = `/organisations/${organisation}/proposals/${refused.json.proposal.proposalId}`;
  const challenge = await someone.caller.post(`${path}/challenge`);
  assert.equal(challenge.status, 200, challenge.text);
  return { path, body: { credential: await assertion(someone.browser.page, challenge.json.publicKey) } };
}

/** Confirms what was refused with `confirmation_required`. */
export async function confirm(someone: Someone, organisation: string, refused: Answer): Promise<Answer> {
  const { path, body } = await signed(someone, organisation, refused);
  return someone.caller.post(`${path}/confirm`, body);
}
