import type { JsonObject } from '../../core/protocol/message.ts';
import { readUtf8, showUtf8 } from '../../core/wire/utf8.ts';
import { visibleText } from '../../core/wire/visible-text.ts';

/** No more of something strange is shown. */
const longest = 200;

/** A log message of a server, as a person is told (server/utilities/logging). */
export function logText({ level, logger, data }: JsonObject): string {
  const who = typeof logger === 'string' && logger !== '' ? ` of ${logger}` : '';
  return `server log${who}, ${String(level)}: ${typeof data === 'string' ? data : JSON.stringify(data)}`;
}

type SaidUnasked = { kind: 'stray'; body: Uint8Array } | { kind: 'unasked'; json: JsonObject; why: string };

/** A body that is no message, or an answer to nothing, as a person is told. */
export function strayText(heard: SaidUnasked): string {
  if (heard.kind === 'stray') return `the server sent what is no MCP message: ${beginning(showUtf8(heard.body))}`;
  return `${heard.why}: ${beginning(JSON.stringify(heard.json))}`;
}

const beginning = (text: string): string => (text.length > longest ? `${text.slice(0, longest)} …` : text);

/** What a server prints on stderr, fit for a terminal. */
export const visibleLines = (bytes: Uint8Array): string =>
  (readUtf8(bytes) ?? showUtf8(bytes))
    .split(/\r?\n/)
    .map((line) => line.split('\t').map(visibleText).join('\t'))
    .join('\n');
