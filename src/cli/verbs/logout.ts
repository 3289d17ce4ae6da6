import { type SignedOut, signOut } from '../../commands/sign-out.ts';
import { WireproofError } from '../../core/wireproof-error.ts';
import { visibleText } from '../../core/wire/visible-text.ts';
import { leave } from '../../io/leave.ts';
import { homeFolder } from '../../io/stores/paths.ts';
import { readTarget } from '../target.ts';
import { readLoudness } from '../loudness.ts';
import { readSize } from '../quantities.ts';
import { openStdout } from '../stdout.ts';
import { tell } from '../tell.ts';
import type { Given } from '../verbs.ts';
import { by } from '../version.ts';

export default async function runLogout(given: Given): Promise<number> {
  const isQuiet = readLoudness(given.options) === 'quiet';
  const { target } = await readTarget(given, isQuiet ? () => undefined : tell);
  if ('command' in target)
    throw new WireproofError(
      'bad-usage',
      'Nobody signs in to a server on stdio: it takes its credentials from its environment.',
    );
  const { url } = target;
  const storeLimit = readSize(given.options['storeLimit'] as string, '--store-limit');
  const done = await signOut({ endpoint: url, home: homeFolder(process.env), env: process.env, storeLimit, by, tell });
  if (done.length === 0) tell(`there is no sign-in to ${url.href}`);
  for (const one of isQuiet ? [] : done) openStdout().write(`${visibleText(signedOutText(one, url))}\n`);
  return leave(done.length > 0 ? 0 : 1);
}

function signedOutText({ account, revoked }: SignedOut, { href }: URL): string {
  const done = `signed out of ${href} (${account.issuer})`;
  if (revoked === 'yes') return `${done}; the tokens are revoked`;
  if (revoked === 'no token') return done;
  if (revoked === 'no way to') return `${done}; the server has no way to revoke tokens: they last until they end`;
  return `${done}; the tokens could not be revoked: ${revoked.failed}`;
}
