import { type OpenCaller, openServer } from '../../commands/open-server.ts';
import { WireproofError } from '../../core/wireproof-error.ts';
import type { ServerProcess } from '../../io/channels/server-process.ts';
import { readConnectOptions, readEra } from '../connect-options.ts';
import { howCalled } from '../how-called.ts';
import { readReach } from '../reach-options.ts';
import { mayAskToSignIn, openAuthorizer } from '../sign-in-options.ts';
import { readTarget } from '../target.ts';
import type { Given } from '../verbs.ts';
import { interrupted } from './answered.ts';
import { fulfil } from './fulfil.ts';
import { strayText, visibleLines } from './notices.ts';
import { openHost } from './open-host.ts';
import { Voice } from './voice.ts';

/** The exit code where it could not be done. */
const unable = 2;

/**
 * Does what `call` was asked for.
 *
 * @param started the server, where it was started while this was being loaded
 * @returns the exit code
 */
export async function beHost(given: Given, started: ServerProcess | undefined): Promise<number> {
  const { options } = given;
  const voice = new Voice(options);
  const { target, words } = await readTarget(given, voice.note);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const connecting = readConnectOptions(options);
  const host = await openHost(options, voice, connecting.timeout);
  const schemas = new Map<string, unknown>();
  const text = (name: string): string | undefined => options[name] as string | undefined;
  const reach = await readReach(target, options);
  const signIn = { mayAsk: mayAskToSignIn(options), afresh: false, signal: stop.signal };
  const authorizer = await openAuthorizer(target, options, signIn);
  const isWatching = options['watch'] === true;
  const caller: OpenCaller = {
    ...(authorizer ? { refused: authorizer.refused } : {}),
    request: (method, params) => host.answer(method, params),
    notification: (method, params) => {
      host.heard(method, params);
      voice.heard(method, params, isWatching);
    },
    // What was cancelled may still be answered.
    stray: (heard) => void (stop.signal.aborted || voice.note(strayText(heard))),
    undelivered: (what, { why }) => voice.tell(`${what ?? 'an answer to the server'} did not get through: ${why}`),
    told: voice.note,
    stderr: (bytes) => voice.serverSays(visibleLines(bytes)),
    opened: (channel) => voice.follow(channel),
  };
  const opening = {
    ...connecting,
    ...reach,
    target,
    started,
    era: readEra(text('era')),
    revision: text('revision'),
    capabilities: host.capabilities,
    schemaOf: (tool: string) => schemas.get(tool),
    authorizer,
    signal: stop.signal,
  };
  try {
    const connection = await openServer(opening, caller);
    const { terminal, status } = voice;
    try {
      const task = {
        connection,
        host,
        words,
        options,
        terminal,
        status,
        tell: voice.tell,
        signal: stop.signal,
        schemas,
      };
      const code = await fulfil(task);
      return stop.signal.aborted && !isWatching ? interrupted : code;
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (!(error instanceof WireproofError)) throw error;
    // What went wrong comes before where to look.
    if (error.code === 'interrupted') return interrupted;
    voice.tell(error.message);
    started?.endNow();
    return unable;
  } finally {
    await voice.end(`${howCalled()} show`);
  }
}
