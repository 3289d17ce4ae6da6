import { styleText } from 'node:util';

/** How text may look where it is printed. Colour and unicode are for terminals only. */
export interface Ink {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
  /** The first where the terminal shows unicode, else the second. */
  glyph(unicode: string, ascii: string): string;
}

type Style = Parameters<typeof styleText>[0];

/** NO_COLOR, FORCE_COLOR and `--no-color` are obeyed. */
export function inkFor(stream: NodeJS.WriteStream, wanted: boolean): Ink {
  const forced = process.env['FORCE_COLOR'] !== undefined && process.env['FORCE_COLOR'] !== '0';
  const isTerminal = stream.isTTY;
  const style = (format: Style) => (text: string) => {
    if (!wanted || (!isTerminal && !forced)) return text;
    return styleText(format, text, { stream });
  };
  const unicode = isTerminal && process.env['TERM'] !== 'linux' && process.env['TERM'] !== 'dumb';
  return {
    bold: style('bold'),
    dim: style('dim'),
    red: style('red'),
    green: style('green'),
    yellow: style('yellow'),
    cyan: style('cyan'),
    glyph: (fancy, plain) => (unicode ? fancy : plain),
  };
}
