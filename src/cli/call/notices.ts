import { type JsonObject } from '../../core/protocol/message.ts';
import { readUtf8, showUtf8 } from '../../core/wire/utf8.ts';
import { visibleText } from '../../core/wire/visible-text.ts';
import { tell } from '../tell.ts';

/** What a server says without being asked, said on stderr: log messages, and the rest to who watches for it. */
export function notified(method: string, params: JsonObject, isWatching: boolean): void {
  if (method === 'notifications/message') {
    const { level, logger, data } = params;
    const who = typeof logger === 'string' ? ` ${logger}` : '';
    tell(`server log,${who} ${String(level)}: ${typeof data === 'string' ? data : JSON.stringify(data)}`);
  } else if (isWatching && method !== 'notifications/progress') {
    tell(`server: ${method} ${JSON.stringify(params)}`);
  }
}

/** One line that is written anew, on a terminal; nothing elsewhere. */
export function showProgress({ progress, total, message }: JsonObject): void {
  if (!process.stderr.isTTY) return;
  const share = typeof progress === 'number' && typeof total === 'number' && total > 0 ? progress / total : undefined;
  const bar =
    share === undefined
      ? String(progress)
      : `${'█'.repeat(Math.round(share * 20)).padEnd(20, '░')} ${Math.round(share * 100)} %`;
  const words = typeof message === 'string' ? ` ${visibleText(message)}` : '';
  process.stderr.write(`\r\u001b[K${bar}${words}${share === 1 ? '\r\u001b[K' : ''}`);
}

/** A body that is no message, or an answer to nothing, as a person is told. */
export const strayText = (heard: { kind: 'stray'; body: Uint8Array } | { kind: 'unasked'; json: JsonObject }): string =>
  heard.kind === 'stray' ? showUtf8(heard.body.subarray(0, 200)) : JSON.stringify(heard.json).slice(0, 200);

/** What a server prints on stderr, fit for a terminal. */
export const visibleLines = (bytes: Uint8Array): string =>
  (readUtf8(bytes) ?? showUtf8(bytes))
    .split('\n')
    .map((line) => line.split('\t').map(visibleText).join('\t'))
    .join('\n');
