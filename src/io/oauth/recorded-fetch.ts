import type { HeaderLine } from '../../core/trace/format.ts';
import { isObject } from '../../core/protocol/message.ts';
import { headerValue } from '../../core/wire/http-headers.ts';
import type { ClientAnswer, RecordedClient } from '../http/recorded-client.ts';

export interface RecordedFetchOptions {
  client: RecordedClient;
  /** The name and version of who asks: `wireproof 1.0.0`. */
  by: string;
}

interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string | URLSearchParams | Uint8Array | ReadableStream | null | undefined;
}

/** `fetch`, as the steps of a sign-in need it: what it asks is recorded, and it tells what it asked last, without secrets. */
export class RecordedFetch {
  /** `POST https://as.example/token`; nothing before anything was asked. */
  asked: string | undefined;
  /** `HTTP 400 Bad Request, invalid_grant`; nothing where no answer came. */
  came: string | undefined;
  private readonly client: RecordedClient;
  private readonly userAgent: string;

  constructor({ client, by }: RecordedFetchOptions) {
    this.client = client;
    this.userAgent = by.replace(' ', '/');
  }

  /** Nothing follows redirects here: they are answers. */
  readonly fetch = async (url: string, init: FetchInit): Promise<Response> => {
    const { status, reason, lines, body } = await this.request(url, init);
    const isBare = status === 204 || status === 205 || status === 304;
    return new Response(isBare ? null : new Uint8Array(body), {
      status,
      statusText: reason,
      // Its body is plain already.
      headers: lines.filter(([name]) => !/^(?:content-encoding|content-length|transfer-encoding)$/i.test(name)) as [
        string,
        string,
      ][],
    });
  };

  /** Records what the browser did: no request of ours shows it. */
  browserDid(text: string): void {
    this.client.note('sign-in', text);
  }

  /** Reads a document. @returns nothing where what came is no JSON object with the status 200 */
  async document(url: string): Promise<Record<string, unknown> | undefined> {
    const headers = { accept: 'application/json', 'mcp-protocol-version': '2025-11-25' };
    const { status, body } = await this.request(url, { method: 'GET', headers });
    const json = jsonIn(body);
    if (status === 200 && isObject(json)) return json;
    if (status === 200) this.came += ', and no JSON object';
    return undefined;
  }

  private async request(url: string, { method, headers, body }: FetchInit): Promise<ClientAnswer> {
    const given: HeaderLine[] = Object.entries(headers);
    const text = typeof body === 'string' || body instanceof URLSearchParams ? String(body) : undefined;
    this.asked = `${method} ${withoutQuery(url)}`;
    this.came = undefined;
    const request = {
      method,
      lines: [['User-Agent', this.userAgent] as const, ...given],
      body: text === undefined ? undefined : Buffer.from(text),
    };
    const answer = await this.client.request(new URL(url), request);
    this.came = saidIn(answer);
    return answer;
  }
}

/** What an answer says: its status, and the error of OAuth in it. Of its body no more, as that may hold tokens. */
function saidIn({ status, reason, lines, body }: ClientAnswer): string {
  const json = jsonIn(body);
  const { error, error_description: description } = isObject(json) ? json : {};
  const location = headerValue(lines, 'location');
  return [
    `HTTP ${status} ${reason}`.trimEnd(),
    ...(location === undefined || status >= 400 ? [] : [`to ${withoutQuery(location)}: redirects are not followed`]),
    ...(status >= 400 && typeof error === 'string' ? [error] : []),
    ...(status >= 400 && typeof description === 'string' ? [JSON.stringify(description)] : []),
  ].join(', ');
}

const withoutQuery = (url: string): string => url.replace(/[?#].*/s, '');

function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
