import { WireproofError } from '../core/wireproof-error.ts';

/**
 * Our own environment, with what the user adds to it.
 *
 * @param added `KEY=VALUE`
 * @throws WireproofError `bad-usage`
 */
export function readEnvironment(added: readonly string[] = []): NodeJS.ProcessEnv {
  if (added.length === 0) return process.env;
  const env = { ...process.env };
  for (const pair of added) {
    const equals = pair.indexOf('=');
    if (equals < 1) throw new WireproofError('bad-usage', `-e "${pair}" names no variable. Write -e KEY=VALUE.`);
    env[pair.slice(0, equals)] = pair.slice(equals + 1);
  }
  return env;
}
