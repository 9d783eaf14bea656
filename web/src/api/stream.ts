/** One event of a server-sent stream. */
export type StreamEvent = { event: string; data: string };

/** Splits a stream of bytes into events as the HTML standard says, so that a POST can answer events too. */
export async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let buffer = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      buffer += value;
      // A lone CR at the end may be half of a CRLF: it waits for the next piece.
      const blocks = buffer.split(/\r\n\r\n|\n\n|\r\r(?!\n)/);
      buffer = blocks.pop() ?? '';
      for (const block of blocks) {
        const parsed = parse(block);
        if (parsed) yield parsed;
      }
    }
  } finally {
    await reader.cancel();
  }
}

function parse(block: string): StreamEvent | undefined {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') event = value;
    if (name === 'data') data.push(value);
  }
  return data.length > 0 || event !== 'message' ? { event, data: data.join('\n') } : undefined;
}
