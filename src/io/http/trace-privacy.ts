import type { CompiledRules } from '../../core/trace/redaction/compiled-rules.ts';
import { Privacy } from '../../core/trace/redaction/privacy.ts';
import { inflate } from './inflate.ts';

/** Keeps secrets out of the trace while it is recorded. */
export class TracePrivacy extends Privacy {
  /**
   * @param keyed an HMAC under the store's key, hexadecimal
   * @param endpoint the path of the server's MCP endpoint
   */
  constructor(rules: CompiledRules, keyed: (text: string) => string, endpoint: string) {
    super(rules, keyed, { endpoint, inflate });
  }
}
