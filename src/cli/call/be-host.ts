import { openServer } from '../../commands/open-server.ts';
import type { ServerProcess } from '../../io/channels/server-process.ts';
import { readConnectOptions, readEra } from '../connect-options.ts';
import { howCalled } from '../how-called.ts';
import { mayAskToSignIn, openAuthorizer } from '../sign-in-options.ts';
import { readTarget } from '../target.ts';
import { tell } from '../tell.ts';
import { openTerminal } from '../terminal.ts';
import type { Given } from '../verbs.ts';
import { interrupted } from './answered.ts';
import { fulfil } from './fulfil.ts';
import { notified, strayText, visibleLines } from './notices.ts';
import { openHost } from './open-host.ts';

/**
 * Does what `call` was asked for.
 *
 * @param started the server, where it was started while this was being loaded
 * @returns the exit code
 */
export async function beHost(given: Given, started: ServerProcess | undefined): Promise<number> {
  const { options } = given;
  const { target, words } = await readTarget(given, tell);
  const terminal = openTerminal(options['color'] !== false && options['json'] !== true);
  const isQuiet = options['quiet'] === true;
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const host = await openHost(options);
  const schemas = new Map<string, unknown>();
  const text = (name: string): string | undefined => options[name] as string | undefined;
  const signIn = { mayAsk: mayAskToSignIn(options), afresh: false, signal: stop.signal };
  const authorizer = await openAuthorizer(target, options, signIn);
  const connection = await openServer(
    {
      ...readConnectOptions(options),
      target,
      started,
      era: readEra(text('era')),
      revision: text('revision'),
      capabilities: host.capabilities,
      schemaOf: (tool) => schemas.get(tool),
      authorizer,
    },
    {
      ...(authorizer ? { refused: authorizer.refused } : {}),
      request: (method, params) => host.answer(method, params),
      notification: (method, params) => notified(method, params, options['watch'] === true),
      stray: (heard) => tell(`${heard.kind === 'stray' ? 'no message' : 'an answer to nothing'}: ${strayText(heard)}`),
      undelivered: (what, { why }) => tell(`${what ?? 'an answer to the server'} did not get through: ${why}`),
      told: tell,
      stderr: (bytes) => void (isQuiet || process.stderr.write(visibleLines(bytes))),
    },
  );
  const task = { connection, host, words, options, terminal, signal: stop.signal, schemas };
  try {
    const code = await fulfil(task);
    return stop.signal.aborted && options['watch'] !== true ? interrupted : code;
  } finally {
    await connection.close();
    if (!isQuiet && options['json'] !== true) tell(`recorded: ${howCalled()} show ${connection.trace}`);
  }
}
