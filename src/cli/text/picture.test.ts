import { describe, expect, test } from 'vitest';
import { imageSize, pictureProtocol, pictureText } from './picture.ts';

const bytes = (hex: string): Uint8Array => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const png = (width: number, height: number, more = 0): Uint8Array => {
  const file = Buffer.alloc(24 + more, 0x1b);
  file.set(bytes('89504e470d0a1a0a 0000000d 49484452'));
  file.writeUInt32BE(width, 16);
  file.writeUInt32BE(height, 20);
  return file;
};
const jpeg = bytes('ffd8 ffe00004abcd ffc0 0011 08 0010 0020 03');
const gif = bytes('474946383961 2000 1000');

describe('which terminal takes images', () => {
  test.each([
    { env: { TERM: 'xterm-kitty' }, protocol: 'kitty' },
    { env: { TERM: 'xterm-256color', KITTY_WINDOW_ID: '1' }, protocol: 'kitty' },
    { env: { TERM: 'xterm-ghostty', TERM_PROGRAM: 'ghostty' }, protocol: 'kitty' },
    { env: { TERM: 'xterm-256color', TERM_PROGRAM: 'iTerm.app' }, protocol: 'iterm' },
    { env: { TERM: 'xterm-256color', TERM_PROGRAM: 'WezTerm' }, protocol: 'iterm' },
    { env: { TERM: 'xterm-256color' }, protocol: undefined },
    { env: { TERM: 'xterm-256color', TERM_PROGRAM: 'vscode', KITTY_WINDOW_ID: '1' }, protocol: undefined },
    { env: { TERM: 'tmux-256color', KITTY_WINDOW_ID: '1', TMUX: '/tmp/tmux' }, protocol: undefined },
    { env: { TERM: 'screen', TERM_PROGRAM: 'WezTerm' }, protocol: undefined },
  ])('$env', ({ env, protocol }) => {
    expect(pictureProtocol(env)).toBe(protocol);
  });
});

describe('the size of an image', () => {
  test.each([
    { image: png(3, 4), size: { kind: 'png', width: 3, height: 4 } },
    { image: gif, size: { kind: 'gif', width: 32, height: 16 } },
    { image: jpeg, size: { kind: 'jpeg', width: 32, height: 16 } },
    { image: bytes('ffd8ffe0ffff'), size: undefined },
    { image: bytes('89504e470d0a1a0a'), size: undefined },
    { image: bytes(''), size: undefined },
    { image: Buffer.from('<svg/>'), size: undefined },
  ])('$size', ({ image, size }) => {
    expect(imageSize(image)).toEqual(size);
  });
});

describe('an image', () => {
  test('for kitty is cut into chunks, and shows nothing of what came but base64', () => {
    const text = pictureText(png(900, 90, 9000), 'kitty', 80) as string;
    const sequences = text.split('\u001b\\').slice(0, -1);
    expect(sequences.length).toBe(3);
    expect(sequences[0]).toMatch(/^\u001b_Ga=T,f=100,q=2,c=80,r=4,m=1;[A-Za-z0-9+/]{4096}$/);
    expect(sequences[1]).toMatch(/^\u001b_Gq=2,m=1;[A-Za-z0-9+/]{4096}$/);
    expect(sequences[2]).toMatch(/^\u001b_Gq=2,m=0;[A-Za-z0-9+/]+={0,2}$/);
    const letters = sequences.map((one) => one.slice(one.indexOf(';') + 1)).join('');
    expect(Buffer.from(letters, 'base64')).toEqual(png(900, 90, 9000));
  });

  test('for iTerm2 stands in one sequence', () => {
    expect(pictureText(gif, 'iterm', 80)).toBe(
      `\u001b]1337;File=inline=1;size=10;width=4;height=1;preserveAspectRatio=1:${Buffer.from(gif).toString('base64')}\u0007`,
    );
  });

  test.each([
    { is: 'not PNG, for kitty', image: gif },
    { is: 'too many bytes', image: png(10, 10, 5 * 1024 * 1024) },
    { is: 'too many pixels', image: png(100_000, 100_000) },
    { is: 'no pixels', image: png(0, 10) },
    { is: 'no image', image: Buffer.from('\u001b]0;x') },
  ])('that is $is is not drawn', ({ image }) => {
    expect(pictureText(image, 'kitty', 80)).toBeUndefined();
  });

  test.each([
    { width: 9, height: 18, cells: 'c=1,r=1' },
    { width: 9000, height: 100, cells: 'c=80,r=1' },
    { width: 900, height: 9000, cells: 'c=5,r=24' },
  ])('of $width × $height takes $cells', ({ width, height, cells }) => {
    expect(pictureText(png(width, height), 'kitty', 80)).toContain(`${cells},`);
  });
});
