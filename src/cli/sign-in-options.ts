import type { Authorizer, AuthorizerOptions } from '../commands/authorizer.ts';
import type { Target } from '../commands/open-server.ts';
import type { SignInWay } from '../commands/sign-in.ts';
import { WireproofError } from '../core/wireproof-error.ts';
import { homeFolder } from '../io/stores/paths.ts';
import { howCalled } from './how-called.ts';
import { tell } from './tell.ts';
import type { Given } from './verbs.ts';
import { by } from './version.ts';

/**
 * Whether a person may be asked to sign in by a verb that is about something else: where one sits at a terminal, or where
 * the user has said to print the address.
 */
export const mayAskToSignIn = (options: Given['options']): boolean =>
  options['browser'] === false || (process.stdin.isTTY && process.stderr.isTTY && options['json'] !== true);

/** What lets requests in to this server; nothing where it is no URL, or the user says himself who asks. */
export async function openAuthorizer(
  target: Target,
  options: Given['options'],
  rest: Pick<AuthorizerOptions, 'mayAsk' | 'afresh' | 'signal'>,
): Promise<Authorizer | undefined> {
  const way = readWay(options);
  if ('command' in target) return undefined;
  if (target.lines.some(([name]) => name.toLowerCase() === 'authorization')) return undefined;
  const { Authorizer } = await import('../commands/authorizer.ts');
  const home = homeFolder(process.env);
  return new Authorizer({ ...rest, endpoint: target.url, home, env: process.env, by, way, program: howCalled(), tell });
}

function readWay(options: Given['options']): SignInWay {
  const text = (name: string): string | undefined => options[name] as string | undefined;
  return {
    clientId: text('clientId'),
    clientSecretEnv: text('clientSecretEnv'),
    clientKey: text('clientKey'),
    clientMetadataUrl: text('clientMetadataUrl'),
    clientCredentials: options['clientCredentials'] === true,
    scope: text('scope'),
    browser: options['browser'] !== false,
    redirectPort: readPort(text('redirectPort') ?? '0'),
  };
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new WireproofError('bad-usage', `--redirect-port "${text}" is no port.`);
}
