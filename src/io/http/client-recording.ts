import type { HeaderLine, HttpHeader } from '../../core/trace/format.ts';
import { type CompiledRules, secretsOnly } from '../../core/trace/redaction/compiled-rules.ts';
import { startClock } from '../clock.ts';
import { newTrace, type NewTraceOptions } from '../new-trace.ts';
import { homeFolder } from '../stores/paths.ts';
import { keyedHasher, keyedText, redactionKey } from '../stores/redaction-key.ts';
import { GivenLinesPrivacy } from './given-lines.ts';
import { HttpRecording } from './http-recording.ts';
import { RecordedClient } from './recorded-client.ts';

export interface ClientRecordingOptions extends NewTraceOptions {
  /** The server's endpoint. */
  url: URL;
  /** Where proxies and wireproof's own folder are looked for; that of this process where it is left out. */
  env?: NodeJS.ProcessEnv | undefined;
  /** A file with certificates to trust beside the system's. */
  ca?: string | undefined;
  /** Takes any certificate. */
  insecure?: boolean | undefined;
  /** What does not reach the recording; the secrets of HTTP and OAuth where it is left out. */
  redaction?: CompiledRules | undefined;
  /** The user's own header lines: what stands in them does not reach the recording, unless all secrets may. */
  lines?: readonly HeaderLine[] | undefined;
  /** Says something to the user. */
  tell: (text: string) => void;
}

/** A recording of what wireproof itself asks a server on HTTP. */
export interface ClientRecording {
  client: RecordedClient;
  /** A path, or the id in the store. */
  trace: string;
  /** Closes all connections, and waits for the last records. */
  close(why: string): Promise<void>;
}

/** How long the last records are waited for. Milliseconds. */
const storePatience = 2000;

/**
 * Begins a recording, and makes a client whose requests are recorded in it.
 *
 * @throws WireproofError `bad-usage` where certificates cannot be read, or the environment names no proxy
 */
export function beginClientRecording(options: ClientRecordingOptions): ClientRecording {
  const { url, env = process.env, ca, insecure = false, redaction = secretsOnly, lines = [], tell } = options;
  const clock = startClock();
  const trace = newTrace(options, { clock, env, tell });
  const key = redactionKey(homeFolder(env));
  const recording = new HttpRecording({ store: trace.store, clock, keyed: keyedHasher(key), tell });
  const privacy = new GivenLinesPrivacy(redaction, keyedText(key), { endpoint: url.pathname, lines });
  // Elsewhere, no path is the endpoint's: what is sent there may be secret.
  const elsewhere = new GivenLinesPrivacy(redaction, keyedText(key), { endpoint: '', lines });
  const client = new RecordedClient({
    recording,
    privacy: (origin) => (origin === url.origin ? privacy : elsewhere),
    reach: { ca, insecure, env },
  });
  client.prepare(url);
  const header: HttpHeader = {
    ...trace.base,
    transport: 'http',
    to: privacy.url(url.href),
  };
  recording.begin(header);
  const stopKeeping = trace.keepWithinLimit();
  return {
    client,
    get trace() {
      return trace.name;
    },
    async close(why) {
      client.close();
      stopKeeping();
      await recording.close({ why }, storePatience);
    },
  };
}
