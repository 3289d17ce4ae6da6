import { expect, test } from 'vitest';
import { progressText } from './status-line.ts';

const ink = { glyph: (_: string, ascii: string) => ascii };
const [empty, half, full] = ['.'.repeat(20), '##########..........', '#'.repeat(20)];

test.each([
  { is: 'a share of a total', progress: { progress: 1, total: 2 }, text: `${half}  50 %` },
  {
    is: 'what the server says of it',
    progress: { progress: 2, total: 2, message: 'a\nb' },
    text: `${full} 100 %  a\\nb`,
  },
  { is: 'more than there is', progress: { progress: 9, total: 2 }, text: `${full} 100 %` },
  { is: 'less than nothing', progress: { progress: -1, total: 2 }, text: `${empty}   0 %` },
  { is: 'a number without a total', progress: { progress: 7 }, text: '7' },
  { is: 'a total of nothing', progress: { progress: 7, total: 0, message: 'm' }, text: '7  m' },
  { is: 'words alone', progress: { progress: 'x', message: '\u001b[2J' }, text: '\\e[2J' },
])('progress: $is', ({ progress, text }) => {
  expect(progressText(progress, ink)).toBe(text);
});
