import { requestToEnd } from '../../commands/request-to-end.ts';
import type { Connection } from '../../commands/connect.ts';
import type { Host } from '../../commands/host.ts';
import type { JsonObject } from '../../core/protocol/message.ts';
import type { Outcome } from '../../io/session.ts';
import type { Terminal } from '../terminal.ts';
import type { Given } from '../verbs.ts';
import type { StatusLine } from './status-line.ts';

/** What is to be done with a server that is connected. */
export interface Task {
  connection: Connection;
  host: Host;
  words: readonly string[];
  options: Given['options'];
  terminal: Terminal;
  status: StatusLine;
  /** Says on stderr what the user must know. */
  tell: (text: string) => void;
  signal: AbortSignal;
  /** The input schemas of tools, by their names. */
  schemas: Map<string, unknown>;
}

/** Makes a request to its end; progress is shown meanwhile. */
export async function request(
  { connection, host, signal, status }: Task,
  method: string,
  params: JsonObject,
): Promise<Outcome> {
  try {
    return await requestToEnd(connection, host, { method, params, options: { signal, progress: status.show } });
  } finally {
    status.clear();
  }
}
