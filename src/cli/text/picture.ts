/** How terminals take images: https://sw.kovidgoyal.net/kitty/graphics-protocol, https://iterm2.com/documentation-images.html */
export type PictureProtocol = 'kitty' | 'iterm';

/** No larger image is drawn: bytes of its file, pixels of it. */
const most = { bytes: 4 * 1024 * 1024, pixels: 40_000_000 };
/** As most terminals have them; only the proportions matter where an image is made smaller. Pixels. */
const cell = { width: 9, height: 18 };
const mostRows = 24;
/** Of the kitty protocol: letters of base64 in one escape sequence. */
const chunkLength = 4096;

/** How this terminal takes images; nothing where it is not known to, or a multiplexer stands between. */
export function pictureProtocol(env: NodeJS.ProcessEnv): PictureProtocol | undefined {
  const { TERM: term = '', TERM_PROGRAM: program = '' } = env;
  if (env['TMUX'] || env['STY'] || /^(?:screen|tmux|dumb)/.test(term)) return undefined;
  if (program === 'iTerm.app' || program === 'WezTerm') return 'iterm';
  if (program === 'ghostty' || term === 'xterm-ghostty' || term === 'xterm-kitty') return 'kitty';
  // Programs that kitty has started hand the variable on to terminals of their own.
  return env['KITTY_WINDOW_ID'] && program === '' ? 'kitty' : undefined;
}

/** The image as escape sequences; nothing where it is not of a kind, or too large, to be drawn. */
export function pictureText(image: Uint8Array, protocol: PictureProtocol, columns: number): string | undefined {
  const size = imageSize(image);
  if (!size || image.length > most.bytes || size.width * size.height > most.pixels) return undefined;
  if (size.width === 0 || size.height === 0) return undefined;
  const box = fitted(size, columns);
  // Written anew from what was read: nothing of what came can end the sequence.
  const letters = Buffer.from(image.buffer, image.byteOffset, image.length).toString('base64');
  if (protocol === 'kitty') return size.kind === 'png' ? kittyText(letters, box) : undefined;
  const facts = `inline=1;size=${image.length};width=${box.columns};height=${box.rows};preserveAspectRatio=1`;
  return `\u001b]1337;File=${facts}:${letters}\u0007`;
}

function kittyText(letters: string, { columns, rows }: Box): string {
  let text = '';
  for (let at = 0; at < letters.length; at += chunkLength) {
    const more = at + chunkLength < letters.length ? 1 : 0;
    // a=T: show it at once; f=100: PNG; q=2: answer nothing, as nobody reads it.
    const facts = at === 0 ? `a=T,f=100,q=2,c=${columns},r=${rows},m=${more}` : `q=2,m=${more}`;
    text += `\u001b_G${facts};${letters.slice(at, at + chunkLength)}\u001b\\`;
  }
  return text;
}

interface Box {
  columns: number;
  rows: number;
}

/** So many cells, never more than it needs. */
function fitted({ width, height }: { width: number; height: number }, columns: number): Box {
  const scale = Math.min(1, (columns * cell.width) / width, (mostRows * cell.height) / height);
  return {
    columns: Math.max(1, Math.min(columns, Math.round((width * scale) / cell.width))),
    rows: Math.max(1, Math.round((height * scale) / cell.height)),
  };
}

interface ImageSize {
  kind: 'png' | 'gif' | 'jpeg';
  width: number;
  height: number;
}

/** What an image says of its size, in pixels; nothing where it is none that is known here, whatever it was said to be. */
export function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) && bytes.length >= 24) {
    return { kind: 'png', width: view.getUint32(16), height: view.getUint32(20) };
  }
  if (startsWith(bytes, [0x47, 0x49, 0x46, 0x38]) && bytes.length >= 10) {
    return { kind: 'gif', width: view.getUint16(6, true), height: view.getUint16(8, true) };
  }
  return startsWith(bytes, [0xff, 0xd8, 0xff]) ? jpegSize(bytes, view) : undefined;
}

/** A JPEG file is a row of segments; that of a frame (SOF0 to SOF15) says the size. */
function jpegSize(bytes: Uint8Array, view: DataView): ImageSize | undefined {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] as number;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return { kind: 'jpeg', width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

const startsWith = (bytes: Uint8Array, beginning: readonly number[]): boolean =>
  beginning.every((byte, index) => bytes[index] === byte);
