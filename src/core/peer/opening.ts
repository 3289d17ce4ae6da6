import { isObject, type JsonObject } from '../protocol/message.ts';
import { type Era, eraOf, metaKeys, revisions } from '../protocol/revision.ts';
import { withoutTasksExtension } from './tasks.ts';

/** How an era is to be agreed on. */
export interface OpeningOptions {
  /** `auto` asks in the modern way first, and opens by handshake where the server does not know that. */
  era: Era | 'auto';
  /** The one revision to be spoken; else the newest that both sides know. */
  revision?: string | undefined;
  client: { name: string; version: string };
  /** What the client can do, as it says so in the handshake. */
  capabilities: JsonObject;
}

/** What came of asking. */
export type OpeningInput =
  | { kind: 'result'; result: unknown }
  | { kind: 'error'; error: unknown }
  /** Nothing came in time. */
  | { kind: 'silence' }
  /** The server process ended. */
  | { kind: 'gone'; why: string }
  /** To ask again is of no use: nobody is there, or nobody else is let in. */
  | { kind: 'refused'; why: string };

/** What both sides agreed on, and what the server said of itself. */
export interface Agreement {
  era: Era;
  revision: string;
  /** `serverInfo`, as it came. */
  server: JsonObject | undefined;
  capabilities: JsonObject;
  instructions: string | undefined;
  /** The result that said so. */
  result: JsonObject;
}

/** What is to be done next. */
export type OpeningStep =
  | { ask: 'server/discover' | 'initialize'; params: JsonObject; revision: string }
  /** The server has to be started anew before anything else is asked. @param why as a person is told */
  | { restart: string }
  | { agreed: Agreement }
  | { failed: string };

/** Errors that only a server of the modern era gives (2026-07-28, schema). */
const modernErrors: ReadonlySet<unknown> = new Set([-32_020, -32_021, -32_022]);
const unsupportedVersion = -32_022;

const newest = (era: Era): string => revisions.findLast((one) => one.era === era)?.date ?? '';

/**
 * Finds out which era and revision a server speaks (2026-07-28: basic/versioning, backward compatibility; up to
 * 2025-11-25: basic/lifecycle, version negotiation).
 */
export class Opening {
  private readonly options: OpeningOptions;
  private asked: 'server/discover' | 'initialize' | undefined;
  private hasRestarted = false;

  constructor(options: OpeningOptions) {
    this.options = options;
  }

  begin(): OpeningStep {
    const { era, revision } = this.options;
    const wanted = era === 'auto' && revision !== undefined ? eraOf(revision) : era;
    return wanted === 'legacy' ? this.initialize() : this.discover(revision ?? newest('modern'));
  }

  /** @returns what is to be asked, or how it ended; nothing more is to be fed after that */
  feed(input: OpeningInput): OpeningStep[] {
    if (input.kind === 'refused') return [{ failed: `The server cannot be asked: ${input.why}.` }];
    return this.asked === 'server/discover' ? this.discovered(input) : [this.initialized(input)];
  }

  private discover(revision: string): OpeningStep {
    this.asked = 'server/discover';
    return { ask: 'server/discover', params: {}, revision };
  }

  private initialize(revision = this.options.revision ?? newest('legacy')): OpeningStep {
    this.asked = 'initialize';
    const { client, capabilities } = this.options;
    const params = {
      protocolVersion: revision,
      capabilities: withoutTasksExtension(capabilities),
      clientInfo: client,
    };
    return { ask: 'initialize', params, revision };
  }

  private discovered(input: Exclude<OpeningInput, { kind: 'refused' }>): OpeningStep[] {
    if (input.kind === 'result') {
      const { result } = input;
      const supported = isObject(result) ? textsIn(result['supportedVersions']) : [];
      if (!isObject(result) || supported.length === 0) return this.legacyAfter('its answer names no versions', false);
      return [this.pick(supported, result)];
    }
    if (input.kind === 'error') {
      const { error } = input;
      const code = isObject(error) ? error['code'] : undefined;
      if (!modernErrors.has(code)) return this.legacyAfter(`it answered ${said(error)}`, false);
      const data = isObject(error) && isObject(error['data']) ? error['data'] : {};
      if (code !== unsupportedVersion) return [{ failed: `The server refused server/discover: ${said(error)}` }];
      return [this.pick(textsIn(data['supported']), undefined)];
    }
    const why = input.kind === 'silence' ? 'it did not answer server/discover' : input.why;
    return this.legacyAfter(why, true);
  }

  /** The server does not know the modern era. @param isStuck it has to be started anew to hear anything else */
  private legacyAfter(why: string, isStuck: boolean): OpeningStep[] {
    if (this.options.era === 'modern') return [{ failed: `The server does not speak ${newest('modern')}: ${why}.` }];
    if (!isStuck) return [this.initialize()];
    if (this.hasRestarted) return [{ failed: `The server could not be asked anything: ${why}.` }];
    this.hasRestarted = true;
    return [{ restart: why }, this.initialize()];
  }

  /** @param result of `server/discover`, where that is what named the versions */
  private pick(supported: readonly string[], result: JsonObject | undefined): OpeningStep {
    const known = revisions.map(({ date }) => date as string);
    const wanted = this.options.revision === undefined ? known : [this.options.revision];
    const common = supported.filter((one) => wanted.includes(one)).toSorted();
    const best = common.findLast((one) => eraOf(one) === 'modern');
    if (best !== undefined && result) return { agreed: agreement('modern', best, result) };
    if (best !== undefined) return this.discover(best);
    const legacy = common.at(-1);
    if (legacy !== undefined && this.options.era !== 'modern') return this.initialize(legacy);
    return { failed: noneInCommon(supported, wanted) };
  }

  private initialized(input: Exclude<OpeningInput, { kind: 'refused' }>): OpeningStep {
    if (input.kind === 'silence') return { failed: 'The server did not answer initialize.' };
    if (input.kind === 'gone') return { failed: `The server did not answer initialize: ${input.why}.` };
    if (input.kind === 'error') return { failed: `The server refused initialize: ${said(input.error)}.` };
    const { result } = input;
    const revision = isObject(result) ? result['protocolVersion'] : undefined;
    if (!isObject(result) || typeof revision !== 'string') {
      return { failed: 'The answer to initialize names no protocolVersion.' };
    }
    const known = revisions.filter(({ era }) => era === 'legacy').map(({ date }) => date as string);
    const wanted = this.options.revision === undefined ? known : [this.options.revision];
    if (!wanted.includes(revision)) return { failed: noneInCommon([revision], wanted) };
    return { agreed: agreement('legacy', revision, result) };
  }
}

function agreement(era: Era, revision: string, result: JsonObject): Agreement {
  const meta = isObject(result['_meta']) ? result['_meta'] : {};
  const server = era === 'modern' ? meta[metaKeys.serverInfo] : result['serverInfo'];
  const { capabilities, instructions } = result;
  return {
    era,
    revision,
    server: isObject(server) ? server : undefined,
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
    result,
  };
}

const noneInCommon = (theirs: readonly string[], ours: readonly string[]): string =>
  `No revision in common: the server speaks ${theirs.join(', ') || 'none that it names'}, wireproof was to speak ${ours.join(', ')}.`;

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** An error of JSON-RPC as a person is told. */
export function said(error: unknown): string {
  if (!isObject(error)) return JSON.stringify(error) ?? 'nothing';
  const { code, message } = error;
  return [JSON.stringify(code), typeof message === 'string' ? message : ''].join(' ').trim();
}
