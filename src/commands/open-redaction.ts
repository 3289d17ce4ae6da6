import type { Redaction } from '../core/trace/redaction/redacted-records.ts';
import type { RedactionRules } from '../core/trace/redaction/rules.ts';
import { inflate } from '../io/http/inflate.ts';
import { sha256 } from '../io/sha256.ts';
import { homeFolder } from '../io/stores/paths.ts';
import { keyedHasher, keyedText, redactionKey } from '../io/stores/redaction-key.ts';
import { compileRedaction } from './compile-redaction.ts';

/**
 * What is needed to redact a recording as all others of the store are.
 *
 * @throws WireproofError `bad-usage`
 */
export async function openRedaction(rules: RedactionRules, env: NodeJS.ProcessEnv): Promise<Redaction> {
  const compiled = await compileRedaction(rules);
  const key = redactionKey(homeFolder(env));
  return { rules: compiled, keyed: keyedText(key), keyedHasher: keyedHasher(key), hasher: sha256, inflate };
}
