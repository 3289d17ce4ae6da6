/** Takes two columns: East Asian wide and full-width characters, and emoji. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18cff}\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const combining = /[\p{Mn}\p{Me}]/u;
// oxlint-disable-next-line no-control-regex -- plain ASCII, the common case
const ascii = /^[\u0000-\u007f]*$/;

/** How many columns of a terminal the text takes; it holds nothing that is unseen. */
export function textWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

function characterWidth(character: string): number {
  if (character < '\u0300') return 1;
  if (combining.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

/** As much of the text as fits into so many columns, `mark` at its end where it was cut. */
export function cutToWidth(text: string, columns: number, mark: string): string {
  const room = columns - textWidth(mark);
  if (ascii.test(text)) return text.length <= columns ? text : room < 0 ? '' : text.slice(0, room) + mark;
  let width = 0;
  let kept = '';
  let fits = '';
  for (const character of text) {
    width += characterWidth(character);
    if (width > columns) return fits === '' && room < 0 ? '' : fits + mark;
    kept += character;
    if (width <= room) fits = kept;
  }
  return text;
}

/** The text with spaces after it up to so many columns. */
export const padToWidth = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - textWidth(text)));
