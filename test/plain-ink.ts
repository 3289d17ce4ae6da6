import type { Ink } from '../src/cli/text/ink.ts';

const same = (text: string): string => text;

/** No colours; unicode where it is asked for. */
export const plainInk = (unicode: boolean): Ink => ({
  bold: same,
  dim: same,
  red: same,
  green: same,
  yellow: same,
  cyan: same,
  glyph: (fancy, plain) => (unicode ? fancy : plain),
});

const tagged = (name: string) => (text: string) => (text === '' ? '' : `<${name}>${text}</${name}>`);

/** Colours as tags. */
export const taggedInk: Ink = {
  bold: tagged('bold'),
  dim: tagged('dim'),
  red: tagged('red'),
  green: tagged('green'),
  yellow: tagged('yellow'),
  cyan: tagged('cyan'),
  glyph: (fancy) => fancy,
};
