import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { homeFolder } from '../../io/stores/paths.ts';
import type { Terminal } from '../terminal.ts';
import { type PictureProtocol, pictureProtocol, pictureText } from '../text/picture.ts';
import type { Attachments } from '../text/result-text.ts';

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

/** Keeps what is no text beside the recordings, named after the one that it came in, and draws images where the terminal can. */
export function attachments(trace: string, terminal: Terminal): Attachments {
  const protocol: PictureProtocol | undefined = terminal.isTerminal ? pictureProtocol(process.env) : undefined;
  let count = 0;
  return {
    async keep(data, mimeType) {
      const folder = join(homeFolder(process.env), 'files');
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const [type = ''] = mimeType.toLowerCase().split(';', 1);
      const path = join(folder, `${basename(trace, '.jsonl')}-${++count}${endings[type.trim()] ?? '.bin'}`);
      await writeFile(path, data, { mode: 0o600 });
      return path;
    },
    draw: (image) => protocol && pictureText(image, protocol, terminal.width ?? 80),
  };
}
