import { afterEach, expect, test, vi } from 'vitest';
import { asked } from '../waits/confirmation';
import { Abandoned } from './problem';
import { ifMatch, transport } from './transport';

const url = 'https://localhost/api/v1/organisations/org_0a/sandboxes';
const post = () => new Request(url, { method: 'POST', body: '{}' });
const notice = { proposalId: 'prp_1', organisationId: 'org_0a', description: 'Remove Ola', requires: 1 };
const needed = () =>
  Response.json(
    { code: 'confirmation_required', proposal: notice },
    { status: 403, headers: { 'Content-Type': 'application/problem+json' } },
  );

afterEach(() => asked.current()?.refuse(new Abandoned()));

test('a mutation has a key and a read has none', async () => {
  const seen: (string | null)[] = [];
  const send = transport(async (request) => {
    seen.push(request.headers.get('Idempotency-Key'));
    return new Response(null, { status: 204 });
  }, vi.fn());
  await send(post());
  await send(new Request(url));
  expect(seen[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(seen[1]).toBeNull();
});

test('when the network fails a mutation is repeated once, under the same key and with its body', async () => {
  const seen: string[] = [];
  const send = transport(async (request) => {
    seen.push(`${request.headers.get('Idempotency-Key')} ${await request.text()}`);
    if (seen.length === 1) throw new TypeError('network');
    return new Response(null, { status: 204 });
  }, vi.fn());
  expect((await send(post())).status).toBe(204);
  expect(seen).toHaveLength(2);
  expect(seen[0]).toBe(seen[1]);
});

test('what needs a confirmation answers what the confirmed action answered', async () => {
  const answer = transport(async () => needed(), vi.fn())(post());
  await vi.waitFor(() => expect(asked.current()).toMatchObject(notice));
  asked.current()?.answer(new Response('done'));
  expect(await (await answer).text()).toBe('done');
  expect(asked.current()).toBeUndefined();
});

test('a dialog that is closed leaves the call abandoned', async () => {
  const answer = transport(async () => needed(), vi.fn())(post());
  await vi.waitFor(() => expect(asked.current()).toBeDefined());
  asked.current()?.refuse(new Abandoned());
  await expect(answer).rejects.toBeInstanceOf(Abandoned);
});

test('another refusal stays what it is', async () => {
  const denied = Response.json({ code: 'policy' }, { status: 403 });
  expect(await transport(async () => denied, vi.fn())(post())).toBe(denied);
});

test('a lost sign-in is told, but not while signing in', async () => {
  const gone = vi.fn();
  const send = transport(async () => new Response(null, { status: 401 }), gone);
  await send(new Request('https://localhost/api/v1/sign-in/finish', { method: 'POST' }));
  expect(gone).not.toHaveBeenCalled();
  await send(new Request(url));
  expect(gone).toHaveBeenCalledOnce();
});

test('a revision is quoted', () => {
  expect(ifMatch(7)).toEqual({ 'If-Match': '"7"' });
});
