import type { HttpHeader } from '../core/trace/format.ts';
import type { RedactionRules } from '../core/trace/redaction/rules.ts';
import { WireproofError } from '../core/wireproof-error.ts';
import { startClock } from '../io/clock.ts';
import { HttpRecording } from '../io/http/http-recording.ts';
import { ReverseProxy } from '../io/http/reverse-proxy.ts';
import { TracePrivacy } from '../io/http/trace-privacy.ts';
import { Upstream } from '../io/http/upstream.ts';
import { newTrace, type NewTraceOptions } from '../io/new-trace.ts';
import { homeFolder } from '../io/stores/paths.ts';
import { keyedHasher, keyedText, redactionKey } from '../io/stores/redaction-key.ts';
import { compileRedaction } from './compile-redaction.ts';

export interface TapHttpOptions extends NewTraceOptions {
  /** Where to listen: an address, and a port or 0 for any that is free. */
  listen: { host: string; port: number };
  /** Listening where others than this machine can reach it is meant. */
  listenAnywhere: boolean;
  /** The server's endpoint. */
  to: URL;
  /** Names that may stand in `Host` beside those of this machine. */
  allowHosts: readonly string[];
  /** Maps the server's URLs to the proxy's own, where the specifications name them. */
  rewrites: boolean;
  /** A file with certificates to trust beside the system's. */
  ca?: string | undefined;
  insecure: boolean;
  env: NodeJS.ProcessEnv;
  /** How long what is under way may take when it is told to stop. Milliseconds. */
  grace: number;
  /** What does not reach the recording. */
  redaction: RedactionRules;
}

export interface TapHttpCaller {
  /** What the user types to run wireproof. */
  calledAs: string;
  /** Says something that the user must know. */
  tell: (text: string) => void;
  /** Calls back each time that wireproof is told to stop, by a signal. */
  onStop: (stop: (why: string) => void) => void;
}

/** How long the last records are waited for. Milliseconds. */
const storePatience = 2000;

/**
 * Stands before a Streamable HTTP server as a reverse proxy, and records everything that passes, until it is told to stop.
 *
 * @throws WireproofError `bad-usage`, `not-listening`
 */
export async function tapHttp(options: TapHttpOptions, caller: TapHttpCaller): Promise<void> {
  const { listen, to } = options;
  refuseOpenDoor(options);
  const clock = startClock();
  const key = redactionKey(homeFolder(options.env));
  const upstream = new Upstream({ target: to, ca: options.ca, insecure: options.insecure, env: options.env });
  const trace = newTrace(options, { clock, env: options.env, tell: caller.tell });
  const recording = new HttpRecording({ store: trace.store, clock, keyed: keyedHasher(key), tell: caller.tell });
  const privacy = new TracePrivacy(await compileRedaction(options.redaction), keyedText(key), to.pathname);
  const proxy = new ReverseProxy({
    options: { target: to, ...listen, allowHosts: options.allowHosts, rewrites: options.rewrites },
    upstream,
    recording,
    privacy,
    unreachable: once((why) => caller.tell(`no answer from ${to.origin}: ${why}. Clients get 502; this is told once.`)),
  });
  const { stopped, stoppedAgain } = listenToSignals(caller);
  const origin = await proxy.listen();
  const listens = privacy.url(origin + pathOf(to));
  const header: HttpHeader = {
    ...trace.base,
    transport: 'http',
    listen: listens,
    to: privacy.url(to.href),
  };
  recording.begin(header);
  const stopKeeping = trace.keepWithinLimit();
  tellWhere({ listen: listens, to: header.to, trace: trace.name }, options, caller);
  const why = await stopped;
  if (proxy.underWay > 0) {
    const { underWay } = proxy;
    caller.tell(
      `waiting for ${underWay} ${underWay === 1 ? 'request' : 'requests'} to end; told again, it ends at once`,
    );
  }
  await proxy.close(options.grace, stoppedAgain);
  stopKeeping();
  await recording.close({ why }, storePatience);
  caller.tell(`recorded: ${caller.calledAs} show ${trace.name}`);
}

function listenToSignals({ onStop }: TapHttpCaller): { stopped: Promise<string>; stoppedAgain: Promise<void> } {
  let stop!: (why: string) => void;
  let stopAgain!: () => void;
  const stopped = new Promise<string>((resolve) => (stop = resolve));
  const stoppedAgain = new Promise<void>((resolve) => (stopAgain = resolve));
  let count = 0;
  onStop((why) => (++count === 1 ? stop(why) : stopAgain()));
  return { stopped, stoppedAgain };
}

function once(tell: (text: string) => void): (text: string) => void {
  let isTold = false;
  return (text) => {
    if (!isTold) tell(text);
    isTold = true;
  };
}

/** Whoever can reach the listener can use the server behind it. */
function refuseOpenDoor({ listen, listenAnywhere }: TapHttpOptions): void {
  if (listenAnywhere || isLoopback(listen.host)) return;
  throw new WireproofError(
    'bad-usage',
    `--listen ${listen.host}:${listen.port} can be reached from other machines: whoever reaches it can use the server behind it. ` +
      'Add --listen-anywhere if that is meant.',
  );
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127(?:\.\d+){3}$/.test(host);

const pathOf = ({ pathname, search }: URL): string => `${pathname === '/' ? '' : pathname}${search}`;

function tellWhere(
  { listen, to, trace }: { listen: string; to: string; trace: string },
  options: TapHttpOptions,
  { tell }: TapHttpCaller,
): void {
  if (options.insecure && options.to.protocol === 'https:') {
    tell(
      'CERTIFICATES ARE NOT CHECKED (--insecure): whoever stands between here and the server can read and change everything.',
    );
  }
  if (!isLoopback(options.listen.host)) {
    tell('other machines can reach this listener (--listen-anywhere), and through it the server.');
  }
  tell(`${listen} passes to ${to}; recording ${trace}`);
}
