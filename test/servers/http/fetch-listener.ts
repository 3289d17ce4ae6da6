import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Handler } from './handler.ts';

/** Serves with `node:http` what was made for the web's `Request` and `Response`. */
export function fetchListener(answer: (request: Request) => Promise<Response>): Handler {
  return async (incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.on('close', () => gone.abort());
    const { method = 'GET', headers, url = '/' } = incoming;
    const hasBody = method !== 'GET' && method !== 'HEAD';
    const request = new Request(new URL(url, `http://${headers.host}`), {
      method,
      headers: headers as Record<string, string>,
      signal: gone.signal,
      ...(hasBody ? { body: Readable.toWeb(incoming) as never, duplex: 'half' } : {}),
    });
    const response = await answer(request);
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.flushHeaders();
    if (!response.body) {
      outgoing.end();
      return;
    }
    await pipeline(Readable.fromWeb(response.body as never), outgoing).catch(() => undefined);
  };
}
