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

/** `--no-color`, NO_COLOR and FORCE_COLOR are obeyed, in this order. */
export function inkFor(stream: NodeJS.WriteStream, wanted: boolean, env = process.env): Ink {
  const isTerminal = stream.isTTY;
  const isColoured = wanted && showsColour(stream, env);
  // Node would look at the variables itself, and complain where both are set.
  const style = (format: Style) => (text: string) =>
    isColoured ? styleText(format, text, { validateStream: false }) : text;
  const unicode = isTerminal && env['TERM'] !== 'linux' && env['TERM'] !== 'dumb';
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

function showsColour(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean {
  if (env['NO_COLOR'] || env['NODE_DISABLE_COLORS']) return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return stream.isTTY && stream.getColorDepth(env) > 2;
}
