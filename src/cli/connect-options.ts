import type { OpenOptions } from '../commands/open-server.ts';
import type { Era } from '../core/protocol/revision.ts';
import { WireproofError } from '../core/wireproof-error.ts';
import { readDuration, readSize } from './quantities.ts';
import type { Given } from './verbs.ts';
import { by, version } from './version.ts';

/** How long the first question of the modern era is waited for, which old servers may not answer. Milliseconds. */
const probeTimeout = 10_000;

type Common = Pick<OpenOptions, 'client' | 'timeout' | 'probeTimeout' | 'trace' | 'label' | 'storeLimit' | 'by'>;

/** What all verbs that connect to a server are told alike. */
export function readConnectOptions(options: Given['options']): Common {
  const text = (name: string): string | undefined => options[name] as string | undefined;
  return {
    client: { name: 'wireproof', version },
    timeout: readDuration(text('timeout') as string, '--timeout'),
    probeTimeout,
    trace: text('trace'),
    label: text('label'),
    storeLimit: readSize(text('storeLimit') as string, '--store-limit'),
    by,
  };
}

/** @throws WireproofError `bad-usage` */
export function readEra(text: string | undefined): Era | 'auto' {
  if (text === 'auto' || text === 'legacy' || text === 'modern') return text;
  throw new WireproofError('bad-usage', `--era "${String(text)}" is not known. Write auto, legacy or modern.`);
}
