import { expect, test } from 'vitest';
import { events, type StreamEvent } from './stream';

async function read(...pieces: string[]): Promise<StreamEvent[]> {
  const found: StreamEvent[] = [];
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece));
      controller.close();
    },
  });
  for await (const event of events(body)) found.push(event);
  return found;
}

test('events may be cut anywhere', async () => {
  expect(await read('event: pro', 'gress\nda', 'ta: {"a":1}\n', '\n: keep\n\nevent:result\ndata: x\ndata: y\n\n')).toEqual([
    { event: 'progress', data: '{"a":1}' },
    { event: 'result', data: 'x\ny' },
  ]);
});

test('lines may end as on other systems', async () => {
  expect(await read('event: a\r\ndata: 1\r', '\n\r', '\ndata: 2\r\n\r\n')).toEqual([
    { event: 'a', data: '1' },
    { event: 'message', data: '2' },
  ]);
});

test('what was not finished is no event', async () => {
  expect(await read('data: 1\n\ndata: 2')).toEqual([{ event: 'message', data: '1' }]);
});
