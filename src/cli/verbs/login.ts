import { Host } from '../../commands/host.ts';
import { openServer } from '../../commands/open-server.ts';
import { WireproofError } from '../../core/wireproof-error.ts';
import { leave } from '../../io/leave.ts';
import type { Account } from '../../io/oauth/token-store.ts';
import { readTarget } from '../target.ts';
import { readConnectOptions } from '../connect-options.ts';
import { howCalled } from '../how-called.ts';
import { openAuthorizer } from '../sign-in-options.ts';
import { openStdout } from '../stdout.ts';
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
  const { target } = await readTarget(given, tell);
  if ('command' in target) {
    throw new WireproofError(
      'bad-usage',
      'Servers on stdio take credentials from their environment: wireproof call -e KEY=VALUE -- COMMAND',
    );
  }
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const authorizer = await openAuthorizer(target, options, { mayAsk: true, afresh: true, signal: stop.signal });
  if (!authorizer)
    throw new WireproofError('bad-usage', 'A header says already who asks: leave Authorization out to sign in.');
  const host = new Host({ roots: [], told: tell });
  const connection = await openServer(
    {
      ...readConnectOptions(options),
      target,
      era: 'auto',
      capabilities: host.capabilities,
      authorizer,
    },
    {
      refused: authorizer.refused,
      request: (method, params) => host.answer(method, params),
      notification: () => undefined,
      stray: () => undefined,
      undelivered: () => undefined,
      told: tell,
      stderr: () => undefined,
    },
  );
  try {
    // It may let anybody in to what was asked so far.
    const hasSignIn = authorizer.signedIn !== undefined || (await authorizer.signIn());
    const account = hasSignIn ? authorizer.signedIn : undefined;
    if (account) openStdout().write(accountText(account, target.url));
    else tell('the server asks for no sign-in, and names none');
    return account ? 0 : 1;
  } finally {
    await connection.close();
    tell(`recorded: ${howCalled()} show ${connection.trace}`);
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
