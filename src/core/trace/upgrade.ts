import type { JsonObject } from '../protocol/message.ts';
import { WireproofError } from '../wireproof-error.ts';
import { formatVersion, type TraceHeader } from './format.ts';

/** Makes the header of one format version into that of the next. Records change in the same way when a version needs it. */
type UpgradeStep = (header: JsonObject) => JsonObject;

/** The step from each old version to the one after it. */
const steps: Readonly<Record<number, UpgradeStep>> = {};

/**
 * The first line of a trace as the newest format has it.
 *
 * @throws WireproofError `trace-unreadable` where it is no trace, or one of a version that came later.
 */
export function readHeader(first: JsonObject | undefined, upgrades = steps, newest = formatVersion): TraceHeader {
  const version = first?.['wireproof'];
  if (!first || typeof version !== 'number' || !Number.isInteger(version) || version < 1) {
    throw new WireproofError(
      'trace-unreadable',
      'This is not a wireproof trace: its first line does not begin with {"wireproof":…}.',
    );
  }
  if (version > newest) {
    throw new WireproofError(
      'trace-unreadable',
      `This trace has format version ${version}, and this wireproof reads up to ${newest}: update wireproof to read it.`,
    );
  }
  let header: JsonObject = first;
  for (let from = version; from < newest; from++) {
    const step = upgrades[from];
    if (!step)
      throw new WireproofError('trace-unreadable', `There is no way from trace format version ${from} to ${from + 1}.`);
    header = { ...step(header), wireproof: from + 1 };
  }
  return asHeader(header);
}

/** Others mean several processes, such as all of a group, to whoever asks the system for them. */
const isProcess = (pid: unknown): pid is number => Number.isSafeInteger(pid) && (pid as number) > 0;

function asHeader(header: JsonObject): TraceHeader {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  const texts = (value: unknown): string[] => (Array.isArray(value) ? (value as unknown[]).map(text) : []);
  const base = {
    wireproof: header['wireproof'] as number,
    id: text(header['id']),
    started: text(header['started']),
    by: text(header['by']),
    pid: isProcess(header['pid']) ? header['pid'] : NaN,
    ...(typeof header['label'] === 'string' ? { label: header['label'] } : {}),
  };
  if (header['transport'] === 'http') {
    const listen = typeof header['listen'] === 'string' ? { listen: header['listen'] } : {};
    return { ...base, transport: 'http', ...listen, to: text(header['to']) };
  }
  return {
    ...base,
    transport: 'stdio',
    command: texts(header['command']),
    cwd: text(header['cwd']),
    env: texts(header['env']),
  };
}
