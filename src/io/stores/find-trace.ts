import { promises } from 'node:fs';
import { basename, extname } from 'node:path';
import { WireproofError } from '../../core/wireproof-error.ts';
import { homeFolder, tracesFolder } from './paths.ts';
import { listTraceIds, tracePath } from './store-folder.ts';
import { isTraceId } from './trace-id.ts';

/** So many characters of an id are enough to ask for it. */
const shortestPrefix = 8;
/** So many of the recordings that a prefix could mean are named. */
const mostNamed = 5;

/**
 * The path of the trace that the user means by a path, an id, the beginning of an id, or nothing for the newest
 * in the store.
 *
 * @throws WireproofError `trace-not-found`, `trace-ambiguous`
 */
export async function findTrace(word: string | undefined, env: NodeJS.ProcessEnv): Promise<string> {
  const folder = tracesFolder(homeFolder(env));
  if (word === undefined) return newestTrace(folder);
  const found = await promises.stat(word).catch(() => undefined);
  const matches = looksLikePath(word) ? [] : await matchingIds(folder, word);
  const [id] = matches;
  if (found) return (await isAlsoAnId(word, matches, folder)) ? refuseBoth(word) : aFile(word, found.isDirectory());
  if (matches.length > 1) throw new WireproofError('trace-ambiguous', severalMatch(word, matches, folder));
  if (id === undefined) throw new WireproofError('trace-not-found', await nothingFits(word, folder));
  return tracePath(folder, id);
}

/** One that is just being made may still be empty, and one that could never be written is. */
async function newestTrace(folder: string): Promise<string> {
  for (const id of (await listTraceIds(folder)).toReversed()) {
    const path = tracePath(folder, id);
    const found = await promises.stat(path).catch(() => undefined);
    if (found?.isFile() && found.size > 0) return path;
  }
  throw new WireproofError('trace-not-found', `There are no recordings yet in ${folder}. ${howToRecord}`);
}

/** It can be nothing else: an id has no separators and no extension. */
const looksLikePath = (word: string): boolean =>
  basename(word) !== word || extname(word) !== '' || word.startsWith('.');

async function matchingIds(folder: string, word: string): Promise<string[]> {
  const wanted = word.toUpperCase();
  if (wanted.length < shortestPrefix) return [];
  return (await listTraceIds(folder)).filter((id) => id.startsWith(wanted));
}

/** A file whose name is also the beginning of an id, and that is not that recording itself. */
async function isAlsoAnId(word: string, matches: readonly string[], folder: string): Promise<boolean> {
  if (matches.length === 0) return false;
  const file = await promises.realpath(word);
  const recordings = await Promise.all(matches.map((id) => promises.realpath(tracePath(folder, id)).catch(() => '')));
  return recordings.some((path) => path !== file);
}

function refuseBoth(word: string): never {
  throw new WireproofError(
    'trace-ambiguous',
    `"${word}" is a file here, and also the beginning of a recording's id. Write ./${word} for the file, or more of the id.`,
  );
}

function aFile(path: string, isFolder: boolean): string {
  if (!isFolder) return path;
  throw new WireproofError('trace-not-found', `"${path}" is a folder. Name a trace file in it.`);
}

function severalMatch(word: string, ids: readonly string[], folder: string): string {
  const named = ids.slice(-mostNamed).toReversed();
  const rest = ids.length > named.length ? [`and ${ids.length - named.length} more`] : [];
  return [`"${word}" fits ${ids.length} recordings in ${folder}. Write more of the id:`, ...named, ...rest].join('\n');
}

async function nothingFits(word: string, folder: string): Promise<string> {
  if (looksLikePath(word)) return `There is no file "${word}". "wireproof ls" lists the recordings in the store.`;
  const ids = await listTraceIds(folder);
  if (ids.length === 0) {
    return `There is no file "${word}", and there are no recordings yet in ${folder}. ${howToRecord}`;
  }
  const begins = ids.some((id) => id.startsWith(word.toUpperCase()));
  if (begins && word.length < shortestPrefix) {
    return `"${word}" is too short for an id: write its first ${shortestPrefix} characters or more. "wireproof ls" lists them.`;
  }
  const what = isTraceId(word.toUpperCase()) ? 'with the id' : 'whose id begins with';
  return `There is no file "${word}", and no recording ${what} "${word}" in ${folder}. "wireproof ls" lists them.`;
}

const howToRecord = 'Make one with: wireproof tap -- COMMAND, or with: wireproof demo';
