import { RedactedView } from '../core/trace/redaction/redacted-view.ts';
import type { RedactionRules } from '../core/trace/redaction/rules.ts';
import { openRedaction } from './open-redaction.ts';

/**
 * What a recording is shown through, so that secrets in it are replaced; for one recording. Loaded only where it is asked for.
 *
 * @throws WireproofError `bad-usage`
 */
export async function openRedactedView(rules: RedactionRules, env: NodeJS.ProcessEnv): Promise<RedactedView> {
  return new RedactedView(await openRedaction(rules, env));
}
