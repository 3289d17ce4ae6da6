import { type CompiledRules, secretsOnly } from '../core/trace/redaction/compiled-rules.ts';
import type { RedactionRules } from '../core/trace/redaction/rules.ts';

/**
 * Makes rules ready to be used. Those of the user's own need packages that nothing else does.
 *
 * @throws WireproofError `bad-usage`
 */
export async function compileRedaction(rules: RedactionRules): Promise<CompiledRules> {
  if (rules.keys.length + rules.values.length + rules.paths.length === 0) {
    return { ...secretsOnly, secrets: rules.secrets };
  }
  const { compileRules } = await import('../core/trace/redaction/rules.ts');
  return compileRules(rules);
}
