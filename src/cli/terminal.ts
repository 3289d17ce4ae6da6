import { openStdout } from './stdout.ts';
import { type Ink, inkFor } from './text/ink.ts';

/** Where a verb's words go, and how they may look there. */
export interface Terminal {
  /** Wait for it, and no more is kept than fits. */
  print(text: string): Promise<void>;
  readonly ink: Ink;
  /** It is a terminal, and no file or pipe. */
  readonly isTerminal: boolean;
  /** It shows any character; where it does not, only ASCII is safe to send: bytes beyond may be its controls. */
  readonly showsUnicode: boolean;
  /** Columns to fill; nothing where lines may have any length. */
  readonly width: number | undefined;
}

/** Our stdout, or another stream of ours, and how it looks there. */
export function openTerminal(wantsColour: boolean, stream = openStdout()): Terminal {
  const ink = inkFor(stream, wantsColour);
  const isTerminal = stream.isTTY;
  return {
    print: (text) =>
      new Promise((resolve) => {
        if (stream.write(text)) resolve();
        else stream.once('drain', resolve);
      }),
    ink,
    isTerminal,
    showsUnicode: isTerminal && ink.glyph('u', 'a') === 'u' && hasUtf8Locale(process.env),
    get width() {
      return isTerminal ? Math.max(stream.columns || 80, 40) : undefined;
    },
  };
}

function hasUtf8Locale(env: NodeJS.ProcessEnv): boolean {
  if (process.platform === 'win32') return true;
  return /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '');
}
