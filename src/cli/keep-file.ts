import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { homeFolder } from '../io/stores/paths.ts';
import type { KeepFile } from './text/result-text.ts';

const endings: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'image/webp': '.webp',
  'image/svg+xml': '.svg',
  'audio/wav': '.wav',
  'audio/mpeg': '.mp3',
  'audio/ogg': '.ogg',
  'application/pdf': '.pdf',
  'application/gzip': '.gz',
  'application/json': '.json',
  'text/plain': '.txt',
};

/** Keeps what is no text beside the recordings, named after the one that it came in. */
export function keepFile(trace: string): KeepFile {
  let count = 0;
  return async (data, mimeType) => {
    const folder = join(homeFolder(process.env), 'files');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const [type = ''] = mimeType.toLowerCase().split(';', 1);
    const path = join(folder, `${basename(trace, '.jsonl')}-${++count}${endings[type.trim()] ?? '.bin'}`);
    await writeFile(path, data, { mode: 0o600 });
    return path;
  };
}
