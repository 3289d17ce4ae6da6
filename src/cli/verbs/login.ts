import { Host } from '../../commands/host.ts';
import { type OpenCaller, openServer } from '../../commands/open-server.ts';
import { WireproofError } from '../../core/wireproof-error.ts';
import { leave } from '../../io/leave.ts';
import type { Account } from '../../io/oauth/token-store.ts';
import { readConnectOptions } from '../connect-options.ts';
import { howCalled } from '../how-called.ts';
import { Voice } from '../call/voice.ts';
import { readReach } from '../reach-options.ts';
import { readTarget } from '../target.ts';
import { openAuthorizer } from '../sign-in-options.ts';
import { tell } from '../tell.ts';
import type { Given } from '../verbs.ts';
import { visibleText } from '../../core/wire/visible-text.ts';

export default async function runLogin(given: Given): Promise<number> {
  try {
    return await leave(await login(given));
  } catch (error) {
    if (!(error instanceof WireproofError)) throw error;
    tell(error.message);
    return leave(2);
  }
}

async function login(given: Given): Promise<number> {
  const { options } = given;
  const voice = new Voice(options);
  const { target } = await readTarget(given, voice.note);
  if ('command' in target) {
    throw new WireproofError(
      'bad-usage',
      'Nobody signs in to a server on stdio: it takes its credentials from its environment (wireproof call -e KEY=VALUE -- COMMAND).',
    );
  }
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const authorizer = await openAuthorizer(target, options, { mayAsk: true, afresh: true, signal: stop.signal });
  if (!authorizer)
    throw new WireproofError(
      'bad-usage',
      'There is an Authorization header for this server already: leave it out to sign in.',
    );
  const host = new Host({ roots: [], told: tell });
  const caller: OpenCaller = {
    refused: authorizer.refused,
    request: (method, params) => host.answer(method, params),
    notification: () => undefined,
    stray: () => undefined,
    undelivered: () => undefined,
    told: voice.note,
    stderr: () => undefined,
    opened: (channel) => voice.follow(channel),
  };
  const opening = {
    ...readConnectOptions(options),
    ...(await readReach(target, options)),
    target,
    era: 'auto' as const,
    capabilities: host.capabilities,
    authorizer,
  };
  try {
    const connection = await openServer(opening, caller);
    try {
      // It may let anybody in to what was asked so far.
      const hasSignIn = authorizer.signedIn !== undefined || (await authorizer.signIn());
      const account = hasSignIn ? authorizer.signedIn : undefined;
      if (!account) tell('the server asks for no sign-in, and says of none where it could be done');
      else if (voice.loudness !== 'quiet') await voice.terminal.print(accountText(account, target.url));
      return account ? 0 : 1;
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (!(error instanceof WireproofError)) throw error;
    voice.tell(error.message);
    return 2;
  } finally {
    await voice.end(`${howCalled()} show`);
  }
}

function accountText({ issuer, resource, client, scope, tokens }: Account, { href }: URL): string {
  const ends = tokens?.ends === undefined ? 'not told' : new Date(tokens.ends).toISOString();
  const lines = [
    `signed in to ${href}`,
    `  with      ${issuer}`,
    `  for       ${resource}`,
    `  as        ${client.id}`,
    `  scope     ${scope ?? 'none named'}`,
    `  until     ${ends}${tokens?.refresh === undefined ? '' : ', and can be refreshed'}`,
  ];
  return lines.map((line) => `${visibleText(line)}\n`).join('');
}
