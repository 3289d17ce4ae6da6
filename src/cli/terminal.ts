import { openStdout } from './stdout.ts';
import { type Ink, inkFor } from './text/ink.ts';

/** Where a verb's words go, and how they may look there. */
export interface Terminal {
  /** To stdout. Wait for it, and no more is kept than fits. */
  print(text: string): Promise<void>;
  readonly ink: Ink;
  /** Stdout is a terminal. */
  readonly isTerminal: boolean;
  /** It shows any character; where it does not, only ASCII is safe to send: bytes beyond may be its controls. */
  readonly showsUnicode: boolean;
  /** Columns to fill; nothing where lines may have any length. */
  readonly width: number | undefined;
}

/** Our stdout, and how it looks there. */
export function openTerminal(wantsColour: boolean): Terminal {
  const stdout = openStdout();
  const ink = inkFor(stdout, wantsColour);
  const isTerminal = stdout.isTTY;
  return {
    print: (text) =>
      new Promise((resolve) => {
        if (stdout.write(text)) resolve();
        else stdout.once('drain', resolve);
      }),
    ink,
    isTerminal,
    showsUnicode: isTerminal && ink.glyph('u', 'a') === 'u' && hasUtf8Locale(process.env),
    get width() {
      return isTerminal ? Math.max(stdout.columns || 80, 40) : undefined;
    },
  };
}

function hasUtf8Locale(env: NodeJS.ProcessEnv): boolean {
  if (process.platform === 'win32') return true;
  return /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '');
}
