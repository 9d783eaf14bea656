// The real browser, with an authenticator that the browser itself implements.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { Caller } from "./http.ts";

/** One person at one computer: a browser profile, one page, one authenticator. */
export type Person = { context: BrowserContext; page: Page; close: () => Promise<void> };

/** Opens a browser with a new profile. `language` is what the browser asks pages for. */
export async function person(language: "en" | "pl" = "en"): Promise<Person> {
  const profile = mkdtempSync(join(tmpdir(), "bailiwick-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: "/usr/bin/chromium",
    headless: true,
    ignoreHTTPSErrors: true,
    locale: language === "pl" ? "pl-PL" : "en-GB",
    timezoneId: "Europe/Warsaw",
    viewport: { width: 1280, height: 900 },
    args: [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
  const page = context.pages()[0] ?? (await context.newPage());
  const devtools = await context.newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    context,
    page,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** Registers a passkey with these options, as the console does, and answers the credential for the server. */
export function register(page: Page, publicKey: unknown): Promise<unknown> {
  return page.evaluate(async (json: any) => {
    const options = (PublicKeyCredential as any).parseCreationOptionsFromJSON(json.publicKey ?? json);
    const credential = await navigator.credentials.create({ publicKey: options });
    return (credential as any).toJSON();
  }, publicKey);
}

/** Answers a challenge with a passkey of this browser. */
export function assertion(page: Page, publicKey: unknown): Promise<unknown> {
  return page.evaluate(async (json: any) => {
    const options = (PublicKeyCredential as any).parseRequestOptionsFromJSON(json.publicKey ?? json);
    const credential = await navigator.credentials.get({ publicKey: options });
    return (credential as any).toJSON();
  }, publicKey);
}

/** A caller that shares the browser's cookies: for requests that a page cannot send. */
export async function callerOf(person: Person, origin: string): Promise<Caller> {
  const caller = new Caller(origin);
  for (const cookie of await person.context.cookies(origin)) {
    caller.cookies.set(cookie.name, cookie.value);
  }
  return caller;
}
