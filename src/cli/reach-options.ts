import { compileRedaction } from '../commands/compile-redaction.ts';
import type { OpenOptions, Target } from '../commands/open-server.ts';
import { WireproofError } from '../core/wireproof-error.ts';
import { readRedaction } from './redaction-options.ts';
import { tell } from './tell.ts';
import type { Given } from './verbs.ts';

type Reach = Pick<OpenOptions, 'ca' | 'insecure' | 'redaction'>;

/** Options that mean something for a server on HTTP only. */
const forUrls = [
  ['header', '--header'],
  ['ca', '--ca'],
  ['insecure', '--insecure'],
  ['redactKey', '--redact-key'],
  ['redactValue', '--redact-value'],
  ['redactPath', '--redact-path'],
  ['redactSecrets', '--no-redact-secrets'],
] as const;

/**
 * How a server on HTTP is reached, and what of it does not reach the recording.
 *
 * @throws WireproofError `bad-usage`, where something is asked for that would not be done too
 */
export async function readReach(target: Target, options: Given['options']): Promise<Reach> {
  if ('command' in target) {
    refuseForCommands(options);
    return {};
  }
  const insecure = options['insecure'] === true;
  if (insecure) {
    tell(
      'CERTIFICATES ARE NOT CHECKED (--insecure): whoever stands between here and the server can read and change everything.',
    );
  }
  const ca = options['ca'] as string | undefined;
  return { ca, insecure, redaction: await compileRedaction(readRedaction(options)) };
}

/** Least of all may somebody believe that a secret was replaced. */
function refuseForCommands(options: Given['options']): void {
  for (const [name, option] of forUrls) {
    const given = options[name];
    if (given === undefined || given === (name === 'redactSecrets')) continue;
    const instead = option.startsWith('--redact') ? ' "wireproof export --format trace" replaces it in a copy.' : '';
    throw new WireproofError('bad-usage', `${option} is for a URL, not for a command to start.${instead}`);
  }
}
