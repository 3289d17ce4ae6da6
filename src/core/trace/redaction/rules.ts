import { WireproofError } from '../../wireproof-error.ts';
import type { CompiledRules } from './compiled-rules.ts';
import { compilePath } from './path-query.ts';
import { compileValue } from './value-pattern.ts';

/** What is to be replaced in a trace, as the user says it. */
export interface RedactionRules {
  /** Credentials, tokens, cookies and session ids on HTTP, and the secrets of OAuth. */
  secrets: boolean;
  /** Names of members, parameters and headers; upper and lower case are the same. */
  keys: readonly string[];
  /** RE2 regular expressions: what they match inside a text is replaced. */
  values: readonly string[];
  /** JSONPath (RFC 9535), from the outside of a body. */
  paths: readonly string[];
}

/** @throws WireproofError `bad-usage`, which names the expression that is faulty. */
export function compileRules(rules: RedactionRules): CompiledRules {
  if (rules.keys.includes('')) {
    throw new WireproofError('bad-usage', 'A name to redact is empty. Give the name of a member, parameter or header.');
  }
  return {
    secrets: rules.secrets,
    keys: new Set(rules.keys.map((key) => key.toLowerCase())),
    values: rules.values.map(compileValue),
    paths: rules.paths.map(compilePath),
  };
}
