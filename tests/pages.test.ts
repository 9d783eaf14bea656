// Every page once in both languages, light and dark, wide and on a phone: nobody is shut out, nothing sticks out.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { firstOwner, invited, type Someone } from "./support/people.ts";
import { Server, stopAll } from "./support/server.ts";
import { type Language, words } from "./support/words.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

let server: Server;
let ada: Someone;
let bo: Someone;
let pages: [name: string, path: string][] = [];
let openLink = "";

before(async () => {
  mkdirSync("screenshots", { recursive: true });
  server = await Server.start();
  ada = await firstOwner(server, "ada@example.org", "Ada Lovelace");
  const organisation = (await ada.caller.post("/organisations", { name: "Acme" })).json.id;
  const sandbox = (await ada.caller.post(`/organisations/${organisation}/sandboxes`, { name: "Studio" })).json.id;
  const base = `/organisations/${organisation}/sandboxes/${sandbox}`;
  await ada.caller.post(`${base}/areas`, { name: "docs" });
  const invite = (email: string) => ada.caller.post(`${base}/invitations`, { email, role: "viewer", areas: ["docs"], agents: "off" });
  bo = await invited(server, (await invite("bo@example.org")).json.link, "Bo Nowak");
  openLink = (await invite("cy@example.org")).json.link;
  // Something that waits, and something that was denied.
  const members = await ada.caller.get(`${base}/members`);
  await ada.caller.delete(`${base}/members/${members.json.members[0].id}`);
  await bo.caller.post(`${base}/areas`, { name: "mine" });
  const below = (root: string, names: string[]): [string, string][] =>
    names.map((name) => [`${root === base ? "sandbox" : "organisation"}-${name || "overview"}`, `${root}${name && `/${name}`}`]);
  pages = [
    ["home", "/"],
    ["account", "/account"],
    ...below(`/organisations/${organisation}`, ["", "members", "invitations", "sandboxes", "policy", "waits", "emergency", "audit"]),
    ...below(base, ["", "members", "areas", "access", "policy", "emergency", "audit"]),
    ["not-found", "/nowhere"],
  ];
  await ada.browser.page.goto(`${server.origin}/sign-in`);
  await ada.browser.page.getByRole("button", { name: words("en")("signIn.passkey") }).click();
  await ada.browser.page.getByRole("heading", { name: words("en")("home.title"), exact: true }).waitFor();
});

after(async () => {
  await ada?.browser.close();
  await bo?.browser.close();
  await stopAll();
});

async function speak(page: Page, language: Language): Promise<void> {
  await page.goto(server.origin);
  await page.locator("label", { hasText: language === "pl" ? "Polski" : "English" }).first().click();
  await page.getByRole("heading", { name: words(language)("home.title"), exact: true }).waitFor();
}

async function settled(page: Page, path: string): Promise<void> {
  await page.goto(server.origin + path);
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.waitForFunction(() => document.querySelectorAll(".mantine-Skeleton-root, [aria-busy=true]").length === 0);
  // Fading in lowers the contrast for a moment.
  await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => undefined))));
}

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  return page.evaluate(async (tags) => {
    const found = await (globalThis as any).axe.run(document, { runOnly: { type: "tag", values: tags } });
    if (found.passes.length < 10) {
      return ["axe looked at hardly anything"];
    }
    return found.violations.map((one: any) => `${one.id}: ${one.nodes.map((node: any) => `${node.target.join(" ")} ${node.any[0]?.message ?? ""}`).join(" | ")}`);
  }, RULES);
}

async function look(page: Page, name: string, path: string): Promise<string[]> {
  await settled(page, path);
  const found = await violations(page);
  await page.screenshot({ path: `screenshots/pages-${name}.png`, fullPage: true, animations: "disabled" });
  return found.map((fault) => `${name}: ${fault}`);
}

for (const language of ["en", "pl"] as const) {
  test(`every page is open to everybody, in ${language}`, async () => {
    const page = ada.browser.page;
    await speak(page, language);
    const faults: string[] = [];
    for (const [name, path] of pages) {
      faults.push(...(await look(page, `${language}-${name}`, path)));
      assert.equal(await page.evaluate(() => document.documentElement.lang), language);
    }
    assert.deepEqual(faults, []);
  });
}

test("dark pages keep their contrast", async () => {
  const page = ada.browser.page;
  await page.emulateMedia({ colorScheme: "dark" });
  const faults: string[] = [];
  for (const [name, path] of pages) {
    faults.push(...(await look(page, `dark-${name}`, path)));
  }
  await page.emulateMedia({ colorScheme: "light" });
  assert.deepEqual(faults, []);
});

test("on a phone nothing sticks out", async () => {
  const page = ada.browser.page;
  await page.setViewportSize({ width: 360, height: 740 });
  const wide: string[] = [];
  for (const [name, path] of pages) {
    await settled(page, path);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    await page.screenshot({ path: `screenshots/pages-phone-${name}.png`, animations: "disabled" });
    if (over > 0) {
      wide.push(`${name}: ${over} px`);
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  assert.deepEqual(wide, []);
});

test("the pages of somebody who is not signed in are open to everybody as well", async () => {
  const page = await ada.browser.context.newPage();
  await ada.browser.context.clearCookies();
  const faults: string[] = [];
  for (const [name, path] of [["sign-in", "/sign-in"], ["invitation", new URL(openLink).pathname + new URL(openLink).hash], ["first-owner", "/first-owner#used"]] as const) {
    faults.push(...(await look(page, name, path)));
  }
  assert.deepEqual(faults, []);
});
