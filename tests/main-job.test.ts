// The whole story, as people live it: in a real browser, against the real server, with real passkeys.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { callerOf, type Person, person } from "./support/browser.ts";
import { Server, stopAll, until } from "./support/server.ts";
import { type Words, words } from "./support/words.ts";

const en = words("en");
const pl = words("pl");
const PATIENCE = 15_000;

let server: Server;
let ada: Person;
let bo: Person;
let organisation = "";
let sandbox = "";
let link = "";
const faults: string[] = [];

before(async () => {
  mkdirSync("screenshots", { recursive: true });
  server = await Server.start();
  ada = await person("en");
  bo = await person("pl");
  for (const [name, one] of [["Ada", ada], ["Bo", bo]] as const) {
    one.page.setDefaultTimeout(PATIENCE);
    one.page.on("pageerror", (error) => faults.push(`${name}: ${error.message}`));
    one.page.on("console", (message) => {
      // The browser itself reports every refused request; what counts is what the pages do about it.
      if (message.type() === "error" && !/Failed to load resource/.test(message.text())) {
        faults.push(`${name}: ${message.text()}`);
      }
    });
  }
});

after(async () => {
  await ada?.close();
  await bo?.close();
  await stopAll();
});

let shots = 0;
async function shot(page: Page, name: string): Promise<void> {
  shots += 1;
  await page.screenshot({ path: `screenshots/main-job-${String(shots).padStart(2, "0")}-${name}.png`, animations: "disabled" });
}

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });
const dialog = (page: Page) => page.getByRole("dialog");

async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${server.origin}${path}`);
}

const place = () => `/organisations/${organisation}/sandboxes/${sandbox}`;

/** Answers the dialog that shows the server's own words and asks for the passkey. */
async function prove(page: Page, t: Words): Promise<string> {
  await heading(page, t("confirmation.title")).waitFor();
  const said = await dialog(page).innerText();
  await dialog(page).getByRole("button", { name: t("confirmation.prove") }).click();
  return said;
}

async function make(page: Page, t: Words, what: string, name: string): Promise<void> {
  await button(page, t(what)).click();
  await dialog(page).getByLabel(t("name")).fill(name);
  await dialog(page).getByRole("button", { name: t("create"), exact: true }).click();
}

test("the first owner opens the printed link and makes a passkey", async () => {
  const page = ada.page;
  await page.goto(server.firstOwnerLink ?? "");
  await heading(page, en("firstOwner.title")).waitFor();
  await page.getByLabel(en("personName")).fill("Ada Lovelace");
  await page.getByLabel(en("email")).fill("ada@example.org");
  await shot(page, "first-owner");
  await button(page, en("firstOwner.make")).click();
  await heading(page, en("home.title")).waitFor();
  await shot(page, "home");
});

test("she signs out and in again with the passkey", async () => {
  const page = ada.page;
  await open(page, "/account");
  await button(page, en("signOut")).click();
  await page.getByRole("button", { name: en("signIn.passkey") }).click();
  await heading(page, en("home.title")).waitFor();
});

test("she creates an organisation, a sandbox and its areas", async () => {
  const page = ada.page;
  await make(page, en, "organisation.create", "Acme");
  await page.waitForURL(/\/organisations\/org_[0-9a-f]{32}$/);
  organisation = /org_[0-9a-f]{32}/.exec(page.url())?.[0] ?? "";
  await page.getByRole("link", { name: en("nav.sandboxes"), exact: true }).click();
  await make(page, en, "sandbox.create", "Studio");
  await page.waitForURL(/\/sandboxes\/sbx_[0-9a-f]{32}$/);
  sandbox = /sbx_[0-9a-f]{32}/.exec(page.url())?.[0] ?? "";
  await page.getByRole("link", { name: en("nav.areas"), exact: true }).click();
  for (const area of ["docs", "design"]) {
    await make(page, en, "area.create", area);
    await page.getByRole("cell", { name: area, exact: true }).waitFor();
  }
  await shot(page, "areas");
});

test("a grant that contradicts itself is refused while she types, and one that may not be is refused by the server", async () => {
  const page = ada.page;
  await open(page, `${place()}/members`);
  await button(page, en("member.add")).click();
  await dialog(page).getByLabel(en("email")).fill("stranger@example.org");
  const sees = dialog(page).getByRole("radiogroup", { name: en("access.sees") });
  const edits = dialog(page).getByRole("radiogroup", { name: en("access.edits") });
  await sees.getByLabel(en("access.onlyThese")).check();
  await dialog(page).getByRole("checkbox", { name: "docs", exact: true }).first().check();
  await edits.getByLabel(en("access.editIs.all")).check();
  await dialog(page).getByText(en("access.refused.editAllWithAreas")).waitFor();
  assert.ok(await dialog(page).getByRole("button", { name: en("member.add"), exact: true }).isDisabled());
  await shot(page, "grant-refused-as-typed");
  await edits.getByLabel(en("access.editIs.none")).check();
  await dialog(page).getByText(en("access.result", { role: en("role.viewer") })).waitFor();
  await dialog(page).getByRole("button", { name: en("member.add"), exact: true }).click();
  await dialog(page).getByText(en("code.not_a_member")).waitFor();
  await shot(page, "grant-refused-by-server");
  await dialog(page).getByRole("button", { name: en("cancel") }).click();
});

test("she makes an invitation link with a fenced grant", async () => {
  const page = ada.page;
  await button(page, en("member.invite")).click();
  await dialog(page).getByLabel(en("email")).fill("bo@example.org");
  await dialog(page).getByRole("radiogroup", { name: en("access.sees") }).getByLabel(en("access.onlyThese")).check();
  await dialog(page).getByRole("checkbox", { name: "docs", exact: true }).first().check();
  await dialog(page).getByText(en("access.result", { role: en("role.viewer") })).waitFor();
  await shot(page, "invite");
  await dialog(page).getByRole("button", { name: en("invitation.make") }).click();
  link = await page.getByLabel(en("invitation.link"), { exact: true }).inputValue();
  assert.match(link, /^https:\/\/localhost:\d+\/invitation#\S{20,}$/);
  await shot(page, "invitation-link");
  await dialog(page).getByRole("button", { name: en("close"), exact: true }).click();
});

test("the invited person registers a passkey, in Polish, and sees only what they may", async () => {
  const page = bo.page;
  await page.goto(link);
  await heading(page, pl("invitation.title")).waitFor();
  await page.getByLabel(pl("personName")).fill("Bo Nowak");
  await shot(page, "invitation-pl");
  await button(page, pl("invitation.acceptNew")).click();
  await heading(page, pl("home.title")).waitFor();
  await shot(page, "home-pl");
  await page.getByRole("link", { name: "Studio", exact: true }).first().click();
  await heading(page, "Studio").waitFor();
  await page.getByRole("link", { name: pl("nav.areas"), exact: true }).click();
  await page.getByRole("cell", { name: "docs", exact: true }).waitFor();
  assert.equal(await page.getByRole("cell", { name: "design", exact: true }).count(), 0, "the other area stays unseen");
  const create = button(page, pl("area.create"));
  assert.equal(await create.getAttribute("aria-disabled"), "true");
  assert.equal(await create.getAttribute("aria-description"), pl("code.insufficient_access"));
  await shot(page, "areas-pl");
  await page.getByRole("link", { name: pl("nav.access"), exact: true }).click();
  await page.getByText("docs").first().waitFor();
  await shot(page, "own-access-pl");

  const caller = await callerOf(bo, server.origin);
  const direct = await caller.post(`${place()}/areas`, { name: "mine" });
  assert.equal(direct.json.code, "insufficient_access", direct.text);
  const self = await caller.get("/self");
  const trail = await caller.get(`/organisations/${organisation}/audit`);
  assert.ok(trail.json.items.length > 0, "everybody reads what they did themselves");
  for (const item of trail.json.items) {
    assert.equal(item.actor.id, self.json.account.id, "and nothing of others");
  }
});

test("a confirmed removal cuts the open page within a second", async () => {
  // Bo keeps a page of the sandbox open and does nothing.
  await heading(bo.page, pl("nav.access")).waitFor();
  const page = ada.page;
  await open(page, `${place()}/members`);
  await button(page, en("removeNamed", { name: "Bo Nowak" })).click();
  await heading(page, en("confirmation.title")).waitFor();
  assert.match(await dialog(page).innerText(), /Bo|bo@example\.org/, "the server says whom it is about");
  await shot(page, "confirm-removal");
  const cut = heading(bo.page, pl("ended.title")).waitFor({ timeout: 10_000 }).then(() => performance.now());
  const answered = page.waitForResponse((response) => /\/confirm$/.test(new URL(response.url()).pathname));
  await dialog(page).getByRole("button", { name: en("confirmation.prove") }).click();
  assert.ok((await answered).ok());
  const done = performance.now();
  const lag = (await cut) - done;
  console.log(`the open page was cut ${Math.round(lag)} ms after the confirmation was answered`);
  assert.ok(lag < 1_000, `${lag} ms`);
  await shot(bo.page, "cut-pl");
  const caller = await callerOf(bo, server.origin);
  assert.equal((await caller.get(place())).status, 404);
});

test("the emergency stop denies new work until it is released with a passkey", async () => {
  const page = ada.page;
  await open(page, `/organisations/${organisation}/emergency`);
  await page.getByLabel(en("emergency.reason.drill")).check();
  await button(page, en("emergency.engage")).click();
  await page.getByText(en("emergency.engagedTitle")).first().waitFor();
  await shot(page, "stopped");
  const caller = await callerOf(ada, server.origin);
  const denied = await caller.post(`${place()}/areas`, { name: "during-the-stop" });
  assert.equal(denied.json.code, "emergency_stop", denied.text);
  await button(page, en("emergency.release")).click();
  await prove(page, en);
  await page.getByText(en("emergency.releasedTitle")).first().waitFor();
  await shot(page, "released");
  const made = await caller.post(`${place()}/areas`, { name: "after-the-stop" });
  assert.equal(made.status, 201, made.text);
});

const STEPS = [
  "organisation.create",
  "sandbox.create",
  "area.create",
  "invitation.create",
  "invitation.accept",
  "member.remove",
  "emergency.engage",
  "emergency.reset",
];

test("the audit explorer shows each step, one record in full, and verifies", async () => {
  const page = ada.page;
  for (const step of STEPS) {
    await open(page, `/organisations/${organisation}/audit?action=${step}`);
    await page.getByRole("table").getByText(en(`action.${step.replaceAll(".", "__")}`)).first().waitFor();
  }
  await open(page, `/organisations/${organisation}/audit`);
  await page.getByRole("table").getByText(en("action.member__remove")).first().waitFor();
  await shot(page, "audit");
  await page.getByRole("table").getByText(en("action.member__remove"), { exact: true }).first().click();
  await heading(page, en("audit.record")).waitFor();
  await page.getByText(en("audit.leaf"), { exact: true }).first().waitFor();
  await shot(page, "audit-record");
  await page.keyboard.press("Escape");
  await button(page, en("verify.run")).click();
  await page.getByText(en("verify.verdict.verified")).waitFor();
  await shot(page, "audit-verified");

  const caller = await callerOf(ada, server.origin);
  const refused = await caller.get(`/organisations/${organisation}/audit?action=area.create&outcome=denied`);
  assert.equal(refused.json.items.length, 2, "Bo's try and the one during the stop are on record");
});

test("the command line verifies the trail, and says where it breaks once a row was altered in the database", async () => {
  let said = { code: null as number | null, output: "" };
  await until("the trail is sealed and verified", async () => {
    said = await server.command("audit", "verify");
    return said.code === 0;
  }, 30).catch((error: Error) => assert.fail(`${error.message}\n${said.output}`));
  assert.match(said.output, new RegExp(`${organisation}: verified`));

  const record = await server.sql(`select record_id from audit_record where action = 'member.remove' and outcome = 'done' limit 1`);
  const seq = await server.sql(`select l.seq from audit_link l join audit_record r using (record_id) where r.record_id = '${record}' and l.chain_id = r.org_id`);
  await server.sql(`set session_replication_role = replica; update audit_record set outcome = 'denied' where record_id = '${record}'`);
  const columns = await server.command("audit", "verify");
  assert.equal(columns.code, 8, columns.output);
  assert.match(columns.output, /BROKEN/);
  await server.sql(`set session_replication_role = replica; update audit_record set outcome = 'done', bytes = bytes || ' '::bytea where record_id = '${record}'`);
  const bytes = await server.command("audit", "verify", "--organisation", organisation);
  assert.equal(bytes.code, 8, bytes.output);
  assert.match(bytes.output, new RegExp(` at ${seq}\\b`), `the break is named by its position\n${bytes.output}`);

  const page = ada.page;
  await open(page, `/organisations/${organisation}/audit`);
  await button(page, en("verify.run")).click();
  await page.getByText(en("verify.verdict.broken")).waitFor();
  await shot(page, "audit-broken");
});

test("no page reported a fault, and the server neither", () => {
  assert.deepEqual(faults, []);
  assert.doesNotMatch(server.output, /panicked/);
});

test("the server ends at once although pages are open and follow what happens", async () => {
  await open(ada.page, `/organisations/${organisation}/audit`);
  await ada.page.getByRole("table").getByText(en("action.member__remove")).first().waitFor();
  const begun = performance.now();
  const end = await server.stop();
  assert.equal(end.code, 0, end.output);
  const lasted = performance.now() - begun;
  console.log(`the server ended within ${Math.round(lasted)} ms`);
  assert.ok(lasted < 8_000, `${lasted} ms`);
});
